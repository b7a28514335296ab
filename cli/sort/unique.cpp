#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstring>

#include "cli/io/rows.hpp"
#include "cli/options.hpp"
#include "cli/process/answer.hpp"
#include "cli/select/selection.hpp"
#include "cli/sort/row_keys.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;

namespace {

struct unique_options {
  source_options source;
  device_options where;
  output_options output;
  bool count = false;
  std::uint64_t chunk = std::uint64_t{1} << 22;
};

// Fields of a CSV column, as in the file. Numbers and dates of the same value are equal, and so are texts of the same
// bytes, and missing values.
std::uint64_t keep_unique_fields(const unique_options& o, std::unique_ptr<input> in) {
  csv_records records(*in, csv_options_of(o.source), {o.source.column});
  records.find_types();
  tell_type(o.source, records, 0);
  const key_writer writer(records, {{o.source.column}}, {}, false, missing_rule_of(o.source.na));
  std::optional<row_sink> sink;
  if (!o.count) sink.emplace(o.output, *in, records, 0);
  progress line("unique", in->size().value_or(0), "bytes");
  std::string last, key;
  std::uint64_t kept = 0, rows = 0, bytes = 0;
  while (records.next()) {
    bytes += records.text().size() + 1;
    if (++rows % 1024 == 0) line.at(bytes);
    key.clear();
    if (!writer.append(records, key) || (kept > 0 && key == last)) continue;
    std::swap(key, last);
    ++kept;
    if (sink) sink->write(records.field_or_rule(0));
  }
  if (sink) sink->commit();
  return kept;
}

// From text to text no element need be made of a field.
bool moves_fields(const unique_options& o, input& in) {
  return o.source.type.empty() && o.source.as.empty() && o.where.variant.empty() &&
         find_format(o.source, in) == file_format::csv &&
         (o.count || format_of_output(o.output.path, o.output.format, file_format::csv) == file_format::csv);
}

std::uint64_t keep_unique(const unique_options& o) {
  auto in = std::make_unique<input>(o.source.path);
  if (moves_fields(o, *in)) return keep_unique_fields(o, std::move(in));
  const context where = open_context(o.where, {"select"}, o.source.path);
  const auto source = open_source(std::move(in), o.source);
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
  o->source.narrow = o->source.typed = true;
  CLI::App* command = app.add_subcommand("unique", "Keep the first of each run of equal elements");
  add_source_options(*command, o->source);
  add_output_options(*command, o->output, "Output file");
  command->add_flag("--count", o->count, "Print the number of elements kept, and write no output");
  add_device_options(*command, o->where);
  command->add_option("--chunk", o->chunk, "Number of elements processed at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
  command->footer(
      "Equal elements that are not adjacent are all kept: sort first to keep each value once, as numpy.unique does. "
      "-0 and 0 are equal; NaN equals nothing. The fields of a --column that is written as CSV may also be text and "
      "dates, and are written as they are in the file; missing values are equal. If some integers have leading zeros, "
      "01 and 1 differ, unless --number names the column. `upsweep rle` also writes the lengths of the runs.\n"
      "Examples:\n"
      "  upsweep unique states.npy -o changes.npy\n"
      "  upsweep sort x.npy -o - | upsweep unique - -o values.npy");
  command->callback([o] {
    const std::uint64_t kept = keep_unique(*o);
    if (o->count) answer::tell("count", kept);
  });
}
