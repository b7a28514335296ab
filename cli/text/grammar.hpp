// Grammars in files: a line a rule, its name, blanks, its pattern; a name that begins with - is skipped. Lines that
// begin with # say nothing.
#pragma once

#include <string>
#include <vector>

#include "upsweep/lex.hpp"

// `path` is for the error's sentence.
std::vector<upsweep::token_rule> rules_in(const std::string& path, const std::string& text);
