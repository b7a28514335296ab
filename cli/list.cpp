#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/gpus.hpp"
#include "cli/lens/listed.hpp"
#include "cli/names.hpp"
#include "cli/report/table.hpp"
#include "upsweep/core/catalog.hpp"

namespace {

struct list_options {
  std::vector<std::string> names;
  std::string device;
  bool as_json = false, brief = false;
};

bool backend_named(const std::string& device, upsweep::backend& found) {
  for (upsweep::backend b : {upsweep::backend::cpu, upsweep::backend::cuda, upsweep::backend::opencl})
    if (name_of(b) == device) {
      found = b;
      return true;
    }
  return false;
}

std::vector<const upsweep::variant*> chosen(const list_options& w) {
  upsweep::backend only{};
  const bool filtered = !w.device.empty();
  // A backend's name alone asks about the build; a device's name asks the machine, and may not be there.
  if (filtered && !backend_named(w.device, only)) only = upsweep::context::named(w.device).kind();
  std::vector<const upsweep::variant*> all, found;
  for (const upsweep::variant& v : upsweep::catalog()) all.push_back(&v);
  for (const upsweep::variant& v : variants_on_lens_alone()) {
    // Behind the others of its primitive.
    const auto last =
        std::ranges::find_if(all.rbegin(), all.rend(), [&](const auto* other) { return other->what == v.what; });
    all.insert(last.base(), &v);
  }
  const auto is_meant = [&](const upsweep::variant& v, const std::string& name) {
    if (!names_primitive(name) && std::ranges::any_of(all, [&](const auto* other) { return other->name == name; }))
      return v.name == name;
    return means(name, v);
  };
  for (const upsweep::variant* v : all)
    if ((!filtered || v->where == only) &&
        (w.names.empty() || std::ranges::any_of(w.names, [&](const std::string& name) { return is_meant(*v, name); })))
      found.push_back(v);
  if (!found.empty()) return found;
  if (w.names.size() == 1)
    upsweep::require_variant(w.names[0], filtered ? only : upsweep::backend::cpu);  // says which names are near
  throw upsweep::error(upsweep::fault::bad_argument, "list",
                       filtered ? "no such variant on " + w.device + " in this build" : "no such variant",
                       "see `upsweep list`");
}

// {"plus": ["i32", ...], ...}; of primitives that apply no operator the types alone.
nlohmann::json taken(const upsweep::variant& v) {
  if (!v.folds) {
    nlohmann::json types = nlohmann::json::array();
    for (upsweep::dtype t : upsweep::all_dtypes)
      if (v.takes == upsweep::accepts || v.takes(upsweep::op_kind::plus, t)) types.push_back(name_of(t));
    return types;
  }
  nlohmann::json all = nlohmann::json::object();
  for (upsweep::op_kind op : upsweep::all_ops) {
    nlohmann::json types = nlohmann::json::array();
    for (upsweep::dtype t : upsweep::folding_dtypes)
      if (upsweep::accepts(op, t) && v.takes(op, t) && !(v.needs_commutative && !upsweep::commutes(op)))
        types.push_back(name_of(t));
    if (!types.empty()) all[std::string(name_of(op))] = types;
  }
  return all;
}

// Whether it is listed for the lens alone.
bool is_on_lens_alone(const upsweep::variant& v) { return v.where == upsweep::backend::cuda && v.own == nullptr; }

nlohmann::json entry_json(const upsweep::variant& v, const upsweep::context* on) {
  nlohmann::json j{{"name", v.name},
                   {"backend", name_of(v.where)},
                   {"primitive", name_of(v.what)},
                   {"kind", v.kind == upsweep::variant_kind::textbook ? "textbook" : "tuned"},
                   {"year", v.year},
                   {"source", v.source},
                   {"teaches", v.teaches},
                   {"work", v.work.text},
                   {"span", v.span.text},
                   {"launches", v.launches.text},
                   {"traffic", v.traffic.text},
                   {"takes", taken(v)},
                   {"limits", v.limits},
                   {"built", !is_on_lens_alone(v)}};
  if (is_on_lens_alone(v)) j["note"] = needs_cuda_build;
  if (v.where == upsweep::backend::cuda)
    if (nlohmann::json rows = tuning_rows(v.name, on); !rows.empty()) j["tuning"] = std::move(rows);
  j["max_n"] = v.max_n == ~std::uint64_t{0} ? nlohmann::json(nullptr) : nlohmann::json(v.max_n);
  if (v.folds) {
    j["transforms"] = v.transforms;
    j["needs_commutative"] = v.needs_commutative;
  }
  if (v.what == upsweep::primitive("scan")) {
    j["inclusive"] = v.inclusive;
    j["exclusive"] = v.exclusive;
  }
  return j;
}

// Text that fits in a column; the summary below has the rest.
std::string short_text(const upsweep::formula& f) {
  const std::string_view text = f.text;
  return text.size() <= 20 ? std::string(text) : "…";
}

void print_table(const std::vector<const upsweep::variant*>& all) {
  const bool noted = std::ranges::any_of(all, [](const auto* v) { return is_on_lens_alone(*v); });
  std::vector<std::string> head{"name", "backend", "kind", "year", "source", "work", "span", "launches", "moved"};
  if (noted) head.emplace_back("in this build");
  table t(head);
  for (const upsweep::variant* v : all) {
    std::vector<std::string> row{std::string(v->name),
                                 std::string(name_of(v->where)),
                                 v->kind == upsweep::variant_kind::textbook ? "textbook" : "tuned",
                                 std::to_string(v->year),
                                 std::string(v->source),
                                 short_text(v->work),
                                 short_text(v->span),
                                 short_text(v->launches),
                                 short_text(v->traffic)};
    if (noted) row.emplace_back(is_on_lens_alone(*v) ? needs_cuda_build : "yes");
    t.row(row);
  }
  t.print();
}

std::string types_text(const upsweep::variant& v) {
  std::string text;
  for (const auto& t : taken(v)) text += (text.empty() ? "" : " ") + t.get<std::string>();
  return text;
}

void print_stories(const std::vector<const upsweep::variant*>& all) {
  for (const upsweep::variant* v : all) {
    fmt::print("\n{} on {}{}\n  {}\n", v->name, name_of(v->where),
               is_on_lens_alone(*v) ? fmt::format(" ({}: `upsweep lens {}`)", needs_cuda_build, v->name) : "",
               v->teaches);
    fmt::print("  Work: {}. Span: {}. Launches: {}. Moved: {}.\n", v->work.text, v->span.text, v->launches.text,
               v->traffic.text);
    if (!v->limits.empty())
      fmt::print("  Limits: {}.\n", v->limits.back() == '.' ? v->limits.substr(0, v->limits.size() - 1) : v->limits);
    if (!v->folds && v->takes != upsweep::accepts) fmt::print("  Takes {}.\n", types_text(*v));
    if (v->max_n != ~std::uint64_t{0}) fmt::print("  Takes at most {} elements.\n", v->max_n);
  }
}

}  // namespace

void add_list(CLI::App& app) {
  auto w = std::make_shared<list_options>();
  CLI::App* command =
      app.add_subcommand("list", "List the variants of every primitive, with source, work, span and a summary");
  command->add_option("NAME", w->names,
                      "Only variants whose names contain this text: scan, blelloch, "
                      "reduce/warp-shuffle");
  command->add_option("--device", w->device,
                      "Only variants of this backend (cpu, cuda, opencl) or of this device's backend (cuda:0)");
  command->add_flag("--json", w->as_json,
                    "Print JSON: all fields of the catalog; for CUDA the tuning policies, and with a named device the "
                    "policy that it uses");
  command->add_flag("--brief", w->brief, "Only the table, without the summaries");
  command->footer(
      "Texts too long for the table are printed below it. Work counts operator applications (of a sort or a "
      "selection: steps on an element), span the longest chain of dependent ones, launches the kernels (or parallel "
      "phases on the CPU), moved the elements read and written in device memory; n is the number of elements. Names "
      "are arguments of --variant, check and bench. A build without CUDA also lists the CUDA textbook variants, which "
      "`upsweep lens NAME` runs.");
  command->callback([w] {
    const auto all = chosen(*w);
    if (w->as_json) {
      nlohmann::json list = nlohmann::json::array();
      // Which row is taken depends on the device, where one is named.
      upsweep::backend any{};
      std::optional<upsweep::context> on;
      if (!w->device.empty() && !backend_named(w->device, any)) on = upsweep::context::named(w->device);
      if (on && on->kind() != upsweep::backend::cuda) on.reset();
      for (const upsweep::variant* v : all) list.push_back(entry_json(*v, on ? &*on : nullptr));
      fmt::print("{}\n", list.dump(2));
      return;
    }
    print_table(all);
    if (!w->brief) print_stories(all);
  });
}
