// Recurrences of steps that have device source and name their operands, on every device; and the library's own on host
// memory and on memory of the device, where they go by such device source on OpenCL.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

// The last value that is no multiple of 7, and how many steps ago that was: maps that do not commute. 12 bytes.
struct seen_state {
  std::uint32_t value, ago;
};
struct seen_map {
  std::uint32_t value, steps, seen;
};

// Four bytes that may lie where no word does.
struct two_sums {
  std::uint16_t all, odd;
};

}  // namespace

template <>
struct upsweep::opencl_type<two_sums> {
  static constexpr const char* name = "two_sums";
  static constexpr const char* definition = "typedef struct { ushort all, odd; } two_sums;";
};
template <>
struct upsweep::opencl_type<seen_state> {
  static constexpr const char* name = "seen_state";
  static constexpr const char* definition = "typedef struct { uint value, ago; } seen_state;";
};
template <>
struct upsweep::opencl_type<seen_map> {
  static constexpr const char* name = "seen_map";
  static constexpr const char* definition = "typedef struct { uint value, steps, seen; } seen_map;";
};

namespace {

struct seen_steps {
  using state = seen_state;
  using map = seen_map;
  device_span<const std::uint32_t> x;
  device_span<std::uint32_t> ago;
  std::uint16_t of;
  map identity() const { return {0, 0, 0}; }
  map extend(map f, std::uint64_t i) const {
    return x.data()[i] % of != 0 ? map{x.data()[i], 0, 1} : map{f.value, f.steps + 1, f.seen};
  }
  map operator()(map f, map g) const { return g.seen ? g : map{f.value, f.steps + g.steps, f.seen}; }
  state apply(map f, state s) const { return f.seen ? state{f.value, f.steps} : state{s.value, s.ago + f.steps}; }
  state step(std::uint64_t i, state s) const {
    s = x.data()[i] % of != 0 ? state{x.data()[i], 0} : state{s.value, s.ago + 1};
    ago.data()[i] = s.ago;
    return s;
  }
  static constexpr steps_source source{
      .extend = "x[i] % of != 0 ? (seen_map){x[i], 0, 1} : (seen_map){f.value, f.steps + 1, f.seen}",
      .compose = "g.seen ? g : (seen_map){f.value, f.steps + g.steps, f.seen}",
      .apply = "f.seen ? (seen_state){f.value, f.steps} : (seen_state){s.value, s.ago + f.steps}",
      .step =
          "(ago[i] = x[i] % of != 0 ? 0 : s.ago + 1,\n"
          " (seen_state){x[i] % of != 0 ? x[i] : s.value, x[i] % of != 0 ? 0 : s.ago + 1})"};
  auto named_operands() const { return named("x", x, "ago", ago, "of", of); }
};

// Sums in place: state and map of a built-in type.
template <class T>
struct sums {
  using state = T;
  using map = T;
  device_span<T> x;
  map identity() const { return 0; }
  map extend(map f, std::uint64_t i) const { return static_cast<T>(f + x.data()[i]); }
  map operator()(map f, map g) const { return static_cast<T>(f + g); }
  state apply(map f, state s) const { return static_cast<T>(s + f); }
  state step(std::uint64_t i, state s) const { return x.data()[i] = static_cast<T>(s + x.data()[i]); }
  static constexpr steps_source source{
      .extend = "f + x[i]", .compose = "f + g", .apply = "s + f", .step = "(x[i] = s + x[i])"};
  auto named_operands() const { return named("x", x); }
};
using counted_steps = sums<std::uint64_t>;

struct steps_of_two_sums {
  using state = two_sums;
  using map = two_sums;
  device_span<const std::uint16_t> x;
  device_span<std::uint16_t> out;
  static state plus(state s, std::uint16_t v) {
    return {static_cast<std::uint16_t>(s.all + v), static_cast<std::uint16_t>(s.odd + v % 2)};
  }
  map identity() const { return {0, 0}; }
  map extend(map f, std::uint64_t i) const { return plus(f, x.data()[i]); }
  map operator()(map f, map g) const {
    return {static_cast<std::uint16_t>(f.all + g.all), static_cast<std::uint16_t>(f.odd + g.odd)};
  }
  state apply(map f, state s) const { return (*this)(s, f); }
  state step(std::uint64_t i, state s) const {
    s = plus(s, x.data()[i]);
    out.data()[i] = s.odd;
    return s;
  }
  static constexpr steps_source source{.extend = "(two_sums){(ushort)(f.all + x[i]), (ushort)(f.odd + x[i] % 2)}",
                                       .compose = "(two_sums){(ushort)(f.all + g.all), (ushort)(f.odd + g.odd)}",
                                       .apply = "(two_sums){(ushort)(s.all + f.all), (ushort)(s.odd + f.odd)}",
                                       .step =
                                           "(out[i] = (ushort)(s.odd + x[i] % 2),\n"
                                           " (two_sums){(ushort)(s.all + x[i]), (ushort)(s.odd + x[i] % 2)})"};
  auto named_operands() const { return named("x", x, "out", out); }
};

struct wrong_steps : counted_steps {
  steps_source source;
};
struct only_cpp {
  using state = std::uint64_t;
  using map = std::uint64_t;
  map identity() const { return 0; }
  map extend(map f, std::uint64_t) const { return f; }
  map operator()(map f, map g) const { return f + g; }
  state apply(map f, state s) const { return s + f; }
  state step(std::uint64_t, state s) const { return s; }
};

using RecurrencesJit = tests::on_each_device;
INSTANTIATE_TEST_SUITE_P(, RecurrencesJit, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(RecurrencesJit, StructsOfTheUsersOwn) {
  for (const std::size_t n : sizes)
    for (const std::size_t shift : {0, 3}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", shift " + std::to_string(shift));
      const auto x = made_many<std::uint32_t>(n + shift, 2);
      const buffer<std::uint32_t> in(where(), x);
      std::vector<std::uint32_t> want(n + 2 * shift, 0xabcd);
      buffer<std::uint32_t> ago(where(), want);
      seen_state s{5, 9};
      const seen_steps steps{in.span().subspan(shift, n), ago.span().subspan(shift, n), 7};
      const seen_state last = recur(where(), n, steps, s);
      for (std::size_t i = 0; i < n; ++i) {
        s = x[shift + i] % 7 != 0 ? seen_state{x[shift + i], 0} : seen_state{s.value, s.ago + 1};
        want[shift + i] = s.ago;
      }
      expect_same(ago.download(), want, "steps since");
      EXPECT_EQ(last.value, s.value);
      EXPECT_EQ(last.ago, s.ago);
    }
}

// In place, with a carry that goes from call to call in the device's memory.
template <class T>
void expect_sums(const context& where, std::size_t n) {
  SCOPED_TRACE("n = " + std::to_string(n) + ", bytes " + std::to_string(sizeof(T)));
  auto x = made_many<T>(n, 4);
  buffer<T> there(where, x), carry(where, std::vector<T>{1, 3, 1});
  const std::size_t half = n / 2;
  const auto at = carry.span().subspan(1, 1);
  recur(where, half, sums<T>{there.span().subspan(0, half)}, at);
  recur(where, n - half, sums<T>{there.span().subspan(half, n - half)}, at);
  T s = 3;
  for (auto& v : x) v = s = static_cast<T>(s + v);
  expect_same(there.download(), x, "sums");
  expect_same(carry.download(), {1, s, 1}, "carry");
}
TEST_P(RecurrencesJit, CarriesStayOnTheDevice) {
  for (const std::size_t n : sizes) expect_sums<std::uint64_t>(where(), n);
  for (const std::size_t n : {2049, 20011}) {
    expect_sums<std::uint8_t>(where(), n);
    expect_sums<std::uint16_t>(where(), n);

    if (where().kind() == backend::opencl) continue;  // its kernels count places in elements
    const auto x = made_many<std::uint16_t>(n, 5);
    const buffer<std::uint16_t> in(where(), x);
    std::vector<std::uint16_t> want(n);
    buffer<std::uint16_t> out(where(), n), carry(where(), std::vector<std::uint16_t>{1, 7, 9, 1});
    const device_span<two_sums> at(carry.span().subspan(1, 2).where(), 1);
    recur(where(), n, steps_of_two_sums{in.span(), out.span()}, at);
    two_sums s{7, 9};
    for (std::size_t i = 0; i < n; ++i) {
      s = steps_of_two_sums::plus(s, x[i]);
      want[i] = s.odd;
    }
    expect_same(out.download(), want, "how many are odd");
    expect_same(carry.download(), {1, s.all, s.odd, 1}, "two sums");
  }
}

TEST_P(RecurrencesJit, TheLibrarysOwn) {
  const context cpu = context::cpu(1);
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto a = made_many<std::uint64_t>(n, 8), b = made_many<std::uint64_t>(n, 9);
    std::vector<std::uint64_t> want(n), got(n);
    const auto end = recurrence(cpu, a, b, want, 17u);
    EXPECT_EQ(recurrence(where(), a, b, got, 17u), end);
    expect_same(got, want, "on host memory");
    // In place, and off the beginning of its memory.
    std::vector<std::uint64_t> longer(n + 1, 5);
    std::copy(b.begin(), b.end(), longer.begin() + 1);
    buffer<std::uint64_t> all(where(), longer);
    const buffer<std::uint64_t> factors(where(), a);
    const auto part = all.span().subspan(1, n);
    EXPECT_EQ(recurrence(where(), factors, part, part, 17u), end);
    std::copy(want.begin(), want.end(), longer.begin() + 1);
    expect_same(all.download(), longer, "in place");

    std::vector<float> signal(n), smooth(n), filtered(n);
    for (std::size_t i = 0; i < n; ++i) signal[i] = static_cast<float>(a[i] % 64) / 64;
    const float last = moving_average(where(), signal, smooth, 0.25, 2.0f);
    const biquad section{0.02, 0.04, 0.02, -1.56, 0.64};
    const auto state = iir_filter(where(), section, signal, filtered, {0.25f, -0.5f});
    double average = 2, one = 0.25, two = -0.5;
    for (std::size_t i = 0; i < n; ++i) {
      average = 0.75 * average + 0.25 * static_cast<double>(signal[i]);
      ASSERT_NEAR(static_cast<double>(smooth[i]), average, 1e-5) << i;
      const double y = 0.02 * static_cast<double>(signal[i]) + one;
      one = 0.04 * static_cast<double>(signal[i]) + 1.56 * y + two,
      two = 0.02 * static_cast<double>(signal[i]) - 0.64 * y;
      ASSERT_NEAR(static_cast<double>(filtered[i]), y, 1e-4) << i;
    }
    EXPECT_NEAR(static_cast<double>(last), average, 1e-5);
    EXPECT_NEAR(static_cast<double>(state.one), one, 1e-4);
    EXPECT_NEAR(static_cast<double>(state.two), two, 1e-4);
  }
}

TEST_P(RecurrencesJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP() << "it takes the C++";
  buffer<std::uint64_t> x(where(), std::vector<std::uint64_t>(5000, 1));
  const auto call = [&](steps_source sources) {
    recur(where(), 5000, wrong_steps{{x.span()}, sources}, std::uint64_t{0});
  };
  expect_error(fault::bad_argument, {"the extension's source, line 2", "y"},
               [&] { call({"f +\n y[i]", "f + g", "s + f", "s"}); });
  expect_error(fault::bad_argument, {"the composition's source, line 1", "x"},
               [&] { call({"f", "f + g + x[0]", "s + f", "s"}); });
  expect_error(fault::bad_argument, {"the application's source, line 1", "i"},
               [&] { call({"f", "g", "s + f + i", "s"}); });
  expect_error(fault::bad_argument, {"the step's source, line 1, character 1", "it is empty"},
               [&] { call({"f", "g", "s", ""}); });
  expect_error(fault::bad_argument, {"the step's source", "';' is in no expression"},
               [&] { call({"f", "g", "s", "x[i] = 1; s"}); });
  if (where().kind() == backend::opencl)
    expect_error(fault::unsupported, {"recurrence", "C++ does not run on OpenCL", "name their operands"},
                 [&] { recur(where(), 10, only_cpp{}, std::uint64_t{0}); });
}

}  // namespace
