// The library's own steps; each is also an example of the argument of recur(). All of them read the i-th elements of
// sequences and write the i-th of another, which the member by_element declares.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "upsweep/error.hpp"
#include "upsweep/recurrence/recurrence_by_element.hpp"
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
  // Whether applying f to s may differ from its steps by more than rounding: a product of factors passed the range of
  // T, or an infinite state meets a product that is 0 because it is small.
  bool must_step(const map& f, T s) const {
    if constexpr (std::is_floating_point_v<T>)
      return s == s && !(f.factor - f.factor == 0 && f.summand - f.summand == 0 && s - s == 0);
    else
      return false;
  }

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
  UPSWEEP_HD map operator()(map f, map g) const { return {g.factor * f.factor, apply(g, f.summand)}; }
  // A product of many factors may be too small for T, and is 0 then; it is no 0 where the state is infinite.
  UPSWEEP_HD T apply(map f, T s) const {
    return (f.factor == 0 && keep != 0 && s == s && s - s != 0 ? s : f.factor * s) + f.summand;
  }
  UPSWEEP_HD T step(std::uint64_t i, T s) const { return x[i] = keep * s + weight * in[i]; }

  using element = T;
  static constexpr int sequences = 1;
  UPSWEEP_HD const T* from(int) const { return in; }
  UPSWEEP_HD T* to() const { return x; }
  UPSWEEP_HD map extend(map f, const T (&at)[1]) const { return {keep * f.factor, keep * f.summand + weight * at[0]}; }
  UPSWEEP_HD T advance(const T (&at)[1], T& s) const { return s = keep * s + weight * at[0]; }
};

// One second-order section, a0 = 1. Coefficients of 0 after the last b that is not 0 do not count as terms: they are
// not multiplied by an element that is infinite or NaN.
struct biquad {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

template <class T>
struct biquad_state {
  T one, two;
};

// Transposed direct form II, stepped through in T. Maps are in doubles.
//
// Two poles: k steps take the state s to M^k s + w, where w is the state that they lead to from zero. With c = -a1 / 2
// and d = c^2 - a2 the matrix M is c + N where N^2 = d, so that M^k = A + B N is two numbers. States of maps are
// written (one, v), v = c one + two. Near a double pole at 1, as in an integrator of two stages, `one` is large and its
// slope v is small. The rounding of v is small, too, whereas `one` and `two` nearly cancel and would round it away.
//
// One pole, or none: k steps take s to (p^(k-1) (p one + two) + w.one, w.two), p = -a1. Without a pole (p = 0) states
// of two and more steps ago do not contribute, not even an infinity or a NaN.
//
// Poles is 1 or 2 where that is known, and else 0.
template <class T, int Poles = 0>
class biquad_steps {
 public:
  using state = biquad_state<T>;
  struct wide_state {
    double one, two;
  };
  struct map {
    std::uint64_t steps;
    wide_state from_zero;
  };

  biquad_steps(const biquad& f, const T* in, T* out)
      : b0_(static_cast<T>(f.b0)),
        b1_(static_cast<T>(f.b1)),
        b2_(static_cast<T>(f.b2)),
        a1_(static_cast<T>(f.a1)),
        a2_(static_cast<T>(f.a2)),
        in_(in),
        out_(out) {
    for (const double coefficient : {f.b0, f.b1, f.b2, f.a1, f.a2})
      if (!std::isfinite(coefficient))
        core::throw_error(error(fault::bad_argument, "iir_filter", "a coefficient is " + std::to_string(coefficient),
                                "give finite ones"));
    two_poles_ = a2_ != 0;
    c_ = -double(a1_) / 2, d_ = std::fma(c_, c_, -double(a2_));
    ahead_now_ = double(b1_) - double(a1_) * double(b0_);
    ahead_slope_ = c_ * ahead_now_ + (double(b2_) - double(a2_) * double(b0_));
    // More digits than doubles have, where there are: each squaring doubles the relative error.
    long double a = two_poles_ ? c_ : -double(a1_), b = 1;
    for (auto& power : powers_) {
      power[0] = static_cast<double>(a), power[1] = static_cast<double>(b);
      const long double square = two_poles_ ? a * a + d_ * b * b : a * a;
      b = 2 * a * b, a = square;
    }
  }

  // As rounded to T.
  biquad section() const { return {b0_, b1_, b2_, a1_, a2_}; }
  bool two_poles() const { return two_poles_; }
  // Whether n steps are to be made one after the other: the section is unstable, and its response grows so far that
  // what cancels in a composition would not cancel in it as it does step by step.
  bool in_order(std::uint64_t n) const {
    const double radius = !two_poles_ ? std::abs(double(a1_))
                          : d_ < 0    ? std::sqrt(double(a2_))
                                      : std::abs(c_) + std::sqrt(d_);
    return radius > 1 && static_cast<double>(n) * std::log2(radius) > 16;
  }
  // Whether applying f to s may differ from its steps by more than rounding: two poles and infinities.
  bool must_step(const map& f, const state& s) const {
    if (!has_two_poles()) return false;
    const double from_zero = f.from_zero.one + f.from_zero.two, start = double(s.one) + double(s.two);
    return start == start && !(from_zero - from_zero == 0 && start - start == 0);
  }

  UPSWEEP_HD map identity() const { return {0, {0, 0}}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const { return extended(f, in_[i]); }
  UPSWEEP_HD map operator()(map f, map g) const {
    return {f.steps + g.steps, sum(moved(powers_of(g.steps), f.from_zero), g.from_zero)};
  }
  UPSWEEP_HD state apply(map f, state s) const {
    return narrow(sum(moved(powers_of(f.steps), widened(s)), f.from_zero));
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
  UPSWEEP_HD map extend(map f, const T (&at)[1]) const { return extended(f, at[0]); }
  // On CUDA a composition carries the power itself: lanes of a warp have different k, and the table's rows would be
  // read one after the other.
  struct joined {
    double power[2];  // A and B; of one pole p^(k-1), and 0 where k is
    wide_state from_zero;
  };
  UPSWEEP_HD joined nothing_joined() const { return {{1, 0}, {0, 0}}; }
  UPSWEEP_HD joined to_joined(map f) const {
    joined r = powers_of(f.steps);
    r.from_zero = f.from_zero;
    return r;
  }
  UPSWEEP_HD joined join(const joined& f, const joined& g) const {
    joined r = product(f, g);
    r.from_zero = sum(moved(g, f.from_zero), g.from_zero);
    return r;
  }
  UPSWEEP_HD state apply(const joined& f, state s) const { return narrow(sum(moved(f, widened(s)), f.from_zero)); }

  UPSWEEP_HD T advance(const T (&at)[1], state& s) const {
    const T y = output(s, at[0]);
    s = after(s, at[0], y);
    return y;
  }

 private:
  static constexpr int most_bits = 40;

  UPSWEEP_HD bool has_two_poles() const { return Poles == 0 ? two_poles_ : Poles == 2; }

  UPSWEEP_HD static int lowest_bit(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __ffsll(static_cast<long long>(x)) - 1;
#else
    return std::countr_zero(x);
#endif
  }
  UPSWEEP_HD joined powers_of(std::uint64_t steps) const {
    joined r{{1, 0}, {0, 0}};
    if (has_two_poles()) {
      for (std::uint64_t left = steps; left != 0; left &= left - 1) {
        const double* m = powers_[lowest_bit(left)];
        const double a = r.power[0], b = r.power[1];
        r.power[0] = m[0] * a + d_ * (m[1] * b), r.power[1] = m[0] * b + m[1] * a;
      }
    } else if (steps != 0) {
      r.power[1] = 1;
      for (std::uint64_t left = steps - 1; left != 0; left &= left - 1) r.power[0] *= powers_[lowest_bit(left)][0];
    }
    return r;
  }
  UPSWEEP_HD joined product(const joined& f, const joined& g) const {
    if (has_two_poles())
      return {
          {g.power[0] * f.power[0] + d_ * (g.power[1] * f.power[1]), g.power[0] * f.power[1] + g.power[1] * f.power[0]},
          {0, 0}};
    if (f.power[1] == 0) return g;
    if (g.power[1] == 0) return f;
    return {{f.power[0] * -double(a1_) * g.power[0], 1}, {0, 0}};
  }
  // The state that the steps lead to from s without an input.
  UPSWEEP_HD wide_state moved(const joined& f, wide_state s) const {
    const double a = f.power[0], b = f.power[1];
    if (has_two_poles()) return {a * s.one + b * s.two, a * s.two + b * (d_ * s.one)};
    if (b == 0) return s;
    const double next = fed_back(-double(a1_), s.one) + s.two;
    // A power that has become too small for a double takes no infinity to NaN; its sign is that of its zero.
    if (a == 0 && next - next != 0 && next == next) return {a1_ == 0 ? 0 : 1 / a * next, 0};
    return {a1_ == 0 && a == 0 ? 0 : a * next, 0};
  }
  UPSWEEP_HD static wide_state sum(wide_state f, wide_state g) { return {f.one + g.one, f.two + g.two}; }
  UPSWEEP_HD wide_state widened(state s) const {
    if (!has_two_poles()) return {double(s.one), double(s.two)};
    return {double(s.one), fma(c_, double(s.one), double(s.two))};
  }
  UPSWEEP_HD state narrow(wide_state s) const {
    return {static_cast<T>(s.one), static_cast<T>(has_two_poles() ? fma(-c_, s.one, s.two) : s.two)};
  }
  UPSWEEP_HD map extended(const map& f, T in) const {
    const double x = in, one = f.from_zero.one, two = f.from_zero.two;
    if (has_two_poles()) {
      return {f.steps + 1, {c_ * one + two + ahead_now_ * x, c_ * two + d_ * one + ahead_slope_ * x}};
    }
    const double y = double(b0_) * x + one;
    return {f.steps + 1, {ahead_one(x) + two + fed_back(-double(a1_), y), ahead_two(x)}};
  }

  template <class W>
  UPSWEEP_HD static W fed_back(W pole, W y) {
    return pole == 0 ? W(0) : pole * y;
  }
  template <class W>
  UPSWEEP_HD W ahead_one(W x) const {
    return b1_ == 0 && b2_ == 0 ? W(0) : static_cast<W>(b1_) * x;
  }
  template <class W>
  UPSWEEP_HD W ahead_two(W x) const {
    return b2_ == 0 ? W(0) : static_cast<W>(b2_) * x;
  }
  UPSWEEP_HD T output(state s, T x) const { return b0_ * x + s.one; }
  UPSWEEP_HD state after(state s, T x, T y) const {
    if (has_two_poles()) return {ahead_one(x) - a1_ * y + s.two, ahead_two(x) - a2_ * y};
    return {ahead_one(x) + fed_back(-a1_, y) + s.two, ahead_two(x)};
  }

  T b0_, b1_, b2_, a1_, a2_;
  bool two_poles_ = false;
  double c_, d_, ahead_now_, ahead_slope_;  // the last two: the terms that an element adds to a map's state (one, v)
  const T* in_;
  T* out_;
  double powers_[most_bits][2];  // of 2^k steps: A and B, or p^(2^k)
};

}  // namespace upsweep
