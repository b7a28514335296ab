// The words of CUDA, and of upsweep/cuda/textbook_definitions.cuh, for the emulated machine. A kernel that is compiled
// with
// -DUPSWEEP_MACHINE='"lens/cuda.hpp"' runs here; its source stays as it is.
#pragma once

#include <concepts>
#include <string_view>

#include "lens/machine.hpp"

#define __global__
#define __device__
#define __host__
// A constant array that is declared without UPSWEEP_CONSTANT is an ordinary array here, whose reads are not counted.
#define __constant__

namespace upsweep::lens {

// An index and its place in the source: the index type is the only place where `cells[i]` can record it.
struct at {
  std::int64_t i;
  where from;
  template <std::integral I>
  at(I index, where w = where::current()) : i(static_cast<std::int64_t>(index)), from(w) {}
};

template <class T>
class pointer;

// An element that has not been read yet, or is about to be written.
template <class T>
class reference {
 public:
  using value = std::remove_const_t<T>;
  reference(memory_block* m, std::int64_t i, where w) : memory_(m), i_(i), from_(w) {}
  operator value() const { return now->load<value>(*memory_, i_, from_); }
  const reference& operator=(value v) const
    requires(!std::is_const_v<T>)
  {
    now->store<value>(*memory_, i_, v, from_);
    return *this;
  }
  const reference& operator=(const reference& other) const { return *this = static_cast<value>(other); }
  const reference& operator+=(value v) const { return *this = static_cast<value>(static_cast<value>(*this) + v); }
  const reference& operator-=(value v) const { return *this = static_cast<value>(static_cast<value>(*this) - v); }
  pointer<T> operator&() const { return {memory_, i_}; }

 private:
  memory_block* memory_;
  std::int64_t i_;
  where from_;
};

template <class T>
class pointer {
 public:
  using value = std::remove_const_t<T>;
  pointer() = default;
  pointer(memory_block* m, std::int64_t i) : memory_(m), i_(i) {}
  operator pointer<const value>() const
    requires(!std::is_const_v<T>)
  {
    return {memory_, i_};
  }
  reference<T> operator[](at a) const { return {memory_, i_ + a.i, a.from}; }
  pointer operator+(std::int64_t d) const { return {memory_, i_ + d}; }
  friend bool operator==(const pointer&, const pointer&) = default;
  memory_block& memory() const { return *memory_; }
  std::int64_t index() const { return i_; }

 private:
  memory_block* memory_ = nullptr;
  std::int64_t i_ = 0;
};

template <class T>
pointer<T> shared_array(const void* key, const char* name, std::size_t count) {
  return {&now->shared_memory(key, name, count, layout<T>::size, layout<T>::traced), 0};
}

template <class T>
pointer<T> dynamic_array(const void* key, const char* name) {
  return shared_array<T>(key, name, now->dynamic_bytes / layout<T>::size);
}

// Constant memory. An index past the end is reported, and reads the last element.
template <class T, std::size_t count>
struct constant_array {
  T values[count];
  T operator[](at a) const {
    const auto i = static_cast<std::size_t>(a.i);
    now->constant_load(i, sizeof(T), count, a.from);
    return values[std::min(i, count - 1)];
  }
};

// The operator, whatever it is: applications are counted, and the chain behind each value goes on.
template <unsigned bytes>
struct application {
  std::uint64_t (*apply)(std::uint64_t, std::uint64_t) = nullptr;
  std::uint64_t neutral = 0;
  using T = cell<bytes>;
  T operator()(T a, T b, where w = where::current()) const {
    const T result{apply(a.bits, b.bits), std::max(a.depth, b.depth) + 1};
    now->applied(w, result.depth);
    return result;
  }
  T identity() const { return {neutral, 0}; }
};

// ---- what warps do together

void order_lanes(warp& w, std::uint32_t mask);

inline void take_from_lane(warp& w, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    thread& t = *w.lanes[std::countr_zero(rest)];
    const bool there = mask >> (t.from & 31) & 1;
    if (!there)
      now->found(fault_kind::bad_exchange, "thread " + std::to_string(t.index) + " of block " +
                                               std::to_string(w.of->id) + " wants a value from lane " +
                                               std::to_string(t.from) + ", which does not take part, at " +
                                               now->place_of(t.site).text());
    std::memcpy(t.got, there ? w.lanes[t.from & 31]->given : t.given, sizeof t.got);
  }
}

inline void take_votes(warp& w, std::uint32_t mask) {
  std::uint32_t votes = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    if (w.lanes[std::countr_zero(rest)]->given[0]) votes |= rest & -rest;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    thread& t = *w.lanes[std::countr_zero(rest)];
    std::memcpy(t.got, &votes, sizeof votes);
    std::memcpy(t.got + 4, &mask, sizeof mask);
  }
}

inline void take_matches(warp& w, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    thread& t = *w.lanes[std::countr_zero(rest)];
    std::uint32_t same = 0;
    for (std::uint32_t others = mask; others != 0; others &= others - 1)
      if (std::memcmp(w.lanes[std::countr_zero(others)]->given, t.given, 8) == 0) same |= others & -others;
    std::memcpy(t.got, &same, sizeof same);
    std::memcpy(t.got + 4, &mask, sizeof mask);
  }
}

// Whichever lanes have come to the same place by now.
inline void take_company(warp& w, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    std::memcpy(w.lanes[std::countr_zero(rest)]->got, &mask, sizeof mask);
}

template <class T, class F>
void take_reduction(warp& w, std::uint32_t mask) {
  T all{};
  bool first = true;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    T one;
    std::memcpy(&one, w.lanes[std::countr_zero(rest)]->given, sizeof one);
    all = first ? one : F{}(all, one);
    first = false;
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    std::memcpy(w.lanes[std::countr_zero(rest)]->got, &all, sizeof all);
}

// A lane beyond the section of `width` keeps its own value.
template <class T, class From>
T exchanged(std::uint32_t mask, const T& value, int width, const where& w, From from) {
  static_assert(sizeof(T) <= 32 && std::is_trivially_copyable_v<T>);
  thread& t = *now->self;
  std::memset(t.given, 0, sizeof t.given);
  std::memcpy(t.given, &value, sizeof value);
  const int lane = t.lane, begin = lane / width * width;
  const int wanted = from(lane - begin) + begin;
  t.from = wanted >= begin && wanted < begin + width ? wanted : lane;
  now->warp_operation(event::exchange, w, mask, take_from_lane);
  T result;
  std::memcpy(&result, now->self->got, sizeof result);
  return result;
}

struct votes {
  std::uint32_t yes, mask;
};
template <class T>
votes voted(std::uint32_t mask, const T& value, const where& w, void (*meet)(warp&, std::uint32_t)) {
  std::memset(now->self->given, 0, sizeof now->self->given);
  std::memcpy(now->self->given, &value, sizeof value);
  now->warp_operation(event::exchange, w, mask, meet);
  votes v;
  std::memcpy(&v.yes, now->self->got, 4);
  std::memcpy(&v.mask, now->self->got + 4, 4);
  return v;
}

inline std::uint32_t company(const where& w) {
  now->company(w, take_company);
  std::uint32_t mask;
  std::memcpy(&mask, now->self->got, 4);
  return mask;
}

template <class F, class T>
T reduced(std::uint32_t mask, const T& value, const where& w) {
  std::memcpy(now->self->given, &value, sizeof value);
  now->warp_operation(event::exchange, w, mask, take_reduction<T, F>);
  T result;
  std::memcpy(&result, now->self->got, sizeof result);
  return result;
}

struct lesser {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct greater {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

// Launches, scratch and copies, as the run() of a textbook variant uses them.
class grid {
 public:
  explicit grid(machine& m) : machine_(m) {}
  template <class... P>
  void launch(void (*kernel)(P...), std::uint64_t blocks, unsigned threads, std::type_identity_t<P>... arguments) {
    machine_.run_grid(blocks, threads, [&] { kernel(arguments...); });
  }
  template <class... P>
  void launch_with_shared(unsigned bytes, void (*kernel)(P...), std::uint64_t blocks, unsigned threads,
                          std::type_identity_t<P>... arguments) {
    machine_.run_grid(blocks, threads, [&] { kernel(arguments...); }, bytes);
  }
  template <class T>
  pointer<T> scratch(std::string_view name, std::uint64_t count) {
    memory_block*& held = held_[std::string(name)];
    if (held == nullptr || held->count() < count)
      held = &machine_.global_memory(std::string(name), count, layout<T>::size, layout<T>::traced);
    return {held, 0};
  }
  template <class T, std::size_t size>
  void fill_constant(constant_array<T, size>& constants, std::type_identity_t<pointer<const T>> from,
                     std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      constants.values[i] = from.memory().template get<T>(static_cast<std::size_t>(from.index()) + i);
    machine_.copied(2 * count * sizeof(T));
  }
  template <class T>
  void copy(pointer<T> to, std::type_identity_t<pointer<const T>> from, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      to.memory().template put<T>(static_cast<std::size_t>(to.index()) + i,
                                  from.memory().template get<T>(static_cast<std::size_t>(from.index()) + i));
    machine_.copied(2 * count * layout<T>::size);
  }

 private:
  machine& machine_;
  std::map<std::string, memory_block*> held_;
};

}  // namespace upsweep::lens

#define threadIdx (::upsweep::lens::now->thread_index)
#define blockIdx (::upsweep::lens::now->block_index)
#define blockDim (::upsweep::lens::now->block_size)
#define gridDim (::upsweep::lens::now->grid_size)
inline constexpr int warpSize = 32;

#define UPSWEEP_SHARED(T, cells, count) \
  static char cells##_key;              \
  const auto cells = ::upsweep::lens::shared_array<T>(&cells##_key, #cells, (count))

#define UPSWEEP_DYNAMIC_SHARED(T, cells) \
  static char cells##_key;               \
  const auto cells = ::upsweep::lens::dynamic_array<T>(&cells##_key, #cells)

#define UPSWEEP_CONSTANT(T, name, count) static ::upsweep::lens::constant_array<T, (count)> name

namespace upsweep::lens::words {

inline void __syncthreads(where w = where::current()) { now->block_barrier(w, false); }
inline int __syncthreads_count(int predicate, where w = where::current()) {
  now->block_barrier(w, predicate != 0);
  return now->self->of->of->vote_count;
}
inline int __syncthreads_and(int predicate, where w = where::current()) {
  now->block_barrier(w, predicate == 0);
  return now->self->of->of->vote_count == 0;
}
inline int __syncthreads_or(int predicate, where w = where::current()) {
  return __syncthreads_count(predicate, w) != 0;
}
inline void __syncwarp(unsigned mask = 0xffffffff, where w = where::current()) {
  now->warp_operation(event::warp_barrier, w, mask, order_lanes);
}
inline void __threadfence(where w = where::current()) { now->fence(w); }
inline void __threadfence_block(where w = where::current()) { now->fence(w); }

template <class T>
T __shfl_sync(unsigned mask, T v, int from, int width = 32, where w = where::current()) {
  return exchanged(mask, v, width, w, [=](int) { return from & (width - 1); });
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned d, int width = 32, where w = where::current()) {
  return exchanged(mask, v, width, w, [=](int lane) { return lane - static_cast<int>(d); });
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned d, int width = 32, where w = where::current()) {
  return exchanged(mask, v, width, w, [=](int lane) { return lane + static_cast<int>(d); });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int m, int width = 32, where w = where::current()) {
  return exchanged(mask, v, width, w, [=](int lane) { return lane ^ m; });
}
inline unsigned __ballot_sync(unsigned mask, int p, where w = where::current()) {
  return voted(mask, p != 0, w, take_votes).yes;
}
inline int __any_sync(unsigned mask, int p, where w = where::current()) {
  return voted(mask, p != 0, w, take_votes).yes != 0;
}
inline int __all_sync(unsigned mask, int p, where w = where::current()) {
  const votes v = voted(mask, p != 0, w, take_votes);
  return v.yes == v.mask;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T v, where w = where::current()) {
  return voted(mask, v, w, take_matches).yes;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T v, int* all, where w = where::current()) {
  const votes same = voted(mask, v, w, take_matches);
  *all = same.yes == same.mask;
  return *all ? same.mask : 0;
}
template <class T>
T __reduce_add_sync(unsigned mask, T v, where w = where::current()) {
  return reduced<std::plus<>>(mask, v, w);
}
template <class T>
T __reduce_min_sync(unsigned mask, T v, where w = where::current()) {
  return reduced<lesser>(mask, v, w);
}
template <class T>
T __reduce_max_sync(unsigned mask, T v, where w = where::current()) {
  return reduced<greater>(mask, v, w);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned v, where w = where::current()) {
  return reduced<std::bit_and<>>(mask, v, w);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned v, where w = where::current()) {
  return reduced<std::bit_or<>>(mask, v, w);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned v, where w = where::current()) {
  return reduced<std::bit_xor<>>(mask, v, w);
}
inline unsigned __activemask() { return now->self->of->alive; }
inline int __ffs(int x) { return std::countr_zero(static_cast<unsigned>(x)) % 32 + (x != 0); }
inline int __popc(unsigned x) { return std::popcount(x); }
template <class T>
T rsqrt(T x) {
  return 1 / std::sqrt(x);
}
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }

template <class T>
T atomicAdd(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return static_cast<T>(old + v); });
}
template <class T>
T atomicMin(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return v < old ? v : old; });
}
template <class T>
T atomicMax(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return old < v ? v : old; });
}
template <class T>
T atomicAnd(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return old & v; });
}
template <class T>
T atomicOr(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return old | v; });
}
template <class T>
T atomicXor(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return old ^ v; });
}
template <class T>
T atomicExch(pointer<T> p, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T) { return v; });
}
template <class T>
T atomicCAS(pointer<T> p, std::type_identity_t<T> expected, std::type_identity_t<T> v, where w = where::current()) {
  return now->update<T>(p.memory(), p.index(), w, [=](T old) { return old == expected ? v : old; });
}

}  // namespace upsweep::lens::words

namespace upsweep::textbook {

using namespace upsweep::lens::words;

template <class T>
using global = lens::pointer<T>;
template <class T>
using shared_pointer = lens::pointer<T>;

inline void store_release(global<std::uint32_t> flag, std::uint32_t value, lens::where w = lens::where::current()) {
  lens::now->store<std::uint32_t>(flag.memory(), flag.index(), value, w, true);
  lens::now->release_flag(flag.memory(), flag.index());
}
inline std::uint32_t load_acquire(global<std::uint32_t> flag, lens::where w = lens::where::current()) {
  const auto value = lens::now->load<std::uint32_t>(flag.memory(), flag.index(), w, true);
  lens::now->acquire_flag(flag.memory(), flag.index(), value);
  return value;
}
// These order nothing but the flag itself.
inline void store_relaxed(global<std::uint32_t> flag, std::uint32_t value, lens::where w = lens::where::current()) {
  lens::now->store<std::uint32_t>(flag.memory(), flag.index(), value, w, true);
  lens::now->release_flag(flag.memory(), flag.index(), lens::ordering::relaxed);
}
inline std::uint32_t load_relaxed(global<std::uint32_t> flag, lens::where w = lens::where::current()) {
  const auto value = lens::now->load<std::uint32_t>(flag.memory(), flag.index(), w, true);
  lens::now->acquire_flag(flag.memory(), flag.index(), value, lens::ordering::relaxed);
  return value;
}

namespace cg {
using lens::where;

struct thread_block {
  unsigned thread_rank() const { return lens::now->self->index; }
  unsigned size() const { return blockDim.x; }
  unsigned num_threads() const { return blockDim.x; }
  void sync(where w = where::current()) const { __syncthreads(w); }
};
inline thread_block this_thread_block() { return {}; }

template <unsigned tile_size>
class thread_block_tile {
 public:
  static_assert(tile_size <= 32 && std::has_single_bit(tile_size));
  unsigned thread_rank() const { return lens::now->self->index % tile_size; }
  unsigned meta_group_rank() const { return lens::now->self->index / tile_size; }
  unsigned meta_group_size() const { return (blockDim.x + tile_size - 1) / tile_size; }
  static constexpr unsigned size() { return tile_size; }
  static constexpr unsigned num_threads() { return tile_size; }
  void sync(where w = where::current()) const { __syncwarp(mask(), w); }
  template <class T>
  T shfl(T v, unsigned from, where w = where::current()) const {
    return __shfl_sync(mask(), v, static_cast<int>(from), tile_size, w);
  }
  template <class T>
  T shfl_up(T v, unsigned d, where w = where::current()) const {
    return __shfl_up_sync(mask(), v, d, tile_size, w);
  }
  template <class T>
  T shfl_down(T v, unsigned d, where w = where::current()) const {
    return __shfl_down_sync(mask(), v, d, tile_size, w);
  }
  template <class T>
  T shfl_xor(T v, unsigned m, where w = where::current()) const {
    return __shfl_xor_sync(mask(), v, static_cast<int>(m), tile_size, w);
  }
  unsigned ballot(int p, where w = where::current()) const {
    return __ballot_sync(mask(), p, w) >> (lens::now->self->lane / tile_size * tile_size);
  }
  bool any(int p, where w = where::current()) const { return __any_sync(mask(), p, w) != 0; }
  bool all(int p, where w = where::current()) const { return __all_sync(mask(), p, w) != 0; }

 private:
  static unsigned mask() {
    constexpr unsigned ones = tile_size == 32 ? 0xffffffffu : (1u << tile_size % 32) - 1;
    return ones << (lens::now->self->lane / tile_size * tile_size);
  }
};
template <unsigned tile_size>
thread_block_tile<tile_size> tiled_partition(const thread_block&) {
  return {};
}

}  // namespace cg
}  // namespace upsweep::textbook
