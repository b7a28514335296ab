// Which algorithm a convolution takes, and why.
#pragma once

#include <string>

#include "upsweep/convolve/geometry.hpp"
#include "upsweep/convolve/problem.hpp"
#include "upsweep/convolve/tuning.hpp"

namespace upsweep::convolve_room {

enum class algorithm : std::uint8_t { direct, split, box, fft, tiles };  // tiles: on CUDA alone

struct choice {
  algorithm which = algorithm::direct;
  std::string why;  // "separable: ..."
};

choice choose_algorithm(backend, const problem&);

// The tile of the FFT along one axis, of which points - mask + 1 are results; `row`: of a mask of one row.
fft_tile fft_side(std::uint64_t places, std::uint64_t mask, bool row);

// Whether the CPU's FFT takes it: what it cannot take of a problem, or null.
const char* fft_cannot(const problem&);
bool have_fft();

}  // namespace upsweep::convolve_room
