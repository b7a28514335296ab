// Conditions of --where: on one element, or on the fields of one row.
//
//   or, and, not     also || && !
//   < <= > >= == !=  chains such as 0 <= x < 1 have their mathematical meaning
//   + - * / %        % is never negative for a positive divisor; / is correctly rounded to a double
//   abs(x) isnan(x) isinf(x) isfinite(x), numbers (12, 1.5e3, 0xff, inf), parentheses
//   x                the element; in rows of CSV the columns by their names, in backquotes if a name has other
//                    characters than letters, digits, _ and .
//   'text'           a column of CSV rows may be compared with text, byte by byte
//   name ~ 'A.*z'    whether a part of its text matches a regular expression; !~ whether no part does
//   2021-03-01       a column of dates may be compared with a date, also with a time: 2021-03-01T12:30
//   name is missing  whether a row has no value there; name is not missing
//
// A number next to a bare name is rounded to that column's type, as in NumPy; comparisons with integers are exact.
// Arithmetic on integers is exact for any length, and so is a comparison of integers with floats; other arithmetic is
// in f64. Comparisons with NaN are false, except !=.
//
// A column of CSV rows whose numbers f64 cannot represent (integers above 2^53 next to decimals, integers of more than
// 64 bits, long decimals, numbers beyond f64's range) is compared by all digits, with numbers and with other columns.
// Its integers are integers in arithmetic.
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
    std::size_t at = 0;  // its first position
    bool date = false;   // it is compared with a date
  };
  // The names used as numbers, without duplicates.
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

  // The comparison of the only name with a number, for elements of this type; std::nullopt if the condition is not a
  // single comparison.
  struct test {
    enum class outcome { by_element, always, never } when = outcome::by_element;
    upsweep::comparison how = upsweep::comparison::less;
    upsweep::scalar threshold{};
  };
  std::optional<test> single(upsweep::dtype) const;

  struct column {
    upsweep::dtype type;
    const void* elements = nullptr;
    const std::uint8_t* missing = nullptr;  // rows without a value, such as NaN; may be null
    const std::string* exact = nullptr;     // the rows' numbers as text, in plain form; may be null
  };
  // Sets flags[i] to 1 if row i passes, else 0. `columns` are those of the names, `texts` the results of the text
  // tests.
  void evaluate(const std::vector<column>& columns, const std::vector<const std::uint8_t*>& texts, std::uint64_t n,
                std::uint8_t* flags) const;

  [[noreturn]] void refuse(const name&, const std::string& what, const std::string& remedy) const;

  struct number {
    bool integer = true;
    big_integer whole{};
    double real = 0;
    bool date = false;    // microseconds since 1970
    std::string exact{};  // text of a literal that is not an integer
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
