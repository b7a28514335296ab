// The CUDA scan: one launch at every size, every element read once and written once.
//
//   cuda/scan_one_block.cuh   a short input: one block processes all of it
//   cuda/scan_one_tile.cuh    middle sizes: each block takes one tile, all of them at once
//   cuda/scan_rows_tile.cuh   middle sizes with larger tiles
//   cuda/scan_look_ahead.cuh  large inputs: a ring of tiles in shared memory, and a warp that looks ahead
//   cuda/scan_aggregates.cuh  shared by the kernels with tiles: a tile publishes only its aggregate, never a prefix
//   cuda/scan_f64.cuh       sums of f64: in plain arithmetic where that stays in range
//
// Elements that are too large for these are scanned in global memory (cuda/large_elements.cuh).
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/scan/scan_cuda.cuh is CUDA; include it from a .cu file, or include upsweep/scan.hpp"
#endif

#include "upsweep/cuda/large_elements.cuh"
#include "upsweep/scan/cuda/scan_look_ahead.cuh"
#include "upsweep/scan/cuda/scan_one_block.cuh"
#include "upsweep/scan/cuda/scan_one_tile.cuh"
#include "upsweep/scan/cuda/scan_rows_tile.cuh"

namespace upsweep::cuda {

#if !defined(__CUDACC_RTC__)  // host code

// Sums of built-in types have all kernels. Other operators omit the kernels that only save a few microseconds at some
// sizes.
template <class T, class Op>
inline constexpr bool every_size_tuned = folding_type<T> && std::is_same_v<Op, plus>;

// Sums of counts that are an intermediate step of another algorithm: also without these kernels.
struct plus_in_passing : plus {
  static constexpr bool seldom_asked_for = true;
};

template <class T, class Op, class F>
void scan_sized(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, std::type_identity_t<initial<T>> init,
                Op op, F f) {
  using tuning = scan_tuning<sizeof(T)>;
  const std::uint64_t bytes = n * sizeof(T);
  if (bytes <= tuning::one_block_bytes) return one_block(d, in, n, out, inclusive, init, op, f);
  if constexpr (tuning::per_piece > 1) {
    if constexpr (every_size_tuned<T, Op> && !tuning::small_by_rows)
      if (bytes <= tuning::small_tile_bytes &&
          one_tile_a_block<tuning::tile_threads, tuning::small_tile_items>(d, in, n, out, inclusive, init, op, f))
        return;
    if constexpr (!seldom_asked_for<Op>)
      if (bytes <= tuning::rows_bytes && tile_of_rows_a_block<tuning::row_threads, tuning::rows, tuning::row_blocks>(
                                             d, in, n, out, inclusive, init, op, f))
        return;
    using small = typename tuning::small;
    static_assert(tile_ring_always_fits<scan_work<T, Op, F, small>>);
    if (!tile_ring_fits<scan_work<T, Op, F, typename tuning::large>>(d))
      return look_ahead<small>(d, in, n, out, inclusive, init, op, f);
    if constexpr (every_size_tuned<T, Op>)
      if (bytes <= tuning::middle_bytes)
        return look_ahead<typename tuning::middle>(d, in, n, out, inclusive, init, op, f);
    look_ahead<typename tuning::large>(d, in, n, out, inclusive, init, op, f);
  } else {
    using shape = typename tuning::any_size;
    if (!tile_ring_fits<scan_work<T, Op, F, shape>>(d)) return scan_by_runs(d, in, n, out, inclusive, init, op, f);
    look_ahead<shape>(d, in, n, out, inclusive, init, op, f);
  }
}

// The scan of scan.hpp for any trivially copyable type and any operator with an identity.
template <bool Inclusive, class T, class Op, class F>
void scan(upsweep::device& where, const T* in, std::uint64_t n, T* out, std::type_identity_t<initial<T>> init, Op op,
          F f) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  if constexpr (sizeof(T) > scan_largest_in_tiles) {
    scan_by_runs(d, in, n, out, Inclusive, init, op, f);
  } else {
    scan_sized(d, in, n, out, Inclusive, init, op, f);
  }
}

#endif

}  // namespace upsweep::cuda
