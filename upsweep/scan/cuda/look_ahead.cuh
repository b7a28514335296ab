// The CUDA scan of large inputs, on the ring of tiles: what comes in is folded, scanned where it lies, and goes out.
#pragma once

#include "upsweep/scan/cuda/ring.cuh"

namespace upsweep::cuda {

template <class T, class Op, class F, class Shape>
struct scan_work {
  using value = T;
  using op = Op;
  using shape = Shape;
  struct tile {
    T element[Shape::tile];
  };
  struct held {};
  struct own {};
  // What a round of all blocks adds on the largest GPUs, and one batch that is cut.
  static constexpr int depth = sizeof(T) <= 8 ? std::min(5 * Shape::blocks + 1, 11) : 2;
  static constexpr bool drains = true;
  static constexpr int threads = Shape::threads, items = Shape::items, tile_size = Shape::tile;

  const T* in;
  T* out;
  std::uint64_t n;
  initial<T> init;
  bool inclusive, bulk_in, bulk_out;  // bulk: the address is a multiple of 16 bytes
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
  // A thread's items, brought through the transform; what lies past the end is the identity.
  __device__ void items_of(tile& x, int count, T (&own_items)[items]) const {
    read_items(x.element + threadIdx.x * items, own_items);
    transform_items(own_items, combine, transform);
    if (count != tile_size) {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (static_cast<int>(threadIdx.x) * items + i >= count) own_items[i] = identity_of<T>(combine);
    }
  }

  __device__ T first() const { return init(); }
  __device__ void begin(held&) const {}
  __device__ bool load(tile& to, std::uint64_t t, copy_barrier* loaded) const {
    if (!in_bulk(bulk_in, t)) return false;
    bulk_load(to.element, in + t * tile_size, tile_size * sizeof(T), loaded);
    return true;
  }
  __device__ T fold(tile& x, const held&, std::uint64_t t) const {
    const int count = elements_of(t);
    if (!in_bulk(bulk_in, t)) {
      const T* from = in + t * tile_size;
      for (int i = threadIdx.x; i < tile_size; i += threads)
        x.element[i] = i < count ? from[i] : identity_of<T>(combine);
      sync_first_threads<threads>();  // all threads wrote the tile that each then reads its run of
    }
    T mine[items];
    items_of(x, count, mine);
    return fold_items(mine, combine);
  }
  __device__ void finish(tile& x, held&, own&, std::uint64_t t, T running) const {
    T mine[items];
    items_of(x, elements_of(t), mine);
    scan_items(mine, running, inclusive, combine);
    write_items(x.element + threadIdx.x * items, mine);
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

#if !defined(__CUDACC_RTC__)  // the host's side

template <class Shape, class T, class Op, class F>
void look_ahead(device& d, const T* in, std::uint64_t n, T* out, bool inclusive, const initial<T>& init, Op op, F f) {
  const auto sixteenth = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const scan_work<T, Op, F, Shape> work{in, out, n, init, inclusive, sixteenth(in), sixteenth(out), op, f};
  run_tile_ring(d, work, (n + Shape::tile - 1) / Shape::tile, "scan on cuda");
}

#endif

}  // namespace upsweep::cuda
