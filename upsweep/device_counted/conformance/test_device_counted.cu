// Counted calls inside graphs: recorded once, replayed with other counts, which only the GPU knows; tests of the
// caller's own. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/device_counted.hpp"

namespace {

using namespace upsweep;
using words = std::vector<std::uint32_t>;

struct CountedCuda : tests::on_cuda {};

words numbers(std::uint64_t n, std::uint32_t below, std::uint32_t seed = 1) {
  words x(n);
  for (std::uint64_t i = 0; i < n; ++i) x[i] = (static_cast<std::uint32_t>((i + seed) * 2654435761u) >> 7) % below;
  return x;
}

struct of_odd {
  UPSWEEP_HD bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};

TEST_F(CountedCuda, GraphsReadTheCountEachTime) {
  const std::uint64_t size = 200003;
  const tests::cuda_stream stream;
  const context gpu = context::cuda_on_stream(stream.handle());
  const words x = numbers(size, 1000), weights = numbers(size, 50, 7), poison(size, 0xabababab);
  std::vector<std::uint8_t> flag(size);
  for (std::uint64_t i = 0; i < size; ++i) flag[i] = x[i] % 3 == 0;
  const buffer<std::uint32_t> in(gpu, x), in2(gpu, weights);
  const buffer<std::uint8_t> flags(gpu, flag);
  buffer<std::uint32_t> out(gpu, size), out2(gpu, size), total(gpu, 1);
  buffer<std::uint64_t> n(gpu, 1), kept(gpu, 1), bins(gpu, 100);
  const auto some = device_counted(in, n);

  struct result {
    words out, out2;
    std::uint64_t kept = 0;
  };
  struct test_case {
    const char* name;
    std::function<void()> enqueue;
    std::function<result(const words& first)> want;
  };
  const context cpu = context::cpu();
  const auto selected = [&](const words& first, auto test) {
    result r;
    std::copy_if(first.begin(), first.end(), std::back_inserter(r.out), test);
    r.kept = r.out.size();
    return r;
  };
  const auto parted = [&](const words& first, auto test) {
    result r{first, {}, 0};
    r.kept = static_cast<std::uint64_t>(std::stable_partition(r.out.begin(), r.out.end(), test) - r.out.begin());
    return r;
  };
  const test_case cases[] = {
      {"sort", [&] { sort(gpu, some, out); },
       [&](const words& first) {
         result r{first, {}, 0};
         std::sort(r.out.begin(), r.out.end());
         return r;
       }},
      {"sort_by_key",
       [&] {
         gpu.device().copy(out.span().where(), in.span().where(), size * 4);
         gpu.device().copy(out2.span().where(), in2.span().where(), size * 4);
         sort_by_key(gpu, device_counted(out, n), out2, {.descending = true});
       },
       [&](const words& first) {
         words keys = first, values(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(first.size()));
         sort_by_key(cpu, keys, values, {.descending = true});
         keys.insert(keys.end(), x.begin() + static_cast<std::ptrdiff_t>(first.size()), x.end());
         values.insert(values.end(), weights.begin() + static_cast<std::ptrdiff_t>(first.size()), weights.end());
         return result{keys, values, 0};
       }},
      {"inclusive_scan", [&] { inclusive_scan(gpu, some, out); },
       [&](const words& first) {
         result r{first, {}, 0};
         std::partial_sum(first.begin(), first.end(), r.out.begin());
         return r;
       }},
      {"exclusive_scan", [&] { exclusive_scan(gpu, some, out, 3u); },
       [&](const words& first) {
         result r{first, {}, 0};
         std::exclusive_scan(first.begin(), first.end(), r.out.begin(), 3u);
         return r;
       }},
      {"reduce", [&] { reduce(gpu, some, out.span().subspan(0, 1), maximum{}); },
       [&](const words& first) {
         return result{{first.empty() ? 0u : *std::max_element(first.begin(), first.end())}, {}, 0};
       }},
      {"reduce_by_key", [&] { reduce_by_key(gpu, some, in2, out, out2, kept.span()); },
       [&](const words& first) {
         result r{words(first.size()), words(first.size()), 0};
         const words values(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(first.size()));
         r.kept = reduce_by_key(cpu, first, values, r.out, r.out2);
         r.out.resize(r.kept), r.out2.resize(r.kept);
         return r;
       }},
      {"copy_if below", [&] { copy_if(gpu, some, out, kept.span(), less_than(300u)); },
       [&](const words& first) { return selected(first, [](auto v) { return v < 300; }); }},
      {"copy_if at least", [&] { copy_if(gpu, some, out, kept.span(), at_least(300u)); },
       [&](const words& first) { return selected(first, [](auto v) { return v >= 300; }); }},
      {"copy_if by a test of one's own", [&] { copy_if(gpu, some, out, kept.span(), of_odd{}); },
       [&](const words& first) { return selected(first, of_odd{}); }},
      {"select_flagged", [&] { select_flagged(gpu, some, flags, out, kept.span()); },
       [&](const words& first) { return selected(first, [](auto v) { return v % 3 == 0; }); }},
      {"partition below", [&] { partition(gpu, some, out, kept.span(), less_than(300u)); },
       [&](const words& first) { return parted(first, [](auto v) { return v < 300; }); }},
      {"partition at least", [&] { partition(gpu, some, out, kept.span(), at_least(300u)); },
       [&](const words& first) { return parted(first, [](auto v) { return v >= 300; }); }},
      {"partition by a test of one's own", [&] { partition(gpu, some, out, kept.span(), of_odd{}); },
       [&](const words& first) { return parted(first, of_odd{}); }},
      {"unique", [&] { unique(gpu, some, out, kept.span()); },
       [&](const words& first) {
         result r{first, {}, 0};
         r.out.erase(std::unique(r.out.begin(), r.out.end()), r.out.end());
         r.kept = r.out.size();
         return r;
       }},
  };
  for (const test_case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto check = [&](std::uint64_t count) {
      SCOPED_TRACE(count);
      const auto held = static_cast<std::ptrdiff_t>(std::min(count, size));
      const result want = c.want(words(x.begin(), x.begin() + held));
      const auto filled_up = [&](words first) {
        first.insert(first.end(), poison.begin() + static_cast<std::ptrdiff_t>(first.size()), poison.end());
        return first;
      };
      EXPECT_EQ(out.download(), filled_up(want.out));
      EXPECT_EQ(out2.download(), filled_up(want.out2));
      EXPECT_EQ(kept.download()[0], want.kept);
    };
    const auto prepare = [&](std::uint64_t count) {
      out.upload(poison), out2.upload(poison);
      n.upload(std::vector<std::uint64_t>{count}), kept.upload(std::vector<std::uint64_t>{0});
    };
    try {
      prepare(1000);
      c.enqueue();
      check(1000);
      const tests::recording recorded(stream, c.enqueue);
      for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{70001}, size, size + 100}) {
        prepare(count);
        recorded.run();
        check(count);
      }
    } catch (const error& e) {
      ADD_FAILURE() << e.what();
    }
  }

  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{12345}, size}) {
    n.upload(std::vector<std::uint64_t>{count});
    histogram(gpu, some, bins, 0u, 1000u);
    std::vector<std::uint64_t> want(100);
    histogram(cpu, words(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)), want, 0u, 1000u);
    EXPECT_EQ(bins.download(), want) << count;
  }
}

}  // namespace
