#include "cli/group/group.hpp"

#include <CLI/CLI.hpp>

#include <memory>

#include "cli/commands.hpp"

void add_group(CLI::App& app) {
  auto o = std::make_shared<group_request>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command = app.add_subcommand(
      "group", "Group the rows of a CSV file by columns: sums, means, extremes and counts of others");
  add_source_options(*command, o->source);
  command->remove_option(command->get_option("--column"));
  add_output_options(*command, o->output, "Output file, CSV");
  command
      ->add_option(
          "--by", o->by,
          "Columns that form the key: city,year. Groups are in ascending order of the keys; a minus sign before a "
          "name makes it descending")
      ->required()
      ->type_name("C,...");
  const auto add = [&](const std::string& name, aggregate what, const std::string& of) {
    command
        ->add_option_function<std::string>(
            name, [o, what](const std::string& columns) { o->asked.push_back({what, columns}); },
            of + " of these columns in each group. May be repeated")
        ->trigger_on_parse()
        ->type_name("C,...");
  };
  add("--sum", aggregate::sum, "The sum");
  add("--mean", aggregate::mean, "The mean");
  add("--min", aggregate::least, "Smallest value");
  add("--max", aggregate::greatest, "Largest value");
  command
      ->add_flag_function(
          "--count", [o](std::int64_t) { o->asked.push_back({aggregate::count, ""}); }, "Number of rows in each group")
      ->trigger_on_parse();
  command->add_flag("--natural", o->natural, "Order numbers inside text of --by by value");
  add_device_options(*command, o->where);
  command->footer(
      "The first row of the output names its columns: city,price_sum,price_mean,count, in the order of the options. "
      "Keys are written as in the group's first row. 1 and 1.0 are the same key. If the column has integers with "
      "leading zeros, 01 and 1 are different keys, unless --number names the column. Extremes are exact. Sums of "
      "integers are exact; a sum of more than 64 bits is an error.\n"
      "Sums, means and extremes ignore missing values. Rows with a missing key form a group of their own, which is "
      "last. --na skip drops these rows, --na error reports an error for either, and a number replaces missing "
      "values. The groups are held in memory, the rows are not.\n"
      "Examples:\n"
      "  upsweep group sales.csv --by city --sum price --mean price --count -o by-city.csv\n"
      "  upsweep group sales.csv --by city,-year --max price,volume");
  command->callback([o] { group_rows(*o); });
}
