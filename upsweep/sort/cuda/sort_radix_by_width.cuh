// From a request with its types erased to the radix sort of its keys' width and order.
#pragma once

#include "upsweep/sort/cuda/sort_cuda.hpp"
#include "upsweep/sort/sort_cuda.cuh"

namespace upsweep::cuda {

template <class Value>
void radix_sort_with(device& d, const radix_request& r) {
  const auto run = [&]<class Key, bool Floating>() {
    radix_sort<Floating>(d, static_cast<const Key*>(r.keys), static_cast<Key*>(r.keys_out),
                         static_cast<const Value*>(r.values), static_cast<Value*>(r.values_out), r.n, r.order,
                         r.first_bit, r.last_bit, r.descending);
  };
  const bool floating = r.order == key_order::floating;
  switch (r.key_bytes) {
    case 1: return run.template operator()<std::uint8_t, false>();
    case 2: return run.template operator()<std::uint16_t, true>();
    case 4:
      return floating ? run.template operator()<std::uint32_t, true>()
                      : run.template operator()<std::uint32_t, false>();
    default:
      return floating ? run.template operator()<std::uint64_t, true>()
                      : run.template operator()<std::uint64_t, false>();
  }
}

}  // namespace upsweep::cuda
