// The operands that device source names (jit/jit_operands.hpp), as arguments of a kernel whose parameters sources_of()
// wrote.
#pragma once

#include "upsweep/jit/jit_operands.hpp"
#include "upsweep/opencl/opencl_device.hpp"

namespace upsweep::opencl {

inline argument_list arguments_of(const operand_list& all) {
  argument_list to;
  for (const named_operand& o : all)
    if (o.is_memory)
      to.emplace_back(operand{o.where, o.size});
    else
      to.emplace_back(value{o.bytes.data(), o.bytes.size()});
  return to;
}

}  // namespace upsweep::opencl
