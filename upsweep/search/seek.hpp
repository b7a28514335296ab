// The kinds of questions that searches ask.
#pragma once

#include <cstdint>

namespace upsweep::search_room {

// What is asked of place i.
enum class seek : std::uint8_t {
  passing,    // in[i] passes the test, or, `negated`, does not
  adjacent,   // in[i] == in[i + 1]
  one_of,     // in[i] is equal to one of the m of in2
  beginning,  // the m of in2 stand in `in` from i on
  unequal,    // in[i] != in2[i]
  apart,      // in[i] < in2[i] or in2[i] < in[i]
};

enum class bound : std::uint8_t { lower, upper, found };

}  // namespace upsweep::search_room
