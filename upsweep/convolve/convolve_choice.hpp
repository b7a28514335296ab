// The choice of a convolution's algorithm, and the reason for it.
#pragma once

#include <string>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/convolve_tuning.hpp"

namespace upsweep::detail::convolve_impl {

enum class algorithm : std::uint8_t { direct, split, box, fft, tiles };  // tiles: only on CUDA

struct choice {
  algorithm which = algorithm::direct;
  std::string why;  // "separable: ..."
};

choice choose_algorithm(backend, const problem&);

// The side of the FFT's tiles along one axis, of which points - mask + 1 are results; `row`: for a mask of one row.
fft_tile fft_side(std::uint64_t places, std::uint64_t mask, bool row);

// The reason why the CPU's FFT cannot run a problem, or null.
const char* fft_cannot(const problem&);
bool have_fft();

}  // namespace upsweep::detail::convolve_impl
