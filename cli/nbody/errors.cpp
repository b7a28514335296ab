// upsweep nbody --errors: the curve of the tree's error against its time.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/io/whole_file.hpp"
#include "cli/nbody/nbody.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/printable.hpp"
#include "cli/report/provenance.hpp"
#include "cli/report/table.hpp"
#include "cli/stream/progress.hpp"
#include "upsweep/error.hpp"
#include "upsweep/nbody/conformance/nbody_force_errors.hpp"

using namespace upsweep;
using nlohmann::ordered_json;

namespace {

// Up to so many all pairs are timed, too.
constexpr std::uint64_t few_bodies = 200'000;

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); }
std::string error_text(double e) { return fmt::format("{:.1e}", e); }

std::vector<std::string> cells_of(const std::string& name, std::uint64_t n, const nbody::force_report& r) {
  const nbody::tree_times& t = r.parts;
  const nbody::force_errors& e = r.errors;
  std::vector<std::string> cells{name};
  for (double s : {t.keys, t.sort, t.cells, t.moments, t.walk}) cells.push_back(s > 0 ? milliseconds(s) : "-");
  cells.push_back(milliseconds(r.whole));
  cells.push_back(fmt::format("{:.3g}", static_cast<double>(n) / r.whole * 1e-6));
  for (double x : {e.median, e.p90, e.p99, e.p999, e.largest}) cells.push_back(error_text(x));
  return cells;
}

ordered_json json_of(const nbody::parameters& laws, const nbody::force_report& r) {
  const nbody::tree_times& t = r.parts;
  const nbody::force_errors& e = r.errors;
  const bool tree = laws.method == nbody::method::barnes_hut;
  ordered_json j{{"method", tree ? "barnes-hut" : "all-pairs"}};
  if (tree && laws.criterion > 0) j["criterion"] = laws.criterion;
  if (tree && laws.criterion == 0) j["theta"] = laws.theta;
  j["seconds"] = r.whole;
  if (tree)
    j["parts"] = {{"keys", t.keys}, {"sort", t.sort}, {"cells", t.cells}, {"moments", t.moments}, {"walk", t.walk}};
  j["errors"] = {{"median", e.median}, {"p90", e.p90}, {"p99", e.p99}, {"p999", e.p999}, {"largest", e.largest}};
  return j;
}

template <class T>
ordered_json curve_of(const context& where, const nbody_options& o, const nbody::scene& s, nbody::parameters laws) {
  const std::uint64_t n = s.start.size(), judged = std::min(n, o.judged);
  progress bar(s.name, o.thetas.size() + 1, "angles");
  nbody::force_reference<T> reference(where, s.start, laws, judged);
  table t({"", "keys", "sort", "cells", "moments", "walk", "whole ms", "M bodies/s", "median", "p90", "p99", "p99.9",
           "max"});
  ordered_json rows = ordered_json::array();
  const auto examine = [&](const std::string& name) {
    const nbody::force_report r = reference.examine(laws, static_cast<int>(o.repeats));
    t.row(cells_of(name, n, r));
    rows.push_back(json_of(laws, r));
    bar.at(rows.size());
  };
  laws.method = nbody::method::barnes_hut;
  if (laws.criterion > 0) {
    examine(fmt::format("error {:g}", laws.criterion));
  } else {
    for (double theta : o.thetas) laws.theta = theta, examine(fmt::format("theta {:g}", theta));
  }
  laws.method = nbody::method::all_pairs;
  if (n <= few_bodies) examine("all pairs");
  fmt::print("{}, {} bodies, {}, {}, softening {:.3g}, on {}; |da| / |a| of {} bodies against all pairs in f64\n",
             printable(s.name), n, name_of(dtype_of<T>), laws.quadrupoles ? "quadrupoles" : "single masses",
             laws.softening, where.name(), judged);
  t.print();
  return {{"scene", s.name},
          {"bodies", n},
          {"type", name_of(dtype_of<T>)},
          {"quadrupoles", laws.quadrupoles},
          {"softening", laws.softening},
          {"judged", judged},
          {"repeats", o.repeats},
          {"rows", rows}};
}

}  // namespace

void measure_force_errors(const nbody_options& o) {
  for (double theta : o.thetas)
    if (!(theta > 0))
      throw error(fault::bad_argument, fmt::format("--thetas {}", theta), "an opening angle must be positive",
                  "give for example 0.3,0.5,1");
  std::unique_ptr<whole_file> file;
  if (!o.json.empty()) file = std::make_unique<whole_file>(o.json);
  const context where = open_context(o.where, {"nbody"});
  std::vector<std::string> scenes{o.scene};
  if (!o.scene_given) scenes = {"plummer", "cube"};
  ordered_json all{{"kind", "nbody-errors"},
                   {"schema", 1},
                   {"provenance", provenance()},
                   {"device", where.name()},
                   {"device_description", where.description()},
                   {"curves", ordered_json::array()}};
  for (const std::string& name : scenes) {
    nbody_options one = o;
    one.scene = name;
    if (one.bodies == 0 && !o.scene_given) one.bodies = 100'000;
    const nbody::scene s = scene_of(one);
    const nbody_settings t = settings_of(one, s);
    all["curves"].push_back(t.type == dtype::f32 ? curve_of<float>(where, o, s, t.laws)
                                                 : curve_of<double>(where, o, s, t.laws));
  }
  answer::fields().update(all);
  if (!file) return;
  file->write(all.dump(1) + "\n");
  file->commit();
}
