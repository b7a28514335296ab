// The ring's shapes for recurrences: threads, items, stages, rounds from folding to stepping, blocks a multiprocessor.
// The large ones as measured on one H200 (README.md). The small ones fit on every GPU; they are taken where a block has
// less shared memory than the large ones need, and have not been timed.
#pragma once

#include <type_traits>

#include "upsweep/scan/cuda/scan_cuda_tuning.hpp"

namespace upsweep {

// Steps that say which sequences they read: those come into shared memory. 211 to 218 KB; small, 30 to 32 KB for one of
// them and 37 KB for two.
template <int ElementBytes, int Sequences>
struct streamed_recurrence_tuning {
  static constexpr int per = 16 / ElementBytes;
  using large =
      std::conditional_t<Sequences == 1, scan_shape<384, 7 * per, 5, 2, 1>, scan_shape<384, 3 * per, 6, 3, 1>>;
  using small = scan_shape<Sequences == 1 ? 160 : 96, 3 * per, 4, 2, 3>;
};

// Any other steps: nothing but maps, which may be large themselves.
template <int MapBytes>
struct stepped_recurrence_tuning {
  using large = scan_shape<256, 4, 3, 1, MapBytes <= 32 ? 4 : 1>;
  using small = scan_shape<32, 4, 3, 1, 1>;
};

}  // namespace upsweep
