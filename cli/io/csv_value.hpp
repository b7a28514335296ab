// What the text of one CSV field says: a number, a date, text, or that a value is missing; and what the texts of a
// whole column come to.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "upsweep/types.hpp"

// Without blanks in front and behind.
std::string_view trimmed(std::string_view);

// Empty, NA, N/A, #N/A, <NA>, NaN, null, none, nil, -, --, . and ?, in letters of either case, with blanks around.
bool is_missing(std::string_view field);

// Microseconds since 1970-01-01T00:00Z of an ISO date: 2020-01, 2020-01-31 or 2020/01/31, with 12:30, 12:30:15 or
// 12:30:15.123456 behind a T or a blank, and Z or +01:00 behind that. Without a zone it is UTC.
std::optional<std::int64_t> date_of(std::string_view field);

enum class parsed { number, text, too_large };

// The whole field as a number; of floating types inf and nan are numbers, too.
template <class T>
parsed parse_number(std::string_view field, T& value);

enum class value_kind : std::uint8_t { missing, integer, decimal, date, text };
value_kind kind_of(std::string_view field);

// What --na says of missing values.
struct missing_rule {
  enum class rule : std::uint8_t { unsaid, skip, error, value } what = rule::unsaid;
  std::string value{};
};
// "" is unsaid: rows are moved with them, elements are refused, but NaN is a number of floating types.
missing_rule missing_rule_of(const std::string& option);

// A column's type, found out from all of its fields.
struct column_type {
  enum class kind : std::uint8_t { nothing, integers, decimals, dates, text } what = kind::nothing;
  // What holds its numbers: integers i64, or u64 where one is past that; decimals f64; dates i64, in microseconds.
  upsweep::dtype type = upsweep::dtype::f64;
  bool exact = true;                              // `type` holds each of them as its digits say, and prints them back
  bool rounds_integers = false;                   // not exact, and it is an integer of which digits are lost
  std::uint64_t rows = 0, missing = 0, nans = 0;  // nans: those of the missing that are written so
  std::uint64_t numbers = 0;
  // Of integers that are exact: what they add up to, and what their absolute values do.
  __int128 sum = 0;
  unsigned __int128 magnitude = 0;

  bool is_number() const { return what == kind::integers || what == kind::decimals || what == kind::nothing; }
  // Text because of a few fields among numbers, which may be mistakes.
  bool is_mostly_numbers() const { return what == kind::text && numbers * 10 >= (rows - missing) * 9; }
  std::string words() const;  // "integers (i64)"
};

// Gathers fields; the gatherings of parts of a column make that of the whole.
class type_finder {
 public:
  void add(std::string_view field);
  void add_missing() { ++missing_, ++empty_; }  // a row that ends before the column
  void add(const type_finder&);
  // `na`: what comes in the place of missing values is a value, too.
  column_type found(const missing_rule& na = {}) const;

 private:
  void add_integer(std::string_view digits);
  std::uint64_t missing_ = 0, empty_ = 0, nans_ = 0, integers_ = 0, decimals_ = 0, dates_ = 0, texts_ = 0;
  std::uint64_t past_ = 0;  // integers of more than 64 bits
  bool negative_ = false, past_i64_ = false, past_f64_ = false, long_decimal_ = false;
  __int128 sum_ = 0;
  unsigned __int128 magnitude_ = 0;
};
