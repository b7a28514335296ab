// Folds over a group: each member folds its part, the members' values go to all, and every member folds those in order.
#pragma once

#include "upsweep/group/distributed.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/reduce/reproducible.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {
namespace core {

inline namespace UPSWEEP_COMPILED {

// What a member's part comes to; nothing where it is empty and the operator has no identity.
template <class A>
struct part_value {
  A value{};
  bool there = false;
};

// What rounds as it goes depends on where parts end.
template <class A, class Op>
void require_same_bits(const member& m) {
  if constexpr (std::floating_point<A> && builtin_op<Op>) {
    if constexpr (Op::kind == op_kind::plus || Op::kind == op_kind::multiplies)
      if (m.where().deterministic() == determinism::across_devices)
        throw error(fault::unsupported, "group",
                    "a member wants the same bits on every device, and this rounds by parts",
                    "call reproducible_sum, or fold integers");
  }
}

template <class A, class T, class Op, class F>
part_value<A> fold_part(const member& m, device_span<const T> part, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A>) {
    return {upsweep::transform_reduce(m.where(), part, identity_of<A>(op), op, f), true};
  } else {
    if (part.size() == 0) return {};
    return {upsweep::transform_reduce(m.where(), part, op, f), true};
  }
}

// Of the members before this one, after `init`.
template <class A, class Op>
part_value<A> before_me(const member& m, const part_value<A>& mine, part_value<A> init, const Op& op) {
  const auto all = m.all(mine);
  for (int r = 0; r < m.rank(); ++r) {
    const auto& one = all[static_cast<std::size_t>(r)];
    if (one.there) init = {init.there ? op(init.value, one.value) : one.value, true};
  }
  return init;
}

template <class A, class T, class Op, class F>
part_value<A> fold_over(const char* call, const distributed<T>& x, part_value<A> init, const Op& op, const F& f) {
  x.members().each(call, [&](member& m) {
    core::require_same_bits<A, Op>(m);
    const auto all = m.all(core::fold_part<A>(m, x.part(m.here()), op, f));
    if (m.here() != 0) return;
    for (const auto& one : all)
      if (one.there) init = {init.there ? op(init.value, one.value) : one.value, true};
  });
  return init;
}

template <bool Inclusive, class T, class A, class Op, class F>
void scan_over(const char* call, const distributed<T>& x, distributed<A>& y, part_value<A> init, const Op& op,
               const F& f) {
  core::require_one_group(call, x.members(), y.members());
  core::require_cut_alike(call, x.offsets(), y.offsets());
  x.members().each(call, [&](member& m) {
    const auto in = x.part(m.here());
    const auto out = y.part(m.here());
    core::require_same_bits<A, Op>(m);
    // Nobody comes after the last.
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
auto transform_reduce(const group& g, const distributed<T>& x, Init init, Op op, F f) {
  using R = std::decay_t<decltype(f(std::declval<const T&>()))>;
  core::require_no_narrowing<R, Init>();
  using A = core::accumulator<R, Init>;
  core::require_one_group("transform_reduce", g, x.members());
  const auto o = core::as_operator<A>(op);
  return core::fold_over<A>("reduce", x, {static_cast<A>(init), true}, o, f).value;
}
template <class T, class Op, class F>
  requires core::operator_on<Op, T>
auto transform_reduce(const group& g, const distributed<T>& x, Op op, F f) {
  using A = std::decay_t<decltype(f(std::declval<const T&>()))>;
  core::require_one_group("transform_reduce", g, x.members());
  const auto o = core::as_operator<A>(op);
  const auto all = core::fold_over<A>("reduce", x, core::identity_if_any<A>(o), o, f);
  if (!all.there)
    throw error(fault::bad_argument, "reduce", "there are no elements, and the operator has no identity",
                "give an init");
  return all.value;
}
template <class T, class Init, class Op = plus>
  requires(!core::operator_on<Init, T>)
auto reduce(const group& g, const distributed<T>& x, Init init, Op op = {}) {
  return upsweep::transform_reduce(g, x, std::move(init), op, identity{});
}
template <class T, class Op = plus>
  requires core::operator_on<Op, T>
auto reduce(const group& g, const distributed<T>& x, Op op = {}) {
  return upsweep::transform_reduce(g, x, op, identity{});
}

template <class T>
  requires std::same_as<T, float> || std::same_as<T, double>
T reproducible_sum(const group& g, const distributed<T>& x) {
  core::require_one_group("reproducible_sum", g, x.members());
  exact_sum<T> total;
  g.each("reproducible_sum", [&](member& m) {
    exact_sum<T> mine;
    mine.add(m.where(), x.part(m.here()));
    const auto all = m.all(mine);
    if (m.here() != 0) return;
    for (const auto& one : all) total.add(one);
  });
  return total.value();
}

template <class T, class A, class Init, class Op, class F>
  requires(!core::operator_on<Init, A>)
void transform_inclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Init init, Op op, F f) {
  core::require_one_group("inclusive_scan", g, x.members());
  core::scan_over<true>("inclusive_scan", x, y, core::part_value<A>{static_cast<A>(init), true},
                        core::as_operator<A>(op), f);
}
template <class T, class A, class Op, class F>
  requires core::operator_on<Op, A>
void transform_inclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Op op, F f) {
  core::require_one_group("inclusive_scan", g, x.members());
  core::scan_over<true>("inclusive_scan", x, y, core::part_value<A>{}, core::as_operator<A>(op), f);
}
template <class T, class A, class Init, class Op, class F>
  requires(!core::operator_on<Init, A>)
void transform_exclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Init init, Op op, F f) {
  core::require_one_group("exclusive_scan", g, x.members());
  core::scan_over<false>("exclusive_scan", x, y, core::part_value<A>{static_cast<A>(init), true},
                         core::as_operator<A>(op), f);
}
template <class T, class A, class Op, class F>
  requires core::operator_on<Op, A> && has_identity<Op, A>
void transform_exclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Op op, F f) {
  upsweep::transform_exclusive_scan(g, x, y, identity_of<A>(core::as_operator<A>(op)), op, f);
}

template <class T, class A, class Init, class Op = plus>
  requires(!core::operator_on<Init, A>)
void inclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Init init, Op op = {}) {
  upsweep::transform_inclusive_scan(g, x, y, std::move(init), op, identity{});
}
template <class T, class A, class Op = plus>
  requires core::operator_on<Op, A>
void inclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Op op = {}) {
  upsweep::transform_inclusive_scan(g, x, y, op, identity{});
}
template <class T, class A, class Init, class Op = plus>
  requires(!core::operator_on<Init, A>)
void exclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Init init, Op op = {}) {
  upsweep::transform_exclusive_scan(g, x, y, std::move(init), op, identity{});
}
template <class T, class A, class Op = plus>
  requires core::operator_on<Op, A>
void exclusive_scan(const group& g, const distributed<T>& x, distributed<A>& y, Op op = {}) {
  upsweep::transform_exclusive_scan(g, x, y, op, identity{});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
