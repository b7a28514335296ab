// rearrange: elements moved about, none changed: reversed, rotated, exchanged, shuffled.
//
//   upsweep::reverse(gpu, x.span());
//   upsweep::rotate(cpu, days, 3);                        // the fourth comes first
//   upsweep::swap_ranges(gpu, x.span(), y.span());
//   upsweep::shuffle(gpu, x.span(), 42);                  // seed 42: the same order on every device
//   upsweep::random_permutation(cpu, order, 42);          // that order as indices: u32 or u64
//
//   reverse, reverse_copy      out[i] = x[n - 1 - i]
//   rotate, rotate_copy        out[i] = x[(first + i) mod n]; first is at most n
//   swap_ranges                x and y change places
//   shuffle, shuffle_copy      out[i] = x[p(i)], p being the permutation that the seed chooses
//   random_permutation         out[i] = p(i)
//
// Elements     of any type on the CPU, those that can only be moved too (in place); trivially copyable ones on every
//              device, from any .cpp file. An input's elements are of the output's type. What is made as it is read
//              goes through transform.hpp: copy(c, reversed(x), out).
// Requires     as many elements in the output as in the input, and no memory in common; n may be 0. Inputs and outputs
//              all in device memory, or all in host memory.
// Work         every element is read once and written once; rotate in place on a GPU and of more than 128 KiB: twice.
//              shuffle in place works from a copy, in scratch that the context owns.
// Determinism  the same in every bit on every device. p depends on n and the seed alone. Up to 256 elements each of the
//              n! orders is as likely as any other; of more, it passes for one that is drawn at random, and is not for
//              ciphers.
// Asynchrony   device spans: enqueued. Host memory: done on return; for a GPU it is brought there as a whole, which
//              must fit.
// Errors       upsweep::error: sizes that differ, overlap, first past the end, a type with its own copy operations off
//              the CPU, u32 indices for more than 2^32 elements.
#pragma once

#include "upsweep/rearrange/enqueue.hpp"

namespace upsweep {

template <class X>
void reverse(const context& where, X&& x) {
  const auto all = core::written_operand(x);
  if (where.kind() == backend::cpu) return cpu::reverse(where.dev(), all.data(), all.size());
  rearrange_room::run_in_place(where, "reverse", all, rearrange_room::asked(rearrange_room::primitive::reverse));
}

template <class X, class Y>
void reverse_copy(const context& where, const X& x, Y&& out) {
  if constexpr (rearrange_room::require_copies<X, Y>()) {
    const auto from = core::read_operand(x);
    const auto to = core::written_operand(out);
    rearrange_room::require_places(where, "reverse_copy", from, to);
    if (where.kind() == backend::cpu) return cpu::reverse_copy(where.dev(), from.data(), from.size(), to.data());
    rearrange_room::run_apart(where, "reverse_copy", from, to,
                              rearrange_room::asked(rearrange_room::primitive::reverse));
  }
}

template <class X>
void rotate(const context& where, X&& x, std::uint64_t first) {
  const auto all = core::written_operand(x);
  rearrange_room::require_within("rotate", first, all.size());
  if (where.kind() == backend::cpu) return cpu::rotate(where.dev(), all.data(), all.size(), first);
  rearrange_room::run_in_place(where, "rotate", all, rearrange_room::asked(rearrange_room::primitive::rotate, first));
}

template <class X, class Y>
void rotate_copy(const context& where, const X& x, std::uint64_t first, Y&& out) {
  if constexpr (rearrange_room::require_copies<X, Y>()) {
    const auto from = core::read_operand(x);
    const auto to = core::written_operand(out);
    rearrange_room::require_within("rotate_copy", first, from.size());
    rearrange_room::require_places(where, "rotate_copy", from, to);
    if (where.kind() == backend::cpu) return cpu::rotate_copy(where.dev(), from.data(), from.size(), first, to.data());
    rearrange_room::run_apart(where, "rotate_copy", from, to,
                              rearrange_room::asked(rearrange_room::primitive::rotate, first));
  }
}

template <class X, class Y>
void swap_ranges(const context& where, X&& x, Y&& y) {
  if constexpr (rearrange_room::require_copies<X, Y>()) {
    const auto a = core::written_operand(x);
    const auto b = core::written_operand(y);
    core::require_same_size("swap_ranges", "the first has # elements and the second #", a.size(), b.size());
    core::require_apart("swap_ranges", where, {{"the first", a}, {"the second", b}});
    if (where.kind() == backend::cpu) return cpu::swap_ranges(where.dev(), a.data(), b.data(), a.size());
    rearrange_room::exchange(where, a, b);
  }
}

template <class X>
void shuffle(const context& where, X&& x, std::uint64_t seed) {
  const auto all = core::written_operand(x);
  if (where.kind() == backend::cpu)
    return cpu::shuffle(where.dev(), all.data(), all.size(), rearrange_room::seeded_permutation(all.size(), seed));
  rearrange_room::run_in_place(where, "shuffle", all,
                               rearrange_room::asked(rearrange_room::primitive::shuffle, 0, seed));
}

template <class X, class Y>
void shuffle_copy(const context& where, const X& x, Y&& out, std::uint64_t seed) {
  if constexpr (rearrange_room::require_copies<X, Y>()) {
    const auto from = core::read_operand(x);
    const auto to = core::written_operand(out);
    rearrange_room::require_places(where, "shuffle_copy", from, to);
    if (where.kind() == backend::cpu)
      return cpu::shuffle_copy(where.dev(), from.data(), to.data(), to.size(),
                               rearrange_room::seeded_permutation(to.size(), seed));
    rearrange_room::run_apart(where, "shuffle_copy", from, to,
                              rearrange_room::asked(rearrange_room::primitive::shuffle, 0, seed));
  }
}

template <class Y>
void random_permutation(const context& where, Y&& out, std::uint64_t seed) {
  using T = element_of<Y>;
  constexpr bool index = std::is_same_v<T, std::uint32_t> || (std::unsigned_integral<T> && sizeof(T) == 8);
  static_assert(index, "upsweep: random_permutation writes indices of u32 or u64");
  if constexpr (index) {
    const auto to = core::written_operand(out);
    rearrange_room::require_countable<T>(to.size());
    if (where.kind() == backend::cpu)
      return cpu::store(where.dev(), to.data(), to.size(), rearrange_room::seeded_permutation(to.size(), seed));
    rearrange_room::run_in_place(where, "random_permutation", to,
                                 rearrange_room::asked(rearrange_room::primitive::random_permutation, 0, seed));
  }
}

}  // namespace upsweep
