// The CUDA scan of large inputs, on the ring of tiles: a tile is loaded, folded, scanned in shared memory, and stored.
#pragma once

#include "upsweep/scan/cuda/scan_ring.cuh"

namespace upsweep::cuda {

template <class T, class Op, class F, class Shape>
struct scan_work {
  using carried = core::carrier<T, Op>;
  using value = plain<carried>;
  using op = Op;
  using shape = Shape;
  struct tile {
    T element[Shape::tile];
  };
  struct held {};
  struct own {};
  // The number of batches that a round of all blocks adds on the largest GPUs, plus one for an incomplete batch.
  static constexpr int depth = sizeof(T) <= 8 ? (std::min)(5 * Shape::blocks + 1, 11) : 2;
  static constexpr bool drains = true;
  static constexpr int threads = Shape::threads, items = Shape::items, tile_size = Shape::tile;

  const T* in;
  T* out;
  std::uint64_t n;
  initial<T> init;
  bool inclusive, bulk_in, bulk_out;  // bulk: whether the address is a multiple of 16 bytes
  Op combine;
  F transform;
  tagged_words aggregates{};
  launch_control* control = nullptr;
  std::uint64_t tiles = 0;

  __device__ int elements_of(std::uint64_t t) const {
    const std::uint64_t left = n - t * tile_size;
    return left < tile_size ? static_cast<int>(left) : tile_size;
  }
  __device__ bool in_bulk(bool aligned, std::uint64_t t) const {
    return has_async_load() && aligned && elements_of(t) == tile_size && tile_size * sizeof(T) % 16 == 0;
  }
  // The items of a thread after the transform. Items past the end are the identity.
  __device__ void items_of(tile& x, int count, T (&own_items)[items]) const {
    read_items(x.element + threadIdx.x * items, own_items);
    transform_items(own_items, combine, transform);
    if (count != tile_size) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (static_cast<int>(threadIdx.x) * items + i >= count) own_items[i] = identity_of<T>(combine);
    }
  }

  // Item i of the thread, as items_of returns it.
  __device__ T item_of(const tile& x, int count, int i) const {
    T item[1]{x.element[threadIdx.x * items + i]};
    transform_items(item, combine, transform);
    return static_cast<int>(threadIdx.x) * items + i < count ? item[0] : identity_of<T>(combine);
  }

  __device__ value first() const { return value(init()); }
  __device__ void begin(held&) const {}
  __device__ bool load(tile& to, std::uint64_t t, copy_barrier* loaded) const {
    if (!in_bulk(bulk_in, t)) return false;
    bulk_load(to.element, in + t * tile_size, tile_size * sizeof(T), loaded);
    return true;
  }
  __device__ value fold(tile& x, const held&, std::uint64_t t) const {
    const int count = elements_of(t);
    if (!in_bulk(bulk_in, t)) {
      const T* from = in + t * tile_size;
      for (int i = threadIdx.x; i < tile_size; i += threads)
        x.element[i] = i < count ? from[i] : identity_of<T>(combine);
      sync_first_threads<threads>();  // all threads wrote the tile before each reads its run of it
    }
    T mine[items];
    items_of(x, count, mine);
    return fold_items_in<value>(mine, combine);
  }
  __device__ void finish(tile& x, held&, own&, std::uint64_t t, value running) const {
    T mine[items];
    items_of(x, elements_of(t), mine);
    scan_items(mine, running, inclusive, combine);
    write_items(x.element + threadIdx.x * items, mine);
  }
  // Compact code, as in carried_warp_scan.
  __device__ carried carried_fold(const tile& x, std::uint64_t t) const {
    const int count = elements_of(t);
    carried sum(item_of(x, count, 0));
#pragma unroll 1
    for (int i = 1; i < items; ++i) sum = combine(sum, carried(item_of(x, count, i)));
    return sum;
  }
  __device__ void carried_finish(tile& x, std::uint64_t t, carried running) const {
    const int count = elements_of(t);
#pragma unroll 1
    for (int i = 0; i < items; ++i) {
      const carried until = combine(running, carried(item_of(x, count, i)));
      x.element[threadIdx.x * items + i] = static_cast<T>(inclusive ? until : running);
      running = until;
    }
  }
  // Called by the whole warp. Returns false, and writes nothing, if a result of the warp is not finite.
  __device__ bool finish_in_range(tile& x, std::uint64_t t, value running) const {
    T mine[items];
    items_of(x, elements_of(t), mine);
    scan_items(mine, running, inclusive, combine);
    if (any_out_of_range(mine[items - 1])) return false;
    write_items(x.element + threadIdx.x * items, mine);
    return true;
  }
  __device__ bool drains_in_bulk(std::uint64_t t) const { return has_bulk_copy() && in_bulk(bulk_out, t); }
  __device__ void drain(tile& x, std::uint64_t t) const {
    bulk_store(out + t * tile_size, x.element, tile_size * sizeof(T));
  }
  __device__ void drain_by_threads(tile& x, std::uint64_t t) const {
    T* to = out + t * tile_size;
    const int count = elements_of(t);
    for (int i = threadIdx.x; i < count; i += threads) to[i] = x.element[i];
  }
  __device__ void end(held&, own&) const {}
};

#if !defined(__CUDACC_RTC__)  // host code

template <class Shape, class T, class Op, class F>
void look_ahead(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init, Op op, F f) {
  const auto sixteenth = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const scan_work<T, Op, F, Shape> work{in, out, n, init, inclusive, sixteenth(in), sixteenth(out), op, f};
  run_tile_ring(d, work, (n + Shape::tile - 1) / Shape::tile, "scan on cuda");
}

#endif

}  // namespace upsweep::cuda
