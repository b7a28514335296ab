// A table of text on standard output, its columns as wide as they need to be.
#pragma once

#include <string>
#include <vector>

class table {
 public:
  explicit table(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print() const;  // the last column is left ragged

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "11.6 GiB", "512 B".
std::string bytes_text(double bytes);
