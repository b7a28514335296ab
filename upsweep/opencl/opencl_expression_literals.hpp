// Passes literals of device source (core/expression_literals.hpp) as arguments of OpenCL C kernels. OpenCL C 1.2 has no
// variables that a program's functions share, so each function between a kernel and the user's source passes the
// values on.
#pragma once

#include <string>
#include <vector>

#include "upsweep/core/expression_literals.hpp"

namespace upsweep::opencl {

// The source, which names upsweep_literal_0 and so on, with the literals as the last parameters of every kernel and
// of every function that leads to one of those names, and as the last arguments of every call of such a function.
// Line numbers do not change. This works on tokens, before the preprocessor: macros may call such functions, but not
// define them.
std::string pass_literals(const std::string& source, const std::vector<core::literal>& literals);

}  // namespace upsweep::opencl
