// Reads and writes whole rows of a CSV file unchanged, including the header and line ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/io/csv.hpp"
#include "cli/io/elements.hpp"
#include "cli/io/input.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/options.hpp"

// Throws if the file is not CSV.
void require_rows(const source_options&, input&, const std::string& option);

class row_sink {
 public:
  // Writes the header immediately if there is one; only that of one column if rows are its fields.
  row_sink(const output_options&, const input&, const csv_records&, std::optional<std::size_t> column = {});
  void write(std::string_view row) {
    text_.append(row);
    text_.append(line_end_);
    if (text_.size() > (1 << 20)) flush();
  }
  void commit();

 private:
  void flush();
  whole_file file_;
  std::string line_end_, text_;
};
