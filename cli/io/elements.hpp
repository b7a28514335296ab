// Reads and writes elements: .npy, one column of a .csv, or raw, as a sequence of one built-in type.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  std::string na{};                             // CSV: what missing values come to, as missing_rule_of() takes it
  std::vector<std::string> numbers{}, texts{};  // CSV: columns of numbers, of text; lists as --by takes them
  std::string thousands{}, decimal{};           // CSV: as number_form
  bool no_quotes = false;                       // CSV: a quote is a character like others
  // The elements' order does not matter, so that an array in Fortran order is read as it is: of all types, of integers.
  bool any_order = false, any_order_of_integers = false;
  bool verbose = false;  // CSV: report a column's type on standard error
  bool typed = false;    // CSV without --dtype and --as: find the column's type out; else it is read as f64
  bool narrow = false;   // elements narrower than what folds (i8, u8, i16, u16, f16, bool) are taken as they are
};

class element_source {
 public:
  virtual ~element_source() = default;
  // Reads up to n elements; fewer only at the end.
  virtual std::uint64_t read(void* to, std::uint64_t n) = 0;
  // Throws if more data follows than the format promised.
  virtual void expect_end() {}
  // Limits the source to n elements from `first` on; call it before any read. Throws if their positions are not known
  // in advance.
  virtual void take_slice(std::uint64_t first, std::uint64_t n);
  // The records of a CSV column, which is their column 0, and their file. A caller that reads records before the first
  // read() reads no elements. Null for other formats.
  virtual csv_records* records() { return nullptr; }
  virtual const input* file() const { return nullptr; }
  // Whether the elements are numbers of a CSV column that f64 cannot represent, so that comparisons need the text.
  bool rounds() const { return found && found->what == column_type::kind::decimals && !found->exact; }

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

// The format of a file by its options and first bytes, and the options of a CSV file.
file_format find_format(const source_options&, input&);
csv_options csv_options_of(const source_options&);
upsweep::dtype csv_type_of(const source_options&, const std::string& name);
// The type of a column by --dtype and --as; std::nullopt if it is to be detected.
std::optional<upsweep::dtype> csv_type_asked_for(const source_options&, const std::string& name);
// With --verbose: reports the type found for a column.
void tell_type(const source_options&, const csv_records&, std::size_t column);

// The format of the output if it differs from that of the input.
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

// One column of texts as a CSV file, under the source's title.
class text_sink {
 public:
  text_sink(const std::string& path, const element_source&);
  ~text_sink();
  void write(std::string_view field);
  void commit();

 private:
  struct writer;
  std::unique_ptr<writer> writer_;
};

// A CSV file of several columns.
struct csv_column {
  std::string title;
  upsweep::dtype type;
};
class csv_table_sink {
 public:
  csv_table_sink(const std::string& path, std::vector<csv_column>, char separator = ',');
  ~csv_table_sink();
  // The next n rows; the elements of each column are contiguous.
  void write(const std::vector<const void*>& columns, std::uint64_t n);
  void commit();

 private:
  struct writer;
  std::unique_ptr<writer> writer_;
};
// The format that open_sink would choose.
file_format format_of_output(const std::string& path, const std::string& format, file_format of_input);
// Throws if standard output is the file that is read.
void refuse_own_input(const std::string& path, const std::string& name, std::uint64_t device_number,
                      std::uint64_t inode);
// A field of CSV, quoted if needed.
std::string csv_field(const std::string& text, char separator);
