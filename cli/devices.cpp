#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/report/table.hpp"
#include "upsweep/context.hpp"

void add_devices(CLI::App& app) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("devices", "Show every device, and what is off and why");
  command->add_flag("--json", *as_json, "Print JSON instead of the table");
  command->footer(
      "Each name is what --device takes. `cpu:N` uses N threads; `best` is a CUDA GPU, else an OpenCL GPU, else the "
      "CPU.");
  command->callback([as_json] {
    const auto devices = upsweep::list_devices();
    if (*as_json) {
      nlohmann::json all = nlohmann::json::array();
      for (const auto& d : devices)
        all.push_back({{"name", d.name},
                       {"backend", upsweep::name_of(d.kind)},
                       {"description", d.description},
                       {"usable", d.usable},
                       {"memory_bytes", d.total_memory}});
      fmt::print("{}\n", all.dump(2));
      return;
    }
    table t({"device", "usable", "memory", "description"});
    for (const auto& d : devices)
      t.row({d.name, d.usable ? "yes" : "no", d.total_memory ? bytes_text(static_cast<double>(d.total_memory)) : "-",
             d.description});
    t.print();
  });
}
