// Convolution on OpenCL: launches and catalog entries. The kernels are in convolve_opencl.cl.
#include <algorithm>
#include <array>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"
#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep {

namespace opencl {

namespace {

constexpr std::uint64_t tile_side = 32;  // elements, and rows, of a work-group's results

std::string type_options(const detail::convolve_impl::problem& p) {
  std::string options = p.mask_type == dtype::i32   ? "-D SUM=uint"
                        : p.mask_type == dtype::f64 ? "-D SUM=double -D WITH_f64"
                                                    : "-D SUM=float";
  const auto name = [](dtype t) {
    return t == dtype::u8    ? "uchar"
           : t == dtype::f16 ? "ushort"
           : t == dtype::i32 ? "uint"
           : t == dtype::f64 ? "double"
                             : "float";
  };
  options += std::string(" -D ELEMENT=") + name(p.type) + " -D RESULT=" + name(p.out_type);
  if (p.type == dtype::f16) options += " -D HALF_ELEMENT";
  if (p.out_type == dtype::f16) options += " -D HALF_RESULT";
  if (p.out_type == dtype::u8) options += p.mask_type == dtype::i32 ? " -D SATURATED" : " -D ROUNDED";
  return options;
}

cl_long signed_of(std::uint64_t x) { return static_cast<cl_long>(x); }

// Whether quads of elements are aligned to their size.
bool quads_lie_well(memory m, std::uint64_t pitch, dtype type) {
  return m.offset % (4 * size_of(type)) == 0 && pitch % 4 == 0;
}

// A walk takes the problems that it takes on CUDA: one channel of f32 or u8 under a square mask of f32 whose side it is
// compiled for.
bool can_walk(const detail::convolve_impl::problem& p, bool split) {
  const auto small = [](std::uint64_t x) { return x < (1u << 30); };
  const auto among = [&](const auto& sides) {
    return std::ranges::find(sides, static_cast<int>(p.mask.x)) != std::end(sides);
  };
  using namespace detail::convolve_impl;
  return p.channels == 1 && p.mask.z == 1 && p.mask.x == p.mask.y && p.mask_type == dtype::f32 &&
         p.type == p.out_type && (p.type == dtype::f32 || p.type == dtype::u8) && small(p.size.x) && small(p.size.y) &&
         (split ? p.rank == 1 && among(split_walks) : among(direct_walks));
}

// Rows of results of a walk: few enough that the whole device has work, but many compared with the mask.
std::uint64_t rows_of_a_walk(const device& d, std::uint64_t across, std::uint64_t height, std::uint64_t side) {
  const std::uint64_t shared_out = across * height / (static_cast<std::uint64_t>(d.compute_units()) * 48 + 1);
  return std::clamp<std::uint64_t>(shared_out, 2 * side, std::max<std::uint64_t>(64, 10 * side));
}

void walk_down(device& d, const detail::convolve_impl::problem& p, const detail::convolve_impl::geometry& g,
               memory weights, bool split) {
  constexpr std::uint64_t group = 128, strip = 4 * group;
  const std::uint64_t across = (g.out.x + strip - 1) / strip,
                      rows = rows_of_a_walk(d, across * g.out.z, g.out.y, g.mask.x);
  const std::uint64_t down = (g.out.y + rows - 1) / rows, element = size_of(p.type);
  const std::string options = "-D SIDE=" + std::to_string(g.mask.x) + " -D SPLIT=" + (split ? "1" : "0") +
                              " -D LEAD=" + std::to_string((4 - g.before.x % 4) % 4) +
                              (p.type == dtype::u8 ? " -D ELEMENT=uchar -D BYTES" : " -D ELEMENT=float");
  const auto whole = [](std::uint64_t x) { return static_cast<cl_int>(x); };
  d.launch(d.kernel({"opencl/image_borders.cl", "convolve/opencl/convolve_opencl_walk.cl"}, options, "walk"),
           across * down * g.out.z, group, operand{p.in, element}, operand{weights, sizeof(float)},
           operand{p.out, element}, cl_int(p.edge), whole(g.in.x), whole(g.in.y), signed_of(g.in_pitch), whole(g.out.x),
           whole(g.out.y), signed_of(g.out_pitch), whole(g.before.x), whole(g.before.y), cl_uint(p.flipped),
           whole(rows), whole(across), whole(down), cl_int(quads_lie_well(p.in, g.in_pitch, p.type)),
           cl_int(quads_lie_well(p.out, g.out_pitch, p.type)));
}

// Rows of f32 whose mask and tile fit in local memory.
bool goes_by_long_rows(const device& d, const detail::convolve_impl::problem& p) {
  return p.mask.y == 1 && p.mask.z == 1 && p.channels == 1 && p.type == dtype::f32 && p.mask_type == dtype::f32 &&
         p.out_type == dtype::f32 && p.mask.x <= detail::convolve_impl::most_row_weights && p.size.x >= 2048 &&
         d.local_memory() >= (48 << 10);
}

void long_rows(device& d, const detail::convolve_impl::problem& p, const detail::convolve_impl::geometry& g) {
  constexpr std::uint64_t group = 128, results = 16 * group;
  const std::uint64_t across = (g.out.x + results - 1) / results, padded = (g.mask.x + 15) / 16 * 16;
  const std::uint64_t cells = (results + padded + 16) / 16 * 20 + 20;
  d.launch(d.kernel({"opencl/image_borders.cl", "convolve/opencl/convolve_opencl_walk.cl"}, "", "long_rows"),
           across * g.out.y * g.out.z, group, operand{p.in, sizeof(float)}, operand{p.in2, sizeof(float)},
           operand{p.out, sizeof(float)}, value{nullptr, padded * sizeof(float)}, value{nullptr, cells * sizeof(float)},
           cl_int(p.edge), signed_of(g.in.x), signed_of(g.in_pitch), signed_of(g.out.x), signed_of(g.out_pitch),
           cl_int(g.mask.x), signed_of(g.before.x), cl_uint(p.flipped), signed_of(across));
}

void convolve_directly(upsweep::device& any, const detail::convolve_impl::problem& p) {
  device& d = of(any);
  const detail::convolve_impl::geometry g = detail::convolve_impl::geometry_of(p);
  if (g.out.count() == 0) return;
  if (can_walk(p, false)) return walk_down(d, p, g, p.in2, false);
  if (goes_by_long_rows(d, p)) return long_rows(d, p, g);
  const std::uint64_t across = (g.out.x * g.channels + tile_side - 1) / tile_side,
                      down = (g.out.y + tile_side - 1) / tile_side;
  const std::uint64_t sum = size_of(p.mask_type), rows = tile_side + g.mask.y - 1;
  const std::uint64_t bytes = (tile_side + (g.mask.x - 1) * g.channels) * rows * sum;
  const bool fits = bytes <= d.local_memory() / 2;
  d.launch(d.kernel({"opencl/image_borders.cl", "convolve/opencl/convolve_opencl.cl"}, type_options(p), "direct"),
           across * down * g.out.z, lanes, operand{p.in, size_of(p.type)}, operand{p.in2, sum},
           operand{p.out, size_of(p.out_type)}, value{nullptr, fits ? bytes : sum}, cl_uint(fits ? rows : 0),
           cl_int(p.edge), signed_of(g.in.x), signed_of(g.in.y), signed_of(g.in.z), signed_of(g.channels),
           signed_of(g.in_pitch), signed_of(g.out.x), signed_of(g.out.y), signed_of(g.out_pitch), cl_int(g.mask.x),
           cl_int(g.mask.y), cl_int(g.mask.z), signed_of(g.before.x), signed_of(g.before.y), signed_of(g.before.z),
           cl_uint(p.flipped), signed_of(across), signed_of(down));
}

void convolve_split(upsweep::device& any, const detail::convolve_impl::problem& p) {
  device& d = of(any);
  const detail::convolve_impl::geometry g = detail::convolve_impl::geometry_of(p);
  if (g.out.count() == 0) return;
  if (can_walk(p, true)) return walk_down(d, p, g, p.in3, true);
  const std::uint64_t sum = size_of(p.mask_type), elements = g.out.x * g.channels;
  const std::uint64_t after_rows = elements * g.in.y * g.in.z, after_columns = elements * g.out.y * g.in.z,
                      results = elements * g.out.y * g.out.z;
  const operand rows{d.scratch("convolve/opencl/rows", after_rows * sum), sum},
      columns{d.scratch("convolve/opencl/columns", after_columns * sum), sum},
      all{p.rank > 1 ? d.scratch("convolve/opencl/all", results * sum) : columns.where, sum};
  const std::string options = type_options(p);
  const auto kernel = [&](const char* name) -> loaded_kernel {
    return d.kernel({"opencl/image_borders.cl", "convolve/opencl/convolve_opencl.cl"}, options, name);
  };
  for (std::uint64_t r = 0; r < p.rank; ++r) {
    const auto weights = [&](std::uint64_t at) {
      return operand{p.in3.plus_bytes((r * detail::convolve_impl::factor_elements(g.mask) + at) * sum), sum};
    };
    d.launch(kernel("along_rows"), groups_for(after_rows), lanes, operand{p.in, size_of(p.type)}, weights(0), rows,
             cl_int(p.edge), signed_of(g.in.x), signed_of(g.in.y), signed_of(g.in.z), signed_of(g.channels),
             signed_of(g.in_pitch), signed_of(g.out.x), cl_int(g.mask.x), signed_of(g.before.x), cl_uint(p.flipped));
    d.launch(kernel("along_columns"), groups_for(after_columns), lanes, rows, weights(g.mask.x), columns,
             cl_int(p.edge), signed_of(elements), signed_of(g.in.y), signed_of(g.in.z), signed_of(g.out.y),
             cl_int(g.mask.y), signed_of(g.before.y), cl_uint(p.flipped));
    d.launch(kernel("along_pillars"), groups_for(results), lanes, columns, weights(g.mask.x + g.mask.y), all,
             operand{p.out, size_of(p.out_type)}, cl_int(p.edge), signed_of(elements), signed_of(g.out.y),
             signed_of(g.in.z), signed_of(g.out.z), signed_of(g.out_pitch), cl_int(g.mask.z), signed_of(g.before.z),
             cl_uint(p.flipped), cl_uint(r == 0), cl_uint(r + 1 == p.rank));
  }
}

}  // namespace

}  // namespace opencl

namespace detail::convolve_impl {

std::span<const variant> opencl() {
  static const std::array list{
      [] {
        variant v;
        v.name = "convolve/direct", v.where = backend::opencl, v.what = primitive::convolve,
        v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep";
        v.teaches =
            "A tile with its halo in local memory, a column of four results an item: each element that is read serves "
            "four products.";
        v.work = {"mask * n (9n for a mask of 9)", [](double n) { return 9 * n; }};
        v.span = {"1", [](double) { return 1.0; }}, v.launches = {"1", [](double) { return 1.0; }};
        v.traffic = {"2n, and the tiles' halos", [](double n) { return 2 * n; }};
        v.limits = "work-groups of 256 items";
        v.device_lacks = opencl::lacks_lanes;
        v.cannot = wrong_types;
        v.run = opencl::convolve_directly;
        return v;
      }(),
      [] {
        variant v;
        v.name = "convolve/separable", v.where = backend::opencl, v.what = primitive::convolve,
        v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep";
        v.teaches =
            "A mask that is a sum of products: sums along rows, of those along columns, of those across slices, each "
            "pass by itself.";
        v.work = {"rank * (width + height) * n (6n for 3 by 3)", [](double n) { return 6 * n; }};
        v.span = {"1", [](double) { return 1.0; }},
        v.launches = {"3 a product (3 for rank 1)", [](double) { return 3.0; }};
        v.traffic = {"6n (rank 1)", [](double n) { return 6 * n; }};
        v.limits = "work-groups of 256 items; masks that come with their factors";
        v.device_lacks = opencl::lacks_lanes;
        v.cannot = [](const problem& p) -> const char* {
          return p.rank == 0 ? "a mask that is not split into rows and columns" : wrong_types(p);
        };
        v.run = opencl::convolve_split;
        return v;
      }()};
  return list;
}

}  // namespace detail::convolve_impl

}  // namespace upsweep
