// `upsweep lens my.cu`: runs the user's kernels on the emulated GPU.
#pragma once

#include <string>
#include <vector>

#include "lens/own/run.hpp"

struct own_output {
  bool lines = false;
  std::string json;  // where to; "-" is standard output; empty: as text
};

// Whether this is the name of a file and not of a variant.
bool names_a_source(const std::string& name);
// "256", "16x16", "8x8x4".
upsweep::lens::own::size3 parse_shape(const std::string& option, const std::string& text);
// The command's exit status; errors have been printed.
int run_own(const upsweep::lens::own::job&, const own_output&);
