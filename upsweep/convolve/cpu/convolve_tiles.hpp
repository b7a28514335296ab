// The partition of a result into tiles, which threads take.
#pragma once

#include <algorithm>
#include <atomic>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/cpu/convolve_cpu_kernels.hpp"
#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::cpu {

// Pixels [x, x + width) by [y, y + height) of slice z of the result.
struct tile {
  std::uint64_t x, y, z, width, height;
};

// Runs body(job, memory) for each job, with `bytes` of memory a thread.
template <class Body>
void deal(upsweep::device& d, std::uint64_t jobs, std::uint64_t bytes, const Body& body) {
  bytes = (bytes + 63) / 64 * 64;
  const std::uint64_t workers = (std::min)(jobs, static_cast<std::uint64_t>(threads_of(d)));
  char* const memory = d.scratch("convolve/lines", workers * bytes).as<char>();
  std::atomic<std::uint64_t> taken{0};
  for_each_block(d, workers, [&](std::uint64_t worker, const stop_flag& stop) {
    for (std::uint64_t i; !stop.raised() && (i = taken.fetch_add(1, std::memory_order_relaxed)) < jobs;)
      body(i, memory + worker * bytes);
  });
}

class tiling {
 public:
  // The width for which `lines` lines of a tile, each with its halo, stay in the second-level cache.
  tiling(upsweep::device& d, const detail::convolve_impl::geometry& g, std::uint64_t lines, std::uint64_t halo,
         std::uint64_t size)
      : g_(g) {
    constexpr std::uint64_t cache = 256 << 10, least = 512, most = 4096;
    const std::uint64_t fit = cache / (size * lines);
    const std::uint64_t elements = (std::max)(std::clamp(fit > halo ? fit - halo : 0, least, most), 3 * halo);
    width_ = std::clamp<std::uint64_t>(elements / line_step * line_step / g.channels, 1, g.out.x);
    strips_ = block_count(g.out.x, width_);
    // Tall tiles read few lines twice; but each thread must have some tiles.
    const std::uint64_t wanted = 8 * static_cast<std::uint64_t>(threads_of(d));
    const std::uint64_t bands =
        std::clamp<std::uint64_t>(block_count(wanted, strips_ * g.out.z), 1,
                                  block_count(g.out.y, std::max<std::uint64_t>(4 * most_rows, g.mask.y)));
    height_ = (std::min)((block_count(g.out.y, bands) + most_rows - 1) / most_rows * most_rows, g.out.y);
    bands_ = block_count(g.out.y, height_);
  }

  std::uint64_t elements() const { return width_ * g_.channels; }  // of the rows of the widest tile

  // Runs body(tile, memory) for each, with `bytes` of memory a thread.
  template <class Body>
  void each(upsweep::device& d, std::uint64_t bytes, const Body& body) const {
    deal(d, strips_ * bands_ * g_.out.z, bytes, [&](std::uint64_t i, char* memory) {
      const std::uint64_t x = i / bands_ % strips_ * width_, y = i % bands_ * height_, z = i / bands_ / strips_;
      body(tile{x, y, z, (std::min)(width_, g_.out.x - x), (std::min)(height_, g_.out.y - y)}, memory);
    });
  }

 private:
  const detail::convolve_impl::geometry& g_;
  std::uint64_t width_, strips_, height_, bands_;
};

}  // namespace upsweep::cpu
