// The textbook's CUDA variants that the lens runs, for builds whose catalog has none of CUDA.
#pragma once

#include <string>
#include <vector>

#include "upsweep/core/catalog.hpp"

// Printed after the name of each of them.
inline constexpr const char* needs_cuda_build = "needs a CUDA build; runs on the lens";

// Empty in a build with CUDA, and in one without the lens.
const std::vector<upsweep::variant>& variants_on_lens_alone();
// Throws if the name, or a part of it, is that of a variant of the lens and of none in the catalog.
void refuse_on_lens_alone(const std::string& name);
