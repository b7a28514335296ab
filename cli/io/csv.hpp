// CSV files (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes, CRLF or LF): whole records with a
// few columns picked out, and one column as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/input.hpp"
#include "upsweep/types.hpp"

struct csv_options {
  std::string column{};  // a name from the first row, or a number counted from 1; may be empty for a file of one column
  char separator = ',';
  enum class first_row { automatic, header, data } first = first_row::automatic;
};

// Where a record's field does not hold what is wanted, the error's sentence names the row (the first line is row 1)
// and the column.
class csv_records {
 public:
  // `columns`: those that field() and number() tell of, each as csv_options names one. Those of `texts` need hold no
  // numbers, which matters where the first row may be a header or not.
  csv_records(input&, const csv_options&, std::vector<std::string> columns, std::vector<bool> texts = {});
  csv_records(const csv_records&) = delete;
  csv_records& operator=(const csv_records&) = delete;

  // The next record; false after the last. Blank lines are passed over.
  bool next();
  // What follows is of that record, until the next.
  std::string_view text() const;  // as it stands in the file, without its line end
  std::string_view field(std::size_t column);
  template <class T>
  void number(std::size_t column, T& value);
  void number(std::size_t column, upsweep::dtype, void* to);
  bool empty(std::size_t column);

  // Up to n numbers of a column from the records that come next, on every thread. It stops before a record that it
  // cannot take as it is (a field in quotes, a blank line, what is no number or missing, the last one of the text that
  // has been read): next() and number() take that.
  std::uint64_t numbers(std::size_t column, upsweep::dtype, void* to, std::uint64_t n);

  // The column's name in the first row; empty when that row holds data.
  const std::string& title(std::size_t column) const { return titles_[column]; }
  // The first row as it stands in the file, where it holds names.
  const std::string& header() const { return header_; }
  const std::vector<std::string>& heads() const { return heads_; }
  std::string_view line_end() const { return crlf_ ? "\r\n" : "\n"; }
  std::uint64_t row() const { return row_; }

 private:
  enum class step { record, end, starved };

  step scan_record();
  bool refill();
  void index();
  void choose_columns(const std::vector<std::string>& names, const std::vector<bool>& texts);
  std::size_t column_among(const std::string& name) const;
  std::string column_text(std::size_t column) const;
  void demand(std::size_t column) const;
  [[noreturn]] void bad_row(const std::string& what, const std::string& remedy) const;

  input& in_;
  csv_options options_;
  std::string text_;  // what has been read and not been consumed, from at_ on
  std::size_t at_ = 0;
  bool exhausted_ = false, crlf_ = false;
  bool collect_ = false;     // every field of the next record goes to heads_
  std::vector<int> wanted_;  // by the field's place: which column it is, or -1
  struct place {
    std::size_t first = 0, size = 0;
    bool quoted = false;
  };
  std::vector<place> fields_;          // by column: where it stands in the record
  std::vector<std::string> unquoted_;  // by column: a quoted field without its quotes
  std::vector<std::size_t> columns_;   // from 0
  std::vector<std::string> titles_, heads_;
  std::string header_;
  std::size_t record_at_ = 0, record_end_ = 0;
  // What numbers() knows of the text from indexed_at_ on: the ends of fields, and the first field of each record.
  std::vector<std::uint64_t> ends_, firsts_;
  std::size_t indexed_at_ = 0, next_record_ = 0;
  bool indexed_ = false;
  unsigned rest_ = 0, odd_ = 0;  // records to leave to next(), where many had to be
  std::size_t count_ = 0;        // fields of the record
  std::uint64_t row_ = 0;        // of the record, from 1
};

class csv_reader {
 public:
  csv_reader(input& in, upsweep::dtype type, const csv_options& options)
      : records_(in, options, {options.column}), type_(type) {}

  // Up to n numbers of the column; fewer only at the end. Text in the column, a missing or an empty field is an error.
  std::uint64_t read(void* to, std::uint64_t n);
  const std::string& title() const { return records_.title(0); }
  std::uint64_t row() const { return records_.row(); }

 private:
  csv_records records_;
  upsweep::dtype type_;
};
