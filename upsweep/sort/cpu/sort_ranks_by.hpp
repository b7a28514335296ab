// Ranks by a user-defined comparison on the CPU: the first few elements, and the one of a rank. A sample's elements
// show which others cannot be the result; those are dropped, round by round. Whatever the comparison returns, each
// round drops some or is the last, and the remaining elements are sorted.
#pragma once

#include <vector>

#include "upsweep/sort/cpu/sort_cpu.hpp"
#include "upsweep/sort/cpu/sort_sample.hpp"

namespace upsweep::cpu {
inline namespace UPSWEEP_COMPILED {

// Odd, so that there is a middle one. Larger samples cost more, and reduce the rest by the square root of their size.
inline std::uint64_t sample_of(std::uint64_t n) { return n < 1 << 12 ? 63 : n < 1 << 18 ? 255 : 1023; }

// Some elements of a sequence, by their indices: all of them, or those listed, in order.
class some_places {
 public:
  explicit some_places(std::uint64_t n) : n_(n) {}
  explicit some_places(std::vector<std::uint64_t> places) : n_(places.size()), places_(std::move(places)) {}
  std::uint64_t size() const { return n_; }
  std::uint64_t operator[](std::uint64_t i) const { return places_.empty() ? i : places_[i]; }

  // Those for which wanted(place) is true, in order: expected to be few, so that a test which mostly fails costs no
  // more than itself. If there are more than `most`, returns some more than that and not all.
  template <class Wanted>
  std::vector<std::uint64_t> those(upsweep::device& d, const Wanted& wanted, std::uint64_t most_wanted) const {
    constexpr std::uint64_t most = 1 << 12;
    static constinit pace known;
    const bool slow = n_ && cpu::calls_are_slow(known, n_, [&] { (void)static_cast<bool>(wanted((*this)[0])); });
    const std::uint64_t block =
        slow ? std::clamp<std::uint64_t>(n_ / (16 * static_cast<std::uint64_t>(threads_of(d))), 1, most) : most;
    const std::uint64_t blocks = block_count(n_, block),
                        together = std::max<std::uint64_t>(256, 64 * static_cast<std::uint64_t>(threads_of(d)));
    std::vector<std::uint64_t> all;
    for (std::uint64_t first = 0; first < blocks && all.size() <= most_wanted; first += together) {
      std::vector<std::vector<std::uint64_t>> of_block((std::min)(together, blocks - first));
      for_each_block(d, of_block.size(), [&](std::uint64_t b, const stop_flag&) {
        std::uint64_t kept[most], count = 0;
        for (std::uint64_t i = (first + b) * block, end = (std::min)(n_, i + block); i < end; ++i) {
          const std::uint64_t place = (*this)[i];
          if (wanted(place)) kept[count++] = place;
        }
        of_block[b].assign(kept, kept + count);
      });
      for (const auto& kept : of_block) all.insert(all.end(), kept.begin(), kept.end());
    }
    return all;
  }

 private:
  std::uint64_t n_;
  std::vector<std::uint64_t> places_;
};

// The indices of the k first of x[begin, end) in order. Most elements are only compared with the greatest of those
// kept.
template <class T, class Less>
std::vector<std::uint64_t> first_places(const T* x, std::uint64_t begin, std::uint64_t end, std::uint64_t k,
                                        const Less& less) {
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return static_cast<bool>(less(x[a], x[b])); };
  const std::uint64_t capacity = k + std::max<std::uint64_t>(k, 16);
  std::vector<std::uint64_t> kept, other(capacity);
  kept.reserve(capacity);
  // Kept elements are in order and precede new ones, so that equal ones stay in input order.
  const auto keep_first = [&] {
    const std::uint64_t* const in = merge_sort_sequentially(kept.data(), kept.size(), other.data(), before);
    if (in != kept.data()) std::copy_n(in, kept.size(), kept.data());
    kept.resize(std::min<std::uint64_t>(k, kept.size()));
  };
  const auto add = [&](std::uint64_t i) {
    kept.push_back(i);
    if (kept.size() == capacity) keep_first();
  };
  std::uint64_t i = begin;
  while (i < end && kept.size() + 1 < capacity) add(i++);
  if (i < end) add(i++);
  constexpr std::uint64_t together = 8;
  while (i < end) {
    const T& worst = x[kept[k - 1]];
    const auto any = [&] {
      bool one = false;
      for (std::uint64_t j = 0; j < together; ++j) one |= static_cast<bool>(less(x[i + j], worst));
      return one;
    };
    while (end - i >= together && !any()) i += together;
    for (const std::uint64_t stop = (std::min)(end, i + together); i < stop; ++i)
      if (before(i, kept[k - 1])) add(i);
  }
  keep_first();
  return kept;
}

// first[0 … k) = the indices of the k first of x in order, k <= n / 16 and so few that every piece keeps as many:
// beyond 32, sorting those costs more than rounds of samples.
template <class T, class Less>
void very_few_indices(upsweep::device& d, const T* x, std::uint64_t n, std::uint64_t k, std::uint64_t* first,
                      const Less& less) {
  const std::uint64_t threads = static_cast<std::uint64_t>(threads_of(d));
  static constinit pace known;
  const bool slow = cpu::calls_are_slow(known, n, [&] { (void)static_cast<bool>(less(x[1], x[0])); });
  const std::uint64_t piece = std::max<std::uint64_t>(slow ? 2 * k + 16 : 1 << 15, block_count(n, 2 * threads));
  std::vector<std::vector<std::uint64_t>> of_piece(block_count(n, piece));
  for_each_block(d, of_piece.size(), [&](std::uint64_t b, const stop_flag&) {
    of_piece[b] = upsweep::cpu::first_places(x, b * piece, (std::min)(n, (b + 1) * piece), k, less);
  });
  std::vector<std::uint64_t> all;
  for (const auto& places : of_piece) all.insert(all.end(), places.begin(), places.end());
  std::vector<std::uint64_t> other(all.size());
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return static_cast<bool>(less(x[a], x[b])); };
  std::copy_n(merge_sort_sequentially(all.data(), all.size(), other.data(), before), k, first);
}

// first[0 … k) = the indices of the k first of x in order, k <= n.
template <class T, class Less>
void top_k_indices(upsweep::device& d, const T* x, std::uint64_t n, std::uint64_t k, std::uint64_t* first,
                   const Less& less) {
  if (k == 0) return;
  if (k <= 32 && k <= n / 16) return upsweep::cpu::very_few_indices(d, x, n, k, first, less);
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return static_cast<bool>(less(x[a], x[b])); };
  some_places left(n);
  std::vector<std::uint64_t> equals;  // what follows those left, in their own order
  while (left.size() > std::max<std::uint64_t>(256, 2 * k)) {
    const std::uint64_t size = std::min<std::uint64_t>(255, sample_of(left.size()));
    const detail::sort_impl::places_around around(k, left.size(), size);
    if (around.high >= static_cast<std::int64_t>(size)) break;
    std::uint64_t sample[255], other[255];
    for (std::uint64_t i = 0; i < size; ++i) sample[i] = left[detail::sort_impl::scattered(i, left.size())];
    const std::uint64_t pivot = merge_sort_sequentially(sample, size, other, before)[around.high];
    // Indices take memory: of many equal keys no more are listed than are needed.
    const std::uint64_t few = std::max<std::uint64_t>({1 << 16, 4 * k, left.size() / 32});
    auto kept = left.those(d, [&](std::uint64_t i) { return !before(pivot, i); }, few);
    if (kept.size() < k) break;  // the sample misled
    if (kept.size() <= few && kept.size() <= left.size() / 2) {
      left = some_places(std::move(kept));
      continue;
    }
    // Many are equal to the pivot. They follow in input order after the elements that precede it.
    kept = {};
    auto strictly = left.those(d, [&](std::uint64_t i) { return before(i, pivot); }, left.size());
    if (strictly.size() >= k) {
      if (strictly.size() == left.size()) break;
      left = some_places(std::move(strictly));
      continue;
    }
    const std::uint64_t others = k - strictly.size();
    equals = left.those(d, [&](std::uint64_t i) { return !before(i, pivot) && !before(pivot, i); }, others - 1);
    if (equals.size() < others) break;
    if (strictly.empty()) {
      std::copy_n(equals.begin(), k, first);
      return;
    }
    left = some_places(std::move(strictly));
    break;
  }
  auto* const order =
      d.scratch("sort/candidates", 2 * left.size() * sizeof(std::uint64_t)).template as<std::uint64_t>();
  for (std::uint64_t i = 0; i < left.size(); ++i) order[i] = left[i];
  merge_sort(d, order, left.size(), order + left.size(), before);
  const std::uint64_t sorted = (std::min)(k, left.size());
  std::copy_n(order, sorted, first);
  std::copy_n(equals.begin(), k - sorted, first + sorted);
}

// The two sample elements that very likely enclose the element of rank `at`; with `as_one` both are the same element.
template <class T>
struct rank_window {
  const T *low, *high;  // null: nothing is left out on that side
};
template <class T, class Less>
rank_window<T> window_around(upsweep::device& d, const T* x, std::uint64_t n, std::uint64_t at, bool as_one,
                             const Less& less) {
  const std::uint64_t size = sample_of(n);
  T* const sample = d.scratch("sort/sample", 2 * size * sizeof(T)).template as<T>();
  for (std::uint64_t i = 0; i < size; ++i) std::construct_at(sample + i, x[detail::sort_impl::scattered(i, n)]);
  const T* const in = merge_sort_sequentially(sample, size, sample + size, less);
  const auto last = static_cast<std::int64_t>(size) - 1;
  if (as_one) {
    const auto* const pivot = in + std::min<std::uint64_t>(size - 1, at / block_count(n, size));
    return {pivot, pivot};
  }
  const detail::sort_impl::places_around around(at, n, size);
  return {around.low < 0 ? nullptr : in + around.low, around.high > last ? nullptr : in + around.high};
}

// x[at] becomes an element that a sort could put there, and no element after it precedes any element before it. Each
// round partitions x into the elements before a window, within it, and after it. Each block does this on its own,
// from both ends, in y.
template <class T, class Less>
void nth_element(upsweep::device& d, T* x, std::uint64_t n, std::uint64_t at, const Less& less) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    bool as_one = false;
    static constinit pace known;
    const std::uint64_t piece =
        n > 256 ? cpu::piece_by_pace(d, known, n, [&] { (void)static_cast<bool>(less(x[1], x[0])); }) : merge_piece;
    for (int round = 0; n > 256 && round < 64; ++round) {
      const rank_window<T> w = upsweep::cpu::window_around<T>(d, x, n, at, as_one, less);
      const std::uint64_t blocks = upsweep::cpu::block_count(n, piece);
      const auto begin_of = [&](std::uint64_t b) { return b * piece; };
      const auto size_of = [&](std::uint64_t b) { return (std::min)(piece, n - b * piece); };
      T* const y = d.scratch("sort/merged", n * sizeof(T)).template as<T>();
      T* const within = d.scratch("sort/within", n * sizeof(T)).template as<T>();
      struct sizes {
        std::uint64_t of[3];
      };
      std::vector<sizes> place(blocks);
      upsweep::cpu::for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
        const T* const in = x + begin_of(b);
        T *before = y + begin_of(b), *after = before + size_of(b), *inside = within + begin_of(b);
        for (std::uint64_t i = 0; i < size_of(b); ++i) {
          const T& e = in[i];
          const bool is_before = w.low ? less(e, *w.low) : false, beyond = w.high ? less(*w.high, e) : false;
          const bool is_after = beyond & !is_before;
          // Stored wherever it may belong; the last element written to a position belongs there.
          *before = e, *inside = e, after[-1] = e;
          before += is_before, after -= is_after, inside += !(is_before | is_after);
        }
        const auto count = [](const T* first, const T* last) { return static_cast<std::uint64_t>(last - first); };
        place[b] = {{count(y + begin_of(b), before), count(within + begin_of(b), inside),
                     count(after, y + begin_of(b) + size_of(b))}};
      });
      std::uint64_t begin[4]{}, placed = 0;
      for (unsigned c = 0; c < 3; ++c) {
        begin[c] = placed;
        for (sizes& s : place) placed += std::exchange(s.of[c], placed);
      }
      begin[3] = n;
      upsweep::cpu::for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
        const auto count = [&](unsigned c) {
          return (b + 1 < blocks ? place[b + 1].of[c] : begin[c + 1]) - place[b].of[c];
        };
        std::copy_n(y + begin_of(b), count(0), x + place[b].of[0]);
        std::copy_n(within + begin_of(b), count(1), x + place[b].of[1]);
        std::copy_n(y + begin_of(b) + size_of(b) - count(2), count(2), x + place[b].of[2]);
      });
      const unsigned part = at < begin[1] ? 0 : at < begin[2] ? 1 : 2;
      if (part == 1 && as_one) return;
      const std::uint64_t size = begin[part + 1] - begin[part];
      as_one = size > n / 2;
      x += begin[part], at -= begin[part], n = size;
    }
  }
  upsweep::cpu::stable_sort(d, x, n, less);
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cpu
