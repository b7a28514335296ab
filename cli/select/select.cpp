#include "cli/select/select.hpp"
#include "cli/io/same_file.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/message.hpp"
#include "cli/process/printable.hpp"
#include "cli/processes/processes.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

using namespace upsweep;

void add_select(CLI::App& app) {
  auto o = std::make_shared<select_options>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command =
      app.add_subcommand("select", "Select the elements, or the rows of a CSV file, that meet a condition");
  add_source_options(*command, o->source);
  add_output_options(*command, o->output, "Output file");
  auto* condition_given =
      command
          ->add_option("--where", o->condition, "Condition, such as 'x > 0.5' or 'price >= 10 and not isnan(volume)'")
          ->type_name("COND");
  command
      ->add_option("--flags", o->flags,
                   "Select elements by the flags in this .npy or raw file of bool or u8, as x[flags] in NumPy")
      ->type_name("FILE")
      ->excludes(condition_given);
  command->add_flag("--rows", o->rows, "CSV: select whole rows, also if --column names x. Default without --column");
  auto* indices = command->add_flag("--indices", o->indices,
                                    "Write the indices of the selected elements, counted from 0, as numpy.flatnonzero "
                                    "does");
  command->add_flag("--count", o->count, "Print the number of selected elements or rows, and write no output")
      ->excludes(indices);
  add_device_options(*command, o->where);
  command->add_option("--chunk", o->chunk, "Number of elements processed at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
  command->footer(
      "COND compares x, the element, with < <= > >= == != and combines comparisons with and, or, not and parentheses; "
      "0 <= x < 1 is also a comparison. It supports + - * / %, abs, isnan, isinf, isfinite and inf. A number compared "
      "with a bare name is rounded to that column's type, as in NumPy. Comparisons with integers are exact, and so "
      "are those with a CSV column of numbers that f64 rounds, such as ids above 2^53 in a column that also has "
      "decimals. Arithmetic on integers is exact for any length; other arithmetic is in f64. For rows of a CSV file "
      "it uses column names, in backquotes if a name has other characters than letters, digits, _ and .; text is "
      "compared with 'text' and searched with ~ 'A.*z' or !~, a POSIX extended regular expression; dates are compared "
      "with 2021-03-01 or 2021-03-01T12:30. `price is missing` and `price is not missing` test for missing values; "
      "all other comparisons with a missing value or NaN are false, except !=. The output keeps the order of the "
      "input.\n"
      "Examples:\n"
      "  upsweep select x.npy --where 'x > 0.5' -o large.npy\n"
      "  upsweep select table.csv --where 'price > 100 and date >= \"2020-01-01\"' -o recent.csv\n"
      "  upsweep select table.csv --column price --where 'x % 2 == 0' -o even.npy\n"
      "  upsweep select table.csv --where 'city ~ \"^O\" and price is not missing' -o some.csv\n"
      "  upsweep select x.npy --where 'not isfinite(x)' --count");
  command->callback([o] {
    if (o->condition.empty() && o->flags.empty())
      throw error(fault::bad_argument, "select", "no condition is given", "give --where 'x > 0.5' or --flags FILE");
    require_no_overlap({{"-o", o->output.path}}, {{"--flags", o->flags}});
    try {
      if (const auto g = group_asked_for(o->where)) {
        const std::uint64_t kept = select_by(*g, *o);
        if (o->count) answer::tell("count", kept);
        return;
      }
      auto in = std::make_unique<input>(o->source.path);
      const bool csv = find_format(o->source, *in) == file_format::csv;
      if (o->rows && !csv)
        throw error(fault::bad_argument, in->name(), "--rows applies to the rows of a CSV file, and this is not CSV",
                    "leave it out, or give --format csv");
      const bool rows = o->rows || (csv && o->source.column.empty() && o->flags.empty() && !o->indices);
      if (rows && (o->indices || !o->flags.empty()))
        throw error(fault::bad_argument, in->name(), "--indices and --flags apply to elements, not to whole rows",
                    "choose one --column");
      const std::uint64_t kept = rows ? select_rows(*o, std::move(in)) : select_elements(*o, std::move(in));
      if (o->count) answer::tell("count", kept);
    } catch (const condition_error& e) {
      print_message("upsweep: {}\n{}", printable(e.what()), printable(e.picture(), true));
      throw CLI::RuntimeError(1);
    }
  });
}
