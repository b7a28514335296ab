// Convolutions inside graphs: what waits for the host cannot be recorded. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/convolve.hpp"

namespace {

using namespace upsweep;
using floats = std::vector<float>;

floats random_floats(std::uint64_t n, std::uint64_t seed) {
  floats x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<float>(unit(mixed(i + seed * 1000003)));
  return x;
}

struct ConvolveCuda : tests::on_cuda {};

TEST_F(ConvolveCuda, IsRecordedInGraphs) {
  const extent size{131, 67};
  // The sum of products of rows and columns, and one that is not.
  for (const mask<float>& m :
       {mask<float>({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}), mask<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10}),
        mask<float>({21, 21}, floats(441, 0.25f))}) {
    const tests::cuda_stream stream;
    const context gpu = context::cuda_on_stream(stream.handle()), other = context::cuda();
    buffer<float> in(gpu, random_floats(size.count(), 1)), out(gpu, size.count());
    const auto enqueue = [&] { convolve(gpu, in, image_layout{size}, m, out, border::mirror); };
    enqueue();
    const tests::recording recorded(stream, enqueue);
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
      const floats x = random_floats(size.count(), seed);
      floats wanted(size.count());
      convolve(other, x, image_layout{size}, m, wanted, border::mirror);
      in.upload(x);
      recorded.run();
      ASSERT_EQ(out.download(), wanted) << "seed " << seed;
    }
  }
}

// Which of the kernels runs depends on the picture's size, its pitch and the mask: small ones, those that lie as no
// copy of 16 bytes takes them, and those of which each block walks down one part.
TEST_F(ConvolveCuda, PicturesOfAllSizesAreRight) {
  const context gpu = context::cuda(), cpu = context::cpu();
  const auto right = [&](extent size, std::uint64_t width, bool one_product, border edge) {
    floats values(width * width);
    for (std::uint64_t i = 0; i < values.size(); ++i)
      values[i] = one_product ? static_cast<float>((1 + i % width) * (2 + i / width)) / 512
                              : static_cast<float>(unit(mixed(i))) - 0.3f;
    const mask<float> m({width, width}, values);
    const floats x = random_floats(size.count(), width);
    const image_layout picture{size};
    const buffer<float> in(gpu, x);
    buffer<float> out(gpu, x.size()), again(gpu, x.size());
    floats wanted(x.size());
    convolve(gpu, in, picture, m, out, edge);
    convolve(gpu, in, picture, m, again, edge);
    convolve(cpu, x, picture, m, wanted, edge);
    const floats got = out.download();
    EXPECT_EQ(got, again.download());
    double most = 0;
    for (const float v : values) most += std::abs(v);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < got.size(); ++i) wrong += !(std::abs(got[i] - wanted[i]) <= 1e-5 * most);
    EXPECT_EQ(wrong, 0u) << size.x << " x " << size.y << ", a mask of " << width << ", "
                         << explain(gpu, dtype::f32, picture, m);
  };
  for (const extent size : {extent{1, 1}, extent{5, 3}, extent{129, 17}, extent{127, 31}, extent{512, 511}})
    for (std::uint64_t width : {3, 5, 7, 9, 11, 13, 15, 21, 31})
      for (const bool one_product : {false, true})
        for (const border edge : {border::zero, border::wrap, border::mirror}) right(size, width, one_product, edge);
  for (std::uint64_t width : {11, 13, 15}) right({1000, 999}, width, false, border::reflect);
  for (std::uint64_t width : {3, 5, 7, 9}) right({2500, 2200}, width, false, border::clamp);
  right({3501, 2003}, 7, false, border::clamp);
  right({4096, 2900}, 3, false, border::clamp);
  right({4096, 2900}, 9, false, border::clamp);
  right({4096, 2900}, 9, true, border::clamp);
  right({2048, 1111}, 15, false, border::clamp);
}

// Each thread has its own context, masks for which transforms are chosen, and new shapes: plans are created while other
// threads' transforms run.
TEST_F(ConvolveCuda, ThreadsTransformAtOnce) {
  constexpr int threads = 6, rounds = 12;
  struct work {
    extent size;
    floats mask_values, out;
  };
  std::vector<std::vector<work>> all(threads);
  const auto run = [](const context& gpu, work& w, std::uint64_t seed, std::uint64_t width) {
    const mask<float> m({width, width}, w.mask_values);
    w.out.assign(w.size.count(), 0);
    convolve(gpu, random_floats(w.size.count(), seed), image_layout{w.size}, m, w.out, border::mirror);
  };
  const auto width_of = [](int t, int r) { return static_cast<std::uint64_t>(65 + 2 * ((5 * t + r) % 30)); };
  const auto seed_of = [](int t, int r) { return static_cast<std::uint64_t>(100 * t + r); };
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        const context gpu = context::cuda();
        for (int r = 0; r < rounds; ++r) {
          const auto i = static_cast<std::uint64_t>(t + threads * r);
          work w{{130 + 37 * (i % 11), 90 + 53 * (i % 7)}, random_floats(width_of(t, r) * width_of(t, r), i), {}};
          run(gpu, w, seed_of(t, r), width_of(t, r));
          all[static_cast<std::size_t>(t)].push_back(std::move(w));
        }
      });
  }
  const context gpu = context::cuda();
  for (int t = 0; t < threads; ++t)
    for (int r = 0; r < rounds; ++r) {
      work& of_thread = all[static_cast<std::size_t>(t)][static_cast<std::size_t>(r)];
      work alone{of_thread.size, of_thread.mask_values, {}};
      run(gpu, alone, seed_of(t, r), width_of(t, r));
      ASSERT_EQ(of_thread.out, alone.out) << "thread " << t << ", round " << r;
    }
}

// A textbook variant's constant array exists once for each GPU: contexts that write their own masks into it take turns.
TEST_F(ConvolveCuda, ThreadsFillConstantsAtOnce) {
  constexpr int threads = 8, rounds = 100;
  const std::uint64_t n = 50'000, weights = 401;
  const auto run = [&](const context& gpu, int t, int r) {
    const mask<float> m({weights, 1}, random_floats(weights, static_cast<std::uint64_t>(1000 * t + r)));
    floats out(n);
    convolve(gpu.with({.variant = "convolve/constant-mask"}), random_floats(n, 7), image_layout{{n, 1}}, m, out,
             border::zero);
    return out;
  };
  std::vector<std::vector<floats>> all(threads);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        const context gpu = context::cuda();
        for (int r = 0; r < rounds; ++r) all[static_cast<std::size_t>(t)].push_back(run(gpu, t, r));
      });
  }
  const context gpu = context::cuda();
  for (int t = 0; t < threads; ++t)
    for (int r = 0; r < rounds; ++r)
      ASSERT_EQ(all[static_cast<std::size_t>(t)][static_cast<std::size_t>(r)], run(gpu, t, r))
          << "thread " << t << ", round " << r;
}

TEST_F(ConvolveCuda, ExplainKnowsSizes) {
  const context gpu = context::cuda();
  const mask<float> laplace({3, 3}, {0, 1, 0, 1, -4, 1, 0, 1, 0}), blur({3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1});
  EXPECT_NE(explain(gpu, dtype::f32, {{512, 512}}, laplace).find("in tiles"), std::string::npos);
  EXPECT_TRUE(explain(gpu, dtype::f32, {{512, 512}}, blur).starts_with("separable"));
  EXPECT_EQ(explain(gpu, dtype::f32, {{16384, 16384}}, laplace).find("in tiles"), std::string::npos);
}

}  // namespace
