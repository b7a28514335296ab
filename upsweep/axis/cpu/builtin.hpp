// The built-in types and operators on the CPU; reduce.cpp and scan.cpp compile them side by side.
#pragma once

#include "upsweep/axis/by_segments.hpp"
#include "upsweep/axis/cpu/axis.hpp"
#include "upsweep/cpu/fold.hpp"
#include "upsweep/cpu/types.hpp"

namespace upsweep::axis_room {

// Long rows are folded by vectors, as segments are.
inline constexpr std::uint64_t long_row = 64;
inline bool by_vectors(const problem& p) { return p.along.inner == 1 && p.along.length >= long_row && p.n != 0; }

// Elements in memory, through the transform a row at a time; without one they are read where they are.
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

}  // namespace upsweep::axis_room
