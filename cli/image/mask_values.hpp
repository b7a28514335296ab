// A mask from the command line: a .npy file of one to three axes, or its numbers: "1 2 1 / 2 4 2 / 1 2 1", rows parted
// by /.
#pragma once

#include <string>
#include <vector>

#include "upsweep/convolve/mask.hpp"

struct mask_values {
  upsweep::extent size;
  std::vector<double> values;  // x fastest
  bool integers = false;       // all of them whole numbers, whatever their type
};

// `option` is for the error's sentence.
mask_values mask_of_text(const std::string& option, const std::string& text);
