// Implementation of device_counted.hpp. On the CPU the call reads the count and works on the first n elements. On other
// devices it works on the whole span: it copies the input to scratch memory, pads it after the first n elements with
// values that do not change their result, and takes the results of the first n elements from there.
#pragma once

#include <cmath>
#include <limits>

#include "upsweep/core/no_overload.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/device_counted/device_counted_steps.hpp"
#include "upsweep/for_each/jit/for_each_jit.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/for_each_cuda.cuh"
#endif

namespace upsweep {

template <class T>
class device_counted_span {
 public:
  device_counted_span(device_span<T> all, core::operand<const std::uint64_t> count) : all_(all), count_(count) {
    if (count.size() != 1)
      core::throw_error(error(fault::bad_argument, "device_counted",
                              "the count's span has " + std::to_string(count.size()) + " elements",
                              "give exactly one"));
  }

  device_span<T> span() const { return all_; }
  std::uint64_t size() const { return all_.size(); }
  core::operand<const std::uint64_t> count() const { return count_; }

  // On the CPU.
  std::uint64_t held() const { return (std::min)(*count_.data(), all_.size()); }
  device_span<T> first() const { return all_.subspan(0, held()); }

 private:
  device_span<T> all_;
  core::operand<const std::uint64_t> count_;
};

template <class T>
inline constexpr bool core::has_own_calls<device_counted_span<T>> = true;

namespace detail::device_counted_impl {

using namespace core;

template <class T>
device_span<T> span_of(device_span<T> s) {
  return s;
}
template <class T>
device_span<T> span_of(buffer<T>& b) {
  return b.span();
}
template <class T>
device_span<const T> span_of(const buffer<T>& b) {
  return b.span();
}
template <class T>
device_span<T> span_of(operand<T> o) {
  return {o.where(), o.size()};
}

// --- the steps, of elements of a type ---

template <class T>
step step_on(step_kind what, memory in, memory out, std::uint64_t size, memory count) {
  static_assert(sizeof(T) <= most_bytes,
                "upsweep: elements of counted calls have at most 64 bytes; move indices of larger ones");
  constexpr std::size_t word = alignof(T) < 8 ? alignof(T) : 8;
  step s;
  s.what = what, s.in = in, s.out = out, s.size = size, s.count = count;
  s.word_bytes = word, s.words = sizeof(T) / word;
  return s;
}

template <class T>
device_span<T> scratch_of(const context& where, const char* name, std::uint64_t n) {
  return {where.device().scratch(name, std::max<std::uint64_t>(n * sizeof(T), 16)), n};
}

template <class T>
using plain = std::remove_const_t<T>;

template <class T>
void require_reach_of(const context& where, const device_counted_span<T>& x) {
  core::require_reach("a call on counted elements", where,
                      {{"the input", operand<const plain<T>>(x.span())}, {"the count", x.count()}});
}

// A copy of the span in scratch memory, padded with `value` after the first n elements.
template <class T>
device_span<plain<T>> padded(const context& where, const char* name, const device_counted_span<T>& x,
                             const plain<T>& value) {
  detail::device_counted_impl::require_reach_of(where, x);
  const auto to = detail::device_counted_impl::scratch_of<plain<T>>(where, name, x.size());
  step s = step_on<plain<T>>(step_kind::pad, x.span().where(), to.where(), x.size(), x.count().where());
  std::memcpy(s.value, &value, sizeof value);
  detail::device_counted_impl::run(where.device(), s);
  return to;
}
template <class T>
device_span<plain<T>> padded_unlike_last(const context& where, const char* name, const device_counted_span<T>& x) {
  detail::device_counted_impl::require_reach_of(where, x);
  const auto to = detail::device_counted_impl::scratch_of<plain<T>>(where, name, x.size());
  detail::device_counted_impl::run(where.device(), step_on<plain<T>>(step_kind::pad_unlike_last, x.span().where(),
                                                                     to.where(), x.size(), x.count().where()));
  return to;
}
// The first *count of `from`.
template <class T>
void take(const context& where, device_span<T> from, operand<T> to, memory count) {
  detail::device_counted_impl::run(
      where.device(), step_on<T>(step_kind::take, from.where(), to.where(), (std::min)(from.size(), to.size()), count));
}
// out[0] = raw[0] minus the count of the padding, where *count of the `size` elements are not padding.
inline void correct(const context& where, memory raw, memory count, std::uint64_t size, bool each, memory out) {
  step s = step_on<std::uint64_t>(step_kind::correct, raw, out, size, count);
  s.each = each;
  detail::device_counted_impl::run(where.device(), s);
}

// In scratch, one after the other: a count as the call says, as it is, and another.
struct counts {
  explicit counts(const context& where)
      : all(detail::device_counted_impl::scratch_of<std::uint64_t>(where, "device_counted/counts", 3)),
        raw(all.subspan(0, 1)),
        corrected(all.subspan(1, 1)),
        others(all.subspan(2, 1)) {}
  device_span<std::uint64_t> all, raw, corrected, others;
};

template <class T>
void require_movable(const context& where, const char* call) {
  core::require_trivial_copies<T>(where, call);
}

// --- the calls ---

// A key that no other key follows in this order, with respect to the bits that are compared.
template <class K>
K last_in_order(const sort_options& o) {
  const bool down = o.descending;
  if constexpr (std::is_same_v<K, bool>) {
    return !down;
  } else if constexpr (std::is_same_v<K, half>) {
    return half::of_bits(!down ? 0x7fff : o.last_bit == 0 || o.last_bit == 16 ? 0xfc00 : 0);
  } else if constexpr (std::is_floating_point_v<K>) {
    using limits = std::numeric_limits<K>;
    return !down ? limits::quiet_NaN() : o.last_bit == 0 || o.last_bit == 8 * sizeof(K) ? -limits::infinity() : K(0);
  } else {
    return down ? std::numeric_limits<K>::lowest() : (std::numeric_limits<K>::max)();
  }
}

inline error no_comparator(const char* call, backend b) {
  return {
      fault::unsupported, call,
      "on a " + std::string(name_of(b)) + " device a counted span is sorted in a built-in order, not by a comparator",
      "give sort_options, or sort a subspan of as many elements as the host knows of"};
}
inline error no_keys_of_ones_own(const char* call, backend b) {
  return {fault::unsupported, call,
          "on a " + std::string(name_of(b)) + " device a counted span's keys are of a built-in type",
          "give it keys of a built-in type, or a subspan of as many as the host knows of"};
}

template <class T, class K, class Order>
void sorted(const context& where, const device_counted_span<T>& in, operand<K> out, const Order& order) {
  detail::device_counted_impl::require_reach_of(where, in);
  static_assert(std::is_same_v<plain<T>, K>, "upsweep: sort writes keys of the type that it reads");
  const operand<const K> keys(in.span());
  require_same_size("sort", "there are # keys and # output elements", keys.size(), out.size());
  require_no_overlap("sort", where, {{"the keys", keys}, {"the output", out}, {"the count", in.count()}}, 1);
  if (where.kind() == backend::cpu)
    return upsweep::sort(where, in.first(), detail::device_counted_impl::span_of(out).subspan(0, in.held()), order);
  if constexpr (!std::is_trivially_copyable_v<K>) {
    core::throw_error(needs_trivial_copies("sort", where.kind()));
  } else if constexpr (!detail::sort_impl::is_builtin_order<Order, K>) {
    core::throw_error(detail::device_counted_impl::no_comparator("sort", where.kind()));
  } else {
    const sort_options options = detail::sort_impl::options_of<K>(order);
    const auto all = detail::device_counted_impl::padded(where, "device_counted/keys", in,
                                                         detail::device_counted_impl::last_in_order<K>(options));
    upsweep::sort(where, all, options);
    detail::device_counted_impl::take(where, all, out, in.count().where());
  }
}

// Each output is its input or has nothing in common with it.
template <class T, class V, class K, class Order>
void sorted_by_key(const context& where, const device_counted_span<T>& in, operand<const V> values, operand<K> keys_out,
                   operand<V> values_out, const Order& order) {
  detail::device_counted_impl::require_reach_of(where, in);
  static_assert(std::is_same_v<plain<T>, K>, "upsweep: sort_by_key writes keys of the type that it reads");
  if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<V>) {
    core::throw_error(needs_trivial_copies("sort_by_key", where.kind()));
  } else if constexpr (!detail::sort_impl::is_builtin_order<Order, K>) {
    core::throw_error(detail::device_counted_impl::no_comparator("sort_by_key", where.kind()));
  } else {
    const sort_options options = detail::sort_impl::options_of<K>(order);
    const auto all = detail::device_counted_impl::padded(where, "device_counted/keys", in,
                                                         detail::device_counted_impl::last_in_order<K>(options));
    const auto with = detail::device_counted_impl::scratch_of<V>(where, "device_counted/values", values.size());
    if (values.size()) where.device().copy(with.where(), values.where(), values.bytes());
    upsweep::sort_by_key(where, all, with, options);
    detail::device_counted_impl::take(where, all, keys_out, in.count().where());
    detail::device_counted_impl::take(where, with, values_out, in.count().where());
  }
}
template <class T, class V, class Order>
void sorted_by_key(const context& where, const device_counted_span<T>& in, operand<V> values, const Order& order) {
  detail::device_counted_impl::require_reach_of(where, in);
  static_assert(!std::is_const_v<T>, "upsweep: this call writes its keys; this span is const");
  const operand<T> keys(in.span());
  require_same_size("sort_by_key", "there are # keys and # values", keys.size(), values.size());
  require_no_overlap("sort_by_key", where, {{"the keys", keys}, {"the values", values}, {"the count", in.count()}});
  if (where.kind() == backend::cpu)
    return upsweep::sort_by_key(where, in.first(), detail::device_counted_impl::span_of(values).subspan(0, in.held()),
                                order);
  detail::device_counted_impl::sorted_by_key(where, in, operand<const V>(detail::device_counted_impl::span_of(values)),
                                             keys, values, order);
}

// The first n results do not depend on the elements after them, so the scan needs no padding.
template <class T, class A, class Scan>
void scanned(const context& where, const device_counted_span<T>& in, operand<A> out, const Scan& scan) {
  detail::device_counted_impl::require_reach_of(where, in);
  const operand<const plain<T>> x(in.span());
  require_same_size("scan", "the input has # elements and the output #", x.size(), out.size());
  require_no_overlap("scan", where, {{"the input", x}, {"the output", out}, {"the count", in.count()}},
                     std::is_same_v<plain<T>, A> ? 1 : 0);
  if (where.kind() == backend::cpu)
    return scan(in.first(), detail::device_counted_impl::span_of(out).subspan(0, in.held()));
  if constexpr (!std::is_trivially_copyable_v<A>) {
    core::throw_error(needs_trivial_copies("scan", where.kind()));
  } else {
    const auto all = detail::device_counted_impl::scratch_of<A>(where, "device_counted/scanned", x.size());
    scan(in.span(), all);
    detail::device_counted_impl::take(where, all, out, in.count().where());
  }
}

template <class T, class V, class A, class Scan>
void scanned_by_key(const context& where, const device_counted_span<T>& keys, operand<const V> values, operand<A> out,
                    const Scan& scan) {
  detail::device_counted_impl::require_reach_of(where, keys);
  require_same_size("scan_by_key", "the keys have # elements and the values #", keys.size(), values.size());
  detail::device_counted_impl::scanned(
      where, device_counted_span<const V>(detail::device_counted_impl::span_of(values), keys.count()), out,
      [&](auto x, auto y) { scan(keys.span().subspan(0, x.size()), x, y); });
}

template <class T, class A, class Op>
void reduced(const context& where, const device_counted_span<T>& in, device_span<A> out, A init, const Op& op) {
  detail::device_counted_impl::require_reach_of(where, in);
  static_assert(std::is_same_v<plain<T>, A>,
                "upsweep: a counted span is folded in its elements' type; give an output of that type");
  core::require_fold<A, Op>();
  if (where.kind() == backend::cpu) return upsweep::reduce(where, in.first(), out, init, op);
  if constexpr (!std::is_trivially_copyable_v<A>) {
    core::throw_error(needs_trivial_copies("reduce", where.kind()));
  } else {
    require_no_overlap("reduce", where, {{"the input", operand<const A>(in.span())}, {"the output", operand<A>(out)}});
    upsweep::reduce(where, detail::device_counted_impl::padded(where, "device_counted/reduced", in, identity_of<A>(op)),
                    out, init, op);
  }
}

// fold(keys, values, firsts, folds, count) is reduce_by_key of all of them, whose operator has that identity.
template <class T, class V, class K, class Fold>
void folded_by_key(const context& where, const device_counted_span<T>& in, operand<const V> values, operand<K> keys_out,
                   operand<V> out, device_span<std::uint64_t> runs, const V& identity, const Fold& fold) {
  detail::device_counted_impl::require_reach_of(where, in);
  const device_counted_span<const V> held(detail::device_counted_impl::span_of(values), in.count());
  const auto keys = detail::device_counted_impl::padded_unlike_last(where, "device_counted/keys", in);
  const auto x = detail::device_counted_impl::padded(where, "device_counted/values", held, identity);
  const auto firsts = detail::device_counted_impl::scratch_of<K>(where, "device_counted/firsts", in.size());
  const auto folds = detail::device_counted_impl::scratch_of<V>(where, "device_counted/folds", in.size());
  const counts count(where);
  fold(keys, x, firsts, folds, count.raw);
  detail::device_counted_impl::correct(where, count.raw.where(), in.count().where(), in.size(), false,
                                       count.corrected.where());
  detail::device_counted_impl::take(where, firsts, keys_out, count.corrected.where());
  detail::device_counted_impl::take(where, folds, out, count.corrected.where());
  where.device().copy(runs.where(), count.corrected.where(), sizeof(std::uint64_t));
}

template <class T, class V, class KOut, class A, class Op>
void reduced_by_key(const context& where, const device_counted_span<T>& in, operand<const V> values,
                    operand<KOut> keys_out, operand<A> out, device_span<std::uint64_t> runs, const Op& op) {
  detail::device_counted_impl::require_reach_of(where, in);
  using K = plain<T>;
  static_assert(std::is_same_v<K, KOut> && std::is_same_v<V, A>,
                "upsweep: reduce_by_key writes keys and folds of the types that it reads");
  core::require_fold<V, Op>();
  const char* const name = "reduce_by_key";
  require_same_size(name, "the keys have # elements and the values #", in.size(), values.size());
  require_capacity(name, "the keys' output", keys_out.size(), in.size());
  require_capacity(name, "the output", out.size(), in.size());
  require_capacity(name, "the count", runs.size(), 1);
  if (where.kind() == backend::cpu)
    return upsweep::reduce_by_key(where, in.first(), detail::device_counted_impl::span_of(values).subspan(0, in.held()),
                                  detail::device_counted_impl::span_of(keys_out),
                                  detail::device_counted_impl::span_of(out), runs, op);
  require_no_overlap(name, where,
                     {{"the keys", operand<const K>(in.span())},
                      {"the values", values},
                      {"the keys' output", keys_out},
                      {"the output", out},
                      {"the number of runs", operand<std::uint64_t>(runs)}});
  if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<V>) {
    core::throw_error(needs_trivial_copies(name, where.kind()));
  } else if constexpr (!builtin_type<K>) {
    core::throw_error(detail::device_counted_impl::no_keys_of_ones_own(name, where.kind()));
  } else {
    detail::device_counted_impl::folded_by_key(where, in, values, keys_out, out, runs, identity_of<V>(op),
                                               [&](auto k, auto x, auto firsts, auto folds, auto n) {
                                                 upsweep::reduce_by_key(where, k, x, firsts, folds, n, op);
                                               });
  }
}

// Requirements of every selection.
template <class T, class U>
void require_selection(const char* call, const context& where, const device_counted_span<T>& in, operand<U> out,
                       device_span<std::uint64_t> selected) {
  static_assert(std::is_same_v<plain<T>, U>, "upsweep: the output must have the type of the elements");
  require_capacity(call, "the output", out.size(), in.size());
  require_capacity(call, "the count", selected.size(), 1);
  require_no_overlap(call, where,
                     {{"the input", operand<const U>(in.span())},
                      {"the output", out},
                      {"the count", operand<std::uint64_t>(selected)}},
                     1);
}

// Flags for a user-defined test: its results for the first n elements, 0 for all others.
template <class T, class Test>
struct flagging {
  const T* in;
  const std::uint64_t* count;
  std::uint64_t size;
  std::uint8_t* flags;
  Test test;
  bool negated;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    const std::uint64_t n = *count < size ? *count : size;
    flags[i] = i < n && static_cast<bool>(core::call(test, in[i])) != negated;
  }
};

// The same by the test's device source. Enqueued.
template <class T, class Test>
void flag_jit(device& d, const char* call, const device_counted_span<T>& in, const Test& test, bool negated,
              device_span<std::uint8_t> flags) {
  opencl::index_source s;
  s.call = call, s.before.call = call, s.before.of = opencl::compiler_of(d);
  opencl::add_test(s.before, s.before.type<plain<T>>(), "counted_test", opencl::source_of(test));
  const device_span<const std::uint64_t> count(in.count().where(), 1);
  opencl::add_named(s.operands, "flags", flags, "elements", device_span<const plain<T>>(in.span()), "held", count,
                    "most", in.size());
  s.statements = std::string("flags[i] = (uchar)(i < most && i < held[0] && ") + (negated ? "!" : "") +
                 "counted_test(elements[i]));";
  d.kind() == backend::cuda ? cuda::for_each_jit(d, in.size(), s) : opencl::for_each_jit(d, in.size(), s);
}

inline error needs_tests_source(const char* call, backend b) {
  return {fault::unsupported, call,
          "on a " + std::string(name_of(b)) +
              " device a counted span is selected by a built-in test or by one with device source",
          b == backend::cuda ? "give the test device source (upsweep/jit/jit.hpp), or move the call into a "
                               ".cu file"
                             : "give the test device source (upsweep/jit/jit.hpp), or use a CPU context"};
}

inline namespace UPSWEEP_COMPILED {

template <class By, class T, class Test>
device_span<std::uint8_t> flags_of(const context& where, const char* call, const device_counted_span<T>& in,
                                   const Test& test, bool negated) {
  [[maybe_unused]] const auto make_space = [&] {
    return detail::device_counted_impl::scratch_of<std::uint8_t>(where, "device_counted/flags", in.size());
  };
#if defined(__CUDACC__)
  if constexpr (!core::is_only_source<Test>)
    if (where.kind() == backend::cuda) {
      const auto flags = make_space();
      cuda::for_each_index(
          where.device(), in.size(),
          flagging<plain<T>, Test>{in.span().data(), in.count().data(), in.size(), flags.data(), test, negated});
      return flags;
    }
#endif
  if constexpr (cuda::has_tests_source<plain<T>, Test>) {
    const auto flags = make_space();
    detail::device_counted_impl::flag_jit(where.device(), call, in, test, negated, flags);
    return flags;
  } else {
    (void)in, (void)test, (void)negated;
    core::throw_error(detail::device_counted_impl::needs_tests_source(call, where.kind()));
  }
}

}  // namespace UPSWEEP_COMPILED

template <class By, class T, class U, class Test>
void select_if(const context& where, const device_counted_span<T>& in, operand<U> out,
               device_span<std::uint64_t> selected, const Test& test) {
  detail::device_counted_impl::require_reach_of(where, in);
  detail::select_impl::require_test<U, Test>();
  detail::device_counted_impl::require_selection("copy_if", where, in, out, selected);
  if (where.kind() == backend::cpu)
    return upsweep::copy_if(where, in.first(), detail::device_counted_impl::span_of(out).subspan(0, in.held()),
                            selected, test);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    core::throw_error(needs_trivial_copies("copy_if", where.kind()));
  } else if constexpr (!detail::select_impl::builtin_test<U, Test>) {
    upsweep::select_flagged(where, in.span(),
                            detail::device_counted_impl::flags_of<By>(where, "copy_if", in, test, false),
                            detail::device_counted_impl::span_of(out), selected);
  } else {
    const auto all = detail::device_counted_impl::padded(where, "device_counted/kept", in, test.threshold);
    // If the threshold passes its own test, the padding is kept after all other elements. Otherwise it is not selected.
    if (!test(test.threshold))
      return upsweep::copy_if(where, all, detail::device_counted_impl::span_of(out), selected, test);
    const auto passing = detail::device_counted_impl::scratch_of<U>(where, "device_counted/passing", in.size());
    const counts count(where);
    upsweep::copy_if(where, all, passing, count.raw, test);
    detail::device_counted_impl::correct(where, count.raw.where(), in.count().where(), in.size(), true,
                                         count.corrected.where());
    detail::device_counted_impl::take(where, passing, out, count.corrected.where());
    where.device().copy(selected.where(), count.corrected.where(), sizeof(std::uint64_t));
  }
}

template <class T, class U>
void select_by_flag(const context& where, const device_counted_span<T>& in, operand<const std::uint8_t> flags,
                    operand<U> out, device_span<std::uint64_t> selected) {
  detail::device_counted_impl::require_reach_of(where, in);
  require_same_size("select_flagged", "there are # elements and # flags", in.size(), flags.size());
  detail::device_counted_impl::require_selection("select_flagged", where, in, out, selected);
  if (where.kind() == backend::cpu)
    return upsweep::select_flagged(where, in.first(), detail::device_counted_impl::span_of(flags).subspan(0, in.held()),
                                   detail::device_counted_impl::span_of(out).subspan(0, in.held()), selected);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    core::throw_error(needs_trivial_copies("select_flagged", where.kind()));
  } else {
    const device_counted_span<const std::uint8_t> held(detail::device_counted_impl::span_of(flags), in.count());
    upsweep::select_flagged(where, in.span(),
                            detail::device_counted_impl::padded(where, "device_counted/flags", held, std::uint8_t{0}),
                            detail::device_counted_impl::span_of(out), selected);
  }
}

template <class By, class T, class U, class Test>
void parted(const context& where, const device_counted_span<T>& in, operand<U> out, device_span<std::uint64_t> selected,
            const Test& test) {
  detail::device_counted_impl::require_reach_of(where, in);
  detail::select_impl::require_test<U, Test>();
  detail::device_counted_impl::require_selection("partition", where, in, out, selected);
  if (where.kind() == backend::cpu)
    return upsweep::partition(where, in.first(), detail::device_counted_impl::span_of(out).subspan(0, in.held()),
                              selected, test);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    core::throw_error(needs_trivial_copies("partition", where.kind()));
  } else {
    const auto both = detail::device_counted_impl::scratch_of<U>(where, "device_counted/passing", in.size());
    const counts count(where);
    step s = step_on<U>(step_kind::join, both.where(), out.where(), in.size(), in.count().where());
    s.kept = count.all.where();
    if constexpr (detail::select_impl::builtin_test<U, Test>) {
      const bool padding_passes = test(test.threshold);
      upsweep::partition(where, detail::device_counted_impl::padded(where, "device_counted/kept", in, test.threshold),
                         both, count.raw, test);
      if (padding_passes)
        detail::device_counted_impl::correct(where, count.raw.where(), in.count().where(), in.size(), true,
                                             count.corrected.where());
      else
        where.device().copy(count.corrected.where(), count.raw.where(), sizeof(std::uint64_t));
      s.in2 = both.where(), s.behind = true;
    } else {
      // The result of a user-defined test for padding is unknown, so its results are stored as flags.
      const auto rest = detail::device_counted_impl::scratch_of<U>(where, "device_counted/rest", in.size());
      upsweep::select_flagged(where, in.span(),
                              detail::device_counted_impl::flags_of<By>(where, "partition", in, test, false), both,
                              count.corrected);
      upsweep::select_flagged(where, in.span(),
                              detail::device_counted_impl::flags_of<By>(where, "partition", in, test, true), rest,
                              count.others);
      s.in2 = rest.where();
    }
    detail::device_counted_impl::run(where.device(), s);
    where.device().copy(selected.where(), count.corrected.where(), sizeof(std::uint64_t));
  }
}

template <class T, class U>
void first_of_runs(const context& where, const device_counted_span<T>& in, operand<U> out,
                   device_span<std::uint64_t> selected) {
  detail::device_counted_impl::require_reach_of(where, in);
  detail::device_counted_impl::require_selection("unique", where, in, out, selected);
  if (where.kind() == backend::cpu)
    return upsweep::unique(where, in.first(), detail::device_counted_impl::span_of(out).subspan(0, in.held()),
                           selected);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    core::throw_error(needs_trivial_copies("unique", where.kind()));
  } else if constexpr (!builtin_type<U>) {
    core::throw_error(detail::device_counted_impl::no_keys_of_ones_own("unique", where.kind()));
  } else {
    const auto firsts = detail::device_counted_impl::scratch_of<U>(where, "device_counted/firsts", in.size());
    const counts count(where);
    upsweep::unique(where, detail::device_counted_impl::padded_unlike_last(where, "device_counted/keys", in), firsts,
                    count.raw);
    detail::device_counted_impl::correct(where, count.raw.where(), in.count().where(), in.size(), false,
                                         count.corrected.where());
    detail::device_counted_impl::take(where, firsts, out, count.corrected.where());
    where.device().copy(selected.where(), count.corrected.where(), sizeof(std::uint64_t));
  }
}

// A sample of the padding, and the bin it falls into: of floats none.
template <class T>
T padding_sample() {
  if constexpr (std::is_same_v<T, half>) {
    return half::of_bits(0x7fff);
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    return T{};
  }
}

template <class T, class Bound>
void histogram_of(const context& where, const device_counted_span<T>& in, operand<std::uint64_t> bins, Bound lower,
                  Bound upper) {
  detail::device_counted_impl::require_reach_of(where, in);
  using S = plain<T>;
  static_assert(builtin_type<S>,
                "upsweep: histograms take samples of built-in types; map each sample to a number first");
  const auto to = detail::device_counted_impl::span_of(bins);
  if (where.kind() == backend::cpu) return upsweep::histogram(where, in.first(), to, lower, upper);
  require_no_overlap("histogram", where,
                     {{"the samples", operand<const S>(in.span())}, {"the output", bins}, {"the count", in.count()}});
  const S value = detail::device_counted_impl::padding_sample<S>();
  upsweep::histogram(where, detail::device_counted_impl::padded(where, "device_counted/samples", in, value), to, lower,
                     upper);
  const std::uint32_t bin = detail::histogram_impl::even_bins<S>::of(lower, upper, bins.size())(value);
  if (bin == detail::histogram_impl::no_bin) return;
  const memory at = bins.part(bin, 1).where();
  detail::device_counted_impl::correct(where, at, in.count().where(), in.size(), true, at);
}

}  // namespace detail::device_counted_impl
}  // namespace upsweep
