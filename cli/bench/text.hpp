// The bench's results as a printed table and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cli/bench/run.hpp"
#include "cli/report/figures.hpp"

namespace bench {

using figures::columns_of;
using figures::left;
using figures::progress_line;
using figures::rate_text;
using figures::ratio_text;
using figures::right;
using figures::three_figures;
using figures::time_text;

void print_ceilings(const upsweep::device&, const std::vector<upsweep::peers::ceiling>&);
void print_head(const upsweep::device&, const measurement& like, const plan&);
// Only the fastest of a peer's settings; the JSON has all.
void print_rows(const std::vector<measurement>& of_one_size, const plan&);
void print_losses(const std::vector<loss>&, bool compared);
void print_remarks(const results&);

nlohmann::ordered_json to_json(const upsweep::device&, const std::vector<upsweep::peers::ceiling>&);
// One row for each method of measurement; rows of peers have their ratio to ours.
void append_json(const std::vector<measurement>& of_one_size, nlohmann::ordered_json& rows);
nlohmann::ordered_json to_json(const std::vector<remark>&);
nlohmann::ordered_json to_json(const std::vector<loss>&);

}  // namespace bench
