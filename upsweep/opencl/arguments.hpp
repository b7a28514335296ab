// The operands that device source names (operands.hpp), as arguments of a kernel whose parameters sources_of() wrote.
#pragma once

#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/opencl/opencl_operands.hpp"

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
