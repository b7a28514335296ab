// The textbook's loops.
#include <array>
#include <cmath>

#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

template <class T>
void by_all_pairs(const problem& p) {
  const auto* in = p.in.as<const vec4<T>>();
  const auto* moving = p.gravity.jerks ? p.in2.as<const vec4<T>>() : nullptr;
  const T softening = static_cast<T>(p.gravity.softening * p.gravity.softening),
          constant = static_cast<T>(p.gravity.constant);
  for (std::uint64_t i = 0; i < p.n; ++i) {
    vec4<T> a{}, j{};
    for (std::uint64_t k = 0; k < p.n; ++k) {
      const T x = in[k].x - in[i].x, y = in[k].y - in[i].y, z = in[k].z - in[i].z, apart = x * x + y * y + z * z,
              r2 = apart + softening;
      if (k == i || r2 == 0) continue;
      // Each factor by itself stays within T.
      const T inverse = 1 / std::sqrt(r2), near = in[k].w * inverse, pull = near * inverse;
      const T ux = x * inverse, uy = y * inverse, uz = z * inverse;
      a.x += pull * ux, a.y += pull * uy, a.z += pull * uz, a.w -= near;
      if (moving) {
        const T vx = moving[k].x - moving[i].x, vy = moving[k].y - moving[i].y, vz = moving[k].z - moving[i].z;
        const T rate = 3 * (ux * vx + uy * vy + uz * vz), turn = pull * inverse;
        j.x += turn * (vx - rate * ux), j.y += turn * (vy - rate * uy), j.z += turn * (vz - rate * uz);
      }
    }
    p.out.as<vec4<T>>()[i] = {constant * a.x, constant * a.y, constant * a.z,
                              p.gravity.potentials ? constant * a.w : 0};
    if (moving) p.out2.as<vec4<T>>()[i] = {constant * j.x, constant * j.y, constant * j.z, 0};
  }
}

void sequentially(device&, const problem& p) {
  p.type == dtype::f32 ? by_all_pairs<float>(p) : by_all_pairs<double>(p);
}

constexpr formula squares{"n^2", [](double n) { return n * n; }};
constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula one{"1", [](double) { return 1.0; }};

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{[] {
    variant v;
    v.name = "nbody/sequential", v.what = primitive::nbody, v.source = "textbook; utcs", v.year = 1960;
    v.teaches =
        "Newton's law as it stands: each body meets each other one in a double loop, one square root and one "
        "division a pair.";
    v.work = squares, v.span = linear, v.launches = one, v.traffic = {"2n", [](double n) { return 2 * n; }};
    v.cannot = [](const problem& p) -> const char* {
      if (!is_floating(p.type) || p.type == dtype::f16) return "types other than f32 and f64";
      if (p.gravity.compensated) return "compensated sums";
      return p.gravity.method == nbody_method::barnes_hut ? "a tree" : nullptr;
    };
    v.limits = "f32 and f64; all pairs, plain sums";
    v.run = sequentially;
    return v;
  }()};
  return list;
}

}  // namespace upsweep::detail::nbody_impl
