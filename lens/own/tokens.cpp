#include "lens/own/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace upsweep::lens::own {

namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool in_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class reader {
 public:
  reader(std::string_view text, unsigned line) : text_(text), line_(line) {}

  std::vector<token> all() {
    bool line_begins = true;
    while (skip_space(line_begins)) {
      const std::size_t from = at_;
      const unsigned line = line_;
      const token_kind kind = next(line_begins);
      found_.push_back({kind, text_.substr(from, at_ - from), from, line});
      line_begins = false;
    }
    return std::move(found_);
  }

 private:
  char now(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void step() {
    if (text_[at_++] == '\n') ++line_;
  }
  void step_to(std::size_t end) {
    while (at_ < std::min(end, text_.size())) step();
  }
  bool skip_comment() {
    if (now() != '/' || (now(1) != '/' && now(1) != '*')) return false;
    if (now(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      step_to(end == std::string_view::npos ? text_.size() : end + 2);
      return true;
    }
    while (at_ < text_.size() && !(now() == '\n' && text_[at_ - 1] != '\\')) step();
    return true;
  }
  bool skip_space(bool& line_begins) {
    for (;;) {
      if (at_ == text_.size()) return false;
      if (now() == '\n') {
        line_begins = true;
        step();
      } else if (std::isspace(static_cast<unsigned char>(now())) || (now() == '\\' && now(1) == '\n')) {
        step();
      } else if (!skip_comment()) {
        return true;
      }
    }
  }
  void read_quoted(char quote) {
    step();
    while (at_ < text_.size() && now() != quote && now() != '\n') step_to(at_ + (now() == '\\' ? 2 : 1));
    if (now() == quote) step();
  }
  void read_raw() {  // at its R"
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return step_to(text_.size());
    std::string close = ")";
    close += text_.substr(at_ + 2, open - at_ - 2);
    close += '"';
    const std::size_t end = text_.find(close, open);
    step_to(end == std::string_view::npos ? text_.size() : end + close.size());
  }
  void read_directive() {
    while (at_ < text_.size() && now() != '\n') {
      if (now() == '/' && now(1) == '/') break;
      if (now() == '/' && now(1) == '*') {
        skip_comment();
      } else {
        step_to(at_ + (now() == '\\' ? 2 : 1));
      }
    }
  }
  token_kind next(bool line_begins) {
    const char c = now();
    if (c == '#' && line_begins) {
      read_directive();
      return token_kind::directive;
    }
    if (c == 'R' && now(1) == '"') {
      read_raw();
      return token_kind::text;
    }
    if (c == '"' || c == '\'') {
      read_quoted(c);
      return token_kind::text;
    }
    if (starts_word(c)) {
      while (in_word(now())) step();
      return token_kind::word;
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      while (in_word(now()) || now() == '.' || (now() == '\'' && in_word(now(1)))) step();
      return token_kind::number;
    }
    step();
    return token_kind::sign;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned line_;
  std::vector<token> found_;
};

}  // namespace

std::vector<token> tokens_of(std::string_view text, unsigned line) { return reader(text, line).all(); }

}  // namespace upsweep::lens::own
