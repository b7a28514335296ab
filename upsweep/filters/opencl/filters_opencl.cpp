// The filters on OpenCL: launches. The kernels are in filters_opencl.cl.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "upsweep/filters/filters_recursion.hpp"
#include "upsweep/filters/filters_taps.hpp"
#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep::detail::filters_impl {

namespace {

using opencl::groups_for, opencl::lanes, opencl::operand, opencl::value;

cl_long signed_of(std::uint64_t x) { return static_cast<cl_long>(x); }
operand floats(const memory& m) { return {m, sizeof(float)}; }

opencl::loaded_kernel kernel(device& d, const char* name, const std::string& options = "") {
  return opencl::of(d).kernel({"opencl/image_borders.cl", "filters/opencl/filters_opencl.cl"}, options, name);
}

void small_median(device& d, const problem& c) {
  const std::uint64_t across = (c.size.x + 31) / 32, down = (c.size.y + 7) / 8;
  opencl::of(d).launch(kernel(d, "small_median", "-D RADIUS=" + std::to_string(c.radius)), across * down * c.channels,
                       lanes, floats(c.in), floats(c.out), cl_int(c.edge), cl_int(edge_down(c)), signed_of(c.size.x),
                       signed_of(c.size.y), signed_of(in_pitch(c)), signed_of(out_pitch(c)), cl_int(c.channels),
                       signed_of(across), signed_of(down));
}

void large_median(device& d, const problem& c) {
  const std::uint64_t across = (c.size.x + 15) / 16, down = (c.size.y + 15) / 16,
                      side = 16 + 2 * std::uint64_t{c.radius};
  opencl::of(d).launch(kernel(d, "median"), across * down * c.channels, lanes, floats(c.in), floats(c.out),
                       value{nullptr, side * side * sizeof(cl_uint)}, cl_int(c.edge), cl_int(edge_down(c)),
                       signed_of(c.size.x), signed_of(c.size.y), signed_of(in_pitch(c)), signed_of(out_pitch(c)),
                       cl_int(c.channels), cl_int(c.radius), signed_of(across), signed_of(down));
}

void bilateral(device& d, const problem& c) {
  const std::uint64_t radius = disc_of(c), side = 32 + 2 * radius, bytes = side * side * c.channels * sizeof(cl_float);
  if (bytes <= opencl::of(d).local_memory()) {
    const std::uint64_t across = (c.size.x + 31) / 32, down = (c.size.y + 31) / 32;
    opencl::of(d).launch(
        kernel(d, "tiled_bilateral", "-D CHANNELS=" + std::to_string(c.channels)), across * down, lanes, floats(c.in),
        floats(c.out), value{nullptr, bytes}, cl_int(c.edge), cl_int(edge_down(c)), signed_of(c.size.x),
        signed_of(c.size.y), signed_of(in_pitch(c)), signed_of(out_pitch(c)), cl_int(radius), cl_int(disc_down(c)),
        cl_float(1 / (2 * c.space * c.space)), cl_float(1 / (2 * c.range * c.range)), signed_of(across));
    return;
  }
  opencl::of(d).launch(kernel(d, "bilateral"), groups_for(c.size.count()), lanes, floats(c.in), floats(c.out),
                       cl_int(c.edge), cl_int(edge_down(c)), signed_of(c.size.x), signed_of(c.size.y),
                       signed_of(in_pitch(c)), signed_of(out_pitch(c)), cl_int(c.channels), cl_int(radius),
                       cl_int(disc_down(c)), cl_float(1 / (2 * c.space * c.space)),
                       cl_float(1 / (2 * c.range * c.range)));
}

void recursive_gaussian(device& d, const problem& c) {
  const recursion r = recursion_of(c.space);
  const auto [rows, columns] =
      recursion_axes_of(c, static_cast<std::uint64_t>(std::max(opencl::of(d).compute_units(), 1)) * 1024);
  const memory between = d.scratch("filters/rows", c.size.count() * c.channels * sizeof(float));
  const auto along = [&](const recursion_lines& l, const memory& in, const memory& out) {
    opencl::of(d).launch(kernel(d, "recurse"), groups_for(static_cast<std::uint64_t>(l.lines * l.pieces())), lanes,
                         floats(in), floats(out), value{r.ahead, sizeof r.ahead}, value{r.behind, sizeof r.behind},
                         value{r.back, sizeof r.back}, cl_int(c.edge), cl_long(l.lines), cl_long(l.places),
                         cl_long(l.inner), cl_long(l.in_pitch), cl_long(l.out_pitch), cl_long(l.in_step),
                         cl_long(l.out_step), cl_long(l.reach), cl_long(l.piece), cl_long(l.window));
  };
  if (c.signal) return along(rows, c.in, c.out);
  along(rows, c.in, between);
  along(columns, between, c.out);
}

void non_maximum_suppression(device& d, const problem& c) {
  opencl::of(d).launch(kernel(d, "non_maximum_suppression"), groups_for(c.size.count()), lanes, floats(c.in),
                       floats(c.in2), floats(c.out), signed_of(c.size.x), signed_of(c.size.y));
}

void hysteresis_threshold(device& d, const problem& c) {
  const std::uint64_t n = c.size.count(), groups = groups_for(n);
  opencl::device& cl = opencl::of(d);
  const operand parent{d.scratch("filters/parent", n * 4), 4}, strong{d.scratch("filters/strong", n * 4), 4};
  cl.launch(kernel(d, "plant"), groups, lanes, floats(c.in), parent, strong, cl_ulong(n), cl_float(c.low));
  cl.launch(kernel(d, "unite_neighbours"), groups, lanes, parent, signed_of(c.size.x), signed_of(c.size.y));
  cl.launch(kernel(d, "begin_edges"), groups, lanes, floats(c.in), parent, strong, cl_ulong(n), cl_float(c.high));
  cl.launch(kernel(d, "mark_edges"), groups, lanes, parent, strong, floats(c.out), cl_ulong(n));
}

void resize(device& d, const problem& c) {
  const std::uint64_t row = c.to.x * c.channels;
  const memory narrow = d.scratch("filters/narrow", row * c.size.y * sizeof(float));
  const auto along = [&](const taps_there& taps, const memory& in, const memory& out, std::uint64_t stride,
                         std::uint64_t in_line, std::uint64_t out_step, std::uint64_t places, std::uint64_t lines) {
    const std::uint64_t n = places * stride * lines;
    opencl::of(d).launch(kernel(d, "resize_along"), groups_for(n), lanes, floats(in), operand{taps.firsts, 4},
                         operand{taps.starts, 4}, floats(taps.weights), floats(out), signed_of(stride),
                         signed_of(in_line), signed_of(out_step), signed_of(places), signed_of(n));
  };
  along(taps_on(d, 0, c.how, c.size.x, c.to.x), c.in, narrow, c.channels, in_pitch(c), c.channels, c.to.x, c.size.y);
  along(taps_on(d, 1, c.how, c.size.y, c.to.y), narrow, c.out, row, 0, out_pitch(c), c.to.y, 1);
}

}  // namespace

std::span<const variant> opencl() {
  static const std::array list = [] {
    constexpr backend here = backend::opencl;
    std::array all{
        entry_for(primitive::median, "median/bit-by-bit", here,
                  "The largest number that at most half of the window is smaller than, a bit at a time: 32 "
                  "looks at the window, whatever is in it.",
                  large_median),
        forgetting(entry_for(primitive::median, "median/forgetful-selection", here,
                             "Of half a window and two elements more neither the smallest nor the largest can be the "
                             "middle one: they are forgotten, and the next element comes, all in registers.",
                             small_median)),
        entry_for(primitive::bilateral, "bilateral/local-tile", here,
                  "Every pixel of the disc, from a tile in local memory; a disc that has no room there is "
                  "read from where it lies.",
                  bilateral),
        entry_for(primitive::recursive_gaussian, "recursive-gaussian/pieces", here,
                  "Lines are cut, and an item begins its piece seven sigmas earlier instead of waiting for the piece "
                  "before it.",
                  recursive_gaussian),
        entry_for(primitive::non_maximum_suppression, "thin-edges/non-maximum-suppression", here,
                  "A gradient stays where neither neighbour along it is longer; an item a pixel.",
                  non_maximum_suppression),
        by_union_find(entry_for(
            primitive::hysteresis_threshold, "linked-edges/union-find", here,
            "Places that are joined are united into trees, by atomics: an edge may wind through the picture, and "
            "there are four launches all the same.",
            hysteresis_threshold)),
        entry_for(primitive::resize, "resize/separable", here,
                  "Rows first, then columns, an item an element; a line's weights come from the host.", resize),
    };
    all[0].year = 2026, all[0].source = "upsweep";
    all[0].work = {"32 windows of (2 radius + 1)^2 looks a pixel; 2592n for radius 4",
                   [](double n) { return 2592 * n; }};
    all[0].span = {"32 windows; 2592 for radius 4", [](double) { return 2592.0; }};
    for (variant& v : all)
      v.device_lacks = v.what == primitive::recursive_gaussian ? opencl::lacks_doubles : opencl::lacks_lanes;
    return all;
  }();
  return list;
}

}  // namespace upsweep::detail::filters_impl
