// The acceleration of a body by one body or by one cell of bodies: on CUDA, and, for the kernels of the tree, on the
// emulated machine of the lens.
#pragma once

#include <cmath>

#include "upsweep/nbody/nbody_motion_steps.hpp"

namespace upsweep::detail::nbody_impl::kernels {

#if defined(UPSWEEP_MACHINE)
template <class T>
T reciprocal_root(T x) {
  return 1 / std::sqrt(x);
}
#else
__device__ inline float reciprocal_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double reciprocal_root(double x) { return rsqrt(x); }
#endif

// Squares of distances, softened, between which pairs act: below they are on one point, above too far apart for T.
template <class T>
struct limits;
template <>
struct limits<float> {
  static constexpr float least = 1e-37f, largest = 1e38f;
};
template <>
struct limits<double> {
  static constexpr double least = 1e-300, largest = 1e300;
};

// sum += what `there` does to `here`. plain: distances are softened enough for m / r³ to be a number.
template <bool plain, bool potentials, class T>
__device__ void pull(vec4<T>& sum, const vec4<T>& here, const vec4<T>& there, T softening) {
  const T x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
  const T square = fma(z, z, fma(y, y, fma(x, x, softening)));
  if constexpr (plain) {
    const T u = reciprocal_root(square), near = there.w * u, pull = near * (u * u);
    sum.x = fma(pull, x, sum.x), sum.y = fma(pull, y, sum.y), sum.z = fma(pull, z, sum.z);
    if constexpr (potentials) sum.w -= near;
  } else {
    const bool acts = square >= limits<T>::least && square <= limits<T>::largest;
    const T u = acts ? reciprocal_root(square) : T(0), near = there.w * u, pull = near * u;
    sum.x = fma(pull, u * x, sum.x), sum.y = fma(pull, u * y, sum.y), sum.z = fma(pull, u * z, sum.z);
    if constexpr (potentials) sum.w -= near;
  }
}

// Second moments Σ m d dᵀ about a cell's centre.
template <class T>
struct alignas(2 * sizeof(T)) second_moments {
  T xx, xy, xz, yy, yz, zz;
};

// a = Σ M d u³ - 3 q u⁵ + (15/2 dᵀq u⁷ - 3/2 s u⁵) d, φ = -Σ M u + (3 dᵀq u⁵ - s u³) / 2, with q = S d, s = tr S, u =
// 1/√(d² + ε²).
template <bool plain, class T>
__device__ void pull_by_cell(vec4<T>& sum, const vec4<T>& here, const vec4<T>& centre, const second_moments<T>& s,
                             T softening) {
  const T x = centre.x - here.x, y = centre.y - here.y, z = centre.z - here.z;
  const T square = fma(z, z, fma(y, y, fma(x, x, softening)));
  const bool acts = plain || (square >= limits<T>::least && square <= limits<T>::largest);
  // e = d u and p = S e, so that p u² = q u³ and eᵀp = dᵀq u².
  const T u = acts ? reciprocal_root(square) : T(0), u2 = u * u, ex = x * u, ey = y * u, ez = z * u;
  const T px = fma(s.xx, ex, fma(s.xy, ey, s.xz * ez)), py = fma(s.xy, ex, fma(s.yy, ey, s.yz * ez)),
          pz = fma(s.xz, ex, fma(s.yz, ey, s.zz * ez));
  const T along = fma(px, ex, fma(py, ey, pz * ez)), trace = s.xx + s.yy + s.zz;
  const T pull = fma(T(7.5) * along - T(1.5) * trace, u2, centre.w) * u2, turn = T(-3) * u2 * u2;
  sum.x = fma(pull, ex, fma(turn, px, sum.x));
  sum.y = fma(pull, ey, fma(turn, py, sum.y));
  sum.z = fma(pull, ez, fma(turn, pz, sum.z));
  sum.w -= fma(T(1.5) * along - T(0.5) * trace, u2, centre.w) * u;
}

}  // namespace upsweep::detail::nbody_impl::kernels
