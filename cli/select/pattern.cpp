#include "cli/select/pattern.hpp"

#include <regex.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

// Of * + and ? one behind the other, which each mean what came before: (x+)? is x*. The C library takes seconds for a
// dozen of them.
char together(std::string_view repeats) {
  const auto all = [&](char c) { return std::ranges::all_of(repeats, [c](char r) { return r == c; }); };
  return all('+') ? '+' : all('?') ? '?' : '*';
}

// \d and \D, which POSIX has not; \w, \s, \b and their like the C library knows outside of brackets, and none within.
std::string with_classes(const std::string& text) {
  constexpr std::string_view repeats = "*+?", begins = "(|^";
  std::string out;
  bool bracket = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (bracket) {
      if (c == '[' && (next == ':' || next == '.' || next == '=')) {
        const std::size_t end = text.find(std::string{next, ']'}, i + 2);
        const std::size_t stop = end == std::string::npos ? text.size() : end + 2;
        out += text.substr(i, stop - i);
        i = stop - 1;
      } else if (c == '\\' && (next == 'd' || next == 'w' || next == 's')) {
        out += next == 'd' ? "0-9" : next == 'w' ? "[:alnum:]_" : "[:space:]";
        ++i;
      } else {
        bracket = c != ']';
        out += c;
      }
    } else if (c == '[') {
      bracket = true;
      out += c;
      // A ] at the beginning is a literal.
      if (i + 1 < text.size() && text[i + 1] == '^') out += text[++i];
      if (i + 1 < text.size() && text[i + 1] == ']') out += text[++i];
    } else if (c == '\\' && next != '\0') {
      out += next == 'd' ? "[0-9]" : next == 'D' ? "[^0-9]" : std::string{c, next};
      ++i;
    } else if (repeats.find(c) != repeats.npos && i > 0 && begins.find(text[i - 1]) == begins.npos) {
      const std::size_t end = std::min(text.find_first_not_of(repeats, i), text.size());
      out += together(std::string_view(text).substr(i, end - i));
      i = end - 1;
    } else {
      out += c;
    }
  }
  return out;
}

// Estimates the number of positions of the compiled expression: x+ has two of x, x{2,5} five, so nested repetitions
// multiply. The C library allocates about 140 bytes for each without a limit: ((((x{9}){9}){9}){9}){9} takes megabytes.
// If all of a repeated expression is optional, it searches all later positions from each position.
constexpr double most_places = 1e5, most_looks = 1e7;
struct expense {
  double places = 0, looks = 0;
};
expense expense_of(const std::string& text) {
  struct group {
    double all = 0, last = 0;  // of what is whole, and of what a * + ? or { after it is about
    bool all_maybe = true, last_maybe = true, either_maybe = false;  // whether it may be nothing
    bool can_be_empty() const { return either_maybe || (all_maybe && last_maybe); }
  };
  std::vector<group> open(1);
  double looks = 0;
  const auto begin = [&](double size, bool can_be_empty = false) {
    group& here = open.back();
    here.all += here.last, here.last = size;
    here.all_maybe = here.all_maybe && here.last_maybe, here.last_maybe = can_be_empty;
  };
  const auto grow = [&](group& here, double to) {
    here.last = to;
    if (here.last_maybe) looks += to * to;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    group& here = open.back();
    switch (text[i]) {
      case '(': open.emplace_back(); break;
      case ')':
        if (open.size() > 1) {
          const double size = here.all + here.last + 1;
          const bool can_be_empty = here.can_be_empty();
          open.pop_back();
          begin(size, can_be_empty);
        }
        break;
      case '|':
        begin(1);
        here.either_maybe = here.either_maybe || here.all_maybe;
        here.all_maybe = here.last_maybe = true;
        break;
      case '*':
      case '?':
        grow(here, here.last + 1);
        here.last_maybe = true;
        break;
      case '+': grow(here, 2 * here.last + 1); break;
      case '{': {
        const char* at = text.c_str() + i + 1;
        char* end = nullptr;
        double times = static_cast<double>(std::strtoul(at, &end, 10)) + 1;
        if (*end == ',') times = std::max(times, static_cast<double>(std::strtoul(end + 1, nullptr, 10)));
        grow(here, here.last * times);
        if (text[i + 1] == '0' || text[i + 1] == ',') here.last_maybe = true;
        i = std::min(text.find('}', i), text.size());
        break;
      }
      case '[': {
        begin(1);
        std::size_t from = i + 1 + (i + 1 < text.size() && text[i + 1] == '^');
        from += from < text.size() && text[from] == ']';
        while (from < text.size() && text[from] != ']')
          from = text[from] == '[' && from + 1 < text.size() &&
                         (text[from + 1] == ':' || text[from + 1] == '.' || text[from + 1] == '=')
                     ? std::min(text.find(std::string{text[from + 1], ']'}, from + 2), text.size() - 2) + 2
                     : from + 1;
        i = from;
        break;
      }
      case '\\': ++i; [[fallthrough]];
      default: begin(1);
    }
  }
  expense all{0, looks};
  for (const group& g : open) all.places += g.all + g.last;
  return all;
}

}  // namespace

struct pattern::compiled {
  regex_t expression;
  int status;
  explicit compiled(const std::string& text) : status(REG_ESPACE) {
    const std::string all = with_classes(text);
    const expense e = expense_of(all);
    if (e.places <= most_places && e.looks <= most_looks)
      status = regcomp(&expression, all.c_str(), REG_EXTENDED | REG_NOSUB);
  }
  compiled(const compiled&) = delete;
  compiled& operator=(const compiled&) = delete;
  ~compiled() {
    if (status == 0) regfree(&expression);
  }
};

std::optional<std::string> pattern::fault_of(const std::string& text) {
  if (text.find('\0') != std::string::npos) return "it contains a byte of 0";
  switch (compiled(text).status) {
    case 0: return std::nullopt;
    case REG_EBRACK: return "a [ is never closed";
    case REG_EPAREN: return "a ( is never closed, or a ) never opened";
    case REG_EBRACE: return "a { is never closed";
    case REG_BADBR: return "the text in { } is not a count";
    case REG_ERANGE: return "a range in [ ] ends before it begins";
    case REG_ECTYPE: return "the class of characters is unknown";
    case REG_EESCAPE: return "it ends with a \\";
    case REG_ESUBREG: return "it refers to a group that does not exist";
    case REG_BADRPT: return "* + ? or { has nothing before it";
    case REG_ESPACE:
    case REG_ESIZE: return "it is too large";
    default: return "it is not a regular expression";
  }
}

pattern::pattern(const std::string& text) : compiled_(std::make_shared<const compiled>(text)) {}

bool pattern::found_in(std::string_view text) const {
  regmatch_t whole{0, static_cast<regoff_t>(text.size())};
  return regexec(&compiled_->expression, text.data() ? text.data() : "", 1, &whole, REG_STARTEND) == 0;
}
