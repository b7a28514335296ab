// The parts of the page, one for each kind of JSON.
#pragma once

#include "cli/report.hpp"

namespace report {

std::string bench_section(const source&);
std::string table_section(const source&);
std::string check_section(const source&);

// Date, machine, commit, compilers.
std::string provenance_facts(const nlohmann::json& provenance, const std::string& file);

}  // namespace report
