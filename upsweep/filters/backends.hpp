// The filters of the backends that have device memory. There a picture lies without gaps between its rows.
#pragma once

#include <vector>

#include "upsweep/filters/pictures.hpp"

namespace upsweep::filters_room {

// The pixels that make each pixel of a line of another size: of pixel i the elements [starts[i], starts[i + 1]) of
// `weights`, the first of them over pixel firsts[i].
struct line_taps {
  std::vector<std::uint32_t> firsts, starts;
  std::vector<float> weights;
};
line_taps taps_along(resampling, std::uint64_t from, std::uint64_t to);

struct filter_call {
  memory in, in2, out;  // f32
  extent size, to;      // `to`: of the result, where it has another size
  std::uint32_t channels = 1;
  border edge = border::mirror;
  std::uint32_t radius = 0;                             // median
  float space = 0, range = 0;                           // bilateral
  float low = 0, high = 0;                              // linked_edges
  const line_taps *columns = nullptr, *rows = nullptr;  // resize
};

struct backend_filters {
  using call = void (*)(device&, const filter_call&);
  call median, bilateral, thin_edges, linked_edges, resize;
};
// Of this backend; null on the CPU. Throws fault::unsupported for a backend that this build has no filters for.
const backend_filters* filters_of(const char* where, const context&);
const backend_filters& opencl_filters();  // opencl.cpp
const backend_filters& cuda_filters();    // cuda.cu

// A device's work for a pixel grows with the window, so that it ends where the CPU's, which does not, is far ahead.
inline constexpr std::uint32_t most_device_median_radius = 32;

// Takes the pictures to the device, runs f, and brings the result back, the gaps between its rows left as they are.
void on_the_device(const context&, backend_filters::call f, filter_call, std::span<const float> in,
                   std::span<const float> in2, const raster&, std::span<float> out, extent out_size);

}  // namespace upsweep::filters_room
