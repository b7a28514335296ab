// Sizes of the bench in the user's notation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// "2^10..2^28" is every power between, "2^10..2^28:2" every second one, "1000,10^6,2^20" these three; "2^20-5" and
// "2^10..2^28:2-5" are 5 less. Ascending, each once.
// Anything else throws an upsweep::error.
std::vector<std::uint64_t> parse_sizes(std::string_view text);

// "2^20" for a power of two from 2^10 on, "2^20-5" for what is 5 less, else the number.
std::string size_text(std::uint64_t n);
