// The name that is nearest to a misspelled word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// The nearest of these names by edit distance if it is close enough; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& names);
