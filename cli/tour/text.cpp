#include "cli/tour/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "cli/report/provenance.hpp"

using figures::left;
using figures::right;
using figures::time_text;
using nlohmann::ordered_json;

namespace tour {

namespace {

constexpr std::size_t columns = 100;

bool is_cpu(const upsweep::context& c) { return c.kind() == upsweep::backend::cpu; }

std::string cut(std::string text, std::size_t width = columns) {
  if (figures::columns_of(text) <= width) return text;
  while (figures::columns_of(text) >= width) text.pop_back();
  return text + "…";
}

void say(const std::string& text, const std::string& indent = "") {
  std::string line = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line != indent && figures::columns_of(line) + 1 + figures::columns_of(word) > columns) {
      fmt::print("{}\n", line);
      line = indent;
    }
    line += (line == indent ? "" : " ") + word;
    at = end + 1;
  }
  fmt::print("{}\n", line);
}

const timed* of(const row& r, const std::string& device, bool there) {
  for (const timed& t : r.ours)
    if (t.name == device && t.there == there) return &t;
  return nullptr;
}

std::string time_of(const timed* t) {
  return !t || t->missing ? "–" : !t->wrong.empty() ? "WRONG" : time_text(t->median);
}
std::string ratio_of(const row& r, const timed* t) {
  return !t || t->missing ? "–" : !t->wrong.empty() ? "WRONG" : times_text(r.ratio(*t));
}

}  // namespace

std::string count_text(std::uint64_t n) {
  if (n < 10'000) return std::to_string(n);
  if (n < 1'000'000) return fmt::format("{} {:03}", n / 1000, n % 1000);
  return fmt::format("{:.{}f} million", static_cast<double>(n) * 1e-6, n % 1'000'000 < 50'000 ? 0 : 1);
}

std::string times_text(double r) {
  return fmt::format("{:.{}f}×", r, r < 0.0995 ? 3 : r < 9.995 ? 2 : r < 99.95 ? 1 : 0);
}

showing::showing(const std::vector<upsweep::context>& measured, const effort& e) : devices_(measured), effort_(e) {}

void showing::beginning(const std::string& version, const std::vector<upsweep::device_listing>& all) const {
  say(fmt::format("Upsweep {}", version));
  for (const upsweep::device_listing& d : all)
    fmt::print("{}\n", cut(fmt::format("  {}{}", left(d.name, 10), d.description)));
  say("Each task is compared with the standard library, sequential and on all threads (par), or with loops if std:: "
      "has no equivalent. Times are medians of alternating runs, and results are compared. The ratio is the fastest "
      "alternative's time over ours.");
  head(devices_.front());
}

// The CPU's table has a column of the alternatives. A GPU's table is below it, and has times including copies instead.
void showing::head(const upsweep::context& c) const {
  const auto& n = effort_.sizes;
  if (is_cpu(c)) {
    fmt::print("\n{}{}{}   {}\n", left("On the CPU", 51), right(count_text(n[0]), 9), right(count_text(n[1]), 11),
               "at " + count_text(n[2]) + " *");
    fmt::print("{}{}{}{}{}{}{}\n", left("task", 25), left("compared with", 26), right("faster", 9), right("faster", 11),
               right("theirs", 10), right("ours", 10), right("faster", 9));
  } else {
    fmt::print("\n{}{}{}   {}\n", left(cut("On " + c.name() + ", data in its memory", 45), 45),
               right(count_text(n[0]), 9), right(count_text(n[1]), 11),
               left("at " + count_text(n[2]) + " *", 16) + "  including copies");
    fmt::print("{}{}{}{}{}{}{}\n", left("task", 45), right("faster", 9), right("faster", 11), right("ours", 10),
               right("faster", 8), right("ours", 9), right("faster", 8));
  }
}

void showing::line(const upsweep::context& c, const result& r) const {
  const row &small = r.rows[0], &middle = r.rows[1], &large = r.rows[2];
  if (is_cpu(c)) {
    const timed* ours = of(large, c.name(), false);
    fmt::print("{}{}{}{}{}{}{}\n", left(r.what->name, 25), left(large.best().name, 26),
               right(ratio_of(small, of(small, c.name(), false)), 9),
               right(ratio_of(middle, of(middle, c.name(), false)), 11), right(time_text(large.best().median), 10),
               right(time_of(ours), 10), right(ratio_of(large, ours), 9));
  } else {
    const timed *there = of(large, c.name(), true), *copied = of(large, c.name(), false);
    fmt::print("{}{}{}{}{}{}{}\n", left(r.what->name, 45), right(ratio_of(small, of(small, c.name(), true)), 9),
               right(ratio_of(middle, of(middle, c.name(), true)), 11), right(time_of(there), 10),
               right(ratio_of(large, there), 8), right(time_of(copied), 9), right(ratio_of(large, copied), 8));
  }
}

void showing::working(const task& t, std::uint64_t n) const {
  progress_.show(fmt::format("{}, {} {} …", t.name, count_text(n), t.unit));
}

void showing::measured(const result& r) const {
  progress_.clear();
  line(devices_.front(), r);
  std::fflush(stdout);
}

// How often it is faster, and where not: the tasks furthest behind first, each with its worst.
void showing::summary(const upsweep::context& c, const std::vector<result>& all) const {
  int of_all = 0, faster = 0;
  std::vector<std::pair<double, std::string>> slower;
  for (const result& r : all) {
    std::pair<double, std::string> worst{1, {}};
    for (const row& at : r.rows)
      if (const timed* t = of(at, c.name(), !is_cpu(c)); t && t->median > 0) {
        const double ratio = at.ratio(*t);
        ++of_all;
        faster += ratio >= 1;
        if (ratio < worst.first)
          worst = {ratio, fmt::format("{} ({}: {})", r.what->name, count_text(at.n), times_text(ratio))};
      }
    if (!worst.second.empty()) slower.push_back(worst);
  }
  std::sort(slower.begin(), slower.end());
  std::string text = fmt::format("{}: faster in {} of {}", is_cpu(c) ? "The CPU" : c.name(), faster, of_all);
  constexpr std::size_t most = 6;
  for (std::size_t k = 0; k < std::min(most, slower.size()); ++k) text += (k ? ", " : "; slower: ") + slower[k].second;
  if (slower.size() > most) text += fmt::format(", and in {} more tasks", slower.size() - most);
  say(text + ".");
}

void showing::end(const std::vector<result>& all, const std::vector<seen>& others,
                  const std::vector<std::string>& wrong, const std::string& folder, double seconds) const {
  progress_.clear();
  for (std::size_t k = 1; k < devices_.size(); ++k) {
    head(devices_[k]);
    for (const result& r : all) line(devices_[k], r);
  }
  std::string sizes;
  for (const result& r : all)
    if (const auto n = r.rows[2].n; n < effort_.sizes[2] - effort_.sizes[2] / 50)
      sizes +=
          fmt::format("{}{}: {} {}", sizes.empty() ? "" : "; ", r.what->name, count_text(r.rows[2].n), r.what->unit);
  if (!sizes.empty()) say("* " + sizes);
  fmt::print("\n");
  for (const upsweep::context& c : devices_) summary(c, all);
  for (const seen& s : others) {
    std::string tasks;
    for (const std::string& t : s.tasks) tasks += (tasks.empty() ? "" : ", ") + t;
    if (s.wrong.empty())
      say(fmt::format("{}: {} of 10 000 elements, same results ({:.1f} s{}).", s.name, tasks, s.seconds,
                      s.seconds > 1 ? ", mostly compilation" : ""));
  }
  constexpr std::size_t most = 5;
  for (std::size_t k = 0; k < std::min(most, wrong.size()); ++k) say("WRONG: " + wrong[k]);
  if (wrong.size() > most) fmt::print("WRONG: and {} more, all in {}/tour.json\n", wrong.size() - most, folder);
  fmt::print("\n");
  say(fmt::format("{}/index.html has plots, {}/tour.json has all figures. ({:.0f} s)", folder, folder, seconds));
  fmt::print(
      "Next: upsweep sort your.csv --by column -o sorted.csv; upsweep image sobel your.jpg edges.png;\n"
      "      upsweep --help for the rest. ./quickstart build adds the textbook algorithms, from the first\n"
      "      naive kernel on, and the commands check, bench and lens, which examine all of them.\n");
}

namespace {

ordered_json to_json(const timed& t) {
  ordered_json j{{"agrees", t.wrong.empty()}};
  if (t.missing) return {{"missing", true}};
  if (!t.wrong.empty()) j["wrong"] = t.wrong;
  if (t.samples) j.update({{"median_s", t.median}, {"fastest_s", t.fastest}, {"samples", t.samples}});
  return j;
}

}  // namespace

ordered_json to_json(const std::vector<result>& all, const std::vector<seen>& others,
                     const std::vector<std::string>& wrong, const effort& e, double seconds) {
  ordered_json tasks = ordered_json::array(), also = ordered_json::array();
  for (const result& r : all) {
    ordered_json rows = ordered_json::array();
    for (const row& at : r.rows) {
      ordered_json theirs = ordered_json::array(), ours = ordered_json::array();
      for (const timed& t : at.theirs) {
        ordered_json one{{"name", t.name}};
        one.update(to_json(t));
        theirs.push_back(one);
      }
      for (const timed& t : at.ours) {
        ordered_json one{{"device", t.name}, {"data_in", t.there ? "device memory" : "host memory"}};
        one.update(to_json(t));
        if (t.samples) one["times_as_fast"] = at.ratio(t);
        ours.push_back(one);
      }
      rows.push_back({{"n", at.n}, {"fastest_of_theirs", at.best().name}, {"theirs", theirs}, {"ours", ours}});
    }
    tasks.push_back({{"name", r.what->name},
                     {"call", r.what->call},
                     {"data", r.what->data},
                     {"unit", r.what->unit},
                     {"seconds", r.seconds},
                     {"rows", rows}});
  }
  for (const seen& s : others)
    also.push_back({{"device", s.name},
                    {"description", s.description},
                    {"tasks", s.tasks},
                    {"agrees", s.wrong.empty()},
                    {"seconds", s.seconds}});
  return {{"kind", "tour"}, {"provenance", provenance()}, {"sizes", e.sizes}, {"tasks", tasks}, {"also", also},
          {"wrong", wrong}, {"seconds", seconds}};
}

}  // namespace tour
