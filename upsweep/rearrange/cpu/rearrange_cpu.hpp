// Moves elements of any type on the CPU's threads, each thread a separate part.
#pragma once

#include <iterator>
#include <utility>
#include <vector>

#include "upsweep/cpu/work_partition.hpp"
#include "upsweep/rearrange/rearrange_permutation.hpp"

namespace upsweep::cpu {

template <class T>
void reverse(device& d, T* x, std::uint64_t n) {
  cpu::for_each_part(d, n / 2, 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
    using std::swap;
    T* const from_the_end = x + (n - 1);
    UPSWEEP_EACH_ALONE
    for (std::uint64_t i = first; i < last; ++i) swap(x[i], *(from_the_end - i));
  });
}
template <class T>
void reverse_copy(device& d, const T* in, std::uint64_t n, T* out) {
  cpu::for_each_part(d, n, sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
    const T* const from_the_end = in + (n - 1);
    UPSWEEP_EACH_ALONE
    for (std::uint64_t i = first; i < last; ++i) out[i] = *(from_the_end - i);
  });
}

// Rotates x so that x[shift] becomes the first element.
template <class T>
void rotate(device& d, T* x, std::uint64_t n, std::uint64_t shift) {
  if (n * sizeof(T) <= alone_bytes) {
    std::rotate(x, x + shift, x + n);
  } else if (shift && shift < n) {
    cpu::reverse(d, x, shift), cpu::reverse(d, x + shift, n - shift), cpu::reverse(d, x, n);
  }
}
template <class T>
void rotate_copy(device& d, const T* in, std::uint64_t n, std::uint64_t shift, T* out) {
  cpu::copy(d, out, in + shift, n - shift);
  cpu::copy(d, out + (n - shift), in, shift);
}

template <class T>
void swap_ranges(device& d, T* x, T* y, std::uint64_t n) {
  cpu::for_each_part(d, n, 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
    using std::swap;
    UPSWEEP_EACH_ALONE
    for (std::uint64_t i = first; i < last; ++i) swap(x[i], y[i]);
  });
}

// Calls move(i, place(i)) for all i; places are worked out ahead, so that many loads are under way at once.
template <class Move>
void for_each_shuffled(device& d, std::uint64_t n, std::uint64_t element_bytes,
                       const detail::rearrange_impl::seeded_permutation& shared, const Move& move) {
  cpu::for_each_part(d, n, element_bytes, [&](std::uint64_t first, std::uint64_t last) {
    constexpr std::uint64_t ahead = 256;
    const detail::rearrange_impl::seeded_permutation place = shared;  // the thread's own, which no store can change
    std::uint64_t from[ahead];
    for (std::uint64_t i = first; i < last; i += ahead) {
      const std::uint64_t count = (std::min)(ahead, last - i);
      place(i, count, from);
      for (std::uint64_t k = 0; k < count; ++k) move(i + k, from[k]);
    }
  });
}

template <class T>
void shuffle_copy(device& d, const T* in, T* out, std::uint64_t n,
                  const detail::rearrange_impl::seeded_permutation& place) {
  cpu::for_each_shuffled(d, n, sizeof(T), place, [=](std::uint64_t i, std::uint64_t from) { out[i] = in[from]; });
}
// Shuffles from a copy in scratch memory. Elements that are not trivially copyable are moved to a vector and back.
template <class T>
void shuffle(device& d, T* x, std::uint64_t n, const detail::rearrange_impl::seeded_permutation& place) {
  if (n < 2) return;
  if constexpr (std::is_trivially_copyable_v<T>) {
    T* const aside = d.scratch("shuffle/aside", n * sizeof(T)).template as<T>();
    cpu::copy(d, aside, static_cast<const T*>(x), n);
    cpu::shuffle_copy(d, static_cast<const T*>(aside), x, n, place);
  } else {
    std::vector<T> aside(std::make_move_iterator(x), std::make_move_iterator(x + n));
    cpu::for_each_shuffled(d, n, sizeof(T), place,
                           [&](std::uint64_t i, std::uint64_t from) { x[i] = std::move(aside[from]); });
  }
}

}  // namespace upsweep::cpu
