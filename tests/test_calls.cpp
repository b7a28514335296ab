// Typical calls: order of arguments, functions of the standard library and of the user, the accumulator type of a fold,
// lazy views as inputs, buffers in place of spans.
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct CallsOn : tests::on_each_device {
  bool is_cpu() const { return where().kind() == backend::cpu; }
};
INSTANTIATE_TEST_SUITE_P(, CallsOn, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
std::vector<T> random_values(std::size_t n, T low, T high) {
  static std::mt19937_64 bits(20261122);
  std::vector<T> all(n);
  for (T& x : all) x = static_cast<T>(low + static_cast<T>(bits() % (static_cast<u64>(high - low) + 1)));
  return all;
}

const std::vector<std::size_t> sizes{0, 1, 2, 31, 33, 1000, 65537};

TEST_P(CallsOn, AFoldIsKeptInATypeThatHoldsAll) {
  for (const std::size_t n : sizes) {
    const auto bytes = random_values<u8>(n, 0, 255);
    const auto ints = random_values<int>(n, -2000000, 2000000);
    const auto words = random_values<u32>(n, 0, 0xffffffffu);
    EXPECT_EQ(reduce(where(), bytes, 0u), std::accumulate(bytes.begin(), bytes.end(), 0u)) << n;
    EXPECT_EQ(reduce(where(), words, u64{7}), std::accumulate(words.begin(), words.end(), u64{7})) << n;
    EXPECT_EQ(reduce(where(), ints, 0.5), std::accumulate(ints.begin(), ints.end(), 0.5)) << n;
    const auto squares =
        transform_reduce(where(), ints, 0LL, plus{}, [](int x) { return static_cast<long long>(x) * x; });
    static_assert(std::is_same_v<decltype(squares), const long long>);
    EXPECT_EQ(squares, std::transform_reduce(ints.begin(), ints.end(), 0LL, std::plus<>{},
                                             [](int x) { return static_cast<long long>(x) * x; }))
        << n;
    // A built-in transform is taken in the wider type.
    EXPECT_EQ(transform_reduce(where(), ints, std::int64_t{0}, plus{}, square{}), squares) << n;
  }
  static_assert(std::is_same_v<decltype(reduce(where(), std::vector<u32>{}, 0)), u32>);
  static_assert(std::is_same_v<decltype(reduce(where(), std::vector<double>{}, 0)), double>);
  static_assert(std::is_same_v<decltype(reduce(where(), std::vector<u8>{}, 0)), int>);
  static_assert(std::is_same_v<decltype(reduce(where(), std::vector<float>{}, 0.0)), double>);
}

TEST_P(CallsOn, OperatorsStandWithAndWithoutInit) {
  for (const std::size_t n : sizes) {
    const auto x = random_values<int>(n, -1000, 1000);
    const int most = n ? *std::max_element(x.begin(), x.end()) : std::numeric_limits<int>::min();
    EXPECT_EQ(reduce(where(), x, maximum{}), most) << n;
    EXPECT_EQ(reduce(where(), x, std::ranges::max), most) << n;
    EXPECT_EQ(reduce(where(), x, 5, std::plus<>{}), std::accumulate(x.begin(), x.end(), 5)) << n;
    EXPECT_EQ(reduce(where(), x, std::bit_xor<int>{}), std::accumulate(x.begin(), x.end(), 0, std::bit_xor<>{})) << n;
    EXPECT_EQ(reduce(where(), x, {}, plus{}), std::accumulate(x.begin(), x.end(), 0)) << n;

    std::vector<int> y(n, -1), wanted(n);
    exclusive_scan(where(), x, y, maximum{});
    std::exclusive_scan(x.begin(), x.end(), wanted.begin(), std::numeric_limits<int>::min(),
                        [](int a, int b) { return std::max(a, b); });
    EXPECT_EQ(y, wanted) << n;
    exclusive_scan(where(), x, y, 3);
    std::exclusive_scan(x.begin(), x.end(), wanted.begin(), 3);
    EXPECT_EQ(y, wanted) << n;
    inclusive_scan(where(), x, y, 3, std::plus<>{});
    std::inclusive_scan(x.begin(), x.end(), wanted.begin(), std::plus<>{}, 3);
    EXPECT_EQ(y, wanted) << n;
    inclusive_scan(where(), x, y, plus{}, 3);
    EXPECT_EQ(y, wanted) << n;
  }
}

// User-defined functions run on the CPU. Other devices require device source, or nvcc.
TEST_P(CallsOn, LambdasWithAnIdentityAnInitOrNeither) {
  const auto longer = [](const std::string& a, const std::string& b) { return a + b; };
  const auto greater_one = [](int a, int b) { return a < b ? b : a; };
  const std::vector<int> x = random_values<int>(40000, -1000, 1000);
  if (!is_cpu()) {
    tests::expect_error(fault::unsupported, {"device source"}, [&] { (void)reduce(where(), x, greater_one); });
    tests::expect_error(fault::unsupported, {}, [&] { (void)reduce(where(), x, monoid(greater_one, -1000)); });
    return;
  }
  const int most = *std::max_element(x.begin(), x.end());
  EXPECT_EQ(reduce(where(), x, greater_one), most);
  EXPECT_EQ(reduce(where(), x, 2000, greater_one), 2000);
  EXPECT_EQ(reduce(where(), x, monoid(greater_one, -1000)), most);
  EXPECT_EQ(reduce(where(), std::vector<int>{}, monoid(greater_one, -1000)), -1000);
  tests::expect_error(fault::bad_argument, {"no elements", "monoid"},
                      [&] { (void)reduce(where(), std::vector<int>{}, greater_one); });

  for (const std::size_t n : sizes) {
    std::vector<std::string> words(n), prefixes(n);
    std::string all;
    for (std::size_t i = 0; i < n; ++i) words[i] = std::string(1, static_cast<char>('a' + i % 26)), all += words[i];
    if (n) {
      EXPECT_EQ(reduce(where(), words, longer), all) << n;
      EXPECT_EQ(reduce(where(), device_span<const std::string>(words.data(), n), std::plus<>{}), all) << n;
    }
    EXPECT_EQ(reduce(where(), words, std::string("<"), longer), "<" + all) << n;
    if (n > 1000) continue;
    inclusive_scan(where(), words, prefixes, longer);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(prefixes[i], all.substr(0, i + 1));
    exclusive_scan(where(), words, prefixes, std::string("<"), longer);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(prefixes[i], "<" + all.substr(0, i));
  }
}

TEST_P(CallsOn, ScansGoIntoWiderElements) {
  for (const std::size_t n : sizes) {
    const auto x = random_values<u32>(n, 0, 0xffffffffu);
    std::vector<u64> y(n, 1), wanted(n);
    inclusive_scan(where(), x, y);
    std::inclusive_scan(x.begin(), x.end(), wanted.begin(), std::plus<>{}, u64{0});
    EXPECT_EQ(y, wanted) << n;
    exclusive_scan(where(), x, y, 9);
    std::exclusive_scan(x.begin(), x.end(), wanted.begin(), u64{9});
    EXPECT_EQ(y, wanted) << n;
    const auto flags = random_values<u8>(n, 0, 1);
    std::vector<u32> places(n);
    exclusive_scan(where(), flags, places);
    std::vector<u32> wanted_places(n);
    std::exclusive_scan(flags.begin(), flags.end(), wanted_places.begin(), 0u);
    EXPECT_EQ(places, wanted_places) << n;
  }
}

TEST_P(CallsOn, InputsMadeAsTheyAreRead) {
  EXPECT_EQ(reduce(where(), views::iota(1, 10), multiplies{}), 3628800);
  EXPECT_EQ(reduce(where(), views::iota(u64{1}, 100000)), u64{5000050000});
  EXPECT_EQ(reduce(where(), views::repeat(0.25, 4096)), 1024.0);
  EXPECT_EQ(reduce(where(), std::views::iota(0, 1000)), 499500);
  for (const std::size_t n : sizes) {
    const auto x = random_values<int>(n, -1000, 1000), y = random_values<int>(n, -1000, 1000);
    const auto doubled = x | std::views::transform([](int v) { return 2 * v; });
    EXPECT_EQ(reduce(where(), doubled), 2 * std::accumulate(x.begin(), x.end(), 0)) << n;
    EXPECT_EQ(reduce(where(), std::deque<int>(x.begin(), x.end())), std::accumulate(x.begin(), x.end(), 0)) << n;
    EXPECT_EQ(inner_product(where(), x, y), std::inner_product(x.begin(), x.end(), y.begin(), 0)) << n;
    EXPECT_EQ(inner_product(where(), x, y, 0.0), std::inner_product(x.begin(), x.end(), y.begin(), 0.0)) << n;

    std::vector<int> backwards(x.rbegin(), x.rend()), out(n, -1), wanted(n);
    std::inclusive_scan(backwards.begin(), backwards.end(), wanted.begin());
    inclusive_scan(where(), views::reverse(x), out);
    EXPECT_EQ(out, wanted) << n;
    inclusive_scan(where(), x | std::views::reverse, out);
    EXPECT_EQ(out, wanted) << n;

    auto order = random_values<u32>(n, 0, n ? static_cast<u32>(n - 1) : 0);
    std::vector<int> picked(n);
    for (std::size_t i = 0; i < n; ++i) picked[i] = x[order[i]];
    std::exclusive_scan(picked.begin(), picked.end(), wanted.begin(), 0);
    exclusive_scan(where(), views::permute(x, order), out);
    EXPECT_EQ(out, wanted) << n;

    int every_third = 0;
    for (std::size_t i = 0; i < n; i += 3) every_third += x[i];
    EXPECT_EQ(reduce(where(), views::stride(x, 3)), every_third) << n;
    EXPECT_EQ(reduce(where(),
                     views::transform(views::zip(x, y),
                                      [](auto r) { return std::max(r.template get<0>(), r.template get<1>()); }),
                     std::int64_t{0}),
              std::transform_reduce(x.begin(), x.end(), y.begin(), std::int64_t{0}, std::plus<>{},
                                    [](int a, int b) { return std::max(a, b); }))
        << n;
  }
  tests::expect_error(fault::bad_argument, {"views::stride"}, [] { (void)views::stride(views::iota(0, 5), 0); });
}

TEST_P(CallsOn, InputsMadeFromDeviceMemory) {
  const auto x = random_values<int>(5000, -1000, 1000);
  buffer<int> there(where(), x), out(where(), x.size());
  const auto tripled = views::transform(there, [](int v) { return 3 * v; });
  if (!is_cpu()) {
    tests::expect_error(fault::unsupported, {where().kind() == backend::cuda ? "nvcc" : "OpenCL"},
                        [&] { (void)reduce(where(), tripled); });
    return;
  }
  EXPECT_EQ(reduce(where(), tripled), 3 * std::accumulate(x.begin(), x.end(), 0));
  std::vector<int> wanted(x.size());
  std::transform_inclusive_scan(x.begin(), x.end(), wanted.begin(), std::plus<>{}, [](int v) { return 3 * v; });
  inclusive_scan(where(), tripled, out);
  EXPECT_EQ(out.download(), wanted);
}

TEST_P(CallsOn, BuffersStandWhereSpansMay) {
  const auto x = random_values<int>(5000, -1000, 1000);
  buffer<int> in(where(), x), out(where(), x.size());
  buffer<int> sum(where(), 1);
  buffer<u64> count(where(), 1);
  EXPECT_EQ(reduce(where(), in), std::accumulate(x.begin(), x.end(), 0));
  // With a wider accumulator; in device memory as well.
  EXPECT_EQ(reduce(where(), in, 0.5), std::accumulate(x.begin(), x.end(), 0.5));
  EXPECT_EQ(
      transform_reduce(where(), in, std::int64_t{0}, plus{}, square{}),
      std::transform_reduce(x.begin(), x.end(), std::int64_t{0}, std::plus<>{}, [](std::int64_t v) { return v * v; }));
  reduce(where(), in, sum.span(), maximum{});
  EXPECT_EQ(sum.download()[0], *std::max_element(x.begin(), x.end()));
  reduce(where(), in, sum.span(), 4);
  EXPECT_EQ(sum.download()[0], std::accumulate(x.begin(), x.end(), 4));
  copy_if(where(), in, out, count, less_than(0));
  EXPECT_EQ(count.download()[0], static_cast<u64>(std::count_if(x.begin(), x.end(), [](int v) { return v < 0; })));
  sort(where(), in, out);
  auto sorted = x;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(out.download(), sorted);
}

TEST_P(CallsOn, BoolsAreElements) {
  const std::size_t n = 3001;
  std::mt19937 bits(5);
  const auto flags = std::make_unique<bool[]>(n), out = std::make_unique<bool[]>(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = bits() % 3 == 0;
  const std::span<const bool> x(flags.get(), n);
  const std::span<bool> y(out.get(), n);
  const auto set = static_cast<std::size_t>(std::count(x.begin(), x.end(), true));
  std::vector<u32> order(n);
  sort(where(), x, y);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], i >= n - set) << i;
  sort(where(), x, y, std::greater<>{});
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], i < set) << i;
  argsort(where(), x, order);
  for (std::size_t i = 1; i < n; ++i)
    ASSERT_TRUE(x[order[i - 1]] < x[order[i]] || (x[order[i - 1]] == x[order[i]] && order[i - 1] < order[i]));
  EXPECT_EQ(reduce(where(), x, 0), static_cast<int>(set));
  if (!is_cpu()) return;
  EXPECT_EQ(partition(where(), x, y, [](bool b) { return b; }), set);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], i < set) << i;
}

TEST(Calls, ValuesWithCopyOperationsFollowBuiltInKeys) {
  const auto cpu = context::cpu(3);
  for (const std::size_t n : sizes) {
    const auto keys = random_values<int>(n, 0, 50);
    std::vector<std::string> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = std::to_string(keys[i]) + ":" + std::to_string(i);
    auto sorted = keys;
    auto moved = values;
    sort_by_key(cpu, sorted, moved);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(sorted[i], keys[order[i]]);
      ASSERT_EQ(moved[i], values[order[i]]);
    }
    std::vector<std::string> elsewhere(n);
    auto again = keys;
    sort_by_key(cpu, keys, values, again, elsewhere, {.descending = true});
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(elsewhere[i], values[order[i]]);
  }
}

TEST(Calls, MoveOnlyElementsAreSorted) {
  std::vector<std::unique_ptr<int>> p;
  for (int i = 0; i < 5000; ++i) p.push_back(std::make_unique<int>((i * 7919) % 5000));
  sort(context::cpu(3), p, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(*p[static_cast<std::size_t>(i)], i);
}

TEST(Calls, ATypeWithoutADefaultFoldsOnTheCpu) {
  struct weight {
    double kg;
    explicit weight(double x) : kg(x) {}
  };
  std::vector<weight> all;
  for (int i = 0; i < 3000; ++i) all.emplace_back(i);
  const auto heavier = [](const weight& a, const weight& b) { return a.kg < b.kg ? b : a; };
  EXPECT_EQ(reduce(context::cpu(2), all, heavier).kg, 2999);
  EXPECT_EQ(reduce(context::cpu(2), all, weight(1e6), heavier).kg, 1e6);
}

TEST(Calls, HalvesAreAdded) {
  const half a(1.5f), b(2.25f);
  EXPECT_EQ(a + b, half(3.75f));
  EXPECT_EQ(a - b, half(-0.75f));
  EXPECT_EQ(a * b, half(3.375f));
  EXPECT_EQ(half(9) / half(4), b);
  EXPECT_EQ(-a, half(-1.5f));
  const std::vector<half> x(1000, half(100));
  EXPECT_EQ(reduce(context::cpu(), x, 0.0f), 100000.0f);
  EXPECT_EQ(static_cast<float>(reduce(context::cpu(), x)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(reduce(context::cpu(), std::vector<half>{half(-3), half(-7)}, maximum{}), half(-3));
  EXPECT_EQ(reduce(context::cpu(), std::vector<half>{half(65504), half(70000)}, minimum{}), half(65504));
}

TEST(Calls, AContextThatWasMovedFromIsOne) {
  context a = context::cpu();
  const context b = std::move(a);
  EXPECT_EQ(reduce(a, std::vector<int>{1, 2, 3}), 6);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(reduce(b, std::vector<int>{1, 2, 3}), 6);
}

TEST(Calls, ABufferLargerThanCountingSaysSo) {
  tests::expect_error(fault::out_of_memory, {"4611686018427387908"},
                      [] { const buffer<float> b(context::cpu(), (std::uint64_t{1} << 62) + 4); });
}

}  // namespace
