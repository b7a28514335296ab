// Compiled with the flags of the CPU peers: what they need of the processor.
#include "peers/instruction_sets.hpp"

namespace upsweep::peers {

const instruction_sets needed{
#if defined(__AVX2__)
    true,
#else
    false,
#endif
#if defined(__AVX512F__)
    true,
#else
    false,
#endif
};

}  // namespace upsweep::peers
