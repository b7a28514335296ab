// The command `lens` in a build without Boost.Context.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "upsweep/error.hpp"

void add_lens(CLI::App& app) {
  CLI::App* command = app.add_subcommand("lens", "Run a textbook CUDA rung on an emulated GPU (not in this build)");
  command->allow_extras();
  command->callback([] {
    throw upsweep::error(upsweep::fault::unsupported, "lens",
                         "this build has no Boost.Context, whose fibers are the emulated threads",
                         "install libboost-context-dev and build again");
  });
}
