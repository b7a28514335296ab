// Highway's VQSort behind functions of our own: it chooses its instructions as it runs, and its headers refuse to be
// compiled for some of the processors that the other CPU peers are compiled for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::peers {

void vqsort(std::int32_t* keys, std::size_t n);
void vqsort(std::uint32_t* keys, std::size_t n);
void vqsort(std::int64_t* keys, std::size_t n);
void vqsort(std::uint64_t* keys, std::size_t n);
void vqsort(float* keys, std::size_t n);
void vqsort(double* keys, std::size_t n);
std::string vqsort_version();

}  // namespace upsweep::peers
