// Sorting on the CPU by a user-defined comparison, for elements of any movable type. Built-in orders are sorted by
// digits (sort_radix.hpp).
//
// All sorts are stable and, to the caller, in place. less(a, b) is true if a must precede b; several threads call it
// at once. It should be a strict weak order: never less(x, x), never both less(a, b) and less(b, a), and so on. With
// any other function the calls still end, read and write nothing out of bounds, and leave a permutation in
// unspecified order; with UPSWEEP_CHECKED defined they throw instead. If `less` throws, trivially copyable elements
// may be lost or duplicated; other elements are where they were.
#pragma once

#include <atomic>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "upsweep/core/config.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/error.hpp"
#include "upsweep/sort/cpu/sort_cpu_merge.hpp"

namespace upsweep::cpu {
inline namespace UPSWEEP_COMPILED {

// The first i with x[i] before x[i - 1], or n.
template <class T, class Less>
std::uint64_t is_sorted_until(upsweep::device& d, const T* x, std::uint64_t n, const Less& less) {
  std::atomic<std::uint64_t> found{n};
  const auto look = [&](std::uint64_t first, std::uint64_t end) {
    if (found.load(std::memory_order_relaxed) < first) return;  // blocks are taken in order, but may end in another
    std::uint64_t i = std::max<std::uint64_t>(first, 1);
    // Tests several at a time, without a branch between them.
    const auto none_of_eight = [&] {
      bool any = false;
      for (std::uint64_t k = i; k < i + 8; ++k) any |= static_cast<bool>(less(x[k], x[k - 1]));
      return !any;
    };
    while (end - i >= 8 && none_of_eight()) i += 8;
    while (i < end && !less(x[i], x[i - 1])) ++i;
    if (i == end) return;
    for (std::uint64_t seen = found.load(std::memory_order_relaxed);
         i < seen && !found.compare_exchange_weak(seen, i);) {
    }
  };
  upsweep::cpu::for_each_block(
      d, upsweep::cpu::block_count(n, merge_piece), [&](std::uint64_t b, const stop_flag& stop) {
        upsweep::cpu::for_each_paced(d, b * merge_piece, (std::min)(n, (b + 1) * merge_piece), look, stop);
      });
  return found.load();
}

// Throws if the result of a sort shows that `less` is not a strict weak order. Checks neighbours, and elements at
// growing distances.
template <class T, class Less>
void require_order(const T* x, std::uint64_t n, const Less& less, const char* where) {
  const auto contradiction = [&](const char* what) {
    return error(fault::bad_argument, where, std::string("the comparison is not a strict weak order: ") + what,
                 "compare so that no element stands before itself, and what stands before one that stands before a "
                 "third stands before that third");
  };
  for (std::uint64_t i = 0; i < n; ++i) {
    if (less(x[i], x[i])) core::throw_error(contradiction("it orders an element before itself"));
    for (std::uint64_t apart = 1; apart <= i; apart *= 2)
      if (less(x[i], x[i - apart]))
        core::throw_error(contradiction("it orders an element before its predecessor in the sorted sequence"));
  }
}

// Memory for n elements, none of which is constructed.
template <class T>
class raw_elements {
 public:
  explicit raw_elements(std::uint64_t n) : memory_(std::allocator<T>().allocate(n)), n_(n) {}
  raw_elements(const raw_elements&) = delete;
  raw_elements& operator=(const raw_elements&) = delete;
  ~raw_elements() {
    std::destroy_n(memory_, made_);
    std::allocator<T>().deallocate(memory_, n_);
  }
  void add(T&& x) { std::construct_at(memory_ + made_, std::move(x)), ++made_; }
  T& operator[](std::uint64_t i) { return memory_[i]; }

 private:
  T* memory_;
  std::uint64_t n_, made_ = 0;
};

// x[i] becomes what x[order[i]] was.
template <class T, class Index>
void move_into_order(T* x, const Index* order, std::uint64_t n) {
  raw_elements<T> held(n);
  for (std::uint64_t i = 0; i < n; ++i) held.add(std::move(x[order[i]]));
  for (std::uint64_t i = 0; i < n; ++i) x[i] = std::move(held[i]);
}

// A key with the data that moves with it. Small keys are stored in the record: comparisons then read adjacent memory,
// whereas through indices they would read anywhere among all keys.
template <class K, class F>
struct carried {
  K key;
  F follower;
};
template <class T>
inline constexpr bool is_carried = std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && sizeof(T) <= 16;

template <class Less>
struct by_carried_key {
  const Less& less;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return static_cast<bool>(less(a.key, b.key));
  }
};

// Sorted keys, each with its follower(i), in scratch memory.
template <class K, class Follower, class Less>
auto* sorted_with(upsweep::device& d, const K* keys, std::uint64_t n, const Follower& follower, const Less& less) {
  using row = carried<K, std::decay_t<decltype(follower(n))>>;
  row* const rows = d.scratch("sort/carried", 2 * n * sizeof(row)).template as<row>();
  for_each_block(d, block_count(n, merge_piece), [&](std::uint64_t b, const stop_flag&) {
    for (std::uint64_t i = b * merge_piece; i < (std::min)(n, (b + 1) * merge_piece); ++i)
      std::construct_at(rows + i, row{keys[i], follower(i)});
  });
  merge_sort(d, rows, n, rows + n, by_carried_key<Less>{less});
  return rows;
}

// Calls f(i, row) for each of them.
template <class Row, class F>
void for_each_row(upsweep::device& d, const Row* rows, std::uint64_t n, const F& f) {
  for_each_block(d, block_count(n, merge_piece), [&](std::uint64_t b, const stop_flag&) {
    for (std::uint64_t i = b * merge_piece; i < (std::min)(n, (b + 1) * merge_piece); ++i) f(i, rows[i]);
  });
}

// order[i] = the index in x of the element at position i once sorted; x is unchanged.
template <class T, class Index, class Less>
void argsort(upsweep::device& d, const T* x, std::uint64_t n, Index* order, const Less& less) {
  if constexpr (is_carried<T>) {
    const auto* const rows =
        upsweep::cpu::sorted_with(d, x, n, [](std::uint64_t i) { return static_cast<Index>(i); }, less);
    for_each_row(d, rows, n, [&](std::uint64_t i, const auto& row) { order[i] = row.follower; });
  } else {
    std::iota(order, order + n, Index{0});
    auto* other = d.scratch("sort/order", n * sizeof(Index)).template as<Index>();
    merge_sort(d, order, n, other, [&](Index a, Index b) { return static_cast<bool>(less(x[a], x[b])); });
  }
}

// Calls f with an array of n indices of a sufficient width, in scratch memory.
template <class F>
void with_indices(upsweep::device& d, std::uint64_t n, F&& f) {
  if (n <= std::uint64_t{1} << 32)
    f(d.scratch("sort/indices", n * 4).template as<std::uint32_t>());
  else
    f(d.scratch("sort/indices", n * 8).template as<std::uint64_t>());
}

template <class T, class Less>
void stable_sort(upsweep::device& d, T* x, std::uint64_t n, const Less& less) {
  if (n < 2) return;
  if constexpr (std::is_trivially_copyable_v<T>) {
    merge_sort(d, x, n, d.scratch("sort/merged", n * sizeof(T)).template as<T>(), less);
  } else {
    with_indices(d, n, [&](auto* order) {
      upsweep::cpu::argsort(d, x, n, order, less);
      move_into_order(x, order, n);
    });
  }
#if defined(UPSWEEP_CHECKED)
  require_order(x, n, less, "stable_sort");
#endif
}

template <class K, class V, class Less>
void stable_sort_by_key(upsweep::device& d, K* keys, V* values, std::uint64_t n, const Less& less) {
  if (n < 2) return;
  if constexpr (is_carried<K> && is_carried<V>) {
    const auto* const rows = upsweep::cpu::sorted_with(d, keys, n, [&](std::uint64_t i) { return values[i]; }, less);
    for_each_row(d, rows, n, [&](std::uint64_t i, const auto& row) { keys[i] = row.key, values[i] = row.follower; });
  } else {
    with_indices(d, n, [&](auto* order) {
      upsweep::cpu::argsort(d, keys, n, order, less);
      move_into_order(keys, order, n);
      move_into_order(values, order, n);
    });
  }
#if defined(UPSWEEP_CHECKED)
  require_order(keys, n, less, "stable_sort_by_key");
#endif
}

// Sorts each of m segments [offsets[s], offsets[s + 1]) separately; the values (null: none) follow. All threads share
// a long segment; short segments are distributed over the threads.
template <class T, class V, class Less>
void segmented_sort(upsweep::device& d, T* x, V* values, const std::uint64_t* offsets, std::uint64_t m,
                    const Less& less) {
  const auto size = [&](std::uint64_t s) { return offsets[s + 1] - offsets[s]; };
  static constinit pace known;
  const std::uint64_t all = m ? offsets[m] - offsets[0] : 0;
  const bool slow = all > 1 && cpu::calls_are_slow(known, all, [&] {
                      (void)static_cast<bool>(less(x[offsets[0] + 1], x[offsets[0]]));
                    });
  const std::uint64_t at_once = slow ? 1 : 32,
                      longest = slow
                                    ? std::max<std::uint64_t>(16, all / (4 * static_cast<std::uint64_t>(threads_of(d))))
                                    : 8 * merge_piece;
  const auto is_long = [&](std::uint64_t s) { return size(s) > longest; };
  for (std::uint64_t s = 0; s < m; ++s) {
    if (!is_long(s)) continue;
    if (values == nullptr)
      upsweep::cpu::stable_sort(d, x + offsets[s], size(s), less);
    else
      upsweep::cpu::stable_sort_by_key(d, x + offsets[s], values + offsets[s], size(s), less);
  }
  upsweep::cpu::for_each_block(d, block_count(m, at_once), [&](std::uint64_t b, const stop_flag&) {
    for (std::uint64_t s = b * at_once; s < (std::min)(m, (b + 1) * at_once); ++s) {
      if (is_long(s) || size(s) < 2) continue;
      T* const begin = x + offsets[s];
      const auto by_indices = [&] {
        if constexpr (is_carried<T> && is_carried<V>) {
          std::vector<carried<T, V>> rows;
          rows.reserve(2 * size(s));
          for (std::uint64_t i = 0; i < size(s); ++i) rows.push_back({begin[i], values[offsets[s] + i]});
          for (std::uint64_t i = 0; i < size(s); ++i) rows.push_back(rows[i]);  // any elements: room for the merging
          const auto* const in =
              merge_sort_sequentially(rows.data(), size(s), rows.data() + size(s), by_carried_key<Less>{less});
          for (std::uint64_t i = 0; i < size(s); ++i) begin[i] = in[i].key, values[offsets[s] + i] = in[i].follower;
          return;
        }
        std::vector<std::uint32_t> order(2 * size(s));
        std::iota(order.begin(), order.end(), 0u);
        const std::uint32_t* in = merge_sort_sequentially(
            order.data(), size(s), order.data() + size(s),
            [&](std::uint32_t i, std::uint32_t j) { return static_cast<bool>(less(begin[i], begin[j])); });
        move_into_order(begin, in, size(s));
        if (values != nullptr) move_into_order(values + offsets[s], in, size(s));
      };
      if constexpr (std::is_trivially_copyable_v<T>) {
        if (values != nullptr) {
          by_indices();
        } else if (size(s) <= insertion_run) {
          insertion_sort(begin, size(s), less);
        } else {
          const core::host_array<T> other(begin, size(s));
          T* const in = merge_sort_sequentially(begin, size(s), other.data(), less);
          if (in != begin) std::copy_n(in, size(s), begin);
        }
      } else {
        by_indices();
      }
#if defined(UPSWEEP_CHECKED)
      require_order(begin, size(s), less, "segmented_sort");
#endif
    }
  });
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cpu
