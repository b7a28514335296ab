#include "upsweep/context.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/event.hpp"
#include "upsweep/memory.hpp"
#include "upsweep/sort.hpp"

// Where there is no CUDA device, its first line throws; then it is enough that the others compile.
HEADER_EXAMPLE(context, not_on_opencl) {
  try {
#include "context.example"
    EXPECT_EQ(gpu.name(), "cuda:0");
    EXPECT_EQ(cpu.kind(), upsweep::backend::cpu);
    EXPECT_EQ(any.name(), "cuda:0");
  } catch (const upsweep::error& e) {
    EXPECT_EQ(e.why(), upsweep::fault::no_device) << e.what();
  }
}

// Streams are CUDA's. Without a CUDA stream, the code after the first line is only compiled.
HEADER_EXAMPLE(context_with, everywhere) {
  upsweep::buffer<float> x(gpu, std::vector<float>{3, 1, 2});
  upsweep::buffer<std::byte> space(gpu, 1 << 20);
  upsweep::arena_resource pool(gpu, space.span());
  upsweep::event loaded, sorted;
  void* const stream = nullptr;
  try {
#include "context.2.example"
    EXPECT_EQ(side.name(), gpu.name());
    EXPECT_EQ(sure.name(), gpu.name());
    EXPECT_EQ(lean.name(), gpu.name());
    EXPECT_EQ(x.download()[0], 1);
  } catch (const upsweep::error& e) {
    EXPECT_NE(gpu.kind(), upsweep::backend::cuda) << e.what();
  }
}

// This program links no textbook.
HEADER_EXAMPLE(context_variants, everywhere) {
  const auto says = [](const char* name, const std::string& what) {
    try {
      upsweep::context::cpu(1).with({.variant = name});
      ADD_FAILURE() << name << " is there";
    } catch (const upsweep::error& e) {
      EXPECT_EQ(e.why(), upsweep::fault::unsupported);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  says("scan/sequential", "link upsweep::textbook and call upsweep::textbook::open() first");
  says("scan/blelloch", "it is a textbook variant for cuda");
}
