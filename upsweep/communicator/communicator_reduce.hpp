// Folds over a communicator: each rank folds its part, every rank receives these values, and folds them in order.
#pragma once

#include "upsweep/communicator/communicator_distributed.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/reduce/reduce_reproducible.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// The fold of a rank's part; absent where the part is empty and the operator has no identity.
template <class A>
struct part_value {
  A value{};
  bool there = false;
};

// Where the operator rounds, the result depends on the ends of the parts.
template <class A, class Op>
void require_same_bits(const communicator_rank& m) {
  if constexpr (std::floating_point<A> && builtin_op<Op>) {
    if constexpr (Op::kind == op_kind::plus || Op::kind == op_kind::multiplies)
      if (m.where().deterministic() == determinism::across_devices)
        core::throw_error(error(fault::unsupported, "communicator",
                                "a rank requires the same bits on every device, and this call rounds by blocks",
                                "call reproducible_sum, or reduce integers"));
  }
}

template <class A, class T, class Op, class F>
part_value<A> fold_part(const communicator_rank& m, device_span<const T> part, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A>) {
    return {upsweep::transform_reduce(m.where(), part, identity_of<A>(op), op, f), true};
  } else {
    if (part.size() == 0) return {};
    return {upsweep::transform_reduce(m.where(), part, op, f), true};
  }
}

// The fold of the ranks before this one, after `init`.
template <class A, class Op>
part_value<A> before_me(const communicator_rank& m, const part_value<A>& mine, part_value<A> init, const Op& op) {
  const auto all = m.all(mine);
  for (int r = 0; r < m.rank(); ++r) {
    const auto& one = all[static_cast<std::size_t>(r)];
    if (one.there) init = {init.there ? op(init.value, one.value) : one.value, true};
  }
  return init;
}

template <class A, class T, class Op, class F>
part_value<A> fold_over(const char* call, const distributed<T>& x, part_value<A> init, const Op& op, const F& f) {
  x.comm().for_each_rank(call, [&](communicator_rank& m) {
    core::require_same_bits<A, Op>(m);
    const auto all = m.all(core::fold_part<A>(m, x.part(m.local_rank()), op, f));
    if (m.local_rank() != 0) return;
    for (const auto& one : all)
      if (one.there) init = {init.there ? op(init.value, one.value) : one.value, true};
  });
  return init;
}

template <bool Inclusive, class T, class A, class Op, class F>
void scan_over(const char* call, const distributed<T>& x, distributed<A>& y, part_value<A> init, const Op& op,
               const F& f) {
  core::require_one_group(call, x.comm(), y.comm());
  core::require_cut_alike(call, x.offsets(), y.offsets());
  x.comm().for_each_rank(call, [&](communicator_rank& m) {
    const auto in = x.part(m.local_rank());
    const auto out = y.part(m.local_rank());
    core::require_same_bits<A, Op>(m);
    // No rank needs the fold of the last one.
    const auto mine = m.rank() + 1 < m.size() ? core::fold_part<A>(m, in, op, f) : part_value<A>{};
    const auto before = core::before_me(m, mine, init, op);
    if (before.there) {
      if constexpr (Inclusive) return upsweep::transform_inclusive_scan(m.where(), in, out, before.value, op, f);
      return upsweep::transform_exclusive_scan(m.where(), in, out, before.value, op, f);
    }
    if constexpr (Inclusive) upsweep::transform_inclusive_scan(m.where(), in, out, op, f);
  });
}

template <class A, class Op>
part_value<A> identity_if_any(const Op& op) {
  if constexpr (has_identity<Op, A>) return {identity_of<A>(op), true};
  return {};
}

}  // namespace UPSWEEP_COMPILED
}  // namespace core

inline namespace UPSWEEP_COMPILED {

template <class T, class Init, class Op, class F>
  requires(!core::operator_on<Init, T>)
auto transform_reduce(const communicator& g, const distributed<T>& x, Init init, Op op, F f) {
  using R = std::decay_t<decltype(f(std::declval<const T&>()))>;
  core::require_no_narrowing<R, Init>();
  using A = core::accumulator<R, Init>;
  core::require_one_group("transform_reduce", g, x.comm());
  const auto o = core::as_operator<A>(op);
  return core::fold_over<A>("reduce", x, {core::given_value<A>("reduce", "the init", init), true}, o, f).value;
}
template <class T, class Op, class F>
  requires core::operator_on<Op, T>
auto transform_reduce(const communicator& g, const distributed<T>& x, Op op, F f) {
  using A = std::decay_t<decltype(f(std::declval<const T&>()))>;
  core::require_one_group("transform_reduce", g, x.comm());
  const auto o = core::as_operator<A>(op);
  const auto all = core::fold_over<A>("reduce", x, core::identity_if_any<A>(o), o, f);
  if (!all.there)
    core::throw_error(error(fault::bad_argument, "reduce", "there are no elements, and the operator has no identity",
                            "give an init"));
  return all.value;
}
template <class T, class Init, class Op = plus>
  requires(!core::operator_on<Init, T>)
auto reduce(const communicator& g, const distributed<T>& x, Init init, Op op = {}) {
  return upsweep::transform_reduce(g, x, std::move(init), op, identity{});
}
template <class T, class Op = plus>
  requires core::operator_on<Op, T>
auto reduce(const communicator& g, const distributed<T>& x, Op op = {}) {
  return upsweep::transform_reduce(g, x, op, identity{});
}

template <class T>
  requires std::same_as<T, float> || std::same_as<T, double>
T reproducible_sum(const communicator& g, const distributed<T>& x) {
  core::require_one_group("reproducible_sum", g, x.comm());
  exact_sum<T> total;
  g.for_each_rank("reproducible_sum", [&](communicator_rank& m) {
    exact_sum<T> mine;
    mine.add(m.where(), x.part(m.local_rank()));
    const auto all = m.all(mine);
    if (m.local_rank() != 0) return;
    for (const auto& one : all) total.add(one);
  });
  return total.value();
}

template <class T, class A, class Init, class Op, class F>
  requires(!core::operator_on<Init, A>)
void transform_inclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Init init, Op op,
                              F f) {
  core::require_one_group("inclusive_scan", g, x.comm());
  core::scan_over<true>("inclusive_scan", x, y,
                        core::part_value<A>{core::given_value<A>("inclusive_scan", "the init", init), true},
                        core::as_operator<A>(op), f);
}
template <class T, class A, class Op, class F>
  requires core::operator_on<Op, A>
void transform_inclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Op op, F f) {
  core::require_one_group("inclusive_scan", g, x.comm());
  core::scan_over<true>("inclusive_scan", x, y, core::part_value<A>{}, core::as_operator<A>(op), f);
}
template <class T, class A, class Init, class Op, class F>
  requires(!core::operator_on<Init, A>)
void transform_exclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Init init, Op op,
                              F f) {
  core::require_one_group("exclusive_scan", g, x.comm());
  core::scan_over<false>("exclusive_scan", x, y,
                         core::part_value<A>{core::given_value<A>("exclusive_scan", "the init", init), true},
                         core::as_operator<A>(op), f);
}
template <class T, class A, class Op, class F>
  requires core::operator_on<Op, A> && has_identity<Op, A>
void transform_exclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Op op, F f) {
  upsweep::transform_exclusive_scan(g, x, y, identity_of<A>(core::as_operator<A>(op)), op, f);
}

template <class T, class A, class Init, class Op = plus>
  requires(!core::operator_on<Init, A>)
void inclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Init init, Op op = {}) {
  upsweep::transform_inclusive_scan(g, x, y, std::move(init), op, identity{});
}
template <class T, class A, class Op = plus>
  requires core::operator_on<Op, A>
void inclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Op op = {}) {
  upsweep::transform_inclusive_scan(g, x, y, op, identity{});
}
template <class T, class A, class Init, class Op = plus>
  requires(!core::operator_on<Init, A>)
void exclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Init init, Op op = {}) {
  upsweep::transform_exclusive_scan(g, x, y, std::move(init), op, identity{});
}
template <class T, class A, class Op = plus>
  requires core::operator_on<Op, A>
void exclusive_scan(const communicator& g, const distributed<T>& x, distributed<A>& y, Op op = {}) {
  upsweep::transform_exclusive_scan(g, x, y, op, identity{});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
