// The calls of segmented.hpp with a lazy input, an input of another type than the fold, or an output adaptor. On the
// CPU each element is read where it is folded; on CUDA the kernels' inputs and outputs are materialized in scratch.
#pragma once

#include "upsweep/core/no_overload.hpp"
#include "upsweep/outputs.hpp"
#include "upsweep/segmented.hpp"

namespace upsweep {

namespace detail::segmented_impl {

// The type of a fold of X through F: the elements of an output in memory, otherwise F's result for X.
template <class X, class Y, class F = identity>
struct fold_type {
  using type = value_through<X, F>;
};
template <class X, class Y, class F>
  requires operands<Y>
struct fold_type<X, Y, F> {
  using type = element_of<Y>;
};
template <class X, class Y, class F = identity>
using folded_in = typename fold_type<X, Y, F>::type;

template <class T>
operand<T> laid_in_scratch(const context& where, const char* name, std::uint64_t n) {
  static_assert(std::is_trivially_copyable_v<T>,
                "upsweep: CUDA moves elements as bytes; give it a trivially copyable type");
  return {where.device().scratch(name, std::max<std::uint64_t>(n * sizeof(T), 16)), n, false};
}

template <class From, class To>
struct hands_over {
  From from;
  To to;
  const std::uint64_t* count;  // null: all
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    if (count == nullptr || i < *count) to[i] = from[i];
  }
};

struct as_offset {
  static constexpr const char* source = "(ulong)x";
  template <class T>
  UPSWEEP_HD constexpr std::uint64_t operator()(const T& x) const {
    return static_cast<std::uint64_t>(x);
  }
};
template <class At>
struct offsets_of {
  At at;
  UPSWEEP_HD constexpr std::uint64_t operator[](std::uint64_t i) const { return static_cast<std::uint64_t>(at(i)); }
};
template <class At>
offsets_of(At) -> offsets_of<At>;

inline namespace UPSWEEP_COMPILED {

// The elements f(x_i) in memory that a device's kernels read.
template <class T, class By, class X, class F>
operand<const T> laid_out(const context& where, const char* call, [[maybe_unused]] const char* name, const X& x,
                          [[maybe_unused]] const F& f) {
  if constexpr (in_memory<X> && std::same_as<value_of<X>, T> &&
                (std::same_as<F, identity> || std::same_as<F, as_offset>)) {
    return core::read_operand(x);
  } else {
    [[maybe_unused]] const std::uint64_t n = core::elements_in(x);
    using jit = core::jit_materializer<as_array<core::reading_of<X>>, F>;
#if defined(__CUDACC__)
    if constexpr (!jit::is_only_source)
      if (where.kind() == backend::cuda) {
        const operand<T> to = detail::segmented_impl::laid_in_scratch<T>(where, name, n);
        cuda::store_each(where.device(), n, core::reading(where.device(), call, x), f, to.data());
        return to;
      }
#endif
    if constexpr (jit::is_there) {
      const operand<T> to = detail::segmented_impl::laid_in_scratch<T>(where, name, n);
      jit::template store<T>(where, call, as_array{core::reading(where.device(), call, x)}, n, f, to.where());
      return to;
    }
    core::throw_error(made_elsewhere(call, where.kind()));
  }
}

// Memory that a device's kernels write for y.
template <class T, class Y>
operand<T> laid_for(const context& where, [[maybe_unused]] const char* name, Y& y, std::uint64_t n) {
  if constexpr (operands<Y>) {
    (void)where, (void)n;
    return core::written_operand(y);
  } else {
    return detail::segmented_impl::laid_in_scratch<T>(where, name, n);
  }
}
// Copies the result from scratch to y.
template <class By, class T, class Y>
void hand_over(const context& where, const char* call, operand<T> from, Y& y, const std::uint64_t* count) {
  if constexpr (!operands<Y> && !std::same_as<std::remove_cvref_t<Y>, discarded>) {
#if defined(__CUDACC__)
    if constexpr (!core::is_only_source<decltype(core::places_of(y))>)
      if (where.kind() == backend::cuda) {
        const auto to = core::places_of(y);
        return cuda::for_each_index(where.device(), from.size(),
                                    hands_over<const T*, std::remove_const_t<decltype(to)>>{from.data(), to, count});
      }
#endif
    core::throw_error(made_elsewhere(call, where.kind()));
  } else {
    (void)where, (void)call, (void)from, (void)y, (void)count;
  }
}

template <class By, class K, class X, class KOut, class Y, class Op, class F, class Equal>
void reduce_made_by_key(const context& where, const K& keys, const X& in, KOut& keys_out, Y& out,
                        operand<std::uint64_t> count, const Op& op, const F& f, const Equal& same) {
  using A = folded_in<X, Y, F>;
  using key = value_of<K>;
  const char* const call = "reduce_by_key";
  if constexpr (core::scans_into<A, X, F>() && core::takes<key, KOut>() && core::takes<A, Y>()) {
    require_operator<A, Op>();
    const std::uint64_t n = core::elements_in(keys);
    require_same_size(call, "the keys have # elements and the values #", n, core::elements_in(in));
    require_capacity(call, "the keys' output", core::capacity_of(keys_out), n);
    require_capacity(call, "the values' output", core::capacity_of(out), n);
    require_capacity(call, "the count", count.size(), 1);
    require_no_overlap(call, where,
                       {{"the keys", core::memory_read(keys)},
                        {"the values", core::memory_read(in)},
                        {"the keys' output", core::memory_of(keys_out)},
                        {"the values' output", core::memory_of(out)},
                        {"the count", count}});
    if (where.kind() == backend::cpu) {
      *count.data() =
          cpu::reduce_by_keys<A>(where.device(), as_array{core::reading(where.device(), call, keys)},
                                 as_array{core::reading(where.device(), call, in)}, n, core::places_of(keys_out),
                                 core::places_of(out), same, op, core::widened<A>(f));
    } else if constexpr (!std::is_trivially_copyable_v<key> || !std::is_trivially_copyable_v<A>) {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    } else {
      const auto run_keys = detail::segmented_impl::laid_for<key>(where, "segmented/run keys", keys_out, n);
      const auto folds = detail::segmented_impl::laid_for<A>(where, "segmented/folds", out, n);
      const auto laid_keys = detail::segmented_impl::laid_out<key, By>(where, call, "segmented/keys", keys, identity{});
      if constexpr (reads_as<X, A, F>)
        detail::segmented_impl::reduce_by_key<key, A, Op, F, By>(where, laid_keys, core::read_operand(in), run_keys,
                                                                 folds, count, op, f, same);
      else
        detail::segmented_impl::reduce_by_key<key, A, Op, identity, By>(
            where, laid_keys,
            detail::segmented_impl::laid_out<A, By>(where, call, "segmented/values", in, core::widened<A>(f)), run_keys,
            folds, count, op, identity{}, same);
      detail::segmented_impl::hand_over<By>(where, call, run_keys, keys_out, count.data());
      detail::segmented_impl::hand_over<By>(where, call, folds, out, count.data());
    }
  }
}

template <bool Inclusive, class By, class K, class X, class Y, class A, class Op, class F, class Equal>
void scan_made_by_key(const context& asked, const K& keys, const X& in, Y& out, const A& init, const Op& op, const F& f,
                      const Equal& same) {
  using key = value_of<K>;
  const char* const call = "scan_by_key";
  const context where = core::worked_on_by<K, X, Y>(asked);
  if constexpr (core::scans_into<A, X, F>() && core::takes<A, Y>()) {
    require_operator<A, Op>();
    const std::uint64_t n = core::elements_in(keys);
    require_same_size(call, "the keys have # elements and the values #", n, core::elements_in(in));
    if constexpr (!std::same_as<std::remove_cvref_t<Y>, discarded>)
      require_same_size(call, "the values have # elements and the output #", n, core::capacity_of(out));
    require_no_overlap(call, where,
                       {{"the values", core::memory_read(in)},
                        {"the output", core::memory_of(out)},
                        {"the keys", core::memory_read(keys)}},
                       reads_as<X, A, F> && operands<Y> ? 1 : 0);
    if (where.kind() == backend::cpu) {
      cpu::scan_by_keys<A>(where.device(), as_array{core::reading(where.device(), call, keys)},
                           as_array{core::reading(where.device(), call, in)}, n, core::places_of(out), init, Inclusive,
                           same, op, core::widened<A>(f));
    } else if constexpr (!std::is_trivially_copyable_v<key> || !std::is_trivially_copyable_v<A>) {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    } else {
      const auto to = detail::segmented_impl::laid_for<A>(where, "segmented/folds", out, n);
      const auto laid_keys = detail::segmented_impl::laid_out<key, By>(where, call, "segmented/keys", keys, identity{});
      if constexpr (reads_as<X, A, F>)
        detail::segmented_impl::scan_by_key<Inclusive, key, A, Op, F, By>(where, laid_keys, core::read_operand(in), to,
                                                                          init, op, f, same);
      else
        detail::segmented_impl::scan_by_key<Inclusive, key, A, Op, identity, By>(
            where, laid_keys,
            detail::segmented_impl::laid_out<A, By>(where, call, "segmented/values", in, core::widened<A>(f)), to, init,
            op, identity{}, same);
      detail::segmented_impl::hand_over<By>(where, call, to, out, nullptr);
    }
  }
}

// --- by segment ---

template <class S>
constexpr bool gives_offsets() {
  constexpr bool whole = std::is_integral_v<value_of<S>>;
  static_assert(whole, "upsweep: offsets are integers");
  return whole;
}

template <class By, class X, class S, class Y, class A, class Op, class F>
void reduce_made_segments(const context& asked, const X& in, const S& offsets, Y& out, const A& init, const Op& op,
                          const F& f) {
  const char* const call = "segmented_reduce";
  const context where = core::worked_on_by<X, S, Y>(asked);
  if constexpr (core::scans_into<A, X, F>() && core::takes<A, Y>() && detail::segmented_impl::gives_offsets<S>()) {
    require_operator<A, Op>();
    const std::uint64_t n = core::elements_in(in), segments = segments_of(call, core::elements_in(offsets));
    require_same_size(call, "the segments have # elements and the output #", segments, core::capacity_of(out));
    require_no_overlap(call, where,
                       {{"the values", core::memory_read(in)},
                        {"the offsets", core::memory_read(offsets)},
                        {"the output", core::memory_of(out)}});
    if (where.kind() == backend::cpu) {
      cpu::reduce_segments<A>(where.device(), as_array{core::reading(where.device(), call, in)}, n,
                              offsets_of{core::reading(where.device(), call, offsets)}, segments, core::places_of(out),
                              init, op, core::widened<A>(f));
    } else if constexpr (!std::is_trivially_copyable_v<A>) {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    } else {
      const auto to = detail::segmented_impl::laid_for<A>(where, "segmented/folds", out, segments);
      const auto cuts =
          detail::segmented_impl::laid_out<std::uint64_t, By>(where, call, "segmented/offsets", offsets, as_offset{});
      if constexpr (reads_as<X, A, F>)
        detail::segmented_impl::segmented_reduce<A, Op, F, By>(where, core::read_operand(in), cuts, to, init, op, f);
      else
        detail::segmented_impl::segmented_reduce<A, Op, identity, By>(
            where, detail::segmented_impl::laid_out<A, By>(where, call, "segmented/values", in, core::widened<A>(f)),
            cuts, to, init, op, identity{});
      detail::segmented_impl::hand_over<By>(where, call, to, out, nullptr);
    }
  }
}

template <bool Inclusive, class By, class X, class S, class Y, class A, class Op, class F>
void scan_made_segments(const context& asked, const X& in, const S& offsets, Y& out, const A& init, const Op& op,
                        const F& f) {
  const char* const call = "segmented_scan";
  const context where = core::worked_on_by<X, S, Y>(asked);
  if constexpr (core::scans_into<A, X, F>() && core::takes<A, Y>() && detail::segmented_impl::gives_offsets<S>()) {
    require_operator<A, Op>();
    const std::uint64_t n = core::elements_in(in), segments = segments_of(call, core::elements_in(offsets));
    require_same_size(call, "the values have # elements and the output #", n, core::capacity_of(out));
    require_no_overlap(call, where,
                       {{"the values", core::memory_read(in)},
                        {"the output", core::memory_of(out)},
                        {"the offsets", core::memory_read(offsets)}},
                       reads_as<X, A, F> && operands<Y> ? 1 : 0);
    if (where.kind() == backend::cpu) {
      cpu::scan_segments<A>(where.device(), as_array{core::reading(where.device(), call, in)}, n,
                            offsets_of{core::reading(where.device(), call, offsets)}, segments, core::places_of(out),
                            init, Inclusive, op, core::widened<A>(f));
    } else if constexpr (!std::is_trivially_copyable_v<A>) {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    } else {
      const auto to = core::written_operand(out);
      const auto cuts =
          detail::segmented_impl::laid_out<std::uint64_t, By>(where, call, "segmented/offsets", offsets, as_offset{});
      if constexpr (reads_as<X, A, F>)
        detail::segmented_impl::segmented_scan<Inclusive, A, Op, F, By>(where, core::read_operand(in), cuts, to, init,
                                                                        op, f);
      else
        detail::segmented_impl::segmented_scan<Inclusive, A, Op, identity, By>(
            where, detail::segmented_impl::laid_out<A, By>(where, call, "segmented/values", in, core::widened<A>(f)),
            cuts, to, init, op, identity{});
    }
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace detail::segmented_impl

inline namespace UPSWEEP_COMPILED {

// ---- By key.

template <class K, class X, class KOut, class Y, class Op = plus, class F = identity, class Equal = core::equals,
          class By = this_compiler>
  requires core::made_or_sunk<std::tuple<KOut, Y>, K, X>
void reduce_by_key(const context& where, const K& keys, const X& in, KOut&& keys_out, Y&& out,
                   device_span<std::uint64_t> count, Op op = {}, F f = {}, Equal same = {}) {
  using A = detail::segmented_impl::folded_in<X, Y, F>;
  detail::segmented_impl::reduce_made_by_key<By>(where, keys, in, keys_out, out, core::operand<std::uint64_t>(count),
                                                 core::as_operator<A>(op), f, same);
}
template <class K, class X, class KOut, class Y, class Op = plus, class F = identity, class Equal = core::equals,
          class By = this_compiler>
  requires core::made_or_sunk<std::tuple<KOut, Y>, K, X> && (!is_device_span<Op>)
std::uint64_t reduce_by_key(const context& asked, const K& keys, const X& in, KOut&& keys_out, Y&& out, Op op = {},
                            F f = {}, Equal same = {}) {
  using A = detail::segmented_impl::folded_in<X, Y, F>;
  const context where = core::worked_on_by<K, X, KOut, Y>(asked);
  const auto o = core::as_operator<A>(op);
  if (where.kind() == backend::cpu) {
    std::uint64_t count = 0;
    detail::segmented_impl::reduce_made_by_key<By>(where, keys, in, keys_out, out,
                                                   core::operand<std::uint64_t>(std::span(&count, 1)), o, f, same);
    return count;
  }
  const auto count = core::counts_in_scratch(where);
  detail::segmented_impl::reduce_made_by_key<By>(where, keys, in, keys_out, out, count, o, f, same);
  return core::fetch_count(where, count);
}

template <class K, class X, class Y, class Op, class F, class Equal = core::equals, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, K, X>
void transform_inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op, F f,
                                     core::init_for<detail::segmented_impl::folded_in<X, Y, F>> init, Equal same = {}) {
  using A = detail::segmented_impl::folded_in<X, Y, F>;
  detail::segmented_impl::scan_made_by_key<true, By>(where, keys, in, out, static_cast<A>(init),
                                                     core::as_operator<A>(op), f, same);
}
template <class K, class X, class Y, class Op, class F, class Equal = core::equals, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, K, X>
void transform_exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                                     core::init_for<detail::segmented_impl::folded_in<X, Y, F>> init, Op op, F f,
                                     Equal same = {}) {
  using A = detail::segmented_impl::folded_in<X, Y, F>;
  detail::segmented_impl::scan_made_by_key<false, By>(where, keys, in, out, static_cast<A>(init),
                                                      core::as_operator<A>(op), f, same);
}

template <class K, class X, class Y, class Op = plus>
  requires core::made_or_sunk<std::tuple<Y>, K, X> && core::operator_on<Op, detail::segmented_impl::folded_in<X, Y>>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op = {}) {
  using A = detail::segmented_impl::folded_in<X, Y>;
  const auto o = core::as_operator<A>(op);
  upsweep::transform_inclusive_scan_by_key(where, keys, in, out, o, identity{}, identity_of<A>(o));
}
template <class K, class X, class Y, class Op = plus, class Equal = core::equals>
  requires core::made_or_sunk<std::tuple<Y>, K, X>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                           core::init_for<detail::segmented_impl::folded_in<X, Y>> init, Op op = {}, Equal same = {}) {
  upsweep::transform_inclusive_scan_by_key(where, keys, in, out, op, identity{}, init, same);
}
template <class K, class X, class Y, class Op>
  requires core::made_or_sunk<std::tuple<Y>, K, X> && core::operator_on<Op, detail::segmented_impl::folded_in<X, Y>>
void inclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op,
                           core::init_for<detail::segmented_impl::folded_in<X, Y>> init) {
  upsweep::transform_inclusive_scan_by_key(where, keys, in, out, op, identity{}, init);
}
template <class K, class X, class Y, class Op = plus, class Equal = core::equals>
  requires core::made_or_sunk<std::tuple<Y>, K, X>
void exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out,
                           core::init_for<detail::segmented_impl::folded_in<X, Y>> init, Op op = {}, Equal same = {}) {
  upsweep::transform_exclusive_scan_by_key(where, keys, in, out, init, op, identity{}, same);
}
template <class K, class X, class Y, class Op = plus>
  requires core::made_or_sunk<std::tuple<Y>, K, X> && core::operator_on<Op, detail::segmented_impl::folded_in<X, Y>>
void exclusive_scan_by_key(const context& where, const K& keys, const X& in, Y&& out, Op op = {}) {
  using A = detail::segmented_impl::folded_in<X, Y>;
  const auto o = core::as_operator<A>(op);
  upsweep::transform_exclusive_scan_by_key(where, keys, in, out, identity_of<A>(o), o, identity{});
}

// ---- By segment: outputs of scans are memory, since elements outside all segments are not written.

template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires core::made_or_sunk<std::tuple<Y>, X, S>
void segmented_transform_reduce(const context& where, const X& in, const S& offsets, Y&& out,
                                core::init_for<detail::segmented_impl::folded_in<X, Y, F>> init, Op op, F f) {
  using A = detail::segmented_impl::folded_in<X, Y, F>;
  detail::segmented_impl::reduce_made_segments<By>(where, in, offsets, out, static_cast<A>(init),
                                                   core::as_operator<A>(op), f);
}
template <class X, class S, class Y, class Op = plus>
  requires core::made_or_sunk<std::tuple<Y>, X, S>
void segmented_reduce(const context& where, const X& in, const S& offsets, Y&& out,
                      core::init_for<detail::segmented_impl::folded_in<X, Y>> init, Op op = {}) {
  upsweep::segmented_transform_reduce(where, in, offsets, out, init, op, identity{});
}
template <class X, class S, class Y, class Op = plus>
  requires core::made_or_sunk<std::tuple<Y>, X, S> && core::operator_on<Op, detail::segmented_impl::folded_in<X, Y>>
void segmented_reduce(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  using A = detail::segmented_impl::folded_in<X, Y>;
  const auto o = core::as_operator<A>(op);
  upsweep::segmented_transform_reduce(where, in, offsets, out, identity_of<A>(o), o, identity{});
}

template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, S>
void segmented_transform_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op, F f,
                                        core::init_for<element_of<Y>> init) {
  detail::segmented_impl::scan_made_segments<true, By>(where, in, offsets, out, static_cast<element_of<Y>>(init),
                                                       core::as_operator<element_of<Y>>(op), f);
}
template <class X, class S, class Y, class Op, class F, class By = this_compiler>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, S>
void segmented_transform_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                                        core::init_for<element_of<Y>> init, Op op, F f) {
  detail::segmented_impl::scan_made_segments<false, By>(where, in, offsets, out, static_cast<element_of<Y>>(init),
                                                        core::as_operator<element_of<Y>>(op), f);
}

template <class X, class S, class Y, class Op = plus>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, S> && core::operator_on<Op, element_of<Y>>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<Y>>(op);
  upsweep::segmented_transform_inclusive_scan(where, in, offsets, out, o, identity{}, identity_of<element_of<Y>>(o));
}
template <class X, class S, class Y, class Op = plus>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, S>
void segmented_inclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                              core::init_for<element_of<Y>> init, Op op = {}) {
  upsweep::segmented_transform_inclusive_scan(where, in, offsets, out, op, identity{}, init);
}
template <class X, class S, class Y, class Op = plus>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, S>
void segmented_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out,
                              core::init_for<element_of<Y>> init, Op op = {}) {
  upsweep::segmented_transform_exclusive_scan(where, in, offsets, out, init, op, identity{});
}
template <class X, class S, class Y, class Op = plus>
  requires operands<Y> && core::made_or_sunk<std::tuple<Y>, X, S> && core::operator_on<Op, element_of<Y>>
void segmented_exclusive_scan(const context& where, const X& in, const S& offsets, Y&& out, Op op = {}) {
  const auto o = core::as_operator<element_of<Y>>(op);
  upsweep::segmented_transform_exclusive_scan(where, in, offsets, out, identity_of<element_of<Y>>(o), o, identity{});
}

}  // namespace UPSWEEP_COMPILED

UPSWEEP_REFUSED(reduce_by_key,
                "reduce_by_key takes keys, as many values, outputs for both, an operator with an identity, a "
                "transform, and an equality of two keys")
UPSWEEP_REFUSED(
    inclusive_scan_by_key,
    "inclusive_scan_by_key takes keys, as many values, an output, and an operator with an identity or an init")
UPSWEEP_REFUSED(
    exclusive_scan_by_key,
    "exclusive_scan_by_key takes keys, as many values, an output, and an operator with an identity or an init")
UPSWEEP_REFUSED(segmented_reduce,
                "segmented_reduce takes values, offsets, an output, and an operator with an identity or an init")
UPSWEEP_REFUSED(
    segmented_inclusive_scan,
    "segmented_inclusive_scan takes values, offsets, an output in memory, and an operator with an identity or an init")
UPSWEEP_REFUSED(
    segmented_exclusive_scan,
    "segmented_exclusive_scan takes values, offsets, an output in memory, and an operator with an identity or an init")

}  // namespace upsweep
