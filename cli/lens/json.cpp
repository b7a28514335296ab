#include "cli/lens/json.hpp"

using nlohmann::json;
namespace lens = upsweep::lens;

namespace {

json of_tally(lens::event what, const lens::tally& t) {
  json j{{"instructions", t.instructions}, {"lanes", t.lanes}, {"divergent", t.divergent}};
  if (is_memory(what)) j["bytes"] = t.bytes, j["elements"] = t.elements;
  if (is_global(what)) j["sectors"] = t.sectors, j["ideal_sectors"] = t.ideal_sectors;
  if (is_shared(what)) {
    j["wavefronts"] = t.wavefronts, j["ideal_wavefronts"] = t.ideal_wavefronts, j["worst_degree"] = t.worst_degree;
    json degrees = json::object();
    for (std::size_t d = 1; d < t.degrees.size(); ++d)
      if (t.degrees[d] > 0) degrees[std::to_string(d)] = t.degrees[d];
    j["requests_by_degree"] = degrees;
  }
  if (what == lens::event::global_atomic || what == lens::event::shared_atomic || what == lens::event::constant_load)
    j["turns"] = t.turns;
  return j;
}

json of_counts(const lens::counts& c) {
  json j{{"launches", c.launches},
         {"blocks", c.blocks},
         {"threads", c.threads},
         {"work", c.work()},
         {"span", c.span},
         {"steps", c.steps},
         {"cost", c.cost},
         {"instructions", c.instructions()},
         {"lanes", c.lanes()},
         {"divergent", c.divergent()},
         {"block_barriers", c.block_barriers},
         {"warp_barriers", c.warp_barriers},
         {"copies", c.copies},
         {"copied_bytes", c.copied_bytes}};
  for (int e = 0; e < lens::events; ++e)
    if (c.by[static_cast<std::size_t>(e)].instructions > 0)
      j["events"][name_of(static_cast<lens::event>(e))] =
          of_tally(static_cast<lens::event>(e), c.by[static_cast<std::size_t>(e)]);
  j["lines"] = json::array();
  for (const lens::line_tally& l : c.lines) {
    json one = of_tally(l.what, l.cost);
    one["what"] = name_of(l.what), one["file"] = l.where.file, one["line"] = l.where.line,
    one["column"] = l.where.column, one["function"] = l.where.function;
    j["lines"].push_back(one);
  }
  return j;
}

json findings_of(const std::vector<lens::finding>& findings) {
  json all = json::array();
  for (const lens::finding& f : findings)
    all.push_back({{"what", name_of(f.what)}, {"text", f.text}, {"times", f.times}});
  return all;
}

}  // namespace

json to_json(const lens::report& r) {
  const lens::job& a = r.asked;
  json j{{"variant", a.variant},    {"n", a.n},
         {"block", r.size->block},  {"op", name_of(a.op)},
         {"type", name_of(a.type)}, {"inclusive", a.inclusive},
         {"in_place", a.in_place},  {"seed", a.seed},
         {"resident", a.resident},  {"races_looked_for", r.raced},
         {"seconds", r.seconds},    {"ok", r.ok()},
         {"finished", r.finished},  {"wrong", r.wrong}};
  if (!r.what->folds()) j["asked"] = r.words, j["input"] = name_of(a.input);
  for (const lens::declared& d : r.against)
    j["declared"].push_back({{"what", d.what},
                             {"formula", d.text},
                             {"value", d.value},
                             {"counted", d.counted},
                             {"agrees", d.agrees},
                             {"binding", d.binding}});
  j["total"] = of_counts(r.total);
  j["launches"] = json::array();
  for (const lens::launch_record& l : r.launches) {
    json one = of_counts(l.cost);
    one["blocks"] = l.blocks, one["threads_a_block"] = l.threads;
    j["launches"].push_back(one);
  }
  j["findings"] = findings_of(r.findings);
  return j;
}

json to_json(const lens::own::report& r) {
  json j{{"file", r.file},           {"races_looked_for", r.raced}, {"made_up", r.said},
         {"seconds", r.seconds},     {"status", r.status},          {"ok", r.ok()},
         {"cut_short", r.cut_short}, {"not_watched", r.not_watched}};
  j["total"] = of_counts(r.total);
  j["launches"] = json::array();
  for (const lens::launch_record& l : r.launches) {
    json one = of_counts(l.cost);
    one["kernel"] = l.kernel;
    one["grid"] = {l.grid.x, l.grid.y, l.grid.z}, one["block"] = {l.block.x, l.block.y, l.block.z};
    j["launches"].push_back(one);
  }
  j["findings"] = findings_of(r.findings);
  return j;
}

json to_json(const std::string& variant, const std::vector<lens::mutant>& all) {
  json j{{"variant", variant}, {"barriers", json::array()}};
  bool every = true;
  for (const lens::mutant& m : all) {
    every = every && m.caught();
    j["barriers"].push_back({{"file", m.barrier.file},
                             {"line", m.barrier.line},
                             {"column", m.barrier.column},
                             {"caught", m.caught()},
                             {"n", m.seen.asked.n},
                             {"block", m.seen.size->block},
                             {"findings", findings_of(m.seen.findings)}});
  }
  j["ok"] = every;
  return j;
}
