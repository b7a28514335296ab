// The tour's page, made of its JSON alone.
#include <fmt/core.h>

#include "cli/report/facts.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/html.hpp"
#include "cli/report/plot.hpp"
#include "cli/tour/text.hpp"
#include "cli/tour/tour.hpp"

using nlohmann::json;
using report::html_escape;

namespace tour {

namespace {

struct place {
  std::string device, memory, title;
};

// Where ours ran, in the order of the first task's row.
std::vector<place> places(const json& j) {
  std::vector<place> all;
  for (const json& o : j.at("tasks").at(0).at("rows").at(0).at("ours")) {
    const std::string device = o.at("device"), memory = o.at("data_in");
    all.push_back({device, memory,
                   memory == "device memory" ? device + ", data in its memory"
                   : device == "cpu"         ? "the CPU"
                                             : device + ", including copies"});
  }
  return all;
}

const json* found(const json& row, const place& p) {
  for (const json& o : row.at("ours"))
    if (o.at("device") == p.device && o.at("data_in") == p.memory && o.contains("median_s")) return &o;
  return nullptr;
}

double fastest_of_theirs(const json& row) {
  for (const json& t : row.at("theirs"))
    if (t.at("name") == row.at("fastest_of_theirs")) return t.value("median_s", 0.0);
  return 0;
}

std::string figure(const std::string& svg, const std::string& caption) {
  return svg.empty() ? "" : "<figure>" + svg + "<figcaption>" + html_escape(caption) + "</figcaption></figure>\n";
}

std::string speed_plot(const json& j, const place& p) {
  report::dot_plot plot;
  plot.title = "Speed-up: " + p.title;
  plot.description = "For each task and size, the fastest alternative's time over ours";
  for (const json& n : j.at("sizes")) plot.kinds.push_back(count_text(n));
  plot.kinds.back() += ", or the largest";
  plot.text = times_text;
  plot.reference = 1, plot.reference_label = "as fast as the fastest alternative";
  for (const json& t : j.at("tasks")) {
    report::dot_plot::line l{t.at("name"), {}, {}};
    for (const json& row : t.at("rows")) {
      const json* ours = found(row, p);
      l.values.push_back(ours ? ours->at("times_as_fast").get<double>() : 0);
      if (ours)
        l.title +=
            fmt::format("{}{}: {}", l.title.empty() ? "" : "; ", count_text(row.at("n")), times_text(l.values.back()));
    }
    plot.lines.push_back(std::move(l));
  }
  return figure(svg(plot), "Right of the dashed line ours is faster, left of it the alternative.");
}

std::string time_plot(const json& j, const std::vector<place>& all) {
  report::dot_plot plot;
  plot.title = "Time at the largest size";
  plot.description = "Medians of the fastest alternative and of ours, for each task";
  plot.kinds = {"the fastest alternative"};
  for (auto p = all.rbegin(); p != all.rend(); ++p) plot.kinds.push_back(p->title);
  plot.text = figures::time_text;
  for (const json& t : j.at("tasks")) {
    const json& row = t.at("rows").back();
    report::dot_plot::line l{t.at("name"), {fastest_of_theirs(row)}, t.at("call").get<std::string>()};
    for (auto p = all.rbegin(); p != all.rend(); ++p) {
      const json* ours = found(row, *p);
      l.values.push_back(ours ? ours->at("median_s").get<double>() : 0);
    }
    plot.lines.push_back(std::move(l));
  }
  return figure(svg(plot), "Each task at its largest size; the figure is that of " + plot.kinds.back() + ".");
}

std::vector<std::vector<report::cell>> lines_of(const json& t, const json& row) {
  std::vector<std::vector<report::cell>> all;
  const double best = fastest_of_theirs(row), n = row.at("n");
  const auto add = [&](const std::string& who, bool ours, const json& one) {
    const bool wrong = !one.value("agrees", true);
    const double seconds = one.value("median_s", 0.0), ratio = seconds > 0 ? best / seconds : 0;
    if (seconds <= 0 && !wrong) return;
    all.push_back({{all.empty() ? t.at("name").get<std::string>() : "", false, "", t.at("data").get<std::string>()},
                   {all.empty() ? count_text(row.at("n")) + " " + t.at("unit").get<std::string>() : ""},
                   {who, false, ours ? "ours" : ""},
                   {seconds > 0 ? figures::time_text(seconds) : "–"},
                   {seconds > 0 ? figures::rate_text(n / seconds) : "–"},
                   {wrong ? "wrong" : times_text(ratio), true,
                    !ours       ? ""
                    : ratio < 1 ? "loss"
                                : "win",
                    one.value("wrong", "")}});
  };
  for (const json& one : row.at("theirs")) add(one.at("name"), false, one);
  for (const json& one : row.at("ours")) {
    const std::string device = one.at("device");
    add(t.at("call").get<std::string>() + ", " + device +
            (device == "cpu"                        ? ""
             : one.at("data_in") == "device memory" ? ""
                                                    : ", including copies"),
        true, one);
  }
  return all;
}

std::string all_figures(const json& j) {
  std::vector<std::vector<report::cell>> rows;
  for (const json& t : j.at("tasks"))
    for (const json& row : t.at("rows"))
      for (auto& line : lines_of(t, row)) rows.push_back(std::move(line));
  return "<h2>All figures</h2>\n"
         "<p>Medians; per second: the task's units per second. An alternative that took a third longer than the best "
         "is not measured at the next size.</p>\n" +
         report::html_table({"task", "size", "who", "time", "per second", "times as fast"}, rows);
}

}  // namespace

std::string page(const nlohmann::ordered_json& figures) {
  const json j = json::parse(figures.dump());
  std::string body =
      "<h1>A tour of Upsweep</h1>\n"
      "<p>Common tasks of C++ programs, done with the standard library and with this library, on this machine and the "
      "same data, measured alternately. Of std:: both the plain call and the call with "
      "<code>std::execution::par_unseq</code> (on oneTBB) are measured. Where std:: has no equivalent, loops are "
      "measured, compiled with the same flags as the library; loops with independent iterations also run on all "
      "threads by <code>std::for_each</code>. All results are compared: integers and orders exactly, sums and filters "
      "of floats with a reference in double" +
      std::string(j.at("wrong").empty() ? "; all agree.</p>\n" : ".</p>\n") +
      report::provenance_facts(j.at("provenance"), "tour.json");
  if (!j.at("wrong").empty()) {
    body +=
        "<h2>Wrong results</h2>\n"
        "<ul>\n";
    for (const json& w : j.at("wrong")) body += "<li>" + html_escape(w.get<std::string>()) + "</li>\n";
    body += "</ul>\n";
  }
  const std::vector<place> all = places(j);
  for (const place& p : all) body += "<h2>Speed-up: " + html_escape(p.title) + "</h2>\n" + speed_plot(j, p);
  body += "<h2>Time</h2>\n" + time_plot(j, all);
  for (const json& a : j.at("also"))
    if (a.at("agrees"))
      body += fmt::format("<p>{}, {}: same results for {} of the tasks, not timed here.</p>\n",
                          html_escape(a.at("device").get<std::string>()),
                          html_escape(a.at("description").get<std::string>()), a.at("tasks").size());
  return report::page("A tour of Upsweep", body + all_figures(j));
}

}  // namespace tour
