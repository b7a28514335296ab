// The library's side of work by functions of the caller's own, where the elements lie in a device's memory: included by
// a .cpp and a .cu file, which compile the same calls for the CPU and for CUDA.
#pragma once

#include "peers/own.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

namespace upsweep::peers {

namespace {

std::function<void(const own_operands&)> prepare_ours(const context& where, own_work w, const own_operands&) {
  return with_element(w, [&]<class T>(type_tag<T>) -> std::function<void(const own_operands&)> {
    return [where, w](const own_operands& o) {
      const device_span<const T> in(o.in, o.n);
      const device_span<T> out(o.out, o.n);
      if constexpr (std::is_same_v<T, std::uint32_t>)
        if (w == own_work::select_words)
          return upsweep::copy_if(where, in, out, device_span<std::uint64_t>(o.count, 1), own_test{});
      upsweep::sort(where, in, out, own_less{});
    };
  });
}

own_side ours_on(backend where) {
  return {"upsweep", "", "", "", false, where, [](own_work, std::uint64_t) { return true; }, prepare_ours};
}

}  // namespace

}  // namespace upsweep::peers
