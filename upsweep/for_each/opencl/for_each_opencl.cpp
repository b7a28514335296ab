// for_each_index on OpenCL in the catalog: two functions by their statements.
#include <array>

#include "upsweep/for_each/for_each_problem.hpp"
#include "upsweep/for_each/jit/for_each_jit.hpp"
#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep::detail::for_each_impl {

namespace {

void run_item_per_index(device& d, const problem& p) {
  opencl::index_source t;
  t.call = "for_each_index";
  if (p.type == dtype::f32) {
    const device_span<const float> x(p.in, p.n), y(p.in2, p.n);
    t.statements = "out[i] = factor * x[i] + y[i];";
    t.operands = named("factor", p.factor, "x", x, "y", y, "out", device_span<float>(p.out, p.n));
  } else {
    const device_span<const std::uint32_t> x(p.in, p.n);
    t.statements =
        "ulong h = (i ^ (i >> 31)) * 0x9e3779b97f4a7c15ul;\n"
        "h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ul;\n"
        "out[i] = x[i] ^ (uint)(h >> 32);";
    t.operands = named("x", x, "out", device_span<std::uint32_t>(p.out, p.n));
  }
  opencl::for_each_jit(d, p.n, t);
}

}  // namespace

std::span<const variant> opencl() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "for-each-index/item-per-index", v.where = backend::opencl, v.what = primitive::for_each_index,
    v.kind = variant_kind::tuned, v.year = 2026;
    v.source = "upsweep";
    v.teaches = "An item an index; the function is its device source.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"1", [](double) { return 1.0; }};
    v.launches = {"1 for every 2^30 indices", [](double) { return 1.0; }};
    v.traffic = {"2n of u32, 3n of f32: the function's", [](double n) { return 3 * n; }};
    v.cannot = not_of_the_types;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    v.run = run_item_per_index;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::detail::for_each_impl
