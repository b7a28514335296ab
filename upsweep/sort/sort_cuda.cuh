// The CUDA radix sort, of keys alone or with values of 4 or 8 bytes.
//
//   sort_in_shared_memory.cuh       short inputs: one launch, all passes in the shared memory of a block or of a
//   cluster
//   sort_histogram.cuh      large inputs: one reading counts the digits of all passes, and its last block plans them
//   sort_cuda_onesweep.cuh  large inputs: one pass, every key read once and written once
//   sort_float_codes.cuh          the codes that passes move in place of floats, and their digits
//   sort_cuda_order.cuh     digits of keys
//   sort_cuda_rank.cuh      stable ranks of a warp's keys
//   sort_plan.cuh           memory that the kernels of one sort share
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/sort/sort_cuda.cuh is CUDA; include it from a .cu file, or include upsweep/sort.hpp"
#endif

#include <algorithm>
#include <array>
#include <bit>

#include "upsweep/sort/cuda/sort_cuda_onesweep.cuh"
#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"
#include "upsweep/sort/cuda/sort_histogram.cuh"
#include "upsweep/sort/cuda/sort_in_shared_memory.cuh"

namespace upsweep::cuda {

template <class Kernel>
int blocks_at_once(const device& d, Kernel kernel, int threads, std::size_t shared_bytes) {
  int a_multiprocessor = 0;
  d.allow_shared(kernel, shared_bytes, "sort on cuda");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, threads, shared_bytes),
        "sort on cuda");
  return a_multiprocessor * d.multiprocessors();
}

// Whether a block has the shared memory for a pass in that shape: any GPU's block, or this device's.
template <class Key, class Value, class Shape>
inline constexpr bool pass_always_fits = sizeof(pass_shared<Key, Value, Shape>) <= least_shared_limit;
template <class Key, class Value, class Shape>
bool pass_fits(const device& d) {
  return sizeof(pass_shared<Key, Value, Shape>) <= d.shared_limit();
}

template <class Shape, class Key, class Value, bool Floating>
void sort_in_passes(device& d, const sort_buffers<Key, Value>& given, std::uint64_t n,
                    const digit_plan<Key, Floating>& digits) {
  const int passes = digits.passes();
  const bool in_place = given.keys_in == given.keys_out || (has_value<Value> && given.values_in == given.values_out);
  const std::uint64_t tiles = (n + Shape::tile - 1) / Shape::tile;
  constexpr std::size_t shared_bytes = sizeof(pass_shared<Key, Value, Shape>);
  static_assert(shared_bytes == sort_pass_bytes<sizeof(Key), has_value<Value> ? sizeof(Value) : 0, Shape>(),
                "the rows' test goes by what tuning.hpp says");
  const auto pass_kernel = onesweep_pass<Key, Value, Floating, Shape>;
  using counters = histogram_tuning<sizeof(Key)>;
  const bool has_space = static_cast<std::uint64_t>(histogram_shared_bytes(sizeof(Key), counters::columns) +
                                                    plan_shared_bytes) <= d.shared_limit();
  const int columns = has_space ? counters::columns : counters::few_columns;
  const auto histogram_kernel = has_space ? digit_histograms<Key, Floating, counters::columns>
                                          : digit_histograms<Key, Floating, counters::few_columns>;
  const int blocks = d.once(pass_kernel, [&] {
    blocks_at_once(d, histogram_kernel, histogram_threads, histogram_shared_bytes(sizeof(Key), columns));
    return blocks_at_once(d, pass_kernel, Shape::threads, shared_bytes);
  });

  constexpr std::uint64_t head = (sizeof(sort_control) + 255) / 256 * 256;
  // The scanner reads whole windows. At least as many rows as the usual sort needs, so that the scratch rarely grows.
  const std::uint64_t rows =
      std::max<std::uint64_t>(2048, (tiles + scanner_window - 1) / scanner_window * scanner_window);
  const memory state = d.scratch("sort/cuda", head + rows * tile_rows::bytes);
  using record = record_of<Key, Value>;
  constexpr bool joined = records_of<Key, Value>::joined;
  const std::uint64_t key_bytes = (n * sizeof(Key) + 255) / 256 * 256,
                      bytes = (key_bytes + (has_value<Value> ? n * sizeof(Value) : 0) + 255) / 256 * 256;
  // Records are exchanged with the output, unless its alignment forbids it. Of an odd number the last has a place of
  // its own.
  const bool output_takes_records =
      ((reinterpret_cast<std::uintptr_t>(given.keys_out) | reinterpret_cast<std::uintptr_t>(given.values_out)) %
       alignof(record)) == 0;
  constexpr std::uint64_t beyond = joined ? 256 : 0;
  const memory spare =
      d.scratch("sort/cuda spare", bytes + beyond + (joined && !output_takes_records ? n * sizeof(record) : 0));
  pass_arguments<Key, Value, Floating> a{.buffers = given,
                                         .n = n,
                                         .tiles = tiles,
                                         .digits = digits,
                                         .control = state.as<sort_control>(),
                                         .rows = {state.plus_bytes(head).template as<unsigned char>()}};
  a.buffers.keys_spare = spare.as<Key>();
  a.buffers.values_spare = spare.plus_bytes(key_bytes).template as<Value>();
  if constexpr (joined) {
    record *const low = reinterpret_cast<record*>(given.keys_out), *const high =
                                                                       reinterpret_cast<record*>(given.values_out);
    const auto apart =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(high) - reinterpret_cast<std::uintptr_t>(low)) /
        static_cast<std::int64_t>(sizeof(record));
    a.buffers.records = {spare.as<record>(),
                         low,
                         high,
                         spare.plus_bytes(bytes).template as<record>(),
                         n / 2,
                         static_cast<std::uint64_t>(apart) - n / 2};
    if (!output_takes_records) {
      a.buffers.records.low = spare.plus_bytes(bytes + beyond).template as<record>();
      a.buffers.records.half = n;
    }
  }

  const auto histogram_blocks = static_cast<unsigned>(std::min<std::uint64_t>(d.multiprocessors(), (n + 4095) / 4096));
  histogram_kernel<<<histogram_blocks, histogram_threads, histogram_shared_bytes(passes, columns), d.stream()>>>(
      given.keys_in, n, digits, in_place, a.control, a.rows, tiles);
  check(cudaGetLastError(), "sort on cuda");
  const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(tiles + 1, blocks));
  // Each kernel's blocks may be launched before the kernel before it ends, and wait for that themselves.
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = grid;
  launch.blockDim = Shape::threads;
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = d.stream();
  launch.attrs = &early;
  launch.numAttrs = d.has_clusters(pass_kernel) ? 1 : 0;
  for (int pass = 0; pass < passes; ++pass) check(cudaLaunchKernelEx(&launch, pass_kernel, a, pass), "sort on cuda");
  if (in_place) run_finish_sort(d, a.buffers, a.control, n, grid);
}

// False if the keys do not fit into the shared memory of one cluster.
template <class Key, class Value, bool Floating>
bool sort_resident(device& d, const sort_buffers<Key, Value>& b, std::uint64_t n,
                   const digit_plan<Key, Floating>& digits) {
  using tuning = resident_tuning<sizeof(Key), has_value<Value> ? sizeof(Value) : 0>;
  const auto kernel = resident_sort<Key, Value, Floating>;
  const int most_shared_bytes = d.once(kernel, [&] {
    d.allow_shared(kernel, d.shared_limit(), "sort on cuda");
    return static_cast<int>(d.shared_limit());
  });
  constexpr int form_of_cluster = 1;
  const int most_blocks = d.once(
      kernel,
      [&] {
        if (!d.has_clusters(kernel)) return 1;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "sort on cuda");
        cudaLaunchAttribute together;
        together.id = cudaLaunchAttributeClusterDimension;
        cudaLaunchConfig_t launch{};
        launch.blockDim = most_resident_threads;
        launch.dynamicSmemBytes = static_cast<std::size_t>(most_shared_bytes);
        launch.attrs = &together;
        launch.numAttrs = 1;
        for (unsigned size : {16u, 8u}) {
          together.val.clusterDim = {size, 1, 1};
          launch.gridDim = size;
          int clusters = 0;
          if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch) == cudaSuccess && clusters > 0)
            return static_cast<int>(size);
          cudaGetLastError();  // such a cluster is not available
        }
        return 1;
      },
      form_of_cluster);

  const int wanted = n <= tuning::one_block ? 1 : n <= tuning::small_cluster ? 8 : 16;
  const int blocks = std::min(wanted, most_blocks);
  const std::uint64_t a_block = std::bit_ceil((n + blocks - 1) / blocks);
  if (a_block > 1u << 20) return false;
  const int threads =
      static_cast<int>(std::clamp<std::uint64_t>(a_block / tuning::items(n), 256, most_resident_threads));
  const int tile = std::max(static_cast<int>(a_block), threads);
  const int shared_bytes = resident_shared_bytes<Key, Value>(threads, tile);
  if (shared_bytes > most_shared_bytes) return false;
  const resident_arguments<Key, Value, Floating> a{b.keys_in,
                                                   b.keys_out,
                                                   b.values_in,
                                                   b.values_out,
                                                   static_cast<std::uint32_t>(n),
                                                   std::countr_zero(static_cast<unsigned>(tile)),
                                                   tuning::leading(Floating, n),
                                                   digits};
  cudaLaunchAttribute together;
  together.id = cudaLaunchAttributeClusterDimension;
  together.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(blocks);
  launch.blockDim = static_cast<unsigned>(threads);
  launch.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  launch.stream = d.stream();
  launch.attrs = &together;
  launch.numAttrs = blocks > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&launch, kernel, a), "sort on cuda");
  return true;
}

template <bool Floating, class Key, class Value>
void radix_sort(device& d, const Key* in, Key* out, const Value* values_in, Value* values_out, std::uint64_t n,
                key_order order, unsigned first_bit, unsigned last_bit, bool descending);

template <class Key>
__global__ void write_images(const Key* in, Key* out, std::uint64_t n,
                             const __grid_constant__ digit_plan<Key, true> digits) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = digits.image(in[i]);
}

template <class T, class Index>
__global__ void fetch_from_places(const T* in, const Index* places, T* out, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = in ? in[places[i]] : static_cast<T>(places[i]);
}

// Many floats by some bits of their images, which codes do not give: sorts the images as integers, with their
// indices, and fetches keys and values by index.
template <class Index, class Key, class Value>
void sort_by_images(device& d, const sort_buffers<Key, Value>& b, std::uint64_t n,
                    const digit_plan<Key, true>& digits) {
  constexpr std::uint64_t value_bytes = has_value<Value> ? sizeof(Value) : 0;
  const std::uint64_t bytes = (n * std::max<std::uint64_t>(sizeof(Key), value_bytes) + 255) / 256 * 256;
  const memory m = d.scratch("sort/cuda images", bytes + n * sizeof(Index));
  auto* const places = m.plus_bytes(bytes).template as<Index>();
  const auto grid = static_cast<unsigned>(std::min<std::uint64_t>((n + 255) / 256, 16 * d.multiprocessors()));
  write_images<<<grid, 256, 0, d.stream()>>>(b.keys_in, m.as<Key>(), n, digits);
  check(cudaGetLastError(), "sort on cuda");
  radix_sort<false>(d, static_cast<const Key*>(m.as<Key>()), m.as<Key>(), static_cast<const Index*>(nullptr), places, n,
                    key_order::plain, 0, digits.last_bit - digits.first_bit, false);
  const auto gather = [&]<class T>(const T* in, T* out) {
    T* const to = in == out ? m.as<T>() : out;  // in place, by where the images were
    fetch_from_places<<<grid, 256, 0, d.stream()>>>(in, places, to, n);
    check(cudaGetLastError(), "sort on cuda");
    if (to != out) d.copy({out, 0}, {to, 0}, n * sizeof(T));
  };
  gather(b.keys_in, b.keys_out);
  if constexpr (has_value<Value>) gather(b.values_in, b.values_out);
}

// Sorts stably by bits [first_bit, last_bit) of the keys' images. `out` may be `in`, and values_out may be values_in;
// if values_in is null, the values are the indices. Keys are given as their bits.
template <bool Floating, class Key, class Value>
void radix_sort(device& d, const Key* in, Key* out, const Value* values_in, Value* values_out, std::uint64_t n,
                key_order order, unsigned first_bit, unsigned last_bit, bool descending) {
  using tuning = sort_tuning<sizeof(Key), has_value<Value> ? sizeof(Value) : 0>;
  d.make_current();
  const digit_plan<Key, Floating> digits(order, first_bit, last_bit, descending);
  if (n == 0) return;
  const sort_buffers<Key, Value> buffers{in, out, nullptr, values_in, values_out, nullptr};
  if (n <= tuning::resident && sort_resident(d, buffers, n, digits)) return;
  if (digits.passes() > 0) {
    if constexpr (moves_codes<Key, Floating>)
      if (last_bit - first_bit < 8 * sizeof(Key))
        return n >> 32 == 0 ? sort_by_images<std::uint32_t>(d, buffers, n, digits)
                            : sort_by_images<std::uint64_t>(d, buffers, n, digits);
    using large = typename tuning::large;
    if constexpr (!pass_always_fits<Key, Value, large>)
      if (!pass_fits<Key, Value, large>(d)) return sort_in_passes<typename tuning::small>(d, buffers, n, digits);
    if constexpr (sizeof(Key) >= 4)
      if (n <= tuning::middle_keys) return sort_in_passes<typename tuning::middle>(d, buffers, n, digits);
    return sort_in_passes<large>(d, buffers, n, digits);
  }
  run_finish_sort(d, buffers, nullptr, n,
                  static_cast<unsigned>(std::min<std::uint64_t>((n + 255) / 256, 8 * d.multiprocessors())));
}

}  // namespace upsweep::cuda
