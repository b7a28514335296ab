#pragma once

namespace upsweep::peers {

struct instruction_sets {
  bool avx2, avx512;
};
extern const instruction_sets needed;

}  // namespace upsweep::peers
