// Text from external sources, such as file names, for a terminal.
#pragma once

#include <string>
#include <string_view>

// Escapes control characters and invalid UTF-8 as \x1b and the like; keeps line feeds if `lines`.
std::string printable(std::string_view text, bool lines = false);
