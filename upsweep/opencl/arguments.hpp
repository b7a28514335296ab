// The operands that a text names (operands.hpp), as arguments of a kernel whose parameters texts_of has written.
#pragma once

#include "upsweep/opencl/device.hpp"
#include "upsweep/opencl/operands.hpp"

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
