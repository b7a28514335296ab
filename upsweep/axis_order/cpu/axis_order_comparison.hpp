// Orders along an axis on the CPU by a user-defined comparison, for any movable type.
#pragma once

#include "upsweep/axis/cpu/axis_cpu.hpp"
#include "upsweep/sort/cpu/sort_cpu.hpp"

namespace upsweep::cpu {
inline namespace UPSWEEP_COMPILED {

// Calls body(line, order) for each line, where order[j] is the index in the line of the element with rank j. The
// elements do not move. Lines are partitioned among the threads; a long line is shared by all.
template <class T, class Less, class Body>
void for_each_order(upsweep::device& d, const T* x, const detail::axis_impl::lines& l, const Less& less,
                    const Body& body) {
  const auto by_index = [&]<class Index>(Index) {
    const auto before = [&](std::uint64_t line) {
      return [x, &l, &less, first = l.place(line, 0)](Index a, Index b) {
        return static_cast<bool>(less(x[first + a * l.inner], x[first + b * l.inner]));
      };
    };
    if (l.length > 8 * merge_piece) {
      std::vector<Index> order(2 * l.length);
      for (std::uint64_t line = 0; line < l.count(); ++line) {
        std::iota(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(l.length), Index{0});
        merge_sort(d, order.data(), l.length, order.data() + l.length, before(line));
        body(line, static_cast<const Index*>(order.data()));
      }
      return;
    }
    static constinit pace known;
    const bool slow = l.length > 1 && l.count() > 1 &&
                      cpu::calls_are_slow(known, l.elements(), [&] { (void)before(0)(Index{1}, Index{0}); });
    const std::uint64_t at_once = slow ? 1 : std::max<std::uint64_t>(4096 / std::max<std::uint64_t>(l.length, 1), 1);
    upsweep::cpu::for_each_block(d, block_count(l.count(), at_once), [&](std::uint64_t b, const stop_flag&) {
      std::vector<Index> order(2 * l.length);
      for (std::uint64_t line = b * at_once; line < (std::min)(l.count(), (b + 1) * at_once); ++line) {
        std::iota(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(l.length), Index{0});
        body(line, static_cast<const Index*>(
                       merge_sort_sequentially(order.data(), l.length, order.data() + l.length, before(line))));
      }
    });
  };
  if (l.length <= std::uint64_t{1} << 32)
    by_index(std::uint32_t{});
  else
    by_index(std::uint64_t{});
}

// In place.
template <class T, class Less>
void sort_lines(upsweep::device& d, T* x, const detail::axis_impl::lines& l, const Less& less) {
  if (l.elements() == 0) return;
  constexpr std::uint32_t* no_values = nullptr;
  if constexpr (std::is_trivially_copyable_v<T>) {
    auto* const offsets =
        d.scratch("axis/offsets", (l.count() + 1) * sizeof(std::uint64_t)).template as<std::uint64_t>();
    store_steps<std::uint64_t>(d, offsets, l.count() + 1, 0, l.length);
    if (l.inner == 1) return upsweep::cpu::segmented_sort(d, x, no_values, offsets, l.count(), less);
    const auto same = [](const T& y) -> const T& { return y; };
    T* const rows = d.scratch("axis/lines", l.elements() * sizeof(T)).template as<T>();
    transpose(d, x, rows, l.outer, l.length, l.inner, l.inner, same);
    upsweep::cpu::segmented_sort(d, rows, no_values, offsets, l.count(), less);
    transpose(d, rows, x, l.outer, l.inner, l.length, l.length, same);
  } else {
    for_each_order(d, x, l, less, [&](std::uint64_t line, const auto* order) {
      raw_elements<T> held(l.length);
      for (std::uint64_t j = 0; j < l.length; ++j) held.add(std::move(x[l.place(line, order[j])]));
      for (std::uint64_t j = 0; j < l.length; ++j) x[l.place(line, j)] = std::move(held[j]);
    });
#if defined(UPSWEEP_CHECKED)
    if (l.inner == 1)
      for (std::uint64_t line = 0; line < l.count(); ++line)
        require_order(x + line * l.length, l.length, less, "sort_along");
#endif
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cpu
