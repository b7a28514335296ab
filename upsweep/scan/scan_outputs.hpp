// Scans into output adaptors (outputs.hpp). Each prefix is written to the adaptor as soon as it is computed; on a CUDA
// device the prefixes are stored in scratch memory first.
#pragma once

#include "upsweep/core/no_overload.hpp"
#include "upsweep/outputs.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {

namespace detail::scan_impl {

template <class From, class To>
struct gives_to {
  From from;
  To to;
  UPSWEEP_HD void operator()(std::uint64_t i) const { to[i] = from[i]; }
};

inline namespace UPSWEEP_COMPILED {

template <bool Inclusive, class A, class By, class X, class Y, class Op, class F>
void scan_to(const context& asked, const X& x, Y& out, const A& init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  static_assert(core::on_one_side<X, Y>,
                "upsweep: the input and the output of a scan are both in host memory or both in device memory");
  if constexpr (core::takes<A, Y>()) {
    const context where = core::worked_on_by<X, Y>(asked);
    const std::uint64_t n = core::elements_in(x);
    if constexpr (!std::same_as<std::remove_cvref_t<Y>, discarded>)
      require_same_size("scan", "the input has # elements and the output #", n, core::capacity_of(out));
    require_no_overlap("scan", where, {{"the input", core::memory_read(x)}, {"the output", core::memory_of(out)}});
    if (where.kind() == backend::cpu)
      return cpu::scan_custom<Inclusive>(where.device(), as_array{core::reading(where.device(), "scan", x)}, n,
                                         core::places_of(out), A(init), op, core::widened<A>(f));
#if defined(__CUDACC__)
    if (where.kind() == backend::cuda) {
      core::require_trivial_copies<A>(where, "scan");
      if constexpr (std::is_trivially_copyable_v<A> && !core::is_only_source<decltype(core::places_of(out))>) {
        const operand<A> folds(where.device().scratch("scan/folds", std::max<std::uint64_t>(n * sizeof(A), 16)), n,
                               false);
        detail::scan_impl::scan_of<Inclusive, A, By>(where, x, folds, init, op, f);
        const auto to = core::places_of(out);
        return cuda::for_each_index(where.device(), n,
                                    gives_to<const A*, std::remove_const_t<decltype(to)>>{folds.data(), to});
      }
    }
#endif
    core::throw_error(made_elsewhere("scan", where.kind()));
  }
}

// Checks that the fold of X through F after Init has a type that holds all values, and returns whether it has.
template <class X, class F, class Init>
constexpr bool folds_after() {
  core::require_input<X>();
  core::require_no_narrowing<value_through<X, F>, Init>();
  return !std::same_as<accumulator<value_through<X, F>, Init>, narrows>;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace detail::scan_impl

namespace core {
template <class Y>
concept sink = is_sink<std::remove_cvref_t<Y>>;
}

inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Init, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  if constexpr (detail::scan_impl::folds_after<X, F, Init>()) {
    using A = core::accumulator<core::value_through<X, F>, Init>;
    detail::scan_impl::scan_to<false, A, By>(where, in, out, core::given_value<A>("scan", "the init", init),
                                             core::as_operator<A>(op), f);
  }
}
template <class X, class Y, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = core::value_through<X, F>;
  const auto o = core::as_operator<A>(op);
  detail::scan_impl::scan_to<false, A, By>(where, in, out, identity_of<A>(o), o, f);
}
template <class X, class Y, class Init, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  if constexpr (detail::scan_impl::folds_after<X, F, Init>()) {
    using A = core::accumulator<core::value_through<X, F>, Init>;
    detail::scan_impl::scan_to<true, A, By>(where, in, out, core::given_value<A>("scan", "the init", init),
                                            core::as_operator<A>(op), f);
  }
}
template <class X, class Y, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = core::value_through<X, F>;
  const auto o = core::as_operator<A>(op);
  detail::scan_impl::scan_to<true, A, By>(where, in, out, identity_of<A>(o), o, f);
}

template <class X, class Y, class Init, class Op = plus>
  requires core::sink<Y> && core::readable_input<X> && (!core::operator_on<Init, core::value_of<X>>)
void exclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, std::move(init), op, identity{});
}
template <class X, class Y, class Op = plus>
  requires core::sink<Y> && core::readable_input<X> && core::operator_on<Op, core::value_of<X>>
void exclusive_scan(const context& where, const X& in, Y&& out, Op op = {}) {
  upsweep::transform_exclusive_scan(where, in, out, op, identity{});
}
template <class X, class Y, class Init, class Op = plus>
  requires core::sink<Y> && core::readable_input<X> && (!core::operator_on<Init, core::value_of<X>>)
void inclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, std::move(init), op, identity{});
}
template <class X, class Y, class Op = plus>
  requires core::sink<Y> && core::readable_input<X> && core::operator_on<Op, core::value_of<X>>
void inclusive_scan(const context& where, const X& in, Y&& out, Op op = {}) {
  upsweep::transform_inclusive_scan(where, in, out, op, identity{});
}

}  // namespace UPSWEEP_COMPILED

UPSWEEP_REFUSED(inclusive_scan,
                "inclusive_scan takes an input, an output in memory or of outputs.hpp, and an operator with an "
                "identity or an init that converts to the output's elements")
UPSWEEP_REFUSED(exclusive_scan,
                "exclusive_scan takes an input, an output in memory or of outputs.hpp, and an operator with an "
                "identity or an init that converts to the output's elements")
UPSWEEP_REFUSED(transform_inclusive_scan,
                "transform_inclusive_scan takes an input, an output in memory or of outputs.hpp, an operator, a "
                "transform, and an init")
UPSWEEP_REFUSED(transform_exclusive_scan,
                "transform_exclusive_scan takes an input, an output in memory or of outputs.hpp, an init, an operator "
                "and a transform")

}  // namespace upsweep
