// A page that plays a run under the lens: self-contained, light or dark, by mouse and by keyboard.
#pragma once

#include <string>

#include "lens/run.hpp"

std::string lens_page(const upsweep::lens::report&);
