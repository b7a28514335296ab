// upsweep recurrence: recurrences, moving averages and recursive filters over files of any length.
#include "upsweep/recurrence.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/fold/fold.hpp"
#include "cli/io/same_file.hpp"
#include "cli/options.hpp"

using namespace upsweep;

namespace {

// Streamed in pieces of a fixed size, so that a float's bits do not depend on how the file is read.
constexpr std::uint64_t elements_at_once = 256 * cpu::recurrence_block;

struct recurrence_options {
  source_options source, factors;
  device_options where;
  output_options output;
  std::string factor, start = "0", alpha;
  std::vector<std::string> sections;
};

// Of the elements' own type, so that no figure of it is lost on the way.
template <class T>
T number_of(const std::string& option, const std::string& text) {
  const T value = scalar_of_text(option, text, dtype_of<T>).template as<T>();
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value))
      throw error(fault::bad_argument, option + " '" + text + "'", "it is not a finite number", "give one");
  return value;
}

// Whether --factor is a number, of whatever type and size, and no file.
bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  return std::from_chars(text.data(), text.data() + text.size(), ignored).ptr == text.data() + text.size();
}

template <class T>
std::vector<biquad> sections_of(const std::vector<std::string>& texts) {
  std::vector<biquad> sections;
  for (const std::string& text : texts) {
    std::vector<double> c;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      std::string item = text.substr(at, comma - at);
      item.erase(0, item.find_first_not_of(' '));
      item.erase(item.find_last_not_of(' ') + 1);
      c.push_back(static_cast<double>(number_of<T>("--biquad", item)));
      at = comma + 1;
    }
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
        throw error(fault::bad_argument, name,
                    fmt::format("element {} is {}", first + i, value_text(scalar::of(x[i]), dtype_of<T>)),
                    "every later state would be infinite or NaN; remove it");
}

// Signed integers modulo 2^32 and 2^64 are the unsigned ones' bits.
template <class T>
struct stepped_as {
  using type = T;
};
template <std::signed_integral T>
struct stepped_as<T> {
  using type = std::make_unsigned_t<T>;
};

template <class T>
void stream(const recurrence_options& o, const context& where, element_source& in, element_source* factors) {
  using U = typename stepped_as<T>::type;
  std::vector<biquad> sections;
  double alpha = 0;
  std::optional<T> constant;
  if constexpr (std::is_floating_point_v<T>) {
    sections = sections_of<T>(o.sections);
    if (!o.alpha.empty()) alpha = number_of<double>("--average", o.alpha);
    if (!(alpha >= 0 && alpha <= 1))
      throw error(fault::bad_argument, "--average '" + o.alpha + "'", "alpha must be from 0 to 1",
                  "give such a number");
  }
  std::vector<biquad_state<T>> states(sections.size(), biquad_state<T>{});
  if (!o.factor.empty() && !factors) constant = number_of<T>("--factor", o.factor);
  U last = static_cast<U>(number_of<T>("--start", o.start));
  const auto sink = open_sink(o.output.path, o.output.format, in);
  std::vector<T> x(elements_at_once), a(o.factor.empty() ? 0 : elements_at_once);
  if (constant) std::fill(a.begin(), a.end(), *constant);
  for (std::uint64_t done = 0, n = elements_at_once; n == elements_at_once; done += n) {
    n = in.read(x.data(), elements_at_once);
    const std::span<T> now(x.data(), n);
    require_finite<T>(in.name, now, done);
    if (factors) {
      const std::uint64_t got = factors->read(a.data(), n);
      if (got < n)
        throw error(fault::bad_argument, factors->name,
                    fmt::format("it ends after {} factors, before the last element", done + got),
                    "give one for each element");
      require_finite<T>(factors->name, std::span<const T>(a.data(), n), done);
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t s = 0; s < sections.size(); ++s) states[s] = iir_filter(where, sections[s], now, now, states[s]);
      if (!o.alpha.empty()) last = moving_average(where, now, now, alpha, last);
    }
    if (!a.empty()) {
      const std::span<U> states_of(reinterpret_cast<U*>(x.data()), n);
      last = recurrence(where, std::span<const U>(reinterpret_cast<const U*>(a.data()), n), states_of, states_of, last);
    }
    sink->write(x.data(), n);
  }
  in.expect_end();
  if (factors) {
    T more;
    if (factors->read(&more, 1) > 0)
      throw error(fault::bad_argument, factors->name, "it has more factors than there are elements",
                  "give one for each element");
  }
  sink->commit();
}

void run_recurrence(recurrence_options o) {
  if (int(!o.factor.empty()) + int(!o.alpha.empty()) + int(!o.sections.empty()) != 1)
    throw error(fault::bad_argument, "recurrence", "exactly one of --factor, --average and --biquad is needed",
                "give one of --factor, --average and --biquad");
  require_no_overlap({{"-o", o.output.path}}, {{"--factor", o.factor}});
  const context where = open_context(o.where, {"recurrence"}, o.source.path);
  const auto in = open_source(o.source);
  require_one_axis(*in, "a recurrence runs");
  std::unique_ptr<element_source> factors;
  if (!o.factor.empty() && !is_number(o.factor)) {
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
  if (!is_floating(in->type) && o.factor.empty())
    throw error(fault::unsupported, in->name,
                fmt::format("its elements are {}, and averages and filters take floats", name_of(in->type)),
                "read them with --as f64");
  with_type(in->type, [&](auto tag) { stream<typename decltype(tag)::type>(o, where, *in, factors.get()); });
}

}  // namespace

void add_recurrence(CLI::App& app) {
  auto o = std::make_shared<recurrence_options>();
  CLI::App* command =
      app.add_subcommand("recurrence", "Run a recurrence, a moving average or a recursive filter over a sequence");
  add_source_options(*command, o->source);
  command->add_option("--factor", o->factor, "x_i = factor·x_{i-1} + element i: a number, or a file of as many")
      ->type_name("A");
  command->add_option("--average", o->alpha, "x_i = (1-ALPHA)·x_{i-1} + ALPHA·element i")->type_name("ALPHA");
  command
      ->add_option("--biquad", o->sections,
                   "b0,b1,b2,a1,a2: a section y = b0·x + b1·x[-1] + b2·x[-2] - a1·y[-1] - a2·y[-2]; may be repeated")
      ->type_name("B,A")
      ->allow_extra_args(false);
  command->add_option("--start", o->start, "x before the first element. Default: 0")->type_name("X");
  add_output_options(*command, o->output, "Output file of the states");
  command->add_option("--device", o->where.device, "cpu, cpu:4, cuda:0. Default: a CUDA device, else the CPU")
      ->type_name("D");
  command->footer(
      "Steps are composed in parallel, as by a scan. Types: f32, f64, and integers modulo 2^32 or 2^64. Files of any "
      "length are streamed. --factor and --start have the elements' type. Infinite and NaN elements are refused.\n"
      "Examples:\n"
      "  upsweep recurrence prices.csv --column price --average 0.1 -o smooth.csv\n"
      "  upsweep recurrence deposits.npy --factor 1.002 -o balance.npy\n"
      "  upsweep recurrence sound.npy --biquad 0.02,0.04,0.02,-1.56,0.64 -o low.npy");
  command->callback([o] { run_recurrence(*o); });
}
