// One column of a CSV file (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes, CRLF or LF).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input.hpp"
#include "upsweep/types.hpp"

struct csv_options {
  std::string column;  // a name from the first row, or a number counted from 1; may be empty for a file of one column
  char separator = ',';
  enum class first_row { automatic, header, data } first = first_row::automatic;
};

class csv_reader {
 public:
  csv_reader(input&, upsweep::dtype, csv_options);

  // Up to n numbers of the column; fewer only at the end. Text in the column, a missing or an empty field is an error that
  // names the row (the first line is row 1) and the column.
  std::uint64_t read(void* to, std::uint64_t n);
  // The column's name in the first row; empty when that row holds data.
  const std::string& title() const { return title_; }
  std::uint64_t row() const { return row_; }

 private:
  enum class step { record, end, starved };

  bool next_record(std::string_view& field, std::size_t& fields);
  step scan_record(std::string_view& field, std::size_t& fields);
  bool refill();
  void choose_column();
  std::size_t column_among(const std::vector<std::string>& heads) const;
  template <class T>
  T number(std::string_view field, std::size_t fields);
  template <class T>
  std::uint64_t read_as(T* to, std::uint64_t n);
  [[noreturn]] void bad_row(const std::string& what, const std::string& remedy) const;

  input& in_;
  upsweep::dtype type_;
  csv_options options_;
  std::string text_;            // what has been read and not been consumed, from at_ on
  std::size_t at_ = 0;
  bool exhausted_ = false;
  std::string unquoted_;        // a quoted field without its quotes
  std::vector<std::string>* collect_ = nullptr;  // every field of the next record goes here, if set
  std::size_t record_at_ = 0;   // where the last record began
  std::size_t column_ = 0;      // from 0
  std::uint64_t row_ = 0;       // of the last record read, from 1
  std::string title_;
};
