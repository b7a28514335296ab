// What counted.hpp's forms end in. On the CPU the count is read and the call made on what it leaves. Elsewhere the call
// works on the whole span, with a tail that cannot be told from none: in scratch, and what belongs to the first n is
// taken from there.
#pragma once

#include <cmath>
#include <limits>

#include "upsweep/core/call.hpp"
#include "upsweep/counted/steps.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/cuda.cuh"
#endif

namespace upsweep {

template <class T>
class counted_span {
 public:
  counted_span(device_span<T> all, core::operand<const std::uint64_t> count) : all_(all), count_(count) {
    if (count.size() != 1)
      throw error(fault::bad_argument, "counted", "the count's span has " + std::to_string(count.size()) + " elements",
                  "give it exactly one");
  }

  device_span<T> span() const { return all_; }
  std::uint64_t size() const { return all_.size(); }
  core::operand<const std::uint64_t> count() const { return count_; }

  // On the CPU.
  std::uint64_t held() const { return std::min(*count_.data(), all_.size()); }
  device_span<T> first() const { return all_.subspan(0, held()); }

 private:
  device_span<T> all_;
  core::operand<const std::uint64_t> count_;
};

namespace counted_room {

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
  return {where.dev().scratch(name, std::max<std::uint64_t>(n * sizeof(T), 16)), n};
}

template <class T>
using plain = std::remove_const_t<T>;

// A copy of the span in scratch, in which what is not held has that value.
template <class T>
device_span<plain<T>> padded(const context& where, const char* name, const counted_span<T>& x, const plain<T>& value) {
  const auto to = counted_room::scratch_of<plain<T>>(where, name, x.size());
  step s = step_on<plain<T>>(step_kind::pad, x.span().where(), to.where(), x.size(), x.count().where());
  std::memcpy(s.value, &value, sizeof value);
  counted_room::run(where.dev(), s);
  return to;
}
template <class T>
device_span<plain<T>> padded_unlike_last(const context& where, const char* name, const counted_span<T>& x) {
  const auto to = counted_room::scratch_of<plain<T>>(where, name, x.size());
  counted_room::run(where.dev(), step_on<plain<T>>(step_kind::pad_unlike_last, x.span().where(), to.where(), x.size(),
                                                   x.count().where()));
  return to;
}
// The first *count of `from`.
template <class T>
void take(const context& where, device_span<T> from, operand<T> to, memory count) {
  counted_room::run(where.dev(),
                    step_on<T>(step_kind::take, from.where(), to.where(), std::min(from.size(), to.size()), count));
}
// out[0] = raw[0] less what the padding of `size` elements, of which *count are held, added.
inline void correct(const context& where, memory raw, memory count, std::uint64_t size, bool each, memory out) {
  step s = step_on<std::uint64_t>(step_kind::correct, raw, out, size, count);
  s.each = each;
  counted_room::run(where.dev(), s);
}

// In scratch, one after the other: a count as the call says, as it is, and another.
struct counts {
  explicit counts(const context& where)
      : all(counted_room::scratch_of<std::uint64_t>(where, "counted/counts", 3)),
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

// A key behind which none stands, in whichever bits are asked about.
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
    return down ? std::numeric_limits<K>::lowest() : std::numeric_limits<K>::max();
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
void sorted(const context& where, const counted_span<T>& in, operand<K> out, const Order& order) {
  static_assert(std::is_same_v<plain<T>, K>, "upsweep: sort writes keys of the type that it reads");
  const operand<const K> keys(in.span());
  require_same_size("sort", "there are # keys and # places for them", keys.size(), out.size());
  require_apart("sort", where, {{"the keys", keys}, {"the output", out}, {"the count", in.count()}}, 1);
  if (where.kind() == backend::cpu)
    return upsweep::sort(where, in.first(), counted_room::span_of(out).subspan(0, in.held()), order);
  if constexpr (!std::is_trivially_copyable_v<K>) {
    throw needs_trivial_copies("sort", where.kind());
  } else if constexpr (!sort_room::is_builtin_order<Order, K>) {
    throw counted_room::no_comparator("sort", where.kind());
  } else {
    const sort_options options = sort_room::options_of<K>(order);
    const auto all = counted_room::padded(where, "counted/keys", in, counted_room::last_in_order<K>(options));
    upsweep::sort(where, all, options);
    counted_room::take(where, all, out, in.count().where());
  }
}

// Each output is its input or has nothing in common with it.
template <class T, class V, class K, class Order>
void sorted_by_key(const context& where, const counted_span<T>& in, operand<const V> values, operand<K> keys_out,
                   operand<V> values_out, const Order& order) {
  static_assert(std::is_same_v<plain<T>, K>, "upsweep: sort_by_key writes keys of the type that it reads");
  if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<V>) {
    throw needs_trivial_copies("sort_by_key", where.kind());
  } else if constexpr (!sort_room::is_builtin_order<Order, K>) {
    throw counted_room::no_comparator("sort_by_key", where.kind());
  } else {
    const sort_options options = sort_room::options_of<K>(order);
    const auto all = counted_room::padded(where, "counted/keys", in, counted_room::last_in_order<K>(options));
    const auto with = counted_room::scratch_of<V>(where, "counted/values", values.size());
    if (values.size()) where.dev().copy(with.where(), values.where(), values.bytes());
    upsweep::sort_by_key(where, all, with, options);
    counted_room::take(where, all, keys_out, in.count().where());
    counted_room::take(where, with, values_out, in.count().where());
  }
}
template <class T, class V, class Order>
void sorted_by_key(const context& where, const counted_span<T>& in, operand<V> values, const Order& order) {
  static_assert(!std::is_const_v<T>, "upsweep: this call writes its keys; this span is const");
  const operand<T> keys(in.span());
  require_same_size("sort_by_key", "there are # keys and # values", keys.size(), values.size());
  require_apart("sort_by_key", where, {{"the keys", keys}, {"the values", values}, {"the count", in.count()}});
  if (where.kind() == backend::cpu)
    return upsweep::sort_by_key(where, in.first(), counted_room::span_of(values).subspan(0, in.held()), order);
  counted_room::sorted_by_key(where, in, operand<const V>(counted_room::span_of(values)), keys, values, order);
}

// What comes first depends on nothing behind it.
template <class T, class A, class Scan>
void scanned(const context& where, const counted_span<T>& in, operand<A> out, const Scan& scan) {
  const operand<const plain<T>> x(in.span());
  require_same_size("scan", "the input has # elements and the output #", x.size(), out.size());
  require_apart("scan", where, {{"the input", x}, {"the output", out}, {"the count", in.count()}},
                std::is_same_v<plain<T>, A> ? 1 : 0);
  if (where.kind() == backend::cpu) return scan(in.first(), counted_room::span_of(out).subspan(0, in.held()));
  if constexpr (!std::is_trivially_copyable_v<A>) {
    throw needs_trivial_copies("scan", where.kind());
  } else {
    const auto all = counted_room::scratch_of<A>(where, "counted/scanned", x.size());
    scan(in.span(), all);
    counted_room::take(where, all, out, in.count().where());
  }
}

template <class T, class V, class A, class Scan>
void scanned_by_key(const context& where, const counted_span<T>& keys, operand<const V> values, operand<A> out,
                    const Scan& scan) {
  require_same_size("scan_by_key", "the keys have # elements and the values #", keys.size(), values.size());
  counted_room::scanned(where, counted_span<const V>(counted_room::span_of(values), keys.count()), out,
                        [&](auto x, auto y) { scan(keys.span().subspan(0, x.size()), x, y); });
}

template <class T, class A, class Op>
void reduced(const context& where, const counted_span<T>& in, device_span<A> out, A init, const Op& op) {
  static_assert(std::is_same_v<plain<T>, A>,
                "upsweep: a counted span is folded in its elements' type; give an output of that type");
  core::require_fold<A, Op>();
  if (where.kind() == backend::cpu) return upsweep::reduce(where, in.first(), out, init, op);
  if constexpr (!std::is_trivially_copyable_v<A>) {
    throw needs_trivial_copies("reduce", where.kind());
  } else {
    require_apart("reduce", where, {{"the input", operand<const A>(in.span())}, {"the output", operand<A>(out)}});
    upsweep::reduce(where, counted_room::padded(where, "counted/reduced", in, identity_of<A>(op)), out, init, op);
  }
}

// fold(keys, values, firsts, folds, count) is reduce_by_key of all of them, whose operator has that identity.
template <class T, class V, class K, class Fold>
void folded_by_key(const context& where, const counted_span<T>& in, operand<const V> values, operand<K> keys_out,
                   operand<V> out, device_span<std::uint64_t> runs, const V& identity, const Fold& fold) {
  const counted_span<const V> held(counted_room::span_of(values), in.count());
  const auto keys = counted_room::padded_unlike_last(where, "counted/keys", in);
  const auto x = counted_room::padded(where, "counted/values", held, identity);
  const auto firsts = counted_room::scratch_of<K>(where, "counted/firsts", in.size());
  const auto folds = counted_room::scratch_of<V>(where, "counted/folds", in.size());
  const counts count(where);
  fold(keys, x, firsts, folds, count.raw);
  counted_room::correct(where, count.raw.where(), in.count().where(), in.size(), false, count.corrected.where());
  counted_room::take(where, firsts, keys_out, count.corrected.where());
  counted_room::take(where, folds, out, count.corrected.where());
  where.dev().copy(runs.where(), count.corrected.where(), sizeof(std::uint64_t));
}

template <class T, class V, class KOut, class A, class Op>
void reduced_by_key(const context& where, const counted_span<T>& in, operand<const V> values, operand<KOut> keys_out,
                    operand<A> out, device_span<std::uint64_t> runs, const Op& op) {
  using K = plain<T>;
  static_assert(std::is_same_v<K, KOut> && std::is_same_v<V, A>,
                "upsweep: reduce_by_key writes keys and folds of the types that it reads");
  core::require_fold<V, Op>();
  const char* const name = "reduce_by_key";
  require_same_size(name, "the keys have # elements and the values #", in.size(), values.size());
  require_room(name, "the keys' output", keys_out.size(), in.size());
  require_room(name, "the output", out.size(), in.size());
  require_room(name, "the count", runs.size(), 1);
  if (where.kind() == backend::cpu)
    return upsweep::reduce_by_key(where, in.first(), counted_room::span_of(values).subspan(0, in.held()),
                                  counted_room::span_of(keys_out), counted_room::span_of(out), runs, op);
  require_apart(name, where,
                {{"the keys", operand<const K>(in.span())},
                 {"the values", values},
                 {"the keys' output", keys_out},
                 {"the output", out},
                 {"the number of runs", operand<std::uint64_t>(runs)}});
  if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<V>) {
    throw needs_trivial_copies(name, where.kind());
  } else if constexpr (!builtin_type<K>) {
    throw counted_room::no_keys_of_ones_own(name, where.kind());
  } else {
    counted_room::folded_by_key(where, in, values, keys_out, out, runs, identity_of<V>(op),
                                [&](auto k, auto x, auto firsts, auto folds, auto n) {
                                  upsweep::reduce_by_key(where, k, x, firsts, folds, n, op);
                                });
  }
}

// What is asked of every selection.
template <class T, class U>
void require_selection(const char* call, const context& where, const counted_span<T>& in, operand<U> out,
                       device_span<std::uint64_t> kept) {
  static_assert(std::is_same_v<plain<T>, U>, "upsweep: what is kept goes to an output of the elements' own type");
  require_room(call, "the output", out.size(), in.size());
  require_room(call, "the count", kept.size(), 1);
  require_apart(call, where,
                {{"the input", operand<const U>(in.span())},
                 {"the output", out},
                 {"the number kept", operand<std::uint64_t>(kept)}},
                1);
}

// Flags of the first n by a test of the caller's own; none of the others.
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

inline namespace UPSWEEP_COMPILED {

template <class By, class T, class Test>
device_span<std::uint8_t> flags_of(const context& where, const char* call, const counted_span<T>& in, const Test& test,
                                   bool negated) {
  if (where.kind() == backend::opencl) throw needs_builtin_on_opencl(call, "a test or a type");
#if defined(__CUDACC__)
  const auto flags = counted_room::scratch_of<std::uint8_t>(where, "counted/flags", in.size());
  cuda::for_each_index(
      where.dev(), in.size(),
      flagging<plain<T>, Test>{in.span().data(), in.count().data(), in.size(), flags.data(), test, negated});
  return flags;
#else
  (void)in, (void)test, (void)negated;
  throw needs_nvcc("select", call);
#endif
}

}  // namespace UPSWEEP_COMPILED

template <class By, class T, class U, class Test>
void kept_if(const context& where, const counted_span<T>& in, operand<U> out, device_span<std::uint64_t> kept,
             const Test& test) {
  select_room::require_test<U, Test>();
  counted_room::require_selection("copy_if", where, in, out, kept);
  if (where.kind() == backend::cpu)
    return upsweep::copy_if(where, in.first(), counted_room::span_of(out).subspan(0, in.held()), kept, test);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    throw needs_trivial_copies("copy_if", where.kind());
  } else if constexpr (!select_room::builtin_test<U, Test>) {
    upsweep::select_flagged(where, in.span(), counted_room::flags_of<By>(where, "copy_if", in, test, false),
                            counted_room::span_of(out), kept);
  } else {
    const auto all = counted_room::padded(where, "counted/kept", in, test.threshold);
    // The threshold either passes its own test, and then stands behind all that is kept, or is left out.
    if (!test(test.threshold)) return upsweep::copy_if(where, all, counted_room::span_of(out), kept, test);
    const auto passing = counted_room::scratch_of<U>(where, "counted/passing", in.size());
    const counts count(where);
    upsweep::copy_if(where, all, passing, count.raw, test);
    counted_room::correct(where, count.raw.where(), in.count().where(), in.size(), true, count.corrected.where());
    counted_room::take(where, passing, out, count.corrected.where());
    where.dev().copy(kept.where(), count.corrected.where(), sizeof(std::uint64_t));
  }
}

template <class T, class U>
void kept_by_flag(const context& where, const counted_span<T>& in, operand<const std::uint8_t> flags, operand<U> out,
                  device_span<std::uint64_t> kept) {
  require_same_size("select_flagged", "there are # elements and # flags", in.size(), flags.size());
  counted_room::require_selection("select_flagged", where, in, out, kept);
  if (where.kind() == backend::cpu)
    return upsweep::select_flagged(where, in.first(), counted_room::span_of(flags).subspan(0, in.held()),
                                   counted_room::span_of(out).subspan(0, in.held()), kept);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    throw needs_trivial_copies("select_flagged", where.kind());
  } else {
    const counted_span<const std::uint8_t> held(counted_room::span_of(flags), in.count());
    upsweep::select_flagged(where, in.span(), counted_room::padded(where, "counted/flags", held, std::uint8_t{0}),
                            counted_room::span_of(out), kept);
  }
}

template <class By, class T, class U, class Test>
void parted(const context& where, const counted_span<T>& in, operand<U> out, device_span<std::uint64_t> kept,
            const Test& test) {
  select_room::require_test<U, Test>();
  counted_room::require_selection("partition", where, in, out, kept);
  if (where.kind() == backend::cpu)
    return upsweep::partition(where, in.first(), counted_room::span_of(out).subspan(0, in.held()), kept, test);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    throw needs_trivial_copies("partition", where.kind());
  } else {
    const auto both = counted_room::scratch_of<U>(where, "counted/passing", in.size());
    const counts count(where);
    step s = step_on<U>(step_kind::join, both.where(), out.where(), in.size(), in.count().where());
    s.kept = count.all.where();
    if constexpr (select_room::builtin_test<U, Test>) {
      const bool padding_passes = test(test.threshold);
      upsweep::partition(where, counted_room::padded(where, "counted/kept", in, test.threshold), both, count.raw, test);
      if (padding_passes)
        counted_room::correct(where, count.raw.where(), in.count().where(), in.size(), true, count.corrected.where());
      else
        where.dev().copy(count.corrected.where(), count.raw.where(), sizeof(std::uint64_t));
      s.in2 = both.where(), s.behind = true;
    } else {
      // What a test of the caller's own would say of padding nobody knows: flags stand for its answers.
      const auto rest = counted_room::scratch_of<U>(where, "counted/rest", in.size());
      upsweep::select_flagged(where, in.span(), counted_room::flags_of<By>(where, "partition", in, test, false), both,
                              count.corrected);
      upsweep::select_flagged(where, in.span(), counted_room::flags_of<By>(where, "partition", in, test, true), rest,
                              count.others);
      s.in2 = rest.where();
    }
    counted_room::run(where.dev(), s);
    where.dev().copy(kept.where(), count.corrected.where(), sizeof(std::uint64_t));
  }
}

template <class T, class U>
void first_of_runs(const context& where, const counted_span<T>& in, operand<U> out, device_span<std::uint64_t> kept) {
  counted_room::require_selection("unique", where, in, out, kept);
  if (where.kind() == backend::cpu)
    return upsweep::unique(where, in.first(), counted_room::span_of(out).subspan(0, in.held()), kept);
  if constexpr (!std::is_trivially_copyable_v<U>) {
    throw needs_trivial_copies("unique", where.kind());
  } else if constexpr (!builtin_type<U>) {
    throw counted_room::no_keys_of_ones_own("unique", where.kind());
  } else {
    const auto firsts = counted_room::scratch_of<U>(where, "counted/firsts", in.size());
    const counts count(where);
    upsweep::unique(where, counted_room::padded_unlike_last(where, "counted/keys", in), firsts, count.raw);
    counted_room::correct(where, count.raw.where(), in.count().where(), in.size(), false, count.corrected.where());
    counted_room::take(where, firsts, out, count.corrected.where());
    where.dev().copy(kept.where(), count.corrected.where(), sizeof(std::uint64_t));
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
void histogram_of(const context& where, const counted_span<T>& in, operand<std::uint64_t> bins, Bound lower,
                  Bound upper) {
  using S = plain<T>;
  static_assert(builtin_type<S>,
                "upsweep: histograms take samples of the built-in types; give each sample a number first");
  const auto to = counted_room::span_of(bins);
  if (where.kind() == backend::cpu) return upsweep::histogram(where, in.first(), to, lower, upper);
  require_apart("histogram", where,
                {{"the samples", operand<const S>(in.span())}, {"the output", bins}, {"the count", in.count()}});
  const S value = counted_room::padding_sample<S>();
  upsweep::histogram(where, counted_room::padded(where, "counted/samples", in, value), to, lower, upper);
  const std::uint32_t bin = histogram_room::even_bins<S>::of(lower, upper, bins.size())(value);
  if (bin == histogram_room::no_bin) return;
  const memory at = bins.part(bin, 1).where();
  counted_room::correct(where, at, in.count().where(), in.size(), true, at);
}

}  // namespace counted_room
}  // namespace upsweep
