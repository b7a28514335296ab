// The accelerations of some bodies by some masses, on one thread, by SIMD. The instruction set is chosen once, at run
// time.
#pragma once

#include <cstdint>

namespace upsweep::detail::nbody_impl {

template <class T>
struct masses {
  const T *x, *y, *z, *mass;
  std::uint64_t count;
};

// Cells of a tree: masses at their centres, with second moments Σ m d dᵀ about them (xx, xy, xz, yy, yz, zz), and these
// ones' xx + yy + zz.
template <class T>
struct cells {
  masses<T> centre;
  const T* moment[6];
  const T* trace;
};

// `count` is a whole number of blocks; what pads the last one is computed as if it were there. The sums are added to.
template <class T>
struct pulled {
  const T *x, *y, *z;
  T *ax, *ay, *az, *potential;  // without G; potential may be null
  std::uint64_t count;
};

template <class T>
struct moving_masses {
  masses<T> at;
  const T *vx, *vy, *vz;
};
template <class T>
struct moving_pulled {
  pulled<T> at;
  const T *vx, *vy, *vz;
  T *jx, *jy, *jz;
};

// no body: no target is among the masses. Else target i is mass `first` + i, and does not pull itself.
inline constexpr std::uint64_t nobody = ~std::uint64_t{0} / 2;

// How far apart pairs may be. plain: squares of distances, softened, have finite cubes of their roots and inverse ones;
// guarded: any.
enum class reach : std::uint8_t { plain, guarded };

template <class T>
struct pair_kernels {
  std::uint64_t block;  // targets
  void (*pull)(const masses<T>&, const pulled<T>&, T softening_squared, reach, std::uint64_t first);
  // Neumaier's sums: one rounding in all, beyond those of each pair.
  void (*pull_compensated)(const masses<T>&, const pulled<T>&, T softening_squared, std::uint64_t first);
  void (*pull_by_cells)(const cells<T>&, const pulled<T>&, T softening_squared, reach);
  void (*pull_and_jerk)(const moving_masses<T>&, const moving_pulled<T>&, T softening_squared, std::uint64_t first);
};

template <class T>
const pair_kernels<T>& find_pair_kernels();

}  // namespace upsweep::detail::nbody_impl
