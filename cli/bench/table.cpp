#include "cli/bench/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "cli/bench/bench.hpp"
#include "cli/bench/text.hpp"
#include "upsweep/convolve/conformance/convolve_bench.hpp"
#include "upsweep/nbody/conformance/nbody_bench.hpp"
#include "upsweep/reduce/conformance/reduce_bench.hpp"
#include "upsweep/scan/conformance/scan_bench.hpp"
#include "upsweep/sort/conformance/sort_bench.hpp"

using nlohmann::ordered_json;
using upsweep::backend;
using upsweep::published_row;
using upsweep::published_table;
using upsweep::variant;

namespace bench {

namespace {

std::vector<published_table> all_tables() {
  std::vector<published_table> all;
  for (auto tables : {upsweep::detail::reduce_impl::published(), upsweep::detail::scan_impl::published(),
                      upsweep::detail::sort_impl::published(), upsweep::detail::convolve_impl::published(),
                      upsweep::detail::nbody_impl::published()})
    all.insert(all.end(), tables.begin(), tables.end());
  return all;
}

published_table table_named(const std::string& name) {
  for (const published_table& t : all_tables())
    if (t.name == name) return t;
  throw upsweep::error(upsweep::fault::bad_argument, "--table '" + name + "'", "no such table",
                       "name one of " + table_names());
}

// The columns that one device adds: its time for the row's own algorithm, and for the fastest it has.
class measured_device {
 public:
  measured_device(upsweep::device& d, const published_table& t, const effort& e, std::uint64_t seed)
      : device_(d), table_(t), effort_(e), seed_(seed), evict_(d) {}

  struct times {
    std::optional<double> own, fastest;
    std::string fastest_name;
  };

  times measure(const published_row& row, std::set<std::string>& notes, bool& wrong) {
    times t;
    upsweep::problem shape = upsweep::conformance_test_of(table_.what).forms(true).front();
    if (const auto forms = upsweep::conformance_test_of(table_.what).timed(table_.type, upsweep::op_kind::plus, false);
        !forms.empty())
      shape = forms.front();
    shape->type = table_.type;
    shape->n = row.n;
    if (table_.form) table_.form(shape);
    bench_data data(device_, shape, seed_ + row.n);
    shape = data.shape();
    const std::string_view own_name = device_.kind() == backend::cpu ? table_.cpu_variant : row.variant;
    const variant* own = own_name.empty() ? nullptr : find_variant(own_name, device_.kind());
    const variant* fastest = &choose(device_, shape);
    if (!own && !own_name.empty())
      notes.insert(std::string(own_name) + " does not run on " + std::string(name_of(device_.kind())));
    std::vector<timed> sides;
    std::vector<std::optional<double>*> into;
    const auto add = [&](const variant* v, std::optional<double>& to) {
      if (!v) return;
      const auto call = [this, v](const upsweep::problem& p) { v->run(device_, p); };
      const double span = v->span.value ? v->span.value(static_cast<double>(row.n)) : static_cast<double>(row.n);
      if (std::string why = why_not(*v, device_, shape); !why.empty()) {
        notes.insert(why);
      } else if (const verdict checked = data.check(call, rounding_tolerance(shape, span), span); !checked.right()) {
        notes.insert("WRONG, not timed: " + std::string(v->name) + " on " + device_.name() + ": " + checked.wrong);
        wrong = true;
      } else {
        sides.push_back({[this, call, &data] { return sample(call, data); }, {}});
        into.push_back(&to);
      }
    };
    add(own, t.own);
    add(fastest, t.fastest);
    t.fastest_name = fastest->name;
    sample_in_turn(sides, effort_);
    for (std::size_t i = 0; i < sides.size(); ++i) *into[i] = summarize(sides[i].seconds).median;
    return t;
  }

 private:
  double sample(const std::function<void(const upsweep::problem&)>& call, bench_data& data) {
    const upsweep::problem p = data.next();
    if (!table_.host_clock) {
      evict_(p, data.arrays());
      return device_.seconds([&] { call(p); });
    }
    device_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    call(p);
    device_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  upsweep::device& device_;
  const published_table& table_;
  effort effort_;
  std::uint64_t seed_;
  evictor evict_;
};

// A column by its key; cells are seconds, rates or ratios, or null.
class columns {
 public:
  explicit columns(const published_table& t) : table_(t) {}

  // The column's name; "unit" says how its cells read: the table's unit of time (cells are seconds), its rate, or ×.
  void declare(const std::string& key, const std::string& title, const std::string& who, const std::string& unit) {
    for (const auto& c : list_)
      if (c["key"] == key) return;
    list_.push_back({{"key", key}, {"title", title}, {"who", who}, {"unit", unit}});
  }
  // One time, and what follows from it: its rate, and its speed-up over the row before and over the first.
  void put(ordered_json& cells, const std::string& key, const std::string& title, const std::string& who,
           double seconds, const published_row& row, std::optional<double> published_rate = {}) {
    declare(key, title, who, std::string(table_.time_unit_name));
    cells[key] = seconds > 0 ? ordered_json(seconds) : ordered_json(nullptr);
    if (!table_.rate_unit.empty()) {
      declare(key + " rate", "", who, std::string(table_.rate_unit));
      const double per_second =
          static_cast<double>(row.n) * (table_.rate_unit == "GB/s" ? static_cast<double>(size_of(table_.type)) : 1.0);
      if (published_rate) {
        cells[key + " rate"] = *published_rate;
      } else if (seconds > 0) {
        cells[key + " rate"] = per_second / seconds * 1e-9;
      }
    }
    if (!table_.steps) return;
    declare(key + " step", "step", who, "×");
    declare(key + " total", "in all", who, "×");
    // A step compares equal sizes, and needs a measurement of the previous variant.
    const bool first = &row == &table_.rows[0];
    const double before = first ? 0 : times_[key + std::string((&row - 1)->label)],
                 start = first ? 0 : times_[key + std::string(table_.rows[0].label)];
    if (seconds <= 0 || row.n != table_.rows[0].n) return;
    if (before > 0) cells[key + " step"] = before / seconds;
    if (start > 0) cells[key + " total"] = start / seconds;
    times_[key + std::string(row.label)] = seconds;
  }
  const ordered_json& list() const { return list_; }

 private:
  const published_table& table_;
  ordered_json list_ = ordered_json::array();
  std::map<std::string, double> times_;
};

std::string cell_text(const ordered_json& cells, const ordered_json& column, const published_table& t) {
  const std::string key = column["key"], unit = column["unit"];
  if (!cells.contains(key) || cells[key].is_null()) return "-";
  const double value = cells[key];
  if (unit == "×") return fmt::format("{:.2f}×", value);
  if (unit == t.time_unit_name) return fmt::format("{:.{}f}", value / t.time_unit, t.time_unit < 1e-3 ? 1 : 4);
  return fmt::format("{:.2f}", value);
}

void print(const published_table& t, const ordered_json& all) {
  fmt::print("\n{}\n{}. Theirs: {}; {}.\nOurs: {}\n\n", t.title, t.source, t.machine, t.method,
             all["table"]["our_method"].get<std::string>());
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> who{""}, head{"row"};
  for (const auto& c : all["columns"]) {
    const std::string owner = c["who"];
    who.push_back(who.size() > 1 && std::find(who.begin(), who.end(), owner) != who.end() ? "" : owner);
    const std::string title = c["title"], unit = c["unit"];
    head.push_back(title.empty() || unit == "×" ? (title.empty() ? unit : title) : title + ", " + unit);
  }
  lines = {who, head};
  for (const auto& row : all["rows"]) {
    std::vector<std::string> line{row["label"].get<std::string>()};
    for (const auto& c : all["columns"]) line.push_back(cell_text(row["cells"], c, t));
    lines.push_back(line);
  }
  std::vector<std::size_t> widths(head.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns_of(line[i]));
  for (const auto& line : lines) {
    std::string text = left(line[0], widths[0]);
    for (std::size_t i = 1; i < line.size(); ++i) text += "  " + right(line[i], widths[i]);
    while (text.back() == ' ') text.pop_back();
    fmt::print("{}\n", text);
  }
  for (const auto& note : all["notes"])
    fmt::print("{}{}\n", &note == &all["notes"][0] ? "\n" : "", note.get<std::string>());
}

}  // namespace

std::string table_names() {
  std::string names;
  for (const published_table& t : all_tables()) names += (names.empty() ? "" : ", ") + std::string(t.name);
  return names;
}

ordered_json run_table(const std::string& name, const std::vector<upsweep::context>& devices, bool quick, bool& wrong) {
  const published_table t = table_named(name);
  ordered_json all = document("table");
  all["table"] = {
      {"name", t.name},
      {"title", t.title},
      {"source", t.source},
      {"machine", t.machine},
      {"method", t.method},
      {"our_method", t.host_clock ? "host clock around the call and the wait for it, operands on the device, medians."
                                  : "device time of one call, caches cold, medians."},
      {"type", name_of(t.type)},
      {"time_unit", t.time_unit_name},
      {"time_unit_s", t.time_unit},
      {"steps", t.steps}};
  all["devices"] = ordered_json::array();
  for (const auto& c : devices)
    all["devices"].push_back({{"name", c.name()}, {"backend", name_of(c.kind())}, {"description", c.description()}});

  const effort e = quick ? effort{0.05, 3, 20} : effort{0.3, 7, 100};
  const std::uint64_t seed = std::random_device{}();
  std::vector<std::unique_ptr<measured_device>> measured;
  for (const auto& c : devices) measured.push_back(std::make_unique<measured_device>(c.device(), t, e, seed));

  columns layout(t);
  std::set<std::string> notes;
  ordered_json rows = ordered_json::array();
  const bool has_cpu =
      std::any_of(t.rows.begin(), t.rows.end(), [](const published_row& r) { return r.cpu_seconds > 0; });
  progress_line progress;
  for (const published_row& row : t.rows) {
    progress.show(name + ": " + std::string(row.label));
    ordered_json cells = ordered_json::object();
    if (has_cpu) layout.put(cells, "published cpu", "CPU", "published", row.cpu_seconds, row);
    layout.put(cells, "published gpu", "GPU", "published", row.gpu_seconds, row,
               row.rate > 0 ? std::optional(row.rate) : std::nullopt);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const measured_device::times times = measured[i]->measure(row, notes, wrong);
      const std::string device = devices[i].name();
      // A device without the row's algorithm has no column for it, only for its fastest.
      const bool cpu = devices[i].kind() == backend::cpu;
      const bool has_own =
          cpu ? !t.cpu_variant.empty() : std::any_of(t.rows.begin(), t.rows.end(), [&](const published_row& r) {
            return find_variant(r.variant, devices[i].kind());
          });
      if (has_own)
        layout.put(cells, device, cpu ? std::string(t.cpu_variant) : "same algorithm", device, times.own.value_or(0),
                   row);
      layout.declare(device + " fastest", "fastest", device, std::string(t.time_unit_name));
      if (times.fastest) cells[device + " fastest"] = *times.fastest;
      cells[device + " fastest variant"] = times.fastest_name;
    }
    rows.push_back({{"label", row.label}, {"n", row.n}, {"variant", row.variant}, {"cells", cells}});
  }
  progress.clear();
  for (const upsweep::device_listing& d : upsweep::list_devices())
    if (!d.usable) notes.insert("No column for " + d.name + ": " + d.description);
  all["columns"] = layout.list();
  all["rows"] = rows;
  all["notes"] = notes;
  print(t, all);
  return all;
}

}  // namespace bench
