// CSV files (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes; rows end with LF, CRLF or CR): whole
// records with a few columns picked out, their types, and one column as numbers.
//
// Header     The first row holds names where --header says so; else where it holds the name of a column asked for, or
//            where its first field, or that of a column asked for, is text: no number, no date and not missing.
// Columns    By name, else by number, counted from 1; a name wins over a number. Blanks around names do not count.
// Row names  Where the first row below a header has one field more than it, the first field of each row is its name, as
//            in R, and the header names the fields behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/csv_value.hpp"
#include "cli/io/input.hpp"
#include "upsweep/types.hpp"

struct csv_options {
  std::string column{};  // a name from the first row, or a number counted from 1; may be empty for a file of one column
  char separator = ',';
  enum class first_row { automatic, header, data } first = first_row::automatic;
  missing_rule na{};
};

// Where a record's field does not hold what is wanted, the error's sentence names the row (the first line is row 1)
// and the column.
class csv_records {
 public:
  // `columns`: those that field() and number() tell of, each as csv_options names one.
  csv_records(input&, const csv_options&, std::vector<std::string> columns);
  // The same, chosen when the fields of the first row are known.
  using choice = std::function<std::vector<std::string>(const std::vector<std::string>& first_row)>;
  csv_records(input&, const csv_options&, const choice& columns);
  csv_records(const csv_records&) = delete;
  csv_records& operator=(const csv_records&) = delete;

  // Reads all records once and begins anew: before the first next(). From then on type() tells what columns hold.
  void find_types();
  const column_type& type(std::size_t column) const { return types_[column]; }
  // "t.csv: column 'id' holds integers (i64), 3 of 10 rows missing", and whether the first row holds names.
  std::string type_words(std::size_t column) const;

  // The next record; false after the last. Blank lines are passed over.
  bool next();
  // What follows is of that record, until the next.
  std::string_view text() const;  // as it stands in the file, without its line end
  std::string_view field(std::size_t column);
  std::string_view raw_field(std::size_t column);  // as it stands in the file, quotes included
  // A field that is to be a row by itself: as it stands, but of a missing one what --na puts in its place, else "".
  std::string_view field_or_rule(std::size_t column);
  // Whether the field has no value: the row ends before it, or it is_missing(); of a column of text only empty ones.
  bool missing(std::size_t column);
  // An error where there is none.
  template <class T>
  void number(std::size_t column, T& value);
  void number(std::size_t column, upsweep::dtype, void* to);
  // The same, or what --na puts in a missing value's place; false where the record is to be left out.
  bool number_or_rule(std::size_t column, upsweep::dtype, void* to);
  bool empty(std::size_t column);
  [[noreturn]] void refuse_missing(std::size_t column);

  // Up to n numbers of a column from the records that come next, on every thread. It stops before a record that it
  // cannot take as it is (a field in quotes, a blank line, what is no number or missing, the last one of the text that
  // has been read): next() and number() take that.
  std::uint64_t numbers(std::size_t column, upsweep::dtype, void* to, std::uint64_t n);

  // The column's name in the first row; empty when that row holds data.
  const std::string& title(std::size_t column) const { return titles_[column]; }
  // What stands before the first record of data, as it stands in the file: the byte order mark of some spreadsheets,
  // and the first row with its line end where it holds names.
  const std::string& preamble() const { return preamble_; }
  const std::vector<std::string>& heads() const { return heads_; }
  std::string_view line_end() const { return line_end_; }
  char separator() const { return options_.separator; }
  std::uint64_t row() const { return row_; }
  const std::string& name() const { return in_.name(); }

 private:
  enum class step { record, end, starved };

  step scan_record();
  bool refill();
  void index();
  std::size_t begin_of(std::size_t record) const;
  std::string_view plain_field(std::size_t record, std::size_t column) const;
  // How many of the next n records take(i, record) takes, called on every thread.
  template <class Take>
  std::uint64_t take_plain(std::uint64_t n, Take take);
  bool gather_plain(std::vector<type_finder>&);
  void choose_columns(const choice&);
  bool begins_with_names(const std::vector<std::string>& names) const;
  void find_row_names();
  std::size_t column_among(const std::string& name) const;
  std::string column_text(std::size_t column) const;
  void demand(std::size_t column) const;
  [[noreturn]] void bad_row(const std::string& what, const std::string& remedy) const;

  input& in_;
  csv_options options_;
  std::string text_;  // what has been read and not been consumed, from at_ on
  std::size_t at_ = 0;
  bool exhausted_ = false;
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
  std::vector<column_type> types_;
  std::string preamble_, line_end_ = "\n";
  bool named_ = false, row_names_ = false;
  std::size_t record_at_ = 0, record_end_ = 0;
  // What take_plain() knows of the text from indexed_at_ on: the ends of fields, and the first field of each record.
  std::vector<std::uint64_t> ends_, firsts_;
  std::size_t indexed_at_ = 0, next_record_ = 0;
  bool indexed_ = false;
  unsigned rest_ = 0, odd_ = 0;          // records to leave to next(), where many had to be
  std::size_t count_ = 0;                // fields of the record
  std::size_t filled_ = 0;               // and up to the last that is not empty
  std::size_t width_ = ~std::size_t{0};  // fields of the table
  std::uint64_t row_ = 0;                // of the record, from 1
};

class csv_reader {
 public:
  // Of the type that is found out, or of `type`.
  csv_reader(input& in, std::optional<upsweep::dtype> type, const csv_options& options);

  // Up to n numbers of the column; fewer only at the end. Text in the column is an error, and so are missing values
  // where --na does not say otherwise.
  std::uint64_t read(void* to, std::uint64_t n);
  const csv_records& records() const { return records_; }
  upsweep::dtype type() const { return type_; }

 private:
  csv_records records_;
  upsweep::dtype type_;
};
