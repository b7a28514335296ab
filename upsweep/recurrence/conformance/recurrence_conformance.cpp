// Conformance tests of recurrences. Integers are compared exactly. Floats are compared with the loop in a wider type.
// Each may differ by four times the rounding error that the loop itself may have, since products of factors are grouped
// in another way. A factor that has become subnormal counts as zero, for which the bound is slightly larger.
#include <algorithm>
#include <cmath>
#include <limits>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/recurrence/recurrence_problem.hpp"

namespace upsweep::detail::recurrence_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

template <class T>
using wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// ---- forms

// Low pass, a notch close to the circle, a resonance, no recursion at all, one pole, nothing.
constexpr biquad sections[]{{0.02, 0.04, 0.02, -1.56, 0.64}, {1, -1.9, 1, -1.86, 0.9604}, {0.1, 0, -0.1, 0.5, 0.98},
                            {0.25, 0.5, 0.25, 0, 0},         {0.1, 0, 0, -0.9, 0},        {1, 0, 0, 0, 0}};

std::vector<problem> of_types(primitive what, std::initializer_list<dtype> types) {
  std::vector<problem> all;
  for (const dtype type : types) {
    problem p;
    p.what = what, p.type = type;
    all.push_back(p);
  }
  return all;
}

std::vector<problem> recurrence_forms(bool) {
  return of_types(primitive::recurrence, {dtype::u32, dtype::u64, dtype::f32, dtype::f64});
}

std::vector<problem> average_forms(bool) {
  std::vector<problem> all;
  for (const double alpha : {0.25, 0.01, 1.0, 0.0})
    for (problem p : of_types(primitive::moving_average, {dtype::f32, dtype::f64})) {
      p.keep = 1 - alpha, p.weight = alpha;
      all.push_back(p);
    }
  return all;
}

std::vector<problem> biquad_forms(bool) {
  std::vector<problem> all;
  for (const biquad& section : sections)
    for (problem p : of_types(primitive::biquad, {dtype::f32, dtype::f64})) {
      p.section = section;
      all.push_back(p);
    }
  return all;
}

void complete(problem&, std::uint64_t, std::uint64_t) {}

// ---- operands

// In (-1, 1). As the kind says: anywhere; rising or falling through all of that; four values, the sign and zero among
// them; mostly close to one; one.
double factor(std::uint64_t i, std::uint64_t n, std::uint64_t seed, input_kind kind) {
  constexpr double four[]{0, 1, -1, 0.5};
  const std::uint64_t bits = mixed(seed + 2 * i);
  const double risen = 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(n) - 1;
  switch (kind) {
    case input_kind::sorted: return risen;
    case input_kind::reversed: return -risen;
    case input_kind::few: return four[bits % 4];
    case input_kind::zipf: return 1 - std::ldexp(1.0, -static_cast<int>(bits % 20));
    case input_kind::constant: return 1;
    default: return signed_unit(bits);
  }
}

// In (-1, 1); in some problems, where all is anywhere, one is a NaN, and so is everything after it.
double summand(std::uint64_t i, std::uint64_t n, std::uint64_t seed, input_kind kind) {
  if (kind == input_kind::uniform && mixed(seed ^ n) % 8 == 0 && i == n / 2)
    return std::numeric_limits<double>::quiet_NaN();
  if (kind == input_kind::constant) return 0.75;
  if (kind == input_kind::few && i % 64 != 0) return 0;  // impulses
  return signed_unit(mixed(seed + 2 * i + 1));
}

array sequence(memory problem::* slot, const problem& p, std::uint64_t seed, input_kind kind, bool factors) {
  return {slot, p.n, size_of(p.type),
          [type = p.type, n = p.n, seed, kind, factors](void* to, std::uint64_t first, std::uint64_t count) {
            with_type(type, [&]<class T>(type_tag<T>) {
              for (std::uint64_t i = first; i < first + count; ++i) {
                T& x = static_cast<T*>(to)[i - first];
                if constexpr (std::is_floating_point_v<T>)
                  x = static_cast<T>(factors ? factor(i, n, seed, kind) : summand(i, n, seed, kind));
                else  // odd factors, or all would soon be forgotten
                  x = static_cast<T>(mixed(seed + 2 * i + !factors) | (factors && kind != input_kind::few));
              }
            });
          },
          false};
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const bool affine = p.what == primitive::recurrence;
  std::vector<array> all{sequence(&problem::in, p, seed, kind, affine)};
  if (affine) all.push_back(sequence(&problem::in2, p, seed, kind, false));
  all.push_back(
      {&problem::in3, 1, state_bytes(p),
       [type = p.type, states = state_bytes(p) / size_of(p.type), seed](void* to, std::uint64_t, std::uint64_t count) {
         with_type(type, [&]<class T>(type_tag<T>) {
           for (std::uint64_t i = 0; i < count * states; ++i)
             static_cast<T*>(to)[i] = std::is_floating_point_v<T> ? static_cast<T>(4 * unit(mixed(seed * 7 + i)) - 2)
                                                                  : static_cast<T>(mixed(seed * 7 + i));
         });
       },
       false});
  all.push_back({&problem::out, p.n, size_of(p.type), {}, true});
  all.push_back({&problem::out2, 1, state_bytes(p), {}, true});
  return all;
}

// ---- reference results

template <class T>
std::string off(const char* what, std::uint64_t i, std::uint64_t n, T got, wider<T> want, wider<T> allowed) {
  const auto error = std::abs(static_cast<wider<T>>(got) - want);
  const bool right = std::isnan(want) ? std::isnan(got) : error <= allowed;
  if (right) return {};
  return std::string(what) + " " + std::to_string(i) + " of " + std::to_string(n) + ": " + number(got) + " is not " +
         number(static_cast<double>(want)) + " within " + number(static_cast<double>(allowed));
}

template <class T>
inline constexpr auto rounding = static_cast<wider<T>>(std::numeric_limits<T>::epsilon()) / 2;

// x_i = a_i·x_{i-1} + b_i. `lost` bounds the effect of all roundings so far: those of a product and a sum at each step,
// of numbers as large as Σ|…|.
template <class T, class Step>
std::string wrong_by_steps(const problem& p, const Step& step) {
  const T* got = p.out.as<const T>();
  wider<T> x = *p.in3.as<const T>(), size = std::abs(x), lost = 0, products = 0;
  const wider<T> flushed = std::numeric_limits<T>::min();
  for (std::uint64_t i = 0; i < p.n; ++i) {
    const auto [a, b] = step(i);
    x = a * x + b;
    size = std::abs(a) * size + std::abs(b);
    lost = std::abs(a) * lost + 3 * rounding<T> * size;
    products = std::abs(a) * products + flushed * (1 + size);
    if (std::string s = off<T>("element", i, p.n, got[i], x, 4 * (lost + rounding<T> * size + products)); !s.empty())
      return s;
  }
  return off<T>("the last state, after", p.n, p.n, *p.out2.as<const T>(), x,
                p.n == 0 ? wider<T>(0) : 4 * (lost + rounding<T> * size + products));
}

template <class T>
std::string wrong_integers(const problem& p) {
  const T *a = p.in.as<const T>(), *b = p.in2.as<const T>(), *got = p.out.as<const T>();
  T x = *p.in3.as<const T>();
  for (std::uint64_t i = 0; i < p.n; ++i) {
    x = static_cast<T>(a[i] * x + b[i]);
    if (got[i] != x)
      return "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": " + std::to_string(got[i]) +
             " is not " + std::to_string(x);
  }
  const T last = *p.out2.as<const T>();
  if (last != x) return "the last state: " + std::to_string(last) + " is not " + std::to_string(x);
  return {};
}

std::string wrong_recurrence(const problem& p, double) {
  const auto floats = [&]<class T>(type_tag<T>) {
    return wrong_by_steps<T>(p, [a = p.in.as<const T>(), b = p.in2.as<const T>()](std::uint64_t i) {
      return std::pair<wider<T>, wider<T>>(a[i], b[i]);
    });
  };
  switch (p.type) {
    case dtype::u32: return wrong_integers<std::uint32_t>(p);
    case dtype::u64: return wrong_integers<std::uint64_t>(p);
    case dtype::f32: return floats(type_tag<float>{});
    default: return floats(type_tag<double>{});
  }
}

std::string wrong_average(const problem& p, double) {
  const auto floats = [&]<class T>(type_tag<T>) {
    const wider<T> keep = static_cast<T>(p.keep), weight = static_cast<T>(p.weight);
    return wrong_by_steps<T>(p, [=, in = p.in.as<const T>()](std::uint64_t i) {
      return std::pair<wider<T>, wider<T>>(keep, weight * in[i]);
    });
  };
  return p.type == dtype::f32 ? floats(type_tag<float>{}) : floats(type_tag<double>{});
}

// The growth of a rounding error over later steps: the powers of the section's matrix, with the sum of their norms and
// the largest. Compositions multiply up to three of them, each with roundings of its own.
struct growth {
  double sum = 0, most = 1;
};
growth growth_of(const biquad& s, std::uint64_t n) {
  growth g;
  double m[4]{1, 0, 0, 1};
  for (std::uint64_t k = 0; k <= n && k < 100'000; ++k) {
    const double norm = std::max(std::abs(m[0]) + std::abs(m[1]), std::abs(m[2]) + std::abs(m[3]));
    g.sum += norm, g.most = std::max(g.most, norm);
    if (norm < 1e-12) break;
    const double next[4]{-s.a1 * m[0] + m[2], -s.a1 * m[1] + m[3], -s.a2 * m[0], -s.a2 * m[1]};
    std::copy(next, next + 4, m);
  }
  return g;
}

template <class T>
std::string wrong_section(const problem& p) {
  using W = wider<T>;
  const biquad s = biquad_steps<T>(p.section, nullptr, nullptr).section();  // as rounded
  const growth g = growth_of(s, p.n);
  const auto factor = static_cast<W>(8 * g.sum + 16 * g.most * g.most * g.most) * rounding<T>;
  const T *in = p.in.as<const T>(), *got = p.out.as<const T>(), *start = p.in3.as<const T>();
  W one = start[0], two = start[1], peak = std::max(std::abs(one), std::abs(two));
  const W sizes = std::abs(s.b0) + std::abs(s.b1) + std::abs(s.b2), back = std::abs(s.a1) + std::abs(s.a2);
  for (std::uint64_t i = 0; i < p.n; ++i) {
    const W x = in[i], y = static_cast<W>(s.b0) * x + one;
    // A section feeds back as many results as it has poles, so that one without any forgets NaN.
    const W once = s.a1 != 0 || s.a2 != 0 ? static_cast<W>(s.a1) * y : W(0),
            twice = s.a2 != 0 ? static_cast<W>(s.a2) * y : W(0);
    // Trailing zeros of b0, b1, b2 are not part of the section: 0 times NaN is not added.
    const W ahead_one = s.b1 != 0 || s.b2 != 0 ? static_cast<W>(s.b1) * x : W(0),
            ahead_two = s.b2 != 0 ? static_cast<W>(s.b2) * x : W(0);
    one = ahead_one - once + two;
    two = ahead_two - twice;
    peak = std::max({peak, sizes * std::abs(x) + back * std::abs(y), std::abs(one), std::abs(two), std::abs(y)});
    if (std::string wrong = off<T>("element", i, p.n, got[i], y, factor * peak); !wrong.empty()) return wrong;
  }
  const T* last = p.out2.as<const T>();
  const W allowed = p.n == 0 ? W(0) : factor * peak;
  if (std::string wrong = off<T>("the first of the last state, after", p.n, p.n, last[0], one, allowed); !wrong.empty())
    return wrong;
  return off<T>("the second of the last state, after", p.n, p.n, last[1], two, allowed);
}

std::string wrong_biquad(const problem& p, double) {
  return p.type == dtype::f32 ? wrong_section<float>(p) : wrong_section<double>(p);
}

// ---- words, and the bench

std::string words(const problem& p) {
  std::string s = std::string(name_of(p.type)) + " " + std::string(name_of(p.what));
  if (p.what == primitive::moving_average) s += ", alpha " + number(p.weight);
  if (p.what == primitive::biquad)
    s += " " + number(p.section.b0) + ", " + number(p.section.b1) + ", " + number(p.section.b2) + "; " +
         number(p.section.a1) + ", " + number(p.section.a2);
  return s;
}

std::vector<problem> timed_recurrence(dtype type, op_kind, bool inclusive) {
  if (inclusive) return {};
  std::vector<problem> all = recurrence_forms(false);
  std::erase_if(all, [&](const problem& p) { return p.type != type || type == dtype::u64; });
  return all;
}

std::vector<problem> timed_average(dtype type, op_kind, bool inclusive) {
  if (inclusive || !(type == dtype::f32 || type == dtype::f64)) return {};
  problem p;
  p.what = primitive::moving_average, p.type = type, p.keep = 0.99, p.weight = 0.01;
  return {p};
}

std::vector<problem> timed_biquad(dtype type, op_kind, bool inclusive) {
  if (inclusive || !(type == dtype::f32 || type == dtype::f64)) return {};
  problem p;
  p.what = primitive::biquad, p.type = type, p.section = sections[0];
  return {p};
}

traffic moves(const problem& p, input_kind) {
  const double bytes = static_cast<double>(p.n * size_of(p.type));
  return {p.what == primitive::recurrence ? 2 * bytes : bytes, bytes};
}

conformance_test conformance_test_with(primitive what) {
  conformance_test e;
  e.what = what;
  e.complete = complete, e.arrays = arrays, e.words = words, e.moves = moves;
  e.in_place = {{&problem::out, &problem::in}, {&problem::out2, &problem::in3}};
  e.kinds = false;
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test affine = conformance_test_with(primitive::recurrence);
  affine.forms = recurrence_forms, affine.wrong = wrong_recurrence, affine.timed = timed_recurrence;
  affine.in_place = {{&problem::out, &problem::in2}, {&problem::out2, &problem::in3}};
  affine.kinds = true;
  affine.huge = [] { return of_types(primitive::recurrence, {dtype::u32}); };

  conformance_test average = conformance_test_with(primitive::moving_average);
  average.forms = average_forms, average.wrong = wrong_average, average.timed = timed_average;
  average.huge = [] { return timed_average(dtype::f32, op_kind::plus, false); };

  conformance_test section = conformance_test_with(primitive::biquad);
  section.forms = biquad_forms, section.wrong = wrong_biquad, section.timed = timed_biquad;
  section.huge = [] { return timed_biquad(dtype::f32, op_kind::plus, false); };

  return {affine, average, section};
}

}  // namespace upsweep::detail::recurrence_impl
