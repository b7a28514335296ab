// Random sequences of calls on a communicator, compared with one device. Ranks, numbers of elements, blocks, keys and
// calls are random; each call continues with the results of the previous one. Case k of a seed is always the same, so
// that a failure can be repeated.
#pragma once

#include <functional>

#include "upsweep/communicator/conformance/communicator_cases.hpp"

namespace upsweep::communicator_conformance {

struct drawn_calls {
  std::uint64_t cases = 0, calls = 0;
  std::vector<std::string> wrong;  // "case K: …", the first few
  std::uint64_t failed = 0;        // cases
};

struct drawing {
  std::uint64_t seed = 1, first = 0, count = ~std::uint64_t{0};  // cases [first, first + count)
  double seconds = 0;                                            // no case is begun after; 0: all of them
  std::uint64_t max_n = 1 << 14;
  std::function<void(std::uint64_t done)> progress = {};
};

// `groups`: of one to so many ranks; a case is drawn for one of them. Of processes all draw the same, and there is one
// communicator, of all. Operators of a caller's own are drawn where all ranks are CPUs.
drawn_calls check_calls(std::span<const communicator> groups, const drawing&);

}  // namespace upsweep::communicator_conformance
