// N bodies on the CPU: the entries in the catalog. The library's all pairs are in
// cpu_pairs.cpp, its tree in tree*.cpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "upsweep/nbody/cpu/nbody_cpu.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

constexpr formula squares{"n^2", [](double n) { return n * n; }};

variant entry(std::string_view name, std::string_view teaches, formula work, formula span, formula launches,
              formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = primitive::nbody, v.source = "upsweep", v.year = 2026, v.kind = variant_kind::tuned,
  v.teaches = teaches;
  v.work = work, v.span = span, v.launches = launches, v.traffic = traffic, v.run = run;
  return v;
}

const char* not_a_real(const problem& p) {
  return p.type == dtype::f32 || p.type == dtype::f64 ? nullptr : "types other than f32 and f64";
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list{
      [] {
        variant v = entry("nbody/barnes-hut-cpu",
                          "Bodies in the order of a Hilbert curve, cells with quadrupoles; groups of 64 walk the tree "
                          "together and meet their list by vectors.",
                          {"some 1000n for theta = 0.5", [](double n) { return n * std::min(n, 1000.0); }},
                          {"n, where theta is 0", [](double n) { return n; }}, {"some 60", [](double) { return 60.0; }},
                          {"some 30n", [](double n) { return 30 * n; }}, tree_on_cpu);
        v.cannot = [](const problem& p) -> const char* {
          if (const char* what = not_a_real(p)) return what;
          if (p.gravity.jerks) return "jerks";
          if (p.gravity.compensated) return "compensated sums";
          return p.gravity.method == nbody_method::all_pairs ? "all pairs" : nullptr;
        };
        v.max_n = (std::uint64_t{1} << 31) - 1;
        v.limits = "f32 and f64; no jerks, no compensated sums; fewer than 2^31 bodies";
        return v;
      }(),
      [] {
        variant v = entry("nbody/register-blocked",
                          "Two vectors of bodies in registers, each mass broadcast to them, an approximate root mended "
                          "by one multiply-add; tiles "
                          "that stay in cache.",
                          squares,
                          {"at most 1024 in a tile, and the tiles",
                           [](double n) { return std::min(n, 1024.0) + std::ceil(n / 1024); }},
                          {"2", [](double) { return 2.0; }},
                          {"6n, and tiles from the caches", [](double n) { return 6 * n; }}, all_pairs_on_cpu);
        v.cannot = [](const problem& p) -> const char* {
          if (const char* what = not_a_real(p)) return what;
          return p.gravity.method == nbody_method::barnes_hut ? "a tree" : nullptr;
        };
        v.limits = "f32 and f64; all pairs";
        return v;
      }()};
  return list;
}

}  // namespace upsweep::detail::nbody_impl
