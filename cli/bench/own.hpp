// The bench of work by functions of the caller's own (peers/own.hpp): sorts by a comparison, of words and of records,
// and a selection by a test.
#pragma once

#include "cli/bench/run.hpp"
#include "upsweep/context.hpp"

namespace bench {

// Whether the plan asks for any of it on that device: by the name own, or the primitive's, or by no name, and type u32.
bool has_own_work(const upsweep::device&, const plan&);

// Appends to `to`.
void measure_own(const upsweep::context&, const std::vector<upsweep::peers::ceiling>&, const plan&, const listener&,
                 results& to);

}  // namespace bench
