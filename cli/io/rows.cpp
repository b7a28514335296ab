#include "cli/io/rows.hpp"

#include <sys/stat.h>

using namespace upsweep;

void require_rows(const source_options& o, input& in, const std::string& option) {
  if (find_format(o, in) != file_format::csv)
    throw error(fault::bad_argument, in.name(), option + " applies to the rows of a CSV file, and this is not CSV",
                "leave it out, or give --format csv");
}

namespace {

const std::string& checked(const output_options& o, const input& in) {
  if (format_of_output(o.path, o.format, file_format::csv) != file_format::csv)
    throw error(fault::bad_argument, o.path == "-" ? "standard output" : o.path,
                "whole rows are text and can only be written as CSV",
                "give --output-format csv, or choose one --column");
  struct stat there{};
  if (fstat(in.descriptor(), &there) == 0 && S_ISREG(there.st_mode))
    refuse_own_input(o.path, in.name(), there.st_dev, there.st_ino);
  return o.path;
}

}  // namespace

row_sink::row_sink(const output_options& o, const input& in, const csv_records& records,
                   std::optional<std::size_t> column)
    : file_(checked(o, in)), line_end_(records.line_end()) {
  if (!column)
    text_ = records.preamble();
  else if (!records.title(*column).empty())
    write(records.name_field(records.title(*column)));
}

void row_sink::flush() {
  file_.write(text_);
  text_.clear();
}

void row_sink::commit() {
  flush();
  file_.commit();
}
