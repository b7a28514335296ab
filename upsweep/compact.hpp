// compact: stream compaction beyond select.hpp: selection by a stencil (a test of another sequence), removal,
// partition into two outputs, runs of elements that a user-defined equality joins, and in-place forms of all of them.
//
//   std::uint64_t left = upsweep::remove_if(cpu, values, [] UPSWEEP_HD(float v) { return v < 0; });   // in place
//   upsweep::copy_if(gpu, x.span(), y.span(), upsweep::stencil(ages.span(), upsweep::at_least(18u)));
//   upsweep::partition_copy(gpu, x.span(), small.span(), large.span(), upsweep::less_than(0.5f));
//   std::uint64_t kinds = upsweep::unique(cpu, names, out, [](const auto& a, const auto& b) { return a[0] == b[0]; });
//   std::uint64_t runs = upsweep::group_by(gpu, x.span(), offsets.span());          // segments for segmented.hpp
//
//   stencil(s, test)   a test of s[i] instead of element i: copy_if, remove_copy_if, remove_if, partition and
//                      partition_copy take it in place of a test of the elements
//   copy_if            in place: keeps the elements that pass the test; also with a stencil
//   remove_copy_if     copies the elements that fail the test; remove_if does so in place
//   partition          with a stencil, or in place
//   partition_copy     copies the elements that pass to one output and the rest to another
//   unique, unique_by_key   with equal(a, b), called for neighbours; or in place
//   unique_count       the number of runs of equal elements
//   filter_map         the values that f returns for the elements that have one: f(x) is a std::optional,
//                      or this library's optional, which CUDA devices can also evaluate.
//                      map_if(test, value) is such a function
//   unstable_…         copy_if, remove_if and partition without a promise about the order of the result; the current
//                      implementation keeps it
//   group_by           the offset at which each run begins, then n: one offset more than there are runs
//
// Result       The order of the input is kept everywhere. The number of kept elements (passing elements, runs) is
//              returned, or written to a device span of one u64. The rest of an output is left unchanged. After
//              in-place calls on the CPU the rest is unspecified, as is the rest of group_by's offsets. Without a
//              given equality, elements are compared with ==.
// Inputs       Device spans, buffers, ranges with random access, or lazy views (views.hpp). In place: contiguous
//              memory.
// Requires     Tests and equalities return the same result for the same elements at every call and may be called by
//              several threads at once. Outputs in host memory, and all outputs of a CPU context, hold the kept
//              elements; outputs in device memory hold the largest possible number (n; group_by n + 1). Outputs
//              overlap neither inputs nor other outputs; in place, the stencil may be, or contain, the elements.
// Work         n calls of the test. In place on the CPU all threads call the test and one thread moves elements; a
//              device copies the elements to scratch first.
// Scratch      n/8 bytes on the CPU. On devices one byte an element; in place, and for unique_count, as much as the
//              elements.
// Determinism  The result depends on the inputs alone, whatever the device.
// Asynchrony   Device spans: enqueued, except that forms that return a count wait for it. Host memory: done on return;
//              the CPU does the work whatever the context.
// Errors       upsweep::error: sizes that differ, an output too small (nothing has been written), overlap, a type, test
//              or input that the device does not support.
//
// Three groups run on every device from any .cpp file: less_than(x) and the similar tests of select.hpp for built-in
// types, the movement of elements of 1, 2, 4 or 8 bytes in memory, and == of built-in types. Everything else works on
// the CPU from any file (in place: with movable elements) and on CUDA where nvcc compiles the call. On CUDA from other
// files and on OpenCL it works for inputs in memory, if user-defined types, tests and equalities have device source
// (jit/jit.hpp); filter_map then takes map_if(test, value), which keeps value(x) of each x that passes.
#pragma once

#include "upsweep/compact/compact_filter_map.hpp"
#include "upsweep/compact/compact_in_place.hpp"
#include "upsweep/select.hpp"

namespace upsweep {

namespace core {
template <class X, class Y>
concept read_beside = readable_input<X> && (memory_space_of<X> == memory_space::any ||
                                            (memory_space_of<X> == memory_space::device) == on_device<Y>);
template <class Test, class Y>
inline constexpr bool lies_beside = true;
template <class Test, class Y>
  requires detail::compact_impl::is_stencil<Test>
inline constexpr bool lies_beside<Test, Y> =
    Test::space == memory_space::any || (Test::space == memory_space::device) == on_device<Y>;

// A predicate of one element (test_of) or of two (equality_of). A stencil reads its own sequence.
template <class Test, class X>
concept test_of = !is_device_span<Test> && (detail::compact_impl::is_stencil<Test> || !operands<Test>);
template <class Equal, class X>
concept equality_of = std::is_invocable_r_v<bool, const Equal&, const value_of<X>&, const value_of<X>&>;
}  // namespace core

inline namespace UPSWEEP_COMPILED {

template <class S, class Test>
auto stencil(S&& s, Test test) {
  core::require_input<S>();
  core::require_lasting<S>();
  using X = std::remove_cvref_t<S>;
  return detail::compact_impl::stencil_test<core::memory_space_of<X>, core::value_of<X>, core::in_memory<X>,
                                            core::reading_of<X>, core::asked_as<Test, core::value_of<X>>>{
      core::function_of_index(s), core::elements_in(s), detail::compact_impl::operand_of(s),
      core::asked_of<core::value_of<X>>("stencil", test)};
}

// ---- copy_if and partition by a stencil

template <class X, class Y, memory_space Space, class S, bool M, class At, class Test, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y>
std::uint64_t copy_if(const context& where, const X& in, Y&& out,
                      detail::compact_impl::stencil_test<Space, S, M, At, Test> test) {
  return detail::compact_impl::parted<By>(where, "copy_if", detail::compact_impl::into::kept_alone, in,
                                          core::written_operand(out), {}, test, false);
}
template <class X, class Y, memory_space Space, class S, bool M, class At, class Test, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count,
             detail::compact_impl::stencil_test<Space, S, M, At, Test> test) {
  detail::compact_impl::parted<By>(where, "copy_if", detail::compact_impl::into::kept_alone, in,
                                   core::written_operand(out), {}, count, test, false);
}
template <class X, class Y, memory_space Space, class S, bool M, class At, class Test, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y>
std::uint64_t partition(const context& where, const X& in, Y&& out,
                        detail::compact_impl::stencil_test<Space, S, M, At, Test> test) {
  return detail::compact_impl::parted<By>(where, "partition", detail::compact_impl::into::one_output, in,
                                          core::written_operand(out), {}, test, false);
}
template <class X, class Y, memory_space Space, class S, bool M, class At, class Test, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count,
               detail::compact_impl::stencil_test<Space, S, M, At, Test> test) {
  detail::compact_impl::parted<By>(where, "partition", detail::compact_impl::into::one_output, in,
                                   core::written_operand(out), {}, count, test, false);
}

// ---- remove_copy_if, partition_copy

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y> && core::test_of<Test, X>
std::uint64_t remove_copy_if(const context& where, const X& in, Y&& out, Test test) {
  return detail::compact_impl::parted<By>(where, "remove_copy_if", detail::compact_impl::into::kept_alone, in,
                                          core::written_operand(out), {},
                                          core::asked_of<core::value_of<X>>("remove_copy_if", test), true);
}
template <class X, class Y, class Test, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void remove_copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  detail::compact_impl::parted<By>(where, "remove_copy_if", detail::compact_impl::into::kept_alone, in,
                                   core::written_operand(out), {}, count,
                                   core::asked_of<core::value_of<X>>("remove_copy_if", test), true);
}

template <class X, class Y, class Z, class Test, class By = this_compiler>
  requires operands<Y, Z> && core::read_beside<X, Y> && core::test_of<Test, X>
std::uint64_t partition_copy(const context& where, const X& in, Y&& passed, Z&& others, Test test) {
  return detail::compact_impl::parted<By>(where, "partition_copy", detail::compact_impl::into::two_outputs, in,
                                          core::written_operand(passed), core::written_operand(others),
                                          core::asked_of<core::value_of<X>>("partition_copy", test), false);
}
template <class X, class Y, class Z, class Test, class By = this_compiler>
  requires on_device<Y, Z> && core::read_beside<X, Y>
void partition_copy(const context& where, const X& in, Y&& passed, Z&& others, device_span<std::uint64_t> count,
                    Test test) {
  detail::compact_impl::parted<By>(where, "partition_copy", detail::compact_impl::into::two_outputs, in,
                                   core::written_operand(passed), core::written_operand(others), count,
                                   core::asked_of<core::value_of<X>>("partition_copy", test), false);
}

// ---- filter_map: calls f twice for each kept element.

template <class X, class Y, class F, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y> && (!operands<F>)
std::uint64_t filter_map(const context& asked, const X& in, Y&& out, F f) {
  const auto to = core::written_operand(out);
  const context where = detail::compact_impl::worked_on_by(asked, to);
  return detail::compact_impl::returned_count(
      where, [&](auto count) { detail::compact_impl::filter_map<By>(where, in, to, count, f); });
}
template <class X, class Y, class F, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y>
void filter_map(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, F f) {
  detail::compact_impl::filter_map<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(count), f);
}

// ---- With a user-defined equality

template <class X, class Y, class Equal, class By = this_compiler>
  requires operands<Y> && core::read_beside<X, Y> && core::equality_of<Equal, X>
std::uint64_t unique(const context& asked, const X& in, Y&& out, Equal equal) {
  const auto to = core::written_operand(out);
  const context where = detail::compact_impl::worked_on_by(asked, to);
  return detail::compact_impl::returned_count(
      where, [&](auto count) { detail::compact_impl::unique<By>(where, in, to, count, equal); });
}
template <class X, class Y, class Equal, class By = this_compiler>
  requires on_device<Y> && core::read_beside<X, Y> && core::equality_of<Equal, X>
void unique(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Equal equal) {
  detail::compact_impl::unique<By>(where, in, core::written_operand(out), core::operand<std::uint64_t>(count), equal);
}

template <class K, class V, class KOut, class VOut, class Equal, class By = this_compiler>
  requires operands<KOut, VOut> && core::read_beside<K, KOut> && core::read_beside<V, VOut> &&
           core::equality_of<Equal, K>
std::uint64_t unique_by_key(const context& asked, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                            Equal equal) {
  const auto to = core::written_operand(keys_out);
  const context where = detail::compact_impl::worked_on_by(asked, to);
  return detail::compact_impl::returned_count(where, [&](auto count) {
    detail::compact_impl::unique_by_key<By>(where, keys, values, to, core::written_operand(values_out), count, equal);
  });
}
template <class K, class V, class KOut, class VOut, class Equal, class By = this_compiler>
  requires on_device<KOut, VOut> && core::read_beside<K, KOut> && core::read_beside<V, VOut> &&
           core::equality_of<Equal, K>
void unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                   device_span<std::uint64_t> count, Equal equal) {
  detail::compact_impl::unique_by_key<By>(where, keys, values, core::written_operand(keys_out),
                                          core::written_operand(values_out), core::operand<std::uint64_t>(count),
                                          equal);
}

template <class X, class Equal = core::equals, class By = this_compiler>
std::uint64_t unique_count(const context& where, const X& in, Equal equal = {}) {
  return detail::compact_impl::runs_in<By>(where, in, equal);
}

template <class X, class O, class Equal = core::equals, class By = this_compiler>
  requires operands<O> && core::read_beside<X, O> && (!is_device_span<Equal>)
std::uint64_t group_by(const context& asked, const X& in, O&& offsets, Equal equal = {}) {
  if constexpr (core::require_counts<element_of<O>>()) {
    const auto to = core::written_operand(offsets);
    const context where = detail::compact_impl::worked_on_by(asked, to);
    return detail::compact_impl::returned_count(
        where, [&](auto count) { detail::compact_impl::offsets_of_runs<By>(where, in, to, count, equal); });
  } else {
    return {};
  }
}
template <class X, class O, class Equal = core::equals, class By = this_compiler>
  requires on_device<O> && core::read_beside<X, O>
void group_by(const context& where, const X& in, O&& offsets, device_span<std::uint64_t> count, Equal equal = {}) {
  if constexpr (core::require_counts<element_of<O>>()) {
    detail::compact_impl::offsets_of_runs<By>(where, in, core::written_operand(offsets),
                                              core::operand<std::uint64_t>(count), equal);
  }
}

// ---- In place: moves the kept elements to the front and returns their number.

template <class X, class Test, class By = this_compiler>
  requires operands<X> && core::test_of<Test, X>
std::uint64_t copy_if(const context& where, X&& x, Test test) {
  return detail::compact_impl::kept_in_place<By>(where, "copy_if", core::written_operand(x),
                                                 core::asked_of<element_of<X>>("copy_if", test), false);
}

template <class X, class Test, class By = this_compiler>
  requires operands<X> && core::test_of<Test, X>
std::uint64_t remove_if(const context& where, X&& x, Test test) {
  return detail::compact_impl::kept_in_place<By>(where, "remove_if", core::written_operand(x),
                                                 core::asked_of<element_of<X>>("remove_if", test), true);
}
template <class X, class Test, class By = this_compiler>
  requires operands<X> && core::test_of<Test, X>
std::uint64_t partition(const context& where, X&& x, Test test) {
  return detail::compact_impl::parted_in_place<By>(where, core::written_operand(x),
                                                   core::asked_of<element_of<X>>("partition", test));
}
template <class X, class By = this_compiler>
  requires operands<X>
std::uint64_t unique(const context& where, X&& x) {
  return detail::compact_impl::unique_in_place<By>(where, core::written_operand(x), core::equals{});
}
template <class X, class Equal, class By = this_compiler>
  requires operands<X> && core::equality_of<Equal, X>
std::uint64_t unique(const context& where, X&& x, Equal equal) {
  return detail::compact_impl::unique_in_place<By>(where, core::written_operand(x), equal);
}
template <class K, class V, class By = this_compiler>
  requires operands<K, V>
std::uint64_t unique_by_key(const context& where, K&& keys, V&& values) {
  return detail::compact_impl::unique_by_key_in_place<By>(where, core::written_operand(keys),
                                                          core::written_operand(values), core::equals{});
}
template <class K, class V, class Equal, class By = this_compiler>
  requires operands<K, V> && core::equality_of<Equal, K>
std::uint64_t unique_by_key(const context& where, K&& keys, V&& values, Equal equal) {
  return detail::compact_impl::unique_by_key_in_place<By>(where, core::written_operand(keys),
                                                          core::written_operand(values), equal);
}

// ---- With the same arguments as the calls above, and a result in unspecified order.

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

// partition() already keeps the order. This name documents that the caller relies on it.
template <class... Arguments>
  requires requires(const context& where, Arguments&&... a) {
    upsweep::partition(where, std::forward<Arguments>(a)...);
  }
auto stable_partition(const context& where, Arguments&&... arguments) {
  return upsweep::partition(where, std::forward<Arguments>(arguments)...);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/compact/compact_lazy.hpp"  // last: it uses all of the above
