#include "cli/lens/text.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "cli/bench/sizes.hpp"
#include "cli/report/table.hpp"

using namespace upsweep;
namespace lens = upsweep::lens;
using lens::count;

namespace lens_text {

std::string grouped(count n) {
  std::string digits = std::to_string(n);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string percent(count part, count whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string against_ideal(count actual, count ideal) {
  if (actual == 0 && ideal == 0) return "-";
  return actual == ideal ? grouped(actual) : fmt::format("{} ({})", grouped(actual), grouped(ideal));
}

std::string or_dash(count n) { return n == 0 ? "-" : grouped(n); }

void print_launches(std::vector<std::string> heads, const std::vector<lens::launch_record>& launches,
                    const lens::counts& total, const cells_of_a_launch& first) {
  fmt::print(
      "\n"
      "Launches; ideal counts in parentheses if lower\n");
  for (const char* head :
       {"warp instr.", "lanes", "load sectors", "store sectors", "wavefronts", "degree", "barriers", "atomics"})
    heads.emplace_back(head);
  table t(std::move(heads));
  const auto row = [&](const std::string& name, const lens::launch_record* launch, const lens::counts& c) {
    const lens::tally shared = c.shared(), &loads = c.of(lens::event::global_load),
                      &stores = c.of(lens::event::global_store);
    std::vector<std::string> cells = first(name, launch, c);
    for (std::string cell :
         {grouped(c.instructions()), percent(c.lanes(), 32 * c.instructions()),
          against_ideal(loads.sectors, loads.ideal_sectors), against_ideal(stores.sectors, stores.ideal_sectors),
          against_ideal(shared.wavefronts, shared.ideal_wavefronts), or_dash(shared.worst_degree),
          or_dash(c.block_barriers + c.warp_barriers),
          or_dash(c.of(lens::event::global_atomic).lanes + c.of(lens::event::shared_atomic).lanes)})
      cells.push_back(std::move(cell));
    t.row(std::move(cells));
  };
  constexpr std::size_t most = 24;
  for (std::size_t i = 0; i < launches.size() && i < most; ++i)
    row(std::to_string(i + 1), &launches[i], launches[i].cost);
  if (launches.size() > 1) row("sum", nullptr, total);
  t.print();
  if (launches.size() > most) fmt::print("and {} more launches (--json has them all)\n", launches.size() - most);
}

namespace {

std::string block_of(const lens::report& r) {
  if (r.size->block == 0) return r.launches.empty() ? "" : fmt::format("blocks of {}", r.launches.front().threads);
  return fmt::format("blocks of {}", r.size->block);
}

void print_declared(const lens::report& r) {
  table t({"", "declared", "", "counted", ""});
  for (const lens::declared& d : r.against) {
    const bool bound = std::string_view(d.what) == "span" || d.text.starts_with("at least");
    t.row({d.what, d.text, grouped(static_cast<count>(std::llround(d.value))),
           grouped(static_cast<count>(std::llround(d.counted))),
           d.agrees    ? (bound && d.value != d.counted ? "within" : "equal")
           : d.binding ? "DISAGREES"
                       : fmt::format("{:+.2f}%", 100 * (d.counted / d.value - 1))});
  }
  t.print();
}

void print_launches(const lens::report& r) {
  lens_text::print_launches({"", "blocks × threads", "work", "steps", "p·T"}, r.launches, r.total,
                            [](const std::string& name, const lens::launch_record* l, const lens::counts& c) {
                              return std::vector{name, l ? fmt::format("{} × {}", grouped(l->blocks), l->threads) : "",
                                                 or_dash(c.work()), grouped(c.steps), grouped(c.cost)};
                            });
  if (r.total.copies > 0)
    fmt::print("and {} cop{} between launches, {}\n", r.total.copies, r.total.copies == 1 ? "y" : "ies",
               bytes_text(static_cast<double>(r.total.copied_bytes)));
}

}  // namespace

void print_lines(const lens::counts& all) {
  fmt::print("\nLines, all launches together\n");
  table t({"line", "what", "instr.", "lanes", "diverged", "sectors", "wavefronts", "degree", "turns"});
  for (const lens::line_tally& l : all.lines) {
    const lens::tally& c = l.cost;
    t.row({l.where.text(), name_of(l.what), grouped(c.instructions), percent(c.lanes, 32 * c.instructions),
           or_dash(c.divergent), against_ideal(c.sectors, c.ideal_sectors),
           against_ideal(c.wavefronts, c.ideal_wavefronts), or_dash(c.worst_degree), or_dash(c.turns)});
  }
  t.print();
}

void print_findings(const std::vector<lens::finding>& findings, bool raced) {
  if (findings.empty()) {
    fmt::print("\nChecks: {}no access out of bounds, no uninitialised read, no divergent barrier, no deadlock\n",
               raced ? "no data race in shared or global memory, " : "races were not checked (--races checks them), ");
    return;
  }
  fmt::print("\nFound\n");
  for (const lens::finding& f : findings)
    fmt::print("  {}: {}{}\n", name_of(f.what), f.text,
               f.times > 1 ? fmt::format(" ({} times)", grouped(f.times)) : "");
}

namespace {

struct measure {
  const char* name;
  std::function<std::string(const lens::report&)> text;
};

const std::vector<measure>& measures() {
  static const std::vector<measure> all{
      {"result", [](const lens::report& r) { return r.wrong.empty() ? std::string("right") : "WRONG"; }},
      {"work (applications)", [](const lens::report& r) { return grouped(r.total.work()); }},
      {"span", [](const lens::report& r) { return grouped(r.total.span); }},
      {"parallel steps T", [](const lens::report& r) { return grouped(r.total.steps); }},
      {"cost p·T", [](const lens::report& r) { return grouped(r.total.cost); }},
      {"launches", [](const lens::report& r) { return grouped(r.total.launches); }},
      {"warp instructions", [](const lens::report& r) { return grouped(r.total.instructions()); }},
      {"  for applications",
       [](const lens::report& r) { return grouped(r.total.of(lens::event::apply).instructions); }},
      {"  lanes active in those",
       [](const lens::report& r) {
         return percent(r.total.of(lens::event::apply).lanes, 32 * r.total.of(lens::event::apply).instructions);
       }},
      {"  diverged", [](const lens::report& r) { return grouped(r.total.divergent()); }},
      {"global sectors (ideal)",
       [](const lens::report& r) { return against_ideal(r.total.global().sectors, r.total.global().ideal_sectors); }},
      {"global bytes requested",
       [](const lens::report& r) { return grouped(r.total.global().bytes + r.total.copied_bytes); }},
      {"shared wavefronts (ideal)",
       [](const lens::report& r) {
         return against_ideal(r.total.shared().wavefronts, r.total.shared().ideal_wavefronts);
       }},
      {"worst bank conflict",
       [](const lens::report& r) {
         const count d = r.total.shared().worst_degree;
         return d == 0 ? std::string("-") : d == 1 ? "none" : fmt::format("degree {}", d);
       }},
      {"block barriers", [](const lens::report& r) { return grouped(r.total.block_barriers); }},
      {"warp barriers", [](const lens::report& r) { return grouped(r.total.warp_barriers); }},
      {"warp exchanges", [](const lens::report& r) { return grouped(r.total.of(lens::event::exchange).instructions); }},
      {"atomics",
       [](const lens::report& r) {
         return grouped(r.total.of(lens::event::global_atomic).lanes + r.total.of(lens::event::shared_atomic).lanes);
       }},
  };
  return all;
}

// "shared wavefronts 3.1 times fewer".
std::string change(const char* what, count before, count after) {
  if (before == after) return {};
  if (before == 0) return fmt::format("{} {}, 0 before", grouped(after), what);
  if (after == 0) return fmt::format("0 {} ({} before)", what, grouped(before));
  const double ratio = before > after ? static_cast<double>(before) / static_cast<double>(after)
                                      : static_cast<double>(after) / static_cast<double>(before);
  if (ratio < 1.02) return {};
  return fmt::format("{:.{}f} times {} {}", ratio, ratio < 10 ? 2 : 0, before > after ? "fewer" : "as many", what);
}

void print_gain(const lens::report& before, const lens::report& after) {
  const lens::counts &a = before.total, &b = after.total;
  std::vector<std::string> better, worse;
  const auto say = [&](const char* what, count x, count y) {
    if (std::string text = change(what, x, y); !text.empty()) (y < x ? better : worse).push_back(std::move(text));
  };
  say("applications", a.work(), b.work());
  say("parallel steps", a.steps, b.steps);
  say("launches", a.launches, b.launches);
  say("warp instructions", a.instructions(), b.instructions());
  say("diverged instructions", a.divergent(), b.divergent());
  say("global sectors", a.global().sectors, b.global().sectors);
  say("shared wavefronts", a.shared().wavefronts, b.shared().wavefronts);
  say("wavefronts lost to bank conflicts", a.shared().wavefronts - a.shared().ideal_wavefronts,
      b.shared().wavefronts - b.shared().ideal_wavefronts);
  say("block barriers", a.block_barriers, b.block_barriers);
  const auto joined = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& s : all) text += (text.empty() ? "" : "; ") + s;
    return text;
  };
  fmt::print("\n{} after {}\n", after.what->name, before.what->name);
  if (!better.empty()) fmt::print("  better: {}\n", joined(better));
  if (!worse.empty()) fmt::print("  worse:  {}\n", joined(worse));
  if (better.empty() && worse.empty()) fmt::print("  the same counts\n");
}

}  // namespace

std::string what_ran(const lens::report& r) {
  const lens::job& j = r.asked;
  return fmt::format("{} element{}, {}{}{}{}, {}", grouped(j.n), j.n == 1 ? "" : "s", r.words,
                     r.what->folds() ? "" : ", " + std::string(name_of(j.input)) + " input",
                     name_of(r.what->what) == "scan" ? j.inclusive ? ", inclusive" : ", exclusive" : "",
                     j.in_place ? " in place" : "", block_of(r));
}

void print_report(const lens::report& r, bool lines) {
  fmt::print("{}: {}\n{}\n\n", r.what->name, what_ran(r), r.what->teaches);
  fmt::print("Result: {} (seed {}, {} blocks resident, {:.2f} s)\n",
             r.wrong.empty() ? "correct"
             : r.finished    ? "WRONG: " + r.wrong
                             : "none: the run was stopped",
             r.asked.seed, r.asked.resident, r.seconds);
  if (r.finished) {
    fmt::print("\n");
    print_declared(r);
    print_launches(r);
    if (lines) print_lines(r.total);
  }
  print_findings(r.findings, r.raced);
}

void print_comparison(const std::vector<lens::report>& all) {
  fmt::print("{} elements, {}\n\n", grouped(all.front().asked.n), all.front().words);
  std::vector<std::string> heads{""};
  for (const lens::report& r : all) heads.push_back(std::string(r.what->name));
  table t(heads);
  for (const measure& m : measures()) {
    std::vector<std::string> row{m.name};
    for (const lens::report& r : all) row.push_back(m.text(r));
    t.row(std::move(row));
  }
  t.print();
  for (std::size_t i = 1; i < all.size(); ++i) print_gain(all[i - 1], all[i]);
  for (const lens::report& r : all)
    for (const lens::finding& f : r.findings) fmt::print("\n{}: {}: {}\n", r.what->name, name_of(f.what), f.text);
}

// ---- steps

namespace {

constexpr const char *read_colour = "\033[36m", *write_colour = "\033[33;1m", *plain = "\033[0m";

struct picture {
  std::vector<std::string> values;  // as they are after the step
};

struct touched {
  std::vector<bool> read, written;
};

std::string number(double v) {
  if (v == std::floor(v) && std::abs(v) < 1e9) return fmt::format("{:.0f}", v);
  return fmt::format("{:.3g}", v);
}

void print_array(const lens::recorded_memory& m, const picture& p, const touched& t, std::size_t width, bool colour) {
  const std::string name = m.shared ? fmt::format("{} of block {}", m.name, m.block) : m.name;
  std::string cells, marks;
  for (std::size_t i = 0; i < m.elements; ++i) {
    const std::string& v = p.values[i];
    const bool r = t.read[i], w = t.written[i];
    const std::string padded = std::string(width - std::min(width, v.size()), ' ') + v;
    cells += !colour || (!r && !w) ? padded : (w ? write_colour : read_colour) + padded + plain;
    marks += std::string(width - 1, ' ') + (r && w ? "*" : r ? "r" : w ? "w" : " ");
  }
  while (!marks.empty() && marks.back() == ' ') marks.pop_back();
  fmt::print("  {:<18}{}\n  {:<18}{}\n", name, cells, "", marks);
}

}  // namespace

void print_steps(const lens::report& r, bool colour) {
  fmt::print("{}: {}\n", r.what->name, what_ran(r));
  fmt::print("Each array after the step; r read, w written, * both in that step.\n");
  std::vector<picture> arrays(r.step_memories.size());
  std::size_t width = 3;
  for (std::size_t m = 0; m < arrays.size(); ++m) arrays[m].values.assign(r.step_memories[m].elements, "·");
  for (const lens::recorded& s : r.steps)
    for (double v : s.values) width = std::max(width, number(v).size() + 1);

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const lens::recorded*>> steps;
  for (const lens::recorded& s : r.steps) steps[{s.launch, s.phase}].push_back(&s);
  std::uint32_t launch = 0, in_launch = 0;
  for (const auto& [key, all] : steps) {
    if (key.first != launch) {
      launch = key.first, in_launch = 0;
      const auto& l = r.launches[launch - 1];
      fmt::print("\nLaunch {} of {}: {} block{} of {} threads\n", launch, r.launches.size(), l.blocks,
                 l.blocks == 1 ? "" : "s", l.threads);
    }
    std::map<int, touched> marks;
    count applications = 0, worst = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lanes;  // by block and warp
    for (const lens::recorded* s : all) {
      if (s->what == lens::event::apply) applications += static_cast<count>(std::popcount(s->mask));
      if (s->what != lens::event::block_barrier && s->what != lens::event::warp_barrier)
        lanes[{s->block, s->warp}] |= s->mask;
      worst = std::max(worst, s->wavefronts);
      if (s->memory < 0) continue;
      touched& t = marks[s->memory];
      t.read.resize(r.step_memories[static_cast<std::size_t>(s->memory)].elements);
      t.written.resize(t.read.size());
      const bool reads = s->what == lens::event::global_load || s->what == lens::event::shared_load;
      for (std::size_t k = 0; k < s->elements.size(); ++k) {
        (reads ? t.read : t.written)[s->elements[k]] = true;
        // A read value is the one before the step; a store of the same step shows the value after it.
        std::string& shown = arrays[static_cast<std::size_t>(s->memory)].values[s->elements[k]];
        if (!reads || shown == "·") shown = number(s->values[k]);
      }
    }
    if (marks.empty() && applications == 0) continue;
    std::string active;
    for (const auto& [where, mask] : lanes) {
      if (!active.empty()) active += "  ";
      const auto threads = r.launches[launch - 1].threads;
      for (unsigned lane = 0; lane < 32 && where.second * 32 + lane < threads; ++lane)
        active += mask >> lane & 1 ? '#' : '.';
    }
    fmt::print("\n step {}: {} application{}{}\n  {:<18}{}\n", ++in_launch, applications, applications == 1 ? "" : "s",
               worst > 1 ? fmt::format(", bank conflict of degree {}", worst) : "", "active threads", active);
    for (const auto& [m, t] : marks)
      print_array(r.step_memories[static_cast<std::size_t>(m)], arrays[static_cast<std::size_t>(m)], t, width, colour);
  }
}

void print_mutants(const std::string& variant, const std::vector<lens::mutant>& all) {
  if (all.empty()) {
    fmt::print("{} has no barrier.\n", variant);
    return;
  }
  std::size_t caught = 0;
  for (const lens::mutant& m : all) {
    caught += m.caught();
    fmt::print("without the barrier of {} ({}):\n  {}\n", m.barrier.text(), what_ran(m.seen),
               m.caught() ? m.race->text
                          : "NO RACE FOUND; the result is " + (m.seen.wrong.empty() ? std::string("right") : "wrong"));
  }
  fmt::print("{}: the race checker finds {} of {} removed barriers.\n", variant, caught, all.size());
}

}  // namespace lens_text
