// Merging and merge sort on the CPU by a user-defined comparison; stable.
//
// This code does not trust the comparison. Whatever it returns, every loop ends and no index leaves its range; only
// the order of the result is then unspecified. (UPSWEEP_CHECKED builds check the comparison, in sort_cpu.hpp.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "upsweep/cpu/adaptive_grain.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t merge_piece = 1 << 14;  // elements that a thread merges or tests at once
inline constexpr std::uint64_t insertion_run = 24;

// Elements that a thread merges or tests at once: fewer if a comparison, made by `call`, is slow.
template <class Call>
std::uint64_t piece_by_pace(upsweep::device& d, pace& known, std::uint64_t n, const Call& call) {
  if (!cpu::calls_are_slow(known, n, call)) return merge_piece;
  return std::clamp<std::uint64_t>(n / (8 * static_cast<std::uint64_t>(threads_of(d))), 4, merge_piece);
}

// How many of the first k merged elements come from a. Among equal elements those of a precede.
template <class T, class Less>
std::uint64_t merge_path(const T* a, std::uint64_t n, const T* b, std::uint64_t m, std::uint64_t k, const Less& less) {
  std::uint64_t low = k > m ? k - m : 0, high = (std::min)(k, n);
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (less(b[k - i - 1], a[i]))
      high = i;
    else
      low = i + 1;
  }
  return low;
}

// From either front, until one is empty.
template <class T, class Less>
void merge_from_the_front(const T* a, std::uint64_t n, const T* b, std::uint64_t m, T* out, const Less& less) {
  std::uint64_t i = 0, j = 0;
  while (i < n && j < m) {
    const bool second = less(b[j], a[i]);
    *out++ = second ? b[j] : a[i];
    j += second;
    i += !second;
  }
  out = std::copy(a + i, a + n, out);
  std::copy(b + j, b + m, out);
}

// Merges from both ends at once, so that neither end waits for the other's comparison. As many steps as the shorter
// run has elements read nothing out of bounds, whatever `less` returns. The rest between the ends is merged in the
// same way.
template <class T, class Less>
void merge_sequentially(const T* a, std::uint64_t n, const T* b, std::uint64_t m, T* out, const Less& less) {
  constexpr std::uint64_t few = 4;
  if (n && m && !less(b[0], a[n - 1])) {  // already in order
    std::copy(b, b + m, std::copy(a, a + n, out));
    return;
  }
  for (std::uint64_t steps; (steps = (std::min)(n, m)) >= few;) {
    const T *first_a = a, *first_b = b, *last_a = a + n, *last_b = b + m;  // the last ones: behind what is left
    T* last = out + n + m;
    for (std::uint64_t s = 0; s < steps; ++s) {
      const bool second = less(*first_b, *first_a);
      *out++ = *(second ? first_b : first_a);
      first_b += second;
      first_a += !second;
      const bool first = less(last_b[-1], last_a[-1]);
      *--last = *(first ? last_a - 1 : last_b - 1);
      last_a -= first;
      last_b -= !first;
    }
    if (first_a > last_a || first_b > last_b)  // an inconsistent comparison
      return merge_from_the_front(a, n, b, m, out - steps, less);
    a = first_a, n = static_cast<std::uint64_t>(last_a - first_a);
    b = first_b, m = static_cast<std::uint64_t>(last_b - first_b);
  }
  merge_from_the_front(a, n, b, m, out, less);
}

// How many of the first p * piece merged elements come from a, for each piece and at the end.
template <class T, class Less>
std::vector<std::uint64_t> cuts_of_merge(upsweep::device& d, const T* a, std::uint64_t n, const T* b, std::uint64_t m,
                                         const Less& less, std::uint64_t piece) {
  const std::uint64_t pieces = upsweep::cpu::block_count(n + m, piece), together = piece == merge_piece ? 16 : 1;
  std::vector<std::uint64_t> cut(pieces + 1);
  upsweep::cpu::for_each_block(d, block_count(pieces, together), [&](std::uint64_t g, const stop_flag&) {
    for (std::uint64_t p = together * g; p < (std::min)(pieces, together * g + together); ++p)
      cut[p] = upsweep::cpu::merge_path(a, n, b, m, p * piece, less);
  });
  cut[0] = 0, cut[pieces] = n;
  // With an inconsistent comparison, cuts may cross; each is moved to where its piece has a position for every
  // element.
  for (std::uint64_t p = 1; p < pieces; ++p) cut[p] = std::clamp(cut[p], cut[p - 1], cut[p - 1] + piece);
  return cut;
}

// out = the n of a and the m of b, each sorted, as one sorted sequence. `out` does not overlap either.
template <class T, class Less>
void merge(upsweep::device& d, const T* a, std::uint64_t n, const T* b, std::uint64_t m, T* out, const Less& less,
           std::uint64_t piece) {
  const std::uint64_t pieces = upsweep::cpu::block_count(n + m, piece);
  if (pieces <= 1 || (threads_of(d) == 1 && piece == merge_piece))
    return upsweep::cpu::merge_sequentially(a, n, b, m, out, less);
  const auto cut = upsweep::cpu::cuts_of_merge(d, a, n, b, m, less, piece);
  upsweep::cpu::for_each_block(d, pieces, [&](std::uint64_t p, const stop_flag&) {
    const std::uint64_t first = p * piece, last = (std::min)(n + m, first + piece), i = cut[p], j = first - i;
    upsweep::cpu::merge_sequentially(a + i, cut[p + 1] - i, b + j, last - cut[p + 1] - j, out + first, less);
  });
}
template <class T, class Less>
void merge(upsweep::device& d, const T* a, std::uint64_t n, const T* b, std::uint64_t m, T* out, const Less& less) {
  static constinit pace known;
  const std::uint64_t piece =
      n && m ? upsweep::cpu::piece_by_pace(d, known, n + m, [&] { (void)static_cast<bool>(less(b[0], a[0])); })
             : merge_piece;
  upsweep::cpu::merge(d, a, n, b, m, out, less, piece);
}

template <class T, class Less>
void insertion_sort(T* x, std::uint64_t n, const Less& less) {
  for (std::uint64_t i = 1; i < n; ++i) {
    T moved = x[i];
    std::uint64_t j = i;
    for (; j > 0 && less(moved, x[j - 1]); --j) x[j] = x[j - 1];
    x[j] = moved;
  }
}

// y = the four of x in order, stable, by five comparisons without branches.
template <class T, class Less>
void sort_four(const T* x, T* y, const Less& less) {
  const bool p = less(x[1], x[0]), q = less(x[3], x[2]);
  const T *low = x + p, *high = x + !p, *low2 = x + 2 + q, *high2 = x + 2 + !q;
  const bool r = less(*low2, *low), s = less(*high2, *high);
  const T *least = r ? low2 : low, *most = s ? high : high2;
  // The middle two, whose order is not known yet: the one of the first pair before, or of the same pair in their
  // order.
  const T *u = r ? low : (s ? low2 : high), *v = s ? high2 : (r ? high : low2);
  const bool t = less(*v, *u);
  y[0] = *least, y[1] = *(t ? v : u), y[2] = *(t ? u : v), y[3] = *most;
}

struct asks_nothing {
  void operator()() const {}
};

// Sorts x; y has space for n elements. Returns the one of the two that holds the result. Parts that fit the
// first-level cache are sorted one after the other before they are merged. All take the same number of passes, so
// that they end in the same memory. ask() is called after every `between` elements or more.
template <class T, class Less, class Ask = asks_nothing>
T* merge_sort_sequentially(T* x, std::uint64_t n, T* y, const Less& less, const Ask& ask = {},
                           std::uint64_t between = std::uint64_t{1} << 16) {
  const std::uint64_t cached = std::bit_floor(std::max<std::uint64_t>(4, (1 << 14) / sizeof(T)));
  const std::uint64_t stretch = (std::min)(cached, std::bit_ceil(std::max<std::uint64_t>(4, n)));
  std::uint64_t merged = 0;
  const auto merge_by_two = [&](const T* from, T* to, std::uint64_t begin, std::uint64_t end, std::uint64_t width) {
    for (std::uint64_t i = begin; i < end; i += 2 * width) {
      if ((merged += 2 * width) >= between) merged = 0, ask();
      const std::uint64_t middle = (std::min)(end, i + width), last = (std::min)(end, i + 2 * width);
      upsweep::cpu::merge_sequentially(from + i, middle - i, from + middle, last - middle, to + i, less);
    }
  };
  for (std::uint64_t begin = 0; begin < n; begin += stretch) {
    const std::uint64_t end = (std::min)(n, begin + stretch), fours = begin + (end - begin) / 4 * 4;
    for (std::uint64_t i = begin; i < fours; i += 4) {
      sort_four(x + i, y + i, less);
      if (between < 4) ask();
    }
    std::copy(x + fours, x + end, y + fours);
    insertion_sort(y + fours, end - fours, less);
    T *from = y, *to = x;
    for (std::uint64_t width = 4; width < stretch; width *= 2, std::swap(from, to))
      merge_by_two(from, to, begin, end, width);
  }
  if (std::countr_zero(stretch / 4) % 2 == 0) std::swap(x, y);
  for (std::uint64_t width = stretch; width < n; width *= 2, std::swap(x, y)) merge_by_two(x, y, 0, n, width);
  return x;
}

// Sorts x, trivially copyable elements, with y as second buffer. Threads sort runs, which are then merged in pairs,
// all threads sharing every merge.
template <class T, class Less>
void merge_sort(upsweep::device& d, T* x, std::uint64_t n, T* y, const Less& less) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::uint64_t runs = 1;
  static constinit pace known;
  const std::uint64_t piece =
      n > 1 ? upsweep::cpu::piece_by_pace(d, known, n, [&] { (void)static_cast<bool>(less(x[1], x[0])); })
            : merge_piece;
  while (runs < 4 * static_cast<std::uint64_t>(threads_of(d)) && n / runs > 2 * piece) runs *= 2;
  if (threads_of(d) == 1) runs = 1;
  const std::uint64_t width = upsweep::cpu::block_count(n, runs);
  const auto first = [&](std::uint64_t run) { return (std::min)(n, run * width); };
  watch between;
  upsweep::cpu::for_each_block(d, runs, [&](std::uint64_t r, const stop_flag&) {
    T *const begin = x + first(r), *const in = merge_sort_sequentially(
                                       begin, first(r + 1) - first(r), y + first(r), less, [&] { between.ask(); },
                                       piece == merge_piece ? 1 << 16 : 1);
    if (in != begin) std::copy_n(in, first(r + 1) - first(r), begin);
  });
  T *from = x, *to = y;
  for (std::uint64_t together = 1; together < runs; together *= 2) {
    for (std::uint64_t r = 0; r < runs; r += 2 * together) {
      const std::uint64_t begin = first(r), middle = first(r + together), end = first(r + 2 * together);
      upsweep::cpu::merge(d, from + begin, middle - begin, from + middle, end - middle, to + begin, less, piece);
    }
    std::swap(from, to);
  }
  if (from != x)
    upsweep::cpu::for_each_block(d, upsweep::cpu::block_count(n, merge_piece), [&](std::uint64_t b, const stop_flag&) {
      std::copy_n(from + b * merge_piece, (std::min)(merge_piece, n - b * merge_piece), x + b * merge_piece);
    });
}

}  // namespace upsweep::cpu
