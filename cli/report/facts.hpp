// What a page says of where its figures come from.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace report {

// Date, machine, commit, compilers.
std::string provenance_facts(const nlohmann::json& provenance, const std::string& file);

// A field that is a whole number, 0 or above. (nlohmann's get() takes a fraction or 1e300 for one, too, and what comes
// of that is undefined.)
std::uint64_t whole_number(const nlohmann::json& of, const char* key);
struct no_whole_number {};

}  // namespace report
