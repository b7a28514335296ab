// Tests the contract of convolve.hpp on every usable device, the detected properties of masks, and the conformance test
// itself. The conformance test checks the algorithms.
#include "upsweep/convolve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "tests/conformance_tests.hpp"
#include "tests/devices.hpp"
#include "upsweep/convolve/convolve_box.hpp"
#include "upsweep/convolve/convolve_choice.hpp"

namespace upsweep {
namespace {

using detail::convolve_impl::primitive;
using detail::convolve_impl::problem;
using tests::expect_error;
using floats = std::vector<float>;
using ints = std::vector<std::int32_t>;
using bytes = std::vector<std::uint8_t>;

floats random_floats(std::uint64_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  floats x(n);
  for (float& e : x) e = any(random);
  return x;
}
ints random_ints(std::uint64_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  ints x(n);
  for (std::int32_t& e : x) e = static_cast<std::int32_t>(random() % 2001) - 1000;
  return x;
}
bool has_variant(backend kind) {
  const auto all = catalog();
  return std::any_of(all.begin(), all.end(), [&](const variant& v) {
    return v.what == primitive::convolve && v.where == kind && v.kind == variant_kind::tuned;
  });
}

// ---- masks

TEST(Mask, KnowsItsRank) {
  EXPECT_EQ((mask<float>({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}).rank()), 1u);
  EXPECT_EQ((mask<std::int32_t>({3, 3}, {-1, 0, 1, -2, 0, 2, -1, 0, 1}).rank()), 1u);
  // Laplace's: rank 2, which costs twelve products instead of nine.
  EXPECT_EQ((mask<float>({3, 3}, {0, 1, 0, 1, -4, 1, 0, 1, 0}).rank()), 0u);
  EXPECT_EQ((mask<float>({5}, {1, 2, 3, 2, 1}).rank()), 0u);
  EXPECT_EQ((mask<float>({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}).rank()), 0u);
  // A cube is a row times a column times a pillar; with one element changed it is not.
  std::vector<double> cube(27);
  for (int i = 0; i < 27; ++i) cube[i] = (1 + i % 3) * (2 + i / 3 % 3) * (0.5 + i / 9);
  EXPECT_EQ((mask<double>({3, 3, 3}, cube).rank()), 1u);
  cube[5] += 1e-9;
  EXPECT_EQ((mask<double>({3, 3, 3}, cube).rank()), 0u);
}

TEST(Mask, FactorsMakeItAgain) {
  for (const std::uint32_t rank : {1u, 2u, 3u}) {
    const extent size{15, 13, 1};
    const floats rows = random_floats(size.x * rank, rank), columns = random_floats(size.y * rank, rank + 9);
    floats values(size.count());
    for (std::uint64_t j = 0; j < size.y; ++j)
      for (std::uint64_t i = 0; i < size.x; ++i) {
        double sum = 0;  // rounded once: summed in floats it would be a mask of that rank and some rounding
        for (std::uint32_t r = 0; r < rank; ++r) sum += double{rows[r * size.x + i]} * columns[r * size.y + j];
        values[j * size.x + i] = static_cast<float>(sum);
      }
    const mask<float> m(size, values);
    ASSERT_EQ(m.rank(), rank);
    for (std::uint64_t j = 0; j < size.y; ++j)
      for (std::uint64_t i = 0; i < size.x; ++i) {
        double sum = 0;
        for (std::uint32_t r = 0; r < rank; ++r) {
          const float* f = m.factors().data() + r * (size.x + size.y + 1);
          sum += static_cast<double>(f[i]) * f[size.x + j] * f[size.x + size.y];
        }
        EXPECT_TRUE(std::abs(sum - values[j * size.x + i]) <= 0x1p-20 * 3);
      }
  }
  EXPECT_EQ((mask<float>({9, 9}, random_floats(81)).rank()), 0u);
  // Integers exactly: 6 = 2 · 3 in each corner.
  const mask<std::int32_t> m({3, 3}, {6, 12, 6, 9, 18, 9, 6, 12, 6});
  ASSERT_EQ(m.rank(), 1u);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) EXPECT_EQ(m.factors()[i] * m.factors()[3 + j] * m.factors()[6], m.values()[j * 3 + i]);
}

TEST(Mask, KnowsWhatItLooksLike) {
  const mask<float> box({3, 2}, {2, 2, 2, 2, 2, 2}), ramp({3}, {1, 2, 3}), hat({3}, {1, 2, 1});
  EXPECT_TRUE(box.constant() && box.symmetric());
  EXPECT_FALSE(ramp.constant() || ramp.symmetric());
  EXPECT_TRUE(hat.symmetric() && !hat.constant());
  EXPECT_EQ(hat.anchor(), (extent{1, 0, 0}));
}

TEST(Mask, BadInput) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  expect_error(fault::bad_argument, {"mask", "NaN"}, [&] { mask<float>({3}, {1, nan, 1}); });
  expect_error(fault::bad_argument, {"infinite"}, [&] { mask<float>({2}, {1, -inf}); });
  expect_error(fault::bad_argument, {"no elements"}, [] { mask<float>({0, 3}, {}); });
  expect_error(fault::bad_argument, {"3 x 3", "8 values"}, [] { mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8}); });
  expect_error(fault::bad_argument, {"anchor", "outside"}, [] { mask<float>({3}, {1, 2, 3}, extent{3, 0, 0}); });
  expect_error(fault::bad_argument, {"does not match"}, [] { mask<float>({std::uint64_t{1} << 40, 1 << 30}, {1}); });
}

// ---- on every device

struct ConvolveOn : tests::on_each_device {
  void SetUp() override {
    if (!has_variant(where().kind())) GTEST_SKIP() << "the library has no convolve on " << where().name();
  }
};
INSTANTIATE_TEST_SUITE_P(, ConvolveOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(ConvolveOn, TheReportsExample) {
  // 1-D, integers, zeros outside: [1, 3, 6] centred on each element.
  const ints in{1, 2, 3, 4};
  ints out(4);
  correlate(where(), in, mask<std::int32_t>({3}, {1, 3, 6}), out);
  EXPECT_EQ(out, (ints{15, 25, 35, 15}));
  convolve(where(), in, mask<std::int32_t>({3}, {1, 3, 6}), out);
  EXPECT_EQ(out, (ints{5, 15, 25, 30}));
}

TEST_P(ConvolveOn, BordersOfARow) {
  const ints in{1, 2, 3, 4, 5};
  const mask<std::int32_t> sum({5}, {1, 10, 100, 1000, 10000});
  ints out(5);
  correlate(where(), in, sum, out, border::clamp);
  EXPECT_EQ(out[0], 32111);
  correlate(where(), in, sum, out, border::reflect);
  EXPECT_EQ(out[0], 32112);
  correlate(where(), in, sum, out, border::mirror);
  EXPECT_EQ(out[0], 32123);
  correlate(where(), in, sum, out, border::wrap);
  EXPECT_EQ(out[0], 32154);
  ints one(1);
  correlate(where(), in, sum, one, border::none);
  EXPECT_EQ(one[0], 54321);
  correlate(where(), ints{1, 2}, sum, ints{}, border::none);  // the mask is larger: nothing
}

TEST_P(ConvolveOn, AnImpulseShowsTheMask) {
  const extent size{11, 9, 1};
  const mask<std::int32_t> m({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, extent{1, 2, 0});
  ints in(size.count()), out(size.count());
  in[5 * size.x + 6] = 1;
  convolve(where(), in, image_layout{size}, m, out);
  for (std::uint64_t y = 0; y < size.y; ++y)
    for (std::uint64_t x = 0; x < size.x; ++x) {
      const std::int64_t i = static_cast<std::int64_t>(x) - 6 + 1, j = static_cast<std::int64_t>(y) - 5 + 2;
      const bool in_mask = i >= 0 && i < 4 && j >= 0 && j < 3;
      EXPECT_EQ(out[y * size.x + x], in_mask ? m.values()[static_cast<std::uint64_t>(j * 4 + i)] : 0) << x << " " << y;
    }
}

TEST_P(ConvolveOn, AShiftMovesThePicture) {
  const extent size{67, 41, 1};
  const ints in = random_ints(size.count() * 3);
  ints out(in.size());
  convolve(where(), in, image_layout{size, 3}, mask<std::int32_t>({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 1}), out,
           border::wrap);
  for (std::uint64_t y = 0; y < size.y; ++y)
    for (std::uint64_t e = 0; e < 3 * size.x; ++e)
      ASSERT_EQ(out[y * 3 * size.x + e],
                in[(y + size.y - 1) % size.y * 3 * size.x + (e + 3 * size.x - 3) % (3 * size.x)]);
}

TEST_P(ConvolveOn, IsLinear) {
  const extent size{53, 37, 1};
  const ints a = random_ints(size.count(), 2), b = random_ints(size.count(), 3);
  ints both(a.size()), of_a(a.size()), of_b(a.size()), of_both(a.size());
  for (std::uint64_t i = 0; i < a.size(); ++i) both[i] = 3 * a[i] - 2 * b[i];
  const mask<std::int32_t> m({5, 4}, std::span<const std::int32_t>(random_ints(20, 4)));
  for (const auto& [x, y] : {std::pair{&a, &of_a}, {&b, &of_b}, {&both, &of_both}})
    correlate(where(), *x, image_layout{size}, m, *y, border::mirror);
  for (std::uint64_t i = 0; i < a.size(); ++i) ASSERT_EQ(of_both[i], 3 * of_a[i] - 2 * of_b[i]);
}

TEST_P(ConvolveOn, SplitAndWholeAgree) {
  const extent size{190, 77, 1};
  const floats in = random_floats(size.count(), 5);
  floats row = random_floats(15, 6), column = random_floats(11, 7), values(165), whole(in.size()), split(in.size());
  for (int j = 0; j < 11; ++j)
    for (int i = 0; i < 15; ++i) values[j * 15 + i] = row[i] * column[j];
  const mask<float> m({15, 11}, values);
  ASSERT_EQ(m.rank(), 1u);
  double size_of_mask = 0;
  for (const float v : values) size_of_mask += std::abs(v);
  const context direct = where().with({.variant = "convolve/direct"}),
                separable = where().with({.variant = "convolve/separable"});
  convolve(direct, in, image_layout{size}, m, whole, border::reflect);
  convolve(separable, in, image_layout{size}, m, split, border::reflect);
  const double bound = (165 + 8) * 0x1p-24 * size_of_mask + 165 * 0x1p-20;
  for (std::uint64_t i = 0; i < in.size(); ++i) ASSERT_TRUE(std::abs(whole[i] - split[i]) <= bound) << i;
}

TEST_P(ConvolveOn, FftAndDirectAgree) {
  if (where().kind() != backend::cpu || !detail::convolve_impl::have_fft())
    GTEST_SKIP() << "there is no FFT on " << where().name();
  const extent size{300, 210, 1};
  const floats in = random_floats(2 * size.count(), 8), values = random_floats(31 * 24, 9);
  const mask<float> m({31, 24}, values);
  double size_of_mask = 0;
  for (const float v : values) size_of_mask += std::abs(v);
  floats whole(in.size()), fft(in.size());
  convolve(where().with({.variant = "convolve/direct"}), in, image_layout{size, 2}, m, whole, border::wrap);
  convolve(where().with({.variant = "convolve/fft"}), in, image_layout{size, 2}, m, fft, border::wrap);
  // Each within its own bound: convolve.hpp.
  const double bound = (64 + 31 * 24 + 8) * 0x1p-24 * size_of_mask;
  for (std::uint64_t i = 0; i < in.size(); ++i) ASSERT_TRUE(std::abs(whole[i] - fft[i]) <= bound) << i;
}

TEST_P(ConvolveOn, BytesAreRoundedAndSaturated) {
  const bytes in{0, 1, 2, 3, 254, 255};
  bytes out(6);
  convolve(where(), in, mask<std::int32_t>({1}, {2}), out);
  EXPECT_EQ(out, (bytes{0, 2, 4, 6, 255, 255}));
  convolve(where(), in, mask<std::int32_t>({1}, {-1}), out);
  EXPECT_EQ(out, bytes(6));
  convolve(where(), in, mask<float>({1}, {0.5f}), out);  // half to even: 0.5, 1.5, 127.5
  EXPECT_EQ(out, (bytes{0, 0, 1, 2, 127, 128}));
  ints wide(6);
  convolve(where(), in, mask<std::int32_t>({1}, {-1000}), wide);
  EXPECT_EQ(wide[5], -255000);
  floats real(6);
  convolve(where(), in, mask<float>({1}, {-0.25f}), real);
  EXPECT_EQ(real[1], -0.25f);
}

TEST_P(ConvolveOn, HalvesAreSummedInFloats) {
  // 2048 + 1 is no f16; a thousand ones after it would all be lost.
  std::vector<half> in(1001, half(1.0f)), out(1);
  in[0] = half(2048.0f);
  const mask<float> ones({1001}, floats(1001, 1.0f));
  correlate(where(), in, ones, out, border::none);
  EXPECT_EQ(static_cast<float>(out[0]), 3048.0f);
  floats wide(1);
  correlate(where(), in, ones, wide, border::none);
  EXPECT_EQ(wide[0], 3048.0f);
}

TEST_P(ConvolveOn, RowsWithGapsAndBatches) {
  const ints in{1, 2, 3, -9, 4, 5, 6, -9};
  ints out(10, 77);
  correlate(where(), in, image_layout{{3, 2}, 1, 4, 5}, mask<std::int32_t>({2}, {1, 1}, extent{0, 0, 0}), out);
  EXPECT_EQ(out, (ints{3, 5, 3, 77, 77, 9, 11, 6, 77, 77}));
  buffer<std::int32_t> there(where(), in), result(where(), ints(10, 77));
  correlate(where(), there.span(), image_layout{{3, 2}, 1, 4, 5}, mask<std::int32_t>({2}, {1, 1}, extent{0, 0, 0}),
            result.span());
  EXPECT_EQ(result.download(), out);
}

// A NaN is in the results whose neighbourhood it is in, and in no others.
TEST_P(ConvolveOn, ANanStaysWhereItIs) {
  const extent size{64, 40, 1};
  floats in(size.count(), 1.0f), out(size.count());
  in[20 * size.x + 30] = std::numeric_limits<float>::quiet_NaN();
  convolve(where(), in, image_layout{size}, mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}), out, border::clamp);
  for (std::uint64_t y = 0; y < size.y; ++y)
    for (std::uint64_t x = 0; x < size.x; ++x)
      ASSERT_EQ(std::isnan(out[y * size.x + x]), x >= 29 && x <= 31 && y >= 19 && y <= 21) << x << " " << y;
}

TEST_P(ConvolveOn, TakesNoMemoryTheSecondTime) {
  const extent size{200, 100, 1};
  const buffer<float> in(where(), random_floats(size.count()));
  buffer<float> out(where(), size.count());
  const mask<float> m({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1});
  convolve(where(), in.span(), image_layout{size}, m, out.span());
  const auto before = where().temporary_storage_allocations();
  convolve(where(), in.span(), image_layout{size}, m, out.span());
  EXPECT_EQ(where().temporary_storage_allocations(), before);
}

// Masks stay on the device: each call has its own, whatever the last one was, and wherever it was made.
TEST_P(ConvolveOn, MasksTakeTurns) {
  const extent size{70, 40, 1};
  const buffer<float> in(where(), random_floats(size.count()));
  const auto under = [&](const mask<float>& m) {
    buffer<float> out(where(), size.count());
    convolve(where(), in, image_layout{size}, m, out);
    return out.download();
  };
  const mask<float> smooth({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}), any({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}),
      row({5}, {1, 2, 3, 4, 5});
  const floats first = under(smooth), second = under(any), third = under(row);
  EXPECT_NE(first, second);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(under(smooth), first);
    EXPECT_EQ(under(smooth), first);
    EXPECT_EQ(under(any), second);
    EXPECT_EQ(under(row), third);
    EXPECT_EQ(under(mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10})), second);
  }
  floats elsewhere;
  std::thread([&] { elsewhere = under(smooth); }).join();
  EXPECT_EQ(elsewhere, first);
  EXPECT_EQ(under(any), second);
}

// ---- bytes in fixed point

// Gaussians of bytes, at every border, with gaps, channels and anchors, against sums in double: right where the sum,
// off by what the contract allows, is rounded. White stays white, and every other colour what it is.
TEST(ConvolveBytes, AreWithinWhatFixedPointAllows) {
  const context cpu = context::cpu(2);
  const auto weights = [](std::uint64_t size, double sigma) {
    std::vector<double> w;
    double all = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      const double off = static_cast<double>(i) - static_cast<double>(size / 2);
      w.push_back(std::exp(-off * off / (2 * sigma * sigma))), all += w.back();
    }
    for (double& v : w) v /= all;
    return w;
  };
  std::mt19937 random(3);
  std::uint32_t turn = 0;
  // The last is wider than a tile.
  for (const extent size :
       {extent{1, 1}, extent{1, 40}, extent{40, 1}, extent{63, 9}, extent{64, 5}, extent{201, 67}, extent{4999, 3}})
    for (const auto& [across, down] : {std::pair{3u, 3u}, {9u, 5u}, {3u, 11u}, {15u, 17u}})
      for (const border edge : all_borders) {
        const std::uint32_t channels = 1 + turn++ % 4;
        const auto row = weights(across, 0.3 + 0.2 * across), column = weights(down, 0.3 + 0.15 * down);
        const double share = turn % 3 ? 1 : 0.7;
        floats values;
        for (const double c : column)
          for (const double r : row) values.push_back(static_cast<float>(share * r * c));
        const extent anchor{turn % across, turn % down, 0};
        const mask<float> m({across, down}, values, turn % 2 ? std::optional(anchor) : std::nullopt);
        const std::uint64_t out_x = edge == border::none ? (size.x < across ? 0 : size.x - across + 1) : size.x,
                            out_y = edge == border::none ? (size.y < down ? 0 : size.y - down + 1) : size.y;
        const image_layout r{size, channels, size.x * channels + turn % 5, out_x * channels + turn % 3};
        ASSERT_EQ(m.rank(), 1u);
        if (out_x == 0 || out_y == 0) continue;
        EXPECT_NE(explain(cpu, dtype::u8, r, m, std::nullopt, edge).find("fixed point"), std::string::npos);
        bytes in(size.y * r.pitch), out(out_y * r.out_pitch, 77);
        for (auto& v : in) v = static_cast<std::uint8_t>(random() % 7 == 0 ? 255 : random());
        correlate(cpu, in, r, m, out, edge);
        const auto before = edge == border::none ? extent{0, 0, 0} : m.anchor();
        const double allowed = 0.5 + (across + down) / 256.0;
        for (std::uint64_t y = 0; y < out_y; ++y)
          for (std::uint64_t x = 0; x < r.out_pitch; ++x) {
            const std::uint8_t got = out[y * r.out_pitch + x];
            if (x >= out_x * channels) {
              ASSERT_EQ(got, 77) << "a gap was written";
              continue;
            }
            double sum = 0;
            for (std::uint64_t j = 0; j < down; ++j)
              for (std::uint64_t i = 0; i < across; ++i) {
                const auto at = [&](std::uint64_t to, std::uint64_t k, std::uint64_t off, std::uint64_t n) {
                  return border_index(edge, static_cast<std::int64_t>(to + k) - static_cast<std::int64_t>(off),
                                      static_cast<std::int64_t>(n));
                };
                const auto fx = at(x / channels, i, before.x, size.x), fy = at(y, j, before.y, size.y);
                if (fx >= 0 && fy >= 0)
                  sum += double{values[j * across + i]} * in[static_cast<std::uint64_t>(fy) * r.pitch +
                                                             static_cast<std::uint64_t>(fx) * channels + x % channels];
              }
            ASSERT_FALSE(!(std::abs(got - sum) <= allowed))
                << int{got} << " for " << sum << " at " << x << ", " << y << " of " << size.x << " x " << size.y
                << " x " << channels << " under " << across << " x " << down << ", " << name_of(edge);
          }
      }
  const mask<float> soft({3, 3},
                         {1 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 4 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 1 / 16.f});
  for (int colour = 0; colour < 256; ++colour) {
    const bytes same(70, static_cast<std::uint8_t>(colour));
    bytes out(70);
    convolve(cpu, same, image_layout{{10, 7}}, soft, out, border::mirror);
    ASSERT_EQ(out, same);
  }
}

// What is not the same from both ends, or negative, or more than one in all, goes in floats and is exactly rounded.
TEST(ConvolveBytes, OthersGoInFloats) {
  const context cpu = context::cpu(1);
  const auto explained = [&](const mask<float>& m) { return explain(cpu, dtype::u8, {{100, 100}}, m); };
  floats lopsided(25), sharp(25), bright(25);
  for (std::size_t i = 0; i < 25; ++i) {
    const float hill[]{1, 2, 4, 2, 1};
    lopsided[i] = (i % 5 == 0 ? 3.0f : hill[i % 5]) * hill[i / 5] / 200;
    sharp[i] = (i % 5 == 2 ? 14.0f : -hill[i % 5]) * hill[i / 5] / 100;
    bright[i] = hill[i % 5] * hill[i / 5] / 99;
  }
  for (const floats& values : {lopsided, sharp, bright}) {
    const mask<float> m({5, 5}, values);
    EXPECT_EQ(m.rank(), 1u);
    EXPECT_EQ(explained(m).find("fixed point"), std::string::npos) << explained(m);
  }
}

// Windows of windows, at sizes with all digits and with one, as wide as the picture and wider.
TEST(ConvolveBox, IsTheSumOfTheWindow) {
  const context cpu = context::cpu(), by_box = cpu.with({.variant = "convolve/box"}),
                directly = cpu.with({.variant = "convolve/direct"});
  for (const std::uint64_t size : {1, 2, 3, 8, 9, 15, 16, 17, 63, 64, 65, 100, 255, 257, 1000}) {
    const detail::convolve_impl::window_plan plan = detail::convolve_impl::plan_of_window(size);
    std::uint64_t reach = 1;
    for (std::uint64_t i = 1; i < plan.levels; ++i) reach *= plan.base;
    EXPECT_TRUE(reach <= size && size < reach * plan.base) << size;
    const ints in = random_ints(5 * 301, static_cast<unsigned>(size));
    ints as_box(in.size(), 7), as_direct(in.size(), 9);
    for (const extent box : {extent{size, 1, 1}, extent{1, size, 1}, extent{size, 3, 1}}) {
      const mask<std::int32_t> m(box, ints(box.count(), -3));
      const image_layout picture{{301, 5}};
      convolve(by_box, in, picture, m, as_box, border::reflect);
      convolve(directly, in, picture, m, as_direct, border::reflect);
      ASSERT_EQ(as_box, as_direct) << box.x << " x " << box.y;
    }
  }
}

// A weight of a ninth keeps the largest numbers from overflowing, as it does by the definition; and what is far away
// does not matter.
TEST(ConvolveBox, KeepsWhatTheWindowHolds) {
  const context cpu = context::cpu().with({.variant = "convolve/box"});
  const float most = std::numeric_limits<float>::max();
  floats in(64 * 40, most / 2), out(in.size());
  convolve(cpu, in, image_layout{{64, 40}}, mask<float>({3, 3}, floats(9, 1 / 9.0f)), out, border::clamp);
  for (const float v : out) ASSERT_TRUE(std::abs(v / (most / 2) - 1) <= 1e-6f) << v;
  in.assign(in.size(), 1e-3f);
  in[0] = std::numeric_limits<float>::quiet_NaN(), in[63] = 1e30f, in[39 * 64] = std::numeric_limits<float>::infinity();
  convolve(cpu, in, image_layout{{64, 40}}, mask<float>({9, 7}, floats(63, 1.0f)), out, border::zero);
  for (std::uint64_t y = 4; y < 36; ++y)
    for (std::uint64_t x = 5; x < 58; ++x) ASSERT_TRUE(std::abs(out[y * 64 + x] - 0.063f) <= 1e-7f) << x << ", " << y;
}

TEST_P(ConvolveOn, BadInput) {
  const floats in(12);
  floats out(12);
  const mask<float> m({3}, {1, 2, 1});
  expect_error(fault::bad_argument, {"convolve", "empty"}, [&] { convolve(where(), floats{}, m, out); });
  expect_error(fault::bad_argument, {"correlate", "input", "12", "20"},
               [&] { correlate(where(), in, image_layout{{5, 4}}, m, out); });
  expect_error(fault::bad_argument, {"output"}, [&] { correlate(where(), in, image_layout{{12}}, m, floats(11)); });
  expect_error(fault::bad_argument, {"channels"}, [&] { convolve(where(), in, image_layout{{2, 1}, 5}, m, out); });
  expect_error(fault::bad_argument, {"pitch"}, [&] { convolve(where(), in, image_layout{{4, 3}, 1, 3}, m, out); });
  expect_error(fault::bad_argument, {"larger"},
               [&] { convolve(where(), in, image_layout{{std::uint64_t{1} << 40, std::uint64_t{1} << 40}}, m, out); });
  if (where().kind() == backend::cpu)
    expect_error(fault::bad_argument, {"overlap"}, [&] { convolve(where(), out, m, out); });
}

TEST_P(ConvolveOn, ExplainsItself) {
  floats values(225, 1.0f);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((1 + i % 15) * (2 + i / 15));
  EXPECT_TRUE(explain(where(), dtype::f32, {{1000, 1000}}, mask<float>({15, 15}, values))
                  .starts_with("separable: the mask is a row times a column, 30"));
  const std::string box = explain(where(), dtype::f32, {{1000, 1000}}, mask<float>({31, 31}, floats(961, 0.5f)));
  EXPECT_TRUE(box.starts_with(where().kind() == backend::cpu ? "box: the mask is one number" : "separable: ")) << box;
  EXPECT_TRUE(explain(where(), dtype::f32, {{1000, 1000}}, mask<float>({3, 3}, {0, 1, 0, 1, -4, 1, 0, 1, 0}))
                  .starts_with("direct: 9 products"));
  if (where().kind() == backend::cpu && detail::convolve_impl::have_fft()) {
    EXPECT_TRUE(explain(where(), dtype::f32, {{1 << 20}}, mask<float>({4097}, random_floats(4097)))
                    .starts_with("FFT: a mask of 4097"));
  }
  expect_error(fault::bad_argument, {"are not supported together"},
               [&] { explain(where(), dtype::i16, {{8, 8}}, mask<float>({1}, {1})); });
}

// ---- the conformance test

void plain(device& d, const problem& p) { find_variant("convolve/sequential", backend::cpu)->run(d, p); }

TEST(ConvolveConformance, PassesWhatIsRight) { tests::expect_passes<problem>(primitive::convolve, plain); }

TEST(ConvolveConformance, CatchesAMaskThatIsNotTurned) {
  tests::expect_caught<problem>(
      primitive::convolve,
      [](device& d, const problem& p) {
        problem q = p;
        q.flipped = false;
        plain(d, q);
      },
      " is not ");
}

TEST(ConvolveConformance, CatchesAnotherBorder) {
  tests::expect_caught<problem>(
      primitive::convolve,
      [](device& d, const problem& p) {
        problem q = p;
        if (q.edge == border::mirror) q.edge = border::reflect;
        plain(d, q);
      },
      " is not ");
}

TEST(ConvolveConformance, CatchesAnAnchorOffByOne) {
  tests::expect_caught<problem>(
      primitive::convolve,
      [](device& d, const problem& p) {
        problem q = p;
        if (q.anchor.y > 0) --q.anchor.y;
        plain(d, q);
      },
      " is not ");
}

TEST(ConvolveConformance, CatchesSumsInHalves) {
  tests::expect_caught<problem>(
      primitive::convolve,
      [](device& d, const problem& p) {
        plain(d, p);
        if (p.out_type == dtype::f32 && detail::convolve_impl::out_size(p).count() > 0) {
          float& last = p.out.as<float>()[0];
          last = static_cast<float>(half(last));
        }
      },
      "off by");
}

TEST(ConvolveConformance, CatchesAGapThatIsWritten) {
  tests::expect_caught<problem>(
      primitive::convolve,
      [](device& d, const problem& p) {
        plain(d, p);
        const auto g = detail::convolve_impl::geometry_of(p);
        if (g.out.y > 1 && g.out_pitch > g.out.x * g.channels)
          std::memset(p.out.plus_bytes(g.out.x * g.channels * size_of(p.out_type)).address(), 0, 1);
      },
      "gap after row 0");
}

TEST(ConvolveConformance, CatchesNaN) {
  tests::expect_caught<problem>(
      primitive::convolve,
      [](device& d, const problem& p) {
        plain(d, p);
        if (p.out_type == dtype::f32 && detail::convolve_impl::out_size(p).count() > 0)
          p.out.as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
      },
      "off by");
}

}  // namespace
}  // namespace upsweep
