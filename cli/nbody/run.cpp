// A run in a terminal: steps, films, trajectories and checkpoints.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "cli/nbody/files/writer.hpp"
#include "cli/nbody/nbody.hpp"
#include "cli/nbody/paint.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/printable.hpp"
#include "cli/processes/processes.hpp"
#include "cli/stream/progress.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

nbody_camera camera_of(const nbody_options& o, double reach, int dimensions) {
  nbody_camera c;
  c.turn = o.turn;
  c.reach = reach;
  if (dimensions == 3 && o.scene != "solar-system") c.pitch = 60;
  const char* const end = o.size.data() + o.size.size();
  const auto [x, bad] = std::from_chars(o.size.data(), end, c.width);
  const bool parted = bad == std::errc{} && x < end && *x == 'x';
  if (!parted || std::from_chars(x + 1, end, c.height).ptr != end || c.width < 16 || c.height < 16 || c.width > 16384 ||
      c.height > 16384)
    throw error(fault::bad_argument, "--size '" + o.size + "'", "it is not a valid size of pictures",
                "give width and height, 16 to 16384 pixels, as 1280x720");
  if (o.camera.empty()) return c;
  double* const to[]{&c.yaw, &c.pitch, &c.reach};
  std::string_view rest = o.camera;
  for (int k = 0; k < 3 && !rest.empty(); ++k) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto [stop, wrong] = std::from_chars(rest.data(), rest.data() + comma, *to[k]);
    if (wrong != std::errc{} || stop != rest.data() + comma || !std::isfinite(*to[k]) || (k == 2 && !(c.reach > 0)) ||
        (comma < rest.size() && (k == 2 || comma + 1 == rest.size())))
      throw error(fault::bad_argument, "--camera '" + o.camera + "'", "it is not two angles in degrees and a height",
                  "give 30,60 or 30,60,8");
    if (k == 2) c.reach /= 2;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return c;
}

std::uint64_t steps_of(const nbody_options& o, double duration, double dt) {
  if (o.steps_given) return o.steps;
  return static_cast<std::uint64_t>(std::clamp(std::round(duration / dt), 1.0, 2000.0));
}

std::string drift_text(const nbody_drift& d) {
  const auto text = [](double x, const char* sign) {
    return std::isnan(x) ? std::string("nan") : fmt::format("{}{:.1e}", std::signbit(x) ? "" : sign, x);
  };
  return fmt::format("energy {}, momentum {}, angular momentum {}", text(d.energy, "+"), text(d.momentum, ""),
                     text(d.angular, ""));
}

class one_run {
 public:
  explicit one_run(const nbody_options& o) : o_(o) {
    o.resume.empty() ? start() : resume();
    masses_ = motion_->masses();
    steps_ = steps_of(o, state_.duration, dt_);
  }

  void go() {
    const auto before = std::chrono::steady_clock::now();
    by_the_first([&] { open_writers(); });
    give();
    constexpr std::uint64_t measures = 100;
    progress bar("nbody", steps_, "steps");
    for (std::uint64_t k = 1; k <= steps_; ++k) {
      motion_->step(1);
      if (k % o_.sample == 0) give();
      if (k == steps_ || k * measures / steps_ != (k - 1) * measures / steps_) measure();
      if (o_.every > 0 && !o_.checkpoint.empty() && k % o_.every == 0 && k < steps_) keep();
      bar.at(k, drift_text(drift_));
      if (a_writer_failed()) stop(k);
    }
    if (!o_.checkpoint.empty()) keep();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
    bar_down(bar);
    by_the_first([&] {
      for (const auto& w : writers_) w->finish();
    });
    tell(seconds.count());
  }

 private:
  void open_members() {
    group_ = group_asked_for(o_.where);
    if (!group_) where_ = open_context(o_.where, {"nbody"});
  }
  std::string device_text() const {
    if (!group_) return where_->name();
    if (group_->all.local_size() < group_->all.size())
      return fmt::format("{} processes, {} each", group_->all.size(), group_->names[0]);
    return fmt::format("{}", fmt::join(group_->names, ","));
  }
  bool speaks() const { return !group_ || group_->speaks(); }

  // One process has the files. Where it fails, the run ends on all of them.
  void by_the_first(const std::function<void()>& work) {
    if (!group_ || group_->all.local_size() == group_->all.size()) return work();
    group_->all.for_each_rank("nbody", [&](communicator_rank& m) {
      if (m.rank() == 0) work();
    });
  }
  bool a_writer_failed() {
    if (!wants_shots()) return false;
    bool failed = std::ranges::any_of(writers_, [](const auto& w) { return w->failed(); });
    if (group_ && group_->all.local_size() < group_->all.size())
      group_->all.for_each_rank("nbody", [&](communicator_rank& m) { failed = m.all(std::uint64_t{failed})[0] != 0; });
    return failed;
  }
  bool wants_shots() const { return !o_.trajectory.empty() || !o_.frames.empty() || !o_.video.empty(); }

  void start() {
    const nbody::scene s = scene_of(o_);
    const nbody_settings t = settings_of(o_, s);
    open_members();
    motion_ = group_ ? start_motion(group_->all, s.start, t) : start_motion(*where_, s.start, t);
    state_ = {s.name, s.units, s.reach, s.duration, s.looks, t.type, ledger_of(*motion_), {}};
    dt_ = t.dt, dimensions_ = s.dimensions;
  }

  void resume() {
    state_ = read_checkpoint(o_.resume);
    open_members();
    motion_ = group_ ? resume_motion(group_->all, state_.type, state_.motion)
                     : resume_motion(*where_, state_.type, state_.motion);
    if (motion_->size() != state_.looks.size())
      throw error(fault::bad_argument, o_.resume, "the parts of the checkpoint have different numbers of bodies",
                  "use an earlier one");
    state_.motion.clear();
    const nbody_settings t = motion_->settings();
    dt_ = t.dt, dimensions_ = t.laws.dimensions;
  }

  void open_writers() {
    const std::uint64_t limit = bytes_of_text("--queue", o_.queue), pictures = steps_ / o_.sample + 1;
    const nbody_camera camera = camera_of(o_, state_.reach, dimensions_);
    const auto open = [&](std::unique_ptr<nbody_taker> t) {
      writers_.push_back(std::make_unique<nbody_writer>(std::move(t), limit));
    };
    if (!o_.trajectory.empty()) open(open_trajectory(o_.trajectory, masses_, state_.type));
    if (!o_.frames.empty()) open(open_frames(o_.frames, camera, state_.looks, pictures));
    if (!o_.video.empty()) open(open_film(o_.video, camera, state_.looks, pictures, o_.rate));
  }

  void give() {
    if (!wants_shots()) return;
    const auto shot = std::make_shared<const nbody_shot>(motion_->shot());
    for (const auto& w : writers_) w->offer(shot);
  }

  void measure() {
    last_ = motion_->measure();
    drift_ = state_.ledger.against(last_);
    if (!(std::abs(drift_.energy) <= std::abs(worst_.energy))) worst_.energy = drift_.energy;
    if (!(drift_.momentum <= worst_.momentum)) worst_.momentum = drift_.momentum;
    if (!(drift_.angular <= worst_.angular)) worst_.angular = drift_.angular;
  }

  void keep() {
    state_.motion = motion_->checkpoint();
    by_the_first([&] { write_checkpoint(o_.checkpoint, state_); });
    state_.motion.clear();
  }

  // A writer failed, probably because the disk is full. Writes a requested checkpoint; then the writer's error ends the
  // command.
  void stop(std::uint64_t k) {
    std::string kept;
    if (!o_.checkpoint.empty()) {
      try {
        keep();
        kept = fmt::format("; the run stopped after step {}; continue from {}", k, o_.checkpoint);
      } catch (const error&) {
        kept = fmt::format("; the run stopped after step {}; {} is the last checkpoint written", k, o_.checkpoint);
      }
    }
    for (const auto& w : writers_) {
      if (!w->failed()) continue;
      try {
        w->finish();
      } catch (const error& e) {
        throw error(e.why(), e.where(), e.problem(), e.remedy() + kept);
      }
    }
    if (!speaks()) throw error(fault::bad_argument, "nbody", "the first process could not write");
  }

  void bar_down(progress& bar) {
    for (const auto& w : writers_)
      for (std::size_t left; (left = w->waiting()) > 0 && !w->failed();) {
        bar.at(steps_, fmt::format("{} left to write", left));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
  }

  static nlohmann::ordered_json drift_json(const nbody_drift& d) {
    return {{"energy", answer::number(d.energy)},
            {"momentum", answer::number(d.momentum)},
            {"angular_momentum", answer::number(d.angular)}};
  }
  void tell_json(double seconds) const {
    nlohmann::ordered_json& fields = answer::fields();
    fields["scene"] = state_.name;
    fields["bodies"] = motion_->size();
    fields["device"] = device_text();
    fields["steps"] = steps_;
    fields["time"] = answer::number(motion_->time());
    fields["seconds"] = seconds;
    fields["drift"] = drift_json(drift_);
    fields["drift_at_most"] = drift_json(worst_);
    for (const auto& w : writers_) fields["left_out"] = fields.value("left_out", std::uint64_t{0}) + w->left_out();
  }
  void tell(double seconds) const {
    if (answer::wanted()) return tell_json(seconds);
    const nbody_settings t = motion_->settings();
    fmt::print("{}: {} bodies on {}: {}\n", printable(state_.name), motion_->size(), device_text(), settings_text(t));
    fmt::print("{} steps to t = {:.6g} ({}), {:.1f} steps/s\n", steps_, motion_->time(), state_.units,
               static_cast<double>(steps_) / std::max(seconds, 1e-9));
    fmt::print("drift at the end: {}\n", drift_text(drift_));
    fmt::print("drift at most:    {}\n", drift_text(worst_));
    for (const auto& w : writers_) {
      fmt::print("wrote {}\n", printable(w->what()));
      if (w->left_out() > 0)
        fmt::print(
            "  {} steps, at equal distances, were not written: the disk is slower than the simulation, and --queue {} "
            "was full\n",
            w->left_out(), o_.queue);
    }
    if (!o_.checkpoint.empty())
      fmt::print("wrote a checkpoint of step {} to {}\n", motion_->steps(), printable(o_.checkpoint));
  }

  const nbody_options& o_;
  std::optional<context> where_;
  std::optional<command_group> group_;  // instead
  std::unique_ptr<nbody_motion> motion_;
  nbody_checkpoint state_;
  std::vector<double> masses_;
  std::vector<std::unique_ptr<nbody_writer>> writers_;
  std::uint64_t steps_ = 0;
  double dt_ = 0;
  int dimensions_ = 3;
  nbody::invariants last_;
  nbody_drift drift_, worst_;
};

}  // namespace

void run_bodies(const nbody_options& o) {
  if (o.every > 0 && o.checkpoint.empty())
    throw error(fault::bad_argument, "--every", "there is no checkpoint to write", "add --checkpoint FILE");
  one_run(o).go();
}
