// along an axis: folds, scans and orders of every line of a matrix or volume, along any of its axes; and of rows of one
// length, which are segments that need no offsets.
//
//   upsweep::reduce_along(gpu, x.span(), {rows, columns}, 0, sums.span());             // a sum for each column
//   upsweep::reduce_along(cpu, volume, {slices, rows, columns}, -1, most, upsweep::maximum{});
//   upsweep::inclusive_scan_along(cpu, matrix, {rows, columns}, 1, y);
//   upsweep::sort_along(gpu, keys.span(), upsweep::rows_of(1024));                     // in place, row by row
//   upsweep::top_k_along(cpu, scores, {queries, documents}, 1, 10, best, which);       // {queries, 10} each
//
// Shapes       The lengths of 1 to 8 axes, the slowest first, as NumPy's arrays lie: elements follow each other without
//              gaps. The axis is counted from 0, or from -1 backwards. rows_of(length) stands in the place of shape and
//              axis: as many rows as there are. Lengths may be 0.
// Result       What reduce.hpp, scan.hpp and sort.hpp say, of each line by itself:
//   reduce_along          out has the shape without that axis: init ∘ f(x) of each line
//   inclusive_scan_along, exclusive_scan_along, sort_along
//                         out has the shape; it may be exactly `in`
//   argsort_along         indices has the shape: where in its line each key stood, in order
//   top_k_along           out has the shape with k in the axis' place: the k first of each line in order, the largest
//                         unless the options say otherwise; and where in their line they stood
// Arguments    As in reduce.hpp and scan.hpp: an init, an operator, both or neither; folds are kept in the output's
//              elements. Sorts take options or a comparator. Indices are integers of 4 or 8 bytes.
// Inputs       Folds and scans: device spans, buffers, ranges with random access and a size, and what inputs.hpp makes
//              as it is read. Orders: device spans, buffers and contiguous ranges.
// Work         Folds and scans: every element read once, twice where few lines are cut in pieces. On a GPU rows go as
//              segments do, and fewer than 256 lines across rows are transposed first. Orders: a sort by segments, with
//              two transpositions where lines are no rows; top_k_along sorts each line, but not for a few on the CPU,
//              nor for up to 2048 of each row on CUDA.
// Scratch      Of folds: O(lines); where lines are transposed, and of all orders, as much as the operands once more,
//              owned by the context, none allocated in the second call of the same shape.
// Floating point  Grouped by the shape alone, so that results repeat bit for bit on one context.
// Asynchrony   Device spans: enqueued. Host memory: done on return; for a GPU it is brought there as a whole, which
//              must fit.
// Errors       upsweep::error: a shape of another number of elements than the input or of more than 64 bits count, an
//              axis that it has not, outputs of another size, overlap, k beyond the axis' length, an operator, type or
//              comparator that the device cannot take.
//
// Built-in types with the operators, transforms and orders of the library work from any .cpp file. Anything else works
// on the CPU anywhere, and on CUDA where nvcc compiles the call; there from any other file, too, and on OpenCL, where
// types, operators, transforms and comparators carry their C text (opencl/custom.hpp says how).
#pragma once

#include "upsweep/axis/enqueue.hpp"
#include "upsweep/axis_order/enqueue.hpp"
#include "upsweep/inputs.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// --- folds; each call takes `shape, axis` or rows_of(length) ---

template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_reduce_along(const context& where, const X& in, const lines_along& which, Y&& out, Init init, Op op,
                            F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F, Init>()) {
    const A first = static_cast<A>(init);
    axis_room::fold_of<axis_room::fold_kind::reduce, A, CompiledBy>(where, in, which, core::written_operand(out),
                                                                    &first, core::as_operator<A>(op), f);
  }
}
template <class X, class Y, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_reduce_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F>())
    axis_room::fold_of<axis_room::fold_kind::reduce, A, CompiledBy>(where, in, which, core::written_operand(out),
                                                                    core::as_operator<A>(op), f);
}
template <class X, class Y, class Init = element_of<Y>, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void reduce_along(const context& where, const X& in, const lines_along& which, Y&& out, Init init, Op op = {}) {
  upsweep::transform_reduce_along(where, in, which, out, std::move(init), op, identity{});
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void reduce_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op = {}) {
  upsweep::transform_reduce_along(where, in, which, out, op, identity{});
}

// --- scans ---

template <class X, class Y, class Init = element_of<Y>, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void exclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Init init, Op op = {}) {
  axis_room::scanned_from<axis_room::fold_kind::exclusive>(where, in, which, out, init, op);
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void exclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op = {}) {
  axis_room::scanned<axis_room::fold_kind::exclusive>(where, in, which, out, op);
}
template <class X, class Y, class Init = element_of<Y>, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void inclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Init init, Op op = {}) {
  axis_room::scanned_from<axis_room::fold_kind::inclusive>(where, in, which, out, init, op);
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op = {}) {
  axis_room::scanned<axis_room::fold_kind::inclusive>(where, in, which, out, op);
}

// --- orders: by options, or by a comparator ---

template <class Order, class T>
concept order_along =
    std::same_as<Order, sort_options> || std::is_invocable_r_v<bool, const Order&, const T&, const T&>;

template <class X, class Y, class Order = sort_options>
  requires operands<X, Y> && order_along<Order, element_of<X>>
void sort_along(const context& where, const X& in, const lines_along& which, Y&& out, const Order& order = {}) {
  axis_order_room::sorted(where, core::read_operand(in), which, core::written_operand(out), order);
}
template <class X, class Order = sort_options>
  requires operands<X> && order_along<Order, element_of<X>>
void sort_along(const context& where, X&& keys, const lines_along& which, const Order& order = {}) {
  const auto all = core::written_operand(keys);
  axis_order_room::sorted(where, core::operand<const element_of<X>>(all), which, all, order);
}

template <class X, class I, class Order = sort_options>
  requires operands<X, I> && order_along<Order, element_of<X>>
void argsort_along(const context& where, const X& keys, const lines_along& which, I&& indices,
                   const Order& order = {}) {
  axis_order_room::argsorted(where, core::read_operand(keys), which, core::written_operand(indices), order);
}

template <class X, class Y, class I, class Order>
  requires operands<X, Y, I> && order_along<Order, element_of<X>>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out, I&& indices,
                 const Order& order) {
  axis_order_room::top(where, core::read_operand(in), which, k, core::written_operand(out),
                       core::written_operand(indices), true, order);
}
template <class X, class Y, class I>
  requires operands<X, Y, I>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out, I&& indices,
                 const sort_options& options = {.descending = true}) {
  axis_order_room::top(where, core::read_operand(in), which, k, core::written_operand(out),
                       core::written_operand(indices), true, options);
}
// The keys alone.
template <class X, class Y, class Order>
  requires operands<X, Y> && order_along<Order, element_of<X>>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out,
                 const Order& order) {
  axis_order_room::top(where, core::read_operand(in), which, k, core::written_operand(out),
                       core::operand<std::uint64_t>(), false, order);
}
template <class X, class Y>
  requires operands<X, Y>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out,
                 const sort_options& options = {.descending = true}) {
  axis_order_room::top(where, core::read_operand(in), which, k, core::written_operand(out),
                       core::operand<std::uint64_t>(), false, options);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/axis/by_shape.hpp"  // last, as it forwards to these
