// upsweep recurrence: recurrences, moving averages and recursive filters over files of any length.
#include "upsweep/recurrence.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/options.hpp"

using namespace upsweep;

namespace {

// Streamed in pieces of a fixed size, so that a float's bits do not depend on how the file is read.
constexpr std::uint64_t elements_at_once = 256 * cpu::recurrence_block;

struct recurrence_options {
  source_options source, factors;
  device_options where;
  output_options output;
  std::string factor;
  double start = 0;
  std::optional<double> alpha;
  std::vector<std::string> sections;
};

std::vector<double> numbers_of(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    double x = 0;
    const auto [stop, bad] = std::from_chars(text.data() + at, text.data() + comma, x);
    if (bad != std::errc() || stop != text.data() + comma || !std::isfinite(x))
      throw error(fault::bad_argument, option + " '" + text + "'",
                  "'" + text.substr(at, comma - at) + "' is no finite number", "give numbers parted by commas");
    numbers.push_back(x);
    at = comma + 1;
  }
  return numbers;
}

std::vector<biquad> sections_of(const std::vector<std::string>& texts) {
  std::vector<biquad> sections;
  for (const std::string& text : texts) {
    const std::vector<double> c = numbers_of("--biquad", text);
    if (c.size() != 5)
      throw error(fault::bad_argument, "--biquad '" + text + "'", fmt::format("it has {} numbers", c.size()),
                  "give b0,b1,b2,a1,a2 with a0 = 1");
    sections.push_back({c[0], c[1], c[2], c[3], c[4]});
  }
  return sections;
}

template <class T>
void require_finite(const std::string& name, std::span<const T> x, std::uint64_t first) {
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i]))
        throw error(fault::bad_argument, name, fmt::format("element {} is {}", first + i, x[i]),
                    "every state after it would be lost; leave it out");
}

template <class T>
void stream(const recurrence_options& o, const context& where, element_source& in, element_source* factors) {
  const std::vector<biquad> sections = sections_of(o.sections);
  std::vector<biquad_state<T>> states(sections.size(), biquad_state<T>{});
  std::optional<T> constant;
  if (!o.factor.empty() && !factors) constant = static_cast<T>(numbers_of("--factor", o.factor).front());
  T last = static_cast<T>(o.start);
  const auto sink = open_sink(o.output.path, o.output.format, in);
  std::vector<T> x(elements_at_once), a(sections.empty() && !o.alpha ? elements_at_once : 0);
  if (constant) std::fill(a.begin(), a.end(), *constant);
  for (std::uint64_t done = 0, n = elements_at_once; n == elements_at_once; done += n) {
    n = in.read(x.data(), elements_at_once);
    const std::span<T> now(x.data(), n);
    require_finite<T>(in.name, now, done);
    if (factors) {
      const std::uint64_t got = factors->read(a.data(), n);
      if (got < n)
        throw error(fault::bad_argument, factors->name,
                    fmt::format("it ends after {} factors and there are more summands", done + got),
                    "give one for each");
      require_finite<T>(factors->name, std::span<const T>(a.data(), n), done);
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t s = 0; s < sections.size(); ++s) states[s] = filter(where, sections[s], now, now, states[s]);
      if (o.alpha) last = moving_average(where, now, now, *o.alpha, last);
    }
    if (!a.empty()) last = recurrence(where, std::span<const T>(a.data(), n), now, now, last);
    sink->write(x.data(), n);
  }
  in.expect_end();
  if (factors) {
    T more;
    if (factors->read(&more, 1) > 0)
      throw error(fault::bad_argument, factors->name, "it has more factors than there are summands",
                  "give one for each");
  }
  sink->commit();
}

context where_asked_for(const device_options& o) {
  if (!o.device.empty()) return context::named(o.device);
  const context best = context::best();
  return best.kind() == backend::opencl ? context::cpu() : best;
}

void run_recurrence(recurrence_options o) {
  if (int(!o.factor.empty()) + int(o.alpha.has_value()) + int(!o.sections.empty()) != 1)
    throw error(fault::bad_argument, "recurrence", "what the recurrence is, is not said once",
                "give one of --factor, --average and --biquad");
  if (!std::isfinite(o.start)) throw error(fault::bad_argument, "--start", "it is no finite number", "give one");
  const context where = where_asked_for(o.where);
  const auto in = open_source(o.source);
  require_one_axis(*in, "a recurrence runs");
  std::unique_ptr<element_source> factors;
  double number = 0;
  const char* const end = o.factor.data() + o.factor.size();
  if (!o.factor.empty() && std::from_chars(o.factor.data(), end, number).ptr != end) {
    o.factors = o.source;
    o.factors.path = o.factor;
    o.factors.format.clear();
    factors = open_source(o.factors);
    require_one_axis(*factors, "a recurrence runs");
    if (factors->type != in->type)
      throw error(fault::bad_argument, factors->name,
                  fmt::format("its elements are {} and those of {} are {}", name_of(factors->type), in->name,
                              name_of(in->type)),
                  "convert one with --as");
  }
  if (!is_floating(in->type) && (o.alpha || !o.sections.empty()))
    throw error(fault::unsupported, in->name, fmt::format("its elements are {}", name_of(in->type)),
                "read them with --as f32 or f64");
  switch (in->type) {
    case dtype::f32: return stream<float>(o, where, *in, factors.get());
    case dtype::f64: return stream<double>(o, where, *in, factors.get());
    case dtype::u32: return stream<std::uint32_t>(o, where, *in, factors.get());
    case dtype::u64: return stream<std::uint64_t>(o, where, *in, factors.get());
    default:
      throw error(fault::unsupported, in->name, fmt::format("recurrences of {} are not run", name_of(in->type)),
                  "read them with --as f64");
  }
}

}  // namespace

void add_recurrence(CLI::App& app) {
  auto o = std::make_shared<recurrence_options>();
  CLI::App* command =
      app.add_subcommand("recurrence", "Run a recurrence, a moving average or a recursive filter along a sequence");
  add_source_options(*command, o->source);
  command->add_option("--factor", o->factor, "x_i = factor·x_{i-1} + element i: a number, or a file of as many")
      ->type_name("A");
  command->add_option("--average", o->alpha, "x_i = (1-ALPHA)·x_{i-1} + ALPHA·element i")->type_name("ALPHA");
  command
      ->add_option("--biquad", o->sections,
                   "b0,b1,b2,a1,a2: a section y = b0·x + b1·x[-1] + b2·x[-2] - a1·y[-1] - a2·y[-2]; may be repeated")
      ->type_name("B,A")
      ->allow_extra_args(false);
  command->add_option("--start", o->start, "x before the first. Default: 0")->type_name("X");
  add_output_options(*command, o->output, "Where the states go");
  command->add_option("--device", o->where.device, "cpu, cpu:4, cuda:0. Default: a CUDA device, else the CPU")
      ->type_name("D");
  command->footer(
      "The steps are composed side by side, as a scan composes them; f32, f64, and u32 and u64 modulo 2^32 and 2^64. "
      "Files of any length\n"
      "stream through. Elements that are infinite or NaN are refused.\n"
      "Examples:\n"
      "  upsweep recurrence prices.csv --column price --average 0.1 -o smooth.csv\n"
      "  upsweep recurrence deposits.npy --factor 1.002 -o balance.npy\n"
      "  upsweep recurrence sound.npy --biquad 0.02,0.04,0.02,-1.56,0.64 -o low.npy");
  command->callback([o] { run_recurrence(*o); });
}
