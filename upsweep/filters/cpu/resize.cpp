#include <algorithm>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/filters/cpu/filters.hpp"
#include "upsweep/filters/taps.hpp"

namespace upsweep::filters_room {

void resize_by_lines(device& d, const problem& p) {
  const extent to = p.to;
  const line_taps columns = taps_along(p.how, p.size.x, to.x), rows = taps_along(p.how, p.size.y, to.y);
  const float* const in = p.in.as<const float>();
  float* const out = p.out.as<float>();
  const std::uint64_t from_pitch = in_pitch(p), to_pitch = out_pitch(p), row = to.x * p.channels;
  std::vector<float> narrow(p.size.y * row);  // of the new width and the old height
  cpu::for_each_block(d, p.size.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    for (std::uint64_t x = 0; x < to.x; ++x) {
      float sums[4]{};
      const float* from = &in[y * from_pitch + columns.firsts[x] * std::uint64_t{p.channels}];
      for (std::uint32_t t = columns.starts[x]; t < columns.starts[x + 1]; ++t)
        for (std::uint32_t c = 0; c < p.channels; ++c) sums[c] += columns.weights[t] * *from++;
      std::copy_n(sums, p.channels, &narrow[y * row + x * p.channels]);
    }
  });
  cpu::for_each_block(d, to.y, [&](std::uint64_t y, const cpu::stop_flag&) {
    float* const line = &out[y * to_pitch];
    std::fill_n(line, row, 0.0f);
    const float* from = &narrow[rows.firsts[y] * row];
    for (std::uint32_t t = rows.starts[y]; t < rows.starts[y + 1]; ++t, from += row)
      for (std::uint64_t i = 0; i < row; ++i) line[i] += rows.weights[t] * from[i];
  });
}

}  // namespace upsweep::filters_room
