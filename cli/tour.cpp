// `upsweep tour`: what is here, what it does to a day of trades, how fast every rung is; and a page that shows it.
#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cli/bench.hpp"
#include "cli/bench_table.hpp"
#include "cli/bench_text.hpp"
#include "cli/commands.hpp"
#include "cli/report.hpp"
#include "cli/report_html.hpp"
#include "cli/table.hpp"
#include "cli/tour_trades.hpp"
#include "cli/whole_file.hpp"
#include "upsweep/oracle.hpp"
#include "upsweep/upsweep.hpp"

using nlohmann::ordered_json;

namespace tour {

namespace {

using clock_type = std::chrono::steady_clock;

void heading(const std::string& text) {
  fmt::print("\n── {} {}\n\n", text, std::string(70 - std::min<std::size_t>(bench::columns_of(text), 70), '-'));
}

std::vector<upsweep::context> show_devices() {
  heading("1. What is here");
  table t({"device", "usable", "memory", "description"});
  std::vector<std::string> usable;
  for (const upsweep::device_listing& d : upsweep::list_devices()) {
    t.row({d.name, d.usable ? "yes" : "no", d.total_memory ? bytes_text(static_cast<double>(d.total_memory)) : "-",
           d.description});
    if (d.usable) usable.push_back(d.name);
  }
  t.print();
  fmt::print("\nEverything that follows runs on each usable device: the same calls, the same answers.\n");
  return bench::open_devices(usable);
}

// One question about the day, its answer on one device, and whether the oracle agrees.
struct answer {
  std::string question, call, text;
  bool right = true;
  double seconds = 0;
  std::string wrong;
};

// The oracle judges the result that the device gave for a whole problem in host memory.
template <class T, class Op>
std::string judge(const upsweep::context& c, upsweep::primitive what, bool inclusive, const std::vector<T>& in,
                  const T* out, Op) {
  upsweep::problem p = upsweep::make_problem<T, Op, upsweep::identity>(what, upsweep::host_memory(in.data()), {},
                                                                       in.size(), upsweep::identity_of<T>(Op{}));
  p.inclusive = inclusive;
  const upsweep::variant* v = upsweep::find_variant(c.last_variant(), c.kind());
  const double n = static_cast<double>(in.size());
  return upsweep::what_is_wrong(p, out, v && v->span.value ? v->span.value(n) : n);
}

template <class T, class Op>
answer ask_reduce(const upsweep::context& c, const std::string& question, const std::string& call,
                  const std::vector<T>& in, Op op, const std::function<std::string(T)>& say) {
  const auto start = clock_type::now();
  const T result = upsweep::reduce(c, in, upsweep::identity_of<T>(op), op);
  const double seconds = std::chrono::duration<double>(clock_type::now() - start).count();
  const std::string wrong = judge(c, upsweep::primitive::reduce, false, in, &result, op);
  return {question, call, say(result), wrong.empty(), seconds, wrong};
}

template <class T, class Op>
answer ask_scan(const upsweep::context& c, const std::string& question, const std::string& call,
                const std::vector<T>& in, Op op, const std::function<std::string(const std::vector<T>&)>& say) {
  std::vector<T> out(in.size());
  const auto start = clock_type::now();
  upsweep::inclusive_scan(c, in, out, op);
  const double seconds = std::chrono::duration<double>(clock_type::now() - start).count();
  const std::string wrong = judge(c, upsweep::primitive::scan, true, in, out.data(), op);
  return {question, call, say(out), wrong.empty(), seconds, wrong};
}

std::vector<answer> ask(const upsweep::context& c, const trades& day) {
  std::vector<answer> all;
  // A first call compiles OpenCL kernels and wakes threads; the figures are of the second.
  for (int turn = 0; turn < 2; ++turn) {
    all.clear();
    all.push_back(ask_reduce<std::uint32_t>(c, "How many shares changed hands?", "reduce(shares)", day.shares,
                                            upsweep::plus{}, [](std::uint32_t x) { return fmt::format("{}", x); }));
    all.push_back(ask_reduce<float>(c, "What was the day's highest price?", "reduce(prices, maximum)", day.prices,
                                    upsweep::maximum{}, [](float x) { return fmt::format("{:.2f}", x); }));
    all.push_back(ask_scan<std::uint32_t>(c, "When was half of the volume traded?", "inclusive_scan(shares)",
                                          day.shares, upsweep::plus{}, [&](const std::vector<std::uint32_t>& running) {
                                            const auto half =
                                                std::lower_bound(running.begin(), running.end(), running.back() / 2);
                                            return clock_time(day, static_cast<std::size_t>(half - running.begin()));
                                          }));
    all.push_back(ask_scan<float>(c, "What was the deepest fall from a high?", "inclusive_scan(prices, maximum)",
                                  day.prices, upsweep::maximum{}, [&](const std::vector<float>& high) {
                                    float deepest = 0;
                                    std::size_t at = 0;
                                    for (std::size_t i = 0; i < high.size(); ++i)
                                      if (high[i] - day.prices[i] > deepest) deepest = high[at = i] - day.prices[i];
                                    return fmt::format("{:.2f}, at {}", deepest, clock_time(day, at));
                                  }));
    all.push_back(ask_reduce<double>(c, "How much money was that?", "reduce(amounts)", day.amounts, upsweep::plus{},
                                     [](double x) { return fmt::format("{:.2f}", x); }));
  }
  return all;
}

std::string answers_section(const std::vector<std::pair<upsweep::context, std::vector<answer>>>& asked,
                            std::size_t trades_count) {
  std::vector<std::vector<report::cell>> rows;
  for (const auto& [c, answers] : asked)
    for (const answer& a : answers)
      rows.push_back({{a.question, false},
                      {a.call, false},
                      {c.name(), false},
                      {a.text},
                      {bench::time_text(a.seconds)},
                      {a.right ? "agrees" : a.wrong, false, a.right ? "win" : "loss"}});
  return "<h2>A day of trades</h2>\n<p>" + std::to_string(trades_count) +
         " trades of a made-up share, generated the same way on every machine. Each answer was held against the "
         "oracle, a sequential reference more precise "
         "than the type.</p>\n" +
         report::html_table({"question", "call", "device", "answer", "host to host", "oracle"}, rows);
}

bool trade(const std::vector<upsweep::context>& devices, std::string& section) {
  heading("2. A day of trades");
  const trades day = make_trades(1000003);
  fmt::print(
      "{} trades of a made-up share between 9:00 and 17:30: shares (u32), prices (f32) and amounts (f64),\n"
      "generated the same way on every machine. A reduce folds a column into one value; a scan keeps every\n"
      "value on the way: the running total, the highest price so far. Each result is held against an oracle.\n",
      day.shares.size());
  bool right = true;
  std::vector<std::pair<upsweep::context, std::vector<answer>>> asked;
  for (const upsweep::context& c : devices) {
    fmt::print("\n{} ({})\n", c.name(), c.description());
    std::vector<answer> answers;
    try {
      answers = ask(c, day);
    } catch (const upsweep::error& e) {
      fmt::print("  {}\n", e.what());
      right = false;
      continue;
    }
    for (const answer& a : answers) {
      fmt::print("  {} {} {} {}  {}\n", bench::left(a.question, 40), bench::left(a.call, 32), bench::right(a.text, 20),
                 bench::right(bench::time_text(a.seconds), 9),
                 a.right ? "agrees with the oracle" : "WRONG: " + a.wrong);
      right = right && a.right;
    }
    asked.emplace_back(c, std::move(answers));
  }
  section = answers_section(asked, day.shares.size());
  return right;
}

ordered_json climb(const std::vector<upsweep::context>& devices, bool& wrong) {
  heading("3. The rungs");
  fmt::print(
      "The same reduce and scan, from the textbook's first kernel to what a call of the library runs, each checked "
      "and\n"
      "then timed with cold caches beside what others offer. `upsweep list` says what each of them teaches.\n");
  bench::plan p;
  p.types = {upsweep::dtype::u32};
  p.ops = {upsweep::op_kind::plus};
  p.all = p.peers = true;
  p.hot = p.transfers = false;
  p.each = {0.05, 3, 30};
  p.longest_run = 0.3;
  p.seed = 1;
  const bool gpu = std::any_of(devices.begin(), devices.end(),
                               [](const upsweep::context& c) { return c.kind() == upsweep::backend::cuda; });
  for (int e = 12; e <= (gpu ? 24 : 20); e += 4) p.sizes.push_back(std::uint64_t{1} << e);
  return bench::run(p, devices, true, wrong);
}

struct options {
  std::string out = "report";
};

void run(const options& o) {
  const auto start = clock_type::now();
  fmt::print("Upsweep: reduce and scan on every processor here, by every published algorithm.\n");
  // Said now, not after the minute of measuring.
  std::error_code failed;
  std::filesystem::create_directories(o.out, failed);
  if (failed)
    throw upsweep::error(upsweep::fault::bad_argument, o.out, "the folder cannot be made: " + failed.message(),
                         "name another with -o");
  whole_file page(o.out + "/index.html"), figures(o.out + "/tour.json");

  const std::vector<upsweep::context> devices = show_devices();
  std::string section;
  const bool right = trade(devices, section);
  bool wrong = false;
  const ordered_json rungs = climb(devices, wrong);
  std::vector<report::source> sources{{o.out + "/tour.json", nlohmann::json::parse(rungs.dump())}};
  if (std::any_of(devices.begin(), devices.end(),
                  [](const upsweep::context& c) { return c.kind() == upsweep::backend::cuda; })) {
    heading("4. What was published, and what it is today");
    for (const char* name : {"kaust-reduction", "kit-reduction", "harris2007-scan", "utcs-scan"})
      sources.push_back({std::string("the table ") + name,
                         nlohmann::json::parse(bench::run_table(name, devices, true, wrong).dump())});
  }
  figures.write(rungs.dump(1) + "\n");
  figures.commit();
  page.write(report::render(sources, "A tour of Upsweep", section));
  page.commit();
  heading("The page");
  fmt::print("{}/index.html shows all of this with plots; {}/tour.json holds the figures. ({:.0f} s)\n", o.out, o.out,
             std::chrono::duration<double>(clock_type::now() - start).count());
  if (wrong || !right) throw CLI::RuntimeError(1);
}

}  // namespace

}  // namespace tour

void add_tour(CLI::App& app) {
  auto o = std::make_shared<tour::options>();
  CLI::App* command = app.add_subcommand(
      "tour", "A guided tour: the devices, both primitives on a day of trades, every rung timed, a page with plots");
  command->add_option("-o,--output", o->out, "The folder for index.html and tour.json; default report");
  command->callback([o] { tour::run(*o); });
}
