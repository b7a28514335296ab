// The library's side of work by functions of the caller's own, where the elements lie in a device's memory: included by
// a .cpp and a .cu file, which compile the same calls for the CPU and for CUDA.
#pragma once

#include "peers/own.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::peers {

namespace {

std::function<void(const own_operands&)> prepare_ours(const context& where, own_work w, const own_operands&) {
  if (w == own_work::select_words)
    return [where](const own_operands& o) {
      upsweep::copy_if(where, device_span<const std::uint32_t>(o.in, o.n), device_span<std::uint32_t>(o.out, o.n),
                       device_span<std::uint64_t>(o.count, 1), own_test{});
    };
  return with_element(w, [&]<class T>(type_tag<T>) -> std::function<void(const own_operands&)> {
    return [where](const own_operands& o) {
      upsweep::sort(where, device_span<const T>(o.in, o.n), device_span<T>(o.out, o.n), own_less{});
    };
  });
}

own_side ours_on(backend where) {
  return {"upsweep", "", "", "", false, where, [](own_work, std::uint64_t) { return true; }, prepare_ours};
}

}  // namespace

}  // namespace upsweep::peers
