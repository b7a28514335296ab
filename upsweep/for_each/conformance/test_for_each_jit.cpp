// for_each_index and recurrences of functions that have device source: on the CPU their C++, on CUDA their device
// source, and on OpenCL that of those that name their operands.
#include "tests/jit_operators.hpp"

namespace elsewhere {

// In a namespace of the user's own.
UPSWEEP_WITH_SOURCE(tripled, {
  std::uint32_t* data;
  std::uint32_t more;
  UPSWEEP_HD void operator()(std::uint64_t i) const { data[i] = data[i] * 3 + more; }
});

// The last value that is no multiple of 7, and how many steps ago that was: maps that do not commute.
UPSWEEP_WITH_SOURCE(last_seen, {
  struct state {
    std::uint32_t value;
    std::uint32_t ago;
  };
  struct map {
    std::uint32_t value, steps, seen;
  };
  const std::uint32_t* x;
  std::uint32_t* ago;
  UPSWEEP_HD map identity() const { return {0, 0, 0}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const {
    return x[i] % 7 != 0 ? map{x[i], 0, 1} : map{f.value, f.steps + 1, f.seen};
  }
  UPSWEEP_HD map operator()(map f, map g) const { return g.seen ? g : map{f.value, f.steps + g.steps, f.seen}; }
  UPSWEEP_HD state apply(map f, state s) const {
    return f.seen ? state{f.value, f.steps} : state{s.value, s.ago + f.steps};
  }
  UPSWEEP_HD state step(std::uint64_t i, state s) const {
    s = x[i] % 7 != 0 ? state{x[i], 0} : state{s.value, s.ago + 1};
    ago[i] = s.ago;
    return s;
  }
});

// x_i = a_i · x_{i-1} + 1 modulo 2^64, by element.
UPSWEEP_WITH_SOURCE(growing, {
  using state = std::uint64_t;
  struct map {
    std::uint64_t factor, summand;
  };
  using element = std::uint64_t;
  static constexpr int sequences = 1;
  const std::uint64_t* a;
  std::uint64_t* x;
  UPSWEEP_HD map identity() const { return {1, 0}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const { return {a[i] * f.factor, a[i] * f.summand + 1}; }
  UPSWEEP_HD map operator()(map f, map g) const { return {g.factor * f.factor, g.factor * f.summand + g.summand}; }
  UPSWEEP_HD state apply(map f, state s) const { return f.factor * s + f.summand; }
  UPSWEEP_HD state step(std::uint64_t i, state s) const { return x[i] = a[i] * s + 1; }
  UPSWEEP_HD const std::uint64_t* from(int) const { return a; }
  UPSWEEP_HD std::uint64_t* to() const { return x; }
  UPSWEEP_HD map extend(map f, const std::uint64_t(&at)[1]) const { return {at[0] * f.factor, at[0] * f.summand + 1}; }
  UPSWEEP_HD std::uint64_t advance(const std::uint64_t(&at)[1], std::uint64_t& s) const { return s = at[0] * s + 1; }
});
static_assert(upsweep::by_element<growing> && !upsweep::by_element<last_seen>);

struct differs {
  std::uint32_t* data;
  void operator()(std::uint64_t i) const { data[i] = 1; }
};
constexpr upsweep::code_source upsweep_source_of(const differs*) {
  return {"differs",
          "struct differs {\n  unsigned* data;\n  void operator()(unsigned long i) const { data[i] = one; }\n};"};
}

}  // namespace elsewhere

namespace {

using namespace upsweep;
using tests::expect_error;

struct CodeJit : tests::on_each_device {
  void SetUp() override {
    if (where().kind() == backend::opencl) GTEST_SKIP() << "a whole definition in C++ does not run on OpenCL";
  }
};
INSTANTIATE_TEST_SUITE_P(, CodeJit, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(CodeJit, EveryIndexOnce) {
  for (const std::size_t n : sizes) {
    auto x = made_many<std::uint32_t>(n, 1);
    buffer<std::uint32_t> in(where(), x);
    for_each_index(where(), n, elsewhere::tripled{in.span().data(), static_cast<std::uint32_t>(n)});
    for (auto& v : x) v = v * 3 + static_cast<std::uint32_t>(n);
    expect_same(in.download(), x, "tripled");
  }
}

TEST_P(CodeJit, Recurrences) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto x = made_many<std::uint32_t>(n, 2);
    const buffer<std::uint32_t> in(where(), x);
    buffer<std::uint32_t> ago(where(), made_many<std::uint32_t>(n, 3));
    const auto last =
        recur(where(), n, elsewhere::last_seen{in.span().data(), ago.span().data()}, elsewhere::last_seen::state{5, 9});
    std::vector<std::uint32_t> want(n);
    elsewhere::last_seen::state s{5, 9};
    for (std::size_t i = 0; i < n; ++i) {
      s = x[i] % 7 != 0 ? elsewhere::last_seen::state{x[i], 0} : elsewhere::last_seen::state{s.value, s.ago + 1};
      want[i] = s.ago;
    }
    expect_same(ago.download(), want, "steps since");
    EXPECT_EQ(last.value, s.value);
    EXPECT_EQ(last.ago, s.ago);

    const auto a = made_many<std::uint64_t>(n, 4);
    const buffer<std::uint64_t> factors(where(), a);
    buffer<std::uint64_t> grown(where(), made_many<std::uint64_t>(n, 5));
    const auto end =
        recur(where(), n, elsewhere::growing{factors.span().data(), grown.span().data()}, std::uint64_t{3});
    std::vector<std::uint64_t> all(n);
    std::uint64_t v = 3;
    for (std::size_t i = 0; i < n; ++i) all[i] = v = a[i] * v + 1;
    expect_same(grown.download(), all, "states");
    EXPECT_EQ(end, v);
  }
}

TEST_P(CodeJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() != backend::cuda) GTEST_SKIP();
  buffer<std::uint32_t> in(where(), 10);
  expect_error(fault::bad_argument, {"for_each_index, the source of differs, line 3", "\"one\" is undefined"},
               [&] { for_each_index(where(), 10, elsewhere::differs{in.span().data()}); });
  std::uint32_t* const data = in.span().data();
  expect_error(fault::unsupported, {"for_each_index", "UPSWEEP_WITH_SOURCE"},
               [&] { for_each_index(where(), 10, [data](std::uint64_t i) { data[i] = 1; }); });
}

// ---- By statements in named operands.

// Spans of which one is read, values, and a struct of the user's own.
struct weighed {
  device_span<const record> from;
  device_span<float> to;
  device_span<std::uint64_t> places;
  float by;
  std::uint8_t skip;
  bool twice;
  record beside;
  void operator()(std::uint64_t i) const {
    const record r = from.data()[i];
    if (r.tag % skip == 0) return;
    to.data()[i] = r.x * by * (twice ? 2 : 1) + static_cast<float>(beside.key);
    places.data()[i] = i * 3 + r.tag;
  }
  static constexpr const char* source =
      "const record r = from[i];\n"
      "if (r.tag % skip == 0) return;\n"
      "to[i] = r.x * by * (twice ? 2 : 1) + (float)beside.key;\n"
      "places[i] = i * 3 + r.tag;";
  auto named_operands() const {
    return named("from", from, "to", to, "places", places, "by", by, "skip", skip, "twice", twice, "beside", beside);
  }
};

struct least_of_class {
  device_span<const std::uint32_t> x;
  device_span<std::uint64_t> least;
  void operator()(std::uint64_t i) const {
    std::uint64_t* const to = least.data() + x.data()[i] % 7;
    if (i < least_so_far(to)) take_least(to, i);
  }
  static constexpr const char* source =
      "global ulong* to = least + x[i] % 7; if (i < least_so_far(to)) take_least(to, i);";
  auto named_operands() const { return named("x", x, "least", least); }
};

struct wrong_statements {
  device_span<float> x;
  void operator()(std::uint64_t) const {}
  std::string source;
  auto named_operands() const { return named("x", x); }
};
struct without_operands {
  void operator()(std::uint64_t) const {}
  static constexpr const char* source = ";";
};

using StatementsJit = tests::on_each_device;
INSTANTIATE_TEST_SUITE_P(, StatementsJit, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(StatementsJit, EveryIndexOnce) {
  for (const std::size_t n : sizes)
    for (const std::size_t shift : {0, 3}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", shift " + std::to_string(shift));
      const auto records = made_many<record>(n + shift, 6);
      std::vector<float> want(n + 2 * shift, -1);
      std::vector<std::uint64_t> places(n, 77);
      const buffer<record> from(where(), records);
      buffer<float> to(where(), want);
      buffer<std::uint64_t> there(where(), places);
      const record beside{-12, 1, 2};
      for_each_index(where(), n,
                     weighed{from.span().subspan(shift, n), to.span().subspan(shift, n), there.span(), 0.5f, 5,
                             n % 2 == 1, beside});
      for (std::size_t i = 0; i < n; ++i) {
        const record r = records[shift + i];
        if (r.tag % 5 == 0) continue;
        want[shift + i] = r.x * 0.5f * (n % 2 == 1 ? 2.0f : 1.0f) + -12.0f;
        places[i] = i * 3 + r.tag;
      }
      expect_same(to.download(), want, "weighed");
      expect_same(there.download(), places, "places");
    }
}

TEST_P(StatementsJit, TheLeastOfAll) {
  for (const std::size_t n : sizes) {
    const auto x = made_many<std::uint32_t>(n, 7);
    std::vector<std::uint64_t> want(7, ~std::uint64_t{0});
    const buffer<std::uint32_t> in(where(), x);
    buffer<std::uint64_t> least(where(), want);
    for_each_index(where(), n, least_of_class{in.span(), least.span()});
    for (std::size_t i = n; i-- > 0;) want[x[i] % 7] = i;
    expect_same(least.download(), want, "least");
  }
}

TEST_P(StatementsJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP() << "it takes the C++";
  buffer<float> x(where(), 10);
  const auto call = [&](const char* source) { for_each_index(where(), 10, wrong_statements{x.span(), source}); };
  expect_error(fault::bad_argument, {"the function's source, line 2", "missing"},
               [&] { call("x[i] = 1;\nx[i] = missing;"); });
  expect_error(fault::bad_argument, {"for_each_index, the function's source, line 1, character 2", "never closed"},
               [&] { call("x[i = 1;"); });
  expect_error(fault::bad_argument, {"character 7", "there is no opening bracket for '}' closes"},
               [&] { call("x[i]; }"); });
  expect_error(fault::bad_argument, {"'#' is in no such source"}, [&] { call("#define x y\n"); });
  expect_error(fault::bad_argument, {"it is empty"}, [&] { call(" "); });
  expect_error(fault::unsupported, {"for_each_index"}, [&] { for_each_index(where(), 10, without_operands{}); });
}

}  // namespace
