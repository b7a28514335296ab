// Data of the player of a run: all steps as frames, with their memories and sources.
#pragma once

#include <nlohmann/json.hpp>

#include "lens/run.hpp"

nlohmann::json steps_to_json(const upsweep::lens::report&);
