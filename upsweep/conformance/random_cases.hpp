// Random cases of the check: primitive, variant, type, operator, form, size, input, alignment, in-place operands,
// device and the number of concurrent threads are chosen at random, for as long as wanted. Case k of a seed is always
// the same, on any number of threads, so a failure can be repeated.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/conformance/check.hpp"
#include "upsweep/context.hpp"

namespace upsweep {

struct drawn_options {
  std::uint64_t seed = 1;
  std::uint64_t first = 0, count = ~std::uint64_t{0};  // cases [first, first + count)
  double seconds = 0;                                  // no case is begun after; 0: all of them
  std::uint64_t max_n = std::uint64_t{1} << 20;
  unsigned threads = 1;           // that draw and run cases at once, each through a context of its own
  std::vector<dtype> types = {};  // forms of these element types alone; empty: of all
  // From any thread, one at a time: how many cases are done.
  std::function<void(std::uint64_t done)> progress = {};
};

struct drawn_failure {
  std::uint64_t number;  // of the case
  std::string variant, device, what, wrong;
};

struct drawn_report {
  std::uint64_t cases = 0, failed = 0;
  std::vector<drawn_failure> failures;                         // the first few
  std::vector<std::pair<std::string_view, std::uint64_t>> of;  // how many cases of each primitive
  std::array<std::uint64_t, 65> of_bits{};                     // how many of sizes [2^(k-1), 2^k), and of none
};

// `work`: variants, and the names of devices to run them on.
drawn_report check_drawn(std::span<const std::pair<std::string, const variant*>> work, const drawn_options&);

}  // namespace upsweep
