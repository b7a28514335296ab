// The radix sort of keys alone, and with values of 4 and of 8 bytes. In one file, because what counts digits is the
// same for all three.
#include "upsweep/sort/cuda/widths.cuh"

namespace upsweep::cuda {

void radix_sort_keys(device& d, const radix_request& r) { radix_sort_with<no_value>(d, r); }
void radix_sort_with_words(device& d, const radix_request& r) { radix_sort_with<std::uint32_t>(d, r); }
void radix_sort_with_long_words(device& d, const radix_request& r) { radix_sort_with<std::uint64_t>(d, r); }

}  // namespace upsweep::cuda
