// What a page says of where its figures come from.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace report {

// Date, machine, commit, compilers.
std::string provenance_facts(const nlohmann::json& provenance, const std::string& file);

}  // namespace report
