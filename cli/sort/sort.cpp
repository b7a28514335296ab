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
  CLI::App* command = app.add_subcommand("sort", "Sort elements, or the rows of a CSV file, of any length");
  add_source_options(*command, o->source);
  add_output_options(*command, o->output, "Output file");
  command
      ->add_option("--by", o->by,
                   "CSV: sort whole rows by these columns of numbers, dates or text; a minus sign before a name is "
                   "descending: city,-price sorts by city, then by descending price. Columns are named as for "
                   "--column")
      ->type_name("C,...");
  command->add_flag("--natural", o->natural, "CSV: order numbers inside text by value: a2 before a10");
  command->add_flag("--descending", o->descending, "Descending order. Equal elements keep their order");
  command
      ->add_flag("--argsort", o->indices,
                 "Write the original index of each element, counted from 0, as numpy.argsort (kind='stable') does")
      ->excludes("--by");
  command->add_option("--top", o->top, "Only the first K elements or rows of the sorted order")
      ->check(checks::count())
      ->type_name("K");
  command
      ->add_option("--key-bits", o->bits,
                   "Sort by bits A to B - 1 only (after floats and signed numbers are mapped to unsigned numbers in "
                   "the same order)")
      ->type_name("A..B");
  add_device_options(*command, o->where);
  command
      ->add_option("--memory", o->memory,
                   "Memory limit, above which a temporary file is used: bytes, or 512M, 4G. Default: half of the free "
                   "memory")
      ->type_name("B");
  command
      ->add_option("--device-memory", o->device_memory, "Memory limit on the device. Default: most of its free memory")
      ->type_name("B");
  command->footer(
      "The sort is stable. NaNs are last (with --descending first); -0 and 0 are equal. Data that exceeds the "
      "device's memory is sorted in parts and merged. Data that exceeds the host's memory is stored in a temporary "
      "file in $TMPDIR, or else next to OUT, which is removed however the command ends. The output file is written "
      "atomically.\n"
      "Rows, and the fields of a --column that is written as CSV, are written as they are in the file. Integers of "
      "any length and decimals are compared exactly, text by its bytes. If nine of ten fields are numbers, text among "
      "them is an error unless --natural is given. Missing values are last in either direction, unless --na says "
      "otherwise.\n"
      "Integers of which some have a leading zero, such as zip codes, are compared as text unless --number names the "
      "column. If a few fields make a column of numbers or dates a column of text, the first such field is reported "
      "on standard error; --text or --number decides.\n"
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
                           "--by sorts whole rows, --column sorts one column only", "give one of them");
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
