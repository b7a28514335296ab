// select: elements kept in order by a test, by flags or by their neighbours; partitions; runs of equal elements and
// back; gather and scatter.
//
//   std::uint64_t kept = upsweep::copy_if(gpu, x.span(), y.span(), upsweep::less_than(0.5f));
//   upsweep::copy_if(gpu, x.span(), y.span(), count.span(), upsweep::less_than(0.5f));      // the count stays on the
//                                                                                           // device
//   std::uint64_t small = upsweep::partition(cpu, values, parted, [] UPSWEEP_HD(float v) { return v < 0.5f; });
//   std::uint64_t runs = upsweep::run_length_encode(gpu, x.span(), firsts.span(), lengths.span());
//
//   copy_if            what passes the test
//   select_flagged     what has a flag that is not zero
//   unique             the first of each run of equal elements; unique_by_key: with the values beside them
//   partition          what passes, then the rest; partition3: what passes the first test, what of the rest passes the
//                      second, the rest
//   run_length_encode  the first of each run of equal elements, and the run's length; run_length_decode: back again
//   gather             out[i] = in[indices[i]]; gather_if: where flags[i] is not zero, elsewhere out[i] stays
//   permute            one order for many arrays: out[i] = in[order[i]] of each input and the output that follows it
//   scatter            out[indices[i]] = in[i]; scatter_if: where flags[i] is not zero
//
// Result       Every one keeps the order of its input, both sides of a partition too. The number of elements kept (of
//              the first class, of runs) is returned, or written to a device span of one u64 (partition3: two, returned
//              as an array). What lies in the output beyond the elements kept is left as it was. Elements are equal as
//              == says: the zeros of both signs are, and a NaN is not equal to itself.
// Requires     outputs that could hold all of the input; where copy_if, select_flagged or unique return a count, those
//              that hold what is kept will do. Exactly as many elements where all are written (partitions, gather,
//              decode).
//              Flags are u8 or bool; indices, and the lengths that are given, u32 or u64. A test gives the same answer
//              whenever it is asked. Every index of gather is below in.size(), every one of scatter is below out.size()
//              and no two of those are equal; of those without a flag the index may be anything. The lengths that
//              run_length_decode takes add up to out.size().
//              Inputs and outputs have no memory in common; but the output may be exactly the input (in place) of
//              copy_if, select_flagged, unique, unique_by_key, permute and partitions.
// Inputs       device spans, buffers, contiguous ranges. copy_if, select_flagged (elements, flags), unique,
//              unique_by_key, the partitions and run_length_encode also take ranges with random access and what
//              inputs.hpp makes, and outputs.hpp's outputs. Such an input is read where it is asked about and again
//              where it is kept, and never stored; its outputs need hold only what is kept (in device memory: all of
//              it). Host memory of these forms is worked on by the CPU whatever the context; device memory by the CPU,
//              by CUDA where nvcc compiles the call, and, where every function in them carries its text and outputs
//              are memory, by OpenCL and by CUDA from any file: there such an input is stored first.
// Work         O(n). Every element is read once and every kept one written once; a partition into one array reads it
//              twice on a GPU where it is larger than the chip's cache holds, because it must know where the rest
//              begins.
// Scratch      O(tiles); in place, and where the output holds less than the input, as much as the input besides;
//              run_length_decode: eight bytes for each length, 16 for those of u32. Owned by the context, none
//              allocated in the second call of the same shape.
// Determinism  The results are the same in every bit on every device.
// Asynchrony   device spans: enqueued, except that the forms that return a count wait for it. Host memory: done on
//              return.
// Host memory  streamed through the device in chunks when it does not fit there (partitions put what does not pass
//              aside in host memory meanwhile);
//              gather's input and scatter's output must fit.
// Errors       upsweep::error: sizes that differ, an output that is too small (nothing is written outside), overlap; on
//              host memory, and on device memory in checked calls (.checked of with(), UPSWEEP_CHECKED), an index past
//              the end, or lengths that do not add up.
//
// Tests: less_than(x), at_most(x), greater_than(x), at_least(x), equal_to(x), not_equal_to(x) with x of the elements'
// type, on built-in types, from any .cpp file. A test or an element type of your own works on the CPU anywhere, on CUDA
// where nvcc compiles the call (a .cu file), and on OpenCL where it carries its C text (opencl/custom.hpp says how); on
// CUDA from any other file, too, in copy_if, partition, partition3 and unique;
// what only moves elements (select_flagged, run_length_decode, gather and scatter) takes trivially copyable types of
// any size everywhere.
#pragma once

#include <array>
#include <tuple>

#include "upsweep/for_each/widened.hpp"
#include "upsweep/operators/comparisons.hpp"
#include "upsweep/select/chunks.hpp"
#include "upsweep/select/enqueue.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// ---- The count stays on the device.

template <class X, class Y, class Test, class By = this_compiler>
  requires on_device<X, Y>
void copy_if(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  select_room::copy_if<element_of<X>, Test, By>(where, core::read_operand(in), core::written_operand(out), count, test);
}

template <class X, class F, class Y, class By = this_compiler>
  requires on_device<X, F, Y>
void select_flagged(const context& where, const X& in, const F& flags, Y&& out, device_span<std::uint64_t> count) {
  select_room::select_flagged<element_of<X>, By>(where, core::read_operand(in), select_room::flags_in(flags),
                                                 core::written_operand(out), count);
}

template <class X, class Y, class By = this_compiler>
  requires on_device<X, Y>
void unique(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count) {
  select_room::unique<element_of<X>, By>(where, core::read_operand(in), core::written_operand(out), count);
}

template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires on_device<K, V, KOut, VOut>
void unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out,
                   device_span<std::uint64_t> count) {
  select_room::unique_by_key<element_of<K>, element_of<V>, By>(
      where, core::read_operand(keys), core::read_operand(values), core::written_operand(keys_out),
      core::written_operand(values_out), count);
}

template <class X, class Y, class Test, class By = this_compiler>
  requires on_device<X, Y>
void partition(const context& where, const X& in, Y&& out, device_span<std::uint64_t> count, Test test) {
  select_room::partition<element_of<X>, Test, By>(where, core::read_operand(in), core::written_operand(out), count,
                                                  test);
}

template <class X, class Y, class First, class Second, class By = this_compiler>
  requires on_device<X, Y>
void partition3(const context& where, const X& in, Y&& out, device_span<std::uint64_t> counts, First first,
                Second second) {
  select_room::partition3<element_of<X>, First, Second, By>(where, core::read_operand(in), core::written_operand(out),
                                                            counts, first, second);
}

template <class X, class Y, class By = this_compiler>
  requires on_device<X, Y>
void run_length_encode(const context& where, const X& in, Y&& out, device_span<std::uint64_t> lengths,
                       device_span<std::uint64_t> count) {
  select_room::run_length_encode<element_of<X>, By>(where, core::read_operand(in), core::written_operand(out), lengths,
                                                    count);
}

// ---- The count is returned; host memory is done with on return.

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<X, Y> && (!is_device_span<Test>)
std::uint64_t copy_if(const context& where, const X& in, Y&& out, Test test) {
  using T = element_of<X>;
  return select_room::counted<T>(
      where, "copy_if", core::read_operand(in), core::written_operand(out),
      [&](auto i, auto o, auto count) { select_room::copy_if<T, Test, By>(where, i, o, count, test); });
}

template <class X, class Y, class By = this_compiler>
  requires operands<X, Y>
std::uint64_t unique(const context& where, const X& in, Y&& out) {
  using T = element_of<X>;
  return select_room::counted<T, true>(
      where, "unique", core::read_operand(in), core::written_operand(out),
      [&](auto i, auto o, auto count) { select_room::unique<T, By>(where, i, o, count); });
}

template <class X, class F, class Y, class By = this_compiler>
  requires operands<X, F, Y>
std::uint64_t select_flagged(const context& where, const X& in, const F& flags, Y&& out) {
  return select_room::flagged<element_of<X>, By>(where, core::read_operand(in), select_room::flags_in(flags),
                                                 core::written_operand(out));
}

template <class K, class V, class KOut, class VOut, class By = this_compiler>
  requires operands<K, V, KOut, VOut>
std::uint64_t unique_by_key(const context& where, const K& keys, const V& values, KOut&& keys_out, VOut&& values_out) {
  return select_room::first_of_each_key<element_of<K>, element_of<V>, By>(
      where, core::read_operand(keys), core::read_operand(values), core::written_operand(keys_out),
      core::written_operand(values_out));
}

template <class X, class Y, class Test, class By = this_compiler>
  requires operands<X, Y> && (!is_device_span<Test>)
std::uint64_t partition(const context& where, const X& in, Y&& out, Test test) {
  using T = element_of<X>;
  return select_room::parted<T, 1>(
      where, "partition", core::read_operand(in), core::written_operand(out),
      [&](auto i, auto o, auto count) { select_room::partition<T, Test, By>(where, i, o, count, test); })[0];
}

// How many are of the first class, and how many of the second.
template <class X, class Y, class First, class Second, class By = this_compiler>
  requires operands<X, Y> && (!is_device_span<First>)
std::array<std::uint64_t, 2> partition3(const context& where, const X& in, Y&& out, First first, Second second) {
  using T = element_of<X>;
  return select_room::parted<T, 2>(where, "partition3", core::read_operand(in), core::written_operand(out),
                                   [&](auto i, auto o, auto counts) {
                                     select_room::partition3<T, First, Second, By>(where, i, o, counts, first, second);
                                   });
}

// How many runs there are.
template <class X, class Y, class L, class By = this_compiler>
  requires operands<X, Y, L>
std::uint64_t run_length_encode(const context& where, const X& in, Y&& out, L&& lengths) {
  return select_room::encoded<element_of<X>, By>(where, core::read_operand(in), core::written_operand(out),
                                                 core::written_operand(lengths));
}

// ---- All are written; device spans: enqueued.

template <class X, class L, class Y, class By = this_compiler>
  requires operands<X, L, Y>
void run_length_decode(const context& where, const X& in, const L& lengths, Y&& out) {
  select_room::decoded<element_of<X>, By>(where, core::read_operand(in), for_each_room::offsets_in(where, lengths),
                                          core::written_operand(out));
}

template <class X, class I, class Y, class By = this_compiler>
  requires operands<X, I, Y>
void gather(const context& where, const X& in, const I& indices, Y&& out) {
  select_room::gathered<element_of<X>, By>("gather", where, core::read_operand(in), select_room::indices_in(indices),
                                           {}, false, core::written_operand(out));
}

template <class X, class I, class F, class Y, class By = this_compiler>
  requires operands<X, I, F, Y>
void gather_if(const context& where, const X& in, const I& indices, const F& flags, Y&& out) {
  select_room::gathered<element_of<X>, By>("gather_if", where, core::read_operand(in), select_room::indices_in(indices),
                                           select_room::flags_in(flags), true, core::written_operand(out));
}

// permute(c, order, x, x_sorted, y, y_sorted, …). Sizes are looked at before anything is written.
template <class I, class... InOut, class By = this_compiler>
  requires(sizeof...(InOut) >= 2 && sizeof...(InOut) % 2 == 0) && operands<I, std::remove_cvref_t<InOut>...>
void permute(const context& where, const I& order, InOut&&... inputs_and_outputs) {
  const auto indices = select_room::indices_in(order);
  const auto all = std::forward_as_tuple(inputs_and_outputs...);
  const auto each_pair = [&](const auto& call) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (call(std::get<2 * P>(all), std::get<2 * P + 1>(all)), ...);
    }(std::make_index_sequence<sizeof...(InOut) / 2>());
  };
  each_pair([&](const auto& in, auto& out) {
    select_room::require_permuted(where, indices, core::read_operand(in), core::written_operand(out));
  });
  each_pair([&](const auto& in, auto& out) {
    select_room::permuted<By>(where, indices, core::read_operand(in), core::written_operand(out));
  });
}

template <class X, class I, class Y, class By = this_compiler>
  requires operands<X, I, Y>
void scatter(const context& where, const X& in, const I& indices, Y&& out) {
  select_room::scattered<element_of<X>, By>("scatter", where, core::read_operand(in), select_room::indices_in(indices),
                                            {}, false, core::written_operand(out));
}

template <class X, class I, class F, class Y, class By = this_compiler>
  requires operands<X, I, F, Y>
void scatter_if(const context& where, const X& in, const I& indices, const F& flags, Y&& out) {
  select_room::scattered<element_of<X>, By>("scatter_if", where, core::read_operand(in),
                                            select_room::indices_in(indices), select_room::flags_in(flags), true,
                                            core::written_operand(out));
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/compact.hpp"  // last: the forms that read what is no memory
