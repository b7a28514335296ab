// Pairs in vector registers: two vectors of targets stay in registers with their sums, and each mass is broadcast to
// them.
//
// In f32, 1/r³ comes from an approximate 1/√ without an iteration of its own: with y ≈ 1/√q and e = 1 - q·y², small,
//   q^(-3/2) = y³·(1 - e)^(-3/2) = y³·(1 + 3e/2 + 15e²/8 + …),  q^(-1/2) = y·(1 + e/2 + 3e²/8 + …).
// AVX-512's y has 14 bits, so that e² is below a rounding and y³·(5/3 - q·y²)·3/2 is all: the factor waits for the end
// of the sum.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/nbody/cpu/nbody_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "upsweep/nbody/cpu/nbody_pairs.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::nbody_impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_ZEN4 || HWY_TARGET == HWY_AVX3_DL
#define UPSWEEP_FINE_ROOTS 1
#else
#define UPSWEEP_FINE_ROOTS 0
#endif

// Factor of the finished sums.
template <class T>
inline constexpr T force_factor = sizeof(T) == 4 && UPSWEEP_FINE_ROOTS ? T(1.5) : T(1);
template <class T>
inline constexpr T potential_factor = sizeof(T) == 4 && UPSWEEP_FINE_ROOTS ? T(-0.5) : T(-1);

// y ≈ 1/√q; force: q^(-3/2) / y³ / force_factor; potential: q^(-1/2) / y / -potential_factor.
template <class D>
struct roots {
  using V = hn::Vec<D>;
  V y, y2, force;
  V q;
  HWY_INLINE roots(D d, V square) : q(square) {
    using T = hn::TFromD<D>;
    if constexpr (sizeof(T) == 8) {
      y = hn::Div(hn::Set(d, T(1)), hn::Sqrt(q));
      y2 = hn::Mul(y, y);
      force = hn::Set(d, T(1));
    } else {
      y = hn::ApproximateReciprocalSqrt(q);
#if UPSWEEP_FINE_ROOTS
      y2 = hn::Mul(y, y);
      force = hn::NegMulAdd(q, y2, hn::Set(d, T(5.0 / 3)));
#else
#if !HWY_ARCH_X86
      y = hn::Mul(y, hn::NegMulAdd(hn::Mul(q, y), hn::Mul(y, hn::Set(d, T(0.5))), hn::Set(d, T(1.5))));
#endif
      y2 = hn::Mul(y, y);
      const V e = hn::NegMulAdd(q, y2, hn::Set(d, T(1)));
      force = hn::MulAdd(hn::MulAdd(e, hn::Set(d, T(1.875)), hn::Set(d, T(1.5))), e, hn::Set(d, T(1)));
#endif
    }
  }
  HWY_INLINE V potential(D d) const {
    using T = hn::TFromD<D>;
    if constexpr (sizeof(T) == 8) {
      return hn::Set(d, T(1));
    } else {
#if UPSWEEP_FINE_ROOTS
      return hn::NegMulAdd(q, y2, hn::Set(d, T(3)));
#else
      const V e = hn::NegMulAdd(q, y2, hn::Set(d, T(1)));
      return hn::MulAdd(hn::MulAdd(e, hn::Set(d, T(0.375)), hn::Set(d, T(0.5))), e, hn::Set(d, T(1)));
#endif
    }
  }
};

// The squared distances between which guarded roots are right. Pairs below are at one point, and pairs above are too
// far apart for T to represent their forces.
template <class T>
inline constexpr T least_square = sizeof(T) == 4 ? T(1e-37f) : T(1e-300);
template <class T>
inline constexpr T largest_square = sizeof(T) == 4 ? T(1e38f) : T(1e307);

template <class D, class V>
HWY_INLINE auto within_reach(D d, V q) {
  using T = hn::TFromD<D>;
  return hn::And(hn::Ge(q, hn::Set(d, least_square<T>)), hn::Le(q, hn::Set(d, largest_square<T>)));
}

template <class T>
inline constexpr std::size_t vectors = 2;  // of targets, in a block

// Sums of a block. Neumaier's sums also store the rounding errors of the additions.
template <class V, bool compensated>
struct sum_of {
  V value, lost;
  HWY_INLINE sum_of() {}  // the compiler's own would be without the target's instructions, as g++ has it for Arm
  HWY_INLINE void clear(V zero) { value = lost = zero; }
  HWY_INLINE void add_product(V a, V b) {
    if constexpr (compensated) {
      const V x = hn::Mul(a, b), sum = hn::Add(value, x), added = hn::Sub(sum, value);
      lost = hn::Add(lost, hn::Add(hn::Sub(value, hn::Sub(sum, added)), hn::Sub(x, added)));
      value = sum;
    } else {
      value = hn::MulAdd(a, b, value);
    }
  }
  HWY_INLINE V total() const { return compensated ? hn::Add(value, lost) : value; }
};

enum class self : std::uint8_t { apart, among };

template <reach far, self own, bool potentials, bool compensated, class T>
void pull_block(const masses<T>& from, const pulled<T>& to, T softening, std::uint64_t first, std::uint64_t at) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t K = vectors<T>;
  const std::size_t lanes = hn::Lanes(d);
  const V eps = hn::Set(d, softening), zero = hn::Zero(d);
  V x[K], y[K], z[K];
  sum_of<V, compensated> ax[K], ay[K], az[K], phi[K];
  for (std::size_t k = 0; k < K; ++k) {
    x[k] = hn::LoadU(d, to.x + at + k * lanes), y[k] = hn::LoadU(d, to.y + at + k * lanes),
    z[k] = hn::LoadU(d, to.z + at + k * lanes);
    ax[k].clear(zero), ay[k].clear(zero), az[k].clear(zero), phi[k].clear(zero);
  }
  for (std::uint64_t j = 0; j < from.count; ++j) {
    const V sx = hn::Set(d, from.x[j]), sy = hn::Set(d, from.y[j]), sz = hn::Set(d, from.z[j]),
            mass = hn::Set(d, from.mass[j]);
    for (std::size_t k = 0; k < K; ++k) {
      const V dx = hn::Sub(sx, x[k]), dy = hn::Sub(sy, y[k]), dz = hn::Sub(sz, z[k]);
      V q = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, eps)));
      V m = mass;
      if constexpr (far == reach::guarded) {
        m = hn::IfThenElseZero(within_reach(d, q), m);
        q = hn::Min(hn::Max(q, hn::Set(d, least_square<T>)), hn::Set(d, largest_square<T>));
      }
      if constexpr (own == self::among) {
        // The lane whose body is this mass. If no lane has it, `lane` is not less than `lanes`.
        const std::uint64_t lane = j - first - at - k * lanes;
        if (lane < lanes) {
          alignas(64) T others[HWY_MAX_BYTES / sizeof(T)];
          hn::Store(m, d, others);
          others[lane] = 0;
          m = hn::Load(d, others);
        }
      }
      const roots<decltype(d)> r(d, q);
      if constexpr (far == reach::guarded) {
        // y³ may be beyond T where m·y²·(y·dx) is not.
        const V pull = hn::Mul(hn::Mul(m, r.y2), r.force);
        ax[k].add_product(pull, hn::Mul(r.y, dx)), ay[k].add_product(pull, hn::Mul(r.y, dy)),
            az[k].add_product(pull, hn::Mul(r.y, dz));
        if constexpr (potentials) phi[k].add_product(hn::Mul(m, r.y), r.potential(d));
      } else {
        const V near = hn::Mul(m, r.y), pull = hn::Mul(hn::Mul(near, r.y2), r.force);
        ax[k].add_product(pull, dx), ay[k].add_product(pull, dy), az[k].add_product(pull, dz);
        if constexpr (potentials) phi[k].add_product(near, r.potential(d));
      }
    }
  }
  const V force = hn::Set(d, force_factor<T>), potential = hn::Set(d, potential_factor<T>);
  for (std::size_t k = 0; k < K; ++k) {
    const auto add = [&](T* sums, V sum, V factor) HWY_ATTR {
      T* s = sums + at + k * lanes;
      hn::StoreU(hn::MulAdd(sum, factor, hn::LoadU(d, s)), d, s);
    };
    add(to.ax, ax[k].total(), force), add(to.ay, ay[k].total(), force), add(to.az, az[k].total(), force);
    if constexpr (potentials) add(to.potential, phi[k].total(), potential);
  }
}

template <reach far, self own, bool potentials, bool compensated, class T>
void pull_all(const masses<T>& from, const pulled<T>& to, T softening, std::uint64_t first) {
  const std::uint64_t block = vectors<T> * hn::Lanes(hn::ScalableTag<T>());
  for (std::uint64_t at = 0; at < to.count; at += block)
    pull_block<far, own, potentials, compensated>(from, to, softening, first, at);
}

// Masses before, among and after the targets. Those among them need guards: m / ε³, the factor of a body with itself,
// may be infinite or NaN.
template <bool potentials, class T>
void pull_with(const masses<T>& from, const pulled<T>& to, T softening, reach far, std::uint64_t first) {
  const auto part = [&](std::uint64_t begin, std::uint64_t end) {
    return masses<T>{from.x + begin, from.y + begin, from.z + begin, from.mass + begin, end - begin};
  };
  const auto apart = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    (far == reach::plain
         ? pull_all<reach::plain, self::apart, potentials, false, T>
         : pull_all<reach::guarded, self::apart, potentials, false, T>)(part(begin, end), to, softening, nobody);
  };
  if (first >= from.count) return apart(0, from.count);
  const std::uint64_t end = first + to.count < from.count ? first + to.count : from.count;
  apart(0, first);
  pull_all<reach::guarded, self::among, potentials, false>(part(first, end), to, softening, std::uint64_t{0});
  apart(end, from.count);
}

template <class T>
void pull(const masses<T>& from, const pulled<T>& to, T softening, reach far, std::uint64_t first) {
  (to.potential ? pull_with<true, T> : pull_with<false, T>)(from, to, softening, far, first);
}

template <class T>
void pull_compensated(const masses<T>& from, const pulled<T>& to, T softening, std::uint64_t first) {
  (to.potential ? pull_all<reach::guarded, self::among, true, true, T>
                : pull_all<reach::guarded, self::among, false, true, T>)(from, to, softening, first);
}

// a = Σ M d u³ - 3 q u⁵ + (15/2 dᵀq u⁷ - 3/2 s u⁵) d, φ = -Σ M u + (3 dᵀq u⁵ - s u³) / 2, with q = S d, s = tr S, u =
// 1/√(d² + ε²). In f32 the moments' part makes do with an approximate u.
template <reach far, bool potentials, class T>
void pull_by_cells_block(const cells<T>& from, const pulled<T>& to, T softening, std::uint64_t at) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t K = vectors<T>;
  const std::size_t lanes = hn::Lanes(d);
  const V eps = hn::Set(d, softening), zero = hn::Zero(d), one = hn::Set(d, T(1));
  const V three = hn::Set(d, T(3)), fifteen_halves = hn::Set(d, T(7.5)), three_halves = hn::Set(d, T(1.5));
  V x[K], y[K], z[K], ax[K], ay[K], az[K], phi[K];
  for (std::size_t k = 0; k < K; ++k) {
    x[k] = hn::LoadU(d, to.x + at + k * lanes), y[k] = hn::LoadU(d, to.y + at + k * lanes),
    z[k] = hn::LoadU(d, to.z + at + k * lanes);
    ax[k] = ay[k] = az[k] = phi[k] = zero;
  }
  for (std::uint64_t j = 0; j < from.centre.count; ++j) {
    const V sx = hn::Set(d, from.centre.x[j]), sy = hn::Set(d, from.centre.y[j]), sz = hn::Set(d, from.centre.z[j]);
    const V xx = hn::Set(d, from.moment[0][j]), xy = hn::Set(d, from.moment[1][j]), xz = hn::Set(d, from.moment[2][j]),
            yy = hn::Set(d, from.moment[3][j]), yz = hn::Set(d, from.moment[4][j]), zz = hn::Set(d, from.moment[5][j]);
    const V mass = hn::Set(d, from.centre.mass[j] * force_factor<T>), trace = hn::Set(d, from.trace[j]);
    for (std::size_t k = 0; k < K; ++k) {
      const V dx = hn::Sub(sx, x[k]), dy = hn::Sub(sy, y[k]), dz = hn::Sub(sz, z[k]);
      V q = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, eps)));
      V near_enough = one;
      if constexpr (far == reach::guarded) {
        near_enough = hn::IfThenElseZero(within_reach(d, q), one);
        q = hn::Min(hn::Max(q, hn::Set(d, least_square<T>)), hn::Set(d, largest_square<T>));
      }
      const roots<decltype(d)> r(d, q);
      // e = d u and p = S e, so that p u² = q u³ and eᵀp = dᵀq u².
      const V ex = hn::Mul(dx, r.y), ey = hn::Mul(dy, r.y), ez = hn::Mul(dz, r.y);
      const V px = hn::MulAdd(xx, ex, hn::MulAdd(xy, ey, hn::Mul(xz, ez)));
      const V py = hn::MulAdd(xy, ex, hn::MulAdd(yy, ey, hn::Mul(yz, ez)));
      const V pz = hn::MulAdd(xz, ex, hn::MulAdd(yz, ey, hn::Mul(zz, ez)));
      const V along = hn::MulAdd(px, ex, hn::MulAdd(py, ey, hn::Mul(pz, ez)));
      const V side = hn::NegMulAdd(three_halves, trace, hn::Mul(fifteen_halves, along));
      const V scale = far == reach::guarded ? hn::Mul(r.y2, near_enough) : r.y2;
      const V pull = hn::Mul(hn::MulAdd(side, r.y2, hn::Mul(mass, r.force)), scale);
      const V turn = hn::Mul(hn::Mul(three, r.y2), scale);
      ax[k] = hn::MulAdd(pull, ex, hn::NegMulAdd(turn, px, ax[k]));
      ay[k] = hn::MulAdd(pull, ey, hn::NegMulAdd(turn, py, ay[k]));
      az[k] = hn::MulAdd(pull, ez, hn::NegMulAdd(turn, pz, az[k]));
      if constexpr (potentials) {
        const V bend = hn::Mul(hn::Set(d, T(-0.5)), hn::MulSub(three, along, trace));
        const V level =
            hn::MulAdd(bend, r.y2, hn::Mul(hn::Set(d, from.centre.mass[j] * potential_factor<T>), r.potential(d)));
        phi[k] = hn::MulAdd(far == reach::guarded ? hn::Mul(level, near_enough) : level, r.y, phi[k]);
      }
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    const auto add = [&](T* sums, V sum) HWY_ATTR {
      T* s = sums + at + k * lanes;
      hn::StoreU(hn::Add(sum, hn::LoadU(d, s)), d, s);
    };
    add(to.ax, ax[k]), add(to.ay, ay[k]), add(to.az, az[k]);
    if constexpr (potentials) add(to.potential, phi[k]);
  }
}

template <class T>
void pull_by_cells(const cells<T>& from, const pulled<T>& to, T softening, reach far) {
  const auto all = [&](auto block) {
    for (std::uint64_t at = 0; at < to.count; at += vectors<T> * hn::Lanes(hn::ScalableTag<T>()))
      block(from, to, softening, at);
  };
  if (far == reach::plain)
    to.potential ? all(pull_by_cells_block<reach::plain, true, T>) : all(pull_by_cells_block<reach::plain, false, T>);
  else
    to.potential ? all(pull_by_cells_block<reach::guarded, true, T>)
                 : all(pull_by_cells_block<reach::guarded, false, T>);
}

// da/dt = Σ m (v / r³ - 3 (d·v) d / r⁵), v and d of the mass less the target's.
template <class T>
void pull_and_jerk(const moving_masses<T>& from, const moving_pulled<T>& to, T softening, std::uint64_t first) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const V eps = hn::Set(d, softening), one = hn::Set(d, T(1)), three = hn::Set(d, T(3));
  for (std::uint64_t at = 0; at < to.at.count; at += lanes) {
    const V x = hn::LoadU(d, to.at.x + at), y = hn::LoadU(d, to.at.y + at), z = hn::LoadU(d, to.at.z + at);
    const V vx = hn::LoadU(d, to.vx + at), vy = hn::LoadU(d, to.vy + at), vz = hn::LoadU(d, to.vz + at);
    V ax = hn::Zero(d), ay = ax, az = ax, phi = ax, jx = ax, jy = ax, jz = ax;
    for (std::uint64_t j = 0; j < from.at.count; ++j) {
      const V dx = hn::Sub(hn::Set(d, from.at.x[j]), x), dy = hn::Sub(hn::Set(d, from.at.y[j]), y),
              dz = hn::Sub(hn::Set(d, from.at.z[j]), z);
      const V wx = hn::Sub(hn::Set(d, from.vx[j]), vx), wy = hn::Sub(hn::Set(d, from.vy[j]), vy),
              wz = hn::Sub(hn::Set(d, from.vz[j]), vz);
      V q = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, eps)));
      V mass = hn::IfThenElseZero(within_reach(d, q), hn::Set(d, from.at.mass[j]));
      const std::uint64_t lane = j - first - at;
      if (lane < lanes) {
        alignas(64) T others[HWY_MAX_BYTES / sizeof(T)];
        hn::Store(mass, d, others);
        others[lane] = 0;
        mass = hn::Load(d, others);
      }
      q = hn::Min(hn::Max(q, hn::Set(d, least_square<T>)), hn::Set(d, largest_square<T>));
      const V u = hn::Div(one, hn::Sqrt(q)), pull = hn::Mul(mass, hn::Mul(u, u));  // m / r²; one u more below
      const V ex = hn::Mul(dx, u), ey = hn::Mul(dy, u), ez = hn::Mul(dz, u);
      const V rate = hn::Mul(three, hn::MulAdd(ex, wx, hn::MulAdd(ey, wy, hn::Mul(ez, wz))));
      const V pull_u = hn::Mul(pull, u);
      ax = hn::MulAdd(pull, ex, ax), ay = hn::MulAdd(pull, ey, ay), az = hn::MulAdd(pull, ez, az);
      phi = hn::NegMulAdd(mass, u, phi);
      jx = hn::MulAdd(pull_u, hn::NegMulAdd(rate, ex, wx), jx);
      jy = hn::MulAdd(pull_u, hn::NegMulAdd(rate, ey, wy), jy);
      jz = hn::MulAdd(pull_u, hn::NegMulAdd(rate, ez, wz), jz);
    }
    const auto add = [&](T* sums, V sum) HWY_ATTR {
      if (sums) hn::StoreU(hn::Add(sum, hn::LoadU(d, sums + at)), d, sums + at);
    };
    add(to.at.ax, ax), add(to.at.ay, ay), add(to.at.az, az), add(to.at.potential, phi);
    add(to.jx, jx), add(to.jy, jy), add(to.jz, jz);
  }
}

template <class T>
const pair_kernels<T>* kernels() {
  static const pair_kernels<T> all{vectors<T> * hn::Lanes(hn::ScalableTag<T>()), pull<T>, pull_compensated<T>,
                                   pull_by_cells<T>, pull_and_jerk<T>};
  return &all;
}

const pair_kernels<float>* float_kernels() { return kernels<float>(); }
const pair_kernels<double>* double_kernels() { return kernels<double>(); }

#undef UPSWEEP_FINE_ROOTS

}  // namespace upsweep::detail::nbody_impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::nbody_impl {

UPSWEEP_EXPORT(float_kernels);
UPSWEEP_EXPORT(double_kernels);

template <>
const pair_kernels<float>& find_pair_kernels<float>() {
  return *UPSWEEP_DISPATCH(float_kernels)();
}
template <>
const pair_kernels<double>& find_pair_kernels<double>() {
  return *UPSWEEP_DISPATCH(double_kernels)();
}

}  // namespace upsweep::detail::nbody_impl
#endif
