// The ways of a task in turns, each answer looked at before and after the clock ran.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "cli/tour/tour.hpp"
#include "upsweep/error.hpp"

namespace tour {

namespace {

using clock_type = std::chrono::steady_clock;

struct runner {
  way w;
  timed* of;
  std::vector<double> samples;

  double once() {
    if (w.ready) w.ready();
    const auto start = clock_type::now();
    w.run();
    return std::chrono::duration<double>(clock_type::now() - start).count();
  }
  void compare() {
    if (of->wrong.empty()) of->wrong = w.wrong();
  }
};

// Unsupported tasks of a device are omitted; a task that fails counts as a wrong result.
template <class Do>
void guarded(timed& t, Do what) {
  try {
    what();
  } catch (const upsweep::error& e) {
    if (e.why() == upsweep::fault::unsupported)
      t.missing = true;
    else
      t.wrong = e.what();
  }
}

void summarise(runner& r) {
  if (r.samples.empty()) return;
  std::sort(r.samples.begin(), r.samples.end());
  const std::size_t k = r.samples.size();
  r.of->median = (r.samples[(k - 1) / 2] + r.samples[k / 2]) / 2;
  r.of->fastest = r.samples.front();
  r.of->samples = static_cast<int>(k);
}

bool usable(const timed& t) { return !t.missing && t.wrong.empty(); }

// A first run wakes threads and fetches memory; where it is long, that is nothing to it, and it counts.
void first_run(runner& r) {
  constexpr double is_long = 0.25;
  const double seconds = r.once();
  r.compare();
  if (seconds > is_long) r.samples.push_back(seconds);
}

}  // namespace

const timed& row::best() const {
  return *std::min_element(theirs.begin(), theirs.end(), [](const timed& a, const timed& b) {
    return (a.median > 0 ? a.median : 1e300) < (b.median > 0 ? b.median : 1e300);
  });
}

row measure(const instance& i, std::uint64_t n, const std::vector<upsweep::context>& devices, const effort& e,
            const row* before) {
  row r;
  r.n = n;
  constexpr double far_behind = 1.3;
  std::vector<const way*> theirs;
  for (std::size_t k = 0; k < i.theirs.size(); ++k) {
    const timed* then = nullptr;
    if (before)
      for (const timed& t : before->theirs)
        if (t.name == i.theirs[k].name) then = &t;
    if (!before || (then && then->median <= far_behind * before->best().median)) theirs.push_back(&i.theirs[k]);
  }
  for (const way* w : theirs) r.theirs.push_back({.name = w->name});
  for (const upsweep::context& c : devices)
    for (const bool there : {true, false})
      if (!there || c.kind() != upsweep::backend::cpu) r.ours.push_back({.name = c.name(), .there = there});

  std::vector<runner> all;
  for (std::size_t k = 0; k < theirs.size(); ++k) all.push_back({*theirs[k], &r.theirs[k], {}});
  std::size_t at = 0;
  for (const upsweep::context& c : devices)
    for (const bool there : {true, false}) {
      const bool cpu = c.kind() == upsweep::backend::cpu;
      if (there && cpu) continue;
      timed& t = r.ours[at++];
      guarded(t, [&] {
        way w = i.ours(c, there);
        if (w.run)
          all.push_back({std::move(w), &t, {}});
        else
          t.missing = true;
      });
    }
  for (runner& x : all) guarded(*x.of, [&] { first_run(x); });
  const auto stop =
      clock_type::now() + std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(e.seconds));
  for (int turn = 0; turn < e.most; ++turn) {
    bool any = false;
    for (runner& x : all) {
      const bool enough = static_cast<int>(x.samples.size()) >= e.fewest && clock_type::now() > stop;
      if (enough || !usable(*x.of)) continue;
      any = true;
      guarded(*x.of, [&] { x.samples.push_back(x.once()); });
    }
    if (!any) break;
  }
  for (runner& x : all) {
    if (usable(*x.of)) guarded(*x.of, [&] { x.compare(); });
    summarise(x);
  }
  return r;
}

}  // namespace tour
