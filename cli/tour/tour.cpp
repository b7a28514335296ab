// `upsweep tour`: what this library does faster than what C++ brings, measured on this machine in well under a minute,
// each answer compared; and a page that shows it.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/options.hpp"
#include "cli/process/answer.hpp"
#include "cli/report/provenance.hpp"
#include "cli/tour/text.hpp"
#include "cli/tour/tour.hpp"
#include "upsweep/error.hpp"

using nlohmann::ordered_json;

namespace tour {

namespace {

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point start) { return std::chrono::duration<double>(clock_type::now() - start).count(); }

// One device, the best if no other is named, and the CPU are measured; of every other it is only seen that it gives the
// same answers.
struct devices {
  std::vector<upsweep::context> measured, others;
};

devices open(const std::vector<upsweep::device_listing>& all, const std::string& beside) {
  devices d;
  const upsweep::context best = upsweep::context::named(beside);
  if (best.kind() != upsweep::backend::cpu) d.measured.push_back(best);
  d.measured.push_back(upsweep::context::cpu());
  for (const upsweep::device_listing& one : all)
    if (one.usable && one.name != best.name() && one.kind != upsweep::backend::cpu)
      d.others.push_back(upsweep::context::named(one.name));
  return d;
}

// A size that all sides together find memory for.
std::uint64_t fitting(const task& t, std::uint64_t n, std::uint64_t memory) {
  if (t.bytes_each) n = std::min(n, std::max<std::uint64_t>(memory / t.bytes_each, 1000));
  return t.fitted ? t.fitted(n) : n;
}

result take(const task& t, const std::vector<upsweep::context>& on, const effort& e, std::uint64_t memory,
            const showing& show) {
  const auto start = clock_type::now();
  result r{&t, {}};
  for (std::size_t k = 0; k < size_count; ++k) {
    const std::uint64_t n = fitting(t, e.sizes[k], memory);
    show.working(t, n);
    r.rows[k] = measure(t.make(n), n, on, e, k ? &r.rows[k - 1] : nullptr);
  }
  r.seconds = since(start);
  return r;
}

// Three tasks of 10 000 elements, from host memory and back. The first call compiles, under OpenCL for seconds.
seen look_at(const upsweep::context& c, const std::vector<task>& all) {
  const auto start = clock_type::now();
  seen s{c.name(), c.description(), {}, {}, 0};
  for (const task& t : all) {
    if (t.name != "sum" && t.name != "running total" && t.name != "sort") continue;
    try {
      const way w = t.make(10'000).ours(c, false);
      w.run();
      s.tasks.push_back(t.name);
      if (const std::string wrong = w.wrong(); !wrong.empty() && s.wrong.empty()) s.wrong = t.name + ": " + wrong;
    } catch (const upsweep::error& e) {
      s.wrong = e.what();
      break;
    }
  }
  s.seconds = since(start);
  return s;
}

std::vector<std::string> all_wrong(const std::vector<result>& results, const std::vector<seen>& others) {
  std::vector<std::string> all;
  for (const result& r : results)
    for (const row& at : r.rows)
      for (const std::vector<timed>* side : {&at.theirs, &at.ours})
        for (const timed& t : *side)
          if (!t.wrong.empty())
            all.push_back(fmt::format("{}, {} {}, {}: {}", r.what->name, at.n, r.what->unit, t.name, t.wrong));
  for (const seen& s : others)
    if (!s.wrong.empty()) all.push_back(s.name + ": " + s.wrong);
  return all;
}

struct options {
  std::string out = "report", device = "best";
  bool quick = false;
};

void run(const options& o) {
  const auto start = clock_type::now();
  effort e;
  if (o.quick)
    e = {0.005, 3, 5, {1000, 10'000, 100'000}};
  else if (std::thread::hardware_concurrency() < 8)
    e.sizes.back() = 10'000'000;  // what std's sorts do in a few seconds
  const std::uint64_t memory = memory_limit({});
  const auto listed = upsweep::list_devices();
  const devices d = open(listed, o.device);

  // Said now, not after measuring.
  std::error_code failed;
  std::filesystem::create_directories(o.out, failed);
  if (failed)
    throw upsweep::error(upsweep::fault::bad_argument, o.out, "cannot create the folder: " + failed.message(),
                         "name another with -o");
  require_no_overlap({{"the page", o.out + "/index.html"}, {"the figures", o.out + "/tour.json"}});
  whole_file html(o.out + "/index.html"), figures(o.out + "/tour.json");

  showing show(d.measured, e);
  show.beginning(upsweep_version(), listed);
  std::vector<task> tasks = array_tasks();
  for (task& t : shaped_tasks()) tasks.push_back(std::move(t));
  std::vector<result> results;
  for (const task& t : tasks) {
    results.push_back(take(t, d.measured, e, memory, show));
    show.measured(results.back());
  }
  std::vector<seen> others;
  for (const upsweep::context& c : d.others) others.push_back(look_at(c, tasks));
  const std::vector<std::string> wrong = all_wrong(results, others);

  const ordered_json json = to_json(results, others, wrong, e, since(start));
  answer::fields().update(json);
  html.write(page(json));
  figures.write(json.dump(1) + "\n");
  html.commit();
  figures.commit();
  show.end(results, others, wrong, o.out, since(start));
  if (!wrong.empty()) throw CLI::RuntimeError(1);
}

}  // namespace

}  // namespace tour

void add_tour(CLI::App& app) {
  auto o = std::make_shared<tour::options>();
  CLI::App* command = app.add_subcommand(
      "tour", "Compare with the C++ standard library on this machine, in half a minute; writes a page with plots");
  command->add_option("-o,--output", o->out, "Folder for index.html and tour.json. Default: report");
  command->add_option("--device", o->device, "Device to measure in addition to the CPU. Default: best");
  command->add_flag("--quick", o->quick, "Small arrays, few runs: checks answers; the times mean little");
  command->callback([o] { tour::run(*o); });
}
