// Steps of motion, and the times they may take. Compiled in nbody_cuda.cu.
#pragma once

#include <limits>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/nbody/nbody_motion_backends.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

inline constexpr unsigned threads = 256;

// Calls f(i) for each body.
template <class F>
__global__ void for_each_body(std::uint64_t n, F f) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) f(i);
}

template <class F>
void launch(device& any, std::uint64_t n, F f) {
  cuda::device& d = cuda::of(any);
  d.make_current();
  for_each_body<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, d.stream()>>>(n, f);
  cuda::check(cudaGetLastError(), "launching a step of nbody");
}

template <class T>
struct kick {
  vec4<T>*x, *v;
  const vec4<T>* a;
  T by, then;
  __device__ void operator()(std::uint64_t i) const {
    vec4<T> speed = v[i];
    add_times(speed, by, a[i]);
    v[i] = speed;
    if (then != 0) {
      vec4<T> place = x[i];
      add_times(place, then, speed);
      x[i] = place;
    }
  }
};

template <class T>
struct prediction {
  const vec4<T>*x, *v, *a, *j;
  vec4<T>*to_x, *to_v;
  T dt;
  __device__ void operator()(std::uint64_t i) const {
    vec4<T> place = x[i], speed = v[i];
    predict_one(place, speed, a[i], j[i], dt);
    to_x[i] = place;
    to_v[i] = speed;
  }
};

template <class T>
struct correction {
  vec4<T>*x, *v, *a, *j;
  const vec4<T>*a2, *j2;
  T dt;
  __device__ void operator()(std::uint64_t i) const {
    vec4<T> place = x[i], speed = v[i];
    const vec4<T> new_a = a2[i], new_j = j2[i];
    correct_one(place, speed, a[i], new_a, j[i], new_j, dt);
    x[i] = place, v[i] = speed, a[i] = new_a, j[i] = new_j;
  }
};

template <class T>
struct times {
  const vec4<T>*a, *j;  // j: null without jerks
  T* to;
  T softening, never;
  __device__ void operator()(std::uint64_t i) const {
    to[i] = shortest_time_squared(a[i], softening, j ? j + i : nullptr, never);
  }
};

// Columns that are null are left out.
template <class T>
struct interleaving {
  const T *x, *y, *z, *w;
  vec4<T>* rows;
  __device__ void operator()(std::uint64_t i) const {
    vec4<T> row = rows[i];
    if (x) row.x = x[i];
    if (y) row.y = y[i];
    if (z) row.z = z[i];
    if (w) row.w = w[i];
    rows[i] = row;
  }
};

template <class T>
struct deinterleaving {
  const vec4<T>* rows;
  T *x, *y, *z, *w;
  __device__ void operator()(std::uint64_t i) const {
    const vec4<T> row = rows[i];
    if (x) x[i] = row.x;
    if (y) y[i] = row.y;
    if (z) z[i] = row.z;
    if (w) w[i] = row.w;
  }
};

template <class T>
struct adding_up {
  const vec4<T>* rows;
  vec4<T>* to;
  std::uint64_t n, stacks;
  __device__ void operator()(std::uint64_t i) const {
    vec4<T> sum{};
    for (std::uint64_t s = 0; s < stacks; ++s) {
      const vec4<T> one = rows[s * n + i];
      sum.x += one.x, sum.y += one.y, sum.z += one.z, sum.w += one.w;
    }
    to[i] = sum;
  }
};

template <class F>
void with_real(dtype type, const F& f) {
  type == dtype::f32 ? f(float()) : f(double());
}

void kick_and_drift_there(device& d, const moving& m, double by, double then) {
  with_real(m.type, [&]<class T>(T) {
    launch(d, m.n,
           kick<T>{m.position.as<vec4<T>>(), m.velocity.as<vec4<T>>(), m.acceleration.as<vec4<T>>(), T(by), T(then)});
  });
}

void predict_there(device& d, const moving& m, const moving& to, double dt) {
  with_real(m.type, [&]<class T>(T) {
    launch(d, m.n,
           prediction<T>{m.position.as<vec4<T>>(), m.velocity.as<vec4<T>>(), m.acceleration.as<vec4<T>>(),
                         m.jerk.as<vec4<T>>(), to.position.as<vec4<T>>(), to.velocity.as<vec4<T>>(), T(dt)});
  });
}

void correct_there(device& d, const moving& m, const moving& there, double dt) {
  with_real(m.type, [&]<class T>(T) {
    launch(d, m.n,
           correction<T>{m.position.as<vec4<T>>(), m.velocity.as<vec4<T>>(), m.acceleration.as<vec4<T>>(),
                         m.jerk.as<vec4<T>>(), there.acceleration.as<vec4<T>>(), there.jerk.as<vec4<T>>(), T(dt)});
  });
}

void times_there(device& d, const moving& m, double softening, bool jerks, memory to) {
  with_real(m.type, [&]<class T>(T) {
    launch(d, m.n,
           times<T>{m.acceleration.as<vec4<T>>(), jerks ? m.jerk.as<vec4<T>>() : nullptr, to.as<T>(), T(softening),
                    std::numeric_limits<T>::max()});
  });
}

void interleave_there(device& d, dtype type, std::uint64_t n, const columns& from, memory rows) {
  with_real(type, [&]<class T>(T) {
    launch(d, n,
           interleaving<T>{from[0].as<const T>(), from[1].as<const T>(), from[2].as<const T>(), from[3].as<const T>(),
                           rows.as<vec4<T>>()});
  });
}

void deinterleave_there(device& d, dtype type, std::uint64_t n, memory rows, const columns& to) {
  with_real(type, [&]<class T>(T) {
    launch(d, n,
           deinterleaving<T>{rows.as<const vec4<T>>(), to[0].as<T>(), to[1].as<T>(), to[2].as<T>(), to[3].as<T>()});
  });
}

void add_up_there(device& d, dtype type, std::uint64_t n, std::uint64_t stacks, memory rows, memory to) {
  with_real(type,
            [&]<class T>(T) { launch(d, n, adding_up<T>{rows.as<const vec4<T>>(), to.as<vec4<T>>(), n, stacks}); });
}

}  // namespace

const motion_on& cuda_motion() {
  static constexpr motion_on on{kick_and_drift_there, predict_there,      correct_there, times_there,
                                interleave_there,     deinterleave_there, add_up_there};
  return on;
}

}  // namespace upsweep::detail::nbody_impl
