// The operands that a device source names (jit/jit_operands.hpp), as members of a kernel's argument, in their
// order.
#pragma once

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/jit/jit_operands.hpp"

namespace upsweep::cuda {

inline void add_operands(argument_bytes& to, const opencl::operand_list& all) {
  for (const opencl::named_operand& o : all)
    if (o.is_memory)
      to.add(o.where.address());
    else
      to.add(o.bytes.data(), o.size, o.align);
}

}  // namespace upsweep::cuda
