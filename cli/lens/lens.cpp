// `upsweep lens`: runs a textbook CUDA kernel on the emulated GPU and prints counts, findings and steps.
#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/bench/sizes.hpp"
#include "cli/commands.hpp"
#include "cli/io/input.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/lens/json.hpp"
#include "cli/lens/own.hpp"
#include "cli/lens/page.hpp"
#include "cli/lens/text.hpp"
#include "cli/process/checks.hpp"
#include "cli/process/message.hpp"
#include "cli/report/provenance.hpp"
#include "cli/report/table.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

struct lens_options {
  std::vector<std::string> names, compare;
  std::string n, op = "plus", type = "u32", input = "uniform", in, html, run_on;
  std::vector<std::string> json;  // where to; "-" is standard output
  std::string block, grid, kernel, pass;
  std::vector<std::string> flags;  // for a compiler
  std::int64_t shared = -1;
  unsigned resident = 4, seconds = 60;
  std::uint64_t seed = 1, withheld = 0;
  bool list = false, lines = false, steps = false, mutate = false, inclusive = false, in_place = false;
  bool races = false, no_races = false, withholds = false;
};

constexpr std::uint64_t most_drawn = 64, most_played = 4096;

// "1000", "2^16", "10^6".
std::uint64_t parse_count(const std::string& text) {
  const auto number = [&](std::string_view digits) {
    std::uint64_t n = 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (bad != std::errc{} || end != digits.data() + digits.size())
      throw error(fault::bad_argument, "--n", "'" + text + "' is not a number of elements", "write 1000 or 2^16");
    return n;
  };
  const std::size_t hat = text.find('^');
  if (hat == std::string::npos) return number(text);
  const std::uint64_t base = number(std::string_view(text).substr(0, hat)),
                      power = number(std::string_view(text).substr(hat + 1));
  std::uint64_t n = 1;
  for (std::uint64_t k = 0; base > 1 && k < power; ++k)
    if (__builtin_mul_overflow(n, base, &n))
      throw error(fault::bad_argument, "--n", "'" + text + "' does not fit in 64 bits", "choose a smaller one");
  return base == 0 && power > 0 ? 0 : n;
}

lens::job job_of(const lens_options& w, const std::string& name, std::uint64_t n) {
  lens::job j;
  j.variant = name;
  j.n = n;
  if (!w.n.empty()) j.n = parse_count(w.n);
  const auto op = op_named(w.op);
  if (!op)
    throw error(fault::bad_argument, "--op", "there is no operator '" + w.op + "'",
                "the textbook variants take plus, multiplies, minimum, maximum and compose_affine");
  const auto type = dtype_named(w.type);
  if (!type)
    throw error(fault::bad_argument, "--type", "there is no type '" + w.type + "'",
                "name one of i32, u32, i64, u64, f32, f64");
  const auto input = input_named(w.input);
  if (!input)
    throw error(fault::bad_argument, "--input", "there is no input '" + w.input + "'",
                "name one of uniform, sorted, reversed, few, zipf, constant");
  j.op = *op, j.type = *type, j.input = *input;
  if (!w.block.empty()) {
    const lens::own::size3 block = parse_shape("--block", w.block);
    if (block.y != 1 || block.z != 1)
      throw error(fault::bad_argument, "--block", "blocks of textbook variants have one dimension", "write 256");
    j.block = block.x;
  }
  j.resident = w.resident, j.seed = w.seed;
  j.inclusive = w.inclusive, j.in_place = w.in_place;
  if (w.races) j.races = true;
  if (w.no_races) j.races = false;
  if (w.withholds) j.withheld = w.withheld;
  if (!w.in.empty()) {
    ::input file(w.in);
    const std::uint64_t most = file.size().value_or(std::uint64_t{1} << 30);  // of a pipe
    j.elements.resize(j.n < most ? std::min(j.n * size_of(j.type), most) : most);
    j.elements.resize(file.read(j.elements.data(), j.elements.size()));
  }
  return j;
}

void list_variants() {
  table t({"variant", "blocks of", "at most", "teaches"});
  for (const auto& r : lens::textbook_variants()) {
    std::string blocks;
    for (const auto& s : r.sizes)
      if (s.block != 0)
        blocks += (blocks.empty() ? "" : " ") +
                  (s.block == r.standard ? "[" + std::to_string(s.block) + "]" : std::to_string(s.block));
    const std::uint64_t most = r.sizes.front().max_n;
    t.row({std::string(r.name), blocks.empty() ? "its own" : blocks,
           most == ~std::uint64_t{0} ? "any" : size_text(most), std::string(r.teaches)});
  }
  t.print();
}

// A .cu file of the user, and the arguments of its main.
void run_source(const lens_options& w, const std::vector<std::string>& names) {
  const std::string& file = names.front();
  const auto refuse = [&](const char* option, const char* why) {
    throw error(fault::bad_argument, std::string("lens ") + option, why, "leave it out for a .cu file");
  };
  if (!w.compare.empty()) refuse("--compare", "it compares textbook variants");
  if (w.mutate) refuse("--mutate", "it removes barriers of textbook variants");
  if (w.steps) refuse("--steps", "it shows steps of textbook variants");
  if (!w.html.empty()) refuse("--html", "it shows steps of textbook variants");
  if (!w.in.empty()) refuse("--in", "it sets the input of textbook variants");
  if (!w.run_on.empty()) refuse("--run-on", "it runs textbook variants");
  lens::own::job j;
  j.what.file = file, j.what.kernel = w.kernel, j.what.flags = w.flags, j.what.shared = w.shared, j.what.seed = w.seed;
  if (!w.n.empty()) j.what.n = parse_count(w.n);
  if (!w.block.empty()) j.what.block = parse_shape("--block", w.block);
  if (!w.grid.empty()) j.what.grid = parse_shape("--grid", w.grid);
  if (j.what.n == 0)
    throw error(fault::bad_argument, "--n", "a kernel needs at least one element", "give --n 1 or more");
  // Further files that are there belong to it; what follows is for its main.
  auto name = names.begin() + 1;
  for (std::error_code none; name != names.end() && names_a_source(*name) && std::filesystem::exists(*name, none);)
    j.what.others.push_back(*name++);
  j.arguments.assign(name, names.end());
  std::istringstream more(w.pass);
  for (std::string word; more >> word;) j.arguments.push_back(word);
  j.resident = w.resident, j.seconds = w.seconds;
  if (w.races) j.races = true;
  if (w.no_races) j.races = false;
  if (w.withholds) j.withheld = w.withheld;
  own_output out;
  out.lines = w.lines;
  if (!w.json.empty()) out.json = w.json.front();
  j.aside = out.json == "-";
  if (const int status = run_own(j, out); status != 0) throw CLI::RuntimeError(status);
}

// Writes JSON if requested; true if JSON replaces the text.
bool write_json(const lens_options& w, const nlohmann::json& result) {
  if (w.json.empty()) return false;
  write_whole_file(w.json.front(),
                   nlohmann::json{{"kind", "lens"}, {"provenance", provenance()}, {"result", result}}.dump(2) + "\n");
  return w.json.front() == "-";
}

[[noreturn]] void failed(const std::string& sentence) {
  std::fflush(stdout);
  print_message("upsweep: {}\n", sentence);
  throw CLI::RuntimeError(1);
}

// The reason why the run failed; empty if it succeeded.
std::string failure(const lens::report& r) {
  const std::string who = "lens " + std::string(r.what->name) + ": ";
  if (!r.findings.empty())
    return who + std::string(name_of(r.findings.front().what)) + ": " + r.findings.front().text +
           (r.findings.size() > 1 ? fmt::format(", and {} more kinds of fault", r.findings.size() - 1) : "");
  if (!r.wrong.empty()) return who + "the result is wrong: " + r.wrong;
  std::uint64_t most = 0;
  for (const lens::launch_record& l : r.launches) most = std::max<std::uint64_t>(most, l.blocks);
  if (r.asked.withheld && *r.asked.withheld >= most)
    return who + fmt::format("block {} cannot be withheld: no launch has more than {}, counted from 0",
                             *r.asked.withheld, most);
  for (const lens::declared& d : r.against)
    if (d.binding && !d.agrees)
      return who +
             fmt::format("{} is declared as {}, {:.0f}, but counted as {:.0f}", d.what, d.text, d.value, d.counted);
  return {};
}

void compare(const lens_options& w, const std::vector<std::string>& names) {
  if (names.size() < 2)
    throw error(fault::bad_argument, "lens --compare", "one variant cannot be compared", "name two or more");
  std::vector<lens::report> all;
  for (const std::string& name : names) all.push_back(lens::run(job_of(w, name, 65536)));
  nlohmann::json results = nlohmann::json::array();
  for (const lens::report& r : all) results.push_back(to_json(r));
  if (!write_json(w, results)) lens_text::print_comparison(all);
  for (const lens::report& r : all)
    if (const std::string why = failure(r); !why.empty()) failed(why);
}

void mutate(const lens_options& w, const std::string& name) {
  const std::vector<lens::mutant> all = lens::mutate(job_of(w, name, 4097));
  if (!write_json(w, to_json(name, all))) lens_text::print_mutants(name, all);
  for (const lens::mutant& m : all)
    if (!m.caught())
      failed("lens --mutate " + name + ": no check shows that the barrier of " + m.barrier.text() + " is needed");
}

// Variants that are not folds, checked by their conformance test.
void run_on_device(const variant& v, device& d, const lens::job& j) {
  const conformance_test& e = conformance_test_of(v.what);
  problem p = lens::problem_of(j);
  if (const std::string why = why_not(v, d, p); !why.empty())
    throw error(fault::unsupported, std::string(v.name), why, "see `upsweep list`");
  const std::vector<array> operands = e.arrays(p, j.seed, j.input);
  std::vector<std::vector<unsigned char>> host;
  std::vector<memory> there;
  problem on_device = p;
  for (const array& a : operands) {
    host.emplace_back(a.bytes(), poison);
    if (a.fill) fill_all(a, host.back().data());
    if (a.slot.name() == "in" && !j.elements.empty())
      throw error(fault::bad_argument, "lens --in", "on a device the input is random", "leave --run-on out");
    there.push_back(d.allocate(a.bytes()));
    d.upload(there.back(), host.back().data(), a.bytes());
    a.slot(on_device) = there.back();
  }
  if (j.in_place)
    for (const auto& [output, input] : e.in_place) output(on_device) = input(on_device);
  v.run(d, on_device);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].written) d.download(host[k].data(), operands[k].slot(on_device), operands[k].bytes());
    operands[k].slot(p) = {host[k].data(), 0};
  }
  for (const memory& m : there) d.deallocate(m);
  if (const std::string wrong = e.wrong(p, v.span.value(static_cast<double>(j.n))); !wrong.empty())
    throw error(fault::device_failure, std::string(v.name), wrong, "run `upsweep check`");
}

// Runs the problem once on a device, for a profiler; launches no other kernel.
void run_on_device(const lens_options& w, const std::string& name) {
  const lens::job j = job_of(w, name, 4096);
  if (!w.block.empty())
    throw error(fault::bad_argument, "lens --run-on", "on a device each variant runs with its own block size only",
                "leave --block out");
  context where = context::named(w.run_on);
  device& d = where.device();
  const variant& v = require_variant(name, d.kind());
  if (!lens::require_textbook_variant(name).folds()) {
    run_on_device(v, d, j);
    fmt::print("{} on {}: correct\n", name, w.run_on);
    return;
  }
  problem p = lens::fold_of(j);
  if (const std::string why = why_not(v, d, p); !why.empty())
    throw error(fault::unsupported, "lens --run-on " + w.run_on, why, "see `upsweep list`");
  const std::uint64_t bytes = j.n * size_of(j.type),
                      out_bytes = v.what == detail::reduce_impl::primitive::reduce ? size_of(j.type) : bytes;
  std::vector<unsigned char> a(bytes), b(v.what == detail::vector_add_impl::primitive::vector_add ? bytes : 0),
      result(out_bytes);
  random_input(j.type, j.op, j.n, j.seed).fill(a.data(), 0, j.n);
  if (!b.empty()) random_input(j.type, j.op, j.n, j.seed + 1).fill(b.data(), 0, j.n);
  lens::slot_of(p, "in") = d.allocate(bytes);
  d.upload(lens::slot_of(p, "in"), a.data(), bytes);
  if (!b.empty()) {
    lens::slot_of(p, "in2") = d.allocate(bytes);
    d.upload(lens::slot_of(p, "in2"), b.data(), bytes);
  }
  lens::slot_of(p, "out") = j.in_place ? lens::slot_of(p, "in") : d.allocate(out_bytes);
  v.run(d, p);
  d.download(result.data(), lens::slot_of(p, "out"), out_bytes);
  d.deallocate(lens::slot_of(p, "in"));
  if (!b.empty()) d.deallocate(lens::slot_of(p, "in2"));
  if (!j.in_place) d.deallocate(lens::slot_of(p, "out"));
  lens::slot_of(p, "in") = {a.data(), 0};
  if (!b.empty()) lens::slot_of(p, "in2") = {b.data(), 0};
  if (const std::string wrong = what_is_wrong(p, result.data(), v.span.value(static_cast<double>(j.n))); !wrong.empty())
    throw error(fault::device_failure, name + " on " + w.run_on, wrong, "run `upsweep check " + name + "`");
  fmt::print("{} on {}: correct\n", name, w.run_on);
}

void draw(const lens_options& w, const std::string& name) {
  const std::uint64_t usual = w.steps ? 16 : lens::require_textbook_variant(name).standard == 0 ? 256 : 512;
  lens::job j = job_of(w, name, usual);
  const std::uint64_t most = w.steps ? most_drawn : most_played;
  if (j.n > most)
    throw error(fault::bad_argument, w.steps ? "lens --steps" : "lens --html",
                fmt::format("{} elements are too many to show; the limit is {}", j.n, most), "choose a smaller --n");
  const lens::textbook_variant& r = lens::require_textbook_variant(name);
  if (j.block == 0 && r.standard != 0) {
    // The smallest block draws best; a page has room for one that takes all n, two a thread.
    for (const auto& s : r.sizes)
      if ((w.steps || 2 * s.block >= j.n) && (j.block == 0 || s.block < j.block)) j.block = s.block;
  }
  if (j.op != op_kind::compose_affine) j.small_values = true;
  j.record = true;
  const lens::report report = lens::run(j);
  if (w.steps) lens_text::print_steps(report, isatty(STDOUT_FILENO) != 0);
  if (!w.html.empty()) {
    write_whole_file(w.html, lens_page(report));
    if (w.html != "-") fmt::print("{}: {}, {} steps of warps\n", w.html, name, report.steps.size());
  }
  if (const std::string why = failure(report); !why.empty()) failed(why);
}

void run_lens(lens_options& w) {
  require_no_overlap({{"--html", w.html}, {"--json", w.json.empty() ? "" : w.json.front()}});
  if (w.list) return list_variants();
  std::vector<std::string> names = w.compare;
  names.insert(names.begin(), w.names.begin(), w.names.end());
  if (!names.empty() && names_a_source(names.front())) return run_source(w, names);
  if (!w.kernel.empty() || !w.grid.empty() || !w.flags.empty() || w.shared >= 0)
    throw error(fault::bad_argument, "lens", "--kernel, --grid, --shared and --flag apply to a .cu file",
                "give a .cu file first");
  if (!w.run_on.empty()) {
    for (const std::string& name : names) run_on_device(w, name);
    return;
  }
  if (!w.compare.empty()) return compare(w, names);
  if (names.empty())
    throw error(fault::bad_argument, "lens", "no variant was given", "`upsweep lens --list` lists them");
  if (names.size() > 1) return compare(w, names);
  const std::string& name = names.front();
  if (w.mutate) return mutate(w, name);
  if (w.steps || !w.html.empty()) return draw(w, name);
  const lens::report r = lens::run(job_of(w, name, 4096));
  if (!write_json(w, to_json(r))) lens_text::print_report(r, w.lines);
  if (const std::string why = failure(r); !why.empty()) failed(why);
}

}  // namespace

static constexpr const char* footer =
    "Counts: one application of the operator is one unit of work; the longest chain of them is the span. A warp "
    "instruction is what the lanes of a warp execute at one position of the source in one step. A sector is 32 "
    "bytes of global memory; a wavefront is one pass over the 32 banks of shared memory. The exit status is not 0 "
    "on a fault, on a wrong result, and if work, span or launches differ from the declared ones.";

void add_lens(CLI::App& app) {
  auto w = std::make_shared<lens_options>();
  CLI::App* command = app.add_subcommand(
      "lens", "Run a textbook CUDA kernel, or a .cu file, on an emulated GPU; report counts, faults and steps");
  command
      ->add_option("VARIANT", w->names,
                   "A variant listed by `upsweep lens --list`; or .cu files, and the arguments of their main")
      ->type_name("");
  command->add_flag("--list", w->list, "List the variants and their block sizes");
  command->add_option("--compare", w->compare, "Compare variants, each with the previous one")->type_name("A B ...");
  command
      ->add_option("--n", w->n,
                   "Number of elements: 1000, 2^16. Default: 4096; 65536 with --compare; fewer with "
                   "--steps and --html")
      ->type_name("N");
  command
      ->add_option("--block", w->block,
                   "Threads of a block: 256, 16x16. Default: the variant's own; 256 for a .cu file")
      ->type_name("B");
  command
      ->add_option("--grid", w->grid,
                   "For a .cu file without main: grid, 64 or 8x8. Default: enough blocks for n "
                   "threads")
      ->type_name("G");
  command->add_option("--kernel", w->kernel, "For a .cu file without main: kernel to run, 'reduce<float>'")
      ->type_name("NAME");
  command->add_option("--shared", w->shared, "For a .cu file without main: bytes of dynamic shared memory")
      ->check(checks::count())
      ->type_name("BYTES");
  command->add_option("--flag", w->flags, "For a .cu file: compiler option, as --flag=-Iinclude or --flag=-DN=8")
      ->allow_extra_args(false)
      ->type_name("WORD");
  command->add_option("--pass", w->pass, "For a .cu file: arguments of its main that look like options, '-w=64 -h=64'")
      ->type_name("WORDS");
  command->add_option("--seconds", w->seconds, "For a .cu file: limit of processor time in seconds")
      ->capture_default_str()
      ->check(checks::count(1))
      ->type_name("S");
  command->add_option("--op", w->op, "Operator: plus, multiplies, minimum, maximum, compose_affine")
      ->capture_default_str()
      ->type_name("OP");
  command->add_option("--type", w->type, "Element type: i32 u32 i64 u64 f32 f64")
      ->capture_default_str()
      ->type_name("T");
  command
      ->add_option("--input", w->input,
                   "For sorts, selections and histograms: uniform sorted reversed few zipf "
                   "constant")
      ->capture_default_str()
      ->type_name("KIND");
  command->add_option("--in", w->in, "For sorts, selections and histograms: file of the input's elements")
      ->type_name("FILE");
  command->add_flag("--inclusive", w->inclusive, "For scans: inclusive");
  command->add_flag("--in-place", w->in_place, "For scans and sorts: write the output over the input");
  command->add_option("--seed", w->seed, "Seed of the input and of the order in which blocks, warps and lanes run")
      ->capture_default_str()
      ->check(checks::count())
      ->type_name("S");
  command->add_option("--resident", w->resident, "Number of blocks that run at the same time")
      ->capture_default_str()
      ->check(checks::count(1))
      ->type_name("K");
  auto* withhold =
      command->add_option("--withhold", w->withheld, "Stop this block at its first barrier until all others have ended")
          ->check(checks::count())
          ->type_name("BLOCK");
  auto* races =
      command->add_flag("--races", w->races, "Check for data races at any size. Default: up to 2^18 elements");
  command->add_flag("--no-races", w->no_races, "Do not check for data races; faster")->excludes(races);
  command->add_flag("--lines", w->lines, "Also print the counts of each source line");
  command->add_flag("--steps", w->steps, "Show each step in the terminal, for up to 64 elements");
  command->add_option("--html", w->html, "Write an HTML page that plays the steps")->type_name("FILE");
  command->add_flag("--mutate", w->mutate, "Remove one barrier at a time and report whether the race checker finds it");
  auto* json = command
                   ->add_option("--json", w->json,
                                "Write JSON to this file; without a file, to standard output instead of "
                                "the text")
                   ->expected(0, 1)
                   ->allow_extra_args(false)
                   ->type_name("[FILE]");
  command->add_option("--run-on", w->run_on, "Run each variant once on this device instead, for a profiler")
      ->type_name("DEVICE")
      ->group("");
  command->footer(footer);
  command->callback([w, json, withhold] {
    w->withholds = withhold->count() > 0;
    // In `lens --json scan/blelloch`, the argument is the variant and not the name of a file.
    const auto is_textbook_variant = [](const std::string& text) {
      for (const auto& r : lens::textbook_variants())
        if (r.name == text) return true;
      return false;
    };
    if (!w->json.empty() && is_textbook_variant(w->json.front())) {
      w->names.push_back(w->json.front());
      w->json = {"-"};
    }
    if (json->count() > 0 && (w->json.empty() || w->json.front().empty())) w->json = {"-"};
    run_lens(*w);
  });
}
