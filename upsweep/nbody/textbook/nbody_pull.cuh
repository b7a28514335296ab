// The interface of a textbook variant of nbody: bodies {x, y, z, mass}, and the acceleration of one body by another,
// called once a pair. Each call is one unit of work, and so is each addition of two sums.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::textbook::nbody_variants {

using detail::nbody_impl::vec4;

struct newton {
  // sum += what `there` does to a body at `here`: the acceleration, and in w the potential. A body does nothing to
  // itself, nor to one on its point where there is no softening.
  template <class T>
  __device__ void operator()(vec4<T>& sum, const vec4<T>& here, const vec4<T>& there, T softening_squared,
                             bool itself) const {
    const T x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
    const T square = x * x + y * y + z * z + softening_squared;
    const T near = square > 0 && !itself ? rsqrt(square) : T(0);
    const T pull = there.w * near * near * near;
    sum.x += pull * x, sum.y += pull * y, sum.z += pull * z, sum.w -= there.w * near;
  }
  template <class T>
  __device__ void add(vec4<T>& sum, const vec4<T>& other) const {
    sum.x += other.x, sum.y += other.y, sum.z += other.z, sum.w += other.w;
  }
};

// The sums' factor, and whether potentials are wanted.
template <class T>
struct result_form {
  T gravity;
  bool potentials;
  __device__ vec4<T> operator()(const vec4<T>& sum) const {
    return {gravity * sum.x, gravity * sum.y, gravity * sum.z, potentials ? gravity * sum.w : T(0)};
  }
};

inline const char* variant_cannot(const detail::nbody_impl::problem& p) {
  if (p.type != dtype::f32 && p.type != dtype::f64) return "types other than f32 and f64";
  if (p.gravity.jerks) return "jerks";
  if (p.gravity.compensated) return "compensated sums";
  if (p.gravity.softening > 0 && p.gravity.softening < 1e-12) return "softenings whose cubes f32 cannot divide by";
  return p.gravity.method == nbody_method::barnes_hut ? "a tree" : nullptr;
}

struct defaults : variant_defaults {
  static constexpr std::string_view limits = "all pairs of f32 or f64; no jerks, no compensated sums";
  static constexpr auto cannot = variant_cannot;
};

template <class F>
void with_real(const detail::nbody_impl::problem& p, F f) {
  p.type == dtype::f32 ? f(type_tag<float>{}) : f(type_tag<double>{});
}

}  // namespace upsweep::textbook::nbody_variants
