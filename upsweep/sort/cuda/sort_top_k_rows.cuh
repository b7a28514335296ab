// The first k keys of each row in order, and their indices, in one launch.
//
// A row belongs to a group of blocks that run at once, each with a slice of it. The digits of the key of rank k - 1
// are found from the top. Every block counts one digit among the keys of its slice that agree with the digits found
// so far, the group's counts are combined in memory, and every block reads them. As soon as at most `candidates` keys
// may be among the first, they are collected, in any order, and one block sorts them by key and index.
#pragma once

#include <algorithm>

#include "upsweep/cuda/cooperative_launch.cuh"
#include "upsweep/cuda/warp.cuh"
#include "upsweep/sort/cuda/sort_cuda_order.cuh"

namespace upsweep::cuda {

struct rows_tuning {
  static constexpr int threads = 512, warps = threads / warp_size;
  static constexpr int digit_bits = 11, digits = 1 << digit_bits;
  // The maximum number of candidates that the one block sorts.
  template <class Key>
  static constexpr int candidates = sizeof(Key) > 4 ? 2048 : 4096;
  static constexpr std::uint64_t most_k = 2048;
  static constexpr std::uint64_t least_slice = 4096;
};

// State of one group of blocks; zeroed when allocated. All members but `barrier` and `found` are zero again when a
// launch ends.
struct row_group {
  std::uint32_t counts[3][rows_tuning::digits];
  std::uint32_t barrier, found;
};

template <class Key>
struct rows_arguments {
  const Key* in;
  std::uint64_t rows, length, k;
  Key* out;      // null: not requested
  void* places;  // null: not requested
  bool wide_places;
  compared_image<Key> order;
  int bits;  // of the image
  int blocks_a_row;
  std::uint64_t slice;
  row_group* groups;
  std::uint32_t* equals;  // of each block: keys of the digits sought
  Key* images;            // of the candidates, of each group
  std::uint32_t* stood;
};

// Whether (a, i) comes before (b, j).
template <class Key>
__device__ bool comes_before(Key a, std::uint32_t i, Key b, std::uint32_t j) {
  return a < b || (a == b && i < j);
}

template <class Key>
__global__ void __launch_bounds__(rows_tuning::threads)
    find_first_of_rows(const __grid_constant__ rows_arguments<Key> a) {
  using t = rows_tuning;
  constexpr int threads = t::threads, warps = t::warps, per = t::digits / threads, candidates = t::candidates<Key>;
  __shared__ union {
    std::uint32_t counts[t::digits];
    struct {
      alignas(16) unsigned char images[candidates * sizeof(Key)];
      std::uint32_t stood[candidates];
    } list;
  } s;
  __shared__ std::uint32_t warp_total[warps], digit, less, equal, own, base;
  const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
  const int blocks = a.blocks_a_row, block = blockIdx.x % blocks;
  const unsigned group_number = blockIdx.x / blocks;
  row_group& group = a.groups[group_number];
  Key* const images = a.images + std::uint64_t{group_number} * candidates;
  std::uint32_t* const stood = a.stood + std::uint64_t{group_number} * candidates;
  std::uint32_t* const equals = a.equals + group_number * blocks;
  Key* const image = reinterpret_cast<Key*>(s.list.images);
  std::uint32_t* const place = s.list.stood;

  // Waits for all blocks of the group; their writes before the call are visible after it.
  const auto meet = [&] {
    __syncthreads();  // what the block wrote comes before the fence
    if (blocks == 1) return;
    if (thread == 0) {
      may_doze();
      __threadfence();
      // The last arrival flips the top bit, whatever value the count began with.
      const std::uint32_t step = block == 0 ? 0x80000000u - (blocks - 1) : 1;
      const std::uint32_t old = atomicAdd(&group.barrier, step);
      std::uint32_t now;
      do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&group.barrier) : "memory");
      while (((old ^ now) & 0x80000000u) == 0);
      __threadfence();
    }
    __syncthreads();
  };
  // The sum of x over the threads before, and over all.
  const auto sums = [&](std::uint32_t x, std::uint32_t& all) {
    const std::uint32_t up_to_here =
        warp_inclusive_scan(x, lane, [](std::uint32_t p, std::uint32_t q) { return p + q; });
    if (lane == warp_size - 1) warp_total[warp] = up_to_here;
    __syncthreads();  // every warp wrote its total
    std::uint32_t before = up_to_here - x;
    all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) before += warp_total[w];
      all += warp_total[w];
    }
    __syncthreads();  // the totals have been read
    return before;
  };

  for (std::uint64_t row = group_number; row < a.rows; row += gridDim.x / blocks) {
    const Key* const in = a.in + row * a.length;
    const std::uint64_t first = min(a.length, block * a.slice), last = min(a.length, first + a.slice);
    Key found = 0;
    std::uint32_t rank = static_cast<std::uint32_t>(a.k) - 1, before = 0, same = 0;
    int left = a.bits, pass = 0;  // digits not found yet
    bool any = false;             // digits found
    const auto agrees = [&](Key x) { return !any || x >> left == found; };
    const auto is_less = [&](Key x) { return any && x >> left < found; };
    do {
      const int bits = min(left, t::digit_bits), shift = left - bits;
      for (int i = thread; i < t::digits; i += threads) s.counts[i] = 0;
      __syncthreads();  // the counters are zero
#pragma unroll 4
      for (std::uint64_t i = first + thread; i < last; i += threads) {
        const Key x = a.order(in[i]);
        if (agrees(x)) atomicAdd(&s.counts[static_cast<std::uint32_t>(x >> shift) & ((1u << bits) - 1)], 1u);
      }
      __syncthreads();  // all keys of the slice are counted
      std::uint32_t* const counts = group.counts[pass % 3];
      std::uint32_t mine[per];
#pragma unroll
      for (int c = 0; c < per; ++c) mine[c] = s.counts[thread * per + c];
      if (blocks > 1) {
        std::uint32_t* const next = group.counts[(pass + 1) % 3];
        for (int i = block * threads + thread; i < t::digits; i += blocks * threads) next[i] = 0;
        for (int i = thread; i < t::digits; i += threads)
          if (s.counts[i] != 0) atomicAdd(&counts[i], s.counts[i]);
        meet();
#pragma unroll
        for (int c = 0; c < per; ++c) mine[c] = __ldcg(&counts[thread * per + c]);
      }
      std::uint32_t all, sum = 0;
#pragma unroll
      for (int c = 0; c < per; ++c) sum += mine[c];
      std::uint32_t at = sums(sum, all);
#pragma unroll
      for (int c = 0; c < per; ++c) {
        if (rank >= at && rank - at < mine[c]) digit = thread * per + c, less = at, equal = mine[c];
        at += mine[c];
      }
      __syncthreads();  // the digit is found
      found = static_cast<Key>(any ? static_cast<Key>(found << bits) | digit : digit);
      any = true;
      rank -= less, before += less, same = equal, left = shift;
      ++pass;
      __syncthreads();  // the digit has been read
    } while (left > 0 && before + same > candidates);

    // Of the keys equal to the one sought, all are collected if they fit, otherwise the first in the row.
    const bool all_equals = before + same <= candidates;
    const std::uint32_t wanted = static_cast<std::uint32_t>(a.k) - before, taken = all_equals ? same : wanted;
    std::uint32_t equal_before = 0;
    if (!all_equals) {
      std::uint32_t count = 0, all;
      for (std::uint64_t i = first + thread; i < last; i += threads) count += agrees(a.order(in[i]));
      sums(count, all);
      if (thread == 0) equals[block] = all;
      meet();
      count = 0;
      for (int b = thread; b < block; b += threads) count += min(__ldcg(&equals[b]), wanted);
      sums(count, equal_before);
    }
    // Keys before it are written to the first positions in any order, and those equal to it after them.
    if (thread == 0) own = 0;
    __syncthreads();  // no thread has counted yet
#pragma unroll 4
    for (std::uint64_t i = first + thread; i < last; i += threads) {
      const Key x = a.order(in[i]);
      if (!is_less(x) && !(all_equals && agrees(x))) continue;
      const std::uint32_t to = atomicAdd(&own, 1u);
      image[to] = x, place[to] = static_cast<std::uint32_t>(i);
    }
    __syncthreads();  // the slice's candidates are listed
    if (blocks > 1) {
      if (thread == 0) base = own > 0 ? atomicAdd(&group.found, own) : 0;
      __syncthreads();  // their place is known
      for (std::uint32_t i = thread; i < own; i += threads) images[base + i] = image[i], stood[base + i] = place[i];
    }
    if (!all_equals)
      for (std::uint64_t begin = first; begin < last && equal_before < wanted; begin += threads) {
        const std::uint64_t i = begin + thread;
        const Key x = i < last ? a.order(in[i]) : Key{0};
        const bool is_equal = i < last && agrees(x);
        std::uint32_t here;
        const std::uint32_t at = equal_before + sums(is_equal, here);
        if (is_equal && at < wanted) {
          (blocks > 1 ? images : image)[before + at] = x;
          (blocks > 1 ? stood : place)[before + at] = static_cast<std::uint32_t>(i);
        }
        equal_before += here;
      }
    meet();
    // Every block has read the last counts. Clears those of the pass before, which no further pass has cleared.
    if (blocks > 1)
      for (int i = block * threads + thread; i < t::digits; i += blocks * threads)
        group.counts[(pass + 1) % 3][i] = group.counts[(pass + 2) % 3][i] = 0;

    if (block == 0) {
      if (thread == 0) group.found = 0;
      const int count = static_cast<int>(before + taken), k = static_cast<int>(a.k);
      int padded = 32;
      while (padded < count) padded *= 2;
      for (int i = thread; i < padded; i += threads) {
        if (i >= count) {
          image[i] = static_cast<Key>(~Key{0}), place[i] = ~0u;
        } else if (blocks > 1) {
          image[i] = __ldcg(&images[i]), place[i] = __ldcg(&stood[i]);
        }
      }
      __syncthreads();  // the candidates are there
      const auto write = [&](int rank, std::uint32_t from) {
        const std::uint64_t to = row * a.k + rank;
        if (a.out != nullptr) a.out[to] = in[from];
        if (a.places == nullptr) return;
        if (a.wide_places) {
          static_cast<std::uint64_t*>(a.places)[to] = from;
        } else {
          static_cast<std::uint32_t*>(a.places)[to] = from;
        }
      };
      if (count <= threads) {
        // Few candidates: each counts those before it.
        if (thread < count) {
          const Key x = image[thread];
          const std::uint32_t i = place[thread];
          int rank_of = 0;
#pragma unroll 8
          for (int j = 0; j < count; ++j) rank_of += comes_before(image[j], place[j], x, i);
          if (rank_of < k) write(rank_of, i);
        }
      } else {
        // Batcher's bitonic sort. Pairs up to 32 apart belong to one warp, from step to step.
        for (int size = 2; size <= padded; size *= 2)
          for (int step = size / 2; step > 0; step /= 2) {
            for (int i = thread; i < padded / 2; i += threads) {
              const int low = (i & ~(step - 1)) << 1 | (i & (step - 1)), high = low + step;
              const Key x = image[low], y = image[high];
              const std::uint32_t p = place[low], q = place[high];
              if (comes_before(y, q, x, p) == ((low & size) == 0)) {
                image[low] = y, image[high] = x;
                place[low] = q, place[high] = p;
              }
            }
            if (step > warp_size || (step == 1 && size > warp_size)) {
              __syncthreads();  // the pairs of this step are in order
            } else {
              __syncwarp();  // those of the warp are
            }
          }
        __syncthreads();  // all are in order
        for (int i = thread; i < k; i += threads) write(i, place[i]);
      }
      __syncthreads();  // the list has been read
    }
    meet();  // the group's memory is free for the next row, or for the next launch
  }
}

// The first k keys of each of `rows` rows; `out` or `places` may be null. Blocks of a row wait for each other, so
// they are launched cooperatively.
template <class Key>
void run_first_of_rows(device& d, const Key* in, std::uint64_t rows, std::uint64_t length, std::uint64_t k,
                       const compared_image<Key>& order, Key* out, void* places, bool wide_places) {
  using t = rows_tuning;
  const char* const where = "top_k on cuda";
  d.make_current();
  const auto kernel = find_first_of_rows<Key>;
  const int most = d.once(kernel, [&] {
    int a_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, kernel, t::threads, 0), where);
    return a_multiprocessor * d.multiprocessors();
  });
  rows_arguments<Key> a{in, rows, length, k,       out,     places,  wide_places, order,
                        0,  0,    0,      nullptr, nullptr, nullptr, nullptr};
  a.bits = static_cast<int>(order.plan.last_bit - order.plan.first_bit);
  const std::uint64_t at_once = std::min<std::uint64_t>(rows, most);
  const std::uint64_t wanted = std::min((length + t::least_slice - 1) / t::least_slice, most / at_once);
  a.blocks_a_row = static_cast<int>(std::max<std::uint64_t>(wanted, 1));
  a.slice = (length + a.blocks_a_row - 1) / a.blocks_a_row;
  const std::uint64_t groups = std::min<std::uint64_t>(rows, most / a.blocks_a_row), blocks = groups * a.blocks_a_row;
  a.groups = d.scratch("sort/cuda/row groups", groups * sizeof(row_group)).template as<row_group>();
  a.equals = d.scratch("sort/cuda/row equals", most * sizeof(std::uint32_t)).template as<std::uint32_t>();
  a.images = d.scratch("sort/cuda/row images", groups * t::candidates<Key> * sizeof(Key)).template as<Key>();
  a.stood = d.scratch("sort/cuda/row places", groups * t::candidates<Key> * 4).template as<std::uint32_t>();
  launch_together(d, kernel, blocks, t::threads, 0, a.blocks_a_row > 1, where, a);
}

}  // namespace upsweep::cuda
