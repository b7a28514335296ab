// A warm call on four elements allocates nothing. Its nanoseconds (the least of many batches) are printed and not
// tested: machines differ. `upsweep bench --modes call` measures them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "upsweep/histogram.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

namespace {
long allocations = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

int failures = 0;

template <class Call>
void expect_cheap(const char* name, Call call) {
  constexpr int batches = 60, calls = 2000;
  for (int i = 0; i < calls; ++i) call();
  const long before = allocations;
  double least = 1e9;
  for (int b = 0; b < batches; ++b) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / calls);
  }
  const bool ok = allocations == before;
  std::printf("%-24s %6.1f ns, %ld allocations%s\n", name, least, allocations - before,
              ok ? "" : "  FAILED: allocates");
  failures += !ok;
}

}  // namespace

int main() {
  const auto cpu = upsweep::context::cpu();
  const std::vector<std::uint32_t> x{3, 1, 2, 4};
  const std::vector<float> f{3, 1, 2, 4};
  std::vector<std::uint32_t> y(4);
  std::vector<std::uint64_t> counts(8);
  expect_cheap("reduce", [&] { y[0] = upsweep::reduce(cpu, x); });
  expect_cheap("reduce, floats", [&] { y[0] = upsweep::reduce(cpu, f) > 0; });
  expect_cheap("exclusive_scan", [&] { upsweep::exclusive_scan(cpu, x, y); });
  expect_cheap("inclusive_scan", [&] { upsweep::inclusive_scan(cpu, x, y, upsweep::maximum{}); });
  expect_cheap("sort", [&] { upsweep::sort(cpu, x, y); });
  expect_cheap("copy_if", [&] { counts[0] = upsweep::copy_if(cpu, x, y, upsweep::greater_than(2u)); });
  expect_cheap("histogram", [&] { upsweep::histogram(cpu, x, counts, 0, 8); });
  upsweep::buffer<std::uint32_t> in(cpu, x), out(cpu, 4);
  expect_cheap("scan of device spans", [&] { upsweep::exclusive_scan(cpu, in.span(), out.span()); });
  expect_cheap("sort of device spans", [&] { upsweep::sort(cpu, in.span(), out.span()); });
  return failures != 0;
}
