// The CUDA selection kernels: one launch at every size (a stable partition of a large input counts first); every
// element is read once and every kept one written once.
//
//   select_tiles.cuh        the pipeline that these passes share with by-key: a ring of tiles, folded rounds before
//                           they are written
//   select_compact.cuh      select, partition and unique
//   select_count.cuh        the count that a stable partition into one array begins with
//   select_run_lengths.cuh  run lengths
//   select_cuda_moves.cuh   gather, scatter_if, and run lengths expanded
//
// Pointers are device addresses, aligned as their type requires; the work is enqueued on the device's stream. Counts
// are written to device memory. Outputs must not overlap inputs. Memory beyond the counts is not modified.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/select/select_cuda.cuh is CUDA; include it from a .cu file compiled by nvcc"
#endif

#include "upsweep/select/cuda/select_compact.cuh"
#include "upsweep/select/cuda/select_count.cuh"
#include "upsweep/select/cuda/select_cuda_moves.cuh"
#include "upsweep/select/cuda/select_run_lengths.cuh"

namespace upsweep::cuda {

// Keeps elements in [low, high], or all others: every comparison with a threshold, and the same code for signed and
// unsigned.
template <class T>
struct in_range {
  T low, high;
  bool negated;
  __device__ bool operator()(const T& x) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return (static_cast<U>(static_cast<U>(x) - static_cast<U>(low)) <=
              static_cast<U>(static_cast<U>(high) - static_cast<U>(low))) != negated;
    } else {
      return (x >= low && x <= high) != negated;  // a NaN is in no range
    }
  }
};

template <class... P>
bool all_aligned(const P*... p) {
  return ((p == nullptr || reinterpret_cast<std::uintptr_t>(p) % 16 == 0) && ...);
}

// By size: one tile a block as long as all fit at once, the ring beyond.
template <class Tuning, class Pass>
bool run_tiles_at_once(device& d, const Pass& pass, std::uint64_t bytes, const char* where) {
  return (bytes <= Tuning::small_tile_bytes && run_tile_a_block<typename Tuning::small_tile>(d, pass, where)) ||
         run_tile_a_block<typename Tuning::large_tile>(d, pass, where);
}

// Rarely used selections omit the kernels that save microseconds at some sizes.
template <bool EverySize = true, class T, class V, class Group, bool Drops>
void run_compact(device& d, compact_pass<T, V, Group, Drops> pass, const char* where) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  d.make_current();
  if (pass.n == 0) {
    check(cudaMemsetAsync(pass.counts, 0, (Group::groups - 1) * sizeof(std::uint64_t), d.stream()), where);
    return;
  }
  using tuning = select_tuning<decltype(pass)::bytes, decltype(pass)::largest>;
  pass.aligned = all_aligned(pass.in, pass.values, pass.flags);
  if constexpr (EverySize)
    if (run_tiles_at_once<tuning>(d, pass, pass.n * pass.bytes, where)) return;
  if constexpr (!Drops)
    if (pass.one_output) pass.all_counts = count_into_scratch(d, pass.in, pass.flags, pass.n, pass.group);
  run_ring<tuning>(d, pass, where);
}

// out[0…count) = the elements that keep(x) is true of, in order.
template <class T, class Keep>
void copy_if(device& d, const T* in, std::uint64_t n, T* out, std::uint64_t* count, Keep keep) {
  using pass = compact_pass<T, no_array, group_by_predicate<Keep>, true>;
  run_compact(d, pass{in, nullptr, nullptr, n, {out}, {}, count, nullptr, false, false, {keep}}, "copy_if on cuda");
}

// The elements whose flag is not zero.
template <class T>
void select_flagged(device& d, const T* in, const std::uint8_t* flags, std::uint64_t n, T* out, std::uint64_t* count) {
  using pass = compact_pass<T, no_array, group_by_flag, true>;
  run_compact(d, pass{in, nullptr, flags, n, {out}, {}, count, nullptr, false, false, {}}, "select_flagged on cuda");
}

// Stable: what keep(x) is true of, in order, then the rest, in order.
template <class T, class Keep>
void partition(device& d, const T* in, std::uint64_t n, T* out, std::uint64_t* count, Keep keep) {
  using pass = compact_pass<T, no_array, group_by_predicate<Keep>, false>;
  run_compact(d, pass{in, nullptr, nullptr, n, {out, out}, {}, count, nullptr, true, false, {keep}},
              "partition on cuda");
}
template <class T>
void partition_flagged(device& d, const T* in, const std::uint8_t* flags, std::uint64_t n, T* out,
                       std::uint64_t* count) {
  using pass = compact_pass<T, no_array, group_by_flag, false>;
  run_compact(d, pass{in, nullptr, flags, n, {out, out}, {}, count, nullptr, true, false, {}}, "partition on cuda");
}
// Partitions into two arrays, which needs no count beforehand.
template <class T, class Keep>
void partition_copy(device& d, const T* in, std::uint64_t n, T* kept, T* rest, std::uint64_t* count, Keep keep) {
  using pass = compact_pass<T, no_array, group_by_predicate<Keep>, false>;
  run_compact(d, pass{in, nullptr, nullptr, n, {kept, rest}, {}, count, nullptr, false, false, {keep}},
              "partition_copy on cuda");
}

// Stable, three ways: what first(x) is true of, then what second(x) is true of, then the rest. counts: of the first
// two.
template <class T, class First, class Second>
void three_way_partition(device& d, const T* in, std::uint64_t n, T* out, std::uint64_t* counts, First first,
                         Second second) {
  using pass = compact_pass<T, no_array, group_by_two<First, Second>, false>;
  run_compact(d, pass{in, nullptr, nullptr, n, {out, out, out}, {}, counts, nullptr, true, false, {first, second}},
              "partition on cuda");
}

// The first of each run of elements that are equal to the one before.
template <class T, class Equal = equal_elements>
void unique(device& d, const T* in, std::uint64_t n, T* out, std::uint64_t* count, Equal equal = {}) {
  using pass = compact_pass<T, no_array, group_firsts<Equal>, true>;
  run_compact(d, pass{in, nullptr, nullptr, n, {out}, {}, count, nullptr, false, false, {equal}}, "unique on cuda");
}
template <class K, class V, class Equal = equal_elements>
void unique_by_key(device& d, const K* keys, const V* values, std::uint64_t n, K* out_keys, V* out_values,
                   std::uint64_t* count, Equal equal = {}) {
  using pass = compact_pass<K, V, group_firsts<Equal>, true>;
  run_compact(d, pass{keys, values, nullptr, n, {out_keys}, {out_values}, count, nullptr, false, false, {equal}},
              "unique_by_key on cuda");
}

// Each run of equal elements as its first element and its length, u32 or u64.
template <bool EverySize = true, class T, class Length, class Equal = equal_elements>
void run_length_encode(device& d, const T* in, std::uint64_t n, T* out, Length* lengths, std::uint64_t* count,
                       Equal equal = {}) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  const char* const where = "run_length_encode on cuda";
  d.make_current();
  if (n == 0) {
    check(cudaMemsetAsync(count, 0, sizeof *count, d.stream()), where);
    return;
  }
  const run_length_pass<T, Length, Equal> pass{in, n, out, lengths, count, all_aligned(in), equal};
  using tuning = select_tuning<sizeof(T) + 2, sizeof(T), 28>;
  if constexpr (EverySize)
    if (run_tiles_at_once<tuning>(d, pass, n * sizeof(T), where)) return;
  run_ring<tuning>(d, pass, where);
}

// The inverse: out[0…min(n, sum of the lengths)).
template <class T, class Length>
void run_length_decode(device& d, const T* values, const Length* lengths, std::uint64_t runs, T* out, std::uint64_t n) {
  const char* const where = "run_length_decode on cuda";
  d.make_current();
  if (n == 0 || runs == 0) return;
  auto* const offsets = d.scratch("select/cuda/offsets", runs * sizeof(std::uint64_t)).as<std::uint64_t>();
  const std::uint64_t* scanned = offsets;
  if constexpr (std::is_same_v<Length, std::uint64_t>) {
    scanned = lengths;
  } else {
    widen<<<static_cast<unsigned>((runs + move_threads - 1) / move_threads), move_threads, 0, d.stream()>>>(
        lengths, runs, offsets);
    check(cudaGetLastError(), where);
  }
  scan_sized(d, scanned, runs, offsets, false, std::uint64_t{0}, plus{}, identity{});
  const std::uint64_t blocks = (n + expand_tile - 1) / expand_tile;
  expand_runs<<<static_cast<unsigned>(blocks), move_threads, 0, d.stream()>>>(values, lengths, offsets, runs, out, n);
  check(cudaGetLastError(), where);
}

// Many pieces at once, of m elements at most in all.
template <class Pieces>
void batched_copy(device& d, const Pieces& all, const std::uint64_t* lengths, std::uint64_t pieces, std::uint64_t m) {
  d.make_current();
  if (pieces == 0 || m == 0) return;
  auto* const offsets = d.scratch("select/cuda/offsets", pieces * sizeof(std::uint64_t)).as<std::uint64_t>();
  scan_sized(d, lengths, pieces, offsets, false, std::uint64_t{0}, plus{}, identity{});
  const std::uint64_t tiles = (m - 1) / expand_tile + 1;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(tiles, 1u << 12));
  copy_pieces_kernel<<<blocks, move_threads, 0, d.stream()>>>(all, lengths, offsets, pieces, m);
  check(cudaGetLastError(), "batched_copy on cuda");
}

// out[i] = in[indices[i]]
template <class T, class Index>
void gather(device& d, const T* in, const Index* indices, std::uint64_t n, T* out) {
  d.make_current();
  if (n == 0) return;
  gather_kernel<<<blocks_of_moves(n, "gather on cuda"), move_threads, 0, d.stream()>>>(in, indices, n, out);
  check(cudaGetLastError(), "gather on cuda");
}

// Gathers where flags[i] is not zero.
template <class T, class Index>
void gather_if(device& d, const T* in, const Index* indices, const std::uint8_t* flags, std::uint64_t n, T* out) {
  d.make_current();
  if (n == 0) return;
  gather_if_kernel<<<blocks_of_moves(n, "gather_if on cuda"), move_threads, 0, d.stream()>>>(in, indices, flags, n,
                                                                                             out);
  check(cudaGetLastError(), "gather_if on cuda");
}

// out[indices[i]] = in[i] where flags[i] is not zero, or everywhere where there are no flags. Indices that are written
// must differ.
template <class T, class Index>
void scatter_if(device& d, const T* in, const Index* indices, const std::uint8_t* flags, std::uint64_t n, T* out) {
  d.make_current();
  if (n == 0) return;
  scatter_if_kernel<<<blocks_of_moves(n, "scatter_if on cuda"), move_threads, 0, d.stream()>>>(in, indices, flags, n,
                                                                                               out);
  check(cudaGetLastError(), "scatter_if on cuda");
}

}  // namespace upsweep::cuda
