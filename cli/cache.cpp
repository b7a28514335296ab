#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/process/answer.hpp"
#include "cli/report/table.hpp"
#include "upsweep/core/code_cache.hpp"

namespace {

void tell(const upsweep::code_cache::held& held, bool cleared) {
  if (answer::wanted()) {
    answer::fields()["folder"] = upsweep::code_cache::folder();
    answer::fields()["entries"] = held.entries;
    answer::fields()["bytes"] = held.bytes;
    answer::fields()["cleared"] = cleared;
    return;
  }
  const std::string folder = upsweep::code_cache::folder();
  if (folder.empty()) {
    fmt::print("no folder: neither XDG_CACHE_HOME nor HOME names one\n");
    return;
  }
  fmt::print("{}{} in {} entr{}, {}\n", cleared ? "cleared: " : "", bytes_text(static_cast<double>(held.bytes)),
             held.entries, held.entries == 1 ? "y" : "ies", folder);
}

}  // namespace

void add_cache(CLI::App& app) {
  auto clear = std::make_shared<bool>(false), size_alone = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "Show or clear the compiled code that is kept on disk");
  CLI::Option* size =
      command->add_flag("--size", *size_alone, "Say how much there is and where; so without an option, too");
  command->add_flag("--clear", *clear, "Take all of it away")->excludes(size);
  command->footer(
      "Operators, tests and types that are given as text are compiled for CUDA where they are first used, which takes "
      "a second; what comes of it is kept in $XDG_CACHE_HOME/upsweep, or ~/.cache/upsweep, for the next program. "
      "After an update it is compiled anew; --clear takes away what older versions left.\n"
      "Examples:\n"
      "  upsweep cache            how much there is, and where\n"
      "  upsweep cache --clear    nothing, afterwards");
  command->callback(
      [clear, size_alone] { tell(*clear ? upsweep::code_cache::clear() : upsweep::code_cache::size(), *clear); });
}
