// Literals of expressions as kernel arguments: which literals qualify, and that expressions differing in them share
// compiled code.
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <thread>

#include "tests/devices.hpp"
#include "upsweep/core/compiled_code_cache.hpp"
#include "upsweep/core/expression_literals.hpp"
#include "upsweep/expression.hpp"
#include "upsweep/jit/jit.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using core::literal_type;

// "x > int 17": each literal that may be replaced, by its type and value.
std::string shown(const std::string& source) {
  std::string all;
  std::size_t done = 0;
  for (const core::placed_literal& l : core::literals_of(source)) {
    const auto as = [&]<class T>(T value) {
      std::memcpy(&value, l.value.bytes, sizeof value);
      return value;
    };
    all += source.substr(done, l.at - done) + core::name_of(l.value.type) + ' ';
    switch (l.value.type) {
      case literal_type::i32: all += std::to_string(as(std::int32_t{})); break;
      case literal_type::u32: all += std::to_string(as(std::uint32_t{})); break;
      case literal_type::i64: all += std::to_string(as(std::int64_t{})); break;
      case literal_type::u64: all += std::to_string(as(std::uint64_t{})); break;
      case literal_type::f32: all += std::to_string(as(float{})); break;
      case literal_type::f64: all += std::to_string(as(double{})); break;
    }
    done = l.end;
  }
  return all + source.substr(done);
}

TEST(Literals, HaveTheTypesThatCGivesThem) {
  EXPECT_EQ(shown("x > 17"), "x > int 17");
  EXPECT_EQ(shown("x > 17u"), "x > uint 17");
  EXPECT_EQ(shown("x > 17L"), "x > long 17");
  EXPECT_EQ(shown("x > 17ul"), "x > ulong 17");
  EXPECT_EQ(shown("x > 0x10"), "x > int 16");
  EXPECT_EQ(shown("x > 020"), "x > int 16");
  EXPECT_EQ(shown("x > 0xffffffff"), "x > uint 4294967295");
  EXPECT_EQ(shown("x > 4294967295"), "x > long 4294967295");
  EXPECT_EQ(shown("x > 17.5"), "x > double 17.500000");
  EXPECT_EQ(shown("x > .5f"), "x > float 0.500000");
  EXPECT_EQ(shown("x > 1e2"), "x > double 100.000000");
  EXPECT_EQ(shown("x<-3"), "x<int -3");
  EXPECT_EQ(shown("x - - 3u + -x"), "x - uint 4294967293 + -x");
  EXPECT_EQ(shown("x > -(3) || x < -2147483648"), "x > -(int 3) || x < long -2147483648");
  EXPECT_EQ(shown("-.5 < x && x < -17.f"), "double -0.500000 < x && x < float -17.000000");
  EXPECT_EQ(shown("x > - -3"), "x > int 3");
  EXPECT_EQ(shown("17 < x && x != 17 ? (float)2 : x*3"), "int 17 < x && x != int 17 ? (float)int 2 : x*int 3");
  EXPECT_EQ(shown("fmin(a, 1.0f) + b"), "fmin(a, float 1.000000) + b");
}

TEST(Literals, StayWhereTheCompilerMakesMoreOfThem) {
  for (const char* source : {"x / 3", "x % 10 == a", "x << 2", "x >> 3u", "1 << x", "1.0f / x", "x / -3", "x % (5)",
                             "x + 60 * 60", "x * sqrt(2.0f)", "x + 1 / 3", "x > 17ll", "true ? x : false"})
    EXPECT_EQ(shown(source), source);
  EXPECT_EQ(shown("x % 10 == 3"), "x % 10 == int 3");
  EXPECT_EQ(shown("x / (x + 3)"), "x / (x + int 3)");
}

// Names that contain digits, letters, strings, and other text that is not such an expression.
TEST(Literals, OfOtherTextsStay) {
  for (const char* source : {"x0 > 17", "v2(x) + 1", "x.s0 > 1", "x == '1'", "f(x, \"17\")", "x > 17; return 1",
                             "a[1] > 2", "x > 99999999999999999999", "", "17f", "x > 0x1p3"})
    EXPECT_EQ(shown(source), source);
}

template <class F>
std::string unit_of(F fill) {
  opencl::preamble p{"a test"};
  fill(p);
  return p.source;
}

TEST(Literals, OfAUnitAreNumberedThrough) {
  const auto unit = [](const std::string& first, const std::string& second) {
    return core::hoist_literals(unit_of([&](opencl::preamble& p) {
      p.function("bool first(int x)", "the test's source", first);
      p.function("bool second(int x)", "the test's source", second);
      p.source += "#define CELLS 12\n";
    }));
  };
  const core::hoisted_source a = unit("x > 17", "x < 0x10 && x != 5u"), b = unit("x > 18", "x < 0x11 && x != 6u");
  EXPECT_EQ(a.source, b.source);
  ASSERT_EQ(a.literals.size(), 3u);
  EXPECT_EQ(a.literals[2].type, literal_type::u32);
  EXPECT_EQ(b.literals[1].bytes[0], 0x11);
  EXPECT_NE(a.source.find("x < upsweep_literal_1 && x != upsweep_literal_2"), std::string::npos) << a.source;
  EXPECT_NE(a.source.find("#define CELLS 12"), std::string::npos);
  EXPECT_EQ(std::count(a.source.begin(), a.source.end(), '\n'), std::count(b.source.begin(), b.source.end(), '\n'));
  // No more than a kernel should have.
  std::string many = "x";
  for (int i = 0; i < 40; ++i) many += " + 1";
  EXPECT_EQ(unit(many, "x > 17").literals.size(), core::most_literals);
}

struct pair_of_two {
  std::int32_t a, b;
};

}  // namespace

template <>
struct upsweep::opencl_type<pair_of_two> {
  static constexpr const char* name = "pair_of_two";
  static constexpr const char* definition = "typedef struct { int a, b; } pair_of_two;";
};

namespace {

TEST(Literals, BesideTypesOfAUserStay) {
  const std::string unit = unit_of([](opencl::preamble& p) {
    p.function("bool first(" + p.type<pair_of_two>() + " x)", "the test's source", "x > 17");
  });
  const core::hoisted_source h = core::hoist_literals(unit);
  EXPECT_EQ(h.source, unit);
  EXPECT_TRUE(h.literals.empty());
}

struct LiteralsOn : tests::on_each_device {
  void SetUp() override {
    if (where().device().kind() == backend::cpu) GTEST_SKIP() << "nothing is compiled on the CPU";
  }

  template <class T>
  static std::vector<T> drawn(std::size_t n) {
    std::vector<T> x(n);
    std::uint32_t state = 3;
    for (T& e : x) e = static_cast<T>(static_cast<double>((state = state * 1664525u + 1013904223u) >> 20) / 8 - 100);
    return x;
  }

  // The result of call(context, constant) for twenty constants: equal to the CPU's, and compiled once, for the first
  // constant.
  template <class Call>
  void expect_one_program(const char* what, const Call& call, const std::function<std::string(int)>& constant) {
    SCOPED_TRACE(what);
    const context cpu = context::cpu();
    std::uint64_t first = 0;
    for (int k = 0; k < 20; ++k) {
      const std::uint64_t before = code_cache::compilations();
      const auto got = call(where(), constant(k));
      const std::uint64_t more = code_cache::compilations() - before;
      if (k == 0) first = more;
      EXPECT_EQ(k ? more : 0, 0u) << "compiled for " << constant(k);
      EXPECT_EQ(got, call(cpu, constant(k))) << constant(k);
    }
    EXPECT_LE(first, 4u);
  }
  template <class Call>
  void expect_one_program(const char* what, const Call& call) {
    expect_one_program(what, call, [](int k) { return std::to_string(7 * k - 40); });
  }
};
INSTANTIATE_TEST_SUITE_P(, LiteralsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr std::size_t n = 3001;

template <class T>
std::vector<T> first(const buffer<T>& of, std::uint64_t count) {
  return tests::first_of(of.download(), count);
}

TEST_P(LiteralsOn, EveryFormIsOneOfItsType) {
  const auto x = drawn<std::int32_t>(n);
  const auto f = drawn<float>(n);
  const auto count = [&](const auto& all, const std::string& before, const std::string& after) {
    return [=](const context& c, const std::string& t) {
      using T = typename std::decay_t<decltype(all)>::value_type;
      return count_if(c, buffer<T>(c, all), expression(before + t + after));
    };
  };
  const auto digits = [](int k) { return std::to_string(13 * k); };
  expect_one_program("int", count(x, "x > ", ""), digits);
  expect_one_program("uint", count(x, "x > ", "u"), digits);
  expect_one_program("long", count(x, "x > ", "l"), digits);
  expect_one_program("beyond int", count(x, "x + 4294967290 > 42949", ""),
                     [](int k) { return std::to_string(67290 + k); });
  expect_one_program("hexadecimal", count(x, "x > 0x", ""), digits);
  expect_one_program("double", count(f, "x > ", ".25"), digits);
  expect_one_program("float", count(f, "x > ", ".25f"), digits);
  expect_one_program("an exponent", count(f, "x > 1e", ""), [](int k) { return std::to_string(15 * k + 1); });
  expect_one_program("of both signs", count(x, "x > ", ""), [](int k) { return std::to_string(13 * k - 100); });
  expect_one_program(
      "the same twice",
      [&](const context& c, const std::string& t) {
        return count_if(c, buffer<std::int32_t>(c, x), expression("x > " + t + " || x < -300 && x != " + t));
      },
      digits);
  // 16 in both, and of one program.
  const buffer<std::int32_t> in(where(), x);
  EXPECT_EQ(count_if(where(), in, expression("x > 0x10")), count_if(where(), in, expression("x > 16")));
}

TEST_P(LiteralsOn, MapsAndSelections) {
  const auto x = drawn<std::int32_t>(n), y = drawn<std::int32_t>(n);
  const auto mapped = [&](auto call) {
    return [=](const context& c, const std::string& t) {
      const buffer<std::int32_t> a(c, x);
      buffer<std::int32_t> out(c, y);
      return call(c, a, out, t);
    };
  };
  expect_one_program("transform", mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       transform(c, a, out, expression("x * " + t + " + 1"));
                       return out.download();
                     }));
  expect_one_program("transform of two", mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       transform(c, a, out, out, expression("a * " + t + " - b"));
                       return out.download();
                     }));
  expect_one_program("transform_if", mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       transform_if(c, a, out, expression("x - " + t), expression("x > " + t));
                       return out.download();
                     }));
  expect_one_program("replace_if", mapped([](const context& c, const auto&, auto& out, const std::string& t) {
                       replace_if(c, out, expression("x < " + t), 5);
                       return out.download();
                     }));
  expect_one_program("tabulate", [](const context& c, const std::string& t) {
    buffer<std::uint64_t> out(c, n);
    tabulate(c, out, expression("i * " + t));
    return out.download();
  });
  expect_one_program("copy_if", mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       return first(out, copy_if(c, a, out, expression("x > " + t)));
                     }));
  expect_one_program("partition", mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       partition(c, a, out, expression("x > " + t));
                       return out.download();
                     }));
  expect_one_program("three_way_partition",
                     mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       three_way_partition(c, a, out, expression("x < " + t), expression("x == " + t));
                       return out.download();
                     }));
  expect_one_program("unique", mapped([](const context& c, const auto& a, auto& out, const std::string& t) {
                       return first(out, unique(c, a, out, expression("(a > " + t + ") == (b > " + t + ")")));
                     }));
  expect_one_program("find_if", mapped([](const context& c, const auto& a, auto&, const std::string& t) {
                       return find_if(c, a, expression("x > " + t));
                     }));
  expect_one_program("a lazy input", mapped([](const context& c, const auto& a, auto&, const std::string& t) {
                       return reduce(c, views::transform(a, expression("x * " + t)));
                     }));
}

TEST_P(LiteralsOn, FoldsOrdersAndSets) {
  const auto x = drawn<std::int32_t>(n);
  const auto on = [&](auto call) {
    return [=](const context& c, const std::string& t) {
      const buffer<std::int32_t> a(c, x);
      buffer<std::int32_t> out(c, 2 * n);
      return call(c, a, out, t);
    };
  };
  expect_one_program("transform_reduce", on([](const context& c, const auto& a, auto&, const std::string& t) {
                       return transform_reduce(c, a, 0, plus{}, expression("x > " + t));
                     }));
  expect_one_program("reduce", on([](const context& c, const auto& a, auto&, const std::string& t) {
                       return reduce(c, a, expression("a > " + t + " ? a : b", -1000));
                     }));
  expect_one_program("inclusive_scan", on([](const context& c, const auto& a, auto& out, const std::string& t) {
                       inclusive_scan(c, a, out.span().subspan(0, n), expression("b > " + t + " ? b : a", -1000));
                       return first(out, n);
                     }));
  expect_one_program("inclusive_scan_by_key", on([](const context& c, const auto& a, auto& out, const std::string& t) {
                       inclusive_scan_by_key(c, a, a, out.span().subspan(0, n), 0, plus{},
                                             expression("(a > " + t + ") == (b > " + t + ")"));
                       return first(out, n);
                     }));
  expect_one_program("reduce_by_key", on([](const context& c, const auto& a, auto& out, const std::string& t) {
                       buffer<std::int32_t> keys(c, n);
                       return first(out, reduce_by_key(c, a, a, keys, out.span().subspan(0, n),
                                                       expression("b > " + t + " ? b : a", -1000)));
                     }));
  expect_one_program("segmented_reduce", on([](const context& c, const auto& a, auto& out, const std::string& t) {
                       const buffer<std::uint64_t> offsets(c, std::vector<std::uint64_t>{0, 5, 5, 1000, n});
                       segmented_reduce(c, a, offsets, out.span().subspan(0, 4),
                                        expression("b > " + t + " ? b : a", -1000));
                       return first(out, 4);
                     }));
  expect_one_program("sort", on([](const context& c, const auto& a, auto& out, const std::string& t) {
                       sort(c, a, out.span().subspan(0, n), expression("(a ^ " + t + ") < (b ^ " + t + ")"));
                       return first(out, n);
                     }));
  expect_one_program("argmin", on([](const context& c, const auto& a, auto&, const std::string& t) {
                       return argmin(c, a, expression("(a ^ " + t + ") < (b ^ " + t + ")"));
                     }));
  expect_one_program("lower_bound", on([](const context& c, const auto& a, auto&, const std::string& t) {
                       buffer<std::uint64_t> bounds(c, n);
                       const buffer<std::int32_t> sorted(c, std::vector<std::int32_t>{-900, -3, 0, 5, 7, 200});
                       lower_bound(c, sorted, a, bounds, expression("a < b - " + t));
                       return bounds.download();
                     }));
  expect_one_program("set_union", on([](const context& c, const auto&, auto& out, const std::string& t) {
                       const std::vector<std::int32_t> few{-100, -60, -3, 0, 5, 7, 200}, more{-101, -3, 1, 5, 8, 300};
                       return first(out, set_union(c, buffer<std::int32_t>(c, few), buffer<std::int32_t>(c, more), out,
                                                   expression("a + " + t + " < b + " + t)));
                     }));
}

// Fresh sizes, with constants that follow one another.
TEST_P(LiteralsOn, AtEverySize) {
  for (const std::size_t size : {0, 1, 31, 33, 255, 257, 4095, 4097, 7919}) {
    const auto x = drawn<float>(size);
    const buffer<float> in(where(), x);
    buffer<float> out(where(), size);
    for (const double t : {-3.5, 17.25, 1e300, -1e-300}) {
      char source[64];
      std::snprintf(source, sizeof source, "x > %.17g", t);
      const auto want = static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [&](float e) { return e > t; }));
      EXPECT_EQ(count_if(where(), in, expression(source)), want) << source << " of " << size;
      EXPECT_EQ(copy_if(where(), in, out, expression(source)), want) << source << " of " << size;
    }
  }
}

// The environment variable has that value as long as this object lives.
class with_variable {
 public:
  with_variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~with_variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  with_variable(const with_variable&) = delete;
  with_variable& operator=(const with_variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Expressions that no literal tells apart. Programs that were dropped are compiled again, and results stay right.
TEST_P(LiteralsOn, KeepABoundedNumberOfPrograms) {
  const with_variable limit("UPSWEEP_PROGRAM_LIMIT", "4");
  const std::vector<std::int32_t> x{-3, 0, 5, 1000};
  const buffer<std::int32_t> in(where(), x);
  buffer<std::int32_t> out(where(), x.size());
  const std::int64_t before = code_cache::programs_in_memory();
  for (int round = 0; round < 2; ++round) {
    std::string source = "x";
    for (int terms = 1; terms <= 9; ++terms, source += " + x") {
      transform(where(), in, out, expression(source));
      const auto got = out.download();
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], terms * x[i]) << source;
      ASSERT_LE(code_cache::programs_in_memory(), before + 5) << source;
    }
  }
}

TEST_P(LiteralsOn, OfManyValuesKeepABoundedNumberOfPrograms) {
  const with_variable limit("UPSWEEP_PROGRAM_LIMIT", "8");
  std::vector<std::int32_t> x(300);
  for (int i = 0; i < 300; ++i) x[static_cast<std::size_t>(i)] = i;
  const buffer<std::int32_t> in(where(), x);
  const std::int64_t before = code_cache::programs_in_memory();
  for (int t = 0; t < 60; ++t)
    ASSERT_EQ(count_if(where(), in, expression("x > " + std::to_string(t))), static_cast<std::uint64_t>(299 - t));
  EXPECT_LE(code_cache::programs_in_memory(), before + 9);
}

// Calls from several threads while programs are dropped.
TEST_P(LiteralsOn, AreDroppedWhileOtherThreadsCall) {
  const with_variable limit("UPSWEEP_PROGRAM_LIMIT", "2");
  std::vector<std::thread> threads;
  for (int me = 0; me < 4; ++me)
    threads.emplace_back([&, me] {
      const buffer<std::int32_t> in(where(), std::vector<std::int32_t>(1000, 1));
      for (int round = 0; round < 20; ++round) {
        const int t = 1000 * me + round;
        EXPECT_EQ(transform_reduce(where(), in, 0, plus{}, expression("x + " + std::to_string(t))), 1000 * (t + 1));
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST_P(LiteralsOn, RefuseAWrongLimit) {
  const with_variable limit("UPSWEEP_PROGRAM_LIMIT", "many");
  const buffer<std::int32_t> in(where(), std::vector<std::int32_t>(10, 1));
  tests::expect_error(fault::bad_argument, {"UPSWEEP_PROGRAM_LIMIT=many", "not a number of programs"},
                      [&] { (void)count_if(where(), in, expression("x ^ x - 12 > 3 - x * x")); });
}

// Device source that the device's compiler refuses is refused with the place in it.
TEST_P(LiteralsOn, WrongTextsKeepTheirPlaces) {
  const buffer<float> in(where(), std::vector<float>(10, 1.0f));
  for (int round = 0; round < 2; ++round)
    tests::expect_error(fault::bad_argument, {"the test's source, line 1", "character"},
                        [&] { count_if(where(), in, expression("x > 12345678 && x % 2")); });
}

// Values that the program gives are one program's, also where literals would stay in the source, and without a cache on
// disk.
TEST_P(LiteralsOn, NamedValuesAreOfOneProgram) {
  const with_variable no_disk("XDG_CACHE_HOME", "/proc/nowhere");
  const std::vector<std::int32_t> x = drawn<std::int32_t>(n);
  const std::vector<double> d = drawn<double>(n);
  const auto expect_one = [&](const char* what, const auto& all, const auto& of) {
    expect_one_program(
        what,
        [&](const context& c, const std::string& k) {
          using T = typename std::decay_t<decltype(all)>::value_type;
          const buffer<T> in(c, all);
          buffer<T> out(c, all.size());
          transform(c, in, out, of(std::stoi(k)));
          return out.download();
        },
        [](int k) { return std::to_string(7 * k - 60); });
  };
  expect_one("divided", x, [](int t) { return expression("x / t", {"t", t}); });
  expect_one("the remainder", x, [](int t) { return expression("x % (t + 1) + u", {{"t", 2 * t}, {"u", 3u}}); });
  expect_one("shifted", x, [](int t) { return expression("x << s", {"s", t & 7}); });
  expect_one("alone", x, [](int t) { return expression("t * t - 1", {"t", t}); });
  expect_one("long", x, [](int t) { return expression("x + far > 0", {"far", std::int64_t{-4294967296} + t}); });
  expect_one("of the smallest", x, [](int t) { return expression("x < t ? t : -t", {"t", INT_MIN + 60 + t}); });
  if (where().device().supports(dtype::f64)) {
    const double most = std::numeric_limits<double>::infinity();
    expect_one("infinity", d, [&](int t) { return expression("fmin(x, t)", {"t", t > 0 ? most : -most}); });
    expect_one("NaN", d, [](int t) { return expression("x < t ? 1.0 : 2.0", {"t", t > 0 ? std::nan("") : 0.0}); });
    expect_one("float", d, [](int t) { return expression("x * t", {"t", t / 16.0f}); });
  }
}

}  // namespace
