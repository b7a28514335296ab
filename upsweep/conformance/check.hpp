// Checks that a variant fulfils its contract: every type, operator, transform and form that it supports, at sizes
// around every boundary, on fresh random input, compared with the reference results. Outputs are poisoned first. The
// memory around them and the inputs must not change, and float results must repeat bit for bit. `upsweep check` and the
// tests both call this.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "upsweep/core/catalog.hpp"

namespace upsweep {

struct check_options {
  std::uint64_t max_n = (std::uint64_t{1} << 24) + 4099;
  std::uint64_t seed = 1;
  bool quick = false;             // a sample: seconds even where every kernel must be compiled first
  bool huge = false;              // past 2^32 elements as well, where the device has the memory (minutes)
  std::vector<dtype> types = {};  // forms of these element types alone; empty: of all
  // Called after each case with how many of how many are done, if set.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

struct check_failure {
  std::string what;   // "u32 compose_affine square inclusive in place, n = 1025, seed 1"
  std::string wrong;  // the difference from the reference result, memory written outside the output, or the error
};

struct left_out {
  std::string what, why;  // a case past 2^32 elements, and the sentence
};

struct check_report {
  std::uint64_t cases = 0;
  std::uint64_t huge_cases = 0;  // of them those past 2^32 elements
  std::vector<upsweep::left_out> left_out;
  std::vector<check_failure> failures;  // the first few
  std::uint64_t failed = 0;             // all of them
  bool ok() const { return cases > 0 && failed == 0; }
};

// Runs `v` itself, whatever the device's choice would be. A variant of another backend than the device's has no cases.
check_report check_variant(device& d, const variant& v, const check_options& options = {});

// A problem in words, without its size: "f32 plus, square, exclusive scan from an initial value".
std::string describe(const problem& p);

}  // namespace upsweep
