// The integrators' steps for one body, alike on the CPU and under CUDA.
#pragma once

#include <cmath>

#include "upsweep/nbody/nbody_gravitation.hpp"
#include "upsweep/types.hpp"

namespace upsweep::detail::nbody_impl {

// a += f · b
template <class T>
UPSWEEP_HD inline void add_times(vec4<T>& a, T f, const vec4<T>& b) {
  a.x += f * b.x, a.y += f * b.y, a.z += f * b.z;
}

template <class T>
UPSWEEP_HD inline void predict_one(vec4<T>& x, vec4<T>& v, const vec4<T>& a, const vec4<T>& j, T dt) {
  const T half = dt / 2, third = dt / 3;
  x.x += dt * (v.x + half * (a.x + third * j.x));
  x.y += dt * (v.y + half * (a.y + third * j.y));
  x.z += dt * (v.z + half * (a.z + third * j.z));
  v.x += dt * (a.x + half * j.x);
  v.y += dt * (a.y + half * j.y);
  v.z += dt * (a.z + half * j.z);
}

template <class T>
UPSWEEP_HD inline void correct_axis(T& x, T& v, T a, T a2, T j, T j2, T dt) {
  const T half = dt / 2, twelfth = dt * dt / 12;
  const T v2 = v + (a + a2) * half + (j - j2) * twelfth;
  x += (v + v2) * half + (a - a2) * twelfth;
  v = v2;
}

template <class T>
UPSWEEP_HD inline void correct_one(vec4<T>& x, vec4<T>& v, const vec4<T>& a, const vec4<T>& a2, const vec4<T>& j,
                                   const vec4<T>& j2, T dt) {
  correct_axis(x.x, v.x, a.x, a2.x, j.x, j2.x, dt);
  correct_axis(x.y, v.y, a.y, a2.y, j.y, j2.y, dt);
  correct_axis(x.z, v.z, a.z, a2.z, j.z, j2.z, dt);
}

// The shortest of a body's times (motion.hpp), squared: T's largest where nothing is accelerated.
template <class T>
UPSWEEP_HD inline T shortest_time_squared(const vec4<T>& a, T softening, const vec4<T>* jerk, T never) {
  const T aa = a.x * a.x + a.y * a.y + a.z * a.z;
  if (!(aa > 0)) return never;
  T shortest = never;
  const auto take = [&](T time) { shortest = time < shortest ? time : shortest; };
  const T potential = a.w < 0 ? -a.w : a.w;
  if (potential > 0) take(potential / aa);
  if (softening > 0) take(softening / sqrt(aa));
  if (jerk) {
    const T jj = jerk->x * jerk->x + jerk->y * jerk->y + jerk->z * jerk->z;
    if (jj > 0) take(aa / jj);
  }
  return shortest;
}

}  // namespace upsweep::detail::nbody_impl
