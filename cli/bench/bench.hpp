// The bench, as run by the command and by the tour.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cli/bench/run.hpp"
#include "upsweep/context.hpp"

namespace bench {

// Opens devices by name; "all" is every usable device. Without duplicates.
std::vector<upsweep::context> open_devices(const std::vector<std::string>& names);

// Measured in every run, on operands far larger than the caches.
std::vector<upsweep::peers::ceiling> ceilings_of(upsweep::device&, bool quick);

// Measures and prints; `wrong` is set when a variant of ours failed its check. Returns the JSON.
nlohmann::ordered_json run(const plan&, const std::vector<upsweep::context>&, bool quick, bool& wrong);

// The header of all JSON files: kind, schema, provenance.
nlohmann::ordered_json document(const char* kind);

}  // namespace bench
