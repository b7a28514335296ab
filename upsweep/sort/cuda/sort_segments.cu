// The CUDA sort of segments, in a separate file.
#include "upsweep/sort/cuda/sort_segmented.cuh"

namespace upsweep::cuda {

void segmented_sort(device& d, const radix_request& r, const std::uint64_t* offsets, std::uint64_t segments) {
  d.make_current();
  segments_problem a{};
  a.rule = rule_of(r);
  if (r.n == 0) return;
  a.keys_in = r.keys, a.keys_out = r.keys_out, a.values_in = r.values, a.values_out = r.values_out;
  a.key_bytes = r.key_bytes, a.value_bytes = r.value_bytes, a.n = r.n, a.segments = segments, a.offsets = offsets;
  const bool image_alone = a.rule.reversible && a.value_bytes == 0;
  if (a.key_bytes <= 2 || (a.key_bytes == 4 && image_alone)) return segmented_sort_of<std::uint32_t>(d, a);
  if (a.key_bytes == 4 || image_alone) return segmented_sort_of<std::uint64_t>(d, a);
  segmented_sort_of<wide_element>(d, a);
}

}  // namespace upsweep::cuda
