// Filters: the typed description of a call, and the variants that it chooses from.
#pragma once

#include <algorithm>
#include <cmath>

#include "upsweep/core/dispatch.hpp"
#include "upsweep/filters.hpp"

namespace upsweep::detail::filters_impl {

enum class primitive : std::uint8_t {
  median,
  bilateral,
  recursive_gaussian,
  non_maximum_suppression,
  hysteresis_threshold,
  resize
};

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"median",     "bilateral",    "recursive-gaussian",
                                     "thin-edges", "linked-edges", "resize"};
  return names[static_cast<int>(p)];
}

// Pictures of f32: `size` pixels of `channels` interleaved elements, rows `pitch` elements apart, those of `out`
// out_pitch, 0 without gaps. n is size.x · size.y · channels. filters.hpp says what is computed.
//   median              radius, edge
//   bilateral           space and range, edge
//   recursive-gaussian  space, edge
//   thin-edges          across is `in`, down is in2; one channel, no gaps
//   linked-edges        low and high; one channel, no gaps
//   resize              out has the size `to`; `how` is the method
// signal: one axis, a height of 1; the border continues it only to the left and right. For the first three.
// No output may overlap an input.
struct problem : problem_head {
  problem() { type = dtype::f32; }
  primitive what = primitive::median;
  memory in, in2, out;
  extent size, to;
  std::uint32_t channels = 1, radius = 0;
  std::uint64_t pitch = 0, out_pitch = 0;
  float space = 0, range = 0, low = 0, high = 0;
  border edge = border::mirror;
  bool signal = false;
  resampling how = resampling::nearest;
};

inline extent out_size(const problem& p) { return p.what == primitive::resize ? p.to : p.size; }
inline std::uint64_t in_pitch(const problem& p) { return p.pitch ? p.pitch : p.size.x * p.channels; }
inline std::uint64_t out_pitch(const problem& p) { return p.out_pitch ? p.out_pitch : out_size(p).x * p.channels; }
// Pixels that a bilateral filter's disc reaches.
inline std::uint32_t disc_of(const problem& p) {
  return static_cast<std::uint32_t>((std::max)(1.0f, std::ceil(2.5f * p.space)));
}

// A signal's windows have one row. Where a filter's window is square, the rows above and below repeat the signal: each
// element then counts as often as any other.
inline border edge_down(const problem& p) { return p.signal ? border::clamp : p.edge; }
inline std::uint32_t disc_down(const problem& p) { return p.signal ? 0 : disc_of(p); }

inline bool rounds(const problem& p) {
  return p.what != primitive::median && p.what != primitive::hysteresis_threshold;
}

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();
std::span<const variant> opencl();

// The reason why no variant can run a problem, or null; and, for algorithms whose work for a pixel grows with the
// window, why none on a device can.
const char* unsupported_by_algorithm(const problem&);
const char* not_on_devices(const problem&);
inline constexpr std::uint32_t most_device_median_radius = 32;
inline constexpr std::uint32_t most_forgotten_radius = 3;
inline bool is_forgotten(const problem& p) { return p.radius >= 1 && p.radius <= most_forgotten_radius; }

// An entry with the data that the same algorithm's entries share on all backends.
variant entry_for(primitive, std::string_view name, backend, std::string_view teaches,
                  void (*run)(device&, const problem&));
// The entry of a median that drops extremes, and of edges joined by union-find.
variant forgetting(variant);
variant by_union_find(variant);

}  // namespace upsweep::detail::filters_impl
