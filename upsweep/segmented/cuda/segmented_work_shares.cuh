// Equal shares of segments and their elements for blocks.
//
// Segments and elements have one order: each segment, then its elements. Blocks take equal shares of that order
// (merge path), so that neither one segment of all elements nor a million empty ones delay a block. But a block
// processes whole segments: those that begin in its share, however far the last one extends beyond it. Only segments
// longer than `longest` are cut, at the ends of the shares.
#pragma once

#include <algorithm>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/cuda/thread_items.cuh"
#include "upsweep/segmented/cuda/segmented_cuda_tuning.hpp"

namespace upsweep::cuda {

// Elements in memory, as 16-byte pieces if their size and alignment allow it. Positions count from the piece that
// contains the first element: element i is at position i + skew.
template <class T>
struct in_pieces {
  static constexpr int per = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
  T* at;  // place 0
  int skew;
  bool whole;

  static in_pieces of(T* first) {
    const auto address = reinterpret_cast<std::uintptr_t>(first);
    const bool whole = per > 1 && address % sizeof(T) == 0;
    const int skew = whole ? static_cast<int>(address % 16 / sizeof(T)) : 0;
    return {first - skew, skew, whole};
  }
  // The part from a position on that begins a piece.
  __device__ in_pieces from(std::uint64_t place) const { return {at + place, skew, whole}; }
  // Reads the piece that begins at `place`; elements outside of [begin, end) are not read.
  template <class U, class Place>
  __device__ void read(Place place, Place begin, Place end, U (&x)[per]) const {
    if (per > 1 && whole && place >= begin && place + per <= end) {
      const uint4 piece = *reinterpret_cast<const uint4*>(at + place);
      memcpy(x, &piece, sizeof x);
    } else {
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (place + c >= begin && place + c < end) x[c] = at[place + c];
    }
  }
  template <class Place>
  __device__ void write(Place place, Place begin, Place end, const T (&x)[per]) const {
    if (per > 1 && whole && place >= begin && place + per <= end) {
      uint4 piece;
      memcpy(&piece, x, sizeof x);
      *reinterpret_cast<uint4*>(at + place) = piece;
    } else {
#pragma unroll
      for (int c = 0; c < per; ++c)
        if (place + c >= begin && place + c < end) at[place + c] = x[c];
    }
  }
};

// How many of [0, count) precede the position sought; is_before(i) is true up to there. Called by a whole warp; the
// search begins at `guess`.
template <class IsBefore>
__device__ std::uint64_t count_before(std::uint64_t count, std::uint64_t guess, int lane, const IsBefore& is_before) {
  std::uint64_t low = 0, high = count;                     // the answer is in [low, high]
  const auto narrow = [&](std::uint64_t s, bool inside) {  // s ascends over the lanes
    const bool before = inside && is_before(s);
    const int counted = __popc(__ballot_sync(whole_warp, before));
    const std::uint64_t last_before = __shfl_sync(whole_warp, s, counted > 0 ? counted - 1 : 0);
    const std::uint64_t first_behind = __shfl_sync(whole_warp, s, counted < warp_size ? counted : 0);
    if (counted > 0) low = last_before + 1;
    if (counted < warp_size) high = (min)(high, first_behind);
  };
  // If segments have equal lengths the guess is right; otherwise the error is searched in powers of two.
  const std::uint64_t step = lane < 16 ? std::uint64_t{1} << (15 - lane) : std::uint64_t{1} << (lane - 16);
  const std::uint64_t probe = lane < 16 ? (guess > step ? guess - step : 0) : guess + step - 1;
  narrow((min)(probe, count), probe < count);
  while (low < high) {
    const std::uint64_t each = (high - low + warp_size - 1) / warp_size, s = low + lane * each;
    narrow((min)(s, high), s < high);
  }
  return low;
}

// [begin, end) of a segment that is cut, and the blocks that have parts of it.
struct part_of_segment {
  std::uint64_t segment, begin, end, first_block, last_block;
};

// A block's work: whole segments, and parts of the segments before and after them if these are cut.
struct segment_share {
  std::uint64_t begin, end;  // in the order
  std::uint64_t first, last;
  bool enters, leaves;
};

// In shared memory.
struct found_share {
  std::uint64_t ends[2];
  std::uint32_t counts[8];
};

struct segment_shares {
  static constexpr int threads = 256, warps = threads / warp_size;
  static constexpr int most_long = 64;  // segments that are longer than longest_for_warp, of those of a block

  const std::uint64_t* offsets;
  std::uint64_t n, segments, blocks;
  std::uint32_t share, longest, longest_for_warp;
  std::uint32_t ahead, line;  // elements that a block asks for in advance, or 0; elements in 128 bytes
  double segments_in_all;     // of all in the order

  template <class T>
  static segment_shares of(const device& d, std::uint64_t n, const std::uint64_t* offsets, std::uint64_t segments,
                           const segment_tuning& how) {
    segment_shares a{};
    a.offsets = offsets, a.n = n, a.segments = segments;
    const std::uint64_t all = n + segments, wanted = std::uint64_t{how.blocks_a_multiprocessor} * d.multiprocessors();
    const std::uint64_t most = std::max<std::uint64_t>(256, how.most_bytes / sizeof(T) / 128 * 128);
    const std::uint64_t least = std::min<std::uint64_t>(how.least_share, most);
    a.share = static_cast<std::uint32_t>(std::clamp<std::uint64_t>((all / wanted + 128) / 128 * 128, least, most));
    a.longest = how.longest * a.share;
    a.longest_for_warp = std::max<std::uint32_t>(a.share / 8, 8192 / sizeof(T) + 64);
    a.blocks = (all + a.share - 1) / a.share;
    a.segments_in_all = static_cast<double>(segments) / static_cast<double>(all);
    a.line = std::max<std::uint32_t>(1, 128 / sizeof(T));
    if (n * sizeof(T) <= how.ahead_bytes) a.ahead = static_cast<std::uint32_t>((n + a.blocks - 1) / a.blocks);
    return a;
  }

  // Gives each block the number of segments that have 8192 elements together at equal lengths, instead of shares.
  // Returns that number.
  std::uint32_t give_by_number() {
    std::uint32_t a_block = 1;
    while (a_block < 512 && n / segments * a_block * 2 <= 8192 && a_block * 2 * 128 <= segments) a_block *= 2;
    give(a_block);
    return a_block;
  }
  // That number of segments for each block.
  void give(std::uint32_t a_block) {
    blocks = (segments + a_block - 1) / a_block;
    longest_for_warp = (std::max)(longest_for_warp, static_cast<std::uint32_t>(n / most_long + 1));
    ahead = static_cast<std::uint32_t>((n + blocks - 1) / blocks);
  }

  // Prefetches every element once, in equal shares, while the offsets are loaded: if segments have equal lengths, by
  // the block that will read it.
  template <class T>
  __device__ void ask_ahead(const T* in) const {
    const std::uint64_t first = std::uint64_t{blockIdx.x} * ahead;
    for (std::uint32_t i = threadIdx.x * line; i < ahead; i += threads * line)
      if (first + i < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(in + first + i));
  }

  // `in`: the elements, which are prefetched after the offsets.
  template <class T>
  __device__ segment_share find(std::uint64_t block, found_share& found, const T* in) const {
    const int thread = threadIdx.x, lane = thread % warp_size, warp = thread / warp_size;
    const std::uint64_t begin = block * share, end = begin + share;  // in the order
    // All offsets, or those around a guess, which is right where segments are alike: both ends at once.
    constexpr int loads = 4;
    constexpr std::uint64_t window = loads * threads;
    const auto guess = static_cast<std::uint64_t>(static_cast<double>(begin + share / 2) * segments_in_all);
    const std::uint64_t from =
        segments <= window ? 0 : (min)(guess > window / 2 ? guess - window / 2 : 0, segments - window);
    std::uint64_t at[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const std::uint64_t i = from + k * threads + thread;
      at[k] = i < segments ? offsets[i] + i : ~std::uint64_t{0};
    }
    ask_ahead(in);
    std::uint32_t before = 0;  // this block's share, and, from bit 16 on, the next one's
#pragma unroll
    for (int k = 0; k < loads; ++k) before += (at[k] < begin) + ((at[k] < end) << 16);
    before = warp_sum(before);
    if (lane == 0) found.counts[warp] = before;
    __syncthreads();  // every warp has counted
    before = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) before += found.counts[w];
    const std::uint32_t before_first = before & 0xffff, before_last = before >> 16;
    std::uint64_t first = from + before_first, last = from + before_last;
    if ((before_first == 0 && from > 0) || (before_last == window && from + window < segments)) {  // they are not there
      if (warp < 2) {
        const std::uint64_t d = warp == 0 ? begin : end;
        const auto near = (min)(static_cast<std::uint64_t>(static_cast<double>(d) * segments_in_all), segments);
        const std::uint64_t s = count_before(segments, near, lane, [&](std::uint64_t i) { return offsets[i] + i < d; });
        if (lane == 0) found.ends[warp] = s;
      }
      __syncthreads();  // both ends are found
      first = found.ends[0], last = found.ends[1];
    }
    segment_share here{begin, end, first, last, false, false};
    // A long segment that begins here extends beyond the share: it is the last.
    if (first < last && is_cut(last - 1)) here.leaves = true, --here.last;
    if (first > 0 && is_cut(first - 1) && offsets[first] + first > begin) here.enters = true;
    return here;
  }
  __device__ part_of_segment entering(const segment_share& here) const { return part_of(here, here.first - 1); }
  __device__ part_of_segment leaving(const segment_share& here) const { return part_of(here, here.last); }

 private:
  __device__ bool is_cut(std::uint64_t s) const {
    const std::uint64_t from = offsets[s], to = offsets[s + 1];
    return to > from && to - from > longest;
  }
  // Element i of segment s is at i + s + 1 in the order.
  __device__ part_of_segment part_of(const segment_share& here, std::uint64_t s) const {
    const std::uint64_t from = offsets[s], to = offsets[s + 1], before = s + 1;
    return {s, (max)(from + before, here.begin) - before, (min)(to, here.end - before), (from + s) / share,
            (to + s) / share};
  }
};

// Few values of few segments: one block loads all of them into shared memory at once, with their offsets, and 2^lanes
// threads process a segment.
template <class T>
struct few_segments {
  static constexpr int threads = 512, loads = 4;
  // Off alignment the first of as many pieces holds fewer.
  static constexpr int values = sizeof(T) > 16
                                    ? 0
                                    : std::min<int>(loads* threads* in_pieces<T>::per - (in_pieces<T>::per - 1), 6144);

  static bool are(std::uint64_t n, std::uint64_t segments) { return n <= values && segments <= threads; }
  static int lanes(std::uint64_t segments) {
    int log = 0;
    while (log < 5 && segments << (log + 1) <= threads) ++log;
    return log;
  }
  __device__ static void bring(const in_pieces<const T>& in, int n, T* tile) {
    constexpr int per = in_pieces<T>::per;
    static_assert((per - 1 + values + per - 1) / per <= loads * threads, "a thread has a load for each piece");
    const int pieces = (in.skew + n + per - 1) / per;
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int q = threadIdx.x + k * threads;
      if (q < pieces) {
        T x[per];
        in.read(q * per, in.skew, in.skew + n, x);
        write_items(tile + q * per, x);
      }
    }
  }
};

}  // namespace upsweep::cuda
