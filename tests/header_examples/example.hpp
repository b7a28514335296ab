// What the headers' examples share. HEADER_EXAMPLE(name, where) { … } is a test of two contexts, gpu and cpu, with each
// device for the gpu that `where` allows. nvcc compiles the same files once more, for CUDA devices.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/buffer.hpp"

namespace upsweep::tests {

enum class example_runs {
  everywhere,
  not_on_opencl,
  where_compiled,  // functions of its own: on CUDA where nvcc compiles them
};

// Each file its own, for what the two compilers make of them differs.
#if defined(__CUDACC__)
#define UPSWEEP_EXAMPLES HeaderExamplesByNvcc
constexpr bool by_nvcc = true;
#else
#define UPSWEEP_EXAMPLES HeaderExamples
constexpr bool by_nvcc = false;
#endif

static void run_example(example_runs where, void (*example)(const context& gpu, const context& cpu)) {
  for (const std::string& name : device_names()) {
    if (by_nvcc != name.starts_with("cuda") && (by_nvcc || where == example_runs::where_compiled)) continue;
    if (name.starts_with("opencl") && where != example_runs::everywhere) continue;
    SCOPED_TRACE(name);
    example(on(name), on("cpu:3"));
  }
}

template <class T>
std::vector<T> ascending(std::size_t n, T first = 0) {
  std::vector<T> all(n);
  for (T& x : all) x = first++;
  return all;
}

struct by_length {
  bool operator()(const std::string& a, const std::string& b) const { return a.size() < b.size(); }
};

}  // namespace upsweep::tests

// A function, since nvcc takes no lambda of device code in a test's body, which is a private member.
#define HEADER_EXAMPLE(name, where) HEADER_EXAMPLE_IN(UPSWEEP_EXAMPLES, name, where)
#define HEADER_EXAMPLE_IN(suite, name, where) HEADER_EXAMPLE_OF(suite, name, where)
#define HEADER_EXAMPLE_OF(suite, name, where)                                                             \
  void suite##_##name(const upsweep::context&, const upsweep::context&);                                  \
  TEST(suite, name) { upsweep::tests::run_example(upsweep::tests::example_runs::where, suite##_##name); } \
  void suite##_##name([[maybe_unused]] const upsweep::context& gpu, [[maybe_unused]] const upsweep::context& cpu)
