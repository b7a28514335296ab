// How bodies move: the integrators' steps on arrays of four numbers a body, {x, y, z, mass}, {vx, vy, vz, 0}, {ax, ay,
// az, potential} and {jx, jy, jz, 0}, each in the device's memory. Enqueued.
#pragma once

#include <array>

#include "upsweep/core/device.hpp"

namespace upsweep::detail::nbody_impl {

struct moving {
  dtype type = dtype::f32;
  std::uint64_t n = 0;
  memory position, velocity, acceleration, jerk;
};

// v += kick · a, then x += drift · v. Steps of length 0 change nothing.
void kick_and_drift(device&, const moving&, double kick, double drift);

// Hermite's prediction, up to the order of the jerks.
//   to.x = x + v·dt + a·dt²/2 + j·dt³/6, to.v = v + a·dt + j·dt²/2; the masses are copied.
void predict(device&, const moving&, const moving& to, double dt);

// Hermite's correction, with a and j at the predicted places in `there`:
//   v' = v + (a + a')·dt/2 + (j - j')·dt²/12, x' = x + (v + v')·dt/2 + (a - a')·dt²/12; then a = a', j = j'.
void correct(device&, const moving&, const moving& there, double dt);

// The shortest of all bodies' √|φ| / |a|, √(softening / |a|) where it is not 0, and with jerks |a| / |j|. Infinite
// where nothing is accelerated.
double shortest_time(device&, const moving&, double softening, bool jerks);

// Rows of four numbers from columns, each an array of n numbers, and back. A column without memory is skipped: its
// numbers in the rows do not change.
using columns = std::array<memory, 4>;
void interleave(device&, dtype, std::uint64_t n, const columns& from, memory rows);
void deinterleave(device&, dtype, std::uint64_t n, memory rows, const columns& to);

// to[i] = rows[i] + rows[n + i] + …, the sum of `stacks` stacks of n rows, in order.
void add_up(device&, dtype, std::uint64_t n, std::uint64_t stacks, memory rows, memory to);

}  // namespace upsweep::detail::nbody_impl
