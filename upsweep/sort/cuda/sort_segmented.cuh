// Sorts of segments by their length.
//
// One launch sorts the short segments. Each block finds by bisection the segments that begin in its share of keys and
// segments together, so that neither many empty nor many tiny ones overload one block. It sorts as many of them at a
// time as it has threads and shared memory for. It lists longer segments for a second launch, which sorts those that
// fit into its blocks and splits the rest by digits (sort_long_segments.cuh). The host reads no offset.
#pragma once

#include <algorithm>
#include <string>

#include "upsweep/sort/cuda/sort_cuda.hpp"
#include "upsweep/sort/cuda/sort_cuda_tuning.hpp"
#include "upsweep/sort/cuda/sort_long_segments.cuh"

namespace upsweep::cuda {

template <class T>
__device__ void copy_elements_outside(const void* in, void* out, std::uint64_t begin, std::uint64_t end,
                                      std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x, outside = begin + (n - end);
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < outside; i += stride) {
    const std::uint64_t at = i < begin ? i : end + (i - begin);
    static_cast<T*>(out)[at] = in ? static_cast<const T*>(in)[at] : static_cast<T>(at);
  }
}

// Keys outside all segments keep their places.
__device__ inline void copy_outside(const segments_problem& a) {
  const std::uint64_t end = min(a.n, a.offsets[a.segments]), begin = min(end, a.offsets[0]);
  if (begin == 0 && end == a.n) return;
  const auto copy = [&](std::uint32_t bytes, const void* in, void* out) {
    if (in == out) return;
    switch (bytes) {
      case 1: return copy_elements_outside<std::uint8_t>(in, out, begin, end, a.n);
      case 2: return copy_elements_outside<std::uint16_t>(in, out, begin, end, a.n);
      case 4: return copy_elements_outside<std::uint32_t>(in, out, begin, end, a.n);
      default: return copy_elements_outside<std::uint64_t>(in, out, begin, end, a.n);
    }
  };
  copy(a.key_bytes, a.keys_in, a.keys_out);
  if (a.value_bytes != 0) copy(a.value_bytes, a.values_in, a.values_out);
}

// Turing's multiprocessors hold 1024 threads, all later ones at least 1536.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int threads_at_once = 1024;
#else
inline constexpr int threads_at_once = 1536;
#endif
constexpr int blocks_that_fit(int threads, int wanted) {
  return wanted * threads <= threads_at_once ? wanted : threads_at_once / threads;
}

template <class Element, class Shape>
__global__ void __launch_bounds__(Shape::threads, blocks_that_fit(Shape::threads, Shape::blocks))
    sort_short_segments(const __grid_constant__ segments_problem a) {
  extern __shared__ __align__(16) unsigned char short_bytes[];
  __shared__ block_sorter<Element, Shape::threads, Shape::items> sorter;
  __shared__ std::uint64_t mine[2];
  let_next_launch_begin();
  const int thread = threadIdx.x, warp = thread / warp_size, lane = thread % warp_size;
  const auto place = [&](std::uint64_t s) { return a.offsets[s] + s; };
  const std::uint64_t begin = blockIdx.x * a.tile, end = begin + a.tile;
  // The offsets around a guess, which is right if segments have equal lengths: both ends at once.
  constexpr int loads = 2, warps = Shape::threads / warp_size;
  constexpr std::uint64_t window = loads * Shape::threads;
  const auto near = [&](std::uint64_t x) {
    return static_cast<std::uint64_t>(static_cast<double>(x) * a.segments_a_place);
  };
  std::uint64_t from = 0, at[loads]{};
  if (a.finds_near) {
    const std::uint64_t guess = near(begin + a.tile / 2);
    if (a.segments > window) from = min(guess > window / 2 ? guess - window / 2 : 0, a.segments - window);
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const std::uint64_t s = from + k * Shape::threads + thread;
      at[k] = s < a.segments ? place(s) : ~std::uint64_t{0};
    }
  }
  if (a.one_wave) {  // where each block is the first on its multiprocessor, nothing else hides how far memory is
    const std::uint64_t share = (a.n + gridDim.x - 1) / gridDim.x, first = min(a.n, blockIdx.x * share);
    bring_to_l2(a.keys_in, first, min(share, a.n - first), a.key_bytes);
    if (a.values_in) bring_to_l2(a.values_in, first, min(share, a.n - first), a.value_bytes);
  }
  bool found = gridDim.x == 1;
  if (found && thread < 2) mine[thread] = thread == 0 ? 0 : a.segments;
  if (a.finds_near) {
    std::uint32_t before = 0;  // `begin`, and, from bit 16 on, `end`
#pragma unroll
    for (int k = 0; k < loads; ++k) before += (at[k] < begin) + ((at[k] < end) << 16);
    before = warp_sum(before);
    if (lane == 0) sorter.warp_longest[warp] = before;
    __syncthreads();  // every warp has counted
    before = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) before += sorter.warp_longest[w];
    const std::uint32_t before_begin = before & 0xffff, before_end = before >> 16;
    found = (before_begin > 0 || from == 0) && (before_end < window || from + window >= a.segments);
    if (found && thread < 2) mine[thread] = from + (thread == 0 ? before_begin : before_end);
  }
  if (!found && warp < 2) {
    const std::uint64_t x = warp == 0 ? begin : end, first = first_not_below(a.segments, x, near(x), place);
    if (lane == 0) mine[warp] = first;
  }
  __syncthreads();  // both ends are found
  const std::uint64_t* const bounds = a.offsets + mine[0];
  const auto segments = static_cast<std::uint32_t>(mine[1] - mine[0]);
  sorter.sort(a.rule, a.from(sort_buffer::in), bounds, segments, a.shared_capacity, short_bytes, a.copy_bytes,
              [&](std::uint32_t s) {
                // Segments that fit into one block of the next launch together are listed as one job.
                std::uint32_t count = 1;
                while (s + count < segments && bounds[s + count + 1] - bounds[s + count] > a.shared_capacity &&
                       bounds[s + count + 1] - bounds[s] <= a.long_shared_capacity)
                  ++count;
                if (threadIdx.x != 0 || !a.longs.control) return count;
                if (bounds[s + 1] - bounds[s] <= a.long_shared_capacity) {
                  a.longs.add_piece(0, bounds + s, count, sort_buffer::in);
                } else {
                  a.longs.add_range(0, bounds[s], bounds[s + 1], sort_buffer::in);
                }
                return count;
              });
  copy_outside(a);  // last: nothing waits for it
}

inline sort_rule rule_of(const radix_request& r) {
  const auto by_width = [&]<class Key>(Key) {
    const digit_plan<Key, false> plan(r.order, r.first_bit, r.last_bit, r.descending);
    const unsigned bits = r.last_bit - r.first_bit;
    const bool floating = r.order == key_order::floating;
    return sort_rule{plan.flip,   bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1,
                     r.first_bit, bits,
                     floating,    !floating && bits == 8 * r.key_bytes};
  };
  switch (r.key_bytes) {
    case 1: return by_width(std::uint8_t{});
    case 2: return by_width(std::uint16_t{});
    case 4: return by_width(std::uint32_t{});
    default: return by_width(std::uint64_t{});
  }
}

template <class Element, class Shape, int LongItems>
void segmented_sort_in(device& d, segments_problem& a) {
  using short_sorter = block_sorter<Element, Shape::threads, Shape::items>;
  using long_sorter = block_sorter<Element, long_threads, LongItems>;
  const std::uint64_t each = std::max<std::uint64_t>({sizeof(Element), a.key_bytes, a.value_bytes});
  constexpr std::uint64_t least_bytes = 32 << 10;  // of a tile of keys, or of counters
  constexpr std::uint64_t most_share = 1 << 14;
  const auto short_kernel = sort_short_segments<Element, Shape>;
  const auto long_kernel = sort_long_segments<Element, LongItems>;

  // Two copies of a block's elements; each also has space for keys or values.
  const std::uint64_t static_bytes = (sizeof(long_shared<Element, LongItems>) + 255) / 256 * 256 + 256;
  const std::uint64_t most_bytes = std::max(least_bytes, d.shared_limit() - static_bytes);
  const auto capacity_in = [&](std::uint64_t bytes, std::uint64_t capacity) {
    return static_cast<int>(std::min(capacity, bytes / (2 * each)));
  };
  const auto copy_of = [&](int shared_capacity) { return static_cast<int>((shared_capacity * each + 15) / 16 * 16); };
  a.shared_capacity = capacity_in(least_shared_limit - sizeof(short_sorter) - 64, short_sorter::capacity);
  a.long_shared_capacity = capacity_in(most_bytes - 32, long_sorter::capacity);
  a.copy_bytes = copy_of(a.shared_capacity), a.long_copy_bytes = copy_of(a.long_shared_capacity);
  const std::uint64_t short_bytes = 2 * a.copy_bytes,
                      long_bytes = std::max<std::uint64_t>(least_bytes, 2 * a.long_copy_bytes);

  // A block's share: enough for a few waves of blocks, and large, since each share has to be found. Few keys need no
  // search.
  const std::uint64_t work = a.n + a.segments,
                      most_at_once = (Shape::blocks < 4 ? 1 : 4) * static_cast<std::uint64_t>(d.multiprocessors());
  a.tile = a.n <= std::min<std::uint64_t>(a.shared_capacity, most_in_one_block) &&
                   work < 2 * static_cast<std::uint64_t>(a.shared_capacity)
               ? work
               : std::clamp<std::uint64_t>(work / most_at_once, 256, most_share);
  const auto blocks = static_cast<unsigned>((work + a.tile - 1) / a.tile);
  a.segments_a_place = static_cast<double>(a.segments) / static_cast<double>(work);
  a.one_wave = blocks <= most_at_once;
  a.finds_near = blocks > 1 && static_cast<double>(a.tile) * a.segments_a_place <= Shape::threads / 2;

  const bool may_be_long = a.n > static_cast<std::uint64_t>(a.shared_capacity);
  unsigned long_blocks = 0;
  if (may_be_long) {
    const int most_blocks = d.once(
        long_kernel,
        [&] {
          int a_multiprocessor = 0;
          d.allow_shared(long_kernel, most_bytes, "segmented_sort on cuda");
          check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, long_kernel, long_threads, long_bytes),
                "segmented_sort on cuda");
          return a_multiprocessor * d.multiprocessors();
        },
        static_cast<int>(long_bytes));
    a.large_tiles = long_bytes >= (64 << 10);
    const std::uint64_t tile = std::uint64_t{long_threads} * (!a.large_tiles                           ? 4
                                                              : a.key_bytes == 8 || a.value_bytes != 0 ? 8
                                                                                                       : 16);
    long_blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(a.n / (4 * long_threads), 1, most_blocks));
    a.longs.chunk = tile * std::clamp<std::uint64_t>(a.n / (tile * 4 * long_blocks), 1, 8);

    const auto up = [](std::uint64_t bytes) { return (bytes + 255) / 256 * 256; };
    const std::uint64_t most_ranges = a.n / a.long_shared_capacity + 1,
                        most_chunks = a.n / a.longs.chunk + most_ranges + 1;
    const std::uint64_t most_pieces =
        a.n / std::min(a.shared_capacity, long_sort<Element, LongItems>::piece_span) + most_ranges + 2;
    const std::uint64_t range_bytes = up(most_ranges * sizeof(key_range)),
                        bounds_bytes = up(most_ranges * (digit_values + 1) * 8),
                        piece_bytes = up(most_pieces * sizeof(segment_piece)),
                        count_bytes = most_chunks * digit_values * 8;
    a.longs.control = d.scratch("sort/cuda long segments", sizeof(long_control)).template as<long_control>();
    const memory m =
        d.scratch("sort/cuda long segments plan", 2 * range_bytes + bounds_bytes + piece_bytes + count_bytes);
    a.longs.ranges[0] = m.as<key_range>();
    a.longs.ranges[1] = m.plus_bytes(range_bytes).template as<key_range>();
    a.longs.bounds = m.plus_bytes(2 * range_bytes).template as<std::uint64_t>();
    a.longs.pieces = m.plus_bytes(2 * range_bytes + bounds_bytes).template as<segment_piece>();
    a.longs.counts = m.plus_bytes(2 * range_bytes + bounds_bytes + piece_bytes).template as<std::uint64_t>();
    const std::uint64_t key_bytes = up(a.n * a.key_bytes);
    const memory spare = d.scratch("sort/cuda spare", key_bytes + a.n * a.value_bytes);
    a.keys_spare = spare.address();
    a.values_spare = spare.plus_bytes(key_bytes).address();
  }
  short_kernel<<<blocks, Shape::threads, short_bytes, d.stream()>>>(a);
  check(cudaGetLastError(), "segmented_sort on cuda");
  if (!may_be_long) return;
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = long_blocks;
  launch.blockDim = long_threads;
  launch.dynamicSmemBytes = long_bytes;
  launch.stream = d.stream();
  launch.attrs = &early;
  launch.numAttrs = d.has_clusters(long_kernel) ? 1 : 0;
  check(cudaLaunchKernelEx(&launch, long_kernel, a), "segmented_sort on cuda");
}

template <class Element>
void segmented_sort_of(device& d, segments_problem& a) {
  using tuning = segment_tuning<sizeof(Element)>;
  const std::uint64_t mean = a.segments > 0 ? a.n / a.segments : 0;
  if constexpr (tuning::longer_items > tuning::items)
    if (mean >= tuning::least_long_mean && mean <= tuning::most_long_mean)
      return segmented_sort_in<Element, typename tuning::short_shape, tuning::longer_items>(d, a);
  if constexpr (tuning::has_quick_shape)
    if (a.n <= tuning::quick_keys && mean >= tuning::quick_mean)
      return segmented_sort_in<Element, typename tuning::quick_shape, tuning::items>(d, a);
  if constexpr (tuning::has_wide_shape)
    if ((a.n >= tuning::wide_keys && mean < tuning::quick_mean) ||
        (a.n >= tuning::many_keys && mean <= tuning::wide_mean))
      return segmented_sort_in<Element, typename tuning::wide_shape, tuning::items>(d, a);
  segmented_sort_in<Element, typename tuning::short_shape, tuning::items>(d, a);
}

}  // namespace upsweep::cuda
