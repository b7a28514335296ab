// `upsweep bench`: measures variants, peers and the limits of the machine. Every result is checked first.
#include "cli/bench/bench.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <random>

#include "cli/bench/calls.hpp"
#include "cli/bench/group.hpp"
#include "cli/bench/own.hpp"
#include "cli/bench/sizes.hpp"
#include "cli/bench/table.hpp"
#include "cli/bench/text.hpp"
#include "cli/commands.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/names.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/checks.hpp"
#include "cli/report/provenance.hpp"

using nlohmann::ordered_json;
namespace peers = upsweep::peers;

namespace bench {

namespace {

struct options {
  std::vector<std::string> names, types, ops, devices, modes, inputs, operands;
  std::string sizes, json, table, form, group;
  bool inclusive = false, all = false, peers = false, quick = false;
  int repeats = 0;
  double longest = 2;
  std::optional<std::uint64_t> seed;
};

plan plan_from(const options& o) {
  plan p;
  p.names = o.names;
  p.sizes = parse_sizes(!o.sizes.empty()   ? o.sizes
                        : !o.group.empty() ? (o.quick ? "2^20" : "2^20,2^24,2^26")
                        : o.quick          ? "2^10..2^24:4,2^12..2^24:4-5"
                                           : "2^10..2^28:2,2^10..2^28:2-5");
  p.types = parse_named(o.types, "--type", upsweep::dtype_named, upsweep::all_dtypes);
  p.ops = parse_named(o.ops, "--op", upsweep::op_named, upsweep::all_ops);
  p.inputs = parse_named(o.inputs, "--input", upsweep::input_named, upsweep::all_inputs);
  p.form = o.form;
  p.inclusive = o.inclusive;
  p.all = o.all;
  p.peers = o.peers;
  const auto has = [&](const char* mode) {
    return o.modes.empty() || std::find(o.modes.begin(), o.modes.end(), mode) != o.modes.end();
  };
  p.cold = has("cold");
  p.hot = has("hot");
  const auto lie = [&](const char* how, bool unless_told) {
    return o.operands.empty() ? unless_told : std::ranges::find(o.operands, how) != o.operands.end();
  };
  p.aligned = lie("aligned", true);
  p.shifted = lie("shifted", !o.quick);
  p.transfers = has("transfers");
  p.calls = has("call");
  p.longest_run = o.longest;
  p.seed = o.seed ? *o.seed : std::random_device{}();
  if (o.quick) p.each = {0.06, 3, 30};
  if (o.repeats > 0) p.each = {0, o.repeats, o.repeats};
  return p;
}

}  // namespace

std::vector<upsweep::context> open_devices(const std::vector<std::string>& names) {
  std::vector<std::string> wanted;
  for (const std::string& name : names) {
    if (name != "all") {
      wanted.push_back(name);
      continue;
    }
    for (const upsweep::device_listing& d : upsweep::list_devices())
      if (d.usable) wanted.push_back(d.name);
  }
  std::vector<upsweep::context> opened;
  for (const std::string& name : wanted) {
    upsweep::context c = upsweep::context::named(name);
    if (std::none_of(opened.begin(), opened.end(), [&](const auto& other) {
          return other.name() == c.name() && other.description() == c.description();
        }))
      opened.push_back(std::move(c));
  }
  return opened;
}

std::vector<peers::ceiling> ceilings_of(upsweep::device& d, bool quick) {
  const std::uint64_t wanted = std::uint64_t{1} << (d.kind() == upsweep::backend::cuda ? 30 : quick ? 27 : 28);
  return peers::measure_ceilings(d, std::min(wanted, d.free_memory() / 8), quick ? 5 : 15);
}

ordered_json document(const char* kind) {
  ordered_json all{{"kind", kind}, {"schema", 1}, {"provenance", provenance()}};
  all["provenance"]["peers_compiled_for"] = peers::compiled_for();
  return all;
}

ordered_json run(const plan& wanted, const std::vector<upsweep::context>& devices, bool quick, bool& wrong) {
  std::vector<upsweep::backend> kinds;
  for (const upsweep::context& c : devices) kinds.push_back(c.kind());
  require_names(wanted.names, kinds);
  const upsweep::error nothing(upsweep::fault::unsupported, "bench",
                               "no chosen variant supports these operators and types", "see `upsweep list`");
  if (std::ranges::none_of(devices, [&](const upsweep::context& c) {
        return has_work(c.device(), wanted) || has_own_work(c.device(), wanted);
      }))
    throw nothing;
  ordered_json all = document("bench");
  all["seed"] = wanted.seed;
  all["peers"] = ordered_json::array();
  if (wanted.peers)
    for (const peers::peer& p : peers::all())
      all["peers"].push_back({{"name", p.name},
                              {"version", p.version},
                              {"setting", p.setting},
                              {"note", p.note},
                              {"backend", name_of(p.where)},
                              {"primitive", name_of(p.what)}});
  all["absent"] = wanted.peers ? peers::absent() : std::vector<std::string>{};
  all["devices"] = ordered_json::array();
  ordered_json rows = ordered_json::array();
  results found;
  progress_line progress;
  for (const upsweep::context& c : devices) {
    progress.show("measuring the limits of " + c.name());
    const auto ceilings = ceilings_of(c.device(), quick);
    progress.clear();
    print_ceilings(c.device(), ceilings);
    all["devices"].push_back(to_json(c.device(), ceilings));
    listener hears;
    hears.group = [&](const upsweep::device& d, const measurement& like) {
      progress.clear();
      print_head(d, like, wanted);
    };
    hears.rows = [&](const std::vector<measurement>& of_one_size) {
      progress.clear();
      print_rows(of_one_size, wanted);
      append_json(of_one_size, rows);
    };
    hears.now = [&](const std::string& text) { progress.show(text); };
    if (wanted.cold || wanted.hot || wanted.transfers) measure(c.device(), ceilings, wanted, hears, found);
    if (wanted.cold || wanted.hot) measure_own(c, ceilings, wanted, hears, found);
    if (wanted.calls) {
      progress.show("timing calls on " + c.name());
      const std::vector<timed_call> calls = time_calls(c, wanted.names);
      progress.clear();
      print(c, calls);
      append_json(c, calls, rows);
    }
  }
  progress.clear();
  if (rows.empty() && found.rows.empty() && found.failures.empty() && found.skipped.empty()) throw nothing;
  print_remarks(found);
  if (wanted.peers)
    for (const std::string& reason : peers::absent()) fmt::print("No peer {}.\n", reason);
  const std::vector<loss> lost = losses(found);
  print_losses(lost, wanted.peers && std::ranges::any_of(found.rows, &measurement::peer));
  all["rows"] = rows;
  all["losses"] = to_json(lost);
  all["failures"] = to_json(found.failures);
  all["skipped"] = to_json(found.skipped);
  wrong = std::any_of(found.failures.begin(), found.failures.end(), [](const remark& f) { return !f.peer; });
  return all;
}

}  // namespace bench

static constexpr const char* footer =
    "Cold: operands are not in caches and change between samples; one call between two events. Hot: repeated calls "
    "on the same operands.\n"
    "Call: host time of one call on four elements through the public header; on a GPU, the time to enqueue it.\n"
    "End to end: from host memory to host memory, including transfers and allocation. Figures are medians; compared "
    "sides are measured alternately.\n"
    "GB/s counts the bytes that must be moved (reduce n elements, scan 2n); its percentage is of the fastest read "
    "or copy measured in this run.\n"
    "peer/ours above 1: ours is faster. Of a peer with several ways to call it, the fastest is shown; the JSON has "
    "all of them.\n"
    "The end lists every row in which a peer is faster. error: largest relative distance from the exact result; ! "
    "marks a float sum that is too inaccurate to compare.";

void add_bench(CLI::App& app) {
  auto o = std::make_shared<bench::options>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure variants and compare them with other libraries; results are checked first");
  command->add_option("NAME", o->names,
                      "Variants or prefixes of their names (scan/blelloch), a primitive (scan), or own: sort and "
                      "select with user-defined functions. Default: the variants that calls select");
  command->add_option("--sizes", o->sizes,
                      "2^10..2^28, 2^10..2^28:2 (every second power), 1000,10^6, 2^20-5. Default: every second power "
                      "from 2^10 to 2^28, and 5 less");
  command
      ->add_option("--operands", o->operands,
                   "Address of operands: aligned, as memory is allocated, or shifted by one element. Default: both")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"aligned", "shifted"}));
  command->add_option("--type", o->types, "Element types: i32 u32 i64 u64 f32 f64 i8 u8 i16 u16 f16, or all")
      ->default_val(std::vector<std::string>{"u32", "f32"})
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--op", o->ops, "Operators, or all")
      ->default_val(std::vector<std::string>{"plus"})
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--input", o->inputs,
                   "Distribution of input values, for primitives that depend on it: uniform sorted reversed few zipf "
                   "constant, or all")
      ->default_val(std::vector<std::string>{"uniform"})
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--form", o->form, "Only forms whose heading contains this text, such as pairs");
  command->add_flag("--inclusive", o->inclusive, "Inclusive scans. Default: exclusive scans");
  command->add_option("--device", o->devices, "cpu, cpu:N, cuda:N, opencl:N, best, or all")
      ->default_val(std::vector<std::string>{"best"})
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--all", o->all, "All variants, not only those that calls select");
  command->add_flag("--peers", o->peers,
                    "Also std, oneTBB, OpenMP, OpenCV, FFTW, CUB and Thrust, with the ratio of their time to ours");
  command->add_option("--modes", o->modes, "Measurements: cold, hot, transfers, call. Default: all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"cold", "hot", "transfers", "call"}));
  command
      ->add_option("--json", o->json,
                   "Write all measurements as JSON to this file, or without a name to standard "
                   "output")
      ->expected(0, 1)
      ->type_name("[FILE]");
  command->add_flag("--quick", o->quick, "Fewer samples; fewer sizes and no shifted operands unless these are given");
  command->add_option("--repeats", o->repeats, "Number of samples for each row")->check(CLI::Range(1, 100000));
  command
      ->add_option("--longest", o->longest,
                   "Skip a variant when one run is predicted to take longer than this, in "
                   "seconds")
      ->check(checks::positive());
  command->add_option("--seed", o->seed, "Seed of the random input. Default: a new one")->check(checks::count());
  command->add_option("--table", o->table, "Compare with a published table: " + bench::table_names());
  command
      ->add_option("--group", o->group,
                   "Devices of a group, such as cpu:1,cpu:1 or cuda:all: reduce, scan, sort, select, histogram and "
                   "n-body, compared with the first device alone and with the exchange alone")
      ->type_name("DEVICES");
  command->footer(footer);
  command->callback([o, command] {
    if (!o->group.empty())
      for (const char* option : {"NAME", "--type", "--op", "--input", "--form", "--inclusive", "--device", "--all",
                                 "--peers", "--modes", "--operands", "--table", "--longest"})
        if (command->count(option) > 0)
          throw upsweep::error(upsweep::fault::bad_argument, option, "--group does not use this option",
                               "leave it out; --sizes, --repeats, --seed, --quick and --json go with it");
    if (!o->table.empty() && command->count("--device") == 0) o->devices = {"all"};
    // A path that cannot be written is said before the minutes of measuring, not after.
    std::unique_ptr<whole_file> file;
    if (!o->json.empty())
      file = std::make_unique<whole_file>(o->json);
    else if (command->count("--json") > 0)
      answer::want("bench");
    bool wrong = false;
    const ordered_json all = !o->group.empty() ? bench::run_group(o->group, bench::plan_from(*o))
                             : o->table.empty()
                                 ? bench::run(bench::plan_from(*o), bench::open_devices(o->devices), o->quick, wrong)
                                 : bench::run_table(o->table, bench::open_devices(o->devices), o->quick, wrong);
    if (file) {
      file->write(all.dump(1) + "\n");
      file->commit();
    }
    answer::fields().update(all);
    if (wrong) throw CLI::RuntimeError(1);
  });
}
