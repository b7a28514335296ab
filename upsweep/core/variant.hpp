// A variant: one named implementation of the primitives of an algorithm. A new variant needs a file with its code and
// an entry in the algorithm's list.
#pragma once

#include <span>

#include "upsweep/core/problem_base.hpp"

namespace upsweep {

// A count as a function of the number of elements, and as readable text ("2(n - 1)").
struct formula {
  const char* text = "";
  double (*value)(double n) = nullptr;
};

enum class variant_kind : std::uint8_t { textbook, tuned };

template <class P>
struct variant_of {
  std::string_view name;  // "scan/blelloch-padded"
  backend where = backend::cpu;
  decltype(P::what) what{};
  variant_kind kind = variant_kind::textbook;
  int year = 0;
  std::string_view source;   // "harris2007", or "upsweep" if this project designed it
  std::string_view teaches;  // one sentence that describes the variant and its lesson

  formula work;      // operator applications
  formula span;      // the longest chain of dependent applications; it also bounds the float error in units of eps·Σ|x|
  formula launches;  // kernels, or parallel phases on the CPU
  formula traffic;   // elements read and written in device memory

  // Supported problems; `limits` describes in words what is not supported, and why.
  std::uint64_t max_n = ~std::uint64_t{0};
  bool inclusive = true, exclusive = true;  // scans
  bool transforms = true;                   // supports transforms other than identity
  bool needs_commutative = false;
  bool (*takes)(op_kind, dtype) = accepts;  // primitives without an operator pass plus
  // The property of a problem that is not supported ("values of 8 bytes", "more than 256 bins"), or null. Unset: all
  // problems are supported.
  const char* (*cannot)(const P&) = nullptr;
  // The feature that the variant needs and the device lacks ("64-bit atomics"), or null. Unset: every device of the
  // backend has all features.
  const char* (*device_lacks)(const device&) = nullptr;
  std::string_view limits;

  // Enqueues the work (CPU: done on return). The caller has checked `p` against all of the above.
  void (*run)(device&, const P& p) = nullptr;
};

// The variants of an algorithm, one list for each backend. The fastest is last in its list and is tried first.
template <class P>
using lists_of = std::span<const std::span<const variant_of<P>>>;

}  // namespace upsweep
