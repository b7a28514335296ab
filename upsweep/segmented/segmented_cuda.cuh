// The CUDA by-key family: one pass, every key and value read once.
//
//   segmented_by_key.cuh           the pass, on select's pipeline of tiles (select/cuda/select_tiles.cuh)
//   segmented_work_shares.cuh           segments and their elements in equal shares for blocks
//   segmented_reduce_segments.cuh  reductions by segment with these shares
//   segmented_scan_segments.cuh    scans by segment of few elements
//   segmented_scan_tiles.cuh       scans of more elements, a tile a block
//   segmented_tile_heads.cuh       finds the segments of a tile's block, and waits for the tiles before
//   segmented_head_bits.cuh         scans of still more elements: converts offsets to bits, one for each element,
//   before
//                                  a pass by key
//
// Pointers are device addresses, aligned as their type requires; the work is enqueued on the device's stream. Operators
// need not commute. Results repeat bit for bit: the grouping of values depends only on n and the types.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/segmented/segmented_cuda.cuh is CUDA; include it from a .cu file compiled by nvcc"
#endif

#include "upsweep/segmented/cuda/segmented_by_key.cuh"
#include "upsweep/segmented/cuda/segmented_cuda_tuning.hpp"
#include "upsweep/segmented/cuda/segmented_head_bits.cuh"
#include "upsweep/segmented/cuda/segmented_reduce_segments.cuh"
#include "upsweep/segmented/cuda/segmented_scan_segments.cuh"
#include "upsweep/segmented/cuda/segmented_scan_tiles.cuh"
#include "upsweep/select/select_cuda.cuh"

namespace upsweep::cuda {

// Sums have every kernel. Other operators, unless rarely used, have one besides the ring, which saves a few
// microseconds.
template <class K, class T, class Op, class F, class Equal, class Results>
void run_by_key(device& d, by_key_pass<K, T, Op, F, Equal, Results> pass, const char* where) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  using tuning = by_key_tuning<sizeof(T) + bytes_of<K>, std::max<int>(sizeof(T), bytes_of<K>)>;
  pass.aligned = all_aligned(pass.keys, pass.values);
  if constexpr (std::is_same_v<Op, plus>) {
    if (run_tiles_at_once<tuning>(d, pass, pass.n * (sizeof(T) + bytes_of<K>), where)) return;
  } else if constexpr (!seldom_by_key<Op>) {
    if (run_tile_a_block<typename tuning::large_tile>(d, pass, where)) return;
  }
  run_ring<tuning>(d, pass, where);
}

// For each run of equal keys: the first of them, and the fold of the run's values.
template <class K, class T, class Op, class Equal = equal_elements, class F = identity>
void reduce_by_key(device& d, const K* keys, const T* values, std::uint64_t n, K* out_keys, T* out_values,
                   std::uint64_t* count, Op op, Equal equal = {}, F f = {}) {
  const char* const where = "reduce_by_key on cuda";
  d.make_current();
  if (n == 0) {
    check(cudaMemsetAsync(count, 0, sizeof *count, d.stream()), where);
    return;
  }
  using results = runs_out<K, T>;
  run_by_key(d,
             by_key_pass<K, T, Op, F, Equal, results>{
                 keys, nullptr, values, n, false, {out_keys, out_values, count}, op, f, equal},
             where);
}

// A scan that begins anew with init at each run of equal keys. `out` may be exactly `values`.
template <class K, class T, class Op, class Equal = equal_elements, class F = identity>
void scan_by_key(device& d, const K* keys, const T* values, std::uint64_t n, T* out, bool inclusive, T init, Op op,
                 Equal equal = {}, F f = {}) {
  d.make_current();
  if (n == 0) return;
  using results = elements_out<T>;
  run_by_key(d,
             by_key_pass<K, T, Op, F, Equal, results>{
                 keys, nullptr, values, n, false, {out, init, inclusive, nullptr, nullptr}, op, f, equal},
             "scan_by_key on cuda");
}

// out[s] = init ∘ the values of segment [offsets[s], offsets[s + 1]); the offsets ascend and are at most n.
template <class T, class Op, class F = identity>
void segmented_reduce(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets, std::uint64_t segments,
                      T* out, T init, Op op, F f = {}) {
  d.make_current();
  if (segments == 0) return;
  const char* const where = "segmented_reduce on cuda";
  run_reduce_segments(d, values, n, offsets, segments, out, init, op, f, where);
}

// A scan that restarts with init at each segment. Elements outside all segments are not written. `out` may be exactly
// `values`.
template <class T, class Op, class F = identity>
void segmented_scan(device& d, const T* values, std::uint64_t n, const std::uint64_t* offsets, std::uint64_t segments,
                    T* out, bool inclusive, T init, Op op, F f = {}) {
  const char* const where = "segmented_scan on cuda";
  d.make_current();
  if (segments == 0 || n == 0) return;
  if constexpr (!seldom_by_key<Op>) {
    if constexpr (sizeof(T) <= 16)
      if (out != values && fit_for_tiles_alone(n, segments, sizeof(T)))
        return run_scan_tiles_alone(d, values, n, offsets, segments, out, inclusive, init, op, f, where);
    const by_segment how = scan_by_segment(n, segments, sizeof(T));
    if (how == by_segment::by_number || few_segments<T>::are(n, segments))
      return run_scan_segments(d, values, n, offsets, segments, out, inclusive, init, op, f, where);
    if constexpr (sizeof(T) <= 16)
      if (how == by_segment::by_tiles)
        return run_scan_tiles(d, values, n, offsets, segments, out, inclusive, init, op, f, where);
  }
  const std::uint32_t* const bits = bits_of_segments(d, offsets, segments, n, where);
  using results = elements_out<T>;
  run_by_key(d,
             by_key_pass<no_array, T, Op, F, equal_elements, results>{
                 nullptr, bits, values, n, false, {out, init, inclusive, offsets, offsets + segments}, op, f, {}},
             where);
}

}  // namespace upsweep::cuda
