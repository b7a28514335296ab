// The kinds of conditions that searches evaluate.
#pragma once

#include <cstdint>

namespace upsweep::detail::search_impl {

// The condition on index i.
enum class seek : std::uint8_t {
  passing,    // in[i] passes the test, or, `negated`, does not
  adjacent,   // in[i] == in[i + 1]
  one_of,     // in[i] is equal to one of the m of in2
  beginning,  // the m of in2 are in `in` from i on
  unequal,    // in[i] != in2[i]
  apart,      // in[i] < in2[i] or in2[i] < in[i]
};

enum class bound : std::uint8_t { lower, upper, found };

}  // namespace upsweep::detail::search_impl
