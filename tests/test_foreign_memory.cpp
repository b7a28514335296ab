// Memory of one device given to a call on another: every call refuses it by a sentence and touches nothing.
#include <gtest/gtest.h>

#include "tests/capture_calls.hpp"
#include "tests/devices.hpp"

namespace upsweep::tests {

namespace {

// Contexts whose memory differs: the CPU, the first two GPUs of CUDA and the first OpenCL device.
std::vector<context> places() {
  std::vector<context> all;
  for (const std::string& name : device_names())
    if (name == "cpu" || name == "cuda:0" || name == "cuda:1" || name == "opencl:0")
      all.push_back(context::named(name));
  return all;
}

bool waits_for_the_host_alone(const std::string& name) {
  return name.find("of host memory") != std::string::npos || name == "buffer from the host" || name == "synchronize" ||
         name.find("event") != std::string::npos;
}

std::string refusal_of(const capture_call& c, const context& where, capture_material& material) {
  try {
    c.call(where, material);
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was refused";
}

}  // namespace

TEST(ForeignMemory, IsRefusedByEveryCall) {
  const std::vector<context> all = places();
  if (all.size() < 2) GTEST_SKIP() << "there is one device only";
  for (const context& home : all) {
    capture_material material(home);
    material.poison();
    const auto before = material.results();
    for (const context& where : all) {
      if (where.name() == home.name()) continue;
      std::vector<capture_call> calls = calls_that_enqueue();
      for (capture_call& c : calls_that_wait()) calls.push_back(std::move(c));
      for (const capture_call& c : calls) {
        // A function that holds an address of its own is not looked into.
        if (waits_for_the_host_alone(c.name) || c.name == "for_each_index") continue;
        const std::string said = refusal_of(c, where, material);
        const bool by_address = said.find("is memory of") != std::string::npos;
        // A GPU has no form for some functions of C++ in a .cpp file, and the call says so first.
        const bool by_form = where.kind() != backend::cpu && (said.find("OpenCL") != std::string::npos ||
                                                              said.find("device source") != std::string::npos ||
                                                              said.find("nvcc") != std::string::npos);
        EXPECT_TRUE(by_address || by_form)
            << c.name << " on " << where.name() << " of memory of " << home.name() << ": " << said;
      }
    }
    EXPECT_EQ(material.results(), before) << "memory of " << home.name() << " changed";
  }
}

TEST(ForeignMemory, OfTheCpuIsSharedByItsContexts) {
  const context one = context::cpu(1), two = context::cpu(2);
  const buffer<int> x(one, std::vector<int>{3, 1, 2});
  EXPECT_EQ(reduce(two, x.span()), 6);
}

TEST(ForeignMemory, OfAnAddressIsTakenAsItIs) {
  std::vector<int> x{3, 1, 2};
  EXPECT_EQ(reduce(context::cpu(), device_span<const int>(x.data(), x.size())), 6);
}

TEST(ForeignMemory, OfAResourceIsRefused) {
  for (const context& other : places()) {
    if (other.kind() == backend::cpu) continue;
    buffer<std::byte> block(other, 1 << 20);
    arena_resource pool(other, block.span());
    const context mixed = context::cpu().with({.memory = &pool});
    EXPECT_THROW(buffer<int>(mixed, 10), error) << other.name();
  }
}

}  // namespace upsweep::tests
