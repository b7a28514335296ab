// The CUDA driver's calls fail, one after the other, where the faulty libcuda.so.1 stands before the driver's.
#include <dlfcn.h>

#include "fails_at_each_call.hpp"
#include "tests/faults/faulty_cuda.h"

namespace {

// What a driver that is whole may answer: out of memory, invalid value, launch out of resources, unknown.
constexpr int codes[]{2, 1, 701, 999};

template <class F>
F* of_shim(const char* name) {
  static void* const shim = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return shim ? reinterpret_cast<F*>(dlsym(shim, name)) : nullptr;
}

std::string why_not() {
  if (!of_shim<void(long, int)>("faulty_cuda_arm")) return "the faulty libcuda.so.1 is not what LD_LIBRARY_PATH finds";
  if (fails_at_each_call::first_of("cuda:").empty()) return "no CUDA GPU answers";
  return "";
}

fails_at_each_call::driver cuda() {
  return {fails_at_each_call::first_of("cuda:"), codes, of_shim<void(long, int)>("faulty_cuda_arm"),
          [] {
            fails_at_each_call::calls_made all{};
            all.made = of_shim<long(const char**)>("faulty_cuda_disarm")(&all.failed);
            return all;
          },
          of_shim<long()>("faulty_cuda_held")};
}

class CudaFails : public testing::TestWithParam<asked_calls::asked> {};

TEST_P(CudaFails, AtEachCall) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  fails_at_each_call::in_a_call(cuda(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(, CudaFails, testing::ValuesIn(asked_calls::calls()),
                         [](const auto& which) { return which.param.name; });

TEST(CudaFailsAtFirst, WhenOpened) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  fails_at_each_call::from_opening_on(cuda());
}

}  // namespace
