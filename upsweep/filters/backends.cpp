#include "upsweep/filters/backends.hpp"

#include <algorithm>

#include "upsweep/buffer.hpp"

namespace upsweep::filters_room {

const backend_filters* filters_of(const char* where, const context& c) {
  switch (c.kind()) {
    case backend::cpu: return nullptr;
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return &opencl_filters();
#endif
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return &cuda_filters();
#endif
    default: break;
  }
  throw error(fault::unsupported, where, "there is none for " + c.name() + " in this build", "give context::cpu()");
}

void on_the_device(const context& where, backend_filters::call f, filter_call call, std::span<const float> in,
                   std::span<const float> in2, const raster& r, std::span<float> out, extent out_size) {
  const std::uint64_t row = r.size.x * r.channels, out_row = out_size.x * r.channels;
  // As it lies where it has no gaps, so that nothing is copied twice.
  const auto dense = [&](std::span<const float> x) {
    if (x.empty() || in_pitch(r) == row) return buffer<float>(where, x.first(x.empty() ? 0 : row * r.size.y));
    std::vector<float> packed(row * r.size.y);
    for (std::uint64_t y = 0; y < r.size.y; ++y) std::copy_n(&x[y * in_pitch(r)], row, &packed[y * row]);
    return buffer<float>(where, std::span<const float>(packed));
  };
  const buffer<float> from = dense(in), from2 = dense(in2);
  buffer<float> to(where, out_row * out_size.y);
  call.in = from.span().where(), call.in2 = from2.span().where(), call.out = to.span().where();
  call.size = r.size, call.to = out_size, call.channels = r.channels;
  f(where.dev(), call);
  if (out_pitch(r, out_size) == out_row) return to.download(out.first(out_row * out_size.y));
  const std::vector<float> result = to.download();
  for (std::uint64_t y = 0; y < out_size.y; ++y)
    std::copy_n(&result[y * out_row], out_row, &out[y * out_pitch(r, out_size)]);
}

}  // namespace upsweep::filters_room
