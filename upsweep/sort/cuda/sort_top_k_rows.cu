// The first k of each row on CUDA, for keys of every width.
#include "upsweep/sort/cuda/sort_top_k_rows.cuh"
#include "upsweep/sort/cuda/sort_top_k_rows.hpp"

namespace upsweep::detail::sort_impl {

bool can_find_first_of_rows(std::uint64_t length, std::uint64_t k) {
  return k >= 1 && k <= cuda::rows_tuning::most_k && k <= length && length < std::uint64_t{1} << 31;
}

void first_of_rows_on_cuda(device& d, const first_of_rows_request& r) {
  const auto call = [&]<class Key>(type_tag<Key>) {
    cuda::run_first_of_rows(cuda::of(d), static_cast<const Key*>(r.keys), r.rows, r.length, r.k,
                            cuda::compared_image<Key>(r.order, r.first_bit, r.last_bit, r.descending),
                            static_cast<Key*>(r.keys_out), r.places_out, r.place_bytes == 8);
  };
  switch (r.key_bytes) {
    case 1: return call(type_tag<std::uint8_t>{});
    case 2: return call(type_tag<std::uint16_t>{});
    case 4: return call(type_tag<std::uint32_t>{});
    default: return call(type_tag<std::uint64_t>{});
  }
}

}  // namespace upsweep::detail::sort_impl
