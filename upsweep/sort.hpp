// sort: keys in order, alone or with values that follow them; and what goes with it: segmented sorts, top_k,
// nth_element, merge, is_sorted.
//
//   upsweep::sort(gpu, keys.span());                                     // in place
//   upsweep::sort(cpu, prices, sorted, {.descending = true});
//   upsweep::sort_by_key(gpu, keys.span(), rows.span());                 // values of any trivially copyable type
//   upsweep::argsort(cpu, names, order, by_length{});                    // a comparator of your own
//   upsweep::segmented_sort(gpu, keys.span(), offsets.span());           // segment s is [offsets[s], offsets[s + 1])
//   upsweep::top_k(gpu, scores.span(), best.span(), where.span());       // the best.size() largest, and their indices
//   float median = upsweep::nth_element(cpu, x, x.size() / 2);
//
// Result       Keys of a built-in type ascend by value, or descend. Floats: -0 and +0 are equal; NaNs stand last
//              (descending: first) and are equal to each other; every key keeps its bits. Every sort is stable,
//              descending ones too: equal keys stay in the order of the input. first_bit and last_bit restrict the
//              order to bits [first_bit, last_bit) of the key's image (sort/order.hpp), an unsigned integer of the
//              key's width; for unsigned keys that is the key itself. Both 0: all bits.
//   argsort         indices[i] = where the i-th key in order stands; the keys stay as they are, or go in order to an
//                   output of their own. Indices of 4 or 8 bytes.
//   segmented_sort  each segment by itself; what lies in no segment is copied
//   top_k           the k first in order, in order, and of equal ones those that stand first; the largest unless the
//                   options say otherwise
//   nth_element     a key equal to the one of rank k, counted from 0; or all keys rearranged: the one of rank k at
//                   place k, those before it no later in order, those after it no earlier
//   merge           two sorted sequences become one; of equal keys those of the first stand first
//   is_sorted_until the first i with key i before key i - 1 in order, or the number of keys
// Comparators  compare(a, b) says whether a stands before b: a strict weak order. Anything else still ends and reads
//              and writes nothing outside, but leaves no particular order; code compiled with UPSWEEP_CHECKED reports
//              it. std::less and std::greater of a built-in type are the orders above. Others: any type on the CPU;
//              trivially copyable ones on CUDA where nvcc compiles the call; not on OpenCL.
// In place     `out` may be exactly `in` (sort, segmented_sort, nth_element), and so may the values; any other overlap
//              is an error.
// Work         built-in keys: radix sorts, O(n) for a width of keys. 4-byte keys move about 36n bytes on a GPU, 24n on
//              a CPU. Comparators: merge sorts, n log2 n comparisons. top_k: one or two readings of the keys and
//              a sort of k.
// Scratch      as much as keys and values once more, owned by the context; none allocated in the second call of the
//              same shape. Values of other sizes than 4 and 8 bytes go by indices: 4 or 8 bytes an element, and a copy
//              of the values where they are sorted in place.
// Determinism  the result is fixed by the input alone, whatever the device.
// Asynchrony   device spans: enqueued; but nth_element, is_sorted and is_sorted_until without an output wait for the
//              answer. Host memory: done on return; what is larger than the device's memory is sorted in chunks and
//              merged on the host.
// Errors       upsweep::error: sizes that differ, overlap, a range of bits outside the key, k beyond the number of
//              keys, offsets that decrease or pass the end (of offsets on a device only code compiled with
//              UPSWEEP_CHECKED tells, and waits for them), a type or comparator that the device cannot take.
#pragma once

#include <functional>

#include "upsweep/buffer.hpp"
#include "upsweep/core/custom.hpp"
#include "upsweep/sort/chunks.hpp"
#include "upsweep/sort/cpu/sort.hpp"
#include "upsweep/sort/problem.hpp"
#include "upsweep/sort/run.hpp"
#if defined(__CUDACC__)
#include "upsweep/sort/cuda/compare.cuh"
#endif

namespace upsweep {

struct sort_options {
  bool descending = false;
  unsigned first_bit = 0, last_bit = 0;
};

template <class X>
concept sort_operand = is_device_span<std::remove_cvref_t<X>> || host_range<std::remove_cvref_t<X>>;

// All on the device, or all in host memory.
template <class X, class... Others>
concept sort_operands =
    sort_operand<X> &&
    ((sort_operand<Others> && is_device_span<std::remove_cvref_t<X>> == is_device_span<std::remove_cvref_t<Others>>) &&
     ...);

template <class X>
using key_of = element_of<std::remove_cvref_t<X>>;

template <class C, class T>
concept sort_comparator = !sort_operand<C> && std::is_invocable_r_v<bool, const C&, const T&, const T&>;

namespace sort_room {
inline namespace UPSWEEP_COMPILED {

// A span or range, its element type aside.
template <class T>
struct operand {
  T* data = nullptr;  // host memory, or where the CPU or CUDA has it
  memory where;
  std::uint64_t size = 0;
  bool on_host = false;
  std::uint64_t bytes() const { return size * sizeof(T); }
};

template <class X>
auto operand_of(X&& x) {
  using T = key_of<X>;
  if constexpr (is_device_span<std::remove_cvref_t<X>>) {
    return operand<T>{nullptr, x.where(), x.size(), false};
  } else {
    T* data = const_cast<T*>(std::ranges::data(x));
    return operand<T>{data, {data, 0}, static_cast<std::uint64_t>(std::ranges::size(x)), true};
  }
}

template <class T, class U>
void check_apart(const context& where, const char* call, const operand<T>& a, const operand<U>& b, bool same = false) {
  check_overlap(call, a.where, a.bytes(), b.where, b.bytes(), same, a.on_host || where.kind() != backend::opencl);
}

template <class T>
problem problem_of(primitive what, const char* call, const operand<T>& in, const sort_options& o) {
  static_assert(builtin_type<T>,
                "upsweep: keys of this type have no built-in order; give a comparator, `bool operator()(const T& a, "
                "const T& b) const`");
  check_bits(call, o.first_bit, o.last_bit, 8 * sizeof(T));
  problem p;
  p.what = what, p.type = dtype_of<T>, p.in = in.where, p.n = in.size;
  p.descending = o.descending, p.first_bit = static_cast<std::uint8_t>(o.first_bit),
  p.last_bit = static_cast<std::uint8_t>(o.last_bit);
  return p;
}

inline void execute(const context& where, const problem& p, bool on_host) {
  if (on_host) return run_from_host(where, p);
  if (p.what == primitive::sort || p.what == primitive::segmented_sort) return run_with_values(where, p);
  run(where, p);
}

// The offsets' part of a segmented sort.
template <class Offsets>
void add_segments(const context& where, const char* call, problem& p, const Offsets& given) {
  static_assert(std::is_integral_v<key_of<Offsets>> && sizeof(key_of<Offsets>) == 8,
                "upsweep: offsets are unsigned 64-bit integers");
  const auto offsets = operand_of(given);
  if (offsets.size == 0)
    throw error(fault::bad_argument, call, "there are no offsets", "give one offset more than there are segments");
  p.in3 = offsets.where, p.m = offsets.size - 1;
  if (offsets.on_host) {
    check_offsets(call, reinterpret_cast<const std::uint64_t*>(offsets.data), offsets.size, p.n);
  } else {
#if defined(UPSWEEP_CHECKED)
    std::vector<std::uint64_t> host(offsets.size);
    where.dev().download(host.data(), offsets.where, offsets.bytes());
    check_offsets(call, host.data(), host.size(), p.n);
#endif
  }
  (void)where;
}

// std::less and std::greater of built-in types.
template <class C, class T>
inline constexpr bool is_less = builtin_type<T> && (std::is_same_v<C, std::less<>> || std::is_same_v<C, std::less<T>> ||
                                                    std::is_same_v<C, std::ranges::less>);
template <class C, class T>
inline constexpr bool is_greater =
    builtin_type<T> && (std::is_same_v<C, std::greater<>> || std::is_same_v<C, std::greater<T>> ||
                        std::is_same_v<C, std::ranges::greater>);
template <class C, class T>
inline constexpr bool is_builtin_order = is_less<C, T> || is_greater<C, T>;

inline error comparator_needs_nvcc(const char* call) {
  return {fault::unsupported, call, "a comparator of your own runs on CUDA only where nvcc compiles the call",
          "move the call into a .cu file, or sort by a key of a built-in type"};
}

inline error comparator_not_on_opencl(const char* call) {
  return {fault::unsupported, call, "a comparator of your own runs on the CPU and on CUDA, not on OpenCL",
          "use a CPU context, or sort by a key of a built-in type"};
}

// An element whose bytes cannot go to another device.
template <class... T>
void require_trivial_copies(const context& where, const char* call) {
  if (where.kind() != backend::cpu && !(std::is_trivially_copyable_v<T> && ...))
    throw needs_trivial_copies(call, where.kind());
}

// --- comparators of the user's own, on the device's memory ---

template <class K, class V, class Compare, class CompiledBy>
void sort_on_device(const context& where, const char* call, K* keys, V* values, std::uint64_t n,
                    const Compare& compare) {
  switch (where.kind()) {
    case backend::cpu: {
      if (values) return cpu::stable_sort_by_key(where.dev(), keys, values, n, compare);
      return cpu::stable_sort(where.dev(), keys, n, compare);
    }
    case backend::opencl: throw comparator_not_on_opencl(call);
    case backend::cuda: break;
  }
#if defined(__CUDACC__)
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>)
    cuda::stable_sort_by_key(where.dev(), keys, values, n, compare);
#else
  throw comparator_needs_nvcc(call);
#endif
}

// The same for host memory that the device cannot read: in chunks, merged here.
template <class K, class V, class Compare, class CompiledBy>
void sort_in_chunks(const context& where, const char* call, K* keys, V* values, std::uint64_t n, const Compare& compare,
                    std::uint64_t chunk = 0) {
  if (where.kind() == backend::opencl) throw comparator_not_on_opencl(call);
  require_trivial_copies<K, V>(where, call);
  if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>) {
    if (n == 0) return;
    if (chunk == 0) chunk = chunk_elements(where.dev(), n, sizeof(K) + (values ? sizeof(V) : 0));
    std::vector<std::uint64_t> bounds{0};
    buffer<K> keys_there(where, std::min(chunk, n));
    buffer<V> values_there(where, values ? std::min(chunk, n) : 0);
    device& d = where.dev();
    for (std::uint64_t first = 0; first < n; first += chunk) {
      const std::uint64_t count = std::min(chunk, n - first);
      d.upload(keys_there.span().where(), keys + first, count * sizeof(K));
      if (values) d.upload(values_there.span().where(), values + first, count * sizeof(V));
      sort_on_device<K, V, Compare, CompiledBy>(where, call, keys_there.span().data(),
                                                values ? values_there.span().data() : nullptr, count, compare);
      d.download(keys + first, keys_there.span().where(), count * sizeof(K));
      if (values) d.download(values + first, values_there.span().where(), count * sizeof(V));
      bounds.push_back(first + count);
    }
    merge_runs(keys, values, bounds, compare);
  }
}

struct no_value {};

template <class K, class V, class Compare, class CompiledBy = this_compiler>
void sort_by_comparing(const context& where, const char* call, const operand<K>& in, const operand<V>& values_in,
                       const operand<K>& out, const operand<V>& values_out, const Compare& compare) {
  const auto bring = [&]<class T>(const operand<T>& from, const operand<T>& to) {
    if (from.where.base == to.where.base && from.where.offset == to.where.offset) return;
    if (from.on_host) {
      std::copy_n(from.data, from.size, to.data);
    } else if (from.size != 0) {
      where.dev().copy(to.where, from.where, from.bytes());
    }
  };
  if (where.kind() == backend::opencl) throw comparator_not_on_opencl(call);
  bring(in, out);
  if constexpr (!std::is_same_v<V, no_value>) bring(values_in, values_out);
  const bool with_values = !std::is_same_v<V, no_value>;
  if (in.on_host && where.kind() != backend::cpu) {
    sort_in_chunks<K, V, Compare, CompiledBy>(where, call, out.data, with_values ? values_out.data : nullptr, in.size,
                                              compare);
  } else {
    sort_on_device<K, V, Compare, CompiledBy>(where, call, out.where.template as<K>(),
                                              with_values ? values_out.where.template as<V>() : nullptr, in.size,
                                              compare);
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace sort_room

inline namespace UPSWEEP_COMPILED {

// --- sort ---

template <class X, class Y>
  requires sort_operands<X, Y>
void sort(const context& where, const X& in, Y&& out, const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>>, "upsweep: sort writes keys of the type that it reads");
  const auto from = operand_of(in), to = operand_of(out);
  check_same_size("sort", "keys", from.size, "places for them", to.size);
  check_apart(where, "sort", from, to, true);
  auto p = problem_of(sort_room::primitive::sort, "sort", from, options);
  p.out = to.where;
  execute(where, p, from.on_host);
}

template <class X>
  requires sort_operand<X>
void sort(const context& where, X&& keys, const sort_options& options = {}) {
  upsweep::sort(where, keys, keys, options);
}

template <class X, class Y, class Compare>
  requires sort_operands<X, Y> && sort_comparator<Compare, key_of<X>>
void sort(const context& where, const X& in, Y&& out, const Compare& compare) {
  using namespace sort_room;
  using T = key_of<X>;
  if constexpr (is_builtin_order<Compare, T>) {
    upsweep::sort(where, in, out, sort_options{.descending = is_greater<Compare, T>});
  } else {
    const auto from = operand_of(in), to = operand_of(out);
    check_same_size("sort", "keys", from.size, "places for them", to.size);
    check_apart(where, "sort", from, to, true);
    sort_by_comparing<T, no_value, Compare>(where, "sort", from, {}, to, {}, compare);
  }
}

template <class X, class Compare>
  requires sort_operand<X> && sort_comparator<Compare, key_of<X>>
void sort(const context& where, X&& keys, const Compare& compare) {
  upsweep::sort(where, keys, keys, compare);
}

// Every sort is stable; this name says that the caller relies on it.
template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) { upsweep::sort(where, std::forward<Arguments>(a)...); }
void stable_sort(const context& where, Arguments&&... arguments) {
  upsweep::sort(where, std::forward<Arguments>(arguments)...);
}
template <class X>
  requires sort_operand<X>
void stable_sort(const context& where, X&& keys, const sort_options& options) {
  upsweep::sort(where, keys, keys, options);
}
template <class X, class Y>
  requires sort_operands<X, Y>
void stable_sort(const context& where, const X& in, Y&& out, const sort_options& options) {
  upsweep::sort(where, in, out, options);
}

// --- sort_by_key ---

}  // namespace UPSWEEP_COMPILED

namespace sort_room {
inline namespace UPSWEEP_COMPILED {

template <class K, class V>
void check_pairs(const context& where, const char* call, const operand<K>& keys, const operand<V>& values,
                 const operand<K>& keys_out, const operand<V>& values_out) {
  check_same_size(call, "keys", keys.size, "values", values.size);
  check_same_size(call, "keys", keys.size, "places for them", keys_out.size);
  check_same_size(call, "values", values.size, "places for them", values_out.size);
  check_apart(where, call, keys, keys_out, true);
  check_apart(where, call, values, values_out, true);
  check_apart(where, call, keys_out, values_out);
  check_apart(where, call, keys_out, values);
  check_apart(where, call, keys, values_out);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace sort_room

inline namespace UPSWEEP_COMPILED {

template <class X, class V, class Y, class W>
  requires sort_operands<X, V, Y, W>
void sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                 const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>> && std::is_same_v<key_of<V>, key_of<W>>,
                "upsweep: sort_by_key writes the types that it reads");
  static_assert(std::is_trivially_copyable_v<key_of<V>>,
                "upsweep: values of a sort by built-in keys move as bytes; give them a trivially copyable type");
  const auto from = operand_of(keys), to = operand_of(keys_out);
  const auto with = operand_of(values), with_out = operand_of(values_out);
  check_pairs(where, "sort_by_key", from, with, to, with_out);
  auto p = problem_of(sort_room::primitive::sort, "sort_by_key", from, options);
  p.out = to.where, p.in2 = with.where, p.out2 = with_out.where, p.value_bytes = sizeof(key_of<V>);
  execute(where, p, from.on_host);
}

template <class X, class V>
  requires sort_operands<X, V>
void sort_by_key(const context& where, X&& keys, V&& values, const sort_options& options = {}) {
  upsweep::sort_by_key(where, keys, values, keys, values, options);
}

template <class X, class V, class Y, class W, class Compare>
  requires sort_operands<X, V, Y, W> && sort_comparator<Compare, key_of<X>>
void sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                 const Compare& compare) {
  using namespace sort_room;
  if constexpr (is_builtin_order<Compare, key_of<X>>) {
    upsweep::sort_by_key(where, keys, values, keys_out, values_out,
                         sort_options{.descending = is_greater<Compare, key_of<X>>});
  } else {
    const auto from = operand_of(keys), to = operand_of(keys_out);
    const auto with = operand_of(values), with_out = operand_of(values_out);
    check_pairs(where, "sort_by_key", from, with, to, with_out);
    sort_by_comparing<key_of<X>, key_of<V>, Compare>(where, "sort_by_key", from, with, to, with_out, compare);
  }
}

template <class X, class V, class Compare>
  requires sort_operands<X, V> && sort_comparator<Compare, key_of<X>>
void sort_by_key(const context& where, X&& keys, V&& values, const Compare& compare) {
  upsweep::sort_by_key(where, keys, values, keys, values, compare);
}

// --- argsort ---

}  // namespace UPSWEEP_COMPILED

namespace sort_room {
inline namespace UPSWEEP_COMPILED {

template <class K, class I>
void check_indices(const context& where, const char* call, const operand<K>& keys, const operand<I>& indices) {
  static_assert(std::is_integral_v<I> && (sizeof(I) == 4 || sizeof(I) == 8),
                "upsweep: indices are integers of 4 or 8 bytes");
  check_same_size(call, "keys", keys.size, "places for indices", indices.size);
  if (sizeof(I) == 4 && keys.size > std::uint64_t{1} << 32)
    throw error(fault::bad_argument, call, std::to_string(keys.size) + " keys have indices beyond 4 bytes",
                "give indices of 8 bytes");
  check_apart(where, call, keys, indices);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace sort_room

inline namespace UPSWEEP_COMPILED {

template <class X, class I>
  requires sort_operands<X, I>
void argsort(const context& where, const X& keys, I&& indices, const sort_options& options = {}) {
  using namespace sort_room;
  const auto from = operand_of(keys);
  const auto to = operand_of(indices);
  check_indices(where, "argsort", from, to);
  auto p = problem_of(sort_room::primitive::sort, "argsort", from, options);
  p.out2 = to.where, p.indices = true, p.value_bytes = sizeof(key_of<I>);
  // The sorted keys, which nobody asked for.
  std::vector<std::byte> unwanted;
  if (from.on_host && where.kind() != backend::cpu) {
    unwanted.resize(from.bytes());
    p.out = {unwanted.data(), 0};
  } else {
    p.out = where.dev().scratch("sort/unwanted", std::max<std::uint64_t>(from.bytes(), 16));
  }
  execute(where, p, from.on_host);
}

// The keys in order as well; `keys_out` may be exactly `keys`.
template <class X, class Y, class I>
  requires sort_operands<X, Y, I>
void argsort(const context& where, const X& keys, Y&& keys_out, I&& indices, const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>>, "upsweep: argsort writes keys of the type that it reads");
  const auto from = operand_of(keys), to = operand_of(keys_out);
  const auto places = operand_of(indices);
  check_same_size("argsort", "keys", from.size, "places for them", to.size);
  check_apart(where, "argsort", from, to, true);
  check_indices(where, "argsort", from, places);
  check_indices(where, "argsort", to, places);
  auto p = problem_of(sort_room::primitive::sort, "argsort", from, options);
  p.out = to.where, p.out2 = places.where, p.indices = true, p.value_bytes = sizeof(key_of<I>);
  execute(where, p, from.on_host);
}

template <class X, class I, class Compare>
  requires sort_operands<X, I> && sort_comparator<Compare, key_of<X>>
void argsort(const context& where, const X& keys, I&& indices, const Compare& compare) {
  using namespace sort_room;
  using T = key_of<X>;
  using index = key_of<I>;
  if constexpr (is_builtin_order<Compare, T>) {
    upsweep::argsort(where, keys, indices, sort_options{.descending = is_greater<Compare, T>});
  } else {
    const auto from = operand_of(keys);
    const auto to = operand_of(indices);
    check_indices(where, "argsort", from, to);
    if (where.kind() == backend::cpu) {
      cpu::argsort(where.dev(), from.where.template as<const T>(), from.size, to.where.template as<index>(), compare);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      std::vector<index> places(from.size);
      std::iota(places.begin(), places.end(), index{0});
      if constexpr (!is_device_span<std::remove_cvref_t<X>>) {
        std::vector<T> copy(from.data, from.data + from.size);
        std::copy(places.begin(), places.end(), to.data);
        upsweep::sort_by_key(where, copy, std::span<index>(to.data, to.size), compare);
      } else {
        if (from.size != 0) where.dev().upload(to.where, places.data(), to.bytes());
        const memory copy = where.dev().scratch("sort/unwanted", std::max<std::uint64_t>(from.bytes(), 16));
        upsweep::sort_by_key(where, keys, device_span<const index>(to.where, to.size), device_span<T>(copy, from.size),
                             device_span<index>(to.where, to.size), compare);
      }
    } else {
      throw needs_trivial_copies("argsort", where.kind());
    }
  }
}

// --- segments ---

template <class X, class Y, class Offsets>
  requires sort_operands<X, Y, Offsets>
void segmented_sort(const context& where, const X& in, Y&& out, const Offsets& offsets,
                    const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>>, "upsweep: segmented_sort writes keys of the type that it reads");
  const auto from = operand_of(in), to = operand_of(out);
  check_same_size("segmented_sort", "keys", from.size, "places for them", to.size);
  check_apart(where, "segmented_sort", from, to, true);
  check_apart(where, "segmented_sort", to, operand_of(offsets));
  auto p = problem_of(sort_room::primitive::segmented_sort, "segmented_sort", from, options);
  p.out = to.where;
  add_segments(where, "segmented_sort", p, offsets);
  execute(where, p, from.on_host);
}

template <class X, class Offsets>
  requires sort_operands<X, Offsets>
void segmented_sort(const context& where, X&& keys, const Offsets& offsets, const sort_options& options = {}) {
  upsweep::segmented_sort(where, keys, keys, offsets, options);
}

template <class X, class V, class Y, class W, class Offsets>
  requires sort_operands<X, V, Y, W, Offsets>
void segmented_sort_by_key(const context& where, const X& keys, const V& values, Y&& keys_out, W&& values_out,
                           const Offsets& offsets, const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>> && std::is_same_v<key_of<V>, key_of<W>>,
                "upsweep: segmented_sort_by_key writes the types that it reads");
  static_assert(std::is_trivially_copyable_v<key_of<V>>,
                "upsweep: values of a sort by built-in keys move as bytes; give them a trivially copyable type");
  const auto from = operand_of(keys), to = operand_of(keys_out);
  const auto with = operand_of(values), with_out = operand_of(values_out);
  check_pairs(where, "segmented_sort_by_key", from, with, to, with_out);
  check_apart(where, "segmented_sort_by_key", to, operand_of(offsets));
  check_apart(where, "segmented_sort_by_key", with_out, operand_of(offsets));
  auto p = problem_of(sort_room::primitive::segmented_sort, "segmented_sort_by_key", from, options);
  p.out = to.where, p.in2 = with.where, p.out2 = with_out.where, p.value_bytes = sizeof(key_of<V>);
  add_segments(where, "segmented_sort_by_key", p, offsets);
  execute(where, p, from.on_host);
}

template <class X, class V, class Offsets>
  requires sort_operands<X, V, Offsets>
void segmented_sort_by_key(const context& where, X&& keys, V&& values, const Offsets& offsets,
                           const sort_options& options = {}) {
  upsweep::segmented_sort_by_key(where, keys, values, keys, values, offsets, options);
}

// --- top_k and nth_element ---

template <class X, class Y, class I>
  requires sort_operands<X, Y, I>
void top_k(const context& where, const X& in, Y&& out, I&& indices,
           const sort_options& options = {.descending = true}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>>, "upsweep: top_k writes keys of the type that it reads");
  static_assert(std::is_integral_v<key_of<I>> && sizeof(key_of<I>) == 8,
                "upsweep: the indices of top_k are 64-bit integers");
  const auto from = operand_of(in), to = operand_of(out);
  const auto places = operand_of(indices);
  check_same_size("top_k", "places for keys", to.size, "places for indices", places.size);
  if (to.size > from.size)
    throw error(fault::bad_argument, "top_k",
                std::to_string(to.size) + " keys are asked for of " + std::to_string(from.size),
                "ask for no more than there are");
  check_apart(where, "top_k", from, to);
  check_apart(where, "top_k", from, places);
  check_apart(where, "top_k", to, places);
  auto p = problem_of(sort_room::primitive::top_k, "top_k", from, options);
  p.m = to.size, p.out = to.where, p.out2 = places.where;
  execute(where, p, from.on_host);
}

template <class X, class Y>
  requires sort_operands<X, Y>
void top_k(const context& where, const X& in, Y&& out, const sort_options& options = {.descending = true}) {
  const auto to = sort_room::operand_of(out);
  if constexpr (!is_device_span<std::remove_cvref_t<Y>>) {
    std::vector<std::uint64_t> unwanted(to.size);
    upsweep::top_k(where, in, out, unwanted, options);
  } else {
    const memory unwanted = where.dev().scratch("sort/unwanted", std::max<std::uint64_t>(to.size * 8, 16));
    upsweep::top_k(where, in, out, device_span<std::uint64_t>(unwanted, to.size), options);
  }
}

template <class X>
  requires sort_operand<X>
key_of<X> nth_element(const context& where, const X& in, std::uint64_t k, const sort_options& options = {}) {
  using namespace sort_room;
  const auto from = operand_of(in);
  check_rank("nth_element", k, from.size);
  const auto p = problem_of(sort_room::primitive::sort, "nth_element", from, options);
  key_of<X> key;
  find_nth(where, p, k, &key, from.on_host);
  return key;
}

template <class X, class Y>
  requires sort_operands<X, Y>
void nth_element(const context& where, const X& in, Y&& out, std::uint64_t k, const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<X>, key_of<Y>>, "upsweep: nth_element writes keys of the type that it reads");
  const auto from = operand_of(in), to = operand_of(out);
  check_same_size("nth_element", "keys", from.size, "places for them", to.size);
  check_rank("nth_element", k, from.size);
  check_apart(where, "nth_element", from, to, true);
  auto p = problem_of(sort_room::primitive::sort, "nth_element", from, options);
  p.out = to.where;
  rearrange_around_nth(where, p, k, from.on_host);
}

// --- merge ---

template <class A, class B, class Y>
  requires sort_operands<A, B, Y>
void merge(const context& where, const A& a, const B& b, Y&& out, const sort_options& options = {}) {
  using namespace sort_room;
  static_assert(std::is_same_v<key_of<A>, key_of<Y>> && std::is_same_v<key_of<B>, key_of<Y>>,
                "upsweep: merge has keys of one type");
  const auto first = operand_of(a), second = operand_of(b), to = operand_of(out);
  check_same_size("merge", "keys in both", first.size + second.size, "places for them", to.size);
  check_apart(where, "merge", first, to);
  check_apart(where, "merge", second, to);
  auto p = problem_of(sort_room::primitive::merge, "merge", first, options);
  p.in2 = second.where, p.m = second.size, p.out = to.where;
  execute(where, p, first.on_host);
}

template <class A, class B, class Y, class Compare, class CompiledBy = this_compiler>
  requires sort_operands<A, B, Y> && sort_comparator<Compare, key_of<A>>
void merge(const context& where, const A& a, const B& b, Y&& out, const Compare& compare) {
  using namespace sort_room;
  using T = key_of<A>;
  if constexpr (is_builtin_order<Compare, T>) {
    upsweep::merge(where, a, b, out, sort_options{.descending = is_greater<Compare, T>});
  } else {
    const auto first = operand_of(a), second = operand_of(b), to = operand_of(out);
    check_same_size("merge", "keys in both", first.size + second.size, "places for them", to.size);
    check_apart(where, "merge", first, to);
    check_apart(where, "merge", second, to);
    if (first.on_host || where.kind() == backend::cpu) {
      // The way to the device and back would be longer than the work.
      const T *x = first.where.template as<const T>(), *y = second.where.template as<const T>();
      T* const z = to.where.template as<T>();
      merge_two(x, first.size, y, second.size, compare,
                [&](bool from_first, std::uint64_t i, std::uint64_t k) { z[k] = from_first ? x[i] : y[i]; });
      return;
    }
    if (where.kind() == backend::opencl) throw comparator_not_on_opencl("merge");
#if defined(__CUDACC__)
    cuda::merge_by_comparing(where.dev(), first.where.template as<const T>(), first.size,
                             second.where.template as<const T>(), second.size, to.where.template as<T>(), compare);
#else
    throw comparator_needs_nvcc("merge");
#endif
  }
}

// --- is_sorted ---

// Enqueued; `count` is one element.
template <class T>
void is_sorted_until(const context& where, device_span<const T> in, device_span<std::uint64_t> count,
                     const sort_options& options = {}) {
  using namespace sort_room;
  const auto from = operand_of(in);
  check_same_size("is_sorted_until", "places for the answer", count.size(), "answer", 1);
  auto p = problem_of(sort_room::primitive::is_sorted, "is_sorted_until", from, options);
  p.count = count.where();
  execute(where, p, false);
}

template <class X>
  requires sort_operand<X>
std::uint64_t is_sorted_until(const context& where, const X& in, const sort_options& options = {}) {
  using namespace sort_room;
  const auto from = operand_of(in);
  auto p = problem_of(sort_room::primitive::is_sorted, "is_sorted_until", from, options);
  std::uint64_t count = 0;
  if (from.on_host) {
    p.count = {&count, 0};
    execute(where, p, true);
  } else {
    p.count = where.dev().scratch("sort/count", 16);
    execute(where, p, false);
    where.dev().download(&count, p.count, sizeof count);
  }
  return count;
}

template <class X, class Compare, class CompiledBy = this_compiler>
  requires sort_operand<X> && sort_comparator<Compare, key_of<X>>
std::uint64_t is_sorted_until(const context& where, const X& in, const Compare& compare) {
  using namespace sort_room;
  using T = key_of<X>;
  if constexpr (is_builtin_order<Compare, T>) {
    return upsweep::is_sorted_until(where, in, sort_options{.descending = is_greater<Compare, T>});
  } else {
    const auto from = operand_of(in);
    if (where.kind() == backend::cpu)
      return cpu::is_sorted_until(where.dev(), from.where.template as<const T>(), from.size, compare);
    if (from.on_host) {
      const T* end = std::is_sorted_until(from.data, from.data + from.size, compare);
      return static_cast<std::uint64_t>(end - from.data);
    }
    if (where.kind() == backend::opencl) throw comparator_not_on_opencl("is_sorted_until");
#if defined(__CUDACC__)
    return cuda::is_sorted_until(where.dev(), from.where.template as<const T>(), from.size, compare);
#else
    throw comparator_needs_nvcc("is_sorted_until");
#endif
  }
}

template <class X, class... Order>
  requires sort_operand<X> && requires(const context& where, const X& in, const Order&... order) {
    upsweep::is_sorted_until(where, in, order...);
  }
bool is_sorted(const context& where, const X& in, const Order&... order) {
  return upsweep::is_sorted_until(where, in, order...) == sort_room::operand_of(in).size;
}
template <class X>
  requires sort_operand<X>
bool is_sorted(const context& where, const X& in, const sort_options& options) {
  return upsweep::is_sorted_until(where, in, options) == sort_room::operand_of(in).size;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
