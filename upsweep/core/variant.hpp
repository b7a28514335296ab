// A variant: one way to solve the problems of one room, by name. Adding one is a file with the algorithm and an entry
// in its room's list.
#pragma once

#include <span>

#include "upsweep/core/problem.hpp"

namespace upsweep {

// A count as a function of the number of elements, and as the text people read ("2(n - 1)").
struct formula {
  const char* text = "";
  double (*value)(double n) = nullptr;
};

enum class rung : std::uint8_t { textbook, library };

template <class P>
struct variant_of {
  std::string_view name;  // "scan/blelloch-padded"
  backend where = backend::cpu;
  decltype(P::what) what{};
  rung kind = rung::textbook;
  int year = 0;
  std::string_view source;   // "harris2007", or "upsweep" for our own
  std::string_view teaches;  // one sentence: what it is and what it shows

  formula work;      // operator applications
  formula span;      // the longest chain of dependent applications; it also bounds the float error in units of eps·Σ|x|
  formula launches;  // kernels, or parallel phases on the CPU
  formula traffic;   // elements read and written in device memory

  // What it can take; `limits` says in words what is left out, and why.
  std::uint64_t max_n = ~std::uint64_t{0};
  bool inclusive = true, exclusive = true;  // scans
  bool transforms = true;                   // takes any transform but identity
  bool needs_commutative = false;
  bool (*takes)(op_kind, dtype) = accepts;  // what applies no operator is asked about plus
  // What it cannot take of a problem ("values of 8 bytes", "more than 256 bins"), or null; unset: it takes all.
  const char* (*cannot)(const P&) = nullptr;
  // What a device lacks for it ("64-bit atomics"), or null; unset: nothing that any device of its backend could lack.
  const char* (*device_lacks)(const device&) = nullptr;
  std::string_view limits;

  // Enqueues the work (CPU: done on return). `p` has been checked against all of the above.
  void (*run)(device&, const P& p) = nullptr;
};

// A room's own variants, backend by backend: the fastest stands last in its list, and is tried first.
template <class P>
using lists_of = std::span<const std::span<const variant_of<P>>>;

}  // namespace upsweep
