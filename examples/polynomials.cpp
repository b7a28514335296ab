// A polynomial of high degree, at one point and at many. Horner's rule is a recurrence, and therefore a reduce of pairs
// by an operator that does not commute. Alternatively a scan computes the powers and a reduce sums the terms.
#include <cmath>
#include <random>

#include "show.hpp"

using namespace upsweep;
using u64 = std::uint64_t;

// The effect of a run of coefficients on the value so far: v -> v·power + value. T is double, or numbers modulo 2^31 -
// 1.
struct modular {
  std::uint32_t x;
  static constexpr std::uint32_t prime = 0x7fffffff;
  UPSWEEP_HD friend modular operator*(modular a, modular b) {
    return {static_cast<std::uint32_t>(u64{a.x} * b.x % prime)};
  }
  UPSWEEP_HD friend modular operator+(modular a, modular b) {
    return {static_cast<std::uint32_t>((u64{a.x} + b.x) % prime)};
  }
};
template <class T>
struct stretch {
  T power, value;
};
template <class T>
struct one_after_another {
  UPSWEEP_HD stretch<T> operator()(stretch<T> a, stretch<T> b) const {
    return {a.power * b.power, a.value * b.power + b.value};
  }
  UPSWEEP_HD static stretch<T> identity() { return {T{1}, T{0}}; }
  static constexpr const char* source = "one_after_another(a, b)";
};
template <>
struct upsweep::opencl_type<stretch<modular>> {
  static constexpr const char* name = "stretch";
  static constexpr const char* definition =
      "typedef struct { uint power, value; } stretch;\n"
      "stretch one_after_another(stretch a, stretch b) {\n"
      "  stretch r;\n"
      "  r.power = (uint)((ulong)a.power * b.power % 0x7ffffffful);\n"
      "  r.value = (uint)(((ulong)a.value * b.power + b.value) % 0x7ffffffful);\n"
      "  return r;\n"
      "}\n";
};
struct product {
  UPSWEEP_HD modular operator()(modular a, modular b) const { return a * b; }
  UPSWEEP_HD static modular identity() { return {1}; }
};
struct sum {
  UPSWEEP_HD modular operator()(modular a, modular b) const { return a + b; }
  UPSWEEP_HD static modular identity() { return {0}; }
};

template <class T>
T horner(const std::vector<T>& c, T x) {  // c[0] belongs to the highest power
  T v = c[0];
  for (u64 i = 1; i < c.size(); ++i) v = v * x + c[i];
  return v;
}

void in_a_field(const context& where, u64 n) {
  std::mt19937 bits(1);
  std::vector<modular> c(n);
  for (modular& v : c) v = {static_cast<std::uint32_t>(bits() % modular::prime)};
  const modular x{1234567};
  std::vector<stretch<modular>> runs(n);
  for (u64 i = 0; i < n; ++i) runs[i] = {x, c[i]};
  const buffer<stretch<modular>> in(where, runs);
  stretch<modular> got{};
  const double taken = show::seconds(where, [&] {
    got = reduce(where, in.span(), one_after_another<modular>::identity(), one_after_another<modular>{});
  });
  modular want{};
  const double loop = show::seconds(where, [&] { want = horner(c, x); });
  show::note("modulo 2^31 - 1", taken, loop);
  std::printf("degree %llu mod 2^31-1: %u; reduce %.3f ms, Horner %.3f ms, %.2f x\n",
              static_cast<unsigned long long>(n - 1), got.value.x, taken * 1e3, loop * 1e3, loop / taken);
  show::verdict("modular", got.value.x == want.x);
  if (where.kind() == backend::opencl) return;

  // The powers, then their weighted sum. The coefficients go from the lowest power up.
  buffer<modular> powers(where, std::vector<modular>(n, x)), terms(where, n);
  exclusive_scan(where, powers.span(), powers.span(), modular{1}, product{});
  const buffer<modular> coefficients(where, c);
  const modular *const power = powers.span().data(), *const from = coefficients.span().data();
  modular* const term = terms.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) { term[i] = power[i] * from[n - 1 - i]; });
  show::verdict("powers", reduce(where, terms.span(), modular{0}, sum{}).x == want.x);

  const u64 points = std::max<u64>(n / 1024, 1), degree = std::min<u64>(n, 4096);
  buffer<modular> values(where, points);
  modular* const value = values.span().data();
  const double many = show::seconds(where, [&] {
    for_each_index(
        where, points,
        [=] UPSWEEP_HD(u64 k) {
          const modular at{static_cast<std::uint32_t>(k * 7919 % modular::prime)};
          modular v{0};
          for (u64 i = 0; i < degree; ++i) v = v * at + from[i];
          value[k] = v;
        },
        16);
  });
  const std::vector<modular> all = values.download();
  bool right = true;
  const std::vector<modular> head(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(degree));
  for (u64 k = 0; k < points; ++k)
    right = right && all[k].x == horner(head, modular{static_cast<std::uint32_t>(k * 7919 % modular::prime)}).x;
  std::printf("degree %llu at %llu points: %.3f ms\n", static_cast<unsigned long long>(degree - 1),
              static_cast<unsigned long long>(points), many * 1e3);
  show::verdict("many points", right);
}

// Throws an error with the index of the first coefficient that is not finite.
void check_coefficients(const context& where, const buffer<stretch<double>>& runs) {
  buffer<u64> least(where, std::vector<u64>{runs.size()});
  u64* const first = least.span().data();
  const stretch<double>* const run = runs.span().data();
  for_each_index(where, runs.size(), [=] UPSWEEP_HD(u64 i) {
    if (!(run[i].value >= -1.7e308 && run[i].value <= 1.7e308)) take_least(first, i);
  });
  if (const u64 bad = least.download()[0]; bad != runs.size())
    throw error(fault::bad_argument, "polynomial", "coefficient " + std::to_string(bad) + " is not finite",
                "give finite ones");
}

// With floats the sum may cancel. Its condition number bounds the lost digits of every summation order.
void in_floats(const context& where, u64 n) {
  for (const double x : {0.99999, -0.99999}) {
    std::vector<double> c(n);
    for (u64 i = 0; i < n; ++i) c[i] = 1.0 + 0.5 * std::sin(double(i));
    std::vector<stretch<double>> runs(n);
    for (u64 i = 0; i < n; ++i) runs[i] = {x, c[i]};
    const buffer<stretch<double>> in(where, runs);
    double got = 0;
    const double taken = show::seconds(where, [&] {
      check_coefficients(where, in);
      got = reduce(where, in.span(), one_after_another<double>::identity(), one_after_another<double>{}).value;
    });
    double plain = 0;
    const double loop = show::seconds(where, [&] { plain = horner(c, x); });
    long double exact = 0, magnitudes = 0;
    for (const double v : c) exact = exact * x + v, magnitudes = magnitudes * std::abs(x) + std::abs(v);
    const double condition = static_cast<double>(magnitudes / std::abs(exact)), unit = 0x1p-53;
    const double error = std::abs(static_cast<double>((got - exact) / exact)),
                 of_loop = std::abs(static_cast<double>((plain - exact) / exact));
    show::note("f64 at " + std::to_string(x), taken, loop);
    std::printf("x = %8.5f, f64: %.15g, condition %.1e, error %.1e (Horner's %.1e); reduce %.3f ms, Horner %.3f ms\n",
                x, got, condition, error, of_loop, taken * 1e3, loop * 1e3);
    // Each step rounds twice. All steps multiply by the same number, so their errors add up. Terms |x|^k with k above
    // 4 / (1 - |x|) are negligible.
    const double steps = std::min(double(n), 4 / (1 - std::abs(x)));
    show::verdict("floats", error <= 2 * steps * unit * condition);
    runs[n / 2].value = x > 0 ? INFINITY : NAN;
    try {
      check_coefficients(where, buffer<stretch<double>>(where, runs));
      show::verdict("a coefficient that is not finite", false);
    } catch (const upsweep::error& e) {
      show::verdict("a coefficient that is not finite",
                    std::string(e.what()).find("coefficient " + std::to_string(n / 2)) != std::string::npos);
    }
  }
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 18);
    const context where = context::named(o.device);
    in_a_field(where, o.n);
    if (where.kind() != backend::opencl) in_floats(where, o.n);
  });
}
