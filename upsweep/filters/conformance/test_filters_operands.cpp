// The filters where pictures lie in device memory: the same bits as from the host's, gaps and neighbours left alone.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/filters.hpp"

namespace {

using namespace upsweep;
using floats = std::vector<float>;
using tests::expect_error;

constexpr float poison = 1234.5f;
constexpr std::uint64_t beside = 5;  // elements before and after each picture

class FilterOperands : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, FilterOperands, testing::ValuesIn(tests::device_names()), tests::device_label);

floats random_floats(std::uint64_t n, std::uint64_t seed) {
  floats x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + seed * 1000003)));
  return x;
}

bool same_bits(const floats& a, const floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

const image_layout layouts[]{{{1, 1}, 1, 0, 0},   {{1, 9}, 2, 3, 0},       {{9, 1}, 3, 0, 29},
                             {{64, 64}, 1, 0, 0}, {{65, 63}, 3, 200, 202}, {{130, 67}, 1, 130, 131},
                             {{17, 70}, 4, 71, 0}};

// `filter(in, out)` from device spans into the middle of more, and from host memory.
template <class Filter>
void expect_the_same(const context& where, std::uint64_t in_size, std::uint64_t out_size, const Filter& filter) {
  const floats in = random_floats(in_size + 2 * beside, in_size);
  floats wanted(out_size + 2 * beside, poison);
  filter(std::span(in).subspan(beside, in_size), std::span(wanted).subspan(beside, out_size));
  const buffer<float> there(where, in);
  buffer<float> result(where, floats(wanted.size(), poison));
  filter(there.span().subspan(beside, in_size), result.span().subspan(beside, out_size));
  EXPECT_TRUE(same_bits(result.download(), wanted));
}

std::uint64_t in_size(const image_layout& r) { return r.size.y * (r.pitch ? r.pitch : r.size.x * r.channels); }
std::uint64_t out_size(const image_layout& r, extent to) {
  return to.y * (r.out_pitch ? r.out_pitch : to.x * r.channels);
}

TEST_P(FilterOperands, GiveTheSameBitsFromDeviceSpans) {
  constexpr std::array edges{border::zero, border::clamp, border::reflect, border::mirror, border::wrap};
  for (const image_layout& r : layouts) {
    SCOPED_TRACE(testing::Message() << r.size.x << " x " << r.size.y << " x " << r.channels);
    const border edge = edges[(r.size.x + r.channels) % edges.size()];
    const std::uint64_t in = in_size(r), out = out_size(r, r.size);
    for (const std::uint32_t radius : {0u, 1u, 2u, 3u, 6u}) {
      SCOPED_TRACE(testing::Message() << "median, radius " << radius);
      expect_the_same(where(), in, out, [&](auto x, auto y) { median(where(), x, r, radius, y, edge); });
    }
    for (const float sigma : {0.7f, 2.5f})
      expect_the_same(where(), in, out, [&](auto x, auto y) { bilateral(where(), x, r, sigma, 0.2f, y, edge); });
    expect_the_same(where(), in, out, [&](auto x, auto y) { recursive_gaussian(where(), x, r, 3.0f, y, edge); });
    for (const resampling how : all_resamplings) {
      image_layout to = r;
      to.out_pitch = r.out_pitch ? 300 : 0;
      for (const extent size : {extent{20, 90}, extent{70, 3}, r.size}) {
        SCOPED_TRACE(testing::Message() << name_of(how) << " to " << size.x << " x " << size.y);
        expect_the_same(where(), in, out_size(to, size), [&](auto x, auto y) { resize(where(), x, to, y, size, how); });
      }
    }
  }
}

TEST_P(FilterOperands, FollowEdgesInDeviceSpans) {
  for (const extent size : {extent{1, 1}, extent{64, 1}, extent{1, 33}, extent{131, 77}}) {
    SCOPED_TRACE(testing::Message() << size.x << " x " << size.y);
    expect_the_same(where(), 2 * size.count(), size.count(), [&](auto both, auto y) {
      non_maximum_suppression(where(), both.subspan(0, size.count()), both.subspan(size.count(), size.count()), size,
                              y);
    });
    expect_the_same(where(), size.count(), size.count(),
                    [&](auto x, auto y) { hysteresis_threshold(where(), x, size, 0.5f, 0.9f, y); });
  }
}

// Weights of resize() stay on the device: each call has those of its own shape, whatever came before, on any thread.
TEST_P(FilterOperands, ResizeToOneShapeAfterAnother) {
  const image_layout r{{40, 30}, 2};
  const buffer<float> in(where(), random_floats(in_size(r), 3));
  const auto resized = [&](extent to, resampling how) {
    buffer<float> out(where(), to.count() * 2);
    resize(where(), in, r, out, to, how);
    return out.download();
  };
  const extent large{80, 90}, small{13, 7};
  const floats wanted = resized(large, resampling::cubic), shrunk = resized(small, resampling::cubic);
  const std::uint64_t taken = where().temporary_storage_allocations();
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(resized(large, resampling::cubic), wanted);
    EXPECT_EQ(resized(large, resampling::cubic), wanted);
    EXPECT_NE(resized(large, resampling::linear), wanted);
    EXPECT_EQ(resized(small, resampling::cubic), shrunk);
  }
  EXPECT_EQ(where().temporary_storage_allocations(), taken);
  floats elsewhere;
  std::thread([&] { elsewhere = resized(large, resampling::cubic); }).join();
  EXPECT_EQ(elsewhere, wanted);
  std::thread([&] { elsewhere = resized(small, resampling::cubic); }).join();
  EXPECT_EQ(elsewhere, shrunk);
  EXPECT_EQ(resized(large, resampling::cubic), wanted);
}

// A device opened anew has no weights, though it may lie where the last one lay.
TEST_P(FilterOperands, ResizeOnADeviceOpenedAnew) {
  const image_layout r{{20, 10}};
  const floats in = random_floats(200, 8);
  floats first;
  for (int turn = 0; turn < 3; ++turn) {
    const context fresh = context::named(GetParam());
    const buffer<float> there(fresh, in);
    buffer<float> out(fresh, 35 * 17);
    resize(fresh, there, r, out, {35, 17}, resampling::lanczos);
    if (turn == 0) first = out.download();
    EXPECT_EQ(out.download(), first);
  }
}

TEST_P(FilterOperands, AreChainedWithoutTheHost) {
  const extent size{90, 60};
  const image_layout r{size};
  const floats in = random_floats(size.count(), 5);
  floats clean(in.size()), thin(in.size()), marks(in.size());
  median(where(), in, r, 1, clean);
  non_maximum_suppression(where(), clean, in, size, thin);
  hysteresis_threshold(where(), thin, size, 0.3f, 0.9f, marks);
  const buffer<float> there(where(), in);
  buffer<float> a(where(), in.size()), b(where(), in.size()), c(where(), in.size());
  median(where(), there, r, 1, a);
  non_maximum_suppression(where(), a, there, size, b);
  hysteresis_threshold(where(), b.span(), size, 0.3f, 0.9f, c.span());
  EXPECT_TRUE(same_bits(c.download(), marks));
}

// What a call keeps on the device for the next one like it is not another call's scratch.
TEST_P(FilterOperands, OneAfterAnotherAndAgain) {
  const image_layout r{{65, 63}};
  const extent to{31, 40};
  for (int turn = 0; turn < 3; ++turn) {
    SCOPED_TRACE(turn);
    expect_the_same(where(), in_size(r), out_size(r, r.size),
                    [&](auto x, auto y) { recursive_gaussian(where(), x, r, 3.0f, y, border::clamp); });
    const auto resized = [&](const context& c) {
      const buffer<float> there(c, random_floats(in_size(r), 7));
      buffer<float> result(c, to.count());
      resize(c, there.span(), r, result.span(), to, resampling::lanczos);
      return result.download();
    };
    const floats wanted = resized(context::cpu()), got = resized(where());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 1e-5) << i;
  }
}

TEST_P(FilterOperands, RefuseTheSameFromDeviceSpans) {
  buffer<float> in(where(), random_floats(100, 1)), out(where(), floats(100, poison));
  const image_layout r{{10, 10}};
  expect_error(fault::bad_argument, {"the input and the output overlap"}, [&] { median(where(), in, r, 1, in); });
  expect_error(fault::bad_argument, {"overlap"},
               [&] { median(where(), in.span().subspan(0, 50), image_layout{{10, 5}}, 1, in.span().subspan(49, 50)); });
  median(where(), in.span().subspan(0, 50), image_layout{{10, 5}}, 1, in.span().subspan(50, 50));
  expect_error(fault::bad_argument, {"the input and the output overlap"},
               [&] { non_maximum_suppression(where(), out, in, {10, 10}, in); });
  expect_error(fault::bad_argument, {"spans 110"}, [&] { bilateral(where(), in, image_layout{{10, 11}}, 1, 1, out); });
  expect_error(fault::bad_argument, {"spans 121"}, [&] { resize(where(), in, r, out, {11, 11}, resampling::area); });
  expect_error(fault::bad_argument, {"pitch"}, [&] { median(where(), in, image_layout{{10, 5}, 1, 9}, 1, out); });
  expect_error(fault::bad_argument, {"thresholds"},
               [&] { hysteresis_threshold(where(), in, {10, 10}, 0.5f, 0.2f, out); });
  if (where().kind() != backend::cpu)
    expect_error(fault::unsupported, {"--device cpu"}, [&] { median(where(), in, r, 33, out); });
  for (const float v : out.download()) ASSERT_EQ(v, poison) << "a refused call wrote";
}

}  // namespace
