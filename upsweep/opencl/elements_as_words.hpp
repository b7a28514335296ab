// Options for opencl/elements_as_words.cl and opencl/work_group_sums.cl, and the partition of work into groups for
// algorithms that move and count.
#pragma once

#include <algorithm>
#include <string>

#include "upsweep/core/problem_base.hpp"
#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::opencl {

inline constexpr std::uint64_t lanes = 256;  // items a work-group, in all of these kernels

inline std::string word_options(std::size_t bytes, key_order order) {
  return "-D LANES=" + std::to_string(lanes) + " -D WORD_BITS=" + std::to_string(8 * bytes) +
         " -D ORDER=" + std::to_string(static_cast<int>(order));
}
inline std::string word_options(dtype type) { return word_options(size_of(type), order_of(type)); }

// The OpenCL C name of the unsigned type of that width.
inline const char* word_name(std::uint64_t bytes) {
  constexpr const char* names[]{"", "uchar", "ushort", "", "uint", "", "", "", "ulong"};
  return names[bytes];
}

inline const char* lacks_lanes(const upsweep::device& d) {
  return of(d).max_group_size() < lanes ? "work-groups of 256 items" : nullptr;
}
inline const char* lacks_warps(const upsweep::device& d) {
  return of(d).speaks_ptx() ? nullptr : "NVIDIA's warps, or a driver that takes PTX";
}
// For calls that no variant's `lacks` has checked.
inline void require_lanes(const upsweep::device& d, const char* call) {
  if (const char* what = lacks_lanes(d))
    throw error(fault::unsupported, call, d.name() + " lacks " + what, "use another context");
}
inline const char* lacks_doubles(const upsweep::device& d) {
  if (const char* what = lacks_lanes(d)) return what;
  return d.supports(dtype::f64) ? nullptr : "f64";
}

// A partition of tiles into contiguous runs, one for each group; at least one group.
struct dealt {
  std::uint64_t groups = 1, tiles_each = 1;
  dealt(const device& d, std::uint64_t n, std::uint64_t tile, int groups_per_unit) {
    const std::uint64_t tiles = std::max<std::uint64_t>((n + tile - 1) / tile, 1);
    const std::uint64_t most =
        static_cast<std::uint64_t>((std::max)(d.compute_units(), 1)) * static_cast<std::uint64_t>(groups_per_unit);
    tiles_each = (tiles + most - 1) / most;
    groups = (tiles + tiles_each - 1) / tiles_each;
  }
};

constexpr std::uint64_t groups_for(std::uint64_t items) { return (items + lanes - 1) / lanes; }

}  // namespace upsweep::opencl
