// The parts of the page, one for each kind of JSON.
#pragma once

#include "cli/report/facts.hpp"
#include "cli/report/report.hpp"

namespace report {

std::string bench_section(const source&);
std::string table_section(const source&);
std::string check_section(const source&);

}  // namespace report
