// How much memory a command may take: what --memory says, else half of what the machine and its container have free.
#pragma once

#include <cstdint>
#include <string>

std::uint64_t memory_limit(const std::string& option);
