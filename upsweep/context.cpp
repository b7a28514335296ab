#include "upsweep/context.hpp"

#include <charconv>

#include "upsweep/core/driver_query.hpp"
#include "upsweep/cpu/cpu_device.hpp"
#if UPSWEEP_WITH_CUDA
#include "upsweep/cuda/cuda_device.hpp"
#endif
#if UPSWEEP_WITH_OPENCL
#include "upsweep/opencl/opencl_device.hpp"
#endif

namespace upsweep {

context context::cpu(int threads) { return context(cpu::open_device(threads)); }

context context::cuda([[maybe_unused]] int index) {
#if UPSWEEP_WITH_CUDA
  const core::printing_aside aside(core::driver::cuda);
  return context(cuda::open_device(index, nullptr, false));
#else
  throw error(fault::no_device, "context::cuda", "this build has no CUDA", "install the CUDA toolkit and build again");
#endif
}

context context::cuda_on_stream([[maybe_unused]] void* stream, [[maybe_unused]] int index) {
#if UPSWEEP_WITH_CUDA
  return context(cuda::open_device(index, stream, true));
#else
  throw error(fault::no_device, "context::cuda_on_stream", "this build has no CUDA",
              "install the CUDA toolkit and build again");
#endif
}

context context::opencl([[maybe_unused]] int index) {
#if UPSWEEP_WITH_OPENCL
  const core::printing_aside aside(core::driver::opencl);
  return context(opencl::open_device(index));
#else
  throw error(fault::no_device, "context::opencl", "this build has no OpenCL",
              "install OpenCL headers and a loader (ocl-icd-opencl-dev, opencl-clhpp-headers) and build again");
#endif
}

namespace {

// Null where the device cannot be used, or not just now. What the caller wrote wrongly is still said.
[[maybe_unused]] std::shared_ptr<device> opened(std::shared_ptr<device> (*open)(int), int index) {
  try {
    return open(index);
  } catch (const error& e) {
    if (e.why() == fault::bad_argument) throw;
    return nullptr;
  }
}

}  // namespace

context context::best() {
#if UPSWEEP_WITH_CUDA
  {
    const core::printing_aside aside(core::driver::cuda);
    for (int i = 0; i < cuda::device_count(); ++i)
      if (auto gpu = opened([](int index) { return cuda::open_device(index, nullptr, false); }, i)) return context(gpu);
  }
#endif
#if UPSWEEP_WITH_OPENCL
  const core::printing_aside aside(core::driver::opencl);
  for (const int i : opencl::gpus())
    if (auto gpu = opened(opencl::open_device, i)) return context(gpu);
#endif
  return cpu();
}

context context::named(std::string_view name) {
  const auto colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  int index = 0;
  if (colon != std::string_view::npos) {
    const char* end = name.data() + name.size();
    const auto [stop, bad] = std::from_chars(name.data() + colon + 1, end, index);
    if (bad != std::errc{} || stop != end || index < 0)
      throw error(fault::no_device, "device '" + std::string(name) + "'", "the text after the colon is not a number",
                  "write cuda:0, opencl:1 or cpu:4");
  }
  if (kind == "best" && colon == std::string_view::npos) return best();
  if (kind == "cpu") return cpu(index);
  if (kind == "cuda") return cuda(index);
  if (kind == "opencl") return opencl(index);
  throw error(fault::no_device, "device '" + std::string(name) + "'", "the kind of device is unknown",
              "name one of cpu, cuda:N, opencl:N, best");
}

context context::with_resources(const stream_and_memory& where) const {
  context mine = *this;
  stream_and_memory both = device_->given();
  if (where.stream) both.stream = where.stream;
  if (where.resource) both.resource = where.resource;
  if (where.stream || where.resource) mine.device_ = opened_->with(both);
  return mine;
}

context detail::with_memory(const context& where, memory_resource& memory) {
  return where.with_resources({.resource = &memory});
}

context context::controlled(const call_options& options) const {
  context mine = with_resources({options.stream, options.memory});
  if (options.deterministic) mine.deterministic_ = *options.deterministic;
  if (options.checked) mine.checked_ = *options.checked;
  if (options.checked_positions) mine.checked_positions_ = *options.checked_positions;
  for (const event& e : options.wait_for) e.wait(mine);
  if (options.record) mine.record_ = options.record->recorded_after(mine.device_);
  return mine;
}

std::string_view context::last_algorithm() const {
  const std::string_view* last = device_->last;
  return last ? *last : std::string_view{};
}

std::vector<device_listing> list_devices() {
  std::vector<device_listing> all;
  cpu::list_devices(all);
#if UPSWEEP_WITH_CUDA
  {
    const core::printing_aside aside(core::driver::cuda);
    cuda::list_devices(all);
  }
#else
  all.push_back({backend::cuda, "cuda", "off: built without CUDA (./quickstart --cuda has it)", false, 0});
#endif
#if UPSWEEP_WITH_OPENCL
  const core::printing_aside aside(core::driver::opencl);
  opencl::list_devices(all);
#else
  all.push_back({backend::opencl, "opencl", "off: built without OpenCL (it needs headers and a loader)", false, 0});
#endif
  return all;
}

}  // namespace upsweep
