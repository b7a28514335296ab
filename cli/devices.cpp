#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/gpus.hpp"
#include "cli/report/table.hpp"
#include "upsweep/communicator/communicator_gpu_transport.hpp"
#include "upsweep/context.hpp"

namespace {

using nlohmann::json;

// A line for each GPU: what shapes are chosen by. Where its driver translates, that is said before it begins, since it
// takes seconds, and how long it took afterwards.
void print_gpu(const std::string& name, const json& gpu) {
  if (gpu.contains("cannot")) {
    fmt::print("\n{}\n", gpu["cannot"].get<std::string>());
    return;
  }
  fmt::print("\n{}: compute capability {:.1f}, {} multiprocessors, {} of shared memory for a block, {} of cache\n",
             name, gpu["compute_capability"].get<double>(), gpu["multiprocessors"].get<int>(),
             bytes_text(gpu["shared_bytes_a_block"].get<double>()), bytes_text(gpu["cache_bytes"].get<double>()));
  if (gpu["ready_code"]) return;
  fmt::print(
      "{}: this build has no binary for it. The driver compiles PTX of {:.1f} at each primitive's first use and "
      "caches the result. Compiling reduce … ",
      name, gpu["translated_from"].get<double>());
  std::fflush(stdout);
  fmt::print("{:.1f} s\n", translate_reduce(name));
}

}  // namespace

void add_devices(CLI::App& app) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("devices", "List the devices, and which are not usable and why");
  command->add_flag("--json", *as_json, "Print JSON instead of the table");
  command->footer(
      "Names are values of --device. `cpu:N` uses N threads; `best` is the first usable CUDA GPU, else an OpenCL GPU, "
      "else the CPU.");
  command->callback([as_json] {
    const auto devices = upsweep::list_devices();
    const auto is_gpu = [](const upsweep::device_listing& d) { return d.usable && d.kind == upsweep::backend::cuda; };
    if (*as_json) {
      json all = json::array();
      for (const auto& d : devices) {
        json j{{"name", d.name},
               {"backend", upsweep::name_of(d.kind)},
               {"description", d.description},
               {"usable", d.usable},
               {"memory_bytes", d.total_memory}};
        if (is_gpu(d)) {
          j["gpu"] = gpu_json(d.name);
          if (j["gpu"].value("ready_code", true) == false)
            j["gpu"]["reduce_translated_seconds"] = translate_reduce(d.name);
        }
        all.push_back(std::move(j));
      }
      fmt::print("{}\n", all.dump(2));
      return;
    }
    table t({"device", "usable", "memory", "description"});
    for (const auto& d : devices)
      t.row({d.name, d.usable ? "yes" : "no", d.total_memory ? bytes_text(static_cast<double>(d.total_memory)) : "-",
             d.description});
    if (std::ranges::any_of(devices, is_gpu)) {
      const auto nccl = upsweep::nccl_found();
      t.row({"nccl", nccl.usable ? "yes" : "no", "-",
             nccl.usable ? nccl.description + ": used between GPUs of several processes"
                         : "off: " + nccl.description + "; GPUs of several processes communicate through the host"});
    }
    t.print();
    for (const auto& d : devices)
      if (is_gpu(d)) print_gpu(d.name, gpu_json(d.name));
  });
}
