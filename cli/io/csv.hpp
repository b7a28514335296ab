// CSV files (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes; rows end with LF, CRLF or CR): whole
// records with a few selected columns, their types, and one column as numbers.
//
// Header: the first row holds names with --header, if it holds the name of a requested column, and if it is written as
// R and pandas write headers (all fields quoted above unquoted numbers; an empty field followed by names above a row
// that begins with text). Otherwise it holds names if its first field, or that of a requested column, is text (not a
// number, not a date and not missing), unless the row holds a field that is not a name: a negative number or a decimal
// above a number, a date above a date, or integers that are not a series. A guess is reported on standard error.
//
// Columns: by name, else by number, counted from 1. Blanks around names are ignored. If several columns have a name,
// the first is used and the others are reported.
//
// Row names: if the first row below a header has one field more than the header and its last field is not empty, the
// first field of each row is its name, as in R, and the header names the following fields. Separators at the ends of
// rows do not make a column.
//
// Encoding: UTF-8, or any other superset of ASCII. UTF-16 and UTF-32 are refused.
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
  bool quotes = true;  // without them a quote is a character like others
  number_form form{};
  std::vector<std::string> numbers{}, texts{};  // columns that hold numbers, or text: lists as --by takes them
};

// If a field has the wrong kind of value, the error names the row (the first line is row 1) and the column.
class csv_records {
 public:
  // `columns`: the columns of field() and number(), each named as in csv_options.
  csv_records(input&, const csv_options&, std::vector<std::string> columns);
  // As above; the columns are chosen when the fields of the first row are known.
  using choice = std::function<std::vector<std::string>(const std::vector<std::string>& first_row)>;
  csv_records(input&, const csv_options&, const choice& columns);
  csv_records(const csv_records&) = delete;
  csv_records& operator=(const csv_records&) = delete;

  // Reads all records once and starts again; call it before the first next(). After it, type() returns the types of
  // columns.
  void find_types();
  const column_type& type(std::size_t column) const { return types_[column]; }
  // "t.csv: column 'id' holds integers (i64), 3 of 10 rows missing", and whether the first row holds names.
  std::string type_words(std::size_t column) const;
  // Reports on standard error a column that is sorted or grouped as text but may be meant as numbers, with the first
  // field that is not a number and the options.
  void tell_text(std::size_t column) const;
  // Reports on standard error that integers lose digits because the column also holds decimals.
  void tell_rounding(std::size_t column) const;
  // Declaration of the column by --number or --text.
  column_type::said asked_for(std::size_t column) const { return asked_[column]; }

  // Reads the next record; false after the last. Skips blank lines.
  bool next();
  // The following functions refer to that record, until the next call.
  std::string_view text() const;  // as in the file, without its line end
  std::string_view field(std::size_t column);
  std::string_view raw_field(std::size_t column);     // as in the file, with quotes
  std::string_view number_field(std::size_t column);  // in plain form, as parse_number takes it
  // A field that becomes a row of its own: as in the file; for a missing field the replacement by --na, else "".
  std::string_view field_or_rule(std::size_t column);
  // Whether the field has no value: the row ends before it, or is_missing() is true; in a column of text only if it is
  // empty.
  bool missing(std::size_t column);
  // Throws if there is none.
  template <class T>
  void number(std::size_t column, T& value);
  void number(std::size_t column, upsweep::dtype, void* to);
  // As above, or the replacement of a missing value by --na; false if the record is to be skipped.
  bool number_or_rule(std::size_t column, upsweep::dtype, void* to);
  // The number as written, in plain form; for a missing number the replacement by --na. False if the record is to be
  // skipped.
  bool written_number(std::size_t column, std::string_view& number);
  bool empty(std::size_t column);
  [[noreturn]] void refuse_missing(std::size_t column);

  // Reads up to n numbers of a column from the next records, on all threads. Stops before a record that needs the slow
  // path (a quoted field, a blank line, a value that is missing or not a number, the last record of the text read so
  // far); next() and number() read it.
  std::uint64_t numbers(std::size_t column, upsweep::dtype, void* to, std::uint64_t n);

  // The column's name in the first row; empty when that row holds data.
  const std::string& title(std::size_t column) const { return titles_[column]; }
  // Bytes before the first record of data: the byte order mark of some spreadsheets, and the first row with its line
  // end if it holds names.
  const std::string& preamble() const { return preamble_; }
  const std::vector<std::string>& heads() const { return heads_; }
  std::string_view line_end() const { return line_end_; }
  char separator() const { return options_.separator; }
  // A name as a field of an output, quoted if needed.
  std::string name_field(const std::string& name) const;
  std::uint64_t row() const { return row_; }
  const std::string& name() const { return in_.name(); }

 private:
  enum class step { record, end, starved };

  step scan_record();
  bool refill();
  void index();
  void find_plain_fields(std::string_view text);
  std::size_t begin_of(std::size_t record) const;
  std::string_view plain_field(std::size_t record, std::size_t column) const;
  // How many of the next n records take(i, record) takes, called on every thread.
  template <class Take>
  std::uint64_t take_plain(std::uint64_t n, Take take);
  column_type as_asked(std::size_t column, column_type found) const;
  bool gather_plain(std::vector<type_finder>&);
  void choose_columns(const choice&);
  struct written {
    std::string text;
    bool quoted = false;
  };
  struct rows_below;
  rows_below look_below();
  bool begins_with_names(const std::vector<std::string>& names, const rows_below&) const;
  // The columns of a list as --by takes them, without minuses.
  std::vector<std::string> names_in(const std::string& list) const;
  void find_row_names();
  std::size_t column_among(const std::string& name) const;
  void tell_repeated(std::size_t place) const;
  void take_asked(const std::vector<std::string>& lists, column_type::said);
  bool has_empty_end(std::size_t record) const;
  std::string column_text(std::size_t column) const;
  void demand(std::size_t column) const;
  [[noreturn]] void bad_row(const std::string& what, const std::string& remedy) const;

  input& in_;
  csv_options options_;
  std::string text_;  // text that was read and not yet consumed, from at_ on
  std::size_t at_ = 0;
  bool exhausted_ = false;
  std::vector<written>* collect_ = nullptr;  // where every field of the next record goes, too
  std::vector<int> wanted_;                  // by the field's place: which column it is, or -1
  struct place {
    std::size_t first = 0, size = 0;
    bool quoted = false;
  };
  std::vector<place> fields_;          // by column: its position in the record
  std::vector<std::string> unquoted_;  // by column: a quoted field without its quotes
  std::vector<std::string> changed_;   // by column: a number in plain form
  std::vector<std::size_t> columns_;   // from 0
  std::vector<std::string> titles_, heads_;
  std::vector<written> first_row_;
  std::vector<column_type> types_;
  std::vector<column_type::said> asked_;
  std::string preamble_, line_end_ = "\n";
  mutable std::vector<std::size_t> told_;  // positions of repeated names that were reported
  bool named_ = false, row_names_ = false;
  std::size_t record_at_ = 0, record_end_ = 0;
  // Index of take_plain() for the text from indexed_at_ on: the ends of fields, and the first field of each record.
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
  // Reads a column as its detected type, or as `type`.
  csv_reader(input& in, std::optional<upsweep::dtype> type, const csv_options& options);

  // Reads up to n numbers of the column; fewer only at the end. Text in the column is an error, and so are missing
  // values unless --na says otherwise.
  std::uint64_t read(void* to, std::uint64_t n);
  csv_records& records() { return records_; }
  const csv_records& records() const { return records_; }
  upsweep::dtype type() const { return type_; }

 private:
  csv_records records_;
  upsweep::dtype type_;
};
