// The interface for the algorithms: the first k keys of each of many rows in one launch.
#pragma once

#include "upsweep/core/device.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::detail::sort_impl {

// Rows of `length` keys, one after the other. keys_out and places_out have k for each; either may be null.
struct first_of_rows_request {
  std::uint32_t key_bytes = 4, place_bytes = 8;
  key_order order = key_order::plain;
  bool descending = false;
  unsigned first_bit = 0, last_bit = 32;
  std::uint64_t rows = 1, length = 0, k = 0;
  const void* keys = nullptr;
  void *keys_out = nullptr, *places_out = nullptr;
};

bool can_find_first_of_rows(std::uint64_t length, std::uint64_t k);
void first_of_rows_on_cuda(device& d, const first_of_rows_request& r);

}  // namespace upsweep::detail::sort_impl
