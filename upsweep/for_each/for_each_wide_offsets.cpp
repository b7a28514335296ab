#include "upsweep/for_each/for_each_wide_offsets.hpp"

#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::detail::for_each_impl {

void widen_on_cuda(device&, const std::uint32_t* from, std::uint64_t n, std::uint64_t* to);  // cuda/widen.cu
void widen_on_opencl(device&, memory from, std::uint64_t n, memory to);                      // opencl/widen.cpp

void widen(const context& where, memory from, std::uint64_t n, memory to) {
  if (n == 0) return;
  const auto* narrow = from.as<const std::uint32_t>();
  auto* wide = to.as<std::uint64_t>();
  constexpr std::uint64_t block = 1 << 15;
  switch (where.kind()) {
    case backend::cpu:
      return cpu::for_each_block(where.device(), cpu::block_count(n, block),
                                 [&](std::uint64_t b, const cpu::stop_flag&) {
                                   for (std::uint64_t i = b * block, last = std::min(n, i + block); i < last; ++i)
                                     wide[i] = narrow[i];
                                 });
#if UPSWEEP_WITH_CUDA
    case backend::cuda: return widen_on_cuda(where.device(), narrow, n, wide);
#endif
#if UPSWEEP_WITH_OPENCL
    case backend::opencl: return widen_on_opencl(where.device(), from, n, to);
#endif
    default: return;
  }
}

wide_offsets::wide_offsets(const context& where, const char* name, core::operand<const std::uint32_t> o) {
  if (o.accessible_from(where)) {
    const std::uint64_t bytes = std::max<std::uint64_t>(o.size() * sizeof(std::uint64_t), 16);
    const memory there = where.device().scratch(name, bytes);
    detail::for_each_impl::widen(where, o.where(), o.size(), there);
    all_ = {there, o.size(), o.on_host()};
  } else {
    on_host_ = core::host_array<std::uint64_t>(o.size());
    std::copy_n(o.data(), o.size(), on_host_.data());
    all_ = on_host_.all();
  }
}

}  // namespace upsweep::detail::for_each_impl
