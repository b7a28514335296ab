// `upsweep select`: the elements, or the rows of a CSV file, that meet a condition.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "cli/select/condition.hpp"

struct select_options {
  source_options source;
  device_options where;
  output_options output;
  std::string condition, flags;
  bool rows = false, indices = false, count = false;
  std::uint64_t chunk = std::uint64_t{1} << 22;
};

// Both return how many were kept.
std::uint64_t select_elements(const select_options&, std::unique_ptr<input>);
std::uint64_t select_rows(const select_options&, std::unique_ptr<input>);
