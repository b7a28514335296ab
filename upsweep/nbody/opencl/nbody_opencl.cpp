// N bodies on OpenCL: launches and catalog entries. The kernels are in opencl.cl.
#include <algorithm>
#include <array>
#include <cmath>

#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/opencl/nbody_opencl_tree.hpp"
#include "upsweep/opencl/opencl_device.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

inline constexpr std::uint64_t lanes = 64, bodies_an_item = 2;
inline constexpr std::uint64_t items_a_group = 4;  // on a CPU, an item a vector of bodies

void all_pairs(upsweep::device& any, const problem& p) {
  const std::uint64_t count = pulled_by(p), first = first_pulled(p);
  if (count == 0) return;
  opencl::device& d = opencl::of(any);
  const bool single = p.type == dtype::f32;
  const gravitation& g = p.gravity;
  std::string options = "-D LANES=" + std::to_string(lanes) + " -D BODIES=" + std::to_string(bodies_an_item);
  options += single ? " -D REAL=float -D LEAST=1e-37f -D LARGEST=1e38f"
                    : " -D REAL=double -D LEAST=1e-300 -D LARGEST=1e300 -D WITH_f64";
  if (g.potentials) options += " -D POTENTIALS";
  if (g.jerks) options += " -D JERKS";
  if (g.compensated) options += " -D COMPENSATED";
  const std::uint64_t record = 4 * size_of(p.type);
  const opencl::operand in{p.in, record}, out{p.out, record}, moving{g.jerks ? p.in2 : p.in, record},
      jerks{g.jerks ? p.out2 : p.out, record};
  const double numbers[2] = {g.softening * g.softening, g.constant};
  const float narrow[2] = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1])};
  const auto number = [&](int k) {
    return single ? opencl::value{&narrow[k], sizeof(float)} : opencl::value{&numbers[k], sizeof(double)};
  };
  if (d.is_cpu() && !g.jerks && !g.compensated) {
    const std::uint64_t width = d.vector_bytes() / size_of(p.type), items = (count + width - 1) / width;
    options += " -D WIDTH=" + std::to_string(width) + (single ? " -D LANE=int" : " -D LANE=long");
    d.launch(d.kernel({"nbody/opencl/nbody_vectors.cl", "nbody/opencl/nbody_all_pairs_by_vectors.cl"}, options,
                      "all_pairs_by_vectors"),
             (items + items_a_group - 1) / items_a_group, items_a_group, in, out, cl_ulong(p.n), cl_ulong(first),
             cl_ulong(count), number(0), number(1));
    return;
  }
  const std::uint64_t each = lanes * bodies_an_item;
  d.launch(d.kernel({"nbody/opencl/nbody_opencl.cl"}, options, "all_pairs"), (count + each - 1) / each, lanes, in,
           moving, out, jerks, cl_ulong(p.n), cl_ulong(first), cl_ulong(count), number(0), number(1));
}

}  // namespace

std::span<const variant> opencl() {
  const auto entry = [](std::string_view name, std::string_view teaches, formula work, formula span, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = primitive::nbody, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep";
    v.teaches = teaches, v.work = work, v.span = span, v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = [](const device& d) -> const char* {
      return opencl::of(d).max_group_size() < lanes ? "work-groups of 64 items" : nullptr;
    };
    return v;
  };
  static const std::array list{
      [&] {
        variant v =
            entry("nbody/barnes-hut",
                  "Bodies in the order of a Hilbert curve, cells with quadrupoles, level by level; a work-group walks "
                  "the tree for 64 bodies and lists what they meet; on a CPU one item does, and vectors of bodies meet "
                  "the list.",
                  {"some 1000n for theta = 0.5", [](double n) { return n * std::min(n, 1000.0); }},
                  {"n, where theta is 0", [](double n) { return n; }}, {"some 100", [](double) { return 100.0; }},
                  {"some 60n", [](double n) { return 60 * n; }}, tree_on_opencl);
        v.cannot = [](const problem& p) -> const char* {
          if (p.type != dtype::f32 && p.type != dtype::f64) return "types other than f32 and f64";
          if (p.gravity.jerks) return "jerks";
          if (p.gravity.compensated) return "compensated sums";
          return p.gravity.method == nbody_method::all_pairs ? "all pairs" : nullptr;
        };
        v.max_n = (std::uint64_t{1} << 31) - 1;
        v.limits = "f32 and f64; no jerks, no compensated sums; fewer than 2^31 bodies";
        return v;
      }(),
      [&] {
        variant v = entry(
            "nbody/shared-tile",
            "A work-group loads a tile of masses, and each of its items meets them with two bodies; on a CPU an item "
            "has a vector of bodies.",
            {"n^2", [](double n) { return n * n; }},
            {"at most 256 in a tile, and the tiles", [](double n) { return std::min(n, 256.0) + std::ceil(n / 64); }},
            {"1", [](double) { return 1.0; }}, {"n^2/128 and 2n", [](double n) { return n * n / 128 + 2 * n; }},
            all_pairs);
        v.cannot = [](const problem& p) -> const char* {
          if (p.type != dtype::f32 && p.type != dtype::f64) return "types other than f32 and f64";
          return p.gravity.method == nbody_method::barnes_hut ? "a tree" : nullptr;
        };
        v.limits = "f32 and f64; all pairs";
        return v;
      }()};
  return list;
}

}  // namespace upsweep::detail::nbody_impl
