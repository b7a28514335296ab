// The report of the lens as text for a terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lens/mutate.hpp"
#include "lens/run.hpp"

namespace lens_text {

// "4,096 elements, u32 plus, exclusive, blocks of 1024".
std::string what_ran(const upsweep::lens::report&);
// Declared and counted costs, the counts of each launch and of each source line, and the findings.
void print_report(const upsweep::lens::report&, bool lines);
// One column for each variant, and its differences from the previous one.
void print_comparison(const std::vector<upsweep::lens::report>&);
// The arrays after each step, with the elements that it read and wrote.
void print_steps(const upsweep::lens::report&, bool colour);
void print_mutants(const std::string& variant, const std::vector<upsweep::lens::mutant>&);

// Parts of a report.
std::string grouped(upsweep::lens::count);
std::string percent(upsweep::lens::count part, upsweep::lens::count whole);
// "1,280 (640)": the count and its ideal; one number if they are equal.
std::string against_ideal(upsweep::lens::count actual, upsweep::lens::count ideal);
std::string or_dash(upsweep::lens::count);
// One row for each launch: the cells that `first` returns under `heads`, then its instructions and its memory. For the
// sum of all launches the launch is null.
using cells_of_a_launch = std::function<std::vector<std::string>(
    const std::string& name, const upsweep::lens::launch_record*, const upsweep::lens::counts&)>;
void print_launches(std::vector<std::string> heads, const std::vector<upsweep::lens::launch_record>&,
                    const upsweep::lens::counts& total, const cells_of_a_launch& first);
void print_lines(const upsweep::lens::counts&);
void print_findings(const std::vector<upsweep::lens::finding>&, bool raced);

}  // namespace lens_text
