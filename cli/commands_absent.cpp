// Placeholders of the commands check, bench and lens in a build without them.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/lens/listed.hpp"
#include "cli/nbody/nbody.hpp"
#include "upsweep/error.hpp"

void open_textbook() {}

const std::vector<upsweep::variant>& variants_on_lens_alone() {
  static const std::vector<upsweep::variant> none;
  return none;
}
void refuse_on_lens_alone(const std::string&) {}

namespace {

upsweep::error absent(const std::string& name) {
  return {upsweep::fault::unsupported, name, "this is the quick build, which has the library's own algorithms only",
          "run ./quickstart build, or configure with -DUPSWEEP_CONFORMANCE=ON"};
}

void add_absent(CLI::App& app, const std::string& name, const std::string& what) {
  CLI::App* command = app.add_subcommand(name, what + " (not in this build)");
  command->allow_extras();
  command->callback([name] { throw absent(name); });
}

}  // namespace

void measure_force_errors(const nbody_options&) { throw absent("nbody --errors"); }

void add_check(CLI::App& app) { add_absent(app, "check", "Compare every variant with a reference result"); }
void add_bench(CLI::App& app) { add_absent(app, "bench", "Measure variants and compare them with other libraries"); }
void add_lens(CLI::App& app) { add_absent(app, "lens", "Run a textbook CUDA kernel on an emulated GPU"); }
