// Classifies the text of a CSV field as a number, a date, text or a missing value, and finds the type of a whole
// column.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "upsweep/types.hpp"

// Without leading and trailing blanks.
std::string_view trimmed(std::string_view);

// Empty, NA, N/A, #N/A, <NA>, NaN, null, none, nil, -, --, . and ?, in letters of either case, with blanks around.
bool is_missing(std::string_view field);

// Microseconds since 1970-01-01T00:00Z of an ISO date: 2020-01, 2020-01-31 or 2020/01/31, with 12:30, 12:30:15 or
// 12:30:15.123456 behind a T or a blank, and Z or +01:00 behind that. Without a zone it is UTC.
std::optional<std::int64_t> date_of(std::string_view field);

// Notation of numbers that differs from C's: the separator of digits, and the decimal point.
struct number_form {
  std::string thousands{};
  std::string decimal = ".";
  bool plain() const { return thousands.empty() && decimal == "."; }
};
// The field in the form that the functions below read: 1.234,5 is 1234.5 with the matching options. `changed` stores
// the text if it differs from the field. A number in C's form becomes text if it is not one in the given form; other
// fields are returned unchanged.
std::string_view in_plain_form(std::string_view field, const number_form&, std::string& changed);
// The options with which the field is a number: "--thousands , or --decimal ,"; empty if there are none.
std::string form_hint(std::string_view field);

enum class parsed { number, text, too_large };

// Parses the whole field as a number; for floating types inf and nan are numbers.
template <class T>
parsed parse_number(std::string_view field, T& value);

enum class value_kind : std::uint8_t { missing, integer, decimal, date, text };
value_kind kind_of(std::string_view field);

// Value of --na.
struct missing_rule {
  enum class rule : std::uint8_t { unsaid, skip, error, value } what = rule::unsaid;
  std::string value{};
};
// "" is unsaid: rows are moved with them, elements are refused, but NaN is a number of floating types.
missing_rule missing_rule_of(const std::string& option);

// The type of a column, detected from all its fields.
struct column_type {
  enum class kind : std::uint8_t { nothing, integers, decimals, dates, text } what = kind::nothing;
  // Type of its numbers: integers i64, or u64 if one exceeds it; decimals f64; dates i64, in microseconds.
  upsweep::dtype type = upsweep::dtype::f64;
  bool exact = true;             // `type` holds each of them as its digits say, and prints them back
  bool rounds_integers = false;  // not exact, and it is an integer of which digits are lost
  // nans: those of the missing that are written so; empty: those of which nothing is written
  std::uint64_t rows = 0, missing = 0, nans = 0, empty = 0;
  std::uint64_t numbers = 0, dates = 0;
  // A field and its row, counted from 1; row 0 where there is none.
  struct example {
    std::uint64_t row = 0;
    std::string field{};
  };
  example odd{};   // of text: the first field that is not of the kind that most are
  example zero{};  // the first integer with a leading zero, such as 01234
  // Integers of which some have a leading zero and none a sign or a point. They are codes, such as zip codes: rows are
  // sorted and grouped by them as text. Commands that calculate still read them as numbers.
  bool codes = false;
  bool widths_differ = false;                                                      // codes of several lengths
  enum class said : std::uint8_t { nothing, number, text } asked = said::nothing;  // by --number and --text
  // Of integers that are exact: what they add up to, and what their absolute values do.
  __int128 sum = 0;
  unsigned __int128 magnitude = 0;

  bool is_number() const { return what == kind::integers || what == kind::decimals || what == kind::nothing; }
  // Text because of a few fields among numbers, which may be errors.
  bool is_mostly_numbers() const {
    return what == kind::text && asked == said::nothing && numbers * 10 >= (rows - missing) * 9;
  }
  // Text where at least half of the fields are numbers or dates, or where the first other one looks like a number.
  bool is_mixed() const;
  std::string words() const;  // "integers (i64)"
};

// Collects fields; the collections of parts of a column are merged to that of the whole.
class type_finder {
 public:
  // `field` in plain form; `raw` and `row` are for messages.
  void add(std::string_view field, std::string_view raw, std::uint64_t row);
  void add_missing() { ++missing_, ++empty_; }  // a row that ends before the column
  void add(const type_finder&);
  // `na`: what comes in the place of missing values is a value, too.
  column_type found(const missing_rule& na = {}) const;

 private:
  using example = column_type::example;
  void add_integer(std::string_view digits);
  // Keeps the earlier of two examples.
  static void keep_first(example& kept, std::uint64_t row, std::string_view field);
  std::uint64_t missing_ = 0, empty_ = 0, nans_ = 0, integers_ = 0, decimals_ = 0, dates_ = 0, texts_ = 0;
  std::uint64_t past_ = 0;                // integers of more than 64 bits
  std::uint64_t zeros_ = 0, points_ = 0;  // numbers with a leading zero; with a sign or a point
  std::size_t shortest_ = ~std::size_t{0}, longest_ = 0;
  example first_text_{}, first_date_{}, first_number_{}, first_zero_{};
  bool negative_ = false, past_i64_ = false, past_f64_ = false, long_decimal_ = false;
  __int128 sum_ = 0;
  unsigned __int128 magnitude_ = 0;
};
