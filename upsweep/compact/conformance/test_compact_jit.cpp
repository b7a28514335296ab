// filter_map by a test and a value that have device source: the same on the CPU, on OpenCL and on CUDA, held to a loop.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct MapMaybeJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, MapMaybeJit, testing::ValuesIn(tests::device_names()), tests::device_label);

struct its_tag {
  std::uint32_t operator()(const record& r) const { return r.tag; }
  static constexpr const char* source = "x.tag";
};
struct doubled {
  record operator()(record r) const {
    r.key *= 2;
    return r;
  }
  static constexpr const char* source = "(record){x.key * 2, x.x, x.tag}";
};

template <class X, class T, class Test, class Value>
void expect_given(const context& where, std::size_t n, const Test& test, const Value& value) {
  SCOPED_TRACE("n = " + std::to_string(n));
  const auto x = made_many<X>(n, 5);
  auto want = made_many<T>(n, 6);
  const auto poison = want;
  std::size_t kept = 0;
  for (const X& e : x)
    if (test(e)) want[kept++] = value(e);
  const buffer<X> in(where, x);
  buffer<T> out(where, poison);
  EXPECT_EQ(filter_map(where, in, out, map_if(test, value)), kept);
  expect_same(out.download(), want, "what is given, and what was there behind it");
  buffer<std::uint64_t> count(where, std::vector<std::uint64_t>{12345});
  filter_map(where, in, out, count.span(), map_if(test, value));
  EXPECT_EQ(count.download()[0], kept);
}

TEST_P(MapMaybeJit, GivesWhatALoopGives) {
  for (const std::size_t n : sizes) {
    expect_given<std::uint32_t, std::uint32_t>(where(), n, is_odd{}, expression("x * 3 + 1"));
    expect_given<record, std::uint32_t>(where(), n, has_odd_key{}, its_tag{});
    expect_given<record, record>(where(), n, is_heavy{}, doubled{});
    expect_given<double, double>(where(), n, expression("x > 500"), expression("sqrt(x - 500)"));
  }
}

TEST_P(MapMaybeJit, OfHostMemoryAndWithoutSource) {
  const auto x = made_many<std::uint32_t>(1000, 1);
  std::vector<std::uint32_t> out(1000);
  const auto odd = static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), is_odd{}));
  EXPECT_EQ(filter_map(where(), x, out, map_if(is_odd{}, expression("x + 1"))), odd);
  if (where().kind() == backend::cpu) return;
  const buffer<std::uint32_t> in(where(), x);
  buffer<std::uint32_t> there(where(), 1000);
  expect_error(fault::unsupported, {"filter_map"}, [&] {
    filter_map(where(), in, there, [](std::uint32_t v) { return v ? optional(v) : optional<std::uint32_t>(); });
  });
}

}  // namespace
