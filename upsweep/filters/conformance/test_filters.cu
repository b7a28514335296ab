// The filters inside graphs: what waits for the host cannot be recorded. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/filters.hpp"

namespace {

using namespace upsweep;
using floats = std::vector<float>;

floats random_floats(std::uint64_t n, std::uint64_t seed) {
  floats x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + seed * 1000003)));
  return x;
}

// Records a filter after one call outside, and replays it on other pictures.
template <class Filter>
void expect_replays(const char* name, const Filter& filter) {
  SCOPED_TRACE(name);
  const extent size{131, 67};
  const tests::cuda_stream stream;
  const context gpu = context::cuda_on_stream(stream.handle()), other = context::cuda();
  buffer<float> in(gpu, random_floats(size.count(), 1)), out(gpu, floats(size.count()));
  const auto enqueue = [&] { filter(gpu, in.span(), image_layout{size}, out.span()); };
  enqueue();
  const tests::recording recorded(stream, enqueue);
  for (std::uint64_t seed = 2; seed < 5; ++seed) {
    const floats x = random_floats(size.count(), seed);
    floats wanted(size.count());
    filter(other, x, image_layout{size}, wanted);
    in.upload(x);
    recorded.run();
    ASSERT_EQ(out.download(), wanted) << "seed " << seed;
  }
}

struct FiltersCuda : tests::on_cuda {};

TEST_F(FiltersCuda, AreRecordedInGraphs) {
  for (const std::uint32_t radius : {0u, 2u, 6u})
    expect_replays("median", [radius](const context& c, const auto& in, const image_layout& r, auto&& out) {
      median(c, in, r, radius, out);
    });
  expect_replays("bilateral", [](const context& c, const auto& in, const image_layout& r, auto&& out) {
    bilateral(c, in, r, 2.0f, 0.2f, out);
  });
  expect_replays("recursive_gaussian", [](const context& c, const auto& in, const image_layout& r, auto&& out) {
    recursive_gaussian(c, in, r, 3.0f, out);
  });
  expect_replays("non_maximum_suppression", [](const context& c, const auto& in, const image_layout& r, auto&& out) {
    non_maximum_suppression(c, in, in, r.size, out);
  });
  expect_replays("hysteresis_threshold", [](const context& c, const auto& in, const image_layout& r, auto&& out) {
    hysteresis_threshold(c, in, r.size, 0.4f, 0.9f, out);
  });
  expect_replays("resize", [](const context& c, const auto& in, const image_layout& r, auto&& out) {
    resize(c, in, r, out, {r.size.x, r.size.y - 1}, resampling::lanczos);
  });
}

// A window of 11 pixels wants more shared memory than one of 3: what one context lets the kernel have stays with
// another that is about to launch it.
TEST_F(FiltersCuda, ThreadsHaveWindowsOfTheirOwn) {
  const extent size{61, 43};
  const floats x = random_floats(size.count(), 7);
  const auto filtered = [&](const context& c, float sigma) {
    floats out(size.count());
    bilateral(c, x, image_layout{size}, sigma, 0.2f, out);
    return out;
  };
  const std::vector<float> sigmas{1, 3, 10, 20};
  std::vector<floats> wanted;
  for (const float sigma : sigmas) wanted.push_back(filtered(context::cuda(), sigma));
  std::vector<int> wrong(sigmas.size());
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 0; t < sigmas.size(); ++t)
      running.emplace_back([&, t] {
        const context gpu = context::cuda();
        try {
          for (int r = 0; r < 300; ++r) wrong[t] += filtered(gpu, sigmas[t]) != wanted[t];
        } catch (const error&) {
          wrong[t] = -1;
        }
      });
  }
  EXPECT_EQ(wrong, std::vector<int>(sigmas.size()));
}

}  // namespace
