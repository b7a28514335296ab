#include "cli/select/condition.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "cli/io/csv_value.hpp"
#include "cli/select/arithmetic.hpp"

using namespace upsweep;
using kind = condition::kind;
using node = condition::node;
using number = condition::number;

namespace {

std::string picture_of(const std::string& text, std::size_t at) {
  std::string line = "  ", mark = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    line += c < ' ' || c == 127 ? ' ' : text[i];
    if (i < at && (c & 0xc0) != 0x80) mark += ' ';  // a character of several bytes takes one place
  }
  return line + "\n" + mark + "^\n";
}

std::size_t character(const std::string& text, std::size_t at) {
  std::size_t place = 1;
  for (std::size_t i = 0; i < at && i < text.size(); ++i) place += (text[i] & 0xc0) != 0x80;
  return place;
}

}  // namespace

condition_error::condition_error(const std::string& text, std::size_t at, const std::string& what,
                                 const std::string& remedy)
    : error(fault::bad_argument, fmt::format("--where, character {}", character(text, at)), what, remedy),
      picture_(picture_of(text, at)) {}

// Recursive descent; the functions are the rules of the grammar, from the loosest to the tightest.
class condition_parser {
 public:
  explicit condition_parser(condition& into) : c_(into), text_(into.text_) {}

  int whole() {
    const int root = any_of();
    if (!at_end()) fail(at_, fmt::format("'{}' is not expected here", next_word()), hint());
    want_condition(root);
    return root;
  }

 private:
  static constexpr std::size_t most_nodes = 2000;
  static constexpr int deepest = 200;

  struct level {  // a stack that is deep enough for any honest condition
    explicit level(condition_parser& p) : p_(p) {
      if (++p_.depth_ > deepest) p_.fail(p_.at_, "it nests too deep", "split it");
    }
    ~level() { --p_.depth_; }
    condition_parser& p_;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& what, const std::string& remedy = {}) const {
    throw condition_error(text_, at, what, remedy);
  }

  int add(node n) {
    if (c_.nodes_.size() >= most_nodes) fail(n.at, "it is too long", "split it");
    c_.nodes_.push_back(n);
    return static_cast<int>(c_.nodes_.size()) - 1;
  }
  node& at(int i) { return c_.nodes_[static_cast<std::size_t>(i)]; }
  bool is_condition(int i) { return at(i).what >= kind::truth; }
  bool is_date(int i) { return is_literal(i) && at(i).value.date; }
  // Dates are compared, and nothing else.
  void want_no_date(int i) {
    if (is_date(i))
      fail(at(i).at, "arithmetic with dates is not supported", "compare a column with it: day >= 2021-03-01");
  }
  bool is_literal(int i) { return at(i).what == kind::literal; }
  void want_condition(int i) {
    if (!is_condition(i))
      fail(at(i).at, "this is a number, and a condition is expected", "compare it with something, such as x != 0");
  }
  void want_number(int i) {
    if (is_condition(i))
      fail(at(i).at, "this is a condition, and a number is expected", "join conditions with and, or, not");
  }

  static bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool goes_on(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }
  char peek(std::size_t further = 0) const { return at_ + further < text_.size() ? text_[at_ + further] : '\0'; }
  // A word that is not the beginning of a longer one; a sign that is not, either.
  bool take_word(std::string_view word) {
    skip_spaces();
    if (std::string_view(text_).substr(at_, word.size()) != word || goes_on(peek(word.size()))) return false;
    at_ += word.size();
    return true;
  }
  bool take(std::string_view sign) {
    skip_spaces();
    if (std::string_view(text_).substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  std::string next_word() {
    skip_spaces();
    std::size_t end = at_;
    while (end < text_.size() && goes_on(text_[end])) ++end;
    if (end == at_ && end < text_.size()) ++end;
    while (end < text_.size() && (text_[end] & 0xc0) == 0x80) ++end;
    std::string word = text_.substr(at_, std::min<std::size_t>(end - at_, 40));
    for (char& c : word) c = static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
    return word;
  }
  std::string hint() { return peek() == '=' ? "== compares" : "join conditions with and, or"; }

  int any_of() {
    const level here(*this);
    int left = all_of();
    while (take_word("or") || take("||")) {
      want_condition(left);
      const int right = all_of();
      want_condition(right);
      left = add({.what = kind::either, .at = at(left).at, .a = left, .b = right});
    }
    return left;
  }

  int all_of() {
    int left = opposite();
    while (take_word("and") || take("&&")) {
      want_condition(left);
      const int right = opposite();
      want_condition(right);
      left = add({.what = kind::both, .at = at(left).at, .a = left, .b = right});
    }
    return left;
  }

  int opposite() {
    const level here(*this);
    skip_spaces();
    const std::size_t where = at_;
    if (take_word("not") || (peek() == '!' && peek(1) != '=' && take("!"))) {
      const int inner = opposite();
      want_condition(inner);
      return add({.what = kind::opposite, .at = where, .a = inner});
    }
    return comparisons();
  }

  std::optional<comparison> relation() {
    if (take("<=")) return comparison::less_equal;
    if (take(">=")) return comparison::greater_equal;
    if (take("==")) return comparison::equal;
    if (take("!=")) return comparison::not_equal;
    if (take("<")) return comparison::less;
    if (take(">")) return comparison::greater;
    return std::nullopt;
  }
  // A side of a comparison: a number's node, or text.
  struct side {
    int node = -1;
    std::optional<std::string> text;
    std::size_t at = 0;
  };
  side one_side() {
    skip_spaces();
    side s;
    s.at = at_;
    if (peek() == '\'' || peek() == '"')
      s.text = quoted(peek(), "text");
    else
      s.node = sum();
    return s;
  }

  // A text test of a column's name, which is then not used as a number.
  int text_test(const side& of, condition::text_test test, const char* remedy) {
    if (of.text || at(of.node).what != kind::element) fail(of.at, "a column is expected here", remedy);
    test.column = {c_.names_[at(of.node).index].text, of.at};
    c_.text_tests_.push_back(std::move(test));
    return add({.what = kind::text, .at = of.at, .index = c_.text_tests_.size() - 1});
  }

  // name is missing, name is not missing, name ~ 'pattern', name !~ 'pattern'; -1 where it is none of these.
  int tested(const side& left) {
    using what = condition::text_test::what;
    int test = -1;
    bool negated = false;
    if (take_word("is")) {
      negated = take_word("not");
      if (!take_word("missing"))
        fail(at_, "missing is expected here", "write: price is missing, or price is not missing");
      test = text_test(left, {.asks = what::missing}, "write: price is missing");
    } else if (skip_spaces(); take("~") || take("!~")) {
      negated = text_[at_ - 2 < text_.size() ? at_ - 2 : 0] == '!';
      skip_spaces();
      const std::size_t where = at_;
      if (peek() != '\'' && peek() != '"') fail(where, "a pattern in quotes is expected here", "write: name ~ '^A'");
      const std::string text = quoted(peek(), "pattern");
      if (const auto wrong = pattern::fault_of(text)) fail(where, "this pattern is invalid: " + *wrong);
      test = text_test(left, {.asks = what::matches, .text = text, .matches = pattern(text)}, "write: name ~ '^A'");
    }
    if (test >= 0 && negated) test = add({.what = kind::opposite, .at = left.at, .a = test});
    return test;
  }

  int comparisons() {
    side left = one_side();
    if (const int test = tested(left); test >= 0) return test;
    int all = -1;
    while (true) {
      const auto how = relation();
      if (!how) break;
      const side right = one_side();
      const int one = compared(left, *how, right);
      all = all < 0 ? one : add({.what = kind::both, .at = at(all).at, .a = all, .b = one});
      left = right;
    }
    if (all >= 0) return all;
    if (left.text) fail(left.at, "text without a comparison", "compare a column with it: name == 'text'");
    return left.node;
  }

  int compared(const side& left, comparison how, const side& right) {
    if (left.text && right.text) fail(left.at, "both sides are text", "compare a column with text: name == 'text'");
    if (left.text || right.text) {
      const side& other = left.text ? right : left;
      if (at(other.node).what != kind::element)
        fail(other.at, "only a column can be compared with text", "write it so: name == 'text'");
      return text_test(other, {.how = left.text ? turned(how) : how, .text = left.text ? *left.text : *right.text}, "");
    }
    want_number(left.node);
    want_number(right.node);
    for (const int i : {left.node, right.node})
      if (is_literal(i) && std::isnan(at(i).value.as_double()))
        fail(at(i).at, "no value is less than, greater than or equal to nan", "use isnan(x)");
    for (const auto& [date, other] : {std::pair(left, right), std::pair(right, left)}) {
      if (!is_date(date.node)) continue;
      if (at(other.node).what != kind::element)
        fail(at(other.node).at, "only a column can be compared with a date", "write it so: day >= 2021-03-01");
      c_.names_[at(other.node).index].date = true;
    }
    return add({.what = kind::compare, .at = left.at, .a = left.node, .b = right.node, .how = how});
  }

  int sum() {
    int left = product();
    while (true) {
      skip_spaces();
      const std::size_t where = at_;
      const kind what = take("+") ? kind::add : take("-") ? kind::subtract : kind::literal;
      if (what == kind::literal) return left;
      left = joined(what, left, product(), where);
    }
  }

  int product() {
    int left = sign();
    while (true) {
      skip_spaces();
      const std::size_t where = at_;
      const kind what = take("*")   ? kind::multiply
                        : take("/") ? kind::divide
                        : take("%") ? kind::remainder
                                    : kind::literal;
      if (what == kind::literal) return left;
      left = joined(what, left, sign(), where);
    }
  }

  int joined(kind what, int a, int b, std::size_t where) {
    want_number(a);
    want_number(b);
    want_no_date(a);
    want_no_date(b);
    if ((what == kind::divide || what == kind::remainder) && is_literal(b) && at(b).value.as_double() == 0)
      fail(at(b).at, "this divides by zero");
    const int i = add({.what = what, .at = at(a).at < where ? at(a).at : where, .a = a, .b = b});
    return folded(i);
  }

  int sign() {
    const level here(*this);
    skip_spaces();
    const std::size_t where = at_;
    if (take("+")) {
      const int inner = sign();
      want_number(inner);
      return inner;
    }
    if (!take("-")) return atom();
    const int inner = sign();
    want_number(inner);
    want_no_date(inner);
    return folded(add({.what = kind::negate, .at = where, .a = inner}));
  }

  int folded(int i);

  std::string quoted(char mark, const char* what) {
    const std::size_t where = at_++;
    const auto end = text_.find(mark, at_);
    if (end == std::string::npos)
      fail(where, fmt::format("this {} has no closing quote", what), fmt::format("close it with {}", mark));
    const std::string inner = text_.substr(at_, end - at_);
    at_ = end + 1;
    return inner;
  }

  int element(const std::string& called, std::size_t where) {
    std::size_t i = 0;
    while (i < c_.names_.size() && c_.names_[i].text != called) ++i;
    if (i == c_.names_.size()) c_.names_.push_back({called, where});
    return add({.what = kind::element, .at = where, .index = i});
  }

  int atom() {
    skip_spaces();
    const std::size_t where = at_;
    if (at_ == text_.size())
      fail(where,
           text_.find_first_not_of(" \t\r\n") == std::string::npos ? "it is empty"
                                                                   : "it ends where a number or a name is expected",
           "write a condition such as x > 0.5");
    if (take("(")) {
      const int inner = any_of();
      if (!take(")")) {
        if (at_end()) fail(where, "this parenthesis is never closed", "close it with )");
        fail(at_, fmt::format("'{}' is not expected here", next_word()),
             peek() == '=' ? "== compares" : "a ) may be missing");
      }
      return inner;
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return literal();
    if (peek() == '`') {
      const std::string called = quoted('`', "name");
      if (called.empty()) fail(where, "this name is empty");
      return element(called, where);
    }
    if (peek() == '\'' || peek() == '"')
      fail(where, "text is not expected here", "compare a column with it: name == 'text'");
    if (!starts_name(peek()))
      fail(where, fmt::format("a number or a name is expected, not '{}'", next_word()),
           peek() == '=' ? "== compares" : "");
    std::size_t end = at_;
    while (end < text_.size() && goes_on(text_[end])) ++end;
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "and" || word == "or" || word == "not")
      fail(where, fmt::format("a number or a name is expected, not '{}'", word),
           "write a column of that name in backquotes");
    if (word == "inf" || word == "nan")
      return add({.what = kind::literal,
                  .at = where,
                  .value = {false, 0, word == "inf" ? std::numeric_limits<double>::infinity() : std::nan("")}});
    if (word == "true" || word == "false")
      return add({.what = kind::truth, .at = where, .value = {true, word == "true", 0}});
    if (skip_spaces(); peek() != '(') return element(word, where);
    return call(word, where);
  }

  int call(const std::string& word, std::size_t where) {
    constexpr std::array<std::pair<std::string_view, kind>, 4> known{
        {{"abs", kind::absolute}, {"isnan", kind::is_nan}, {"isinf", kind::is_inf}, {"isfinite", kind::is_finite}}};
    for (const auto& [called, what] : known)
      if (word == called) {
        take("(");
        const int inner = any_of();
        want_number(inner);
        want_no_date(inner);
        if (!take(")")) fail(at_, fmt::format("the ) of {} is missing", word));
        return folded(add({.what = what, .at = where, .a = inner}));
      }
    fail(where, fmt::format("there is no function '{}'", word), "there are abs, isnan, isinf and isfinite");
  }

  // 2021-03-01, with T or a blank and 12:30, 12:30:15 or 12:30:15.5 behind it, and Z or +01:00 behind that; how many
  // characters it takes, 0 where it is none.
  std::size_t date_length() const {
    std::size_t at = 0;
    const auto shaped = [&](std::string_view shape) {
      for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? !is_digit(peek(at + i)) : peek(at + i) != shape[i]) return false;
      at += shape.size();
      return true;
    };
    if (!shaped("0000-00-00")) return 0;
    if (shaped("T00:00") || shaped(" 00:00")) {
      if (shaped(":00") && peek(at) == '.' && is_digit(peek(at + 1)))
        for (++at; is_digit(peek(at));) ++at;
      if (!shaped("Z") && !shaped("+00:00")) shaped("-00:00");
    }
    return goes_on(peek(at)) ? 0 : at;
  }

  int literal() {
    const std::size_t where = at_;
    number value;
    if (const std::size_t length = date_length()) {
      const auto date = date_of(std::string_view(text_).substr(where, length));
      if (!date) fail(where, "this day or time does not exist", "write it as 2021-03-01 or 2021-03-01T12:30");
      at_ += length;
      value.whole = *date;
      value.date = true;
      return add({.what = kind::literal, .at = where, .value = value});
    }
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      at_ += 2;
      const std::size_t digits = at_;
      __int128 bits = 0;
      for (; std::isxdigit(static_cast<unsigned char>(peek())); ++at_) {
        if (at_ - digits >= 16) fail(where, "this number has more than 64 bits");
        bits = bits * 16 + (is_digit(peek()) ? peek() - '0' : (peek() | 32) - 'a' + 10);
      }
      value.whole = bits;
      if (at_ == digits) fail(where, "this number has no digits");
    } else {
      std::size_t end = at_;
      const auto digits = [&] {
        while (end < text_.size() && is_digit(text_[end])) ++end;
      };
      digits();
      const std::size_t whole_end = end;
      if (end < text_.size() && text_[end] == '.') ++end, digits();
      if (end < text_.size() && (text_[end] | 32) == 'e') {
        std::size_t power = end + 1;
        if (power < text_.size() && (text_[power] == '+' || text_[power] == '-')) ++power;
        if (power < text_.size() && is_digit(text_[power])) end = power, digits();
      }
      value.integer = end == whole_end;
      if (end - at_ > 4000) fail(where, "this number has more than 4000 digits");
      if (value.integer)
        value.whole = big_integer::of_digits(std::string_view(text_).substr(at_, end - at_));
      else
        value.exact = text_.substr(at_, end - at_), value.real = std::strtod(value.exact.c_str(), nullptr);
      at_ = end;
    }
    if (goes_on(peek())) fail(where, fmt::format("'{}' is not a number", text_.substr(where, at_ + 1 - where)));
    return add({.what = kind::literal, .at = where, .value = value});
  }

 public:
  // Names that are compared only with text are not numbers: they are in no tree. In a chain such as 0 < name == 'x' a
  // name can be both.
  void leave_out_text_names(int root) {
    std::vector<bool> used(c_.names_.size());
    for (std::vector<int> rest{root}; !rest.empty();) {
      const node& n = at(rest.back());
      rest.pop_back();
      if (n.what == kind::element) used[n.index] = true;
      for (const int operand : {n.a, n.b})
        if (operand >= 0) rest.push_back(operand);
    }
    std::vector<std::size_t> place(c_.names_.size());
    std::vector<condition::name> kept;
    for (std::size_t i = 0; i < place.size(); ++i) {
      place[i] = kept.size();
      if (used[i]) kept.push_back(c_.names_[i]);
    }
    for (node& n : c_.nodes_)
      if (n.what == kind::element) n.index = place[n.index];
    c_.names_ = std::move(kept);
  }

 private:
  condition& c_;
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// Arithmetic on literals is done here.
int condition_parser::folded(int i) {
  const node n = at(i);
  if (!is_literal(n.a) || (n.b >= 0 && !is_literal(n.b))) return i;
  node f{.what = kind::literal, .at = n.at};
  const number &a = at(n.a).value, &b = n.b >= 0 ? at(n.b).value : at(n.a).value;
  if (n.what >= kind::truth) {
    const double x = a.as_double();
    f.what = kind::truth;
    f.value.whole = n.what == kind::is_nan ? std::isnan(x) : n.what == kind::is_inf ? std::isinf(x) : std::isfinite(x);
  } else if (a.integer && b.integer && n.what != kind::divide) {
    f.value.whole = on_integers(n.what, a.whole, b.whole);
  } else {
    f.value.integer = false;
    f.value.real = a.integer && b.integer ? quotient(a.whole, b.whole) : on_reals(n.what, a.as_double(), b.as_double());
    if (n.what == kind::negate && !a.exact.empty())
      f.value.exact = a.exact.starts_with('-') ? a.exact.substr(1) : "-" + a.exact;
  }
  return add(f);
}

condition::condition(const std::string& text) : text_(text) {
  condition_parser parser(*this);
  root_ = parser.whole();
  parser.leave_out_text_names(root_);
}

void condition::refuse(const name& n, const std::string& what, const std::string& remedy) const {
  throw condition_error(text_, n.at, what, remedy);
}

bool condition::text_test::operator()(std::string_view field) const {
  return asks == what::matches ? matches->found_in(field) : holds(how, field.compare(text) <=> 0);
}
