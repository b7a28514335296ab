// Convolutions of integers of 64 bits, exact modulo 2^64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/convolve.hpp"

// The library convolves doubles. The numbers are split into parts of so few bits that its error is below one half.
std::vector<std::uint64_t> convolve_integers(const upsweep::context&, std::span<const std::uint64_t> in, bool is_signed,
                                             const upsweep::image_layout&, upsweep::extent mask_size,
                                             std::span<const std::int64_t> mask, upsweep::border, bool correlate);
