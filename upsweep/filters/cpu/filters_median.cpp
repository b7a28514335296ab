// For small windows extremes are dropped, for a vector of windows at once (filters_cpu_kernels.cpp). For larger ones
// the elements of a tile and its surroundings are sorted once, and replaced by their ranks. A window is a set of ranks,
// one bit each. As it slides by one pixel, a column of bits is removed and one added, and the median is never far from
// the last one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters/cpu/filters_cpu.hpp"
#include "upsweep/filters/cpu/filters_tiles.hpp"

namespace upsweep::detail::filters_impl {

namespace {

class rank_set {
 public:
  void clear(std::uint64_t ranks) {
    words_.assign((ranks + 63) / 64, 0);
    word_ = below_ = 0;
  }
  void flip(std::uint32_t rank) {
    const std::uint64_t w = rank / 64, bit = std::uint64_t{1} << rank % 64;
    words_[w] ^= bit;
    if (w < word_) below_ += words_[w] & bit ? std::uint64_t{1} : ~std::uint64_t{0};
  }
  // The element of the set that is larger than k others.
  std::uint32_t at(std::uint64_t k) {
    while (below_ > k) below_ -= count(--word_);
    while (below_ + count(word_) <= k) below_ += count(word_++);
    std::uint64_t left = words_[word_];
    for (std::uint64_t skip = k - below_; skip > 0; --skip) left &= left - 1;
    return static_cast<std::uint32_t>(word_ * 64 + static_cast<std::uint64_t>(std::countr_zero(left)));
  }

 private:
  std::uint64_t count(std::uint64_t w) const { return static_cast<std::uint64_t>(std::popcount(words_[w])); }
  std::vector<std::uint64_t> words_;
  std::uint64_t word_ = 0, below_ = 0;  // `below_` of the set are in words before `word_`
};

// Maps floats to integers of the same order, NaN last.
std::uint32_t ordered(float v) {
  if (v != v) return ~0u;
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

struct tile_of_median {
  std::vector<std::uint64_t> sorted;  // the value's order, and the position
  std::vector<float> values;          // by place
  std::vector<std::uint32_t> ranks;   // by place
  rank_set window;
};

}  // namespace

void median_by_forgetting(device& d, const problem& p) {
  const std::uint32_t radius = p.radius;
  constexpr std::uint64_t most_across = 512, most_down = 32;
  const std::uint64_t across = cpu::block_count(p.size.x, most_across), down = cpu::block_count(p.size.y, most_down);
  const std::uint64_t pitch = out_pitch(p);
  float* const out = p.out.as<float>();
  const channel_reader reader(p, radius);
  const cpu::median_kernel medians = cpu::median_by_forgetting();
  cpu::for_each_block(d, across * down * p.channels, [&](std::uint64_t block, const cpu::stop_flag&) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local std::vector<float> memory;
    const std::uint64_t c = block % p.channels, x = block / p.channels % across * most_across,
                        y = block / p.channels / across * most_down;
    const std::uint64_t w = std::min(most_across, p.size.x - x), h = std::min(most_down, p.size.y - y);
    const std::uint64_t stride = reader.stride(w);
    memory.resize(stride * (h + 2 * radius + 1));
    float *const tile = memory.data(), *const result = tile + stride * (h + 2 * radius);
    reader.read(x, y, w, h, static_cast<std::uint32_t>(c), stride, tile);
    for (std::uint64_t row = 0; row < h; ++row) {
      const float* lines[2 * most_forgotten_radius + 1];
      for (std::uint64_t j = 0; j <= 2 * std::uint64_t{radius}; ++j) lines[j] = tile + (row + j) * stride;
      medians({lines, result, w, radius});
      float* const to = &out[(y + row) * pitch + x * p.channels + c];
      for (std::uint64_t i = 0; i < w; ++i) to[i * p.channels] = result[i];
    }
  });
}

void median_by_rank(device& d, const problem& p) {
  const std::uint32_t radius = p.radius;
  const border edge = p.edge, edge_y = edge_down(p);
  const std::uint64_t pitch = in_pitch(p), to_pitch = out_pitch(p);
  const float* const in = p.in.as<const float>();
  float* const out = p.out.as<float>();
  const std::uint64_t side = std::max<std::uint64_t>(64, 2 * radius);
  const std::uint64_t across = cpu::block_count(p.size.x, side), down = cpu::block_count(p.size.y, side);
  const auto places = static_cast<std::int64_t>(radius);
  cpu::for_each_block(d, across * down * p.channels, [&](std::uint64_t block, const cpu::stop_flag&) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local tile_of_median t;
    const std::uint64_t c = block % p.channels, x0 = block / p.channels % across * side,
                        y0 = block / p.channels / across * side;
    const std::uint64_t w = std::min(side, p.size.x - x0), h = std::min(side, p.size.y - y0);
    const std::uint64_t tw = w + 2 * radius, th = h + 2 * radius;
    t.sorted.resize(tw * th), t.values.resize(tw * th), t.ranks.resize(tw * th);
    for (std::uint64_t y = 0; y < th; ++y) {
      const std::int64_t from_y =
          border_index(edge_y, static_cast<std::int64_t>(y0 + y) - places, static_cast<std::int64_t>(p.size.y));
      for (std::uint64_t x = 0; x < tw; ++x) {
        const std::int64_t from_x =
            border_index(edge, static_cast<std::int64_t>(x0 + x) - places, static_cast<std::int64_t>(p.size.x));
        const float v =
            from_x < 0 || from_y < 0
                ? 0.0f
                : in[static_cast<std::uint64_t>(from_y) * pitch + static_cast<std::uint64_t>(from_x) * p.channels + c];
        const std::uint64_t i = y * tw + x;
        t.values[i] = v;
        t.sorted[i] = std::uint64_t{ordered(v)} << 32 | i;
      }
    }
    std::sort(t.sorted.begin(), t.sorted.end());
    for (std::uint64_t k = 0; k < t.sorted.size(); ++k)
      t.ranks[t.sorted[k] & 0xffffffffu] = static_cast<std::uint32_t>(k);
    t.window.clear(t.sorted.size());
    const std::uint64_t wide = 2 * std::uint64_t{radius} + 1, middle = wide * wide / 2;
    const auto flip_column = [&](std::uint64_t x, std::uint64_t y) {
      for (std::uint64_t j = 0; j < wide; ++j) t.window.flip(t.ranks[(y + j) * tw + x]);
    };
    const auto flip_row = [&](std::uint64_t x, std::uint64_t y) {
      for (std::uint64_t i = 0; i < wide; ++i) t.window.flip(t.ranks[y * tw + x + i]);
    };
    const auto put = [&](std::uint64_t x, std::uint64_t y) {
      out[(y0 + y) * to_pitch + (x0 + x) * p.channels + c] = t.values[t.sorted[t.window.at(middle)] & 0xffffffffu];
    };
    for (std::uint64_t j = 0; j < wide; ++j) flip_row(0, j);
    // To the right in even rows, to the left in odd ones, so that the window is never rebuilt.
    for (std::uint64_t y = 0; y < h; ++y) {
      const bool right = y % 2 == 0;
      put(right ? 0 : w - 1, y);
      for (std::uint64_t k = 1; k < w; ++k) {
        const std::uint64_t x = right ? k : w - 1 - k;
        flip_column(right ? x - 1 : x + wide, y);
        flip_column(right ? x + wide - 1 : x, y);
        put(x, y);
      }
      if (y + 1 < h) {
        const std::uint64_t x = right ? w - 1 : 0;
        flip_row(x, y);
        flip_row(x, y + wide);
      }
    }
  });
}

}  // namespace upsweep::detail::filters_impl
