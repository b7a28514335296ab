#include <algorithm>
#include <vector>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/filters/cpu/filters_cpu.hpp"
#include "upsweep/filters/filters_taps.hpp"

namespace upsweep::detail::filters_impl {

namespace {

// Resizes a line to n pixels.
template <std::uint32_t C>
void resize_line(const line_taps& taps, const float* from, std::uint64_t n, float* to) {
  for (std::uint64_t x = 0; x < n; ++x, to += C) {
    float sums[C]{};
    const float* at = from + taps.firsts[x] * std::uint64_t{C};
    for (std::uint32_t t = taps.starts[x]; t < taps.starts[x + 1]; ++t, at += C)
      for (std::uint32_t c = 0; c < C; ++c) sums[c] += taps.weights[t] * at[c];
    std::copy_n(sums, C, to);
  }
}
// With one channel each sum waits for the previous one; four at a time do not.
template <>
void resize_line<1>(const line_taps& taps, const float* from, std::uint64_t n, float* to) {
  for (std::uint64_t x = 0; x < n; ++x) {
    float sums[4]{};
    const float *at = from + taps.firsts[x], *weight = &taps.weights[taps.starts[x]];
    const std::uint32_t count = taps.starts[x + 1] - taps.starts[x];
    std::uint32_t t = 0;
    for (; t + 4 <= count; t += 4)
      for (std::uint32_t i = 0; i < 4; ++i) sums[i] += weight[t + i] * at[t + i];
    for (; t < count; ++t) sums[0] += weight[t] * at[t];
    to[x] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

void resize_line(std::uint32_t channels, const line_taps& taps, const float* from, std::uint64_t n, float* to) {
  switch (channels) {
    case 1: return resize_line<1>(taps, from, n, to);
    case 2: return resize_line<2>(taps, from, n, to);
    case 3: return resize_line<3>(taps, from, n, to);
    default: return resize_line<4>(taps, from, n, to);
  }
}

// Line y of the new height, from the lines that it covers, of `row` samples each.
void add_lines(const line_taps& taps, std::uint64_t y, const float* from, std::uint64_t pitch, std::uint64_t row,
               float* to) {
  std::fill_n(to, row, 0.0f);
  from += taps.firsts[y] * pitch;
  for (std::uint32_t t = taps.starts[y]; t < taps.starts[y + 1]; ++t, from += pitch) {
    const float weight = taps.weights[t];
    for (std::uint64_t i = 0; i < row; ++i) to[i] += weight * from[i];
  }
}

}  // namespace

void resize_by_lines(device& d, const problem& p) {
  const extent to = p.to;
  const line_taps columns = taps_along(p.how, p.size.x, to.x), rows = taps_along(p.how, p.size.y, to.y);
  const float* const in = p.in.as<const float>();
  float* const out = p.out.as<float>();
  const std::uint64_t from_pitch = in_pitch(p), to_pitch = out_pitch(p), row = to.x * p.channels;
  // Adding whole lines is fast, adding pixels of a line slow. Where the result has fewer lines, lines are added first,
  // and only one line is stored between the two steps.
  if (to.y <= p.size.y) {
    cpu::for_each_block(d, to.y, [&](std::uint64_t y, const cpu::stop_flag&) {
      [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
      thread_local std::vector<float> line;
      line.resize(p.size.x * p.channels);
      add_lines(rows, y, in, from_pitch, line.size(), line.data());
      resize_line(p.channels, columns, line.data(), to.x, &out[y * to_pitch]);
    });
    return;
  }
  std::vector<float> narrow(p.size.y * row);  // of the new width and the old height
  cpu::for_each_block(d, p.size.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    resize_line(p.channels, columns, &in[y * from_pitch], to.x, &narrow[y * row]);
  });
  cpu::for_each_block(d, to.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    add_lines(rows, y, narrow.data(), row, row, &out[y * to_pitch]);
  });
}

}  // namespace upsweep::detail::filters_impl
