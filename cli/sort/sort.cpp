#include "cli/sort/sort.hpp"
#include "cli/process/checks.hpp"

#include <CLI/CLI.hpp>

#include "cli/io/rows.hpp"
#include "cli/processes/processes.hpp"

namespace {

// From text to text no element need be made of a field.
bool moves_fields(const sort_request& o, input& in) {
  return o.source.type.empty() && o.source.as.empty() && !o.indices && o.bits.empty() && o.where.variant.empty() &&
         find_format(o.source, in) == file_format::csv &&
         format_of_output(o.output.path, o.output.format, file_format::csv) == file_format::csv;
}

}  // namespace

void add_sort(CLI::App& app) {
  auto o = std::make_shared<sort_request>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command =
      app.add_subcommand("sort", "Sort elements, or the rows of a CSV file; of any length, on disk where memory ends");
  add_source_options(*command, o->source);
  add_output_options(*command, o->output, "Output file");
  command
      ->add_option("--by", o->by,
                   "CSV: sort whole rows by these columns of numbers, dates or text: city,-price is by city and\namong "
                   "equal ones by falling price. Columns are given as --column gives one")
      ->type_name("C,...");
  command->add_flag("--natural", o->natural,
                    "CSV: numbers inside text go by their value, so that a2 stands before a10");
  command->add_flag("--descending", o->descending, "The largest first. Equal elements keep their order either way");
  command
      ->add_flag("--argsort", o->indices,
                 "Write where each element stood, counted from 0, as numpy.argsort (kind='stable') does")
      ->excludes("--by");
  command->add_option("--top", o->top, "Only the first K in that order")->check(checks::count())->type_name("K");
  command
      ->add_option("--key-bits", o->bits,
                   "Sort by bits A to B - 1 of the elements alone (of their order's image, in which floats\nand signed "
                   "numbers are unsigned)")
      ->type_name("A..B");
  add_device_options(*command, o->where);
  command
      ->add_option("--memory", o->memory,
                   "Memory to take before a temporary file is used: bytes, or 512M, 4G. Default: half of\nwhat is free")
      ->type_name("B");
  command
      ->add_option("--device-memory", o->device_memory,
                   "Memory of the device to take. Default: most of what is free there")
      ->type_name("B");
  command->footer(
      "The sort is stable. NaNs stand last (with --descending first), -0 and 0 are equal. What a device cannot hold is "
      "sorted there piece by\n"
      "piece and merged; what memory cannot hold goes through a temporary file in $TMPDIR, or else beside OUT, of "
      "which nothing is left however\n"
      "the command ends. The output file appears whole or not at all.\n"
      "Rows and the fields of a --column that is written as CSV go out as they stand in the file. Integers of any "
      "length "
      "and decimals are\n"
      "compared exactly, text by its bytes (where nine of ten fields are numbers, text among them is refused unless "
      "--natural is given), and missing values stand last whichever way a column runs, unless --na "
      "says "
      "otherwise.\n"
      "Examples:\n"
      "  upsweep sort keys.npy -o sorted.npy\n"
      "  upsweep sort table.csv --by price --descending -o by-price.csv\n"
      "  upsweep sort table.csv --by city,-price -o by-city.csv\n"
      "  upsweep sort table.csv --column price -o prices.csv\n"
      "  upsweep sort keys.npy --argsort -o order.npy\n"
      "  upsweep sort - --dtype u32 --top 10 --output-format csv < keys.raw");
  command->callback([o] {
    if (!o->device_memory.empty()) bytes_of_text("--device-memory", o->device_memory);
    if (!o->by.empty() && !o->source.column.empty())
      throw upsweep::error(upsweep::fault::bad_argument, "--by and --column",
                           "one sorts whole rows, the other one column alone", "give one of them");
    if (const auto g = group_asked_for(o->where)) return sort_by(*g, *o);
    auto in = std::make_unique<input>(o->source.path);
    if (!o->by.empty()) {
      require_rows(o->source, *in, "--by");
      return sort_rows(*o, std::move(in));
    }
    if (moves_fields(*o, *in)) return sort_rows(*o, std::move(in));
    sort_elements(*o, std::move(in));
  });
}
