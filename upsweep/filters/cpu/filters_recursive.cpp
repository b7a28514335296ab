// A Gaussian by recursion, sixteen lines at once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters/cpu/filters_cpu.hpp"
#include "upsweep/filters/cpu/filters_recursive_lines.hpp"

namespace upsweep::detail::filters_impl {

namespace {

struct lines_of_sixteen {
  std::vector<float> in, out, given;
};

// Tests sixteen elements without a branch, since nearly all are finite.
bool all_finite(const float* sixteen) {
  std::uint32_t exponents = 0;
  for (std::uint64_t l = 0; l < recursive_lines; ++l)
    exponents |= std::uint32_t{(std::bit_cast<std::uint32_t>(sixteen[l]) & 0x7f800000u) == 0x7f800000u};
  return exponents == 0;
}

// Sets the elements of `in` that are not finite to 0, runs the recursion, and adds them to the results in whose windows
// they are.
void run_without_not_finite(const recursion& r, std::int64_t window, lines_of_sixteen& held, std::uint64_t n) {
  const auto end = static_cast<std::int64_t>(n);
  held.given = held.in;
  for (float& x : held.in)
    if (!std::isfinite(x)) x = 0;
  run_recursion(r, held.in.data(), held.out.data(), n);
  for (std::uint64_t l = 0; l < recursive_lines; ++l) {
    const auto at = [&](std::int64_t i) { return static_cast<std::uint64_t>(i) * recursive_lines + l; };
    elements_not_finite ahead(window), behind(window);
    for (std::int64_t i = 0; i < end; ++i) {
      ahead.read(held.given[at(i)], i);
      held.out[at(i)] = ahead.added(held.out[at(i)], i);
    }
    for (std::int64_t i = end; i-- > 0;) {
      behind.read(held.given[at(i)], -i);
      held.out[at(i)] = behind.added(held.out[at(i)], -i);
    }
  }
}

// Filters sixteen lines of `n` elements each, with `pad` elements of the border on either side. get(place, to) reads
// sixteen elements, put(place, from) writes them.
template <class Get, class Put>
void filter_lines(const recursion& r, std::int64_t window, std::uint64_t n, std::uint64_t pad, border edge,
                  const Get& get, const Put& put) {
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  static thread_local lines_of_sixteen held;
  const std::uint64_t all = n + 2 * pad;
  held.in.resize(all * recursive_lines), held.out.resize(all * recursive_lines);
  bool finite = true;
  for (std::uint64_t i = 0; i < all; ++i) {
    const std::int64_t at =
        border_index(edge, static_cast<std::int64_t>(i) - static_cast<std::int64_t>(pad), static_cast<std::int64_t>(n));
    float* const to = &held.in[i * recursive_lines];
    if (at < 0)
      std::fill_n(to, recursive_lines, 0.0f);
    else
      get(static_cast<std::uint64_t>(at), to);
    finite &= all_finite(to);
  }
  if (finite)
    run_recursion(r, held.in.data(), held.out.data(), all);
  else
    run_without_not_finite(r, window, held, all);
  for (std::uint64_t i = 0; i < n; ++i) put(i, &held.out[(i + pad) * recursive_lines]);
}

}  // namespace

void deriches_gaussian(device& d, const problem& p) {
  const float sigma = p.space;
  const border edge = p.edge;
  const float* const in = p.in.as<const float>();
  float* const out = p.out.as<float>();
  const recursion along = recursion_of(sigma);
  const std::int64_t window = window_of_recursion(sigma);
  const std::uint64_t from_pitch = in_pitch(p), to_pitch = out_pitch(p), c = p.channels, row = p.size.x * c;
  const std::uint64_t pad = edge == border::zero ? 0 : reach_of_recursion(sigma);
  // Rows and columns whose pitch is a power of two conflict in the caches, so they are copied to memory where they do
  // not, sixteen rows, or wide columns, at a time.
  const std::uint64_t apart = row + 16, groups = cpu::block_count(p.size.y, recursive_lines);
  cpu::for_each_block(d, groups, [&](std::uint64_t b, const cpu::stop_flag&) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local std::vector<float> rows;
    rows.resize(recursive_lines * apart);
    const std::uint64_t first = b * recursive_lines, lines = std::min(recursive_lines, p.size.y - first);
    for (std::uint64_t l = 0; l < lines; ++l) std::copy_n(&in[(first + l) * from_pitch], row, &rows[l * apart]);
    for (std::uint64_t channel = 0; channel < c; ++channel)
      filter_lines(
          along, window, p.size.x, pad, edge,
          [&](std::uint64_t x, float* sixteen) {
            for (std::uint64_t l = 0; l < recursive_lines; ++l) sixteen[l] = rows[l * apart + x * c + channel];
          },
          [&](std::uint64_t x, const float* sixteen) {
            for (std::uint64_t l = 0; l < recursive_lines; ++l) rows[l * apart + x * c + channel] = sixteen[l];
          });
    for (std::uint64_t l = 0; l < lines; ++l) std::copy_n(&rows[l * apart], row, &out[(first + l) * to_pitch]);
  });
  if (p.signal) return;
  constexpr std::uint64_t wide = 4 * recursive_lines;
  cpu::for_each_block(d, cpu::block_count(row, wide), [&](std::uint64_t b, const cpu::stop_flag&) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local std::vector<float> columns;
    columns.resize(p.size.y * wide);
    const std::uint64_t first = b * wide, lines = std::min(wide, row - first);
    for (std::uint64_t y = 0; y < p.size.y; ++y) std::copy_n(&out[y * to_pitch + first], lines, &columns[y * wide]);
    for (std::uint64_t l = 0; l < lines; l += recursive_lines)
      filter_lines(
          along, window, p.size.y, pad, edge,
          [&](std::uint64_t y, float* sixteen) { std::copy_n(&columns[y * wide + l], recursive_lines, sixteen); },
          [&](std::uint64_t y, const float* sixteen) {
            std::copy_n(sixteen, recursive_lines, &columns[y * wide + l]);
          });
    for (std::uint64_t y = 0; y < p.size.y; ++y) std::copy_n(&columns[y * wide], lines, &out[y * to_pitch + first]);
  });
}

}  // namespace upsweep::detail::filters_impl
