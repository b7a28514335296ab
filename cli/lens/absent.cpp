// The command `lens` in a build without Boost.Context.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/lens/listed.hpp"
#include "upsweep/error.hpp"

const std::vector<upsweep::variant>& variants_on_lens_alone() {
  static const std::vector<upsweep::variant> none;
  return none;
}
void refuse_on_lens_alone(const std::string&) {}

void add_lens(CLI::App& app) {
  CLI::App* command = app.add_subcommand("lens", "Run a textbook CUDA kernel on an emulated GPU (not in this build)");
  command->allow_extras();
  command->callback([] {
    throw upsweep::error(upsweep::fault::unsupported, "lens",
                         "this build has no Boost.Context, whose fibers are the emulated threads",
                         "install libboost-context-dev and build again");
  });
}
