// Tables, boxes and rectangles on OpenCL: launches and catalog entries. The kernels are in opencl.cl.
#include <array>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep {

namespace opencl {

namespace {

using namespace detail::summed_area_table_impl;

const char* name_in_c(dtype t) {
  constexpr const char* names[]{"int",  "uint",  "long",  "ulong",  "float", "double",
                                "char", "uchar", "short", "ushort", "half"};
  return names[static_cast<int>(t)];
}

std::string options_for(const device& d, const detail::summed_area_table_impl::problem& p, std::string more) {
  if (p.out_type == dtype::f64 && !d.supports(dtype::f64))
    throw error(fault::unsupported, d.name(), "the device has no f64", "sum in f32, or choose another device");
  std::string options = "-D LANES=" + std::to_string(lanes) + " -D CHANNELS=" + std::to_string(p.channels) +
                        " -D IN=" + name_in_c(p.type) + " -D OUT=" + name_in_c(p.out_type);
  if (d.supports(dtype::f64)) options += " -D WITH_f64";
  return options + std::move(more);
}

void table(upsweep::device& any, const detail::summed_area_table_impl::problem& all) {
  device& d = of(any);
  for_each_slice(all, [&](const detail::summed_area_table_impl::problem& p) {
    const bool real = is_floating(p.type);
    // Integers of a sign are widened with it, and then added without.
    const std::string sum = real                       ? (d.supports(dtype::f64) ? "double" : "float")
                            : p.out_type == dtype::u32 ? "uint"
                                                       : "ulong";
    // 4, or as many as fit: four channels of doubles would take 40 KB, and no device need have more than 32.
    const std::uint64_t size = sum == "double" || sum == "ulong" ? 8 : 4;
    unsigned pixels = 4;
    while (pixels > 1 && lanes * (pixels + 1) * p.channels * size > d.local_memory()) pixels /= 2;
    const std::string options = options_for(d, p, " -D TABLE -D SUM=" + sum + " -D PIXELS=" + std::to_string(pixels));
    const auto kernel = [&](const char* name) -> loaded_kernel {
      return d.kernel({"summed_area_table/opencl/summed_area_table_opencl.cl"}, options, name);
    };
    const operand in{p.in, size_of(p.type)}, out{p.out, size_of(p.out_type)};
    d.launch(kernel("scan_rows"), p.size.y, lanes, in, out, cl_ulong(p.size.x), cl_ulong(p.pitch),
             cl_ulong(p.out_pitch));
    d.launch(kernel("scan_columns"), groups_for(row_of(p)), lanes, out, cl_ulong(row_of(p)), cl_ulong(p.size.y),
             cl_ulong(p.out_pitch));
  });
}

std::string box_options(const detail::summed_area_table_impl::problem& p) {
  std::string s = " -D BOX=" + std::to_string(static_cast<int>(p.box));
  with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
    if constexpr (std::is_same_v<typename Rule::part, exact_moments>)
      s += " -D EXACT";
    else if constexpr (!std::is_same_v<typename Rule::part, moments>)
      s += std::string(" -D SUM=") + name_in_c(dtype_of<typename Rule::part>);
    if constexpr (std::is_integral_v<In> && std::is_signed_v<In>) s += " -D SIGNED";
    if constexpr (std::is_integral_v<Out>) s += " -D WHOLE";
  });
  return s;
}

void box(upsweep::device& any, const detail::summed_area_table_impl::problem& all) {
  device& d = of(any);
  for_each_slice(all, [&](const detail::summed_area_table_impl::problem& p) {
    std::uint64_t part = 0;
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) {
      part = sizeof(typename Rule::part);
    });
    const std::string options = options_for(d, p, box_options(p));
    const auto kernel = [&](const char* name) -> loaded_kernel {
      return d.kernel({"summed_area_table/opencl/summed_area_table_opencl.cl"}, options, name);
    };
    const operand in{p.in, size_of(p.type)}, out{p.out, size_of(p.out_type)},
        beginnings{d.scratch("integral/opencl/beginnings", p.n * part), part},
        ends{d.scratch("integral/opencl/ends", p.n * part), part},
        columns{d.scratch("integral/opencl/columns", p.n * part), part};
    const std::uint64_t row = row_of(p), width = p.size.x, height = p.size.y, rx = useful_radius(p.radius.x, width),
                        ry = useful_radius(p.radius.y, height), wide = 2 * rx + 1, high = 2 * ry + 1;
    d.launch(kernel("begin_and_end_columns"), groups_for(row * ((height + high - 1) / high)), lanes, in, beginnings,
             ends, cl_ulong(row), cl_ulong(height), cl_ulong(p.pitch), cl_ulong(high));
    d.launch(kernel("join_columns"), groups_for(p.n), lanes, beginnings, ends, columns, cl_ulong(row), cl_ulong(height),
             cl_ulong(ry));
    d.launch(kernel("begin_and_end_rows"), groups_for(height * ((width + wide - 1) / wide) * p.channels), lanes,
             columns, beginnings, ends, cl_ulong(width), cl_ulong(height), cl_ulong(wide), cl_ulong(ry));
    d.launch(kernel("join_rows"), groups_for(p.n), lanes, beginnings, ends, out, cl_ulong(width), cl_ulong(height),
             cl_ulong(p.out_pitch), cl_ulong(rx), cl_ulong(ry));
  });
}

void rectangles(upsweep::device& any, const detail::summed_area_table_impl::problem& p) {
  if (p.m == 0) return;
  device& d = of(any);
  const std::string options =
      options_for(d, p, std::string(" -D RECTANGLES -D SUM=") + (p.type == dtype::i64 ? "ulong" : name_in_c(p.type)));
  // A table without elements is not read.
  const operand out{p.out, size_of(p.type)}, in{p.n ? p.in : p.out, size_of(p.type)};
  d.launch(d.kernel({"summed_area_table/opencl/summed_area_table_opencl.cl"}, options, "rectangle_sums"),
           groups_for(p.m * p.channels), lanes, in, operand{p.in2, 8}, out, cl_ulong(p.m), cl_ulong(pitch_of(p)));
}

}  // namespace

}  // namespace opencl

namespace detail::summed_area_table_impl {

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches, formula work, formula span,
                        formula launches, formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = work, v.span = span, v.launches = launches, v.traffic = traffic, v.run = run;
    v.cannot = unsupported_by_algorithm;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  constexpr formula linear{"n", [](double n) { return n; }};
  static const std::array list{
      entry("integral/rows-and-columns", primitive::summed_area_table,
            "A work-group a row, and then an item a column, eight rows in flight.",
            {"at least 2n", [](double n) { return 2 * n; }}, linear, {"2 a slice", [](double) { return 2.0; }},
            {"4n", [](double n) { return 4 * n; }}, opencl::table),
      [&] {
        variant v = entry("box-filter/van-herk", primitive::box_filter,
                          "Ends and beginnings of blocks as long as the window, down the columns and then along the "
                          "rows; any window is one "
                          "of each.",
                          {"6n", [](double n) { return 6 * n; }}, linear, {"4 a slice", [](double) { return 4.0; }},
                          {"12n, most of them sums", [](double n) { return 12 * n; }}, opencl::box);
        v.device_lacks = opencl::lacks_doubles;
        v.limits = "work-groups of 256 items; f64; scratch for three sums an element";
        return v;
      }(),
      entry("rectangle-sums/item-per-rectangle", primitive::rectangle_sums, "One item a rectangle and channel.",
            {"3 a rectangle", [](double n) { return n; }}, {"1", [](double) { return 1.0; }},
            {"1", [](double) { return 1.0; }},
            {"n at least, as a measure: 4 look-ups a rectangle", [](double n) { return n; }}, opencl::rectangles)};
  return list;
}

}  // namespace detail::summed_area_table_impl

}  // namespace upsweep
