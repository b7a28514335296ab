// A bench as curves over n, the ladder of rungs, the ratios to the peers, and every figure behind them.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/bench/sizes.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/html.hpp"
#include "cli/report/plot.hpp"
#include "cli/report/sections.hpp"

using nlohmann::json;

namespace report {

namespace {

// One way to time one kind of work on one device: the rows that belong in one plot.
struct group {
  std::string device, title;
  std::vector<const json*> rows;  // in the catalog's order within a size
};

// "exclusive scan, u32 plus"; where the kind of input matters, or where the operands lie, that too.
std::string form_of(const json& row) {
  const std::string input = row.value("input", "uniform"),
                    form = row.value("form", row.at("primitive").get<std::string>());
  return form + (input == "uniform" ? "" : ", " + input + " input") +
         (row.value("operands", "aligned") == "shifted" ? ", operands off alignment" : "");
}

// Of a peer that may be called in several ways the fastest is drawn and compared; all stand among the figures.
bool stands(const json& row) { return row.value("stands", true); }

std::string who_of(const json& row) {
  const std::string setting = row.value("setting", "");
  return row.at("who").get<std::string>() + (setting.empty() ? "" : ", " + setting);
}

std::vector<group> groups_of(const json& bench) {
  std::vector<group> all;
  for (const json& row : bench.at("rows")) {
    const std::string title = form_of(row) + ", " + row.at("device").get<std::string>();
    auto found = std::find_if(all.begin(), all.end(), [&](const group& g) { return g.title == title; });
    if (found == all.end()) found = all.insert(all.end(), {row.at("device"), title, {}});
    found->rows.push_back(&row);
  }
  return all;
}

bool is(const json& row, const char* mode, const char* cache) {
  return row.at("mode") == mode && row.at("cache") == cache;
}

double number(const json& row, const char* key) { return row.at(key).get<double>(); }

std::string describe(const json& row) {
  std::string s = who_of(row) + ", n = " + size_text(whole_number(row, "n")) + ": " +
                  figures::time_text(number(row, "median_s")) + " (" + figures::time_text(number(row, "p10_s")) +
                  " to " + figures::time_text(number(row, "p90_s")) + "), " +
                  fmt::format("{:.3g} GB/s", number(row, "bytes_per_s") * 1e-9);
  if (row.contains("roof_fraction"))
    s += fmt::format(", {:.1f} % of {}", 100 * number(row, "roof_fraction"), row.at("roof").get<std::string>());
  if (row.contains("ratio"))
    s += ", takes " + figures::ratio_text(number(row, "ratio")) + " as long as " + row.at("ours").get<std::string>();
  if (row.value("inaccurate", false)) s += fmt::format("; inaccurate: relative error {:.0e}", number(row, "error"));
  return s;
}

// Ours that a call runs: thick and blue. Peers: a colour, dashes and marks each. The rungs: grey, told apart by their
// labels.
std::string style_of(const json& row, std::map<std::string, int>& peers, int& pattern) {
  if (!row.at("peer").get<bool>()) {
    pattern = 0;
    return row.at("chosen").get<bool>() ? "ours k0" : "textbook";
  }
  const int next = static_cast<int>(peers.size()) % 6 + 1;
  pattern = peers.emplace(row.at("who"), next).first->second;
  return "k" + std::to_string(pattern);
}

const json* device_of(const json& bench, const std::string& name) {
  for (const json& d : bench.at("devices"))
    if (d.at("name") == name) return &d;
  return nullptr;
}

double roof_of(const json& bench, const group& g) {
  const json* d = device_of(bench, g.device);
  const std::string kind = g.rows[0]->at("primitive") == "reduce" ? "read" : "copy";
  double best = 0;
  if (d)
    for (const json& c : d->at("ceilings"))
      if (c.at("kind") == kind) best = std::max(best, number(c, "rate"));
  return best;
}

std::string roof_label(const json& bench, const group& g) {
  const std::string kind = g.rows[0]->at("primitive") == "reduce" ? "read" : "copy";
  return fmt::format("{} limit, {:.0f} GB/s", kind, roof_of(bench, g) * 1e-9);
}

// The rows that a plot or comparison is drawn from: cold kernels, or what there is.
std::vector<const json*> main_rows(const group& g) {
  for (const auto& [mode, cache] :
       {std::pair{"kernel", "cold"}, std::pair{"kernel", "hot"}, std::pair{"end-to-end", "cold"}}) {
    std::vector<const json*> rows;
    for (const json* row : g.rows)
      if (is(*row, mode, cache) && stands(*row)) rows.push_back(row);
    if (!rows.empty()) return rows;
  }
  return {};
}

std::string timed_how(const json& row) {
  if (is(row, "kernel", "cold")) return "device time of one call, caches cold";
  if (is(row, "kernel", "hot")) return "device time, calls back to back";
  return "from host memory to host memory";
}

std::string curves(const json& bench, const group& g) {
  const std::vector<const json*> rows = main_rows(g);
  std::set<std::uint64_t> sizes;
  for (const json* row : rows) sizes.insert(whole_number(*row, "n"));
  if (sizes.size() < 2) return {};
  line_plot plot;
  plot.title = "Throughput over n: " + g.title;
  plot.y_label = "GB/s (bytes that must be moved, over time)";
  plot.roof = roof_of(bench, g) * 1e-9;
  plot.roof_label = roof_label(bench, g);
  std::map<std::string, int> peers;
  for (const json* row : rows) {
    const std::string who = row->at("who");
    auto found = std::find_if(plot.curves.begin(), plot.curves.end(), [&](const series& s) { return s.label == who; });
    if (found == plot.curves.end()) found = plot.curves.insert(plot.curves.end(), {who, {}, 0, {}});
    const std::string style = style_of(*row, peers, found->pattern);
    if (found->style.empty() || style == "ours k0") found->style = style;
    const double bytes = number(*row, "bytes") * 1e-9;
    found->points.push_back({number(*row, "n"), bytes / number(*row, "median_s"), bytes / number(*row, "p90_s"),
                             bytes / number(*row, "p10_s"), describe(*row)});
  }
  for (const series& s : plot.curves)
    plot.description +=
        s.label + " reaches " +
        fmt::format("{:.3g} GB/s", std::max_element(s.points.begin(), s.points.end(),
                                                    [](const point& a, const point& b) { return a.y < b.y; })
                                       ->y) +
        "; ";
  // What is drawn last lies on top.
  std::stable_sort(plot.curves.begin(), plot.curves.end(), [](const series& a, const series& b) {
    const auto rank = [](const series& s) { return s.style == "textbook" ? 0 : s.style == "ours k0" ? 2 : 1; };
    return rank(a) < rank(b);
  });
  return "<figure>" + svg(plot) + "<figcaption>Timed: " + html_escape(timed_how(*rows[0])) +
         "; median, with a whisker from the 10th to the 90th percentile. Thick blue: what a call of the library "
         "runs.</figcaption></figure>\n";
}

// What each rung buys, at the largest size that nearly all of them reached.
std::string ladder(const json& bench, const group& g) {
  std::map<std::uint64_t, std::vector<const json*>> by_size;
  std::set<std::string> names;
  for (const json* row : main_rows(g))
    if (!row->at("peer").get<bool>()) {
      by_size[whole_number(*row, "n")].push_back(row);
      names.insert(row->at("who"));
    }
  if (names.size() < 3) return {};
  auto chosen = by_size.rbegin();
  while (chosen->second.size() * 10 < names.size() * 8 && std::next(chosen) != by_size.rend()) ++chosen;
  bar_plot plot;
  plot.title = "Variants: " + g.title + ", n = " + size_text(chosen->first);
  plot.roof = roof_of(bench, g) * 1e-9;
  plot.roof_label = roof_label(bench, g);
  double slowest = 0;
  for (const json* row : chosen->second) slowest = std::max(slowest, number(*row, "median_s"));
  // A roof far above small sizes would leave no bar to see.
  double fastest = 0;
  for (const json* row : chosen->second) fastest = std::max(fastest, number(*row, "bytes_per_s") * 1e-9);
  if (fastest < plot.roof / 8) plot.roof = 0;
  for (const json* row : chosen->second) {
    const double gb = number(*row, "bytes_per_s") * 1e-9;
    plot.bars.push_back({row->at("who"), row->at("chosen").get<bool>() ? "ours k0" : "textbook",
                         fmt::format("{:.3g} GB/s · {}", gb, figures::time_text(number(*row, "median_s"))),
                         describe(*row), gb});
    plot.description += plot.bars.back().label + " " + plot.bars.back().value + "; ";
  }
  return "<figure>" + svg(plot) +
         "<figcaption>The variants in teaching order at n = " + html_escape(size_text(chosen->first)) + "; " +
         html_escape(timed_how(*chosen->second[0])) + ".</figcaption></figure>\n";
}

// Peer's time over ours, size by size. Losses are marked in words, too.
std::string comparison(const std::vector<const json*>& timed) {
  std::vector<std::string> peers;
  std::map<std::uint64_t, std::map<std::string, const json*>> by_size;
  std::map<std::uint64_t, std::string> ours;
  for (const json* row : timed) {
    const std::string who = row->at("who");
    by_size[whole_number(*row, "n")][who] = row;
    if (!row->contains("ratio")) continue;
    ours[whole_number(*row, "n")] = row->at("ours");
    if (std::find(peers.begin(), peers.end(), who) == peers.end()) peers.push_back(who);
  }
  if (peers.empty()) return {};
  std::vector<std::string> head{"n", "ours", "time"};
  for (const std::string& p : peers) head.push_back(p + " / ours");
  std::vector<std::vector<cell>> rows;
  int lost = 0, compared = 0;
  for (const auto& [n, all] : by_size) {
    if (!ours.count(n) || !all.count(ours[n])) continue;
    const json& own = *all.at(ours[n]);
    std::vector<cell> line{{size_text(n)},
                           {ours[n], false, "ours"},
                           {figures::time_text(number(own, "median_s")), true, {}, describe(own)}};
    for (const std::string& p : peers) {
      const auto found = all.find(p);
      if (found == all.end() || !found->second->contains("ratio")) {
        line.push_back({"–"});
        continue;
      }
      const double r = number(*found->second, "ratio");
      const bool inaccurate = found->second->value("inaccurate", false);
      ++compared;
      lost += r < 1;
      line.push_back({(r < 1 ? "▼ " : "") + figures::ratio_text(r) + (inaccurate ? " !" : ""), true,
                      r < 1 ? "loss" : "win", describe(*found->second)});
    }
    rows.push_back(std::move(line));
  }
  return html_table(head, rows,
                    fmt::format("The peer's time over ours, {}: above 1 we are faster. ▼ in {} of {} we are slower. ! "
                                "the peer's result is useless: off by "
                                "more than a thousand roundings.",
                                timed_how(*timed[0]), lost, compared));
}

std::string comparisons(const group& g) {
  const std::vector<const json*> first = main_rows(g);
  std::string html = comparison(first), others;
  for (const auto& [mode, cache] : {std::pair{"kernel", "hot"}, std::pair{"end-to-end", "cold"}}) {
    std::vector<const json*> rows;
    for (const json* row : g.rows)
      if (is(*row, mode, cache) && stands(*row)) rows.push_back(row);
    if (!rows.empty() && rows != first) others += comparison(rows);
  }
  return others.empty() ? html : html + "<details><summary>Timed otherwise</summary>" + others + "</details>\n";
}

std::string all_figures(const group& g) {
  std::vector<std::vector<cell>> rows;
  for (const json* row : g.rows)
    rows.push_back(
        {{size_text(whole_number(*row, "n"))},
         {who_of(*row), false, row->at("chosen").get<bool>() ? "ours" : ""},
         {row->at("mode").get<std::string>() + ", " + row->at("cache").get<std::string>(), false},
         {figures::time_text(number(*row, "median_s"))},
         {figures::time_text(number(*row, "p10_s")) + " – " + figures::time_text(number(*row, "p90_s"))},
         {std::to_string(whole_number(*row, "samples"))},
         {fmt::format("{:.3g}", number(*row, "bytes_per_s") * 1e-9)},
         {row->contains("roof_fraction") ? fmt::format("{:.1f} %", 100 * number(*row, "roof_fraction")) : "–"},
         {fmt::format("{:.3g}", number(*row, "elements_per_s") * 1e-9)},
         {number(*row, "error") > 0 ? fmt::format("{:.0e}", number(*row, "error")) : "0", true,
          row->value("inaccurate", false) ? "loss" : ""}});
  return "<details><summary>All figures</summary>" +
         html_table({"n", "who", "timed", "median", "p10 – p90", "samples", "GB/s", "of limit", "G elements/s",
                     "relative error"},
                    rows) +
         "</details>\n";
}

std::string ceilings(const json& bench) {
  std::string html;
  for (const json& d : bench.at("devices")) {
    std::vector<std::vector<cell>> rows;
    for (const json& c : d.at("ceilings")) {
      const std::string kind = c.at("kind");
      const std::string figure = kind == "latency"      ? figures::time_text(number(c, "seconds"))
                                 : kind == "arithmetic" ? figures::rate_text(number(c, "rate")) + "op/s"
                                                        : fmt::format("{:.1f} GB/s", number(c, "rate") * 1e-9);
      rows.push_back({{c.at("name").get<std::string>(), false}, {figure}, {c.at("how").get<std::string>(), false}});
    }
    html += html_table({"limit", "measured", "how"}, rows,
                       d.at("name").get<std::string>() + ": " + d.at("description").get<std::string>());
  }
  return html;
}

// Every row in which a peer was faster.
std::string losses(const json& all) {
  if (all.empty()) return {};
  std::vector<std::vector<cell>> rows;
  for (const json& l : all)
    rows.push_back({{l.at("what").get<std::string>(), false, "wrap"},
                    {size_text(whole_number(l, "n"))},
                    {l.at("cache").get<std::string>(), false},
                    {l.at("device").get<std::string>(), false},
                    {l.at("ours").get<std::string>(), false},
                    {l.at("peer").get<std::string>() + " " + l.value("setting", ""), false},
                    {figures::ratio_text(number(l, "ratio")), true, "loss"}});
  return "<h3>Slower than the best peer</h3>\n" +
         html_table({"what", "n", "caches", "device", "ours", "peer", "peer / ours"}, rows);
}

std::string remarks(const json& all, const std::string& title) {
  if (all.empty()) return {};
  std::vector<std::vector<cell>> rows;
  for (const json& r : all)
    rows.push_back({{r.at("who").get<std::string>(), false},
                    {r.at("device").get<std::string>(), false},
                    {r.at("what").get<std::string>(), false},
                    {size_text(whole_number(r, "n"))},
                    {r.at("why").get<std::string>(), false, "wrap"}});
  return "<h3>" + html_escape(title) + "</h3>\n" + html_table({"who", "device", "what", "n", "why"}, rows);
}

}  // namespace

std::string bench_section(const source& s) {
  std::string html = "<h2>Bench</h2>\n" + provenance_facts(s.json.at("provenance"), s.name) +
                     "<h3>The limits, measured in the same run</h3>\n" + ceilings(s.json);
  html += remarks(s.json.at("failures"), "Wrong results: not timed");
  html += losses(s.json.value("losses", json::array()));
  for (const group& g : groups_of(s.json))
    html += "<h3>" + html_escape(g.title) + "</h3>\n" + curves(s.json, g) + ladder(s.json, g) + comparisons(g) +
            all_figures(g);
  html += remarks(s.json.at("skipped"), "Left out");
  std::vector<std::vector<cell>> peers;
  for (const json& p : s.json.at("peers"))
    peers.push_back({{p.at("name").get<std::string>(), false},
                     {p.at("version").get<std::string>(), false},
                     {p.at("primitive").get<std::string>(), false},
                     {p.at("note").get<std::string>(), false, "wrap"}});
  if (!peers.empty()) html += "<h3>The peers</h3>\n" + html_table({"name", "version", "primitive", "note"}, peers);
  for (const json& reason : s.json.at("absent"))
    html += "<p class=\"soft\">No peer " + html_escape(reason.get<std::string>()) + ".</p>\n";
  return html;
}

}  // namespace report
