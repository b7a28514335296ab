// Validators of option values for `->check(...)`: errors are reported when the command line is read, before any file.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>

namespace checks {

CLI::Validator count(std::uint64_t least = 0);  // a whole number of 64 bits, not below
CLI::Validator number();                        // neither infinite nor NaN
CLI::Validator positive();                      // and above 0

}  // namespace checks
