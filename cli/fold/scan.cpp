#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/fold/fold.hpp"
#include "cli/processes/processes.hpp"

void add_scan(CLI::App& app) {
  struct scan_options {
    fold_options fold;
    output_options output;
    bool inclusive = false, exclusive = false;
  };
  auto o = std::make_shared<scan_options>();
  CLI::App* command = app.add_subcommand("scan", "Write every prefix of a fold: running sums, running maxima, ...");
  o->fold.source.typed = true;
  add_fold_options(*command, o->fold);
  add_output_options(*command, o->output, "Output file");
  auto* inclusive =
      command->add_flag("--inclusive", o->inclusive,
                        "Element i of the output includes element i of the input: the default, as numpy.cumsum");
  command->add_flag("--exclusive", o->exclusive, "It does not: the output begins with init")->excludes(inclusive);
  command->footer(
      "The input is one sequence (a one-dimensional .npy, a CSV column, raw elements); the output has its length and "
      "its type. Integers\n"
      "wrap around. minimum and maximum refuse NaN. Files of any length stream through; a float's bits do not depend "
      "on whether a file or\n"
      "a pipe is read. The output file appears whole or not at all. CSV output holds the one column.\n"
      "Examples:\n"
      "  upsweep scan prices.npy -o running.npy\n"
      "  upsweep scan counts.npy -o offsets.npy --exclusive\n"
      "  upsweep scan table.csv --column price --op maximum -o highs.csv\n"
      "  generate | upsweep scan - --dtype u32 | consume");
  command->callback([o] {
    const auto what = o->exclusive ? fold_form::call::exclusive_scan : fold_form::call::inclusive_scan;
    if (const auto g = group_asked_for(o->fold.where)) return scan_by(*g, what, o->fold, o->output);
    fold f(what, o->fold);
    require_one_axis(f.source(), "a scan runs");
    const auto sink = open_sink(o->output.path, o->output.format, f.source());
    f.scan([&](const void* from, std::uint64_t n) { sink->write(from, n); });
    sink->commit();
  });
}
