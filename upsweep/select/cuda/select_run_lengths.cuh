// Run lengths as a pass over tiles: a run's first element is its head. The heads' places in the tile are compacted; a
// length is the distance to the next one. A tile publishes how many heads it has and where its last one is, in one
// word.
#pragma once

#include "upsweep/select/cuda/select_compact.cuh"

namespace upsweep::cuda {

template <class T, class Length, class Equal>
struct run_length_pass {
  static constexpr bool stores_in_bulk = false;
  static constexpr int look_depth = 5;

  const T* in;
  std::uint64_t n;
  T* out;
  Length* lengths;
  std::uint64_t* count;
  bool aligned;
  Equal equal;

  using word = std::uint32_t;
  struct before {
    std::uint64_t runs, last_head;
  };
  struct all_tiles {};
  struct cursor {
    std::uint64_t tile;
    before so_far;
  };

  static constexpr int lead_bytes = (sizeof(T) + 15) / 16 * 16;  // the element before the tile

  template <class Shape>
  struct alignas(128) stage {
    alignas(16) unsigned char item_bytes[lead_bytes + Shape::tile * sizeof(T)];
    std::uint16_t place[Shape::tile];  // of the heads
    std::uint32_t word;
    __device__ T* items() { return reinterpret_cast<T*>(item_bytes + lead_bytes); }
  };
  template <class Shape>
  struct block_totals {
    std::uint32_t warp[Shape::threads / warp_size];
  };

  template <class Shape>
  __device__ bool in_bulk(std::uint64_t tile) const {
    return has_async_load() && Shape::tile * sizeof(T) % 16 == 0 && aligned && (tile + 1) * Shape::tile <= n;
  }
  template <class Shape>
  __device__ void load(stage<Shape>& to, std::uint64_t tile, copy_barrier* loaded) const {
    const int lead = tile > 0 ? lead_bytes : 0;
    bulk_load(to.item_bytes + lead_bytes - lead, reinterpret_cast<const unsigned char*>(in + tile * Shape::tile) - lead,
              Shape::tile * sizeof(T) + lead, loaded);
  }
  template <class Shape>
  __device__ void fill(stage<Shape>& to, std::uint64_t tile, int thread) const {
    const std::uint64_t first = tile * Shape::tile;
    const int count = elements_of_tile<Shape>(n, tile);
    for (int i = thread; i < count; i += Shape::threads) to.items()[i] = in[first + i];
    if (thread == 0 && tile > 0) to.items()[-1] = in[first - 1];
  }

  template <class Shape, class Publish>
  __device__ void fold(stage<Shape>& at, block_totals<Shape>& totals, std::uint64_t tile, int thread,
                       Publish publish) const {
    if ((tile + 1) * Shape::tile <= n) {
      fold_part<true>(at, totals, tile, thread, publish);
    } else {
      fold_part<false>(at, totals, tile, thread, publish);
    }
  }

  template <bool Whole, class Shape, class Publish>
  __device__ void fold_part(stage<Shape>& at, block_totals<Shape>& totals, std::uint64_t tile, int thread,
                            Publish publish) const {
    constexpr int items = Shape::items, warps = Shape::threads / warp_size;
    const int lane = thread % warp_size, warp = thread / warp_size;
    const int mine = Whole ? items : elements_of_tile<Shape>(n, tile) - thread * items;
    const std::uint32_t mask = heads_of<Whole, Shape>(at, tile, thread, mine);
    const std::uint32_t heads = __popc(mask), last = thread * items + (31 - __clz(mask));
    // Heads in the lower half, the last one's place in the upper: sums below, the greatest above.
    const std::uint32_t inclusive = warp_inclusive_scan(heads, lane, plus{});
    const unsigned with_heads = __ballot_sync(whole_warp, heads > 0);
    const std::uint32_t last_of_warp = __shfl_sync(whole_warp, last, with_heads ? 31 - __clz(with_heads) : 0);
    if (lane == warp_size - 1) totals.warp[warp] = inclusive | last_of_warp << 16;
    sync_first_threads<Shape::threads>();  // every warp wrote its total, and read its elements
    const std::uint32_t own = lane < warps ? totals.warp[lane] : 0u;
    const std::uint32_t total = warp_sum(own & 0xffff), before_warp = warp_sum(lane < warp ? own & 0xffff : 0);
    if (warp == 0) {
      const unsigned warps_with_heads = __ballot_sync(whole_warp, (own & 0xffff) > 0);
      const std::uint32_t last_place =
          __shfl_sync(whole_warp, own >> 16, warps_with_heads ? 31 - __clz(warps_with_heads) : 0);
      if (lane == 0) {
        publish(total | last_place << 16);
        at.word = total | last_place << 16;
      }
    }
    std::uint16_t* to = at.place + before_warp + inclusive - heads;
    if (__any_sync(whole_warp, heads > items / 4)) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (mask >> i & 1) *to++ = static_cast<std::uint16_t>(thread * items + i);
    } else {
      for (std::uint32_t left = mask; left != 0; left &= left - 1)
        *to++ = static_cast<std::uint16_t>(thread * items + __ffs(left) - 1);
    }
  }

  // Bit i: the thread's item i is a head.
  template <bool Whole, class Shape>
  __device__ std::uint32_t heads_of(stage<Shape>& at, std::uint64_t tile, int thread, int mine) const {
    constexpr int items = Shape::items;
    static_assert(items <= 32);
    const bool has_previous = thread > 0 || tile > 0;
    std::uint32_t mask = 0;
    if constexpr (sizeof(T) == 1 && std::is_integral_v<T> && std::is_same_v<Equal, equal_elements> && items % 4 == 0) {
      // Four at a time: each byte against the one before it; a byte that differs leaves its uppermost bit, and the
      // product brings the four together.
      const auto* words = reinterpret_cast<const std::uint32_t*>(at.items() + thread * items);
      std::uint32_t before = words[-1];
#pragma unroll
      for (int w = 0; w < items / 4; ++w) {
        const std::uint32_t word = words[w], difference = word ^ __funnelshift_l(before, word, 8);
        const std::uint32_t tops = (((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference) & 0x80808080;
        mask |= ((tops >> 7) * 0x01020408 >> 24) << 4 * w;  // the bits above the four are no longer there
        before = word;
      }
      if (!has_previous) mask |= 1;
    } else {
      T x[items];
      read_run(at.items() + thread * items, x);
      if (Whole || mine > 0) {
        T previous = x[0];
        if (has_previous) previous = at.items()[thread * items - 1];
        mask = !has_previous || !equal(previous, x[0]);
      }
#pragma unroll
      for (int i = 1; i < items; ++i)
        if ((Whole || i < mine) && !equal(x[i - 1], x[i])) mask |= 1u << i;
    }
    if (!Whole && mine < items) mask &= mine <= 0 ? 0 : (1u << mine) - 1;
    return mask;
  }

  __device__ cursor start() const { return {}; }

  template <int Depth, class Shape>
  __device__ void look(tagged_words words, std::uint32_t epoch, std::uint64_t tile, cursor& c, before& to) const {
    const int lane = threadIdx.x % warp_size;
    while (c.tile < tile) {
      word value[Depth];
      bool here[Depth], all_here;
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        value[k] = 0;
        here[k] = c.tile + k * warp_size + lane >= tile;
      }
      do {
        all_here = true;
#pragma unroll
        for (int k = 0; k < Depth; ++k) {
          if (!here[k]) here[k] = words.try_load(c.tile + k * warp_size + lane, epoch, value[k]);
          all_here = all_here && here[k];
        }
      } while (!__all_sync(whole_warp, all_here));
      std::uint32_t heads = 0, last = 0;  // last: counted from the cursor's tile, and one more
#pragma unroll
      for (int k = 0; k < Depth; ++k)
        if ((value[k] & 0xffff) != 0) {
          heads += value[k] & 0xffff;
          last = (k * warp_size + lane) * Shape::tile + (value[k] >> 16) + 1;
        }
      c.so_far.runs += warp_sum(heads);
      const std::uint32_t greatest = warp_max(last);
      if (greatest != 0) c.so_far.last_head = c.tile * Shape::tile + greatest - 1;
      c.tile += Depth * warp_size;
    }
    c.tile = tile;
    if (lane == 0) to = c.so_far;
  }
  template <class Shape>
  __device__ void look_at_all(tagged_words, std::uint32_t, std::uint64_t, all_tiles&) const {}
  __device__ all_tiles of_all_tiles() const { return {}; }

  template <class Shape>
  __device__ void emit(stage<Shape>& at, std::uint64_t tile, const before& b, const all_tiles&, int thread) const {
    const int heads = at.word & 0xffff, last = at.word >> 16;
    const std::uint64_t first = tile * Shape::tile;
    T* const values = out + b.runs;
    Length* const to = lengths + b.runs;
    // Only a later tile knows the last head's length.
    if constexpr (sizeof(T) == 1) {
      write_bytes<Shape>(at, heads, values, to, thread);
    } else {
      constexpr int a_line = 128 / sizeof(Length);
      for (int i = thread - static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(Length) % a_line); i < heads;
           i += Shape::threads)
        if (i >= 0) write_one(at, i, heads, values, to);
    }
    if (thread == 0) {
      if (heads > 0 && b.runs > 0) to[-1] = static_cast<Length>(first + at.place[0] - b.last_head);
      if (first + Shape::tile >= n) {  // the last tile
        to[heads - 1] = static_cast<Length>(n - (heads > 0 ? first + last : b.last_head));
        *count = b.runs + heads;
      }
    }
  }

  template <class Shape>
  __device__ void write_one(stage<Shape>& at, int i, int heads, T* values, Length* to) const {
    const int place = at.place[i];
    values[i] = at.items()[place];
    if (i + 1 < heads) to[i] = static_cast<Length>(at.place[i + 1] - place);
  }

  // Values of one byte go four at a time, so that both outputs are written in wide pieces.
  template <class Shape>
  __device__ void write_bytes(stage<Shape>& at, int heads, T* values, Length* to, int thread) const {
    const int lead = (min)(static_cast<int>(-reinterpret_cast<std::uintptr_t>(values) & 3), heads);
    const int fours = (max)(heads - 1 - lead, 0) / 4, rest = lead + 4 * fours;
    const bool wide = reinterpret_cast<std::uintptr_t>(to + lead) % 16 == 0;
    for (int q = thread; q < fours; q += Shape::threads) {
      const int i = lead + 4 * q;
      int place[5];
#pragma unroll
      for (int k = 0; k < 5; ++k) place[k] = at.place[i + k];
      std::uint32_t four = 0;
      Length length[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        four |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(at.items()[place[k]])) << 8 * k;
        length[k] = static_cast<Length>(place[k + 1] - place[k]);
      }
      *reinterpret_cast<std::uint32_t*>(values + i) = four;
      if (wide) {
        write_items(to + i, length);
      } else {
#pragma unroll
        for (int k = 0; k < 4; ++k) to[i + k] = length[k];
      }
    }
    if (thread < lead) write_one(at, thread, heads, values, to);
    if (rest + thread < heads) write_one(at, rest + thread, heads, values, to);  // no more than four
  }
};

}  // namespace upsweep::cuda
