// `upsweep bench --table`: a published table, compared row by row with the same algorithms measured on this machine.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "upsweep/context.hpp"

namespace bench {

// "kaust-reduction, kit-reduction, …".
std::string table_names();

// Measures and prints; `wrong` is set when a variant failed its check. Returns the JSON. An unknown name throws.
nlohmann::ordered_json run_table(const std::string& name, const std::vector<upsweep::context>&, bool quick,
                                 bool& wrong);

}  // namespace bench
