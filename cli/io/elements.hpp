// Elements from and to files: .npy, one column of a .csv, or raw, as a sequence of one built-in type.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/io/csv.hpp"
#include "cli/io/input.hpp"
#include "upsweep/types.hpp"

enum class file_format { npy, csv, raw };
file_format format_named(const std::string&);
std::optional<file_format> format_of_extension(const std::string& path);
std::string extension_of(const std::string& path);  // in lower case, without the dot; of x.csv.gz that is csv

struct source_options {
  std::string path{};    // "-" is standard input
  std::string format{};  // "npy", "csv", "raw"; empty: by what the file begins with, and by its extension
  std::string type{};    // of raw and CSV elements: "f64", "<i4"; for .npy it must be what the header says, if set
  std::string as{};      // convert to this type, which must keep every value; empty: as they are
  std::string column{};  // CSV, as in csv_options
  std::string separator{};
  bool header = false, no_header = false;
  std::string na{};      // CSV: what missing values come to, as missing_rule_of() takes it
  bool verbose = false;  // CSV: tell on standard error what a column's type is
  bool typed = false;    // CSV without --dtype and --as: find the column's type out; else it is read as f64
  bool narrow = false;   // elements narrower than what folds (i8, u8, i16, u16, f16, bool) are taken as they are
};

class element_source {
 public:
  virtual ~element_source() = default;
  // Up to n elements; fewer only at the end.
  virtual std::uint64_t read(void* to, std::uint64_t n) = 0;
  // Throws where more follows than the format promised.
  virtual void expect_end() {}
  // Before any read: n elements from `first` on are all that is read. Throws where they have no place known beforehand.
  virtual void take_slice(std::uint64_t first, std::uint64_t n);

  file_format format = file_format::raw;
  upsweep::dtype type = upsweep::dtype::f64;
  std::optional<std::uint64_t> count;   // where it is known before reading
  bool truth = false;                   // u8 elements that are bool in the file
  std::vector<std::uint64_t> shape{0};  // of a .npy file
  std::string name;                     // of the file, for messages
  std::string title;                    // of the CSV column, if it has one
  char separator = ',';
  std::optional<column_type> found;  // of a CSV column whose type was found out
  // The file's device and inode, so that it is not written while it is read.
  std::uint64_t device_number = 0, inode = 0;
};

std::unique_ptr<element_source> open_source(const source_options&);
std::unique_ptr<element_source> open_source(std::unique_ptr<input>, const source_options&);

// What the options and the first bytes say of a file, and what they say of a CSV file.
file_format find_format(const source_options&, input&);
csv_options csv_options_of(const source_options&);
upsweep::dtype csv_type_of(const source_options&, const std::string& name);
// What --dtype and --as say of a column's type; nothing where it is to be found out.
std::optional<upsweep::dtype> csv_type_asked_for(const source_options&, const std::string& name);
// With --verbose: what was found out about a column.
void tell_type(const source_options&, const csv_records&, std::size_t column);

// What is written, where it is not what was read.
struct output_form {
  upsweep::dtype type = upsweep::dtype::f64;
  std::optional<std::uint64_t> count{};  // where it is known before writing
  bool truth = false;
  std::string title{};
};

class element_sink {
 public:
  virtual ~element_sink() = default;
  virtual void write(const void* from, std::uint64_t n) = 0;
  virtual void commit() = 0;  // until then there is no output file
};

// `format` may be empty: by the extension of `path`, else the source's own.
std::unique_ptr<element_sink> open_sink(const std::string& path, const std::string& format, const element_source&);
std::unique_ptr<element_sink> open_sink(const std::string& path, const std::string& format, const element_source&,
                                        const output_form&);

// A CSV file of several columns.
struct csv_column {
  std::string title;
  upsweep::dtype type;
};
class csv_table_sink {
 public:
  csv_table_sink(const std::string& path, std::vector<csv_column>, char separator = ',');
  ~csv_table_sink();
  // The next n rows; the columns' elements lie one after the other.
  void write(const std::vector<const void*>& columns, std::uint64_t n);
  void commit();

 private:
  struct writer;
  std::unique_ptr<writer> writer_;
};
// The format that open_sink would choose.
file_format format_of_output(const std::string& path, const std::string& format, file_format of_input);
// Standard output may not be the file that is being read.
void refuse_own_input(const std::string& path, const std::string& name, std::uint64_t device_number,
                      std::uint64_t inode);
// A field as CSV wants it, in quotes where it must be.
std::string csv_field(const std::string& text, char separator);
