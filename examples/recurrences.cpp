// Recurrences in parallel: a loop in which each step needs the previous one is a scan of maps by composition.
#include <cmath>
#include <random>

#include "show.hpp"

using namespace upsweep;

// x_i = a_i·x_{i-1} + b_i with the library's recurrence.
void first_order(const context& where, std::uint64_t n, double roof) {
  std::mt19937 bits(1);
  std::uniform_real_distribution<float> factor(-0.999f, 0.999f), summand(-1, 1);
  std::vector<float> a(n), b(n), want(n), got(n);
  for (std::uint64_t i = 0; i < n; ++i) a[i] = factor(bits), b[i] = summand(bits);
  std::vector<double> exact(n);
  double s = 1;
  for (std::uint64_t i = 0; i < n; ++i) exact[i] = s = double(a[i]) * s + double(b[i]);
  const double loop = show::seconds(where, [&] {
    float x = 1;
    for (std::uint64_t i = 0; i < n; ++i) want[i] = x = a[i] * x + b[i];
  });
  buffer<float> da(where, a), db(where, b), dx(where, n);
  const double taken = show::seconds(where, [&] { recurrence(where, da.span(), db.span(), dx.span(), 1.0f); });
  got = dx.download();
  show::row("x = a x + b, f32", taken, loop, 12.0 * n, roof);
  const double error = show::error_of(got, exact);
  std::printf("    error against f64: %.1e; the f32 loop's: %.1e\n", error, show::error_of(want, exact));
  show::verdict("x = a x + b", error <= 1e-5);
}

// A scan by a user-defined operator with device source for OpenCL: Fibonacci numbers mod p as products of 2x2
// matrices.
struct matrix {
  std::uint32_t m[4];
};
constexpr std::uint32_t prime = 998244353;
struct times {
  UPSWEEP_HD matrix operator()(const matrix& x, const matrix& y) const {
    const auto entry = [&](int i, int j) {
      return static_cast<std::uint32_t>(
          (std::uint64_t{x.m[2 * i]} * y.m[j] + std::uint64_t{x.m[2 * i + 1]} * y.m[2 + j]) % prime);
    };
    return {{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)}};
  }
  UPSWEEP_HD static matrix identity() { return {{1, 0, 0, 1}}; }
  static constexpr const char* source = "times(a, b)";
};
template <>
struct upsweep::opencl_type<matrix> {
  static constexpr const char* name = "matrix";
  static constexpr const char* definition =
      "typedef struct { uint m[4]; } matrix;\n"
      "matrix times(matrix x, matrix y) {\n"
      "  matrix r;\n"
      "  for (int i = 0; i < 2; ++i)\n"
      "    for (int j = 0; j < 2; ++j)\n"
      "      r.m[2 * i + j] = (uint)(((ulong)x.m[2 * i] * y.m[j] + (ulong)x.m[2 * i + 1] * y.m[2 + j]) % "
      "998244353ul);\n"
      "  return r;\n"
      "}\n";
};

void second_order(const context& where, std::uint64_t n) {
  std::vector<matrix> powers(n, matrix{{1, 1, 1, 0}});
  inclusive_scan(where, powers, powers, times{});
  std::uint32_t now = 0, next = 1;
  bool right = true;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint32_t sum = static_cast<std::uint32_t>((std::uint64_t{now} + next) % prime);
    now = next, next = sum;
    right = right && powers[i].m[1] == now;
  }
  std::printf("Fibonacci mod %u: F(%llu) = %u, on %s\n", prime, static_cast<unsigned long long>(n), now,
              where.name().c_str());
  show::verdict("Fibonacci", right);
}

// A sixth-order Butterworth low-pass at 1/20 of the sample rate, as three sections; and an exponential moving average.
void filters(const context& where, std::uint64_t n, double roof) {
  const double w = std::tan(M_PI / 20), pi12 = M_PI / 12;
  biquad sections[3];
  for (int k = 0; k < 3; ++k) {
    const double q = 1 / (2 * std::cos((2 * k + 1) * pi12)), norm = 1 / (1 + w / q + w * w);
    sections[k] = {w * w * norm, 2 * w * w * norm, w * w * norm, 2 * (w * w - 1) * norm, (1 - w / q + w * w) * norm};
  }
  std::vector<float> x(n), want(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = std::sin(0.01f * float(i)) + 0.5f * std::sin(1.9f * float(i));
  const auto in_a_loop = [&](auto& y) {
    using T = std::remove_reference_t<decltype(y[0])>;
    for (const biquad& f : sections) {
      T one = 0, two = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        const T in = y[i], out = T(f.b0) * in + one;
        one = T(f.b1) * in - T(f.a1) * out + two, two = T(f.b2) * in - T(f.a2) * out;
        y[i] = out;
      }
    }
  };
  std::vector<double> exact(x.begin(), x.end());
  in_a_loop(exact);
  const double loop = show::seconds(where, [&] { want = x, in_a_loop(want); });
  buffer<float> in(where, x), out(where, n);
  const double taken = show::seconds(where, [&] {
    iir_filter(where, sections[0], in.span(), out.span());
    iir_filter(where, sections[1], out.span(), out.span());
    iir_filter(where, sections[2], out.span(), out.span());
  });
  show::row("Butterworth of order 6, f32", taken, loop, 24.0 * n, roof);
  const double error = show::error_of(out.download(), exact);
  std::printf("    error against f64: %.1e; the f32 loop's: %.1e\n", error, show::error_of(want, exact));
  show::verdict("Butterworth", error <= 1e-5);

  double s = x[0];
  for (std::uint64_t i = 0; i < n; ++i) exact[i] = s = 0.99 * s + 0.01 * double(x[i]);
  const double average_loop = show::seconds(where, [&] {
    float y = x[0];
    for (std::uint64_t i = 0; i < n; ++i) want[i] = y = 0.99f * y + 0.01f * x[i];
  });
  const double average = show::seconds(where, [&] { moving_average(where, in.span(), out.span(), 0.01, x[0]); });
  show::row("moving average, f32", average, average_loop, 8.0 * n, roof);
  show::verdict("moving average", show::error_of(out.download(), exact) <= 1e-5);
}

// The selective scan of state-space models (Gu and Dao 2023): for each sequence of a batch and each channel, h =
// exp(delta A) h + delta B x over 16 states, y = C·h. The factor at the start of a sequence is 0, so the previous
// sequence has no effect and a whole batch is one recurrence. User-defined steps only define their composition.
constexpr int states = 16, fours = states / 4;
struct alignas(16) four {  // one aligned load
  float of[4];
};
struct hidden {
  float h[states];
};
struct selective_scan {
  using state = hidden;
  struct map {
    float factor[states], summand[states];
  };
  const float *x, *delta;  // [batch][channel][time]
  const four *b, *c;       // [batch·channel·time][state] here; models share them between channels
  const four* keep;        // exp(delta A) in the same layout; 0 at the start of a sequence
  float* y;

  UPSWEEP_HD map identity() const {
    map f;
    for (int s = 0; s < states; ++s) f.factor[s] = 1, f.summand[s] = 0;
    return f;
  }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const {
    const float in = delta[i] * x[i];
    for (int q = 0; q < fours; ++q) {
      const four kept = keep[i * fours + q], weight = b[i * fours + q];
      for (int k = 0; k < 4; ++k) {
        f.factor[4 * q + k] *= kept.of[k];
        f.summand[4 * q + k] = kept.of[k] * f.summand[4 * q + k] + in * weight.of[k];
      }
    }
    return f;
  }
  UPSWEEP_HD map operator()(const map& f, const map& g) const {
    map r;
    for (int s = 0; s < states; ++s) {
      r.factor[s] = g.factor[s] * f.factor[s];
      r.summand[s] = g.factor[s] * f.summand[s] + g.summand[s];
    }
    return r;
  }
  UPSWEEP_HD hidden apply(const map& f, hidden h) const {
    for (int s = 0; s < states; ++s) h.h[s] = f.factor[s] * h.h[s] + f.summand[s];
    return h;
  }
  UPSWEEP_HD hidden step(std::uint64_t i, hidden h) const {
    const float in = delta[i] * x[i];
    float sum = 0;
    for (int q = 0; q < fours; ++q) {
      const four kept = keep[i * fours + q], weight = b[i * fours + q], out = c[i * fours + q];
      for (int k = 0; k < 4; ++k) {
        h.h[4 * q + k] = kept.of[k] * h.h[4 * q + k] + in * weight.of[k];
        sum += out.of[k] * h.h[4 * q + k];
      }
    }
    y[i] = sum;
    return h;
  }
};

void state_space(const context& where, std::uint64_t n, double roof) {
  const std::uint64_t length = 1000, rows = std::max<std::uint64_t>(n / 32 / length, 1), count = rows * length;
  std::mt19937 bits(2);
  std::uniform_real_distribution<float> signal(-1, 1), step(0.001f, 0.1f);
  std::vector<float> x(count), delta(count), b(count * states), c(count * states), a(states);
  for (float& v : x) v = signal(bits);
  for (float& v : delta) v = step(bits);
  for (float& v : b) v = signal(bits);
  for (float& v : c) v = signal(bits);
  for (int s = 0; s < states; ++s) a[s] = float(-1 - s);
  std::vector<double> exact(count);
  std::vector<float> loop_y(count);
  const auto in_a_loop = [&]<class T>(std::vector<T>& out) {
    for (std::uint64_t r = 0; r < rows; ++r) {
      T h[states] = {};
      for (std::uint64_t i = r * length; i < (r + 1) * length; ++i) {
        T sum = 0;
        for (int s = 0; s < states; ++s) {
          h[s] = std::exp(T(delta[i]) * T(a[s])) * h[s] + T(delta[i]) * T(b[i * states + s]) * T(x[i]);
          sum += T(c[i * states + s]) * h[s];
        }
        out[i] = sum;
      }
    }
  };
  in_a_loop(exact);
  const double loop = show::seconds(where, [&] { in_a_loop(loop_y); });
  buffer<float> dx(where, x), ddelta(where, delta), db(where, b), dc(where, c), da(where, a), dy(where, count);
  buffer<four> dkeep(where, count * fours);
  const float *delta_at = ddelta.span().data(), *a_at = da.span().data();
  four* const keep = dkeep.span().data();
  const auto decay = [=] UPSWEEP_HD(std::uint64_t at) {  // four states of one step
    const std::uint64_t i = at / fours;
    four kept;
    for (int k = 0; k < 4; ++k) kept.of[k] = i % length == 0 ? 0.0f : expf(delta_at[i] * a_at[at % fours * 4 + k]);
    keep[at] = kept;
  };
  const auto in_fours = [](const buffer<float>& x) { return reinterpret_cast<const four*>(x.span().data()); };
  const selective_scan steps{dx.span().data(), delta_at, in_fours(db), in_fours(dc), keep, dy.span().data()};
  const double taken = show::seconds(where, [&] {
    for_each_index(where, count * fours, decay);
    recur(where, count, steps, hidden{});
  });
  const double error = show::error_of(dy.download(), exact);
  show::row("selective scan, 16 states, f32", taken, loop, 4.0 * count * (3 + 4 * states), roof);
  std::printf("    %llu sequences of %llu; error against f64: %.1e\n", static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(length), error);
  show::verdict("selective scan", error <= 1e-5);
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 20);
    const context where = context::named(o.device);
    second_order(where, o.n / 8);
    if (where.kind() == backend::opencl) return;  // the rest is C++ steps
    const double roof = show::copy_rate(where, 12 * o.n);
    first_order(where, o.n, roof);
    filters(where, o.n, roof);
    state_space(where, o.n, roof);
  });
}
