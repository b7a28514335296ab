// The steps that the library brings with it; each is also an example of what recur() takes. All of them read the i-th
// elements of sequences and write the i-th of another, and say so: by_element.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "upsweep/error.hpp"
#include "upsweep/recurrence/by_element.hpp"
#include "upsweep/types.hpp"

namespace upsweep {

// x -> factor·x + summand.
template <class T>
struct affine_map {
  T factor, summand;
};

// x_i = a_i·x_{i-1} + b_i.
template <class T>
struct affine_steps {
  using state = T;
  using map = affine_map<T>;
  const T *a, *b;
  T* x;

  UPSWEEP_HD map identity() const { return {1, 0}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const { return {a[i] * f.factor, a[i] * f.summand + b[i]}; }
  UPSWEEP_HD map operator()(map f, map g) const { return {g.factor * f.factor, g.factor * f.summand + g.summand}; }
  UPSWEEP_HD T apply(map f, T s) const { return f.factor * s + f.summand; }
  UPSWEEP_HD T step(std::uint64_t i, T s) const { return x[i] = a[i] * s + b[i]; }

  using element = T;
  static constexpr int sequences = 2;
  UPSWEEP_HD const T* from(int k) const { return k == 0 ? a : b; }
  UPSWEEP_HD T* to() const { return x; }
  UPSWEEP_HD map extend(map f, const T (&at)[2]) const { return {at[0] * f.factor, at[0] * f.summand + at[1]}; }
  UPSWEEP_HD T advance(const T (&at)[2], T& s) const { return s = at[0] * s + at[1]; }
};

// x_i = keep·x_{i-1} + weight·in_i.
template <class T>
struct decay_steps {
  using state = T;
  using map = affine_map<T>;
  T keep, weight;
  const T* in;
  T* x;

  UPSWEEP_HD map identity() const { return {1, 0}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const { return {keep * f.factor, keep * f.summand + weight * in[i]}; }
  UPSWEEP_HD map operator()(map f, map g) const { return {g.factor * f.factor, g.factor * f.summand + g.summand}; }
  UPSWEEP_HD T apply(map f, T s) const { return f.factor * s + f.summand; }
  UPSWEEP_HD T step(std::uint64_t i, T s) const { return x[i] = keep * s + weight * in[i]; }

  using element = T;
  static constexpr int sequences = 1;
  UPSWEEP_HD const T* from(int) const { return in; }
  UPSWEEP_HD T* to() const { return x; }
  UPSWEEP_HD map extend(map f, const T (&at)[1]) const { return {keep * f.factor, keep * f.summand + weight * at[0]}; }
  UPSWEEP_HD T advance(const T (&at)[1], T& s) const { return s = keep * s + weight * at[0]; }
};

// One second-order section, a0 = 1.
struct biquad {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

template <class T>
struct biquad_state {
  T one, two;
};

// Transposed direct form II. k steps take the state s to Mᵏ·s + w, and w is where they lead from zero; so a map is k
// and w, and only compositions need Mᵏ, from a table of M^1, M^2, M^4, ….
template <class T>
class biquad_steps {
 public:
  using state = biquad_state<T>;
  struct map {
    std::uint64_t steps;
    state from_zero;
  };

  biquad_steps(const biquad& f, const T* in, T* out)
      : b0_(static_cast<T>(f.b0)),
        b1_(static_cast<T>(f.b1)),
        b2_(static_cast<T>(f.b2)),
        a1_(static_cast<T>(f.a1)),
        a2_(static_cast<T>(f.a2)),
        in_(in),
        out_(out) {
    for (const double c : {f.b0, f.b1, f.b2, f.a1, f.a2})
      if (!std::isfinite(c))
        throw error(fault::bad_argument, "filter", "a coefficient is " + std::to_string(c), "give finite ones");
    double m[4] = {-double(a1_), 1, -double(a2_), 0};
    for (auto& power : powers_) {
      for (int k = 0; k < 4; ++k) power[k] = static_cast<T>(m[k]);
      const double square[4] = {m[0] * m[0] + m[1] * m[2], m[0] * m[1] + m[1] * m[3], m[2] * m[0] + m[3] * m[2],
                                m[2] * m[1] + m[3] * m[3]};
      for (int k = 0; k < 4; ++k) m[k] = square[k];
    }
  }

  // As rounded to T.
  biquad section() const { return {b0_, b1_, b2_, a1_, a2_}; }

  UPSWEEP_HD map identity() const { return {0, {0, 0}}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const {
    return {f.steps + 1, after(f.from_zero, in_[i], output(f.from_zero, in_[i]))};
  }
  UPSWEEP_HD map operator()(map f, map g) const { return {f.steps + g.steps, apply(g, f.from_zero)}; }
  UPSWEEP_HD state apply(map f, state s) const {
    for (std::uint64_t left = f.steps; left != 0; left &= left - 1) {
      const T* m = powers_[lowest_bit(left)];
      s = {m[0] * s.one + m[1] * s.two, m[2] * s.one + m[3] * s.two};
    }
    return {s.one + f.from_zero.one, s.two + f.from_zero.two};
  }
  UPSWEEP_HD state step(std::uint64_t i, state s) const {
    const T x = in_[i], y = output(s, x);
    out_[i] = y;
    return after(s, x, y);
  }

  using element = T;
  static constexpr int sequences = 1;
  UPSWEEP_HD const T* from(int) const { return in_; }
  UPSWEEP_HD T* to() const { return out_; }
  UPSWEEP_HD map extend(map f, const T (&at)[1]) const {
    return {f.steps + 1, after(f.from_zero, at[0], output(f.from_zero, at[0]))};
  }
  // On CUDA a composition carries Mᵏ itself: lanes of a warp have different k, and the table's rows would be read one
  // after the other.
  struct joined {
    T power[4];
    state from_zero;
  };
  UPSWEEP_HD joined nothing_joined() const { return {{1, 0, 0, 1}, {0, 0}}; }
  UPSWEEP_HD joined lift(map f) const {
    joined r{{1, 0, 0, 1}, f.from_zero};
    for (std::uint64_t left = f.steps; left != 0; left &= left - 1) multiply(powers_[lowest_bit(left)], r.power);
    return r;
  }
  UPSWEEP_HD joined join(const joined& f, const joined& g) const {
    joined r{{f.power[0], f.power[1], f.power[2], f.power[3]}, apply(g, f.from_zero)};
    multiply(g.power, r.power);
    return r;
  }
  UPSWEEP_HD state apply(const joined& f, state s) const {
    return {f.power[0] * s.one + f.power[1] * s.two + f.from_zero.one,
            f.power[2] * s.one + f.power[3] * s.two + f.from_zero.two};
  }

  UPSWEEP_HD T advance(const T (&at)[1], state& s) const {
    const T y = output(s, at[0]);
    s = after(s, at[0], y);
    return y;
  }

 private:
  static constexpr int most_bits = 40;

  UPSWEEP_HD static void multiply(const T* m, T (&x)[4]) {  // x = m·x
    const T above[2] = {x[0], x[1]};
    for (int k = 0; k < 2; ++k) {
      x[k] = m[0] * above[k] + m[1] * x[2 + k];
      x[2 + k] = m[2] * above[k] + m[3] * x[2 + k];
    }
  }
  UPSWEEP_HD static int lowest_bit(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __ffsll(static_cast<long long>(x)) - 1;
#else
    return std::countr_zero(x);
#endif
  }

  UPSWEEP_HD T output(state s, T x) const { return b0_ * x + s.one; }
  UPSWEEP_HD state after(state s, T x, T y) const { return {b1_ * x - a1_ * y + s.two, b2_ * x - a2_ * y}; }

  T b0_, b1_, b2_, a1_, a2_;
  const T* in_;
  T* out_;
  T powers_[most_bits][4];
};

}  // namespace upsweep
