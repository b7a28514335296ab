// Scans into outputs that are no memory (outputs.hpp): each prefix goes there as it is made; on a CUDA device, out of
// scratch.
#pragma once

#include "upsweep/outputs.hpp"
#include "upsweep/scan.hpp"

namespace upsweep {

namespace scan_room {

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
  static_assert(core::on_one_side<X, Y>, "upsweep: a scan's input and output lie on one side, host or device");
  if constexpr (core::takes<A, Y>()) {
    const context where = core::worked_on_by<X, Y>(asked);
    const std::uint64_t n = core::elements_in(x);
    if constexpr (!std::same_as<std::remove_cvref_t<Y>, discarded>)
      require_same_size("scan", "the input has # elements and the output #", n, core::room_of(out));
    require_apart("scan", where, {{"the input", core::memory_read(x)}, {"the output", core::memory_of(out)}});
    if (where.kind() == backend::cpu)
      return cpu::scan_custom<Inclusive>(where.dev(), as_array{core::reading(x)}, n, core::places_of(out), A(init), op,
                                         core::widened<A>(f));
#if defined(__CUDACC__)
    if (where.kind() == backend::cuda) {
      core::require_trivial_copies<A>(where, "scan");
      if constexpr (std::is_trivially_copyable_v<A>) {
        const operand<A> folds(where.dev().scratch("scan/folds", std::max<std::uint64_t>(n * sizeof(A), 16)), n, false);
        scan_room::scan_of<Inclusive, A, By>(where, x, folds, init, op, f);
        const auto to = core::places_of(out);
        return cuda::for_each_index(where.dev(), n,
                                    gives_to<const A*, std::remove_const_t<decltype(to)>>{folds.data(), to});
      }
    }
#endif
    throw made_elsewhere("scan", where.kind());
  }
}

// What a scan of X through F is folded in, after Init.
template <class X, class F, class Init>
constexpr bool folds_after() {
  core::require_input<X>();
  core::require_no_narrowing<value_through<X, F>, Init>();
  return !std::same_as<accumulator<value_through<X, F>, Init>, narrows>;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace scan_room

namespace core {
template <class Y>
concept sink = is_sink<std::remove_cvref_t<Y>>;
}

inline namespace UPSWEEP_COMPILED {

template <class X, class Y, class Init, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  if constexpr (scan_room::folds_after<X, F, Init>()) {
    using A = core::accumulator<core::value_through<X, F>, Init>;
    scan_room::scan_to<false, A, By>(where, in, out, static_cast<A>(init), core::as_operator<A>(op), f);
  }
}
template <class X, class Y, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_exclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = core::value_through<X, F>;
  const auto o = core::as_operator<A>(op);
  scan_room::scan_to<false, A, By>(where, in, out, identity_of<A>(o), o, f);
}
template <class X, class Y, class Init, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Init init, Op op, F f) {
  if constexpr (scan_room::folds_after<X, F, Init>()) {
    using A = core::accumulator<core::value_through<X, F>, Init>;
    scan_room::scan_to<true, A, By>(where, in, out, static_cast<A>(init), core::as_operator<A>(op), f);
  }
}
template <class X, class Y, class Op, class F, class By = this_compiler>
  requires core::sink<Y> && core::readable_input<X>
void transform_inclusive_scan(const context& where, const X& in, Y&& out, Op op, F f) {
  using A = core::value_through<X, F>;
  const auto o = core::as_operator<A>(op);
  scan_room::scan_to<true, A, By>(where, in, out, identity_of<A>(o), o, f);
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
}  // namespace upsweep
