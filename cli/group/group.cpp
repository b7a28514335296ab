#include "cli/group/group.hpp"

#include <CLI/CLI.hpp>

#include <memory>

#include "cli/commands.hpp"

void add_group(CLI::App& app) {
  auto o = std::make_shared<group_request>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command = app.add_subcommand(
      "group", "Group the rows of a CSV file by some columns: sums, means, extremes and counts of others");
  add_source_options(*command, o->source);
  command->remove_option(command->get_option("--column"));
  add_output_options(*command, o->output, "Output file, CSV");
  command
      ->add_option(
          "--by", o->by,
          "The columns that rows of a group agree in: city,year. Groups go out in their order,\nfalling where a "
          "minus stands before the name")
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
  add("--min", aggregate::least, "The least value");
  add("--max", aggregate::greatest, "The greatest value");
  command
      ->add_flag_function(
          "--count", [o](std::int64_t) { o->asked.push_back({aggregate::count, ""}); }, "How many rows there are")
      ->trigger_on_parse();
  command->add_flag("--natural", o->natural, "Numbers inside text of --by go by their value");
  add_device_options(*command, o->where);
  command->footer(
      "The first row of the output names its columns: city,price_sum,price_mean,count, in the order of the options. "
      "Keys "
      "are written as the\n"
      "group's first row has them; 1 and 1.0 are one key. Sums of integers are exact, and one past 64 bits is refused. "
      "Missing values are left\n"
      "out of sums, means and extremes, and rows with a missing key are a group of their own, the last: --na skip "
      "leaves "
      "those rows out, --na\n"
      "error refuses both, and a number stands for missing values. The groups are held in memory, the rows are not.\n"
      "Examples:\n"
      "  upsweep group sales.csv --by city --sum price --mean price --count -o by-city.csv\n"
      "  upsweep group sales.csv --by city,-year --max price,volume");
  command->callback([o] { group_rows(*o); });
}
