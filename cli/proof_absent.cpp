// The commands that judge the library, in a build without what they need.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/nbody/nbody.hpp"
#include "upsweep/error.hpp"

void open_textbook() {}

namespace {

upsweep::error absent(const std::string& name) {
  return {upsweep::fault::unsupported, name,
          "this build has the library's own algorithms alone, for a first result soon",
          "run ./quickstart build, or configure with -DUPSWEEP_PROOF=ON"};
}

void add_absent(CLI::App& app, const std::string& name, const std::string& what) {
  CLI::App* command = app.add_subcommand(name, what + " (not in this build)");
  command->allow_extras();
  command->callback([name] { throw absent(name); });
}

}  // namespace

void judge_forces(const nbody_options&) { throw absent("nbody --errors"); }

void add_check(CLI::App& app) { add_absent(app, "check", "Hold every variant against the oracle"); }
void add_bench(CLI::App& app) {
  add_absent(app, "bench", "Time variants beside the peers and the machine's own limits");
}
void add_lens(CLI::App& app) { add_absent(app, "lens", "Run a textbook CUDA rung on an emulated GPU"); }
