#include "upsweep/conformance/check.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "cli/commands.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/lens/listed.hpp"
#include "cli/names.hpp"
#include "cli/process/checks.hpp"
#include "cli/process/message.hpp"
#include "cli/report/provenance.hpp"
#include "cli/stream/progress.hpp"
#include "upsweep/communicator/conformance/communicator_random.hpp"
#include "upsweep/conformance/occupying_kernels.hpp"
#include "upsweep/conformance/random_cases.hpp"

using namespace upsweep;

namespace {

struct wanted {
  std::vector<std::string> names, devices, types;
  std::vector<std::string> json;  // where to; "-" is standard output
  check_options options;
  bool seeded = false;
  drawn_options drawn;
  double hours = 0;
  bool crowded = false;
  std::string group;  // the devices whose groups are called
};

struct outcome {
  const variant* what = nullptr;
  context where;
  check_report report;
  double seconds = 0;
};

std::vector<context> open_devices(const wanted& w) {
  std::vector<context> opened;
  for (const std::string& name : w.devices) opened.push_back(context::named(name));
  if (!opened.empty()) return opened;
  for (const device_listing& d : list_devices())
    if (d.usable) opened.push_back(context::named(d.name));
  return opened;
}

bool is_name(const std::string& text) {
  return std::ranges::any_of(catalog(), [&](const variant& v) { return means(text, v); });
}

std::vector<std::pair<context, const variant*>> choose_work(const wanted& w) {
  std::vector<std::pair<context, const variant*>> work;
  std::vector<bool> used(w.names.size(), false);
  const std::vector<context> devices = open_devices(w);
  for (const context& where : devices)
    for (const variant& v : catalog()) {
      bool chosen = w.names.empty();
      for (std::size_t i = 0; i < w.names.size(); ++i)
        if (v.where == where.kind() && means(w.names[i], v)) chosen = used[i] = true;
      if (chosen && v.where == where.kind()) work.emplace_back(where, &v);
    }
  for (std::size_t i = 0; i < w.names.size(); ++i)
    if (!used[i]) {
      refuse_on_lens_alone(w.names[i]);
      require_variant(w.names[i],
                      devices.front().kind());  // throws with the nearest names, or the backends that have it
      throw error(fault::bad_argument, "variant '" + w.names[i] + "'", "none of the chosen devices has it",
                  "see `upsweep list`");
    }
  return work;
}

nlohmann::json check_json(const wanted& w, const std::vector<outcome>& all) {
  nlohmann::json results = nlohmann::json::array();
  for (const outcome& o : all) {
    nlohmann::json failures = nlohmann::json::array();
    nlohmann::json left_out = nlohmann::json::array();
    for (const check_failure& f : o.report.failures) failures.push_back({{"what", f.what}, {"wrong", f.wrong}});
    for (const auto& l : o.report.left_out) left_out.push_back({{"what", l.what}, {"why", l.why}});
    results.push_back({{"variant", o.what->name},
                       {"backend", name_of(o.what->where)},
                       {"device", o.where.name()},
                       {"description", o.where.description()},
                       {"cases", o.report.cases},
                       {"failed", o.report.failed},
                       {"ok", o.report.ok()},
                       {"seconds", o.seconds},
                       {"failures", failures}});
    if (w.options.huge) results.back()["huge_cases"] = o.report.huge_cases, results.back()["left_out"] = left_out;
  }
  nlohmann::json types = nlohmann::json::array();
  for (dtype t : w.options.types) types.push_back(name_of(t));
  return {{"kind", "check"},
          {"provenance", provenance()},
          {"options",
           {{"max_n", w.options.max_n},
            {"seed", w.options.seed},
            {"quick", w.options.quick},
            {"huge", w.options.huge},
            {"types", types}}},
          {"results", results}};
}

std::string outcome_text(const check_report& r) {
  if (r.ok()) return "ok";
  return r.cases == 0 ? "FAILED: no case ran" : fmt::format("FAILED: {} of {}", r.failed, r.cases);
}

// Rows come as they are done, because the whole takes minutes.
class running_table {
 public:
  running_table(const std::vector<std::pair<context, const variant*>>& work, bool silent) : silent_(silent) {
    for (const auto& [where, v] : work) {
      name_ = std::max(name_, v->name.size());
      device_ = std::max(device_, where.name().size());
    }
    print("variant", "device", "cases", "seconds", "result");
  }
  void row(const outcome& o) const {
    print(o.what->name, o.where.name(), fmt::format("{}", o.report.cases), fmt::format("{:.1f}", o.seconds),
          outcome_text(o.report));
    if (silent_) return;
    for (const check_failure& f : o.report.failures) fmt::print("    {}: {}\n", f.what, f.wrong);
    for (const auto& l : o.report.left_out) fmt::print("    skipped: {}: {}\n", l.what, l.why);
    std::fflush(stdout);
  }
  void left_out(const variant& v, const context& where, std::string_view why) const {
    print(v.name, where.name(), "-", "-", fmt::format("skipped: {}", why));
  }

 private:
  void print(std::string_view name, std::string_view device, std::string_view cases, std::string_view seconds,
             std::string_view result) const {
    if (!silent_)
      fmt::print("{:<{}}  {:<{}}  {:>6}  {:>7}  {}\n", name, name_, device, device_, cases, seconds, result);
  }
  bool silent_;
  std::size_t name_ = 7, device_ = 6;
};

outcome check_one(const context& where, const variant& v, const wanted& w, std::size_t index, std::size_t of) {
  outcome o{&v, where, {}, 0};
  check_options options = w.options;
  progress line(fmt::format("{} on {} ({} of {})", v.name, where.name(), index + 1, of), 0, "cases");
  options.progress = [&](std::uint64_t done, std::uint64_t all) { line.at(done, fmt::format("of {}", all)); };
  const auto start = std::chrono::steady_clock::now();
  try {
    o.report = check_variant(where.device(), v, options);
  } catch (const error& e) {  // the device itself gave up; the other variants still have their turn
    o.report.failed = 1;
    o.report.failures.push_back({"the whole run", e.what()});
  }
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return o;
}

void run_check(wanted& w) {
  if (!w.seeded) w.options.seed = std::random_device{}() & 0xFFFFFF;  // new input each time; the seed is printed
  const auto work = choose_work(w);
  const bool json_alone = !w.json.empty() && w.json.front() == "-";
  const running_table table(work, json_alone);
  std::vector<outcome> all;
  std::uint64_t cases = 0, failed = 0;
  std::string why = "no case was checked";
  for (std::size_t i = 0; i < work.size(); ++i) {
    const auto& [where, v] = work[i];
    if (const char* const lacks = lacking(*v, where.device())) {
      why = fmt::format("{} needs {}, which {} lacks", v->name, lacks, where.name());
      table.left_out(*v, where, why);
      continue;
    }
    all.push_back(check_one(where, *v, w, i, work.size()));
    if (!w.options.types.empty() && all.back().report.cases == 0 && all.back().report.failed == 0) {
      all.pop_back();  // it has no form of these types
      continue;
    }
    table.row(all.back());
    cases += all.back().report.cases;
    failed += !all.back().report.ok();
  }
  if (!w.json.empty()) write_whole_file(w.json.front(), check_json(w, all).dump(2) + "\n");
  if (!json_alone)
    fmt::print("{} of {} variants passed, in {} cases (seed {}).\n", all.size() - failed, all.size(), cases,
               w.options.seed);
  if (failed > 0 || all.empty()) {
    print_message("upsweep: {}\n", all.empty() ? why
                                               : fmt::format("{} of {} variants failed the check (seed {})", failed,
                                                             all.size(), w.options.seed));
    throw CLI::RuntimeError(1);
  }
}

nlohmann::json drawn_json(const wanted& w, const drawn_report& r, double seconds, std::uint64_t beside,
                          const std::vector<std::string>& descriptions) {
  nlohmann::json failures = nlohmann::json::array(), of = nlohmann::json::object();
  for (const drawn_failure& f : r.failures)
    failures.push_back(
        {{"case", f.number}, {"variant", f.variant}, {"device", f.device}, {"what", f.what}, {"wrong", f.wrong}});
  for (const auto& [name, cases] : r.of) of[std::string(name)] = cases;
  // How many cases had no elements, one, two and up to three, four and up to seven, ...
  nlohmann::json sizes = r.of_bits;
  while (!sizes.empty() && sizes.back() == 0) sizes.erase(sizes.size() - 1);
  return {{"kind", "check-drawn"},  {"provenance", provenance()}, {"seed", w.drawn.seed},
          {"max_n", w.drawn.max_n}, {"threads", w.drawn.threads}, {"seconds", seconds},
          {"cases", r.cases},       {"failed", r.failed},         {"primitives", of},
          {"sizes", sizes},         {"devices", w.devices},       {"failures", failures},
          {"crowded", w.crowded},   {"kernels_beside", beside},   {"descriptions", descriptions}};
}

// Random cases, until the given time or number is reached.
void run_drawn(wanted& w) {
  if (!w.seeded) w.options.seed = std::random_device{}() & 0xFFFFFF;
  w.drawn.seed = w.options.seed, w.drawn.types = w.options.types, w.drawn.seconds = w.hours * 3600;
  std::vector<std::pair<std::string, const variant*>> work;
  std::vector<context> devices;  // each once, and kept open, since others' kernels come and go on it
  for (const auto& [where, v] : choose_work(w)) {
    work.emplace_back(where.name(), v);
    if (devices.empty() || devices.back().name() != where.name()) devices.push_back(where);
  }
  std::vector<std::string> descriptions;
  std::vector<std::unique_ptr<crowd>> crowds;
  for (const context& where : devices) {
    descriptions.push_back(where.description());
    if (w.crowded) crowds.push_back(std::make_unique<crowd>(where, w.drawn.seed));
  }
  const auto start = std::chrono::steady_clock::now();
  progress line(fmt::format("seed {}", w.drawn.seed), 0, "cases");
  w.drawn.progress = [&](std::uint64_t done) { line.at(done, ""); };
  const drawn_report r = check_drawn(work, w.drawn);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::uint64_t beside = 0;
  std::string ended;  // why no other kernels came any more
  for (const auto& c : crowds) {
    beside += c->kernels();
    if (ended.empty()) ended = c->failure();
  }
  crowds.clear();
  const bool json_alone = !w.json.empty() && w.json.front() == "-";
  if (!w.json.empty()) write_whole_file(w.json.front(), drawn_json(w, r, seconds, beside, descriptions).dump(2) + "\n");
  if (!json_alone) {
    for (const auto& [name, cases] : r.of) fmt::print("{:<24} {:>9} cases\n", name, cases);
    for (const drawn_failure& f : r.failures)
      fmt::print("case {}: {} on {}, {}: {}\n", f.number, f.variant, f.device, f.what, f.wrong);
    if (w.crowded) fmt::print("{} other kernels ran at the same time.\n", beside);
    fmt::print("{} of {} cases passed, in {:.0f} s (seed {}; --seed {} --case N repeats one).\n", r.cases - r.failed,
               r.cases, seconds, w.drawn.seed, w.drawn.seed);
  }
  if (r.failed == 0 && r.cases > 0 && ended.empty()) return;
  print_message("upsweep: {}\n", r.cases == 0    ? "no case was checked"
                                 : r.failed == 0 ? fmt::format("the other kernels failed: {}", ended)
                                                 : fmt::format("{} of {} cases failed the check (seed {})", r.failed,
                                                               r.cases, w.drawn.seed));
  throw CLI::RuntimeError(1);
}

// Calls on groups of the first device, the first two, and so on.
void run_drawn_calls(wanted& w) {
  if (!w.names.empty() || !w.devices.empty() || !w.types.empty() || !w.json.empty() || w.crowded)
    throw error(fault::bad_argument, "--group", "random cases of groups call every primitive and have no JSON",
                "give --seed, --cases, --hours, --case and --max-n alone");
  if (!w.seeded) w.options.seed = std::random_device{}() & 0xFFFFFF;
  std::vector<communicator> groups;
  const communicator all = communicator::named(w.group);
  for (int p = 1; p <= all.local_size(); ++p) {
    std::vector<context> members;
    for (int i = 0; i < p; ++i) members.push_back(all.where(i));
    groups.push_back(communicator::of(std::move(members)));
  }
  const auto start = std::chrono::steady_clock::now();
  progress line(fmt::format("seed {}", w.options.seed), 0, "cases");
  const communicator_conformance::drawn_calls r =
      communicator_conformance::check_calls(groups, {.seed = w.options.seed,
                                                     .first = w.drawn.first,
                                                     .count = w.drawn.count,
                                                     .seconds = w.hours * 3600,
                                                     .max_n = std::min<std::uint64_t>(w.drawn.max_n, w.options.max_n),
                                                     .progress = [&](std::uint64_t done) { line.at(done, ""); }});
  for (const std::string& wrong : r.wrong) fmt::print("{}\n", wrong);
  fmt::print("{} of {} cases of groups passed, {} calls, in {:.0f} s (seed {}; --seed {} --case N repeats one).\n",
             r.cases - r.failed, r.cases, r.calls,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), w.options.seed,
             w.options.seed);
  if (r.failed == 0) return;
  fmt::print(stderr, "upsweep: {} of {} cases failed the check (seed {})\n", r.failed, r.cases, w.options.seed);
  throw CLI::RuntimeError(1);
}

}  // namespace

void add_check(CLI::App& app) {
  auto w = std::make_shared<wanted>();
  CLI::App* command = app.add_subcommand("check", "Compare every variant with a reference result on random input");
  command
      ->add_option("NAME", w->names,
                   "Primitives, variants, or parts of their names: scan, scan/blelloch, shuffle. Default: all")
      ->type_name("");
  command
      ->add_option("--device", w->devices,
                   "Devices, as listed by `upsweep devices`; may be repeated. Default: all usable devices")
      ->type_name("D")
      ->delimiter(',')
      ->allow_extra_args(false);
  auto* json = command
                   ->add_option("--json", w->json,
                                "Write JSON to this file; without a file, to standard output instead of "
                                "the table")
                   ->expected(0, 1)
                   ->allow_extra_args(false)
                   ->type_name("[FILE]");
  command->add_option("--type", w->types, "Only these element types: i32 u32 i64 u64 f32 f64 i8 u8 i16 u16 f16")
      ->type_name("T")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--max-n", w->options.max_n, "Largest number of elements")
      ->check(checks::count(1))
      ->type_name("N");
  auto* seed =
      command->add_option("--seed", w->options.seed, "Seed of the random input. Default: a new one, which is printed")
          ->check(checks::count())
          ->type_name("S");
  auto* quick = command->add_flag("--quick", w->options.quick, "A sample of the cases; takes seconds");
  auto* huge =
      command->add_flag("--huge", w->options.huge,
                        "Also more than 2^32 elements, if device and host have the memory; takes minutes. Skipped "
                        "cases are reported with the reason");
  auto* hours = command
                    ->add_option("--hours", w->hours,
                                 "Check random cases for H hours: primitive, variant, type, operator, size, input, "
                                 "alignment, aliasing and threads are random")
                    ->check(checks::positive())
                    ->type_name("H");
  auto* cases = command->add_option("--cases", w->drawn.count, "Check N random cases, or fewer if --hours ends first")
                    ->check(checks::count(1))
                    ->type_name("N");
  auto* one = command
                  ->add_option("--case", w->drawn.first,
                               "Check only random case K of --seed, or with --cases N the N cases from K on")
                  ->check(checks::count())
                  ->type_name("K");
  command->add_option("--threads", w->drawn.threads, "Number of random cases checked at once. Default: 1")
      ->check(CLI::Range(1, 256))
      ->type_name("T");
  auto* crowded = command->add_flag(
      "--crowded", w->crowded,
      "With random cases: run other kernels on the CUDA GPU at the same time, so that blocks start late, out of order "
      "and few at a time");
  command
      ->add_option("--group", w->group,
                   "Check random calls on groups of these devices: cpu:1,cpu:1,cpu:1 checks groups of one, two and "
                   "three members")
      ->type_name("D,D");
  one->needs(seed)->excludes(hours);
  for (auto* drawn : {hours, cases, one}) drawn->excludes(quick)->excludes(huge);
  crowded->excludes(quick)->excludes(huge);
  command->footer(
      "Checks every type, operator, transform and form that a variant supports, at sizes around every boundary. "
      "Outputs are poisoned first, and float results must repeat bit for bit. The exit status is not 0 if any case "
      "fails. A failure prints its seed; --seed repeats it.");
  command->callback([w, json, seed, hours, cases, one] {
    w->seeded = seed->count() > 0;
    // In `check --json scan`, scan is the variant and not the name of a file.
    if (!w->json.empty() && !w->json.front().empty() && is_name(w->json.front()))
      w->names.push_back(std::exchange(w->json.front(), ""));
    if (json->count() > 0 && (w->json.empty() || w->json.front().empty())) w->json = {"-"};
    w->options.types = parse_named(w->types, "--type", dtype_named, all_dtypes);
    if (hours->count() + cases->count() + one->count() == 0) {
      if (w->crowded)
        throw error(fault::bad_argument, "--crowded", "it applies to random cases", "add --cases or --hours");
      if (!w->group.empty())
        throw error(fault::bad_argument, "--group", "it applies to random cases", "add --cases or --hours");
      return run_check(*w);
    }
    if (one->count() && !cases->count()) w->drawn.count = 1;
    w->drawn.max_n = std::min(w->drawn.max_n, w->options.max_n);
    w->group.empty() ? run_drawn(*w) : run_drawn_calls(*w);
  });
}
