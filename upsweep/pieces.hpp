// pieces: sequences of sequences: cut where flags say, joined, and copied all at once.
//
//   std::uint64_t lines = upsweep::split_at(gpu, is_newline.span(), offsets.span());  // [offsets[p], offsets[p + 1])
//   std::vector<int> all = upsweep::flatten(cpu, lists);                               // of a vector of vectors
//   upsweep::flatten(gpu, x.span(), starts.span(), lengths.span(), joined.span());
//   upsweep::copy_pieces(gpu, x.span(), starts.span(), lengths.span(), y.span(), places.span());
//   upsweep::copy_batched(cpu, sources, destinations, counts);                         // by addresses
//
//   split_at      a piece ends behind each element that has a flag; offsets gets 0, these ends, and n: one offset more
//                 than there are pieces. The last piece is empty where the last element has a flag. It returns how many
//                 pieces there are
//   flatten       the sequences one behind the other: those of a range of ranges (into a vector, or an output, and how
//                 many elements there are is returned), or in[starts[p] + k] for k < lengths[p], piece by piece
//   copy_pieces   out[places[p] + k] = in[starts[p] + k] for k < lengths[p]
//   copy_batched  destinations[p][k] = sources[p][k] for k < lengths[p]
//
// Requires     flags of u8 or bool; starts, lengths and places of u64 or u32 (copy_batched: lengths of u64). Pieces
//              that lie in the input and go into the output, no two to one place; flatten's output has as many elements
//              as all pieces. What is written overlaps nothing that is read. Offsets of split_at: u64 or u32, one more
//              than there are pieces, or more than that; what lies behind them is left as it is.
// Work         every element is read once and written once; a scan of the lengths, and a search for each stretch of
//              elements: pieces of all lengths, empty ones too, side by side cost the same. split_at: n places besides.
// Scratch      eight bytes for each piece, 32 of u32 ones; split_at: as many as offsets for all elements. Owned by the
//              context.
// Determinism  the same in every bit on every device.
// Asynchrony   device spans: enqueued, but split_at waits for its count. Host memory: done on return, and worked on by
//              the CPU whatever the context.
// Errors       upsweep::error: sizes that differ, overlap; where the host reads the contents, and in checked calls,
//              pieces that lie outside.
//
// Elements of 1, 2, 4 and 8 bytes move on every device from any .cpp file; others on the CPU. copy_batched runs on the
// CPU, and on CUDA where nvcc compiles the call, the addresses being the device's; OpenCL has no addresses.
#pragma once

#include <ranges>

#include "upsweep/grouped/scratch.hpp"
#include "upsweep/select.hpp"
#include "upsweep/select/pieces.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

template <class X, class S, class L, class Y, class P, class By = this_compiler>
  requires operands<X, S, L, Y, P>
void copy_pieces(const context& asked, const X& in, const S& starts, const L& lengths, Y&& out, const P& places) {
  const context where = grouped_room::worked_on_by<X>(asked);
  select_room::copy_pieces<By>("copy_pieces", where, core::read_operand(in),
                               for_each_room::offsets_in(where, starts, "pieces/starts"),
                               for_each_room::offsets_in(where, lengths, "pieces/lengths"), core::written_operand(out),
                               for_each_room::offsets_in(where, places, "pieces/places"), false);
}

template <class X, class S, class L, class Y, class By = this_compiler>
  requires operands<X, S, L, Y>
void flatten(const context& asked, const X& in, const S& starts, const L& lengths, Y&& out) {
  const context where = grouped_room::worked_on_by<X>(asked);
  select_room::copy_pieces<By>(
      "flatten", where, core::read_operand(in), for_each_room::offsets_in(where, starts, "pieces/starts"),
      for_each_room::offsets_in(where, lengths, "pieces/lengths"), core::written_operand(out), {}, true);
}

template <class S, class D, class L, class By = this_compiler>
  requires operands<S, D, L> && std::is_pointer_v<element_of<S>> && std::is_pointer_v<element_of<D>>
void copy_batched(const context& asked, const S& sources, const D& destinations, const L& lengths) {
  select_room::copy_batched<By>(grouped_room::worked_on_by<S>(asked), core::read_operand(sources),
                                core::read_operand(destinations), core::read_operand(lengths));
}

// Of ranges: as many elements as there are in all of them.
template <class R, class Y>
  requires std::ranges::random_access_range<const R> && host_range<std::ranges::range_value_t<R>> && on_host<Y>
std::uint64_t flatten(const context& asked, const R& ranges, Y&& out) {
  using T = element_of<std::ranges::range_value_t<R>>;
  const context where = asked.kind() == backend::cpu ? asked : context::cpu();
  const auto to = core::written_operand(out);
  static_assert(std::is_same_v<T, element_of<Y>>, "upsweep: elements are copied as they are; give an output of theirs");
  const select_room::pieces_of_ranges<T> all(ranges);
  core::require_room("flatten", "the output", to.size(), all.total());
  all.copy_to(where, to.data());
  return all.total();
}
template <class R>
  requires std::ranges::random_access_range<const R> && host_range<std::ranges::range_value_t<R>>
auto flatten(const context& asked, const R& ranges) {
  using T = element_of<std::ranges::range_value_t<R>>;
  static_assert(!std::is_same_v<T, bool>, "upsweep: a vector of bool has none in memory; give flatten an output");
  const context where = asked.kind() == backend::cpu ? asked : context::cpu();
  const select_room::pieces_of_ranges<T> all(ranges);
  std::vector<T> out(all.total());
  all.copy_to(where, out.data());
  return out;
}

template <class F, class O>
  requires operands<F, O>
std::uint64_t split_at(const context& asked, const F& flags, O&& offsets) {
  using I = element_of<O>;
  constexpr bool places = std::is_same_v<I, std::uint32_t> || std::is_same_v<I, std::uint64_t>;
  static_assert(places, "upsweep: offsets are written as u32 or u64");
  if constexpr (places) {
    const context where = grouped_room::worked_on_by<F>(asked);
    const auto kinds = select_room::flags_in(flags);
    const device_span<I> to = grouped_room::written_span(offsets);
    const std::uint64_t n = kinds.size();
    core::require_room("split_at", "the offsets", to.size(), 2);
    core::require_apart("split_at", where, {{"the flags", kinds}, {"the offsets", core::operand<I>(to)}});
    const device_span<I> ends = grouped_room::scratch_of<I>(where, "pieces/ends", n);
    upsweep::iota(where, ends, I{1}, I{1});
    const std::uint64_t cuts = upsweep::select_flagged(where, ends, device_span<const std::uint8_t>(kinds.where(), n),
                                                       to.subspan(1, std::min(n, to.size() - 2)));
    upsweep::fill(where, to.subspan(0, 1), I{0});
    upsweep::fill(where, to.subspan(cuts + 1, 1), static_cast<I>(n));
    return cuts + 1;
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
