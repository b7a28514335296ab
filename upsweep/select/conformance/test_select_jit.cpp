// Selections by tests and equalities that have device source, of elements of any size: the same on the CPU, on OpenCL
// and on CUDA, held to the standard's algorithms.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct SelectJit : tests::on_each_device {
  // There by way of NVRTC.
  bool on_cuda() const { return where().kind() == backend::cuda; }
};
INSTANTIATE_TEST_SUITE_P(, SelectJit, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
std::vector<T> first_of(const buffer<T>& all, std::uint64_t count) {
  auto here = all.download();
  here.resize(count);
  return here;
}

template <class T, class Test, class Other>
void expect_selected(const context& where, std::size_t n, const Test& test, const Other& other) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  const auto x = made_many<T>(n, 3 + static_cast<std::uint32_t>(n));
  std::vector<T> kept, others, second, third;
  for (const T& e : x) (test(e) ? kept : others).push_back(e);
  for (const T& e : others) (other(e) ? second : third).push_back(e);
  const auto joined = [](std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const buffer<T> in(where, x);
  buffer<T> out(where, n), rest(where, n);
  EXPECT_EQ(copy_if(where, in, out, test), kept.size());
  expect_same(first_of(out, kept.size()), kept, "kept");
  expect_same(in.download(), x, "the input");
  buffer<T> in_place(where, x);
  EXPECT_EQ(copy_if(where, in_place.span(), in_place.span(), test), kept.size());
  expect_same(first_of(in_place, kept.size()), kept, "kept in place");
  EXPECT_EQ(partition(where, in, out, test), kept.size());
  expect_same(out.download(), joined(kept, others), "parted");
  const auto sizes3 = three_way_partition(where, in, out, test, other);
  EXPECT_EQ(sizes3[0], kept.size());
  EXPECT_EQ(sizes3[1], second.size());
  expect_same(out.download(), joined(joined(kept, second), third), "parted in three");
  buffer<std::uint64_t> count(where, 1);
  copy_if(where, in, out, count.span(), test);
  EXPECT_EQ(count.download()[0], kept.size());

  // compact.hpp's forms
  EXPECT_EQ(remove_copy_if(where, in, out, test), others.size());
  expect_same(first_of(out, others.size()), others, "removed");
  EXPECT_EQ(partition_copy(where, in, out, rest, test), kept.size());
  expect_same(first_of(out, kept.size()), kept, "one side");
  expect_same(first_of(rest, others.size()), others, "the other side");
  const auto beside = made_many<std::uint32_t>(n, 8);
  std::vector<T> by_beside;
  for (std::size_t i = 0; i < n; ++i)
    if (is_odd{}(beside[i])) by_beside.push_back(x[i]);
  const buffer<std::uint32_t> stencils(where, beside);
  EXPECT_EQ(copy_if(where, in, out, stencil(stencils.span(), is_odd{})), by_beside.size());
  expect_same(first_of(out, by_beside.size()), by_beside, "by a stencil");
  std::vector<T> not_by_beside;
  for (std::size_t i = 0; i < n; ++i)
    if (!is_odd{}(beside[i])) not_by_beside.push_back(x[i]);
  EXPECT_EQ(partition_copy(where, in, out, rest, stencil(stencils.span(), is_odd{})), by_beside.size());
  expect_same(first_of(out, by_beside.size()), by_beside, "one side, by a stencil");
  expect_same(first_of(rest, not_by_beside.size()), not_by_beside, "the other side, by a stencil");
}

TEST_P(SelectJit, Tests) {
  for (const std::size_t n : sizes) {
    expect_selected<std::uint32_t>(where(), n, is_odd{}, by_third{});
    expect_selected<record>(where(), n, has_odd_key{}, is_heavy{});
  }
  expect_selected<std::uint32_t>(where(), large(1000003), is_odd{}, by_third{});
  if (on_cuda()) expect_selected<record>(where(), large(3000017), has_odd_key{}, is_heavy{});
}

template <class K>
void expect_runs(const context& where, std::size_t n) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  const auto x = made_runs<K>(n, 5);
  std::vector<K> firsts;
  std::vector<std::uint64_t> starts, lengths;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || !(x[i - 1] == x[i])) firsts.push_back(x[i]), starts.push_back(i), lengths.push_back(0);
    ++lengths.back();
  }
  const buffer<K> in(where, x);
  buffer<K> out(where, n);
  EXPECT_EQ(unique(where, in, out), firsts.size());
  expect_same(first_of(out, firsts.size()), firsts, "unique");

  const auto beside = made_many<record>(n, 3);
  const buffer<record> values(where, beside);
  buffer<record> values_out(where, n);
  std::vector<record> follow;
  for (const auto i : starts) follow.push_back(beside[i]);
  EXPECT_EQ(unique_by_key(where, in, values, out, values_out), firsts.size());
  expect_same(first_of(out, firsts.size()), firsts, "keys");
  expect_same(first_of(values_out, firsts.size()), follow, "values");

  buffer<std::uint64_t> runs(where, n);
  EXPECT_EQ(run_length_encode(where, in, out, runs), firsts.size());
  expect_same(first_of(out, firsts.size()), firsts, "of runs");
  expect_same(first_of(runs, firsts.size()), lengths, "lengths");
}

TEST_P(SelectJit, RunsOfEqualElements) {
  for (const std::size_t n : sizes) {
    expect_runs<record>(where(), n);
    expect_runs<square_matrix>(where(), n);
  }
  expect_runs<record>(where(), large(1000003));
}

TEST_P(SelectJit, RunsByAnEquality) {
  for (const std::size_t n : sizes) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto x = made_many<std::uint32_t>(n, 6);
    std::sort(x.begin(), x.end());
    std::vector<std::uint32_t> want;
    std::vector<std::uint64_t> starts;
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || !same_hundred{}(x[i - 1], x[i])) want.push_back(x[i]), starts.push_back(i);
    const buffer<std::uint32_t> in(where(), x);
    buffer<std::uint32_t> out(where(), n);
    EXPECT_EQ(unique(where(), in, out, same_hundred{}), want.size());
    expect_same(first_of(out, want.size()), want, "unique");
    EXPECT_EQ(unique_count(where(), in, same_hundred{}), want.size());
    buffer<std::uint64_t> offsets(where(), n + 1);
    EXPECT_EQ(group_by(where(), in, offsets, same_hundred{}), want.size());
    starts.push_back(n);
    expect_same(first_of(offsets, starts.size()), starts, "offsets");
    buffer<std::uint32_t> in_place(where(), x);
    EXPECT_EQ(unique(where(), in_place, same_hundred{}), want.size());
    expect_same(first_of(in_place, want.size()), want, "unique in place");
  }
}

TEST_P(SelectJit, FlagsMoveElementsOfAnySize) {
  const auto x = made_many<record>(7919, 2);
  std::vector<std::uint8_t> flags;
  std::vector<record> want;
  for (const record& r : x) {
    flags.push_back(r.tag % 3 == 0 ? 7 : 0);
    if (flags.back()) want.push_back(r);
  }
  const buffer<record> in(where(), x);
  const buffer<std::uint8_t> kinds(where(), flags);
  buffer<record> out(where(), x.size());
  EXPECT_EQ(select_flagged(where(), in, kinds, out), want.size());
  expect_same(first_of(out, want.size()), want, "flagged");
}

TEST_P(SelectJit, OfHostMemory) {
  const auto x = made_many<record>(20011, 5);
  std::vector<record> want, out(x.size());
  for (const record& r : x)
    if (is_heavy{}(r)) want.push_back(r);
  const auto kept = copy_if(where(), x, out, is_heavy{});
  out.resize(kept);
  expect_same(out, want, "host memory");
}

struct misspelt {
  bool operator()(const record& r) const { return r.x > 0; }
  static constexpr const char* source = "x.weight > 0";
};
struct unequal {
  std::int32_t key;
  friend bool operator==(const unequal&, const unequal&) = default;
};

}  // namespace

template <>
struct upsweep::opencl_type<unequal> {
  static constexpr const char* name = "unequal";
  static constexpr const char* definition = "typedef struct { int key; } unequal;";
};

namespace {

TEST_P(SelectJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP();
  const buffer<record> in(where(), made_many<record>(100, 1));
  buffer<record> out(where(), 100);
  expect_error(fault::bad_argument, {"the test's source, line 1, character 3", "weight"},
               [&] { copy_if(where(), in, out, misspelt{}); });
  if (on_cuda())
    return expect_error(fault::unsupported, {"by its device source, or only where nvcc compiles"},
                        [&] { copy_if(where(), in, out, [](const record& r) { return r.x > 0; }); });
  expect_error(fault::unsupported, {"this test has no device source", "an expression in x"},
               [&] { copy_if(where(), in, out, [](const record& r) { return r.x > 0; }); });
  const buffer<unequal> keys(where(), 10);
  buffer<unequal> firsts(where(), 10);
  expect_error(fault::unsupported, {"the equality of this element type", "`equal`"},
               [&] { unique(where(), keys, firsts); });
}

}  // namespace
