// Sums of f64 in plain arithmetic as long as they stay in range, and in their carrier (operators/wide_accumulators.hpp)
// otherwise.
//
// A carrier costs a check and a branch per addition, and a third word per value. Plain sums need neither: if a sum is
// infinite or NaN, every sum that contains it is, too. So one test of the last value of a chain of sums, or of the root
// of a tree of sums, shows whether all of them were finite. If so, the carrier would give the same bits. If not, the
// warp folds or scans the same elements again in the carrier.
//
// Values that threads exchange are stored in plain form. The carrier form is stored in addition only if the plain form
// is not finite: an infinity or a NaN means that the carrier form was written.
#pragma once

#include "upsweep/cuda/tile_state.cuh"

namespace upsweep::cuda {

template <class W>
struct plain_type {
  using type = W;
};
template <>
struct plain_type<core::scaled_sum> {
  using type = double;
};

// The type of values of the carrier W while they are in range; W itself if there is no such type.
template <class W>
using plain = typename plain_type<W>::type;

template <class W>
inline constexpr bool checks_range = !std::is_same_v<plain<W>, W>;

// Whether x is neither infinite nor NaN. It tests the bits, because comparisons of f64 are slow on many GPUs.
__device__ inline bool stays_in_range(double x) {
  constexpr std::uint32_t exponent = 0x7ff00000;
  return (words_of<double>::split(x).word[1] & exponent) != exponent;
}

// Whether a value of any lane is out of range. The whole warp calls it.
__device__ inline bool any_out_of_range(double x) { return __any_sync(whole_warp, !stays_in_range(x)); }
// Whether the value of one lane is out of range. The whole warp calls it.
__device__ inline bool is_out_of_range(double x, bool of_this_lane) {
  return __any_sync(whole_warp, of_this_lane && !stays_in_range(x));
}

__device__ inline double plain_form(core::scaled_sum x) {
  return x.far ? __longlong_as_double(0x7ff8000000000000) : x.m;
}

// The value in the carrier, from both of its forms. The second is read only if the first is not finite.
template <class W>
__device__ W in_carrier(const plain<W>& p, const W& wide) {
  return stays_in_range(p) ? W(p) : wide;
}

// A compact warp_inclusive_scan: the code for carriers rarely runs, and should need little space.
template <class W, class Op>
__device__ W carried_warp_scan(W x, int lane, const Op& op) {
#pragma unroll 1
  for (int d = 1; d < warp_size; d *= 2) {
    const W left = shuffle_up(x, d);
    if (lane >= d) x = op(left, x);
  }
  return x;
}

// The number of 32-bit words of a tile's aggregate in both of its forms.
template <class W>
inline constexpr int words_a_tile = words_of<plain<W>>::count + (checks_range<W> ? words_of<W>::count : 0);

// The number of bytes of a value in shared memory, in both of its forms.
template <class W>
inline constexpr int bytes_a_value = sizeof(plain<W>) + (checks_range<W> ? sizeof(W) : 0);

// The aggregates of tiles in the carrier. The plain forms of all tiles come first in memory.
template <class W>
struct carried_aggregates {
  tagged_words aggregates;
  std::uint64_t tiles;

  __device__ tagged_words wide_words() const {
    return {aggregates.words + tiles * words_of<plain<W>>::count, aggregates.capacity};
  }
  __device__ void store(std::uint64_t tile, std::uint32_t epoch, const W& value) const {
    const plain<W> p = plain_form(value);
    aggregates.store(tile, epoch, p);
    if (!stays_in_range(p)) wide_words().store(tile, epoch, value);
  }
  // A reader that sees the plain form may still have to wait for the carrier form.
  __device__ bool try_load(std::uint64_t tile, std::uint32_t epoch, W& value) const {
    plain<W> p;
    if (!aggregates.try_load(tile, epoch, p)) return false;
    if (!stays_in_range(p)) return wide_words().try_load(tile, epoch, value);
    value = W(p);
    return true;
  }
};

// Called by the first warp. From the totals of `Warps` warps it computes the prefix of each warp within the tile, and
// publishes the aggregate of the tile. `totals` and `prefixes` are plain forms; the carrier forms are in arrays of
// their own. Both may be the same array.
template <int Warps, class W, class Op>
__device__ void publish_carried(const plain<W>* totals, const W* carried_totals, plain<W>* prefixes,
                                W* carried_prefixes, const carried_aggregates<W>& aggregates, std::uint64_t tile,
                                std::uint32_t epoch, int lane, const Op& op) {
  const W nothing = identity_of<W>(op);
  const W scanned =
      carried_warp_scan(lane < Warps ? in_carrier(totals[lane], carried_totals[lane]) : nothing, lane, op);
  const W up = shuffle_up(scanned, 1), before_warp = lane == 0 ? nothing : up;
  if (lane == warp_size - 1) aggregates.store(tile, epoch, scanned);
  if (lane < Warps) {
    prefixes[lane] = plain_form(before_warp);
    carried_prefixes[lane] = before_warp;
  }
}

}  // namespace upsweep::cuda
