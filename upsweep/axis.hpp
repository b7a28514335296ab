// axis: reductions, scans and sorts of each line of a matrix or volume along one of its axes, as NumPy's `axis=`
// argument does. A line is the elements that differ only in their index along that axis.
//
//   upsweep::reduce_along(gpu, x.span(), {rows, columns}, 0, sums.span());             // a sum for each column
//   upsweep::reduce_along(cpu, volume, {slices, rows, columns}, -1, most, upsweep::maximum{});
//   upsweep::inclusive_scan_along(cpu, matrix, {rows, columns}, 1, y);
//   upsweep::sort_along(gpu, keys.span(), upsweep::rows_of(1024));                     // in place, row by row
//   upsweep::top_k_along(cpu, scores, {queries, documents}, 1, 10, best, which);       // {queries, 10} each
//
// Shapes       The lengths of 1 to 8 axes, slowest first: NumPy's C order, without gaps between elements. The axis is
//              counted from 0, or from -1 backwards. rows_of(length) replaces shape and axis: it means rows of that
//              length, as many as the input holds, which are segments that need no offsets. Lengths may be 0.
// Result       Each line has the result that reduce.hpp, scan.hpp or sort.hpp defines for a sequence:
//   reduce_along          out has the shape without that axis: init ∘ f(x) of each line
//   inclusive_scan_along, exclusive_scan_along, sort_along
//                         out has the shape of the input; it may be exactly `in`
//   argsort_along         indices has the shape of the input: the position within its line of each key, in sorted order
//   top_k_along           out has the shape with k as the length of the axis: the first k elements of each line in
//                         order, the largest unless the options choose otherwise; indices: their positions in the line
// Arguments    As in reduce.hpp and scan.hpp: an init, an operator, both or neither; reductions accumulate in the
//              output's element type. Sorts take options or a comparator. Indices are integers of 4 or 8 bytes.
// Inputs       Reductions and scans: device spans, buffers, ranges with random access and a size, and lazy views
//              (views.hpp). Sorts: device spans, buffers and contiguous ranges.
// Work         Reductions and scans: every element is read once, or twice where few lines are split into pieces. On a
//              GPU rows are processed as segments, and fewer than 256 lines across rows are transposed first. Sorts: a
//              segmented sort, with two transpositions where lines are not rows. top_k_along sorts each line, except
//              for a small k on the CPU and for k up to 2048 of each row on CUDA.
// Scratch      Reductions: O(lines). Transposed lines, and all sorts: as much as the operands once more. The context
//              owns the scratch; the second call of the same shape allocates none.
// Floating point  The grouping of operations depends on the shape alone, so results repeat bit for bit on one context.
// Asynchrony   Device spans: enqueued. Host memory: done on return; for a GPU the whole input is copied to the device
//              and must fit there.
// Errors       upsweep::error: a shape whose number of elements is not the input's or exceeds 64 bits, an axis that
//              the shape does not have, outputs of another size, overlap, k greater than the length of the axis, an
//              operator, type or comparator that the device does not support.
//
// Built-in types with the library's operators, transforms and orders work from any .cpp file. Other types and functions
// work on the CPU from any file, on CUDA where nvcc compiles the call, and on CUDA from other files and on OpenCL where
// they have device source (jit/jit.hpp).
#pragma once

#include "upsweep/axis/axis_dispatch.hpp"
#include "upsweep/axis_order/axis_order_dispatch.hpp"
#include "upsweep/views.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// --- reductions; each call takes `shape, axis` or rows_of(length) ---

template <class X, class Y, class Init, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_reduce_along(const context& where, const X& in, const lines_along& which, Y&& out, Init init, Op op,
                            F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F, Init>()) {
    const A first = core::given_value<A>("reduce_along", "the init", init);
    detail::axis_impl::fold_of<detail::axis_impl::fold_kind::reduce, A, CompiledBy>(
        where, in, which, core::written_operand(out), &first, core::as_operator<A>(op), f);
  }
}
template <class X, class Y, class Op, class F, class CompiledBy = this_compiler>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void transform_reduce_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op, F f) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, F>())
    detail::axis_impl::fold_of<detail::axis_impl::fold_kind::reduce, A, CompiledBy>(
        where, in, which, core::written_operand(out), core::as_operator<A>(op), f);
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
  detail::axis_impl::scanned_from<detail::axis_impl::fold_kind::exclusive>(where, in, which, out, init, op);
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void exclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op = {}) {
  detail::axis_impl::scanned<detail::axis_impl::fold_kind::exclusive>(where, in, which, out, op);
}
template <class X, class Y, class Init = element_of<Y>, class Op = plus>
  requires operands<Y> && (!core::operator_on<Init, element_of<Y>>)
void inclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Init init, Op op = {}) {
  detail::axis_impl::scanned_from<detail::axis_impl::fold_kind::inclusive>(where, in, which, out, init, op);
}
template <class X, class Y, class Op = plus>
  requires operands<Y> && core::operator_on<Op, element_of<Y>>
void inclusive_scan_along(const context& where, const X& in, const lines_along& which, Y&& out, Op op = {}) {
  detail::axis_impl::scanned<detail::axis_impl::fold_kind::inclusive>(where, in, which, out, op);
}

// --- sorts: by options, or by a comparator ---

template <class Order, class T>
concept order_along =
    std::same_as<Order, sort_options> || std::is_invocable_r_v<bool, const Order&, const T&, const T&>;

template <class X, class Y, class Order = sort_options>
  requires operands<X, Y> && order_along<Order, element_of<X>>
void sort_along(const context& where, const X& in, const lines_along& which, Y&& out, const Order& order = {}) {
  detail::axis_order_impl::sorted(where, core::read_operand(in), which, core::written_operand(out), order);
}
template <class X, class Order = sort_options>
  requires operands<X> && order_along<Order, element_of<X>>
void sort_along(const context& where, X&& keys, const lines_along& which, const Order& order = {}) {
  const auto all = core::written_operand(keys);
  detail::axis_order_impl::sorted(where, core::operand<const element_of<X>>(all), which, all, order);
}

template <class X, class I, class Order = sort_options>
  requires operands<X, I> && order_along<Order, element_of<X>>
void argsort_along(const context& where, const X& keys, const lines_along& which, I&& indices,
                   const Order& order = {}) {
  detail::axis_order_impl::argsorted(where, core::read_operand(keys), which, core::written_operand(indices), order);
}

template <class X, class Y, class I, class Order>
  requires operands<X, Y, I> && order_along<Order, element_of<X>>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out, I&& indices,
                 const Order& order) {
  detail::axis_order_impl::top(where, core::read_operand(in), which, k, core::written_operand(out),
                               core::written_operand(indices), true, order);
}
template <class X, class Y, class I>
  requires operands<X, Y, I>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out, I&& indices,
                 const sort_options& options = {.descending = true}) {
  detail::axis_order_impl::top(where, core::read_operand(in), which, k, core::written_operand(out),
                               core::written_operand(indices), true, options);
}
// Overloads without indices.
template <class X, class Y, class Order>
  requires operands<X, Y> && order_along<Order, element_of<X>>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out,
                 const Order& order) {
  detail::axis_order_impl::top(where, core::read_operand(in), which, k, core::written_operand(out),
                               core::operand<std::uint64_t>(), false, order);
}
template <class X, class Y>
  requires operands<X, Y>
void top_k_along(const context& where, const X& in, const lines_along& which, std::uint64_t k, Y&& out,
                 const sort_options& options = {.descending = true}) {
  detail::axis_order_impl::top(where, core::read_operand(in), which, k, core::written_operand(out),
                               core::operand<std::uint64_t>(), false, options);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep

#include "upsweep/axis/axis_by_shape.hpp"  // last: it forwards to the calls above
