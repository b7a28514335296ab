#include "cli/nbody/live.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "upsweep/error.hpp"

using namespace upsweep;
using nlohmann::json;

namespace {

constexpr std::size_t most_shown = 200000;
constexpr std::chrono::milliseconds picture_time(16);

void put(std::string& to, const auto& value) { to.append(reinterpret_cast<const char*>(&value), sizeof value); }

double number(const json& order) {
  const auto value = order.find("value");
  if (value == order.end() || !value->is_number())
    throw error(fault::bad_argument, "the page", "its order has no number", "load it again");
  return value->get<double>();
}

}  // namespace

nbody_live::nbody_live(const nbody_options& o) : options_(o) {
  if (o.compare.empty()) {
    sides_.push_back({{}, open_context(o.where, {"nbody"}), {}, {}});
  } else {
    if (!o.where.device.empty())
      throw error(fault::bad_argument, "--device", "--compare gives the devices", "leave --device out");
    for (const std::string& name : o.compare) sides_.push_back({{}, open_context({name, ""}, {"nbody"}), {}, {}});
  }
  for (std::size_t k = 0; k < sides_.size(); ++k)
    sides_[k].device = o.compare.empty() ? sides_[k].where.name() : o.compare[k];
  begin();
  speed_ = std::max(
      1.0, std::round(scene_.duration / scene_.dt / 20));  // the whole of it in twenty seconds, where the device can
}

// All of it is made before any of what runs is let go.
void nbody_live::begin() {
  nbody::scene fresh = scene_of(options_);
  const nbody_settings t = settings_of(options_, fresh);
  std::vector<std::unique_ptr<nbody_motion>> motions;
  std::vector<nbody_ledger> ledgers;
  for (const side& s : sides_) {
    motions.push_back(start_motion(s.where, fresh.start, t));
    ledgers.push_back(ledger_of(*motions.back()));
  }
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    side& s = sides_[k];
    s.motion = std::move(motions[k]);
    s.ledger = ledgers[k];
    s.busy = 0, s.made = 0, s.rate = 0;
  }
  scene_ = std::move(fresh);
  settings_ = t;
  shown_.clear();
  const std::size_t n = scene_.start.size();
  if (n > most_shown)
    for (std::size_t i = 0; i < most_shown; ++i) shown_.push_back(i * n / most_shown);
  scene_.start = {};
  due_ = 0;
  ++generation_;
}

void nbody_live::advance(side& s, std::uint64_t steps) {
  const auto before = clock::now();
  s.motion->step(steps);
  s.busy += std::chrono::duration<double>(clock::now() - before).count();
  s.made += steps;
}

bool nbody_live::turn() {
  const auto now = clock::now();
  const double passed = std::min(0.1, std::chrono::duration<double>(now - last_turn_).count());
  last_turn_ = now;
  if (paused_) return false;
  due_ = speed_ > 0 ? std::min(due_ + passed * speed_, std::max(speed_ * 0.1, 1.0)) : 1e9;
  bool any = false;
  if (race_ && sides_.size() > 1) {
    // Each has the same time to itself: the faster one gets further.
    const auto share = picture_time / sides_.size();
    for (side& s : sides_)
      for (const auto from = clock::now(); clock::now() - from < share; any = true) {
        if (options_.steps_given && s.motion->steps() >= options_.steps) break;
        advance(s, 1);
      }
    return any;
  }
  while (due_ >= 1 && clock::now() - now < picture_time) {
    if (options_.steps_given && sides_[0].motion->steps() >= options_.steps) {
      paused_ = true;
      break;
    }
    for (side& s : sides_) advance(s, 1);
    due_ -= 1;
    any = true;
  }
  return any;
}

void nbody_live::obey(const json& order) {
  const std::string what = order.value("do", "");
  const auto again = [&](const nbody_options& wanted) {
    const nbody_options before = options_;
    options_ = wanted;
    try {
      begin();
    } catch (...) {
      options_ = before;
      throw;
    }
  };
  const auto rule = [&](const nbody_options& wanted) {
    nbody::scene like = scene_;
    like.start.resize(sides_[0].motion->size());
    const nbody_settings t = settings_of(wanted, like);
    for (side& s : sides_) s.motion->set(t.laws);
    options_ = wanted;
    settings_ = t;
  };
  nbody_options wanted = options_;
  if (what == "pause") {
    paused_ = true;
  } else if (what == "go") {
    paused_ = false;
  } else if (what == "step") {
    paused_ = true;
    for (side& s : sides_) advance(s, 1);
  } else if (what == "restart") {
    again(wanted);
  } else if (what == "speed") {
    const double v = number(order);
    if (!(v >= 0 && v <= 1e9))
      throw error(fault::bad_argument, fmt::format("speed {}", v), "it is not a valid number of steps per second",
                  "give 0 for no limit");
    speed_ = v, due_ = 0;
  } else if (what == "theta") {
    wanted.theta = number(order);
    rule(wanted);
  } else if (what == "method") {
    wanted.method = order.value("value", "");
    rule(wanted);
  } else if (what == "race") {
    if (sides_.size() < 2)
      throw error(fault::bad_argument, "a race", "only one device runs", "start with --compare A,B");
    race_ = order.value("value", false);
    if (!race_) again(wanted);  // side by side again means from one state
  } else if (what == "scene") {
    wanted.scene = order.value("scene", "");
    if (!std::ranges::any_of(nbody::scene_list(),
                             [&](const nbody::scene_listing& l) { return l.name == wanted.scene; }))
      throw error(fault::bad_argument, "scene '" + wanted.scene + "'", "the requested scene does not exist",
                  "choose another");
    const double n = order.value("bodies", 0.0), seed = order.value("seed", 1.0);
    if (!(n >= 0 && n <= 1e9) || !(seed >= 0 && seed <= 1e15))
      throw error(fault::bad_argument, fmt::format("{} bodies, seed {}", n, seed), "these are not whole numbers",
                  "give whole numbers");
    wanted.bodies = static_cast<std::uint64_t>(n);
    wanted.seed = static_cast<std::uint64_t>(seed);
    if (wanted.scene != options_.scene)
      wanted.dt = wanted.softening = wanted.gravity = std::nullopt, wanted.dimensions = 0;
    again(wanted);
    speed_ = std::max(1.0, std::round(scene_.duration / scene_.dt / 20));
  } else {
    throw error(fault::bad_argument, "the page", "its order is not known", "load it again");
  }
}

std::string nbody_live::heed(const std::string& order) {
  try {
    obey(json::parse(order));
    return {};
  } catch (const std::exception& e) {
    return json{{"kind", "said"}, {"text", e.what()}}.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

std::string nbody_live::picture() {
  std::string bytes;
  std::vector<nbody_shot> shots;
  for (side& s : sides_) shots.push_back(s.motion->shot());
  const std::size_t n = shown_.empty() ? shots[0].size() : shown_.size();
  bytes.reserve(16 + sides_.size() * (16 + 12 * n));
  put(bytes, std::uint32_t{1});
  put(bytes, generation_);
  put(bytes, static_cast<std::uint32_t>(sides_.size()));
  put(bytes, static_cast<std::uint32_t>(n));
  for (const nbody_shot& s : shots) {
    put(bytes, s.time);
    put(bytes, static_cast<double>(s.step));
  }
  for (const nbody_shot& s : shots) {
    if (shown_.empty() && !s.f32.empty()) {
      bytes.append(reinterpret_cast<const char*>(s.f32.data()), s.bytes());
      continue;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        put(bytes, static_cast<float>(s.at(3 * (shown_.empty() ? i : shown_[i]) + k)));
  }
  return bytes;
}

std::string nbody_live::looks() const {
  std::string bytes;
  const std::size_t n = shown_.empty() ? scene_.looks.size() : shown_.size();
  put(bytes, std::uint32_t{2});
  put(bytes, generation_);
  put(bytes, std::uint32_t{0});
  put(bytes, static_cast<std::uint32_t>(n));
  for (std::size_t i = 0; i < n; ++i) put(bytes, scene_.looks[shown_.empty() ? i : shown_[i]]);
  return bytes;
}

std::string nbody_live::scene() const {
  json scenes = json::array();
  for (const nbody::scene_listing& l : nbody::scene_list())
    scenes.push_back(
        {{"name", l.name}, {"what", l.what}, {"bodies", l.bodies}, {"fewest", l.fewest}, {"fixed", l.fixed}});
  json devices = json::array();
  for (const side& s : sides_) devices.push_back(s.device);
  return json{{"kind", "scene"},
              {"generation", generation_},
              {"scene", scene_.name},
              {"scenes", scenes},
              {"bodies", scene_.looks.size()},
              {"shown", shown_.empty() ? scene_.looks.size() : shown_.size()},
              {"units", scene_.units},
              {"reach", scene_.reach},
              {"dt", settings_.dt},
              {"flat", scene_.dimensions == 2 || scene_.name == "solar-system"},
              {"seed", options_.seed},
              {"theta", settings_.laws.theta},
              {"method", options_.method},
              {"settings", settings_text(settings_)},
              {"speed", speed_},
              {"devices", devices},
              {"paused", paused_},
              {"race", race_}}
      .dump();
}

std::string nbody_live::facts() {
  json all = json::array();
  for (side& s : sides_) {
    const nbody_drift d = s.ledger.against(s.motion->measure());
    if (s.made > 0) s.rate = static_cast<double>(s.made) / std::max(s.busy, 1e-9);
    s.made = 0, s.busy = 0;
    all.push_back({{"step", s.motion->steps()},
                   {"time", s.motion->time()},
                   {"rate", s.rate},
                   {"energy", d.energy},
                   {"momentum", d.momentum},
                   {"angular", d.angular}});
  }
  json f{{"kind", "facts"},   {"generation", generation_}, {"sides", all},
         {"paused", paused_}, {"speed", speed_},           {"race", race_}};
  if (sides_.size() > 1 && !race_) f["difference"] = difference();
  return f.dump();
}

// How far the same body is from itself, in parts of the scene's reach.
json nbody_live::difference() {
  const nbody_shot a = sides_[0].motion->shot(), b = sides_[1].motion->shot();
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double d = 0;
    for (std::size_t k = 0; k < 3; ++k) d += (a.at(3 * i + k) - b.at(3 * i + k)) * (a.at(3 * i + k) - b.at(3 * i + k));
    sum += d;
    if (!(d <= most)) most = d;
  }
  return {{"rms", std::sqrt(sum / static_cast<double>(a.size())) / scene_.reach},
          {"most", std::sqrt(most) / scene_.reach}};
}
