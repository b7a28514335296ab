// The lens for a web page: requests and results are JSON. An instance runs once and is then destroyed with everything
// that the run leaves behind, in particular unfinished fibers.
#include <emscripten/emscripten.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/lens/json.hpp"
#include "cli/lens/steps.hpp"
#include "lens/run.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;
using nlohmann::json;

namespace {

template <class Named>
auto required(const json& asked, const char* what, const char* usual, Named named) {
  const std::string name = asked.value(what, usual);
  const auto found = named(name);
  if (!found) throw error(fault::bad_argument, what, "there is none of the name '" + name + "'", "choose another");
  return *found;
}

lens::job job_of(const json& asked) {
  lens::job j;
  j.variant = asked.at("variant");
  j.n = asked.value("n", j.n);
  j.block = asked.value("block", j.block);
  j.op = required(asked, "op", "plus", op_named);
  j.type = required(asked, "type", "u32", dtype_named);
  j.input = required(asked, "input", "uniform", input_named);
  j.inclusive = asked.value("inclusive", false);
  j.in_place = asked.value("in_place", false);
  j.seed = asked.value("seed", j.seed);
  j.resident = asked.value("resident", j.resident);
  if (asked.contains("races")) j.races = asked.at("races").get<bool>();
  if (asked.contains("withheld")) j.withheld = asked.at("withheld").get<std::uint64_t>();
  j.record = asked.value("record", false);
  j.small_values = j.record && j.op != op_kind::compose_affine;
  return j;
}

json listed() {
  json all = json::array();
  for (const lens::textbook_variant& r : lens::textbook_variants()) {
    json blocks = json::array();
    for (const lens::variant_at& s : r.sizes)
      if (s.block != 0) blocks.push_back(s.block);
    all.push_back({{"name", r.name},
                   {"teaches", r.teaches},
                   {"limits", r.limits},
                   {"primitive", name_of(r.what)},
                   {"folds", r.folds()},
                   {"keeps_order", r.keeps_order},
                   {"work", r.sizes.front().work.text},
                   {"blocks", blocks},
                   {"standard", r.standard},
                   {"most", r.sizes.front().max_n}});
  }
  return all;
}

const char* kept(const json& answer) {
  static std::string text;
  text = answer.dump();
  return text.c_str();
}

}  // namespace

extern "C" {

// Lists every textbook variant.
EMSCRIPTEN_KEEPALIVE const char* lens_list() { return kept(listed()); }

// {"result": as `upsweep lens --json` has it, "steps": if requested} or {"error": a sentence}.
EMSCRIPTEN_KEEPALIVE const char* lens_run(const char* asked_text) {
  try {
    const json asked = json::parse(asked_text);
    const lens::report r = lens::run(job_of(asked));
    json answer{{"result", to_json(r)}};
    if (r.asked.record) answer["steps"] = steps_to_json(r);
    return kept(answer);
  } catch (const std::exception& e) {
    return kept({{"error", e.what()}});
  }
}
}
