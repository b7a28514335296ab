#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/fold/fold.hpp"
#include "cli/process/answer.hpp"
#include "cli/processes/processes.hpp"

void add_scan(CLI::App& app) {
  struct scan_options {
    fold_options fold;
    output_options output;
    bool inclusive = false, exclusive = false;
  };
  auto o = std::make_shared<scan_options>();
  CLI::App* command = app.add_subcommand("scan",
                                         "Write running sums, running maxima, or another inclusive or "
                                         "exclusive scan");
  o->fold.source.typed = true;
  add_fold_options(*command, o->fold);
  add_output_options(*command, o->output, "Output file");
  auto* inclusive = command->add_flag("--inclusive", o->inclusive,
                                      "Inclusive scan: output i includes input i, as in numpy.cumsum. The default");
  command->add_flag("--exclusive", o->exclusive, "Exclusive scan: output i excludes input i; the first output is init")
      ->excludes(inclusive);
  command->footer(
      "The input is one sequence (a one-dimensional .npy, a CSV column, raw elements); the output has the same length "
      "and type. Integers wrap around. minimum and maximum refuse NaN. Files of any length are streamed; the bits of "
      "float results are the same for a file and a pipe. The output file is written atomically. CSV output has this "
      "one column.\n"
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
    const bool csv =
        format_of_output(o->output.path, o->output.format, f.source().format) == file_format::csv && !answer::wanted();
    if (csv && f.is_of_texts()) {
      text_sink sink(o->output.path, f.source());
      f.scan_texts([&](std::string_view text) { sink.write(text); });
      return sink.commit();
    }
    const auto sink = open_sink(o->output.path, o->output.format, f.source());
    f.scan([&](const void* from, std::uint64_t n) { sink->write(from, n); });
    sink->commit();
  });
}
