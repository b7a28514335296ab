// rearrange: permutes elements without changing them: reverse, rotate, swap, shuffle.
//
//   upsweep::reverse(gpu, x.span());
//   upsweep::rotate(cpu, days, 3);                        // the fourth comes first
//   upsweep::swap_ranges(gpu, x.span(), y.span());
//   upsweep::shuffle(gpu, x.span(), 42);                  // seed 42: the same order on every device
//   upsweep::random_permutation(cpu, order, 42);          // that order as indices: u32 or u64
//
//   reverse, reverse_copy  out[i] = x[n - 1 - i]
//   rotate, rotate_copy    out[i] = x[(first + i) mod n]; first is at most n
//   swap_ranges            exchanges the elements of x and y
//   shuffle, shuffle_copy  out[i] = x[p(i)], where p is the permutation that the seed selects
//   random_permutation     out[i] = p(i)
//
// Elements     Any type on the CPU, in place also move-only types. Trivially copyable types on every device, from any
//              .cpp file. Input and output have the same element type. Lazy views go through transform.hpp: copy(c,
//              views::reverse(x), out).
// Requires     The output has as many elements as the input and does not overlap it. n may be 0. Inputs and outputs are
//              all in device memory or all in host memory.
// Work         Every element is read once and written once; twice if rotate works in place on a GPU on more than 128
//              KiB. shuffle in place works from a copy in scratch memory of the context.
// Determinism  Bit for bit the same on every device. p depends only on n and the seed. Up to 256 elements all n! orders
//              are equally likely. Beyond that the order is pseudo-random. It is not suitable for cryptography.
// Asynchrony   Calls on device spans are enqueued. Calls on host memory return after the work is done; for a GPU the
//              whole input is copied to the device and must fit there.
// Errors       upsweep::error: different sizes, overlap, first past the end, a type that is not trivially copyable on a
//              device other than the CPU, u32 indices for more than 2^32 elements.
#pragma once

#include "upsweep/rearrange/rearrange_dispatch.hpp"

namespace upsweep {

template <class X>
void reverse(const context& where, X&& x) {
  const auto all = core::written_operand(x);
  core::require_reach("reverse", where, {{"the input", all}});
  if (where.kind() == backend::cpu) return cpu::reverse(where.device(), all.data(), all.size());
  detail::rearrange_impl::run_in_place(where, "reverse", all,
                                       detail::rearrange_impl::asked(detail::rearrange_impl::primitive::reverse));
}

template <class X, class Y>
void reverse_copy(const context& where, const X& x, Y&& out) {
  if constexpr (detail::rearrange_impl::require_copies<X, Y>()) {
    const auto from = core::read_operand(x);
    const auto to = core::written_operand(out);
    detail::rearrange_impl::require_places(where, "reverse_copy", from, to);
    if (where.kind() == backend::cpu) return cpu::reverse_copy(where.device(), from.data(), from.size(), to.data());
    detail::rearrange_impl::run_apart(where, "reverse_copy", from, to,
                                      detail::rearrange_impl::asked(detail::rearrange_impl::primitive::reverse));
  }
}

template <class X>
void rotate(const context& where, X&& x, std::uint64_t first) {
  const auto all = core::written_operand(x);
  core::require_reach("rotate", where, {{"the input", all}});
  detail::rearrange_impl::require_within("rotate", first, all.size());
  if (where.kind() == backend::cpu) return cpu::rotate(where.device(), all.data(), all.size(), first);
  detail::rearrange_impl::run_in_place(where, "rotate", all,
                                       detail::rearrange_impl::asked(detail::rearrange_impl::primitive::rotate, first));
}

template <class X, class Y>
void rotate_copy(const context& where, const X& x, std::uint64_t first, Y&& out) {
  if constexpr (detail::rearrange_impl::require_copies<X, Y>()) {
    const auto from = core::read_operand(x);
    const auto to = core::written_operand(out);
    detail::rearrange_impl::require_within("rotate_copy", first, from.size());
    detail::rearrange_impl::require_places(where, "rotate_copy", from, to);
    if (where.kind() == backend::cpu)
      return cpu::rotate_copy(where.device(), from.data(), from.size(), first, to.data());
    detail::rearrange_impl::run_apart(where, "rotate_copy", from, to,
                                      detail::rearrange_impl::asked(detail::rearrange_impl::primitive::rotate, first));
  }
}

template <class X, class Y>
void swap_ranges(const context& where, X&& x, Y&& y) {
  if constexpr (detail::rearrange_impl::require_copies<X, Y>()) {
    const auto a = core::written_operand(x);
    const auto b = core::written_operand(y);
    core::require_same_size("swap_ranges", "the first has # elements and the second #", a.size(), b.size());
    core::require_no_overlap("swap_ranges", where, {{"the first", a}, {"the second", b}});
    if (where.kind() == backend::cpu) return cpu::swap_ranges(where.device(), a.data(), b.data(), a.size());
    detail::rearrange_impl::exchange(where, a, b);
  }
}

template <class X>
void shuffle(const context& where, X&& x, std::uint64_t seed) {
  const auto all = core::written_operand(x);
  core::require_reach("shuffle", where, {{"the input", all}});
  if (where.kind() == backend::cpu)
    return cpu::shuffle(where.device(), all.data(), all.size(),
                        detail::rearrange_impl::seeded_permutation(all.size(), seed));
  detail::rearrange_impl::run_in_place(
      where, "shuffle", all, detail::rearrange_impl::asked(detail::rearrange_impl::primitive::shuffle, 0, seed));
}

template <class X, class Y>
void shuffle_copy(const context& where, const X& x, Y&& out, std::uint64_t seed) {
  if constexpr (detail::rearrange_impl::require_copies<X, Y>()) {
    const auto from = core::read_operand(x);
    const auto to = core::written_operand(out);
    detail::rearrange_impl::require_places(where, "shuffle_copy", from, to);
    if (where.kind() == backend::cpu)
      return cpu::shuffle_copy(where.device(), from.data(), to.data(), to.size(),
                               detail::rearrange_impl::seeded_permutation(to.size(), seed));
    detail::rearrange_impl::run_apart(
        where, "shuffle_copy", from, to,
        detail::rearrange_impl::asked(detail::rearrange_impl::primitive::shuffle, 0, seed));
  }
}

template <class Y>
void random_permutation(const context& where, Y&& out, std::uint64_t seed) {
  using T = element_of<Y>;
  constexpr bool index = std::is_same_v<T, std::uint32_t> || (std::unsigned_integral<T> && sizeof(T) == 8);
  static_assert(index, "upsweep: random_permutation writes indices of u32 or u64");
  if constexpr (index) {
    const auto to = core::written_operand(out);
    core::require_reach("random_permutation", where, {{"the output", to}});
    detail::rearrange_impl::require_countable<T>(to.size());
    if (where.kind() == backend::cpu)
      return cpu::store(where.device(), to.data(), to.size(),
                        detail::rearrange_impl::seeded_permutation(to.size(), seed));
    detail::rearrange_impl::run_in_place(
        where, "random_permutation", to,
        detail::rearrange_impl::asked(detail::rearrange_impl::primitive::random_permutation, 0, seed));
  }
}

}  // namespace upsweep
