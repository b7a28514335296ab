// The tiles in which the CPU's filters read a picture.
#pragma once

#include <vector>

#include "upsweep/filters/cpu/filters_cpu_kernels.hpp"
#include "upsweep/filters/filters_problem.hpp"

namespace upsweep::detail::filters_impl {

// Tiles of one channel, with their surroundings.
class channel_reader {
 public:
  channel_reader(const problem&, std::uint64_t radius);
  // Lines of a tile of `width` pixels with `radius` more at either end, padded for a kernel's last step.
  std::uint64_t stride(std::uint64_t width) const {
    return (width + cpu::filter_step - 1) / cpu::filter_step * cpu::filter_step + 2 * radius_;
  }
  // Pixels [x - radius, x + width + radius) by [y - radius, y + height + radius) of channel c, lines `stride` apart,
  // and zeros after each line's end.
  void read(std::uint64_t x, std::uint64_t y, std::uint64_t width, std::uint64_t height, std::uint32_t c,
            std::uint64_t stride, float* to) const;

 private:
  const float* in_;
  std::uint64_t pitch_, radius_;
  std::uint32_t channels_;
  std::vector<std::int64_t> columns_, rows_;  // the source of each element of the picture and its surroundings; -1 none
};

}  // namespace upsweep::detail::filters_impl
