// Sort and group keys of rows: one or several columns, each by its type, as one string of bytes that is ordered by
// memcmp. Missing values are last in either direction.
//
//   numbers   the eight bytes of their image (upsweep/sort/sort_order.hpp), then whether they are missing; if the image
//             does not distinguish them (integers of more than 64 bits, long decimals, numbers beyond f64's range) all
//             digits follow
//   integers of which some have a leading zero are codes and are compared as text, unless --number names the column
//   dates     in microseconds, likewise
//   text      its bytes, independent of the locale; in natural order numbers inside are compared by value
#pragma once

#include <string>
#include <vector>

#include "cli/io/csv.hpp"
#include "cli/io/elements.hpp"
#include "cli/sort/sort.hpp"

struct row_key {
  std::string column;
  bool descending = false;
};

// "city,-price": columns, each with a minus sign if it is descending. Names of the first row that contain commas and
// minus signs are tried first, and a name in backquotes is always a name.
std::vector<row_key> row_keys_of(const std::string& by, const std::vector<std::string>& first_row);
std::vector<std::string> columns_of(const std::vector<row_key>&);

class key_writer {
 public:
  // Column k of `records` is key k's; their types have been found, unless `type` says what all are. With `strict` a few
  // texts among numbers are mistakes, where natural order does not take them as text.
  key_writer(const csv_records& records, std::vector<row_key> keys, std::optional<upsweep::dtype> type, bool natural,
             const missing_rule& na, bool strict = false);
  // Restricts one column of numbers to some bits of their image.
  void restrict_bits(unsigned first, unsigned last);
  // Appends the record's key; false where --na skip leaves the record out.
  bool append(csv_records& records, std::string& key) const;
  // Keys are eight bytes long, all of them.
  bool short_keys() const { return short_; }

 private:
  struct part {
    bool descending, flagged, exact;
    column_type::kind what;
    upsweep::dtype type;
  };
  bool append_number(csv_records&, std::size_t column, const part&, std::string& key) const;
  void append_text(std::string_view text, std::string& key) const;

  std::vector<part> parts_;
  std::optional<upsweep::dtype> type_;
  bool natural_, short_ = false;
  missing_rule na_;
  unsigned first_bit_ = 0, last_bit_ = 0;
};

// A number as an answer: an integer with all its digits, others as f64 prints them, or as they are written where f64
// does not hold them.
std::string exact_text(std::string_view number);
// The nearest f64 of a number in plain form; of one beyond its range the greatest finite f64, so that it is less than
// infinity.
double nearest_finite(std::string_view number);
// Appends a number of any length and size, in plain form, so that keys are ordered as the numbers are. False where it
// is NaN or no number.
bool append_exact(std::string_view number, std::string& key);

// The first eight bytes of a key, so that numbers are ordered as keys are.
std::uint64_t prefix_of(std::string_view key);
