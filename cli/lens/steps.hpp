// What a run's player is given: every step, in frames, with the memories and the sources that they are of.
#pragma once

#include <nlohmann/json.hpp>

#include "lens/run.hpp"

nlohmann::json steps_to_json(const upsweep::lens::report&);
