#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/fold/fold.hpp"
#include "cli/processes/processes.hpp"

namespace {

// JSON has no NaN and no infinity; they go as text.
nlohmann::json value_json(const upsweep::scalar& s, upsweep::dtype type) {
  const std::string text = value_text(s, type);
  return nlohmann::json::accept(text) ? nlohmann::json::parse(text) : nlohmann::json(text);
}

// A number where JSON's readers keep all its digits, else text.
nlohmann::json text_json(const std::string& text) {
  if (!nlohmann::json::accept(text)) return text;
  const auto number = nlohmann::json::parse(text);
  return number.is_number_integer() || number.dump() == text ? number : nlohmann::json(text);
}

void print_json(const fold_form& p, const nlohmann::json& value, std::uint64_t elements, const std::string& device,
                const std::string& variant) {
  fmt::print("{}\n", nlohmann::json{{"value", value},
                                    {"type", name_of(p.type)},
                                    {"op", name_of(p.op)},
                                    {"transform", name_of(p.transform)},
                                    {"elements", elements},
                                    {"device", device},
                                    {"variant", variant}}
                         .dump(2));
}

}  // namespace

void add_reduce(CLI::App& app) {
  struct reduce_options {
    fold_options fold;
    bool as_json = false;
  };
  auto o = std::make_shared<reduce_options>();
  CLI::App* command = app.add_subcommand("reduce", "Reduce a file's elements to one value and print it");
  o->fold.source.typed = true;
  add_fold_options(*command, o->fold);
  command->add_flag("--json", o->as_json, "Print JSON: the value, the input, the variant and the device");
  command->footer(
      "The value is init, then every element in order, combined by the operator; the result of no elements is init. "
      "Integers wrap around. minimum and maximum refuse NaN. Files of any length are streamed; the bits of a float "
      "result are the same for a file and a pipe. An array of several dimensions is reduced in C order; one in "
      "Fortran order is read into memory if the order matters. minimum and maximum of a CSV column are exact, even "
      "for numbers that f64 rounds.\n"
      "Examples:\n"
      "  upsweep reduce prices.npy --op maximum\n"
      "  upsweep reduce table.csv --column volume --dtype i64\n"
      "  zcat samples.f32.gz | upsweep reduce - --dtype f32 --transform square");
  command->callback([o] {
    if (const auto g = group_asked_for(o->fold.where)) {
      const group_fold all = reduce_by(*g, o->fold);
      if (o->as_json)
        return print_json(all.form, value_json(all.value, all.form.type), all.elements,
                          fmt::format("{} members", g->all.size()), "group");
      return fmt::print("{}\n", value_text(all.value, all.form.type));
    }
    fold f(fold_form::call::reduce, o->fold);
    if (f.is_of_texts()) {
      const std::string text = f.reduce_texts();
      if (o->as_json) return print_json(f.form(), text_json(text), f.elements(), f.where().name(), "");
      return fmt::print("{}\n", text);
    }
    const upsweep::scalar value = f.reduce();
    if (o->as_json)
      return print_json(f.form(), value_json(value, f.form().type), f.elements(), f.where().name(), f.variant());
    fmt::print("{}\n", value_text(value, f.form().type));
  });
}
