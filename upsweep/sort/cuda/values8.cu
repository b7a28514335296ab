// The radix sort of keys with values of 8 bytes.
#include "upsweep/sort/cuda/widths.cuh"

void upsweep::cuda::radix_sort_with_long_words(device& d, const radix_request& r) {
  radix_sort_with<std::uint64_t>(d, r);
}
