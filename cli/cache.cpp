#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/process/answer.hpp"
#include "cli/report/table.hpp"
#include "upsweep/core/compiled_code_cache.hpp"

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
    fmt::print("no folder: neither XDG_CACHE_HOME nor HOME is set\n");
    return;
  }
  fmt::print("{}{} in {} entr{}, {}\n", cleared ? "cleared: " : "", bytes_text(static_cast<double>(held.bytes)),
             held.entries, held.entries == 1 ? "y" : "ies", folder);
}

}  // namespace

void add_cache(CLI::App& app) {
  auto clear = std::make_shared<bool>(false), size_alone = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "Show or clear the cache of run-time compiled code");
  CLI::Option* size =
      command->add_flag("--size", *size_alone, "Print the size and the folder of the cache; the default");
  command->add_flag("--clear", *clear, "Remove all of it")->excludes(size);
  command->footer(
      "Operators, predicates and types given as source are compiled for CUDA at their first use, which takes a "
      "second. The compiled code is cached in $XDG_CACHE_HOME/upsweep, or ~/.cache/upsweep. A new version compiles it "
      "again; --clear also removes the code of older versions. Beyond 256 MiB, or UPSWEEP_CODE_CACHE_LIMIT (1G), the "
      "code that was not used for longest is removed.\n"
      "Examples:\n"
      "  upsweep cache            print the size and the folder\n"
      "  upsweep cache --clear    remove all cached code");
  command->callback(
      [clear, size_alone] { tell(*clear ? upsweep::code_cache::clear() : upsweep::code_cache::size(), *clear); });
}
