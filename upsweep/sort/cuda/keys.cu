// The radix sort of keys alone.
#include "upsweep/sort/cuda/widths.cuh"

void upsweep::cuda::radix_sort_keys(device& d, const radix_request& r) { radix_sort_with<no_value>(d, r); }
