// Inits, values and thresholds that are given in another type than the elements': taken where the elements' type holds
// them, and refused by a sentence elsewhere.
#include <cmath>

#include "tests/devices.hpp"
#include "upsweep/bfloat16.hpp"
#include "upsweep/core/lossless_conversion.hpp"
#include "upsweep/expression.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using tests::expect_error;

template <class T, class V>
bool holds(const V& value) {
  T as{};
  return core::convert_exactly<T>(value, as);
}

TEST(Given, IsConvertedExactly) {
  EXPECT_TRUE(holds<float>(16777216) && holds<float>(-16777216) && !holds<float>(16777217));
  EXPECT_TRUE(holds<float>(0.5) && !holds<float>(0.1) && !holds<float>(1e39) && holds<float>(INFINITY));
  EXPECT_TRUE(holds<float>(std::nan("")) && !holds<int>(std::nan("")) && !holds<int>(INFINITY));
  EXPECT_TRUE(holds<int>(2147483647.0) && !holds<int>(2147483648.0) && holds<int>(-2147483648.0));
  EXPECT_TRUE(!holds<int>(-2147483649.0) && !holds<int>(0.5) && holds<int>(-0.0) && !holds<int>(4294967296L));
  EXPECT_TRUE(!holds<unsigned>(-1) && !holds<unsigned>(-1.0) && holds<std::uint64_t>(9223372036854775808.0));
  EXPECT_TRUE(!holds<std::uint64_t>(18446744073709551616.0) && !holds<double>(~std::uint64_t{0}));
  EXPECT_TRUE(!holds<float>(INT64_MAX) && holds<float>(INT64_MIN) && holds<double>(std::uint64_t{1} << 63));
  EXPECT_TRUE(!holds<std::int64_t>(~std::uint64_t{0}) && holds<std::uint8_t>(255) && !holds<std::uint8_t>(256));
  EXPECT_TRUE(holds<half>(2048) && !holds<half>(2049) && !holds<half>(65536) && holds<int>(half(3.0f)));
  EXPECT_TRUE(holds<bfloat16>(256) && !holds<bfloat16>(257) && holds<bool>(1) && !holds<bool>(2));
}

struct GivenOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, GivenOn, testing::ValuesIn(tests::device_names()), tests::device_label);

using floats = std::vector<float>;
using ints = std::vector<std::int32_t>;

TEST_P(GivenOn, InitsOfFolds) {
  const floats x{1, 2, 3, 4};
  const buffer<float> in(where(), x);
  buffer<float> out(where(), 4), two(where(), 2), one(where(), 1);
  exclusive_scan(where(), in, out, 0);
  EXPECT_EQ(out.download(), (floats{0, 1, 3, 6}));
  exclusive_scan(where(), in, out, 0.0);
  EXPECT_EQ(out.download(), (floats{0, 1, 3, 6}));
  exclusive_scan(where(), in, out, 1u, plus{});
  EXPECT_EQ(out.download(), (floats{1, 2, 4, 7}));
  inclusive_scan(where(), in, out, 2);
  EXPECT_EQ(out.download(), (floats{3, 5, 8, 12}));
  inclusive_scan(where(), in, out, plus{}, 2);
  EXPECT_EQ(out.download(), (floats{3, 5, 8, 12}));
  EXPECT_EQ(reduce(where(), in, 0), 10.0f);
  static_assert(std::is_same_v<decltype(reduce(where(), in, 1)), float>);
  EXPECT_EQ(reduce(where(), x, 1), 11.0f);
  reduce(where(), in, one, 0.0);
  EXPECT_EQ(one.download()[0], 10.0f);
  const buffer<std::int32_t> keys(where(), ints{1, 1, 2, 2});
  const buffer<std::uint64_t> cuts(where(), std::vector<std::uint64_t>{0, 2, 4});
  exclusive_scan_by_key(where(), keys, in, out, 1.0);
  EXPECT_EQ(out.download(), (floats{1, 2, 1, 4}));
  segmented_reduce(where(), in, cuts, two, 1);
  EXPECT_EQ(two.download(), (floats{4, 8}));
  segmented_exclusive_scan(where(), in, cuts, out, 0.0);
  EXPECT_EQ(out.download(), (floats{0, 1, 0, 3}));
  reduce_along(where(), in, shape{2, 2}, 1, two, 1);
  EXPECT_EQ(two.download(), (floats{4, 8}));

  const buffer<std::int32_t> whole(where(), ints{1, 2, 3, 4});
  buffer<std::int32_t> sums(where(), 4), pairs(where(), 2);
  exclusive_scan(where(), whole, sums, 0.0);
  EXPECT_EQ(sums.download(), (ints{0, 1, 3, 6}));
  EXPECT_EQ(reduce(where(), whole, 0u), 10);
  expect_error(fault::bad_argument, {"the init is 0.5", "i32"}, [&] { exclusive_scan(where(), whole, sums, 0.5); });
  expect_error(fault::bad_argument, {"the init is 0.1", "f32", "0.1f"}, [&] { exclusive_scan(where(), in, out, 0.1); });
  expect_error(fault::bad_argument, {"1.5", "i32"}, [&] { segmented_reduce(where(), whole, cuts, pairs, 1.5); });
  expect_error(fault::bad_argument, {"-1", "u64"}, [&] { reduce(where(), cuts, -1); });
  expect_error(fault::bad_argument, {"16777217", "f32"}, [&] { reduce(where(), in, 16777217); });
}

TEST_P(GivenOn, Values) {
  buffer<float> x(where(), floats{1, 2, 3, 4});
  buffer<std::int32_t> n(where(), ints{1, 2, 3, 4});
  replace(where(), x, 2, 5.0);
  replace_if(where(), x, greater_than(4), 7);
  EXPECT_EQ(x.download(), (floats{1, 7, 3, 4}));
  EXPECT_EQ(count(where(), x, 7), 1u);
  EXPECT_EQ(find(where(), n, 3.0), 2u);
  EXPECT_EQ(count(where(), x, 16777217), 0u);
  fill(where(), n, 1.0);
  EXPECT_EQ(n.download(), ints(4, 1));
  fill(where(), x, 0);
  EXPECT_EQ(x.download(), floats(4));
  iota(where(), x, 1, 2.0);
  EXPECT_EQ(x.download(), (floats{1, 3, 5, 7}));
  expect_error(fault::bad_argument, {"fill", "1.5", "i32"}, [&] { fill(where(), n, 1.5); });
  expect_error(fault::bad_argument, {"fill", "0.1", "f32", "0.1f"}, [&] { fill(where(), x, 0.1); });
  expect_error(fault::bad_argument, {"fill", "1e+10", "i32"}, [&] { fill(where(), n, 1e10); });
  expect_error(fault::bad_argument, {"count", "0.5", "i32"}, [&] { count(where(), n, 0.5); });
  expect_error(fault::bad_argument, {"replace", "0.5"}, [&] { replace(where(), n, 0.5, 1); });
  EXPECT_EQ(n.download(), ints(4, 1));
}

TEST_P(GivenOn, Thresholds) {
  buffer<float> x(where(), floats{1, 2, 3, 4}), out(where(), 4), rest(where(), 4);
  const buffer<std::int32_t> marks(where(), ints{4, 3, 2, 1});
  EXPECT_EQ(count_if(where(), x, less_than(3)), 2u);
  EXPECT_EQ(find_if(where(), x, greater_than(2u)), 2u);
  EXPECT_TRUE(any_of(where(), x, equal_to(2)) && all_of(where(), x, at_most(4.0)) && none_of(where(), x, less_than(1)));
  EXPECT_EQ(copy_if(where(), x, out, greater_than(1)), 3u);
  EXPECT_EQ(out.download()[0], 2.0f);
  EXPECT_EQ(partition(where(), x, out, at_least(3)), 2u);
  EXPECT_EQ(three_way_partition(where(), x, out, less_than(2), less_than(4.0))[1], 2u);
  EXPECT_EQ(remove_copy_if(where(), x, out, less_than(4)), 1u);
  EXPECT_EQ(out.download()[0], 4.0f);
  EXPECT_EQ(partition_copy(where(), x, out, rest, less_than(2)), 1u);
  EXPECT_EQ(copy_if(where(), x, out, stencil(marks, less_than(2.0))), 1u);
  EXPECT_EQ(out.download()[0], 4.0f);
  transform_if(where(), x, out, negate{}, less_than(3));
  EXPECT_EQ(tests::first_of(out.download(), 2), (floats{-1, -2}));
  buffer<float> kept(where(), floats{1, 2, 3, 4});
  EXPECT_EQ(remove_if(where(), kept, greater_than(1)), 1u);
  EXPECT_EQ(count_if(where(), floats{1, 2, 3}, less_than(2)), 1u);
  expect_error(fault::bad_argument, {"count_if", "the threshold is 0.1", "f32", "0.1f"},
               [&] { count_if(where(), x, less_than(0.1)); });
  expect_error(fault::bad_argument, {"copy_if", "0.5", "i32"}, [&] {
    buffer<std::int32_t> some(where(), 4);
    copy_if(where(), marks, some, less_than(0.5));
  });
}

TEST(Given, OtherElements) {
  const auto cpu = context::cpu();
  const std::vector<bfloat16> x{bfloat16(0.5f), bfloat16(0.25f)};
  EXPECT_EQ(static_cast<float>(reduce(cpu, x, 0)), 0.75f);
  EXPECT_EQ(reduce(cpu, x, 0.0f), 0.75f);
  EXPECT_EQ(count(cpu, x, 0.5), 1u);
  std::vector<half> halves(3);
  fill(cpu, halves, 2);
  EXPECT_EQ(static_cast<float>(halves[2]), 2.0f);
  std::vector<std::string> words{"a", "b"};
  replace(cpu, words, "a", "c");
  EXPECT_EQ(words[0], "c");
  EXPECT_EQ(count(cpu, words, "b"), 1u);
  EXPECT_EQ(reduce(cpu, words, "x", std::plus<>{}), "xcb");
}

// Moves of inputs that are no memory, and of elements without operators.
TEST(LazyMoves, StoreWhatIsNoMemory) {
  const auto cpu = context::cpu();
  const floats x{1, 2, 3, 4};
  const auto doubled = views::transform(x, [](float v) { return 2 * v; });
  const std::vector<std::uint64_t> at{3, 0, 0, 2}, lengths{1, 0, 2, 1};
  const std::vector<std::uint8_t> flags{1, 0, 1, 1};
  floats y(4);
  gather(cpu, doubled, at, y);
  EXPECT_EQ(y, (floats{8, 2, 2, 6}));
  gather(cpu, x, views::iota(std::uint32_t{0}, 4), y);
  EXPECT_EQ(y, x);
  y.assign(4, -1);
  gather_if(cpu, doubled, at, flags, y);
  EXPECT_EQ(y, (floats{8, -1, 2, 6}));
  scatter(cpu, doubled, views::reverse(views::iota(std::uint64_t{0}, 4)), y);
  EXPECT_EQ(y, (floats{8, 6, 4, 2}));
  y.assign(4, -1);
  scatter_if(cpu, doubled, views::iota(std::uint64_t{0}, 4), flags, y);
  EXPECT_EQ(y, (floats{2, -1, 6, 8}));
  run_length_decode(cpu, doubled, lengths, y);
  EXPECT_EQ(y, (floats{2, 6, 6, 8}));
  run_length_decode(cpu, x, views::repeat(std::uint64_t{1}, 4), y);
  EXPECT_EQ(y, x);
  expect_error(fault::bad_argument, {"gather", "4"},
               [&] { gather(cpu, doubled, views::iota(std::uint64_t{1}, 4), y); });
  struct point {
    float x, y;
  };
  const std::vector<point> p{{1, 2}, {3, 4}};
  std::vector<point> q(2);
  gather(cpu, p, std::vector<std::uint32_t>{1, 0}, q);
  EXPECT_EQ(q[0].x, 3);
  scatter(cpu, views::transform(p, [](const point& a) { return point{a.y, a.x}; }), std::vector<std::uint32_t>{1, 0},
          q);
  EXPECT_EQ(q[0].x, 4);
  run_length_decode(cpu, p, std::vector<std::uint64_t>{0, 2}, q);
  EXPECT_EQ(q[1].y, 4);
}

TEST(ZippedTests, TakeTheElementsOfARow) {
  const auto cpu = context::cpu();
  const floats x{1, 5, 3};
  const ints n{2, 2, 2};
  const auto above = [](float a, int b) { return a > static_cast<float>(b); };
  EXPECT_EQ(count_if(cpu, views::zip(x, n), above), 2u);
  EXPECT_EQ(find_if(cpu, views::zip(x, n), above), 1u);
  EXPECT_FALSE(all_of(cpu, views::zip(x, n), above));
  std::vector<zip_reference<float, std::int32_t>> kept(3);
  EXPECT_EQ(copy_if(cpu, views::zip(x, n), kept, above), 2u);
  EXPECT_EQ(kept[1].get<0>(), 3.0f);
  EXPECT_EQ(remove_copy_if(cpu, views::zip(x, n), kept, above), 1u);
  EXPECT_EQ(kept[0].get<0>(), 1.0f);
}

// Keys that an expression makes, on devices that compile it.
TEST_P(GivenOn, MovesOfInputsThatTextsMake) {
  const buffer<float> x(where(), floats{1, 2, 3, 4});
  const buffer<std::uint64_t> at(where(), std::vector<std::uint64_t>{3, 0, 0, 2});
  buffer<float> y(where(), 4);
  const auto doubled = views::transform(x, expression("2 * x"));
  gather(where(), doubled, at, y);
  EXPECT_EQ(y.download(), (floats{8, 2, 2, 6}));
  scatter(where(), doubled, views::reverse(views::iota(std::uint64_t{0}, 4)), y);
  EXPECT_EQ(y.download(), (floats{8, 6, 4, 2}));
  run_length_decode(where(), doubled, views::transform(views::iota(std::uint64_t{0}, 4), expression("x == 1 ? 4 : 0")),
                    y);
  EXPECT_EQ(y.download(), (floats{4, 4, 4, 4}));
}

// The standard's operators, as reduce takes them.
TEST_P(GivenOn, StandardOperatorsByKeyAndBySegment) {
  const buffer<std::int32_t> keys(where(), ints{1, 1, 2, 2});
  const buffer<std::int32_t> x(where(), ints{1, 2, 3, 4});
  const buffer<std::uint64_t> cuts(where(), std::vector<std::uint64_t>{0, 2, 4});
  buffer<std::int32_t> keys_out(where(), 4), out(where(), 4), two(where(), 2);
  buffer<std::uint64_t> runs(where(), 1);
  EXPECT_EQ(reduce_by_key(where(), keys, x, keys_out, out, std::plus<>{}), 2u);
  EXPECT_EQ(tests::first_of(out.download(), 2), (ints{3, 7}));
  reduce_by_key(where(), keys, x, keys_out, out, runs.span(), std::multiplies<std::int32_t>{});
  EXPECT_EQ(tests::first_of(out.download(), 2), (ints{2, 12}));
  EXPECT_EQ(reduce_by_key(where(), keys, x, keys_out, out, std::ranges::max, square{}), 2u);
  EXPECT_EQ(tests::first_of(out.download(), 2), (ints{4, 16}));
  inclusive_scan_by_key(where(), keys, x, out, std::plus<>{});
  EXPECT_EQ(out.download(), (ints{1, 3, 3, 7}));
  transform_inclusive_scan_by_key(where(), keys, x, out, std::plus<>{}, square{}, 0);
  EXPECT_EQ(out.download(), (ints{1, 5, 9, 25}));
  transform_exclusive_scan_by_key(where(), keys, x, out, 0, std::plus<>{}, square{});
  EXPECT_EQ(out.download(), (ints{0, 1, 0, 9}));
  segmented_transform_reduce(where(), x, cuts, two, 0, std::plus<>{}, square{});
  EXPECT_EQ(two.download(), (ints{5, 25}));
  segmented_transform_inclusive_scan(where(), x, cuts, out, std::bit_or<>{}, identity{}, 0);
  EXPECT_EQ(out.download(), (ints{1, 3, 3, 7}));
  segmented_transform_exclusive_scan(where(), x, cuts, out, 0, std::plus<>{}, identity{});
  EXPECT_EQ(out.download(), (ints{0, 1, 0, 3}));
}

}  // namespace
