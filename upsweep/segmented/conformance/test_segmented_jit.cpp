// Folds by key and by segment with types, operators and equalities that have device source: the same on the CPU, on
// OpenCL and on CUDA, held to a loop. None of the operators commutes.
#include "tests/jit_operators.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

struct FoldsJit : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, FoldsJit, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T, class Op>
struct folded_by {
  std::vector<T> inclusive, exclusive;
  std::vector<T> of_runs;
  std::vector<std::size_t> starts;
  // Anew from `init` wherever a run begins; the runs' own folds have none.
  folded_by(const std::vector<T>& x, const std::vector<bool>& begins, const T& init, const Op& op) {
    T run = init, alone = Op::identity();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (begins[i]) {
        run = init, alone = Op::identity();
        of_runs.push_back(alone), starts.push_back(i);
      }
      exclusive.push_back(run);
      run = op(run, x[i]), alone = op(alone, x[i]);
      inclusive.push_back(run);
      of_runs.back() = alone;
    }
  }
};

template <class K, class T, class Op>
void expect_by_key(const context& where, std::size_t n, const Op& op) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  const auto keys = made_runs<K>(n, 17);
  const auto x = made_many<T>(n, 23);
  std::mt19937 g(1);
  const T init = made<T>(g, 1);
  std::vector<bool> begins(n);
  for (std::size_t i = 0; i < n; ++i) begins[i] = i == 0 || !(keys[i - 1] == keys[i]);
  const folded_by<T, Op> want(x, begins, init, op);

  const buffer<K> k(where, keys);
  const buffer<T> in(where, x);
  buffer<K> run_keys(where, n);
  buffer<T> folds(where, n);
  const auto runs = reduce_by_key(where, k, in, run_keys, folds, op);
  ASSERT_EQ(runs, want.starts.size());
  auto got_keys = run_keys.download();
  auto got = folds.download();
  got_keys.resize(runs), got.resize(runs);
  expect_same(got, want.of_runs, "the runs' folds");
  for (std::size_t r = 0; r < runs; ++r) ASSERT_TRUE(same_bits(got_keys[r], keys[want.starts[r]])) << "key " << r;

  inclusive_scan_by_key(where, k, in, folds, init, op);
  expect_same(folds.download(), want.inclusive, "inclusive");
  buffer<T> in_place(where, x);
  exclusive_scan_by_key(where, k, in_place, in_place, init, op);
  expect_same(in_place.download(), want.exclusive, "exclusive, in place");
}

TEST_P(FoldsJit, ByKey) {
  for (const std::size_t n : sizes) {
    expect_by_key<std::uint32_t, std::uint32_t>(where(), n, last_set{});
    expect_by_key<std::int16_t, record>(where(), n, first_kept{});
    expect_by_key<record, std::uint32_t>(where(), n, last_set{});
    expect_by_key<record, square_matrix>(where(), n, product{});
  }
  expect_by_key<record, record>(where(), large(1000003), first_kept{});
}

// A built-in operator where the keys alone are of one's own.
TEST_P(FoldsJit, KeysOfOnesOwn) {
  const auto keys = made_runs<record>(30011, 2);
  std::vector<std::uint64_t> lengths;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || !(keys[i - 1] == keys[i])) lengths.push_back(0);
    ++lengths.back();
  }
  const buffer<record> k(where(), keys);
  const buffer<std::uint64_t> ones(where(), std::vector<std::uint64_t>(keys.size(), 1));
  buffer<record> run_keys(where(), keys.size());
  buffer<std::uint64_t> sums(where(), keys.size());
  ASSERT_EQ(reduce_by_key(where(), k, ones, run_keys, sums), lengths.size());
  auto got = sums.download();
  got.resize(lengths.size());
  expect_same(got, lengths, "lengths");
}

template <class T, class Op>
void expect_by_segment(const context& where, std::size_t n, const Op& op) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  const auto x = made_many<T>(n, 29);
  std::mt19937 g(static_cast<unsigned>(n));
  const T init = made<T>(g, 1);
  // Empty segments, and elements before the first and behind the last that are in none.
  std::vector<std::uint64_t> cuts{n ? g() % n / 2 : 0};
  while (cuts.back() < n && cuts.size() < 400) {
    const std::uint64_t size = g() % 5 == 0 ? 0 : g() % (n / 20 + 3);
    cuts.push_back(std::min<std::uint64_t>(n, cuts.back() + size));
  }
  std::vector<T> folds, inclusive = x, exclusive = x;
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
    T run = init;
    for (std::uint64_t i = cuts[s]; i < cuts[s + 1]; ++i) {
      exclusive[i] = run;
      run = op(run, x[i]);
      inclusive[i] = run;
    }
    folds.push_back(run);
  }
  const buffer<T> in(where, x);
  const buffer<std::uint64_t> offsets(where, cuts);
  buffer<T> out(where, folds.size()), scanned(where, x), again(where, x);
  segmented_reduce(where, in, offsets, out, init, op);
  expect_same(out.download(), folds, "folds");
  segmented_inclusive_scan(where, in, offsets, scanned, init, op);
  expect_same(scanned.download(), inclusive, "inclusive");
  segmented_exclusive_scan(where, again, offsets, again, init, op);
  expect_same(again.download(), exclusive, "exclusive, in place");
}

TEST_P(FoldsJit, BySegment) {
  for (const std::size_t n : sizes) {
    expect_by_segment<std::uint32_t>(where(), n, last_set{});
    expect_by_segment<record>(where(), n, first_kept{});
    expect_by_segment<square_matrix>(where(), n, product{});
  }
  expect_by_segment<record>(where(), large(1000003), first_kept{});
}

// Neighbours whose equality is device source of its own, or an expression; two of them over the same types in turn.
struct same_tens {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 10 == b / 10; }
  static constexpr const char* source = "a / 10 == b / 10";
};

template <class Op, class Equal>
void expect_by_equality(const context& where, std::size_t n, const Op& op, const Equal& same) {
  SCOPED_TRACE(where.name() + ", n = " + std::to_string(n));
  std::mt19937 g(static_cast<unsigned>(n) + 3);
  std::vector<std::uint32_t> keys(n), x(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = i % 7 == 0 || i == 0 ? g() % 30 : keys[i - 1] + g() % 2, x[i] = g() % 3;
  std::vector<bool> begins(n);
  for (std::size_t i = 0; i < n; ++i) begins[i] = i == 0 || !same(keys[i - 1], keys[i]);
  const folded_by<std::uint32_t, last_set> want(x, begins, 0, last_set{});

  const buffer<std::uint32_t> k(where, keys), in(where, x);
  buffer<std::uint32_t> run_keys(where, n), folds(where, n);
  const auto runs = reduce_by_key(where, k, in, run_keys, folds, op, identity{}, same);
  ASSERT_EQ(runs, want.starts.size());
  auto got_keys = run_keys.download(), got = folds.download();
  got.resize(runs);
  expect_same(got, want.of_runs, "the runs' folds");
  for (std::size_t r = 0; r < runs; ++r) ASSERT_EQ(got_keys[r], keys[want.starts[r]]) << "key " << r;
  inclusive_scan_by_key(where, k, in, folds, 0u, op, same);
  expect_same(folds.download(), want.inclusive, "inclusive");
  exclusive_scan_by_key(where, k, in, folds, 0u, op, same);
  expect_same(folds.download(), want.exclusive, "exclusive");
  std::vector<std::uint32_t> on_host(n);
  inclusive_scan_by_key(where, keys, x, on_host, 0u, op, same);
  expect_same(on_host, want.inclusive, "host memory");
}

TEST_P(FoldsJit, ByAnEqualityOfOnesOwn) {
  const expression last("b ? b : a", 0u);
  for (const std::size_t n : sizes) {
    expect_by_equality(where(), n, last_set{}, same_tens{});
    expect_by_equality(where(), n, last, expression("a / 5 == b / 5"));
    expect_by_equality(where(), n, last, expression("a / 9 == b / 9"));
    expect_by_equality(where(), n, last, core::equals{});
  }
  // A built-in operator.
  const buffer<std::uint32_t> k(where(), std::vector<std::uint32_t>{1, 9, 10, 11, 25, 3}),
      ones(where(), std::vector<std::uint32_t>(6, 1));
  buffer<std::uint32_t> run_keys(where(), 6), sums(where(), 6);
  ASSERT_EQ(reduce_by_key(where(), k, ones, run_keys, sums, plus{}, identity{}, same_tens{}), 4u);
  auto got = sums.download();
  got.resize(4);
  EXPECT_EQ(got, (std::vector<std::uint32_t>{2, 2, 1, 1}));
}

TEST_P(FoldsJit, OfHostMemory) {
  const auto keys = made_runs<record>(20011, 3);
  const auto x = made_many<std::uint32_t>(keys.size(), 4);
  std::vector<std::uint32_t> out(x.size());
  inclusive_scan_by_key(where(), keys, x, out, 0u, last_set{});
  std::vector<bool> begins(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) begins[i] = i == 0 || !(keys[i - 1] == keys[i]);
  expect_same(out, folded_by<std::uint32_t, last_set>(x, begins, 0, last_set{}).inclusive, "host memory");
}

struct misspelt : last_set {
  static constexpr const char* source = "b ? b : d";
};

TEST_P(FoldsJit, WrongTextsAreToldWithTheirPlace) {
  if (where().kind() == backend::cpu) GTEST_SKIP();
  const buffer<std::uint32_t> x(where(), std::vector<std::uint32_t>(10, 1));
  buffer<std::uint32_t> out(where(), 10);
  for (const auto& call :
       std::vector<std::function<void()>>{[&] { inclusive_scan_by_key(where(), x, x, out, 0u, misspelt{}); },
                                          [&] { inclusive_scan(where(), x, out, 0u, misspelt{}); }})
    expect_error(fault::bad_argument, {"the operator's source, line 1, character 9", "d"}, call);
}

}  // namespace
