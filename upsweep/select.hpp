// select: keeps elements by a test, by flags or by comparison with their neighbour, in order; partitions; run-length
// encoding and decoding; gather and scatter.
//
//   std::uint64_t kept = upsweep::copy_if(gpu, x.span(), y.span(), upsweep::less_than(0.5f));
//   upsweep::copy_if(gpu, x.span(), y.span(), count.span(), upsweep::less_than(0.5f));      // the count stays on the
//                                                                                           // device
//   std::uint64_t small = upsweep::partition(cpu, values, parted, [] UPSWEEP_HD(float v) { return v < 0.5f; });
//   std::uint64_t runs = upsweep::run_length_encode(gpu, x.span(), firsts.span(), lengths.span());
//
//   copy_if            the elements that pass the test
//   select_flagged     the elements whose flag is not zero
//   unique             the first element of each run of equal elements; unique_by_key: also the value of that element
//   partition          the elements that pass, then the rest; three_way_partition: the elements that pass the first
//                      test, those of the rest that pass the second, the rest
//   run_length_encode  the first element of each run of equal elements, and the length of the run; run_length_decode is
//                      the inverse
//   gather             out[i] = in[indices[i]]; gather_if: only if flags[i] is not zero, otherwise out[i] keeps its
//                      value
//   permute            one order for many arrays: out[i] = in[order[i]] for each pair of an input and an output
//   scatter            out[indices[i]] = in[i]; scatter_if: only if flags[i] is not zero
//
// Result       Every call keeps the order of its input, in both parts of a partition too. The number of kept elements
//              (of the first part, of runs) is returned, or written to a device span of one u64 (three_way_partition:
//              two of them, returned as an array). Output elements after the kept ones keep their value. Elements are
//              compared with ==: +0 and -0 are equal, and a NaN is not equal to itself.
// Requires     Outputs have capacity for the whole input. If copy_if, select_flagged or unique return a count, outputs
//              that hold the kept elements are sufficient. Where all output elements are written (partitions, gather,
//              decode) the sizes are equal. Flags are u8 or bool. Indices, and lengths that are inputs, are u32 or u64.
//              A test always returns the same result for the same element. Every index of gather is less than
//              in.size(). Every index of scatter is less than out.size(), and no two of them are equal. Indices whose
//              flag is zero may have any value. The lengths for run_length_decode add up to out.size(). Inputs and
//              outputs do not overlap, but the output may be exactly the input (in place) in copy_if, select_flagged,
//              unique, unique_by_key, permute and partitions.
// Inputs       Device spans, buffers, contiguous ranges. Some calls also take lazy views (views.hpp), ranges with
//              random access and output adaptors (outputs.hpp):
//   selections  copy_if, select_flagged (elements, flags), unique, unique_by_key, partitions and run_length_encode take
//               them. An element of such an input is evaluated once for the test and again when it is kept; it is not
//               stored. Outputs need to hold only the kept elements (in device memory: all of the input). The CPU works
//               on host memory, whatever the context. Device memory is supported by the CPU, and by CUDA when nvcc
//               compiles the call. OpenCL, and CUDA from any file, support it if all functions have device source and
//               outputs are memory; they store the lazy input first
//   moves       gather, gather_if, scatter, scatter_if and run_length_decode take such inputs, and store them first
// Work         O(n). Every element is read once and every kept one written once. A partition into one array on a GPU
//              reads the input twice if it is larger than the cache, to find out where the second part begins.
// Scratch      O(tiles). In place, and if the output is smaller than the input: in addition as much as the input.
//              run_length_decode: eight bytes per length, 16 if lengths are u32. Owned by the context; the second call
//              of the same shape allocates nothing.
// Determinism  Bit for bit the same on every device.
// Asynchrony   Calls on device spans are enqueued, except that overloads that return a count wait for it. Calls on host
//              memory return after the work is done.
// Host memory  If it does not fit on the device it is streamed in chunks; partitions meanwhile store the elements that
//              do not pass in host memory. The input of gather and the output of scatter must fit.
// Errors       upsweep::error: different sizes, an output that is too small (nothing is written outside it), overlap.
//              In host memory, and in device memory in checked calls (`checked` of with(), UPSWEEP_CHECKED): an index
//              past the end, lengths that do not add up.
//
// Tests: less_than(x), at_most(x), greater_than(x), at_least(x), equal_to(x), not_equal_to(x), on built-in types, from
// any .cpp file. x has the type of the elements, or another type whose value the elements' type holds. A test of
// views::zip(x, y) takes the row or its two elements. User-defined tests and element types work on the CPU from any
// file, on CUDA when nvcc compiles the call (a .cu file), and on OpenCL if they have device source
// (jit/jit.hpp); copy_if, partition, three_way_partition and unique then also work on CUDA from any other
// file. Calls that only move elements (select_flagged, run_length_decode, gather, scatter) take trivially copyable
// types of any size on every device.
#pragma once

#include <array>
#include <tuple>

#include "upsweep/for_each/for_each_wide_offsets.hpp"
#include "upsweep/operators/comparisons.hpp"
#include "upsweep/select/select_chunks.hpp"
#include "upsweep/select/select_dispatch.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- The count stays on the device.

template <class X, class Y, class Test, class By = this_compiler>
  requires on_device<X, Y>
void copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  if constexpr (core::require_test_of<element_of<X>, Test>() &&
                core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    detail::select_impl::copy_if<T, core::asked_as<Test, T>, By>(
        where, core::read_operand(in), core::written_operand(out), count, core::asked_of<T>("copy_if", test));
  }
}

template <class X, class F, class Y, class By = this_compiler>
  requires on_device<X, F, Y>
void select_flagged(const context& where, const X& in, const F& flags, Y&& out, device_span<std::uint64_t> count) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::select_flagged<element_of<X>, By>(
        where, core::read_operand(in), detail::select_impl::flags_in(flags), core::written_operand(out), count);
  }
}

template <class X, class Y, class By = this_compiler>
  requires on_device<X, Y>
void unique(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count) {
  if constexpr (core::require_equality<element_of<X>>() && core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::unique<element_of<X>, By>(where, core::read_operand(in), core::written_operand(out), count);
  }
}

template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires on_device<K, V, KOut, VOut>
void unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                   device_span<std::uint64_t> count) {
  if constexpr (core::require_equality<element_of<K>>() && core::require_own_type<element_of<K>, element_of<KOut>>() &&
                core::require_own_type<element_of<V>, element_of<VOut>>()) {
    detail::select_impl::unique_by_key<element_of<K>, element_of<V>, By>(
        where, core::read_operand(keys), core::read_operand(values), core::written_operand(keys_out),
        core::written_operand(values_out), count);
  }
}

template <class X, class Y, class Test, class By = this_compiler>
  requires on_device<X, Y>
void partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  if constexpr (core::require_test_of<element_of<X>, Test>() &&
                core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    detail::select_impl::partition<T, core::asked_as<Test, T>, By>(
        where, core::read_operand(in), core::written_operand(out), count, core::asked_of<T>("partition", test));
  }
}

template <class X, class Y, class First, class Second, class By = this_compiler>
  requires on_device<X, Y>
void three_way_partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> counts, First first,
                         Second second) {
  if constexpr (core::require_test_of<element_of<X>, First>() && core::require_test_of<element_of<X>, Second>() &&
                core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    detail::select_impl::three_way_partition<T, core::asked_as<First, T>, core::asked_as<Second, T>, By>(
        where, core::read_operand(in), core::written_operand(out), counts,
        core::asked_of<T>("three_way_partition", first), core::asked_of<T>("three_way_partition", second));
  }
}

template <class X, class Y, class By = this_compiler>
  requires on_device<X, Y>
void run_length_encode(const context& where, const X& in, Y&& out, device_span<std::uint64_t> lengths,
                       device_span<std::uint64_t> count) {
  if constexpr (core::require_equality<element_of<X>>() && core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::run_length_encode<element_of<X>, By>(where, core::read_operand(in), core::written_operand(out),
                                                              lengths, count);
  }
}

// ---- The count is returned. Calls on host memory return after the work is done.

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<X, Y> && (!is_device_span<Test>)
std::uint64_t copy_if(const context& where, const X& in, Y&& out, Test test) {
  if constexpr (core::require_test_of<element_of<X>, Test>() &&
                core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    return detail::select_impl::returned_count<T>(where, "copy_if", core::read_operand(in), core::written_operand(out),
                                                  [&](auto i, auto o, auto count) {
                                                    detail::select_impl::copy_if<T, core::asked_as<Test, T>, By>(
                                                        where, i, o, count, core::asked_of<T>("copy_if", test));
                                                  });
  } else {
    return {};
  }
}

template <class X, class Y, class By = this_compiler>
  requires operands<X, Y>
std::uint64_t unique(const context& where, const X& in, Y&& out) {
  if constexpr (core::require_equality<element_of<X>>() && core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    return detail::select_impl::returned_count<T, true>(
        where, "unique", core::read_operand(in), core::written_operand(out),
        [&](auto i, auto o, auto count) { detail::select_impl::unique<T, By>(where, i, o, count); });
  } else {
    return {};
  }
}

template <class X, class F, class Y, class By = this_compiler>
  requires operands<X, F, Y>
std::uint64_t select_flagged(const context& where, const X& in, const F& flags, Y&& out) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    return detail::select_impl::flagged<element_of<X>, By>(
        where, core::read_operand(in), detail::select_impl::flags_in(flags), core::written_operand(out));
  } else {
    return {};
  }
}

template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires operands<K, V, KOut, VOut>
std::uint64_t unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out) {
  if constexpr (core::require_equality<element_of<K>>() && core::require_own_type<element_of<K>, element_of<KOut>>() &&
                core::require_own_type<element_of<V>, element_of<VOut>>()) {
    return detail::select_impl::first_of_each_key<element_of<K>, element_of<V>, By>(
        where, core::read_operand(keys), core::read_operand(values), core::written_operand(keys_out),
        core::written_operand(values_out));
  } else {
    return {};
  }
}

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<X, Y> && (!is_device_span<Test>)
std::uint64_t partition(const context& where, const X& in, Y&& out, Test test) {
  if constexpr (core::require_test_of<element_of<X>, Test>() &&
                core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    return detail::select_impl::parted<T, 1>(where, "partition", core::read_operand(in), core::written_operand(out),
                                             [&](auto i, auto o, auto count) {
                                               detail::select_impl::partition<T, core::asked_as<Test, T>, By>(
                                                   where, i, o, count, core::asked_of<T>("partition", test));
                                             })[0];
  } else {
    return {};
  }
}

// Returns the number of elements in the first and in the second part.
template <class X, class Y, class First, class Second, class By = this_compiler>
  requires operands<X, Y> && (!is_device_span<First>)
std::array<std::uint64_t, 2> three_way_partition(const context& where, const X& in, Y&& out, First first,
                                                 Second second) {
  if constexpr (core::require_test_of<element_of<X>, First>() && core::require_test_of<element_of<X>, Second>() &&
                core::require_own_type<element_of<X>, element_of<Y>>()) {
    using T = element_of<X>;
    return detail::select_impl::parted<T, 2>(
        where, "three_way_partition", core::read_operand(in), core::written_operand(out),
        [&](auto i, auto o, auto counts) {
          detail::select_impl::three_way_partition<T, core::asked_as<First, T>, core::asked_as<Second, T>, By>(
              where, i, o, counts, core::asked_of<T>("three_way_partition", first),
              core::asked_of<T>("three_way_partition", second));
        });
  } else {
    return {};
  }
}

// Returns the number of runs.
template <class X, class Y, class L, class By = this_compiler>
  requires operands<X, Y, L>
std::uint64_t run_length_encode(const context& where, const X& in, Y&& out, L&& lengths) {
  if constexpr (core::require_equality<element_of<X>>() && core::require_own_type<element_of<X>, element_of<Y>>() &&
                core::require_counts<element_of<L>>()) {
    return detail::select_impl::encoded<element_of<X>, By>(where, core::read_operand(in), core::written_operand(out),
                                                           core::written_operand(lengths));
  } else {
    return {};
  }
}

// ---- All output elements are written. Calls on device spans are enqueued.

template <class X, class L, class Y, class By = this_compiler>
  requires operands<X, L, Y>
void run_length_decode(const context& where, const X& in, const L& lengths, Y&& out) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::decoded<element_of<X>, By>(
        where, core::read_operand(in), detail::for_each_impl::offsets_in(where, lengths), core::written_operand(out));
  }
}

template <class X, class I, class Y, class By = this_compiler>
  requires operands<X, I, Y>
void gather(const context& where, const X& in, const I& indices, Y&& out) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::gathered<element_of<X>, By>("gather", where, core::read_operand(in),
                                                     detail::select_impl::indices_in(indices), {}, false,
                                                     core::written_operand(out));
  }
}

template <class X, class I, class F, class Y, class By = this_compiler>
  requires operands<X, I, F, Y>
void gather_if(const context& where, const X& in, const I& indices, const F& flags, Y&& out) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::gathered<element_of<X>, By>(
        "gather_if", where, core::read_operand(in), detail::select_impl::indices_in(indices),
        detail::select_impl::flags_in(flags), true, core::written_operand(out));
  }
}

// permute(c, order, x, x_sorted, y, y_sorted, …). All sizes are checked before the first write.
template <class I, class... InOut, class By = this_compiler>
  requires(sizeof...(InOut) >= 2 && sizeof...(InOut) % 2 == 0) && operands<I, std::remove_cvref_t<InOut>...>
void permute(const context& where, const I& order, InOut&&... inputs_and_outputs) {
  const auto indices = detail::select_impl::indices_in(order);
  const auto all = std::forward_as_tuple(inputs_and_outputs...);
  const auto each_pair = [&](const auto& call) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (call(std::get<2 * P>(all), std::get<2 * P + 1>(all)), ...);
    }(std::make_index_sequence<sizeof...(InOut) / 2>());
  };
  each_pair([&](const auto& in, auto& out) {
    detail::select_impl::require_permuted(where, indices, core::read_operand(in), core::written_operand(out));
  });
  each_pair([&](const auto& in, auto& out) {
    detail::select_impl::permute_elements<By>(where, indices, core::read_operand(in), core::written_operand(out));
  });
}

template <class X, class I, class Y, class By = this_compiler>
  requires operands<X, I, Y>
void scatter(const context& where, const X& in, const I& indices, Y&& out) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::scattered<element_of<X>, By>("scatter", where, core::read_operand(in),
                                                      detail::select_impl::indices_in(indices), {}, false,
                                                      core::written_operand(out));
  }
}

template <class X, class I, class F, class Y, class By = this_compiler>
  requires operands<X, I, F, Y>
void scatter_if(const context& where, const X& in, const I& indices, const F& flags, Y&& out) {
  if constexpr (core::require_own_type<element_of<X>, element_of<Y>>()) {
    detail::select_impl::scattered<element_of<X>, By>(
        "scatter_if", where, core::read_operand(in), detail::select_impl::indices_in(indices),
        detail::select_impl::flags_in(flags), true, core::written_operand(out));
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/compact.hpp"  // last: overloads for lazy views and output adaptors
