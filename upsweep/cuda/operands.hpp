// The operands that a text names (opencl/operands.hpp), as members of what a kernel is given, in their order.
#pragma once

#include "upsweep/cuda/text.hpp"
#include "upsweep/opencl/operands.hpp"

namespace upsweep::cuda {

inline void add_operands(argument_bytes& to, const opencl::operand_list& all) {
  for (const opencl::named_operand& o : all)
    if (o.is_memory)
      to.add(o.where.address());
    else
      to.add(o.bytes.data(), o.size, o.align);
}

}  // namespace upsweep::cuda
