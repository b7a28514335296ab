// What --where says: a condition on one element, or on the fields of one row.
//
//   or, and, not     also || && !
//   < <= > >= == !=  chains such as 0 <= x < 1 mean what they do in mathematics
//   + - * / %        % is never negative for a positive divisor; / is exact to a double's rounding
//   abs(x) isnan(x) isinf(x) isfinite(x), numbers (12, 1.5e3, 0xff, inf), parentheses
//   x                the element; of CSV rows the columns by their names, in backquotes where they are more than
//                    letters, digits, _ and .
//   'text'           a column of CSV rows may be compared with text, byte by byte
//   name ~ 'A.*z'    whether a part of its text is as a regular expression says; !~ whether none is
//   2021-03-01       a column of dates may be compared with a date, and a time behind it: 2021-03-01T12:30
//   name is missing  whether a row has no value there; name is not missing
//
// A number that stands next to a bare name is rounded to that column's type, as NumPy does; against integers it is
// compared exactly. Arithmetic on integers is exact, of whatever length they become, and so is a comparison of integers
// with floats; other arithmetic is in f64. NaN passes no comparison but !=.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/select/big_integer.hpp"
#include "cli/select/pattern.hpp"
#include "upsweep/core/catalog.hpp"
#include "upsweep/error.hpp"

class condition_error : public upsweep::error {
 public:
  condition_error(const std::string& text, std::size_t at, const std::string& what, const std::string& remedy = {});
  // The text, and under it a caret at the place.
  const std::string& picture() const { return picture_; }

 private:
  std::string picture_;
};

class condition {
 public:
  explicit condition(const std::string& text);

  struct name {
    std::string text;
    std::size_t at = 0;  // where it stands first
    bool date = false;   // it is compared with a date
  };
  // The names that stand for numbers, each once.
  const std::vector<name>& names() const { return names_; }
  struct text_test {
    enum class what : std::uint8_t { compares, matches, missing } asks = what::compares;
    name column{};
    upsweep::comparison how = upsweep::comparison::equal;
    std::string text{};
    std::optional<pattern> matches{};
    bool operator()(std::string_view field) const;  // of what is not missing
  };
  const std::vector<text_test>& text_tests() const { return text_tests_; }

  // What one comparison of the only name with a number comes to for elements of that type; nothing where the
  // condition is more.
  struct test {
    enum class outcome { by_element, always, never } when = outcome::by_element;
    upsweep::comparison how = upsweep::comparison::less;
    upsweep::scalar threshold{};
  };
  std::optional<test> single(upsweep::dtype) const;

  struct column {
    upsweep::dtype type;
    const void* elements;
    const std::uint8_t* missing = nullptr;  // which rows have no value, as NaN has none; may be null
  };
  // flags[i] = 1 where row i passes, else 0. `columns` are the names', `texts` the outcomes of the text tests.
  void evaluate(const std::vector<column>& columns, const std::vector<const std::uint8_t*>& texts, std::uint64_t n,
                std::uint8_t* flags) const;

  [[noreturn]] void refuse(const name&, const std::string& what, const std::string& remedy) const;

  struct number {
    bool integer = true;
    big_integer whole{};
    double real = 0;
    bool date = false;  // microseconds since 1970
    double as_double() const { return integer ? whole.rounded() : real; }
  };
  // Numbers, and from `truth` on conditions.
  enum class kind : std::uint8_t {
    literal,
    element,
    negate,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    absolute,
    truth,
    is_nan,
    is_inf,
    is_finite,
    compare,
    text,
    both,
    either,
    opposite
  };
  struct node {
    kind what = kind::literal;
    std::size_t at = 0;
    int a = -1, b = -1;  // operands
    upsweep::comparison how = upsweep::comparison::less;
    number value{};         // of a literal; of a truth 0 or 1
    std::size_t index = 0;  // of the name or of the text test
  };

 private:
  friend class condition_parser;
  std::string text_;
  std::vector<node> nodes_;
  int root_ = -1;
  std::vector<name> names_;
  std::vector<text_test> text_tests_;
};
