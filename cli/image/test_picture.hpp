// A picture for trying filters on: text, edges at all angles, gradients, texture and noise. The same bits on every
// machine.
#pragma once

#include "cli/image/picture.hpp"

// channels 1 to 4, depth 8 or 16.
picture test_picture(std::uint64_t width, std::uint64_t height, std::uint32_t channels = 3, std::uint32_t depth = 8);
