// `upsweep select`: the elements, or the rows of a CSV file, that meet a condition.
#pragma once

#include <functional>
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

// All return the number selected.
std::uint64_t select_elements(const select_options&, std::unique_ptr<input>);
// Of what `source` reads, its first element being number `first`, to wherever `write` takes it.
std::uint64_t select_elements(const select_options&, element_source& source, std::uint64_t first,
                              const std::function<void(const void*, std::uint64_t)>& write);
// By the ranks of a communicator.
struct command_group;
std::uint64_t select_by(const command_group&, const select_options&);
std::uint64_t select_rows(const select_options&, std::unique_ptr<input>);
