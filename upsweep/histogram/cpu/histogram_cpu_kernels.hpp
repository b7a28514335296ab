// The kernels that one thread runs for a histogram; the instruction set is chosen at run time, once.
#pragma once

#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::cpu {

// The number of samples whose bins are found, and then counted, at a time.
inline constexpr std::uint64_t bin_tile = 1024;

// bins[i] = the bin of sample i, or no_bin; n is at most bin_tile. `rule` is an even_bins<T>, an edge_bins<T>, or, for
// looked_up, a table with an entry for each pattern of the sample's bits.
using bins_kernel = void (*)(const void* samples, std::uint64_t n, const void* rule, std::uint32_t* bins);
enum class bin_rule : std::uint8_t { even, edges, looked_up };
bins_kernel find_bins(dtype type, bin_rule rule);

// Adds to counts[channel * 256 + value] for n bytes of 1, 2, 4 or 8 interleaved channels.
void count_bytes(const unsigned char* x, std::uint64_t n, std::uint64_t channels, std::uint64_t* counts);

}  // namespace upsweep::cpu
