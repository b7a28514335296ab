// Predicates of an element's index, and the operations on selected elements; for the host and CUDA devices.
#pragma once

#include "upsweep/core/element_reader.hpp"
#include "upsweep/core/user_call.hpp"

namespace upsweep::detail::compact_impl {

using namespace core;

// x[i] passes the test, or, negated, does not.
template <class X, class Test>
struct passes {
  X x;
  Test test;
  bool negated;
  UPSWEEP_HD bool operator()(std::uint64_t i) const { return static_cast<bool>(core::call(test, x[i])) != negated; }
};

// x[i] begins a run of equal elements.
template <class X, class Equal>
struct begins_run {
  X x;
  Equal equal;
  UPSWEEP_HD bool operator()(std::uint64_t i) const {
    return i == 0 || !static_cast<bool>(core::call(equal, x[i - 1], x[i]));
  }
};

struct nothing {
  UPSWEEP_HD void operator()(std::uint64_t, std::uint64_t) const {}
};

template <class X, class T>
struct copies {
  X from;
  T* to;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const { to[place] = from[i]; }
};

template <class X, class V, class T, class W>
struct copies_pair {
  X from;
  V values;
  T* to;
  W* values_to;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const {
    to[place] = from[i];
    values_to[place] = values[i];
  }
};

struct notes_place {
  std::uint64_t* to;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const { to[place] = i; }
};

}  // namespace upsweep::detail::compact_impl
