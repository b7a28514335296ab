// Tests whether each barrier of a textbook variant is needed, and whether the lens detects that it is missing. One
// barrier at a time is removed at run time.
#pragma once

#include "lens/run.hpp"

namespace upsweep::lens {

struct mutant {
  place barrier;
  report seen;                    // the run that showed it missing, or the last one tried
  const finding* race = nullptr;  // of seen.findings
  bool caught() const { return race != nullptr; }
};

// `j` says the variant, type and operator; where it does not show a barrier missing, more elements and smaller blocks
// are tried.
std::vector<mutant> mutate(const job& j);

}  // namespace upsweep::lens
