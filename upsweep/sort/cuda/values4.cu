// The radix sort of keys with values of 4 bytes.
#include "upsweep/sort/cuda/widths.cuh"

void upsweep::cuda::radix_sort_with_words(device& d, const radix_request& r) { radix_sort_with<std::uint32_t>(d, r); }
