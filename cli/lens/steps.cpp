#include "cli/lens/steps.hpp"

#include <map>
#include <set>
#include <sstream>

#include "lens/textbook.hpp"

using nlohmann::json;
namespace lens = upsweep::lens;

namespace {

// Blocks beyond these are counted and not drawn.
constexpr std::uint32_t blocks_drawn = 4;

// The operations of all warps at one place in one step are one frame.
json frames_of(const lens::report& r) {
  struct frame {
    const lens::recorded* first;
    json events = json::array();
  };
  std::vector<frame> frames;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, unsigned>, std::size_t> known;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint32_t, std::uint32_t>, unsigned> visits;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> order;  // frames of a launch and phase
  for (const lens::recorded& s : r.steps) {
    const unsigned visit = visits[{s.launch, s.phase, s.site, s.block, s.warp}]++;
    const auto [at, fresh] = known.try_emplace({s.launch, s.phase, s.site, visit}, frames.size());
    if (fresh) {
      frames.push_back({&s});
      order[{s.launch, s.phase}].push_back(at->second);
    }
    json e{{"b", s.block}, {"w", s.warp}, {"m", s.mask}};
    if (s.memory >= 0) e["a"] = s.memory, e["i"] = s.elements, e["v"] = s.values;
    if (s.wavefronts > 0) e["f"] = s.wavefronts;
    if (s.sectors > 0) e["s"] = s.sectors;
    frames[at->second].events.push_back(std::move(e));
  }
  json all = json::array();
  for (const auto& [step, members] : order)
    for (const std::size_t i : members) {
      const lens::place& p = r.places[frames[i].first->site];
      all.push_back({{"l", step.first},
                     {"p", step.second},
                     {"k", name_of(frames[i].first->what)},
                     {"file", p.file},
                     {"line", p.line},
                     {"e", std::move(frames[i].events)}});
    }
  return all;
}

// The sources the steps come from.
json sources_of(const lens::report& r) {
  json all = json::object();
  std::set<std::uint16_t> used;
  for (const lens::recorded& s : r.steps) used.insert(s.site);
  for (const std::uint16_t site : used) {
    const lens::place& p = r.places[site];
    if (p.line == 0 || all.contains(p.file)) continue;
    const lens::textbook_file* f = lens::textbook_files;
    while (f->name != nullptr && !p.path.ends_with(f->name)) ++f;
    if (f->name == nullptr) continue;
    std::istringstream in(f->text);
    for (std::string line; std::getline(in, line);) all[p.file].push_back(line);
  }
  return all;
}
}  // namespace

json steps_to_json(const lens::report& r) {
  json data;
  data["drawn"] = blocks_drawn;
  data["memories"] = json::array(), data["launches"] = json::array();
  for (const lens::recorded_memory& m : r.step_memories)
    data["memories"].push_back({{"name", m.name},
                                {"shared", m.shared},
                                {"block", m.block},
                                {"launch", m.launch},
                                {"elements", m.elements},
                                {"element", m.element}});
  for (const lens::launch_record& l : r.launches)
    data["launches"].push_back({{"blocks", l.blocks}, {"threads", l.threads}});
  data["frames"] = frames_of(r);
  data["sources"] = sources_of(r);
  return data;
}
