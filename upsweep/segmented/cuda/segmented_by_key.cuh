// Reduce and scan by key, and by segment, as one pass over tiles. A run begins at a head: an element whose key
// differs from the one before, or whose bit is set in a mask. A tile publishes to the tiles after it the number of its
// heads, and the fold of the elements from its last head on.
//
// A tile is folded on its own as soon as it is loaded; only the elements before its first head wait for the tiles
// before.
#pragma once

#include "upsweep/segmented/cuda/segmented_generic_operators.cuh"
#include "upsweep/select/cuda/select_compact.cuh"

namespace upsweep::cuda {

template <class T>
struct run_value {
  std::uint32_t heads;
  T value;  // of what follows the last head, or of everything where there is none
};

// Each lane gets the fold from the nearest lane up to it whose bit in `heads` is set, or else from lane 0; for the
// first `Lanes` lanes.
template <int Lanes = warp_size, class T, class Op>
__device__ T fold_since_head(T x, unsigned heads, int lane, const Op& op) {
  const unsigned up_to_here = heads & (whole_warp >> (warp_size - 1 - lane));
  const int from = up_to_here != 0 ? warp_size - 1 - __clz(up_to_here) : 0;
#pragma unroll
  for (int d = 1; d < Lanes; d *= 2) {
    const T left = shuffle_up(x, d);
    if (lane - d >= from) x = op(left, x);
  }
  return x;
}

// The output of results by key: the runs' keys and values, one after the other.
template <class K, class T>
struct runs_out {
  K* keys;
  T* values;
  std::uint64_t* count;
  template <class W, class Op>
  __device__ void write(std::uint64_t run, const W& value, const Op&) const {
    values[run] = static_cast<T>(value);
  }
  __device__ void write_count(std::uint64_t runs) const { *count = runs; }
};
// The output of a scan: element by element, within [*first, *last) if these are given.
template <class T>
struct elements_out {
  T* out;
  T init;
  bool inclusive;
  const std::uint64_t *first, *last;
};

template <class R>
inline constexpr bool is_scan = false;
template <class T>
inline constexpr bool is_scan<elements_out<T>> = true;
template <class R>
inline constexpr bool writes_keys = false;
template <class K, class T>
inline constexpr bool writes_keys<runs_out<K, T>> = true;

// K: the keys' type, or no_array if the heads are bits.
template <class K, class T, class Op, class F, class Equal, class Results>
struct by_key_pass {
  static constexpr bool by_bits = !has_array<K>;
  static constexpr bool stores_in_bulk = false;
  // Folds run in the values' carrier. The part of a scan before the tile's first head is therefore scanned when it is
  // written: without the elements before the tile, its values may be outside their type's range.
  using W = core::carrier<T, Op>;
  static constexpr bool carries = !std::is_same_v<W, T>;
  static constexpr int look_depth = sizeof(run_value<T>) <= 8 ? 5 : 1;

  const K* keys;
  const std::uint32_t* bits;
  const T* values;
  std::uint64_t n;
  bool aligned;
  Results results;
  Op op;
  F transform;
  Equal equal;

  using word = run_value<W>;
  struct before {
    std::uint64_t runs;
    W value;
  };
  struct all_tiles {};
  struct cursor {
    std::uint64_t batch;  // the first tile whose value is not in `carry`, a multiple of 32
    before carry;
  };

  static constexpr int lead_bytes = by_bits ? 0 : (bytes_of<K> + 15) / 16 * 16;  // the key before the tile

  template <class Shape>
  struct alignas(128) stage {
    alignas(16) unsigned char head_bytes[by_bits ? Shape::tile / 8 + 8 : lead_bytes + Shape::tile * bytes_of<K>];
    alignas(16) unsigned char value_bytes[Shape::tile * sizeof(T)];
    alignas(16) unsigned char total_bytes[sizeof(run_value<W>)];
    // The fold of the elements before the first head; for a scan that carries, the folds before each warp in the
    // tile.
    alignas(16) unsigned char leading_bytes[sizeof(W) * (carries && is_scan<Results> ? Shape::threads / warp_size : 1)];
    int first_head;  // its place, or the tile's size
    __device__ K* keys() { return reinterpret_cast<K*>(head_bytes + lead_bytes); }
    __device__ std::uint32_t* bits() { return reinterpret_cast<std::uint32_t*>(head_bytes); }
    __device__ T* values() { return reinterpret_cast<T*>(value_bytes); }
    __device__ run_value<W>& total() { return *reinterpret_cast<run_value<W>*>(total_bytes); }
    __device__ W& leading() { return *reinterpret_cast<W*>(leading_bytes); }
    __device__ W* before_warps() { return reinterpret_cast<W*>(leading_bytes); }
  };
  template <class Shape>
  struct block_totals {
    shared_array<run_value<W>, Shape::threads / warp_size> warp;
  };

  template <class Shape>
  __device__ bool in_bulk(std::uint64_t tile) const {
    constexpr bool sixteens =
        Shape::tile * sizeof(T) % 16 == 0 && (by_bits ? Shape::tile % 128 == 0 : Shape::tile * bytes_of<K> % 16 == 0);
    return has_async_load() && sixteens && aligned && (tile + 1) * Shape::tile <= n;
  }

  template <class Shape>
  __device__ void load(stage<Shape>& to, std::uint64_t tile, copy_barrier* loaded) const {
    const std::uint64_t first = tile * Shape::tile;
    const int lead = tile > 0 ? lead_bytes : 0;
    constexpr int head_bytes = by_bits ? Shape::tile / 8 : Shape::tile * bytes_of<K>;
    const void* const from = by_bits ? reinterpret_cast<const unsigned char*>(bits) + first / 8
                                     : reinterpret_cast<const unsigned char*>(keys) + first * bytes_of<K> - lead;
    expect_bulk_loads(head_bytes + lead + Shape::tile * sizeof(T), loaded);
    expected_bulk_load(to.head_bytes + lead_bytes - lead, from, head_bytes + lead, loaded);
    expected_bulk_load(to.value_bytes, values + first, Shape::tile * sizeof(T), loaded);
  }

  template <class Shape>
  __device__ void fill(stage<Shape>& to, std::uint64_t tile, int thread) const {
    const std::uint64_t first = tile * Shape::tile;
    const int count = elements_of_tile<Shape>(n, tile);
    static_assert(Shape::tile % 32 == 0);
    for (int i = thread; i < count; i += Shape::threads) to.values()[i] = values[first + i];
    if constexpr (by_bits) {
      for (int i = thread; i < (count + 31) / 32; i += Shape::threads) to.bits()[i] = bits[first / 32 + i];
    } else {
      for (int i = thread; i < count; i += Shape::threads) to.keys()[i] = keys[first + i];
      if (thread == 0 && tile > 0) to.keys()[-1] = keys[first - 1];
    }
  }

  template <class Shape, class Publish>
  __device__ void fold(stage<Shape>& at, block_totals<Shape>& totals, std::uint64_t tile, int thread,
                       Publish publish) const {
    if constexpr (seldom_by_key<Op>) {
      fold_part<false>(at, totals, tile, thread, publish);
    } else if ((tile + 1) * Shape::tile <= n) {
      fold_part<true>(at, totals, tile, thread, publish);
    } else {
      fold_part<false>(at, totals, tile, thread, publish);
    }
  }

  template <bool Whole, class Shape, class Publish>
  __device__ void fold_part(stage<Shape>& at, block_totals<Shape>& totals, std::uint64_t tile, int thread,
                            Publish publish) const {
    constexpr int items = Shape::items, warps = Shape::threads / warp_size;
    static_assert(items <= 32);
    const int lane = thread % warp_size, warp = thread / warp_size;
    const int mine = Whole ? items : elements_of_tile<Shape>(n, tile) - thread * items;
    const T nothing = identity_of<T>(op);
    const W no_fold(nothing);

    K key[items];
    std::uint32_t heads = 0;  // bit i: item i begins a run
    if constexpr (by_bits) {
      const int bit = thread * items;
      heads = __funnelshift_r(at.bits()[bit / 32], at.bits()[bit / 32 + 1], bit % 32);
      if constexpr (items < 32) heads &= (1u << items) - 1;
    } else {
      read_run(at.keys() + thread * items, key);
      const bool has_previous = thread > 0 || tile > 0;
      if (Whole || mine > 0) {
        K previous = key[0];
        if (has_previous) previous = at.keys()[thread * items - 1];
        heads = !has_previous || !equal(previous, key[0]);
      }
#pragma unroll
      for (int i = 1; i < items; ++i)
        if ((Whole || i < mine) && !equal(key[i - 1], key[i])) heads |= 1u << i;
    }
    if (!Whole && mine < items) heads &= mine <= 0 ? 0 : (1u << mine) - 1;

    T x[items];
    read_run(at.values() + thread * items, x);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (Whole || i < mine) {
        x[i] = upsweep::to_accumulator(op, transform(x[i]));
      } else {
        x[i] = nothing;
      }
    }
    if constexpr (is_scan<Results>) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (heads >> i & 1) x[i] = op(results.init, x[i]);
    }
    W own(x[0]);  // the fold since the thread's last head, or of all its items
    if (heads >> 1 == 0) {
#pragma unroll
      for (int i = 1; i < items; ++i) own = op(own, W(x[i]));
    } else {
#pragma unroll
      for (int i = 1; i < items; ++i) own = heads >> i & 1 ? W(x[i]) : op(own, W(x[i]));
    }

    const unsigned lanes_with_heads = __ballot_sync(whole_warp, heads != 0);
    const W inclusive = fold_since_head(own, lanes_with_heads, lane, op);
    W before_thread = shuffle_up(inclusive, 1);
    if (lane == 0) before_thread = no_fold;
    const bool head_before_thread = (lanes_with_heads & ((1u << lane) - 1)) != 0;
    // A scan only needs to know whether there are heads.
    const std::uint32_t count = is_scan<Results> ? heads != 0 : __popc(heads);
    std::uint32_t counted = lanes_with_heads;
    if constexpr (!is_scan<Results>) counted = warp_inclusive_scan(count, lane, plus{});
    if (lane == warp_size - 1) totals.warp.data()[warp] = {counted, inclusive};
    if (thread == 0) at.first_head = Shape::tile;
    sync_first_threads<Shape::threads>();  // every warp wrote its total, and read its elements
    const run_value<W> of_warp = lane < warps ? totals.warp.data()[lane] : run_value<W>{0, no_fold};
    const unsigned warps_with_heads = __ballot_sync(whole_warp, of_warp.heads != 0);
    const W up_to_warp = fold_since_head<(warps <= 8    ? 8
                                          : warps <= 16 ? 16
                                                        : 32)>(of_warp.value, warps_with_heads, lane, op);
    run_value<W> running{0, shuffle_from(up_to_warp, warp == 0 ? 0 : warp - 1)};
    if (warp == 0) {
      const run_value<W> total{is_scan<Results> ? warps_with_heads != 0 : warp_sum(of_warp.heads), up_to_warp};
      if (lane == warps - 1) {
        publish(total);
        at.total() = total;
      }
      running.value = no_fold;
      if constexpr (carries && is_scan<Results>) {
        const W before_warp = shuffle_up(up_to_warp, 1);
        if (lane < warps) at.before_warps()[lane] = lane == 0 ? no_fold : before_warp;
      }
    }
    running.value = head_before_thread ? before_thread : op(running.value, before_thread);
    if constexpr (is_scan<Results>) {
      running.heads = (warps_with_heads & ((1u << warp) - 1)) != 0 || head_before_thread;
    } else {
      running.heads = warp_sum(lane < warp ? of_warp.heads : 0) + counted - count;
    }
    if (heads != 0 && running.heads == 0) at.first_head = thread * items + __ffs(heads) - 1;  // one thread of the block

    if constexpr (is_scan<Results>) {
      [[maybe_unused]] bool led = running.heads != 0;  // a head precedes, in the tile
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const bool head = heads >> i & 1;
        const W until = head ? W(x[i]) : op(running.value, W(x[i]));
        if constexpr (carries) led = led || head;
        if (!carries || led)
          x[i] = results.inclusive ? static_cast<T>(until) : head ? results.init : static_cast<T>(running.value);
        running.value = until;
      }
      write_items(at.values() + thread * items, x);
    } else if (heads != 0) {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        if (heads >> i & 1) {
          if (running.heads == 0) {
            at.leading() = running.value;
          } else {
            at.values()[running.heads - 1] = static_cast<T>(running.value);
          }
          if constexpr (writes_keys<Results>) at.keys()[running.heads] = key[i];
          ++running.heads;
          running.value = W(x[i]);
        } else {
          running.value = op(running.value, W(x[i]));
        }
      }
    }
  }

  __device__ cursor start() const { return {0, {0, W(identity_of<T>(op))}}; }

  // Called by a whole warp. Batches of 32 are aligned to the tile number, so that the grouping does not depend on the
  // block.
  template <int Depth, class Shape>
  __device__ void look(tagged_words words, std::uint32_t epoch, std::uint64_t tile, cursor& c, before& to) const {
    const int lane = threadIdx.x % warp_size;
    before result = c.carry;
    while (c.batch < tile) {
      run_value<W> value[Depth];
      bool here[Depth], all_here;
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        value[k] = {0, W(identity_of<T>(op))};
        here[k] = c.batch + k * warp_size + lane >= tile;
      }
      do {
        all_here = true;
#pragma unroll
        for (int k = 0; k < Depth; ++k) {
          if (!here[k]) here[k] = words.try_load(c.batch + k * warp_size + lane, epoch, value[k]);
          all_here = all_here && here[k];
        }
      } while (!__all_sync(whole_warp, all_here));
      unsigned with_heads[Depth];
      std::uint32_t heads_of_whole = 0, heads_of_cut = 0;
      int last_with = 0;  // batches before the last one that has a head are not part of the fold
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        with_heads[k] = __ballot_sync(whole_warp, value[k].heads != 0);
        if (with_heads[k] != 0) last_with = k;
        (c.batch + (k + 1) * warp_size <= tile ? heads_of_whole : heads_of_cut) += value[k].heads;
      }
      c.carry.runs += warp_sum(heads_of_whole);
      result.runs = c.carry.runs + warp_sum(heads_of_cut);
      const std::uint64_t first = c.batch;
      bool cut = false;  // the last batch is not whole: it is added up anew for the next tile
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        const std::uint64_t begin = first + k * warp_size;
        if (begin < tile && k >= last_with) {
          const bool since_head = with_heads[k] == 0 || lane >= warp_size - 1 - __clz(with_heads[k]);
          const W folded = warp_reduce(since_head ? value[k].value : W(identity_of<T>(op)), op);
          result.value = with_heads[k] != 0 ? folded : op(c.carry.value, folded);
        }
        cut = cut || (begin < tile && begin + warp_size > tile);
        if (begin + warp_size <= tile) {
          c.carry.value = result.value;
          c.batch += warp_size;
        }
      }
      if (cut) break;
    }
    if (lane == 0) to = result;
  }
  template <class Shape>
  __device__ void look_at_all(tagged_words, std::uint32_t, std::uint64_t, all_tiles&) const {}
  __device__ all_tiles of_all_tiles() const { return {}; }

  // The elements before the tile's first head, already converted for the operator, after `carried`.
  template <class Shape>
  __device__ void scan_leading(stage<Shape>& at, int first_head, const W& carried, int thread) const {
    constexpr int items = Shape::items;
    const int lane = thread % warp_size, warp = thread / warp_size, mine = first_head - thread * items;
    T x[items];
    read_run(at.values() + thread * items, x);
    W fold(identity_of<T>(op));
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < mine) fold = op(fold, W(x[i]));
    const W before = shuffle_up(warp_inclusive_scan(fold, lane, op), 1);
    W running = op(carried, at.before_warps()[warp]);
    if (lane > 0) running = op(running, before);
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < mine) {
        const W until = op(running, W(x[i]));
        x[i] = static_cast<T>(results.inclusive ? until : running);
        running = until;
      }
    if (mine > 0) write_items(at.values() + thread * items, x);
  }

  template <class Shape>
  __device__ void emit(stage<Shape>& at, std::uint64_t tile, const before& b, const all_tiles&, int thread) const {
    const std::uint64_t first = tile * Shape::tile;
    const int count = elements_of_tile<Shape>(n, tile);
    if constexpr (is_scan<Results>) {
      int from = 0, to = count;
      if (results.first != nullptr) {
        const std::uint64_t low = *results.first, high = *results.last;
        from = low <= first ? 0 : low - first < count ? static_cast<int>(low - first) : count;
        to = high <= first ? 0 : high - first < count ? static_cast<int>(high - first) : count;
      }
      const int first_head = at.first_head;
      if constexpr (carries)
        if (first_head > 0) {  // the same for all threads
          scan_leading(at, first_head, b.value, thread);
          sync_first_threads<Shape::threads>();  // the leading part is scanned before others' threads store it
        }
      const W carried = b.value;
      T* const out = results.out + first;
#pragma unroll 4
      for (int i = thread; i < count; i += Shape::threads) {
        const T x = at.values()[i];
        if (i >= from && i < to) {
          if constexpr (carries) {
            out[i] = x;
          } else {
            out[i] = i < first_head ? op(carried, x) : x;
          }
        }
      }
    } else {
      const int heads = static_cast<int>(at.total().heads);
      if constexpr (writes_keys<Results>) copy_out<Shape::threads>(at.keys(), heads, results.keys + b.runs, thread);
      for (int i = thread; i < heads - 1; i += Shape::threads) results.write(b.runs + i, at.values()[i], op);
      if (thread == 0) {
        if (heads > 0 && b.runs > 0)
          results.write(b.runs - 1, at.first_head > 0 ? op(b.value, at.leading()) : b.value, op);
        if (first + Shape::tile >= n) {  // the last tile
          const std::uint64_t runs = b.runs + heads;
          if (runs > 0) results.write(runs - 1, heads > 0 ? at.total().value : op(b.value, at.total().value), op);
          results.write_count(runs);
        }
      }
    }
  }
};

}  // namespace upsweep::cuda
