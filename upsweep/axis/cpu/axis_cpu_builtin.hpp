// The built-in types and operators on the CPU; axis_cpu_reduce.cpp and axis_cpu_scan.cpp compile them in parallel.
#pragma once

#include "upsweep/axis/axis_by_segments.hpp"
#include "upsweep/axis/cpu/axis_cpu.hpp"
#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/cpu/fold.hpp"

namespace upsweep::detail::axis_impl {

// Long rows are folded by vectors, as segments are.
inline constexpr std::uint64_t long_row = 64;
inline bool by_vectors(const problem& p) { return p.along.inner == 1 && p.along.length >= long_row && p.n != 0; }

// Applies the transform to elements in memory, a row at a time; without a transform they are read in place.
template <class T>
class transformed_elements {
 public:
  explicit transformed_elements(const problem& p) : in_(p.in.as<const T>()) {
    if (p.transform != transform_kind::identity || cpu::is_logical(p.op))
      prepare_ = cpu::find_prepare(p.type, p.transform, p.op);
  }

  struct tile {
    alignas(64) T elements[cpu::width_bytes / sizeof(T)];
  };
  static_assert(long_row * sizeof(T) <= sizeof(tile));
  const T* row(std::uint64_t first, std::uint64_t count, tile& to) const {
    if (!prepare_) return in_ + first;
    prepare_(in_ + first, count, to.elements);
    return to.elements;
  }

 private:
  const T* in_;
  cpu::prepare_kernel prepare_ = nullptr;
};

void reduce_on_cpu(device&, const problem&);
void scan_on_cpu(device&, const problem&);

}  // namespace upsweep::detail::axis_impl
