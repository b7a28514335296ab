// A small C library for other languages: an address, a count, a CUDA stream where the memory is a GPU's. interop.py
// calls it.
#include <cstdint>
#include <string>

#include "upsweep/upsweep.hpp"

using namespace upsweep;

namespace {
thread_local std::string message;

// 0, or 1 and a sentence.
template <class Body>
int said(const Body& body) {
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    message = e.what();
    return 1;
  }
}

context place(int on_gpu, void* stream) { return on_gpu ? context::cuda_on_stream(stream) : context::cpu(); }
}  // namespace

extern "C" {

const char* upsweep_message() { return message.c_str(); }

int upsweep_cumsum_f32(const float* in, float* out, std::uint64_t n, int on_gpu, void* stream) {
  return said(
      [&] { inclusive_scan(place(on_gpu, stream), device_span<const float>(in, n), device_span<float>(out, n)); });
}

int upsweep_sort_u32(std::uint32_t* keys, std::uint64_t n, int on_gpu, void* stream) {
  return said([&] { sort(place(on_gpu, stream), device_span<std::uint32_t>(keys, n)); });
}

}  // extern "C"
