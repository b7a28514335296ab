#include "upsweep/nbody/nbody_tree_domain.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"

namespace upsweep::detail::nbody_impl {

std::vector<key_prefix> shared_prefixes(std::span<const key_ends> ends, std::span<const std::uint64_t> offsets) {
  std::vector<key_prefix> all;
  const key_ends* before = nullptr;
  for (std::size_t r = 0; r < ends.size(); ++r) {
    if (offsets[r] == offsets[r + 1]) continue;
    for (int level = key_bits; before && level > 0; --level)
      if (before->last >> 3 * level == ends[r].first >> 3 * level) all.push_back({level, before->last >> 3 * level});
    before = &ends[r];
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<bodies_by_digit> count_shared(std::span<const std::uint64_t> keys, std::span<const key_prefix> prefixes) {
  std::vector<bodies_by_digit> counts;
  for (const key_prefix& p : prefixes) {
    bodies_by_digit& each = counts.emplace_back();
    const int shift = 3 * (p.level - 1);
    auto from = std::lower_bound(keys.begin(), keys.end(), p.bits << 3 * p.level);
    for (std::uint64_t digit = 0; digit < 8; ++digit) {
      const auto to = std::lower_bound(from, keys.end(), (p.bits * 8 + digit + 1) << shift);
      each[digit] = static_cast<std::uint32_t>(to - from);
      from = to;
    }
  }
  return counts;
}

namespace {

int owner_of(const cell_range& c, std::span<const std::uint64_t> offsets) {
  const auto next = std::upper_bound(offsets.begin(), offsets.end(), std::uint64_t{c.first});
  return c.end <= *next ? static_cast<int>(next - offsets.begin()) - 1 : tree_top::shared;
}

}  // namespace

// Cells are divided as divide() does it; how many bodies have which next digit is all that it takes.
tree_top find_top(std::span<const key_prefix> prefixes, std::span<const bodies_by_digit> of_all,
                  std::span<const std::uint64_t> offsets, std::uint64_t leaf) {
  tree_top top;
  top.seeds.resize(offsets.size() - 1);
  std::vector<key_prefix> within;
  const auto add = [&](std::uint64_t first, std::uint64_t end, const key_prefix& p) {
    top.cells.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), 0, 0});
    within.push_back(p);
  };
  add(0, offsets.back(), {});
  for (std::uint32_t c = 0; c < top.cells.size(); ++c) {
    const cell_range cell = top.cells[c];
    const int owner = owner_of(cell, offsets);
    top.owners.push_back(owner);
    if (owner != tree_top::shared) {
      top.seeds[static_cast<std::size_t>(owner)].push_back(c);
      continue;
    }
    if (cell.end - cell.first <= leaf) {
      top.leaves.push_back(c);
      continue;
    }
    // Down to where two of its bodies have different digits.
    key_prefix p = within[c];
    const bodies_by_digit* counts = nullptr;
    for (; p.level > 0; --p.level) {
      counts =
          &of_all[static_cast<std::size_t>(std::lower_bound(prefixes.begin(), prefixes.end(), p) - prefixes.begin())];
      if (std::ranges::count_if(*counts, [](std::uint32_t n) { return n > 0; }) > 1) break;
      p.bits = p.bits * 8 + static_cast<std::uint64_t>(std::ranges::find_if(*counts, [](auto n) { return n > 0; }) -
                                                       counts->begin());
    }
    top.cells[c].child = static_cast<std::uint32_t>(top.cells.size());
    std::uint64_t first = cell.first;
    if (p.level == 0) {
      const std::uint64_t part = (cell.end - cell.first + 7) / 8;
      for (; first < cell.end; first += part) add(first, std::min<std::uint64_t>(cell.end, first + part), p);
    } else {
      for (std::uint64_t digit = 0; digit < 8; ++digit) {
        const std::uint64_t count = (*counts)[digit];
        if (count) add(first, first + count, {p.level - 1, p.bits * 8 + digit}), first += count;
      }
    }
    top.cells[c].children = static_cast<std::uint32_t>(top.cells.size()) - top.cells[c].child;
  }
  std::sort(top.leaves.begin(), top.leaves.end(),
            [&](auto a, auto b) { return top.cells[a].first < top.cells[b].first; });
  return top;
}

template <class T>
std::vector<body_box<T>> boxes_of(device& d, const tree<T>& t, std::uint64_t count, const T* sizes) {
  std::vector<body_box<T>> boxes(cpu::block_count(count, bodies_in_box));
  cpu::for_each_block(d, boxes.size(), [&](std::uint64_t b, const cpu::stop_flag&) {
    constexpr T far = std::numeric_limits<T>::infinity();
    body_box<T>& box = boxes[b] = {{far, far, far}, {-far, -far, -far}, std::numeric_limits<T>::max()};
    const std::uint64_t first = b * bodies_in_box, end = std::min(count, first + bodies_in_box);
    for (int a = 0; a < 3; ++a) {
      bool finite = true;
      for (std::uint64_t i = first; i < end; ++i) {
        const T at = t.axis[a][i];
        finite = finite && std::isfinite(at);
        box.lower[a] = std::min(box.lower[a], at), box.upper[a] = std::max(box.upper[a], at);
      }
      if (!finite) box.lower[a] = -far, box.upper[a] = far;
    }
    for (std::uint64_t i = first; sizes && i < end; ++i) box.least = std::min(box.least, sizes[i]);
  });
  return boxes;
}

namespace {

// Whether a group of the box may open the cell. The walk's test (nbody_cpu_tree.cpp: may_take) computes the distance
// from numbers not larger than the widest coordinate, with a few roundings. Here the distance is reduced by more than
// these roundings, and the values computed from it increase with it, in T's arithmetic as well.
template <class T>
class opener {
 public:
  opener(const tree<T>& t, const gravitation& g, bool relative)
      : margin_(16.0 * std::numeric_limits<T>::epsilon() * double{t.widest}),
        criterion_(static_cast<T>(g.criterion)),
        quadrupoles_(g.quadrupoles),
        relative_(relative) {}

  bool may_be_opened(const body_box<T>& box, const cell_centre<T>& centre, const cell_moments<T>& m) const {
    if (centre.open_within == 0) return false;
    const double at[3] = {centre.x, centre.y, centre.z};
    double square = 0;
    for (int a = 0; a < 3; ++a) {
      const double apart = std::max(box.lower[a] - at[a], at[a] - box.upper[a]) - margin_;
      if (!std::isfinite(apart)) return true;
      if (apart > 0) square += apart * apart;
    }
    square *= 1 - 32.0 * std::numeric_limits<T>::epsilon();
    if (!(square > centre.open_within)) return true;
    if (!relative_) return false;
    const T s = std::min(static_cast<T>(square), std::numeric_limits<T>::max()),
            least = s * (1 - 2 * std::numeric_limits<T>::epsilon()),
            fall = least * least * (quadrupoles_ ? std::sqrt(least) : T(1));
    return !(m.error_mass <= criterion_ * box.least * fall);
  }

 private:
  double margin_;
  T criterion_;
  bool quadrupoles_, relative_;
};

}  // namespace

template <class T>
sent_cells<T> needed_within(device& d, const tree<T>& t, std::uint64_t seeds_begin, std::uint64_t seeds_end,
                            std::span<const body_box<T>> boxes, const gravitation& g, bool relative) {
  const opener<T> test(t, g, relative);
  std::vector<std::uint8_t> opened(t.count);
  cpu::for_each_block(d, boxes.size(), [&](std::uint64_t b, const cpu::stop_flag&) {
    std::vector<std::uint32_t> waiting(seeds_end - seeds_begin);
    std::iota(waiting.begin(), waiting.end(), static_cast<std::uint32_t>(seeds_begin));
    while (!waiting.empty()) {
      const std::uint32_t c = waiting.back();
      waiting.pop_back();
      if (!test.may_be_opened(boxes[b], t.centres[c], t.moments[c])) continue;
      // Threads may write in any order: all write the same value, and it is read after all have written.
      std::atomic_ref(opened[c]).store(1, std::memory_order_relaxed);
      for (std::uint32_t k = 0; k < t.ranges[c].children; ++k) waiting.push_back(t.ranges[c].child + k);
    }
  });

  sent_cells<T> needed;
  std::vector<std::uint32_t> order(seeds_end - seeds_begin);
  std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(seeds_begin));
  const auto first = static_cast<std::uint32_t>(t.first);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t c = order[i];
    const cell_range& cell = t.ranges[c];
    needed.cells.push_back(
        {{cell.first + first, cell.end + first, opened[c], cell.children}, t.centres[c], t.moments[c]});
    if (!opened[c]) continue;
    for (std::uint32_t k = 0; k < cell.children; ++k) order.push_back(cell.child + k);
    if (cell.children == 0)
      for (std::uint32_t b = cell.first; b < cell.end; ++b)
        needed.bodies.push_back({t.axis[0][b], t.axis[1][b], t.axis[2][b], t.axis[3][b]});
  }
  return needed;
}

template std::vector<body_box<float>> boxes_of(device&, const tree<float>&, std::uint64_t, const float*);
template std::vector<body_box<double>> boxes_of(device&, const tree<double>&, std::uint64_t, const double*);
template sent_cells<float> needed_within(device&, const tree<float>&, std::uint64_t, std::uint64_t,
                                         std::span<const body_box<float>>, const gravitation&, bool);
template sent_cells<double> needed_within(device&, const tree<double>&, std::uint64_t, std::uint64_t,
                                          std::span<const body_box<double>>, const gravitation&, bool);

}  // namespace upsweep::detail::nbody_impl
