// Large pictures under filters that look at some rows around, or at a channel by itself: the samples stay integers, as
// the files have them, and floats are made of as much as is worked on. What comes out is the same.
#pragma once

#include <vector>

#include "cli/image/filters.hpp"
#include "cli/image/stored_picture.hpp"

// Whether these steps can be done so, and the picture is large enough for it to matter.
bool goes_in_parts(const image_place&, const std::vector<image_step>&, const stored_picture&);
stored_picture done_in_parts(const image_place&, const std::vector<image_step>&, stored_picture, std::uint32_t depth);
