// Large pictures with filters that need only neighbouring rows or one channel at a time: samples remain integers as in
// the files, and only the part that is processed is converted to floats. The result is the same.
#pragma once

#include <vector>

#include "cli/image/filters.hpp"
#include "cli/image/stored_picture.hpp"

// Whether these steps can run in parts, and the picture is large enough.
bool goes_in_parts(const image_place&, const std::vector<image_step>&, const stored_picture&);
stored_picture done_in_parts(const image_place&, const std::vector<image_step>&, stored_picture, std::uint32_t depth);
