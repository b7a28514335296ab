// Tuning policies, as `upsweep list --json` shows them: the shapes that an algorithm's CUDA kernels are compiled in.
// Each device takes the first whose shared memory fits its blocks. An algorithm with several policies lists them in
// its X_cuda_policies.cu, with the sizes that its launches depend on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace upsweep::cuda {

struct tuning_policy {
  std::string_view variant;                            // "scan/look-ahead"
  std::string_view elements;                           // of what: "4 bytes"
  std::string_view row;                                // "large"
  int threads = 0, items = 0, stages = 1, blocks = 1;  // of a block; each thread's; tiles at once; a multiprocessor
  std::uint64_t shared_bytes = 0;                      // a block's
  std::string_view measured{};                         // "one H200", or "not timed"

  // Whether the two are alternatives, of which a device takes one.
  bool same_choice(const tuning_policy& r) const { return variant == r.variant && elements == r.elements; }
};

template <class Shape>
tuning_policy row_of(std::string_view variant, std::string_view elements, std::string_view row, int stages,
                     std::uint64_t shared_bytes, bool timed) {
  return {variant,        elements,     row,
          Shape::threads, Shape::items, stages,
          Shape::blocks,  shared_bytes, timed ? "one H200" : "not timed"};
}

std::vector<tuning_policy> tuning_policies_of_all_algorithms();

// Whether a device with that shared memory limit takes this row: the first of the alternatives that fits, or the last
// one if none fits.
inline bool is_taken(const std::vector<tuning_policy>& rows, const tuning_policy& row, std::uint64_t shared_limit) {
  const tuning_policy* taken = nullptr;
  for (const tuning_policy& r : rows)
    if (r.same_choice(row) && (!taken || taken->shared_bytes > shared_limit)) taken = &r;
  return taken == &row;
}

}  // namespace upsweep::cuda
