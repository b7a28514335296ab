// The bench as the command and the tour both run it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cli/bench/run.hpp"
#include "upsweep/context.hpp"

namespace bench {

// By name; "all" is every usable device. Each once.
std::vector<upsweep::context> open_devices(const std::vector<std::string>& names);

// Measured anew in every run, on operands far larger than the caches.
std::vector<upsweep::peers::ceiling> ceilings_of(upsweep::device&, bool quick);

// Measures and prints; `wrong` is set when a variant of ours failed its check. Returns the JSON.
nlohmann::ordered_json run(const plan&, const std::vector<upsweep::context>&, bool quick, bool& wrong);

// The head that all JSON files share: kind, schema, provenance.
nlohmann::ordered_json document(const char* kind);

}  // namespace bench
