// What rows are ordered and grouped by: one or several columns, each by its type, as one string of bytes whose order
// under memcmp is theirs. Missing values stand last, whichever way a column runs.
//
//   numbers   the eight bytes of their image (upsweep/sort/order.hpp), then whether they are missing; where that image
//             does not tell them apart (integers of more than 64 bits, long decimals) all digits follow
//   dates     in microseconds, likewise
//   text      its bytes, so that no locale matters; in natural order numbers inside go by their value
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

// "city,-price": columns, each with a minus where it descends. A column's own name may hold commas and minuses: names
// of the first row go before, and what stands in backquotes is a name.
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

// The first eight bytes of a key, so that numbers are ordered as keys are.
std::uint64_t prefix_of(std::string_view key);
