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

void print_json(const fold_form& p, const upsweep::scalar& value, std::uint64_t elements, const std::string& device,
                const std::string& variant) {
  fmt::print("{}\n", nlohmann::json{{"value", value_json(value, p.type)},
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
  CLI::App* command = app.add_subcommand("reduce", "Fold a file's elements into one value and print it");
  o->fold.source.typed = true;
  add_fold_options(*command, o->fold);
  command->add_flag("--json", o->as_json, "Print JSON: the value, what was folded, and which variant did it where");
  command->footer(
      "The value is init, then every element in order, joined by the operator; no elements give init. Integers wrap "
      "around.\n"
      "minimum and maximum refuse NaN. Files of any length stream through; a float's bits do not depend on whether a "
      "file or a pipe\n"
      "is read. An array of several dimensions in C order is folded as it lies in the file.\n"
      "Examples:\n"
      "  upsweep reduce prices.npy --op maximum\n"
      "  upsweep reduce table.csv --column volume --dtype i64\n"
      "  zcat samples.f32.gz | upsweep reduce - --dtype f32 --transform square");
  command->callback([o] {
    if (const auto g = group_asked_for(o->fold.where)) {
      const group_fold all = reduce_by(*g, o->fold);
      if (o->as_json)
        return print_json(all.form, all.value, all.elements, fmt::format("{} members", g->all.size()), "group");
      return fmt::print("{}\n", value_text(all.value, all.form.type));
    }
    fold f(fold_form::call::reduce, o->fold);
    const upsweep::scalar value = f.reduce();
    if (o->as_json) return print_json(f.form(), value, f.elements(), f.where().name(), f.variant());
    fmt::print("{}\n", value_text(value, f.form().type));
  });
}
