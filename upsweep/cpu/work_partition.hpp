// out[i] = at(i) on the CPU, in pieces that threads take; and an in-place combination of neighbours.
#pragma once

#include <algorithm>

#include "upsweep/core/operands.hpp"
#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/operators.hpp"

// Tells the compiler that no iteration reads memory that another one writes: elements are disjoint or identical. clang
// has no pragma for that alone: its assume_safety warns in the user's code about functions that cannot be vectorized.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define UPSWEEP_EACH_ALONE _Pragma("GCC ivdep")
#else
#define UPSWEEP_EACH_ALONE
#endif

namespace upsweep::cpu {

// From this size on it pays to wake other threads.
inline constexpr std::uint64_t alone_bytes = 128 << 10;

// Calls body(first, last) for pieces that cover [0, n).
template <class Body>
void for_each_part(device& d, std::uint64_t n, std::uint64_t element_bytes, const Body& body) {
  const std::uint64_t most = std::max<std::uint64_t>(alone_bytes / element_bytes, 1);
  if (n <= most) {
    if (n) body(std::uint64_t{0}, n);
    return;
  }
  const std::uint64_t block = std::clamp<std::uint64_t>(n / 64, most / 2 + 1, 4 * most);
  cpu::for_each_block(d, block_count(n, block), [&](std::uint64_t b, const stop_flag&) {
    body(b * block, n - b * block < block ? n : (b + 1) * block);
  });
}

// Version for a body that calls user-defined functions: the length of a piece depends on the speed of the calls.
template <class Body>
void for_each_part_by_pace(device& d, std::uint64_t n, std::uint64_t element_bytes, const Body& body) {
  const std::uint64_t most = std::max<std::uint64_t>(alone_bytes / element_bytes, 1);
  if (n <= most) return cpu::for_each_paced(d, n, body);
  const std::uint64_t block = std::clamp<std::uint64_t>(n / 64, most / 2 + 1, 4 * most);
  cpu::for_each_block(d, block_count(n, block), [&](std::uint64_t b, const stop_flag& stop) {
    cpu::for_each_paced(d, b * block, n - b * block < block ? n : (b + 1) * block, body, stop);
  });
}

// out[i] = at(i) in [first, last).
template <class T, class At>
void store_part(T* out, std::uint64_t first, std::uint64_t last, const At& at) {
  const auto put = [&](std::uint64_t i) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(at(i))>, T>) {
      out[i] = at(i);
    } else {
      out[i] = static_cast<T>(at(i));
    }
  };
  std::uint64_t i = first;
#if !defined(__clang__)  // clang vectorizes the plain loop, and at -O3 does not vectorize a loop of constant length
  // Chunks of constant length: g++ vectorizes loops of constant length at -O2, too.
  constexpr std::uint64_t together = 32;
  for (; last - i >= together; i += together) {
    UPSWEEP_EACH_ALONE
    for (std::uint64_t k = 0; k < together; ++k) put(i + k);
  }
#endif
  for (; i < last; ++i) put(i);
}

template <class T, class At>
void store(device& d, T* out, std::uint64_t n, const At& shared) {
  cpu::for_each_part(d, n, sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
    const At at = shared;  // a copy per thread, which no store can change
    cpu::store_part(out, first, last, at);
  });
}

// store() for a user-defined function.
template <class T, class At>
void store_by_pace(device& d, T* out, std::uint64_t n, const At& shared) {
  cpu::for_each_part_by_pace(d, n, sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
    // An object that is cheap to copy gets a copy per thread, which no store can change.
    constexpr bool copied = std::is_trivially_copyable_v<At> && sizeof(At) <= 256;
    const std::conditional_t<copied, const At, const At&> at = shared;
    cpu::store_part(out, first, last, at);
  });
}

// first + i·step; integers wrap.
template <class T>
void store_steps(device& d, T* out, std::uint64_t n, T start, T step) {
  const auto at = [=](std::uint64_t i) { return plus{}(start, multiplies{}(static_cast<T>(i), step)); };
  if constexpr (std::is_integral_v<T>) {
    cpu::for_each_part(d, n, sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
      using U = std::make_unsigned_t<T>;
      U x = static_cast<U>(at(first));  // a running sum, which compilers vectorize
      const U by = static_cast<U>(step);
      for (std::uint64_t i = first; i < last; ++i, x = static_cast<U>(x + by)) out[i] = static_cast<T>(x);
    });
  } else {
    cpu::store(d, out, n, at);
  }
}

template <class T>
void copy(device& d, T* out, const T* in, std::uint64_t n) {
  cpu::for_each_part(d, n, sizeof(T),
                     [&](std::uint64_t first, std::uint64_t last) { std::copy(in + first, in + last, out + first); });
}

// x[i] = op(x[i], x[i - 1]), from the last element to the second. The element before each part is saved first.
template <class T, class Op>
void combine_neighbours_in_place(device& d, T* x, std::uint64_t n, const Op& op) {
  constexpr std::uint64_t block = 1 << 15;
  const std::uint64_t blocks = block_count(n, block);
  if (blocks == 0) return;
  block_values<T> before(d, "adjacent-difference/before", blocks, x[0]);
  for (std::uint64_t b = 1; b < blocks; ++b) before[b] = x[b * block - 1];
  static constinit pace known;
  if (calls_are_slow(known, n - 1, [&] { (void)op(x[n - 1], x[n > 1 ? n - 2 : 0]); })) {
    const std::vector<T> held(x, x + n);
    return cpu::for_each_paced(d, n - 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) x[i + 1] = static_cast<T>(op(held[i + 1], held[i]));
    });
  }
  cpu::for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    const std::uint64_t first = b * block;
    for (std::uint64_t i = (std::min)(n, first + block) - 1; i > first; --i) x[i] = static_cast<T>(op(x[i], x[i - 1]));
    if (b) x[first] = static_cast<T>(op(x[first], before[b]));
  });
}

}  // namespace upsweep::cpu
