// Tables that the sources published, as data: the measurements, the machine, and the variant here that is the same
// algorithm.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "upsweep/core/catalog.hpp"

namespace upsweep {

struct published_row {
  std::string_view label = {};    // as the source calls it
  std::string_view variant = {};  // the same algorithm here
  std::uint64_t n = 0;
  double cpu_seconds = 0;  // 0: not published
  double gpu_seconds = 0;
  double rate = 0;  // in the table's rate_unit, as published
};

struct published_table {
  std::string_view name = {};  // "kaust-reduction"
  std::string_view title = {};
  std::string_view source = {};
  std::string_view machine = {};  // theirs
  std::string_view method = {};   // how they timed
  primitive what;
  dtype type = dtype::i32;
  void (*form)(problem&) = nullptr;  // sets further members of the descriptor
  bool steps = false;                // each row improves on the one before: speed-ups step by step
  bool host_clock = false;           // theirs counted launch and synchronization
  double time_unit = 1e-3;           // of the source: milliseconds or microseconds
  std::string_view time_unit_name = "ms";
  std::string_view rate_unit = {};    // "GB/s", "Gelem/s" or empty
  std::string_view cpu_variant = {};  // corresponds to the source's CPU column; empty: it has none
  std::span<const published_row> rows = {};
};

}  // namespace upsweep
