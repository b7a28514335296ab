// Benchmarks with user-defined functions (peers/own.hpp): sorts of words and of records by a comparison, and a
// selection by a predicate.
#pragma once

#include "cli/bench/run.hpp"
#include "upsweep/context.hpp"

namespace bench {

// Whether the plan includes this work on the device: by the name own, by the primitive's, or without names, and type
// u32.
bool has_own_work(const upsweep::device&, const plan&);

// Appends to `to`.
void measure_own(const upsweep::context&, const std::vector<upsweep::peers::ceiling>&, const plan&, const listener&,
                 results& to);

}  // namespace bench
