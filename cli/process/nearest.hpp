// What was meant by a misspelt word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// The nearest of these names by edit distance, where one is near enough to have been meant; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& names);
