// A program of the user's on the emulated machine, in a process of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lens/machine.hpp"
#include "lens/own/program.hpp"

namespace upsweep::lens::own {

struct job {
  source what;
  std::vector<std::string> arguments;  // of its main
  unsigned resident = 4;
  std::optional<bool> races;  // unset: looked for where memory allows
  std::optional<std::uint64_t> withheld;
  unsigned seconds = 60;  // of the processor, after which it is stopped; ten times as many may pass
  bool aside = false;     // the program's standard output goes to standard error
};

struct report {
  std::string file;
  bool raced = false;
  std::string not_watched;        // arrays in which races were not looked for
  std::vector<std::string> said;  // assumptions that the lens made
  std::vector<launch_record> launches;
  counts total;
  std::vector<finding> findings;
  std::string cut_short;  // why it ended before its main did
  int status = 0;         // that its main returned
  double seconds = 0;
  bool ok() const { return findings.empty() && cut_short.empty() && status == 0; }
};

// Compiles and runs it. `tell` is called in the program's own process, once, at its end. Returns 0 if there was no
// fault and the program's main returned 0. Throws upsweep::error where it cannot be run at all.
int run(const job&, const std::function<void(const report&)>& tell);

}  // namespace upsweep::lens::own
