// The ring's shapes for texts: threads, bytes of each, stages, rounds from folding to writing, blocks a multiprocessor.
// The large ones as measured on one H200 (README.md). The small ones fit on every GPU; they are taken where a block has
// less shared memory than the large ones need, and have not been timed.
#pragma once

#include "upsweep/scan/cuda/scan_cuda_tuning.hpp"

namespace upsweep::detail::lex_impl {

// The automaton's rows are in shared memory, too, if they have at most `rows_held` numbers: 194 KB; 44 KB. The shorter
// a thread's run, the larger the share of its run-up.
struct large_token_tuning {
  using shape = scan_shape<384, 144, 3, 1, 1>;
  static constexpr unsigned rows_held = 7168;
};
struct small_token_tuning {
  using shape = scan_shape<128, 80, 3, 1, 1>;
  static constexpr unsigned rows_held = 3072;
};

// 182 KB; 30 KB.
using large_fields_shape = scan_shape<768, 48, 5, 2, 1>;
using small_fields_shape = scan_shape<160, 48, 4, 2, 3>;

}  // namespace upsweep::detail::lex_impl
