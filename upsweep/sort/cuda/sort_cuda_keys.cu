// The radix sort of keys alone, and with values of 4 and of 8 bytes. One file, because all three share the code that
// counts digits.
#include "upsweep/sort/cuda/sort_radix_by_width.cuh"

namespace upsweep::cuda {

void radix_sort_keys(device& d, const radix_request& r) { radix_sort_with<no_value>(d, r); }
void radix_sort_with_words(device& d, const radix_request& r) { radix_sort_with<std::uint32_t>(d, r); }
void radix_sort_with_long_words(device& d, const radix_request& r) { radix_sort_with<std::uint64_t>(d, r); }

}  // namespace upsweep::cuda
