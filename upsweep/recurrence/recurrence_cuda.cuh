// Recurrences on CUDA: one launch, every sequence read once and written once, on the scan's ring of tiles. A tile
// publishes the composition of its maps. A thread applies the composition of all maps before its steps to the start,
// and continues from the resulting state.
#pragma once

#include "upsweep/cuda/relaxed_access.cuh"
#include "upsweep/recurrence/cuda/recurrence_cuda_tuning.hpp"
#include "upsweep/recurrence/recurrence_by_element.hpp"
#include "upsweep/scan/cuda/scan_ring.cuh"
#include "upsweep/scan/scan_cuda.cuh"
#if !defined(__CUDACC_RTC__)
#include "upsweep/recurrence/recurrence_steps.hpp"
#endif

namespace upsweep::cuda {

// Composition as the ring folds it. Steps may have a form of their maps for that: `joined`, made by to_joined(map).
template <class Steps>
struct composition {
  using value = typename Steps::map;
  Steps steps;
  __device__ value identity() const { return steps.identity(); }
  __device__ value operator()(const value& f, const value& g) const { return steps(f, g); }
  __device__ value to_joined(const value& f) const { return f; }
};
template <class Steps>
  requires requires { typename Steps::joined; }
struct composition<Steps> {
  using value = typename Steps::joined;
  Steps steps;
  __device__ value identity() const { return steps.nothing_joined(); }
  __device__ value operator()(const value& f, const value& g) const { return steps.join(f, g); }
  __device__ value to_joined(const typename Steps::map& f) const { return steps.to_joined(f); }
};

// The common part of both kinds of work. The start is read before anything is published. So it is read before the last
// tile, whose prefix includes the values that all blocks published, writes the carry to the same place.
template <class Steps, class Shape>
struct recurrence_work {
  using op = composition<Steps>;
  using value = typename op::value;
  using state = typename Steps::state;
  using shape = Shape;
  struct held {
    shared_array<state, 1> start;
  };
  struct own {};
  static constexpr int depth = sizeof(value) <= 8 ? 6 : sizeof(value) <= 32 ? 3 : 1;

  op combine;
  std::uint64_t n;
  state* carry;
  tagged_words aggregates{};
  launch_control* control = nullptr;
  std::uint64_t tiles = 0;

  __device__ const Steps& steps() const { return combine.steps; }
  __device__ value first() const { return combine.identity(); }
  __device__ void begin(held& h) const {
    if (threadIdx.x == 0) {
      *h.start.data() = load_relaxed(carry);  // before this block publishes anything
      __threadfence();
    }
  }
  __device__ void write_carry(const state& s) const {
    __threadfence();  // orders the store after the values that the other blocks published
    store_relaxed(carry, s);
  }
  __device__ void end(held&, own&) const {}
};

// Steps by element: the sequences' tiles come into shared memory, the results go out where the first was.
template <class Steps, class Shape>
struct streamed_recurrence : recurrence_work<Steps, Shape> {
  using base = recurrence_work<Steps, Shape>;
  using base::steps;
  using typename base::held;
  using typename base::own;
  using typename base::value;
  using element = typename Steps::element;
  static constexpr int threads = Shape::threads, items = Shape::items, tile_size = Shape::tile,
                       sequences = Steps::sequences;
  static constexpr std::uint32_t tile_bytes = tile_size * sizeof(element);
  static constexpr bool drains = true;
  struct tile {
    alignas(128) element of[sequences][tile_size];
  };
  bool bulk_in, bulk_out;  // the addresses are multiples of 16 bytes

  __device__ int elements_of(std::uint64_t t) const {
    const std::uint64_t left = this->n - t * tile_size;
    return left < tile_size ? static_cast<int>(left) : tile_size;
  }
  __device__ bool in_bulk(bool aligned, std::uint64_t t) const {
    return has_async_load() && aligned && elements_of(t) == tile_size;
  }
  __device__ bool load(tile& to, std::uint64_t t, copy_barrier* loaded) const {
    if (!in_bulk(bulk_in, t)) return false;
    expect_bulk_loads(sequences * tile_bytes, loaded);
    for (int k = 0; k < sequences; ++k)
      expected_bulk_load(to.of[k], steps().from(k) + t * tile_size, tile_bytes, loaded);
    return true;
  }
  __device__ static void items_of(tile& x, element (&mine)[sequences][items]) {
#pragma unroll
    for (int k = 0; k < sequences; ++k) read_items(x.of[k] + threadIdx.x * items, mine[k]);
  }
  // Calls each(i, elements) for the thread's steps of the tile.
  template <class Each>
  __device__ static void for_each_step(const element (&mine)[sequences][items], int count, const Each& each) {
    const int left = count - static_cast<int>(threadIdx.x) * items;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      element at[sequences];
#pragma unroll
      for (int k = 0; k < sequences; ++k) at[k] = mine[k][i];
      if (count == tile_size || i < left) each(i, at);
    }
  }
  __device__ value fold(tile& x, const held&, std::uint64_t t) const {
    const int count = elements_of(t);
    if (!in_bulk(bulk_in, t)) {
      for (int k = 0; k < sequences; ++k)
        for (int i = threadIdx.x; i < count; i += threads) x.of[k][i] = steps().from(k)[t * tile_size + i];
      sync_first_threads<threads>();  // all threads wrote the tile that each then reads its run of
    }
    element mine[sequences][items];
    items_of(x, mine);
    auto f = steps().identity();
    for_each_step(mine, count, [&](int, const element(&at)[sequences]) { f = steps().extend(f, at); });
    return this->combine.to_joined(f);
  }
  __device__ void finish(tile& x, held& h, own&, std::uint64_t t, const value& before) const {
    const int count = elements_of(t);
    element mine[sequences][items];
    items_of(x, mine);
    auto s = steps().apply(before, *h.start.data());
    for_each_step(mine, count, [&](int i, const element(&at)[sequences]) { mine[0][i] = steps().advance(at, s); });
    write_items(x.of[0] + threadIdx.x * items, mine[0]);
    if (t + 1 == this->tiles && static_cast<int>(threadIdx.x) == (count - 1) / items) this->write_carry(s);
  }
  __device__ bool drains_in_bulk(std::uint64_t t) const { return has_bulk_copy() && in_bulk(bulk_out, t); }
  __device__ void drain(tile& x, std::uint64_t t) const {
    bulk_store(steps().to() + t * tile_size, x.of[0], tile_bytes);
  }
  __device__ void drain_by_threads(tile& x, std::uint64_t t) const {
    const int count = elements_of(t);
    for (int i = threadIdx.x; i < count; i += threads) steps().to()[t * tile_size + i] = x.of[0][i];
  }
};

// Any other steps: each thread reads its run of neighbouring ones where they are, and the second time, a round later,
// mostly from a cache.
template <class Steps, class Shape>
struct stepped_recurrence : recurrence_work<Steps, Shape> {
  using base = recurrence_work<Steps, Shape>;
  using base::steps;
  using typename base::held;
  using typename base::own;
  using typename base::value;
  static constexpr bool drains = false;
  struct tile {};

  __device__ std::uint64_t begin_of(std::uint64_t t) const { return t * Shape::tile + threadIdx.x * Shape::items; }
  __device__ std::uint64_t end_of(std::uint64_t begin) const {
    return begin + Shape::items < this->n ? begin + Shape::items : this->n;
  }
  __device__ bool load(tile&, std::uint64_t, copy_barrier*) const { return false; }
  __device__ value fold(tile&, const held&, std::uint64_t t) const {
    auto f = steps().identity();
    const std::uint64_t begin = begin_of(t), end = end_of(begin);
    for (std::uint64_t i = begin; i < end; ++i) f = steps().extend(f, i);
    return this->combine.to_joined(f);
  }
  __device__ void finish(tile&, held& h, own&, std::uint64_t t, const value& before) const {
    auto s = steps().apply(before, *h.start.data());
    const std::uint64_t begin = begin_of(t), end = end_of(begin);
    for (std::uint64_t i = begin; i < end; ++i) s = steps().step(i, s);
    if (begin < this->n && end == this->n) this->write_carry(s);
  }
};

// Which work it is, and the shapes of its ring.
template <class Steps>
struct recurrence_on_ring {
  using tuning = stepped_recurrence_tuning<sizeof(typename Steps::map)>;
  template <class Shape>
  using work = stepped_recurrence<Steps, Shape>;
};
template <by_element Steps>
struct recurrence_on_ring<Steps> {
  using tuning = streamed_recurrence_tuning<sizeof(typename Steps::element), Steps::sequences>;
  template <class Shape>
  using work = streamed_recurrence<Steps, Shape>;
};

// One thread makes all steps.
template <class Steps>
__global__ void step_in_order(const __grid_constant__ Steps steps, std::uint64_t n, typename Steps::state* carry) {
  typename Steps::state s = *carry;
  for (std::uint64_t i = 0; i < n; ++i) s = steps.step(i, s);
  *carry = s;
}

#if !defined(__CUDACC_RTC__)  // the host's side

template <class Shape, class Steps>
void recur_in(device& d, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  const std::uint64_t tiles = (n + Shape::tile - 1) / Shape::tile;
  if constexpr (by_element<Steps>) {
    const auto sixteenth = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
    bool bulk_in = true;
    for (int k = 0; k < Steps::sequences; ++k) bulk_in = bulk_in && sixteenth(steps.from(k));
    run_tile_ring(d, streamed_recurrence<Steps, Shape>{{{steps}, n, carry}, bulk_in, sixteenth(steps.to())}, tiles,
                  "recurrence");
  } else {
    run_tile_ring(d, stepped_recurrence<Steps, Shape>{{{steps}, n, carry}}, tiles, "recurrence");
  }
}

template <class Steps>
void recur(upsweep::device& where, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  device& d = of(where);
  d.make_current();
  if (n == 0) return;
  if constexpr (says_in_order<Steps>)
    if (steps.in_order(n)) {
      step_in_order<<<1, 1, 0, d.stream()>>>(steps, n, carry);
      return check(cudaGetLastError(), "launching a recurrence in order");
    }
  using on_ring = recurrence_on_ring<Steps>;
  using large = typename on_ring::tuning::large;
  using work = typename on_ring::template work<large>;
  if constexpr (!tile_ring_always_fits<work>)
    if (!tile_ring_fits<work>(d)) return recur_in<typename on_ring::tuning::small>(d, n, steps, carry);
  recur_in<large>(d, n, steps, carry);
}

#endif

}  // namespace upsweep::cuda
