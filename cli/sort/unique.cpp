#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstring>

#include "cli/options.hpp"
#include "cli/select/selection.hpp"

using namespace upsweep;

namespace {

struct unique_options {
  source_options source;
  device_options where;
  output_options output;
  bool count = false;
  std::uint64_t chunk = std::uint64_t{1} << 22;
};

std::uint64_t keep_unique(const unique_options& o) {
  const context where = open_context(o.where, {"select"});
  const auto source = open_source(o.source);
  const std::uint64_t size = size_of(source->type),
                      chunk = std::min(o.chunk, std::max<std::uint64_t>(source->count.value_or(o.chunk), 1));
  chunk_selection selection(where, source->type, chunk, false);
  selection.unique(nullptr, 0);  // what can be known before reading is said before reading
  std::unique_ptr<element_sink> sink;
  if (!o.count)
    sink = open_sink(o.output.path, o.output.format, *source, {source->type, {}, source->truth, source->title});
  std::uint64_t kept = 0;
  scalar last;  // element of the chunk before
  const auto select = [&](const void* data, std::uint64_t n, std::uint64_t first) {
    const scalar before = last;
    std::memcpy(last.bytes, static_cast<const std::byte*>(data) + (n - 1) * size, size);
    piece result = selection.unique(data, n);
    if (first > 0 && equal_elements(before.bytes, result.data, source->type)) {
      result.data = static_cast<const std::byte*>(result.data) + size;
      --result.n;
    }
    kept += result.n;
    return result;
  };
  stream_chunks(*source, chunk, "unique", select, [&](const void* from, std::uint64_t n) {
    if (sink) sink->write(from, n);
  });
  if (sink) sink->commit();
  return kept;
}

}  // namespace

void add_unique(CLI::App& app) {
  auto o = std::make_shared<unique_options>();
  o->source.narrow = true;
  CLI::App* command = app.add_subcommand("unique", "Keep the first of each run of equal elements");
  add_source_options(*command, o->source);
  add_output_options(*command, o->output, "Output file");
  command->add_flag("--count", o->count, "Print how many would be kept, and write nothing");
  add_device_options(*command, o->where);
  command->add_option("--chunk", o->chunk, "Elements worked on at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
  command->footer(
      "Equal elements that stand apart are both kept: sort first to keep each value once, as numpy.unique does. -0 and "
      "0 are equal; NaN equals\n"
      "nothing. `upsweep rle` writes the lengths of the runs as well.\n"
      "Examples:\n"
      "  upsweep unique states.npy -o changes.npy\n"
      "  upsweep sort x.npy -o - | upsweep unique - -o values.npy");
  command->callback([o] {
    const std::uint64_t kept = keep_unique(*o);
    if (o->count) fmt::print("{}\n", kept);
  });
}
