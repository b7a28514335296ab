// compact: stream compaction beyond select.hpp. What passes a test of another sequence; removal; both sides of a
// partition in outputs of their own; runs by an equality of one's own, counted, and where they begin; and in place.
//
//   std::uint64_t left = upsweep::remove_if(cpu, values, [] UPSWEEP_HD(float v) { return v < 0; });   // in place
//   upsweep::copy_if(gpu, x.span(), y.span(), upsweep::stencil(ages.span(), upsweep::at_least(18u)));
//   upsweep::partition_copy(gpu, x.span(), small.span(), large.span(), upsweep::less_than(0.5f));
//   std::uint64_t kinds = upsweep::unique(cpu, names, out, [](const auto& a, const auto& b) { return a[0] == b[0]; });
//   std::uint64_t runs = upsweep::group_by(gpu, x.span(), offsets.span());          // segments for segmented.hpp
//
//   stencil(s, test)   a test that asks s[i] about element i: copy_if, remove_copy_if, remove_if, partition and
//                      partition_copy take it in the place of a test of the elements
//   copy_if            what passes the test, in place
//   remove_copy_if     what fails the test; remove_if: the same, in place
//   partition          by a stencil, or in place
//   partition_copy     what passes to one output, the rest to another
//   unique, unique_by_key   by equal(a, b), asked of neighbours; or in place
//   unique_count       how many runs of equal elements there are
//   map_maybe          what f gives, of the elements that it gives something for: f(x) is a std::optional, or a maybe;
//                      given_where(test, value) is such an f
//   unstable_…         copy_if, remove_if and partition where the order of the result does not matter; today it is kept
//   group_by           where each begins, and behind those n: one more than there are runs
//
// Result       The order of the input is kept everywhere. How many elements are kept (pass, runs) is returned, or
//              written to a device span of one u64. What lies beyond them in an output is left as it was; in place on
//              the CPU it is unspecified, as is what lies beyond group_by's offsets. Elements are equal as == says,
//              where no equality is given.
// Inputs       device spans, buffers, ranges with random access, or made as they are read (inputs.hpp). In place:
//              contiguous.
// Requires     tests and equalities that give the same answer whenever they are asked, by several threads at once.
//              Outputs: on the CPU and of host memory they hold what is kept; in device memory whatever might be (n;
//              group_by n + 1). Nothing that is written lies where something else is read or written, but in place a
//              stencil may be, or contain, the elements themselves.
// Work         n questions. In place on the CPU threads ask and one moves; a device takes the elements aside first.
// Scratch      n/8 bytes on the CPU; on devices a byte an element, and in place, and for unique_count, as much as the
//              elements.
// Determinism  the result is fixed by the inputs alone, whatever the device.
// Asynchrony   device spans: enqueued, except that the forms that return a count wait for it. Host memory: done on
//              return, and worked on by the CPU whatever the context.
// Errors       upsweep::error: sizes that differ, an output too small (nothing has been written), overlap, a type, test
//              or input that the device cannot take.
//
// less_than(x) and its kin (select.hpp) of built-in types, moving elements of 1, 2, 4 or 8 bytes in memory, and == of
// built-in types run everywhere from any .cpp file. Anything else works on the CPU anywhere (in place: elements that
// can be moved), on CUDA where nvcc compiles the call, and there and on OpenCL, of inputs in memory, where types, tests
// and equalities of your own carry their C text (opencl/custom.hpp says how); map_maybe then takes given_where(test,
// value), which keeps value(x) of each x that passes.
#pragma once

#include "upsweep/compact/in_place.hpp"
#include "upsweep/compact/maybe.hpp"
#include "upsweep/select.hpp"

namespace upsweep {

namespace core {
template <class X, class Y>
concept read_beside =
    readable_input<X> && (home_of<X> == home::anywhere || (home_of<X> == home::device) == on_device<Y>);
template <class Test, class Y>
inline constexpr bool lies_beside = true;
template <class Test, class Y>
  requires compact_room::is_stencil<Test>
inline constexpr bool lies_beside<Test, Y> =
    Test::lies_at == home::anywhere || (Test::lies_at == home::device) == on_device<Y>;

// What takes an element, or two, and says yes or no; a stencil asks for itself.
template <class Test, class X>
concept test_of = !is_device_span<Test> && (compact_room::is_stencil<Test> || !operands<Test>);
template <class Equal, class X>
concept equality_of = std::is_invocable_r_v<bool, const Equal&, const value_of<X>&, const value_of<X>&>;
}  // namespace core

inline namespace UPSWEEP_COMPILED {

template <class S, class Test>
auto stencil(S&& s, Test test) {
  core::require_input<S>();
  core::require_lasting<S>();
  using X = std::remove_cvref_t<S>;
  using at = std::remove_cvref_t<decltype(core::reading(s))>;
  return compact_room::stencil_test<core::home_of<X>, core::value_of<X>, core::in_memory<X>, at, Test>{
      core::reading(s), core::elements_in(s), compact_room::operand_of(s), test};
}

// ---- copy_if and partition by a stencil

template <class X, class Y, home H, class S, bool M, class At, class Test, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y>
std::uint64_t copy_if(const context& where, const X& in, Y&& out, compact_room::stencil_test<H, S, M, At, Test> test) {
  return compact_room::parted<By>(where, "copy_if", compact_room::into::kept_alone, in, core::written_operand(out), {},
                                  test, false);
}
template <class X, class Y, home H, class S, bool M, class At, class Test, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count,
             compact_room::stencil_test<H, S, M, At, Test> test) {
  compact_room::parted<By>(where, "copy_if", compact_room::into::kept_alone, in, core::written_operand(out), {}, count,
                           test, false);
}
template <class X, class Y, home H, class S, bool M, class At, class Test, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y>
std::uint64_t partition(const context& where, const X& in, Y&& out,
                        compact_room::stencil_test<H, S, M, At, Test> test) {
  return compact_room::parted<By>(where, "partition", compact_room::into::one_output, in, core::written_operand(out),
                                  {}, test, false);
}
template <class X, class Y, home H, class S, bool M, class At, class Test, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count,
               compact_room::stencil_test<H, S, M, At, Test> test) {
  compact_room::parted<By>(where, "partition", compact_room::into::one_output, in, core::written_operand(out), {},
                           count, test, false);
}

// ---- remove_copy_if, partition_copy

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y> && core::test_of<Test, X>
std::uint64_t remove_copy_if(const context& where, const X& in, Y&& out, Test test) {
  return compact_room::parted<By>(where, "remove_copy_if", compact_room::into::kept_alone, in,
                                  core::written_operand(out), {}, test, true);
}
template <class X, class Y, class Test, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void remove_copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  compact_room::parted<By>(where, "remove_copy_if", compact_room::into::kept_alone, in, core::written_operand(out), {},
                           count, test, true);
}

template <class X, class Y, class Z, class Test, class By = this_compiler>
  requires operands<Y, Z> && core::read_beside<X, Y> && core::test_of<Test, X>
std::uint64_t partition_copy(const context& where, const X& in, Y&& passed, Z&& others, Test test) {
  return compact_room::parted<By>(where, "partition_copy", compact_room::into::two_outputs, in,
                                  core::written_operand(passed), core::written_operand(others), test, false);
}
template <class X, class Y, class Z, class Test, class By = this_compiler>
  requires on_device<Y, Z> && core::read_beside<X, Y>
void partition_copy(const context& where, const X& in, Y&& passed, Z&& others, device_span<std::uint64_t> count,
                    Test test) {
  compact_room::parted<By>(where, "partition_copy", compact_room::into::two_outputs, in, core::written_operand(passed),
                           core::written_operand(others), count, test, false);
}

// ---- map_maybe: f is asked again for what is kept.

template <class X, class Y, class F, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y> && (!operands<F>)
std::uint64_t map_maybe(const context& asked, const X& in, Y&& out, F f) {
  const auto to = core::written_operand(out);
  const context where = compact_room::worked_on_by(asked, to);
  return compact_room::counted(where, [&](auto count) { compact_room::map_maybe<By>(where, in, to, count, f); });
}
template <class X, class Y, class F, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void map_maybe(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, F f) {
  compact_room::map_maybe<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(count), f);
}

// ---- By an equality of one's own

template <class X, class Y, class Equal, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y> && core::equality_of<Equal, X>
std::uint64_t unique(const context& asked, const X& in, Y&& out, Equal equal) {
  const auto to = core::written_operand(out);
  const context where = compact_room::worked_on_by(asked, to);
  return compact_room::counted(where, [&](auto count) { compact_room::unique<By>(where, in, to, count, equal); });
}
template <class X, class Y, class Equal, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y> && core::equality_of<Equal, X>
void unique(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Equal equal) {
  compact_room::unique<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(count), equal);
}

template <class K, class V, class KOut, class VOut, class Equal, class By = this_compiler>
  requires operands<KOut, VOut> && core::read_beside<K, KOut> && core::read_beside<V, VOut> &&
           core::equality_of<Equal, K>
std::uint64_t unique_by_key(const context& asked, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                            Equal equal) {
  const auto to = core::written_operand(keys_out);
  const context where = compact_room::worked_on_by(asked, to);
  return compact_room::counted(where, [&](auto count) {
    compact_room::unique_by_key<By>(where, keys, values, to, core::written_operand(values_out), count, equal);
  });
}
template <class K, class V, class KOut, class VOut, class Equal, class By = this_compiler>
  requires on_device<KOut, VOut> && core::read_beside<K, KOut> && core::read_beside<V, VOut> &&
           core::equality_of<Equal, K>
void unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                   device_span<std::uint64_t> count, Equal equal) {
  compact_room::unique_by_key<By>(where, keys, values, core::written_operand(keys_out),
                                  core::written_operand(values_out), core::operand<std::uint64_t>(count), equal);
}

template <class X, class Equal = core::equals, class By = this_compiler>
std::uint64_t unique_count(const context& where, const X& in, Equal equal = {}) {
  return compact_room::runs_in<By>(where, in, equal);
}

template <class X, class O, class Equal = core::equals, class By = this_compiler>
  requires operands<O> && core::read_beside<X, O> && (!is_device_span<Equal>)
std::uint64_t group_by(const context& asked, const X& in, O&& offsets, Equal equal = {}) {
  const auto to = core::written_operand(offsets);
  const context where = compact_room::worked_on_by(asked, to);
  return compact_room::counted(where,
                               [&](auto count) { compact_room::offsets_of_runs<By>(where, in, to, count, equal); });
}
template <class X, class O, class Equal = core::equals, class By = this_compiler>
  requires on_device<O> && core::read_beside<X, O>
void group_by(const context& where, const X& in, O&& offsets, device_span<std::uint64_t> count, Equal equal = {}) {
  compact_room::offsets_of_runs<By>(where, in, core::written_operand(offsets), core::operand<std::uint64_t>(count),
                                    equal);
}

// ---- In place: what is kept stands first; how many is returned.

template <class X, class Test, class By = this_compiler>
  requires operands<X> && core::test_of<Test, X>
std::uint64_t copy_if(const context& where, X&& x, Test test) {
  return compact_room::kept_in_place<By>(where, "copy_if", core::written_operand(x), test, false);
}

template <class X, class Test, class By = this_compiler>
  requires operands<X> && core::test_of<Test, X>
std::uint64_t remove_if(const context& where, X&& x, Test test) {
  return compact_room::kept_in_place<By>(where, "remove_if", core::written_operand(x), test, true);
}
template <class X, class Test, class By = this_compiler>
  requires operands<X> && core::test_of<Test, X>
std::uint64_t partition(const context& where, X&& x, Test test) {
  return compact_room::parted_in_place<By>(where, core::written_operand(x), test);
}
template <class X, class By = this_compiler>
  requires operands<X>
std::uint64_t unique(const context& where, X&& x) {
  return compact_room::unique_in_place<By>(where, core::written_operand(x), core::equals{});
}
template <class X, class Equal, class By = this_compiler>
  requires operands<X> && core::equality_of<Equal, X>
std::uint64_t unique(const context& where, X&& x, Equal equal) {
  return compact_room::unique_in_place<By>(where, core::written_operand(x), equal);
}
template <class K, class V, class By = this_compiler>
  requires operands<K, V>
std::uint64_t unique_by_key(const context& where, K&& keys, V&& values) {
  return compact_room::unique_by_key_in_place<By>(where, core::written_operand(keys), core::written_operand(values),
                                                  core::equals{});
}
template <class K, class V, class Equal, class By = this_compiler>
  requires operands<K, V> && core::equality_of<Equal, K>
std::uint64_t unique_by_key(const context& where, K&& keys, V&& values, Equal equal) {
  return compact_room::unique_by_key_in_place<By>(where, core::written_operand(keys), core::written_operand(values),
                                                  equal);
}

// ---- Where order does not matter: the same arguments, and a result whose order nobody may rely on.

template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) { upsweep::copy_if(where, std::forward<Arguments>(a)...); }
auto unstable_copy_if(const context& where, Arguments&&... arguments) {
  return upsweep::copy_if(where, std::forward<Arguments>(arguments)...);
}
template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) {
    upsweep::remove_if(where, std::forward<Arguments>(a)...);
  }
auto unstable_remove_if(const context& where, Arguments&&... arguments) {
  return upsweep::remove_if(where, std::forward<Arguments>(arguments)...);
}
template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) {
    upsweep::partition(where, std::forward<Arguments>(a)...);
  }
auto unstable_partition(const context& where, Arguments&&... arguments) {
  return upsweep::partition(where, std::forward<Arguments>(arguments)...);
}

// Every partition keeps the order; this name says that the caller relies on it.
template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) {
    upsweep::partition(where, std::forward<Arguments>(a)...);
  }
auto stable_partition(const context& where, Arguments&&... arguments) {
  return upsweep::partition(where, std::forward<Arguments>(arguments)...);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/compact/made.hpp"  // last, as it takes all of these
