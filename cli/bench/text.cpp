#include "cli/bench/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/bench/sizes.hpp"
#include "upsweep/conformance/reference_fold.hpp"

using upsweep::primitive;
using upsweep::problem;
namespace peers = upsweep::peers;

namespace bench {

namespace {

struct column {
  const char* head;
  std::size_t width;
};
constexpr std::size_t who_width = 44;

// Rows whose float results are printed with their error.
bool shows_error(const measurement& m) {
  return m.form.empty() && is_floating(m.shape->type) && has_reference(m.shape);
}

std::vector<column> columns(const plan& wanted, const measurement& like, bool transfers) {
  std::vector<column> all;
  if (wanted.cold) all.insert(all.end(), {{"cold", 9}, {"p10 – p90", 19}, {"GB/s", 7}, {"of roof", 8}});
  if (wanted.hot) all.push_back({"hot", 9});
  if (transfers) all.push_back({"end to end", 11});
  if (wanted.peers && wanted.cold) all.push_back({"peer/ours", 10});
  if (wanted.peers && wanted.hot) all.push_back({"when hot", 10});
  if (shows_error(like)) all.push_back({"error", 9});
  return all;
}

bool shows_transfers(const plan& wanted, const measurement& m) {
  return wanted.transfers && !m.device.starts_with("cpu") && !m.shifted && m.form.empty() && has_transfers(m.shape);
}

std::string who_text(const measurement& m) {
  const std::string more = m.version + (m.version.empty() || m.setting.empty() ? "" : ", ") + m.setting;
  return m.who + (more.empty() ? "" : " (" + more + ")");
}

const char* name_of(peers::limit l) {
  constexpr const char* names[]{"read", "write", "copy", "latency", "arithmetic"};
  return names[static_cast<int>(l)];
}

}  // namespace

void print_ceilings(const upsweep::device& d, const std::vector<peers::ceiling>& all) {
  fmt::print("\n{}: {}\n", d.name(), d.description());
  for (const peers::ceiling& c : all) {
    const std::string figure = c.kind == peers::limit::latency      ? time_text(c.seconds)
                               : c.kind == peers::limit::arithmetic ? rate_text(c.rate()) + "op/s"
                                                                    : fmt::format("{:.1f} GB/s", c.rate() * 1e-9);
    fmt::print("  {} {}  {}\n", left(c.name, 26), right(figure, 13), c.how);
  }
}

void print_head(const upsweep::device& d, const measurement& like, const plan& wanted) {
  fmt::print("\n{} · {}\n", whole_text(like), d.name());
  std::string line = right("n", 8) + "  " + left("who", who_width);
  for (const column& c : columns(wanted, like, shows_transfers(wanted, like))) line += "  " + right(c.head, c.width);
  fmt::print("{}\n", line);
}

void print_rows(const std::vector<measurement>& rows, const plan& wanted) {
  const measurement* ours = ours_among(rows);
  statistics measurement::* const first_way = wanted.cold  ? &measurement::cold
                                              : wanted.hot ? &measurement::hot
                                                           : &measurement::end_to_end;
  bool first = true;
  for (const measurement& m : rows) {
    if (!stands(m, rows, first_way)) continue;
    std::string line = right(first ? size_text(m.shape->n) : "", 8) + "  " + left(who_text(m), who_width);
    first = false;
    const auto cell = [&](const std::string& text, std::size_t width) { line += "  " + right(text, width); };
    const double bytes = m.bytes();
    if (wanted.cold) {
      cell(time_text(m.cold.median), 9);
      cell(time_text(m.cold.p10) + " – " + time_text(m.cold.p90), 19);
      cell(three_figures(bytes / m.cold.median * 1e-9), 7);
      cell(m.roof > 0 ? fmt::format("{:.1f} %", 100 * bytes / m.cold.median / m.roof) : "-", 8);
    }
    if (wanted.hot) cell(time_text(m.hot.median), 9);
    if (shows_transfers(wanted, m)) cell(time_text(m.end_to_end.median), 11);
    const auto compare = [&](statistics measurement::* way) {
      cell(m.peer && ours ? ratio_text(ratio(m.*way, ours->*way)) : &m == ours ? "ours" : "", 10);
    };
    if (wanted.peers && wanted.cold) compare(&measurement::cold);
    if (wanted.peers && wanted.hot) compare(&measurement::hot);
    if (shows_error(m)) cell(fmt::format("{:.0e}", m.error) + (m.inaccurate ? " !" : ""), 9);
    while (line.back() == ' ') line.pop_back();
    fmt::print("{}\n", line);
  }
  std::fflush(stdout);
}

void print_losses(const std::vector<loss>& all, bool compared) {
  if (!compared) return;
  if (all.empty()) return fmt::print("\nNo peer is faster in any row.\n");
  fmt::print("\nSlower than the best peer ({} row{}), the peer's time over ours:\n", all.size(),
             all.size() == 1 ? "" : "s");
  for (const loss& l : all)
    fmt::print("  {}  {}, n = {}, {} on {}: {}\n", right(fmt::format("{:.2f}×", l.ratio), 6), whole_text(*l.ours),
               size_text(l.ours->shape->n), l.timed, l.ours->device, who_text(*l.peer));
}

void print_remarks(const results& r) {
  for (const remark& f : r.failures)
    fmt::print("\nWRONG, not timed: {} on {}, {}, n = {}: {}\n", f.who, f.device, f.what, f.n, f.why);
  if (!r.skipped.empty()) fmt::print("\nLeft out:\n");
  for (const remark& s : r.skipped)
    fmt::print("  {} on {}, {}, n = {}: {}\n", s.who, s.device, s.what, size_text(s.n), s.why);
  if (std::any_of(r.rows.begin(), r.rows.end(), [](const measurement& m) { return m.inaccurate; }))
    fmt::print(
        "\n"
        "! the result's error exceeds a thousand roundings: its time is not comparable.\n");
}

nlohmann::ordered_json to_json(const upsweep::device& d, const std::vector<peers::ceiling>& all) {
  nlohmann::ordered_json ceilings = nlohmann::ordered_json::array();
  for (const peers::ceiling& c : all)
    ceilings.push_back({{"name", c.name},
                        {"kind", name_of(c.kind)},
                        {"seconds", c.seconds},
                        {"amount", c.amount},
                        {"rate", c.rate()},
                        {"how", c.how}});
  return {{"name", d.name()},
          {"backend", upsweep::name_of(d.kind())},
          {"description", d.description()},
          {"memory_bytes", d.total_memory()},
          {"ceilings", ceilings}};
}

void append_json(const std::vector<measurement>& all, nlohmann::ordered_json& rows) {
  const measurement* ours = ours_among(all);
  struct way {
    const char *mode, *cache;
    statistics measurement::* figures;
  };
  for (const measurement& m : all)
    for (const way& w : {way{"kernel", "cold", &measurement::cold}, way{"kernel", "hot", &measurement::hot},
                         way{"end-to-end", "cold", &measurement::end_to_end}}) {
      const statistics& s = m.*w.figures;
      if (s.samples == 0) continue;
      const double bytes = m.bytes(), n = static_cast<double>(m.shape->n);
      nlohmann::ordered_json row{{"who", m.who},
                                 {"version", m.version},
                                 {"setting", m.setting},
                                 {"stands", stands(m, all, w.figures)},
                                 {"peer", m.peer},
                                 {"chosen", m.chosen},
                                 {"device", m.device},
                                 {"primitive", upsweep::name_of(m.shape.what())},
                                 {"inclusive", m.shape.inclusive()},
                                 {"type", upsweep::name_of(m.shape->type)},
                                 {"op", upsweep::name_of(m.shape.fold() ? m.shape.fold()->op : upsweep::op_kind::plus)},
                                 {"form", form_text(m)},
                                 {"input", upsweep::name_of(m.input)},
                                 {"operands", m.shifted ? "shifted" : "aligned"},
                                 {"n", m.shape->n},
                                 {"mode", w.mode},
                                 {"cache", w.cache},
                                 {"median_s", s.median},
                                 {"p10_s", s.p10},
                                 {"p90_s", s.p90},
                                 {"fastest_s", s.fastest},
                                 {"samples", s.samples},
                                 {"bytes", static_cast<std::uint64_t>(bytes)},
                                 {"bytes_per_s", bytes / s.median},
                                 {"elements_per_s", n / s.median},
                                 {"checked", true},
                                 {"error", m.error},
                                 {"inaccurate", m.inaccurate}};
      // A roof of the memory says nothing about what stays in the caches or crosses the bus.
      if (m.roof > 0 && std::string(w.mode) == "kernel" && std::string(w.cache) == "cold") {
        row["roof"] = m.roof_name;
        row["roof_fraction"] = bytes / s.median / m.roof;
      }
      if (m.peer && ours && (ours->*w.figures).samples) {
        row["ours"] = ours->who;
        row["ratio"] = ratio(s, ours->*w.figures);
      }
      rows.push_back(std::move(row));
    }
}

nlohmann::ordered_json to_json(const std::vector<loss>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const loss& l : all)
    list.push_back({{"ratio", l.ratio},
                    {"ours", l.ours->who},
                    {"peer", l.peer->who},
                    {"version", l.peer->version},
                    {"setting", l.peer->setting},
                    {"device", l.ours->device},
                    {"what", whole_text(*l.ours)},
                    {"n", l.ours->shape->n},
                    {"cache", l.timed}});
  return list;
}

nlohmann::ordered_json to_json(const std::vector<remark>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const remark& r : all)
    list.push_back(
        {{"who", r.who}, {"peer", r.peer}, {"device", r.device}, {"what", r.what}, {"n", r.n}, {"why", r.why}});
  return list;
}

}  // namespace bench
