// pieces: ragged arrays (sequences of sequences). Splits a sequence at flags, concatenates pieces, copies many pieces
// in one call.
//
//   std::uint64_t lines = upsweep::split(gpu, is_newline.span(), offsets.span());  // [offsets[p], offsets[p + 1])
//   std::vector<int> all = upsweep::flatten(cpu, lists);                               // of a vector of vectors
//   upsweep::flatten(gpu, x.span(), starts.span(), lengths.span(), joined.span());
//   upsweep::batched_copy(gpu, x.span(), starts.span(), lengths.span(), y.span(), positions.span());
//   upsweep::copy_batched(cpu, sources, destinations, counts);                         // by addresses
//
//   split         a piece ends after each element whose flag is set. offsets receives 0, these ends, and n: one offset
//                 more than there are pieces. The last piece is empty if the flag of the last element is set. Returns
//                 the number of pieces
//   flatten       concatenates sequences: the elements of a range of ranges (into a vector, or into an output, with the
//                 number of elements returned), or in[starts[p] + k] for k < lengths[p], piece after piece
//   batched_copy  out[positions[p] + k] = in[starts[p] + k] for k < lengths[p]
//   copy_batched  destinations[p][k] = sources[p][k] for k < lengths[p]
//
// Requires     Flags are u8 or bool. starts, lengths and positions are u64 or u32 (copy_batched: lengths are u64).
//              Pieces are inside the input and the output, and no two pieces write the same element. The output of
//              flatten has
//              as many elements as all pieces together. Outputs overlap no input. The offsets of split are u64 or u32.
//              There are at least one more of them than pieces; further elements are not written.
// Work         Every element is read once and written once. The lengths are scanned, and each stretch of elements
//              searches its piece: pieces of any lengths, even empty ones, cost the same. split reads and writes n more
//              indices.
// Scratch      Eight bytes per piece, 32 if starts, lengths or positions are u32. split: as much as offsets for all
//              elements. Owned by the context.
// Determinism  Bit for bit the same on every device.
// Asynchrony   Calls on device spans are enqueued, except that split waits for its count. Calls on host memory return
//              after the work is done, and the CPU does the work, whatever the context.
// Errors       upsweep::error: different sizes, overlap. Pieces outside the input or output: if the host can read their
//              positions, and in checked calls.
//
// Elements of 1, 2, 4 and 8 bytes work on every device from any .cpp file; other sizes work on the CPU. copy_batched
// works on the CPU, and on CUDA when nvcc compiles the call, with device addresses. OpenCL has no addresses.
#pragma once

#include <ranges>

#include "upsweep/grouped/grouped_scratch.hpp"
#include "upsweep/select.hpp"
#include "upsweep/select/select_batched_copy.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class S, class L, class Y, class P, class By = this_compiler>
  requires operands<X, S, L, Y, P>
void batched_copy(const context& asked, const X& in, const S& starts, const L& lengths, Y&& out, const P& positions) {
  const context where = detail::grouped_impl::worked_on_by<X>(asked);
  detail::select_impl::batched_copy<By>(
      "batched_copy", where, core::read_operand(in), detail::for_each_impl::offsets_in(where, starts, "pieces/starts"),
      detail::for_each_impl::offsets_in(where, lengths, "pieces/lengths"), core::written_operand(out),
      detail::for_each_impl::offsets_in(where, positions, "pieces/positions"), false);
}

template <class X, class S, class L, class Y, class By = this_compiler>
  requires operands<X, S, L, Y>
void flatten(const context& asked, const X& in, const S& starts, const L& lengths, Y&& out) {
  const context where = detail::grouped_impl::worked_on_by<X>(asked);
  detail::select_impl::batched_copy<By>(
      "flatten", where, core::read_operand(in), detail::for_each_impl::offsets_in(where, starts, "pieces/starts"),
      detail::for_each_impl::offsets_in(where, lengths, "pieces/lengths"), core::written_operand(out), {}, true);
}

template <class S, class D, class L, class By = this_compiler>
  requires operands<S, D, L> && std::is_pointer_v<element_of<S>> && std::is_pointer_v<element_of<D>>
void copy_batched(const context& asked, const S& sources, const D& destinations, const L& lengths) {
  detail::select_impl::copy_batched<By>(detail::grouped_impl::worked_on_by<S>(asked), core::read_operand(sources),
                                        core::read_operand(destinations), core::read_operand(lengths));
}

// Concatenates a range of ranges. Returns the number of elements of all ranges together.
template <class R, class Y>
  requires std::ranges::random_access_range<const R> && host_range<std::ranges::range_value_t<R>> && on_host<Y>
std::uint64_t flatten(const context& asked, const R& ranges, Y&& out) {
  using T = element_of<std::ranges::range_value_t<R>>;
  const context where = asked.kind() == backend::cpu ? asked : context::cpu();
  const auto to = core::written_operand(out);
  static_assert(std::is_same_v<T, element_of<Y>>,
                "upsweep: flatten converts no elements; give an output of their type");
  const detail::select_impl::pieces_of_ranges<T> all(ranges);
  core::require_capacity("flatten", "the output", to.size(), all.total());
  all.copy_to(where, to.data());
  return all.total();
}
template <class R>
  requires std::ranges::random_access_range<const R> && host_range<std::ranges::range_value_t<R>>
auto flatten(const context& asked, const R& ranges) {
  using T = element_of<std::ranges::range_value_t<R>>;
  static_assert(!std::is_same_v<T, bool>,
                "upsweep: std::vector<bool> does not store bools as elements; give flatten an output");
  const context where = asked.kind() == backend::cpu ? asked : context::cpu();
  const detail::select_impl::pieces_of_ranges<T> all(ranges);
  std::vector<T> out(all.total());
  all.copy_to(where, out.data());
  return out;
}

template <class F, class O>
  requires operands<F, O>
std::uint64_t split(const context& asked, const F& flags, O&& offsets) {
  using I = element_of<O>;
  constexpr bool can_index = std::is_same_v<I, std::uint32_t> || std::is_same_v<I, std::uint64_t>;
  static_assert(can_index, "upsweep: offsets are written as u32 or u64");
  if constexpr (can_index) {
    const context where = detail::grouped_impl::worked_on_by<F>(asked);
    const auto kinds = detail::select_impl::flags_in(flags);
    const device_span<I> to = detail::grouped_impl::written_span(offsets);
    const std::uint64_t n = kinds.size();
    core::require_capacity("split", "the offsets", to.size(), 2);
    core::require_no_overlap("split", where, {{"the flags", kinds}, {"the offsets", core::operand<I>(to)}});
    const device_span<I> ends = detail::grouped_impl::scratch_of<I>(where, "pieces/ends", n);
    upsweep::iota(where, ends, I{1}, I{1});
    const std::uint64_t boundaries = upsweep::select_flagged(
        where, ends, device_span<const std::uint8_t>(kinds.where(), n), to.subspan(1, (std::min)(n, to.size() - 2)));
    upsweep::fill(where, to.subspan(0, 1), I{0});
    upsweep::fill(where, to.subspan(boundaries + 1, 1), static_cast<I>(n));
    return boundaries + 1;
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
