// Text from outside, such as a file's name, as it may be shown on a terminal.
#pragma once

#include <string>
#include <string_view>

// Control characters, escape among them, and bytes that are no UTF-8 become \x1b and the like; line feeds stay where
// `lines`.
std::string printable(std::string_view text, bool lines = false);
