// Own elements of many sizes on CUDA: those that go through shared memory, and those that are too large for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/devices.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::tests {
namespace {

template <int Bytes>
struct large {
  std::uint32_t x[Bytes / 4];
  bool operator==(const large&) const = default;
};

// Maps x → a·x + b, one after the other: associative, and does not commute. Each pair of words is one.
struct then {
  template <int Bytes>
  UPSWEEP_HD large<Bytes> operator()(const large<Bytes>& f, const large<Bytes>& g) const {
    large<Bytes> h;
    for (int i = 0; i < Bytes / 4; i += 2) {
      h.x[i] = f.x[i] * g.x[i];
      h.x[i + 1] = g.x[i] * f.x[i + 1] + g.x[i + 1];
    }
    return h;
  }
};

template <int Bytes>
struct then_of : then {
  UPSWEEP_HD static large<Bytes> identity() {
    large<Bytes> e{};
    for (int i = 0; i < Bytes / 4; i += 2) e.x[i] = 1;
    return e;
  }
};

template <int Bytes>
std::vector<large<Bytes>> some(std::size_t n) {
  std::vector<large<Bytes>> all(n);
  std::uint32_t word = 12345;
  for (auto& element : all)
    for (std::uint32_t& x : element.x) x = word = word * 1664525u + 1013904223u;
  return all;
}

context some_gpu() {
  for (const std::string& name : device_names())
    if (name.starts_with("cuda")) return on(name);
  return on("cpu:3");
}

template <int Bytes>
void folds_and_scans() {
  const context gpu = some_gpu();
  if (gpu.kind() != backend::cuda) GTEST_SKIP() << "no GPU";
  const then_of<Bytes> op;
  for (const std::size_t n : {0, 1, 3, 16, 17, 257, 1000, 100003}) {
    SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(Bytes) + " bytes");
    const std::vector<large<Bytes>> host = some<Bytes>(n);
    std::vector<large<Bytes>> until(n), before(n);
    const large<Bytes> init = some<Bytes>(1)[0];
    large<Bytes> running = init;
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = running;
      until[i] = running = op(running, host[i]);
    }
    const buffer<large<Bytes>> in(gpu, host);
    buffer<large<Bytes>> out(gpu, n);
    EXPECT_TRUE(upsweep::reduce(gpu, in.span(), init, op) == running) << "reduce";
    upsweep::inclusive_scan(gpu, in.span(), out.span(), op, init);
    EXPECT_TRUE(out.download() == until) << "inclusive";
    out.upload(host);
    upsweep::exclusive_scan(gpu, out.span(), out.span(), init, op);
    EXPECT_TRUE(out.download() == before) << "exclusive, in place";
    const buffer<large<Bytes>> first(gpu, std::vector{init});
    upsweep::inclusive_scan(gpu, in.span(), out.span(), first.span(), op);
    EXPECT_TRUE(out.download() == until) << "inclusive, after an init in device memory";
  }
}

TEST(LargeElements, FoldedAndScanned24) { folds_and_scans<24>(); }
TEST(LargeElements, FoldedAndScanned64) { folds_and_scans<64>(); }
TEST(LargeElements, FoldedAndScanned128) { folds_and_scans<128>(); }
TEST(LargeElements, FoldedAndScanned1024) { folds_and_scans<1024>(); }

struct by_last_word {
  template <int Bytes>
  UPSWEEP_HD bool operator()(const large<Bytes>& a, const large<Bytes>& b) const {
    return a.x[Bytes / 4 - 1] % 1000 < b.x[Bytes / 4 - 1] % 1000;
  }
};

TEST(LargeElements, Sorted) {
  const context gpu = some_gpu();
  if (gpu.kind() != backend::cuda) GTEST_SKIP() << "no GPU";
  for (const std::size_t n : {1, 3, 1000, 100003}) {
    std::vector<large<1024>> host = some<1024>(n);
    buffer<large<1024>> there(gpu, host);
    upsweep::sort(gpu, there.span(), by_last_word{});
    std::ranges::stable_sort(host, by_last_word{});
    EXPECT_TRUE(there.download() == host) << n;
  }
}

}  // namespace
}  // namespace upsweep::tests
