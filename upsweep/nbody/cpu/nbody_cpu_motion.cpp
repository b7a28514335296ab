#include "upsweep/nbody/nbody_motion.hpp"

#include <cmath>
#include <limits>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/nbody_motion_backends.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

inline constexpr std::uint64_t bodies_at_once = 1 << 13;  // that a thread moves at a time

// Calls f(i) for each body, on the device's threads.
template <class F>
void for_each_body(device& d, std::uint64_t n, const F& f) {
  cpu::for_each_block(d, cpu::block_count(n, bodies_at_once), [&](std::uint64_t b, const cpu::stop_flag&) {
    for (std::uint64_t i = b * bodies_at_once, end = std::min(n, i + bodies_at_once); i < end; ++i) f(i);
  });
}

template <class F>
void with_real(dtype type, const F& f) {
  type == dtype::f32 ? f(float()) : f(double());
}

void kick_and_drift_on_cpu(device& d, const moving& m, double kick, double drift) {
  with_real(m.type, [&]<class T>(T) {
    auto *x = m.position.as<vec4<T>>(), *v = m.velocity.as<vec4<T>>();
    const auto* a = m.acceleration.as<const vec4<T>>();
    for_each_body(d, m.n, [&](std::uint64_t i) {
      add_times(v[i], static_cast<T>(kick), a[i]);
      if (drift != 0) add_times(x[i], static_cast<T>(drift), v[i]);
    });
  });
}

void predict_on_cpu(device& d, const moving& m, const moving& to, double dt) {
  with_real(m.type, [&]<class T>(T) {
    for_each_body(d, m.n, [&](std::uint64_t i) {
      vec4<T> x = m.position.as<const vec4<T>>()[i], v = m.velocity.as<const vec4<T>>()[i];
      predict_one(x, v, m.acceleration.as<const vec4<T>>()[i], m.jerk.as<const vec4<T>>()[i], static_cast<T>(dt));
      to.position.as<vec4<T>>()[i] = x;
      to.velocity.as<vec4<T>>()[i] = v;
    });
  });
}

void correct_on_cpu(device& d, const moving& m, const moving& there, double dt) {
  with_real(m.type, [&]<class T>(T) {
    for_each_body(d, m.n, [&](std::uint64_t i) {
      vec4<T>&a = m.acceleration.as<vec4<T>>()[i], &j = m.jerk.as<vec4<T>>()[i];
      const vec4<T> a2 = there.acceleration.as<const vec4<T>>()[i], j2 = there.jerk.as<const vec4<T>>()[i];
      correct_one(m.position.as<vec4<T>>()[i], m.velocity.as<vec4<T>>()[i], a, a2, j, j2, static_cast<T>(dt));
      a = a2, j = j2;
    });
  });
}

void times_on_cpu(device& d, const moving& m, double softening, bool jerks, memory to) {
  with_real(m.type, [&]<class T>(T) {
    for_each_body(d, m.n, [&](std::uint64_t i) {
      to.as<T>()[i] =
          shortest_time_squared(m.acceleration.as<const vec4<T>>()[i], static_cast<T>(softening),
                                jerks ? m.jerk.as<const vec4<T>>() + i : nullptr, std::numeric_limits<T>::max());
    });
  });
}

void interleave_on_cpu(device& d, dtype type, std::uint64_t n, const columns& from, memory rows) {
  with_real(type, [&]<class T>(T) {
    const auto into = [&](const memory& column, T vec4<T>::* place) {
      if (!column.base) return;
      for_each_body(d, n, [&](std::uint64_t i) { rows.as<vec4<T>>()[i].*place = column.as<const T>()[i]; });
    };
    into(from[0], &vec4<T>::x), into(from[1], &vec4<T>::y), into(from[2], &vec4<T>::z), into(from[3], &vec4<T>::w);
  });
}

void deinterleave_on_cpu(device& d, dtype type, std::uint64_t n, memory rows, const columns& to) {
  with_real(type, [&]<class T>(T) {
    const auto from = [&](const memory& column, T vec4<T>::* place) {
      if (!column.base) return;
      for_each_body(d, n, [&](std::uint64_t i) { column.as<T>()[i] = rows.as<const vec4<T>>()[i].*place; });
    };
    from(to[0], &vec4<T>::x), from(to[1], &vec4<T>::y), from(to[2], &vec4<T>::z), from(to[3], &vec4<T>::w);
  });
}

void add_up_on_cpu(device& d, dtype type, std::uint64_t n, std::uint64_t stacks, memory rows, memory to) {
  with_real(type, [&]<class T>(T) {
    for_each_body(d, n, [&](std::uint64_t i) {
      vec4<T> sum{};
      for (std::uint64_t s = 0; s < stacks; ++s) {
        const vec4<T> one = rows.as<const vec4<T>>()[s * n + i];
        sum.x += one.x, sum.y += one.y, sum.z += one.z, sum.w += one.w;
      }
      to.as<vec4<T>>()[i] = sum;
    });
  });
}

constexpr motion_on on_cpu{kick_and_drift_on_cpu, predict_on_cpu,      correct_on_cpu, times_on_cpu,
                           interleave_on_cpu,     deinterleave_on_cpu, add_up_on_cpu};

const motion_on& motion_of(const device& d) {
#if UPSWEEP_WITH_CUDA
  if (d.kind() == backend::cuda) return cuda_motion();
#endif
#if UPSWEEP_WITH_OPENCL
  if (d.kind() == backend::opencl) return opencl_motion();
#endif
  (void)d;
  return on_cpu;
}

}  // namespace

void kick_and_drift(device& d, const moving& m, double kick, double drift) {
  if (m.n) motion_of(d).kick_and_drift(d, m, kick, drift);
}

void predict(device& d, const moving& m, const moving& to, double dt) {
  if (m.n) motion_of(d).predict(d, m, to, dt);
}

void correct(device& d, const moving& m, const moving& there, double dt) {
  if (m.n) motion_of(d).correct(d, m, there, dt);
}

double shortest_time(device& d, const moving& m, double softening, bool jerks) {
  double shortest = std::numeric_limits<double>::infinity();
  if (m.n == 0) return shortest;
  const memory each = d.scratch("nbody/times", m.n * size_of(m.type)), least = d.scratch("nbody/least time", 16);
  motion_of(d).times(d, m, softening, jerks, each);
  detail::reduce_impl::problem p;
  p.op = op_kind::minimum, p.type = m.type;
  p.in = each, p.out = least, p.n = m.n, p.init = identity_scalar(op_kind::minimum, m.type);
  detail::reduce_impl::run(d, p);
  with_real(m.type, [&]<class T>(T) {
    T squared = 0;
    d.download(&squared, least, sizeof squared);
    if (squared < std::numeric_limits<T>::max()) shortest = std::sqrt(static_cast<double>(squared));
  });
  return shortest;
}

void interleave(device& d, dtype type, std::uint64_t n, const columns& from, memory rows) {
  if (n) motion_of(d).interleave(d, type, n, from, rows);
}

void deinterleave(device& d, dtype type, std::uint64_t n, memory rows, const columns& to) {
  if (n) motion_of(d).deinterleave(d, type, n, rows, to);
}

void add_up(device& d, dtype type, std::uint64_t n, std::uint64_t stacks, memory rows, memory to) {
  if (n) motion_of(d).add_up(d, type, n, stacks, rows, to);
}

}  // namespace upsweep::detail::nbody_impl
