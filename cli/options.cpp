#include "cli/options.hpp"
#include "cli/lens/listed.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

using namespace upsweep;

void add_source_options(CLI::App& command, source_options& o) {
  command
      .add_option("FILE", o.path,
                  "Input file: .npy, .csv or raw elements, each also compressed as .gz or .zst; a member of an .npz, "
                  "as data.npz:x; or - for standard input")
      ->required()
      ->type_name("");
  command
      .add_option("--format", o.format,
                  "Format of FILE: npy, csv or raw. Default: by its first bytes, then by its extension")
      ->type_name("F");
  const std::string types =
      o.narrow ? "i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, bool, or NumPy's names (>f8 is big-endian)"
               : "i32, u32, i64, u64, f32, f64, or NumPy's names (>f8 is big-endian)";
  command
      .add_option("--dtype", o.type,
                  "Type of raw or CSV elements: " + types +
                      ". Default for CSV: " + (o.typed ? "the type of the column's fields" : "f64"))
      ->type_name("T");
  command
      .add_option("--as", o.as,
                  o.narrow ? "Convert the elements to this type first; it must hold all their values"
                           : "Convert the elements to this type first; it must hold all their values. NumPy sums "
                             "int32 as --as i64 does")
      ->type_name("T");
  command
      .add_option("--column", o.column,
                  "CSV: the column, by its name in the first row or by its number, counted from 1")
      ->type_name("C");
  command
      .add_option("--separator", o.separator,
                  "CSV: separator of fields, one character or the word tab. Default: a comma")
      ->type_name("S");
  auto* header = command.add_flag("--header", o.header,
                                  "CSV: the first row holds names. Default: true if it contains the requested name, "
                                  "if its first field or the column's is text above values of another type, or if R "
                                  "or pandas wrote it. A guess is reported");
  command.add_flag("--no-header", o.no_header, "CSV: the first row holds data")->excludes(header);
  command
      .add_option(
          "--na", o.na,
          "CSV: missing values (empty, NA, N/A, NaN, null, none, nil, -, --, ., ? and short rows): skip the row, read "
          "them as zero or another number, or report an error. Default: NaN where NaN is written, else an error")
      ->type_name("skip|zero|error|X");
  command
      .add_option("--number", o.numbers,
                  "CSV: these columns hold numbers: the first field that is not a number is an error that reports its "
                  "row, and 01 is 1. May be repeated. Default: columns of only numbers without leading zeros")
      ->type_name("C,...")
      ->allow_extra_args(false);
  command.add_option("--text", o.texts, "CSV: these columns hold text, even if it looks like numbers. May be repeated")
      ->type_name("C,...")
      ->allow_extra_args(false);
  command.add_option("--thousands", o.thousands, "CSV: separator between digits of numbers, as the comma in 13,000")
      ->type_name("S");
  command
      .add_option("--decimal", o.decimal, "CSV: the decimal point of numbers, as the comma in 1,5. Default: a point")
      ->type_name("S");
  command.add_flag("--no-quotes", o.no_quotes,
                   "CSV: a quote is an ordinary character, as in 5\" disk; fields then contain no separator");
  command.add_flag("--verbose", o.verbose,
                   "CSV: report on standard error the column's type and the number of missing values");
}

void add_device_options(CLI::App& command, device_options& o) {
  command
      .add_option("--device", o.device,
                  "Device: cpu, cpu:N (N threads), cuda:N, opencl:N or best, as listed by `upsweep devices`. Default: "
                  "best; for a file of up to 1 MiB the CPU, which finishes before a GPU is opened")
      ->type_name("D");
  command
      .add_option("--variant", o.variant,
                  "Variant of the algorithm, as listed by `upsweep list`. Default: the "
                  "fastest")
      ->type_name("NAME");
}

void add_output_options(CLI::App& command, output_options& o, const std::string& what) {
  command.add_option("-o,--output", o.path, what + ", or - for standard output, the default; it may be FILE itself")
      ->type_name("OUT");
  command
      .add_option("--output-format", o.format,
                  "npy, csv or raw. Default: by the output's extension, else the format "
                  "of FILE")
      ->type_name("F");
}

namespace {

std::string_view primitive_of(std::string_view variant) { return variant.substr(0, variant.find('/')); }

bool any_variant(backend where, std::string_view primitive) {
  return std::ranges::any_of(catalog(),
                             [&](const auto& v) { return v.where == where && primitive_of(v.name) == primitive; });
}

// Opening a GPU takes longer than a CPU takes for what is not longer than this.
constexpr std::uint64_t too_short_for_gpus = 1 << 20;

bool is_short(const std::string& path) {
  struct stat there{};
  return !path.empty() && stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) &&
         static_cast<std::uint64_t>(there.st_size) <= too_short_for_gpus;
}

namespace {

context device_for(const device_options& o, const std::string& variant, std::string_view primitive,
                   const std::string& input) {
  if (!o.device.empty()) return context::named(o.device);
  if (is_short(input) &&
      (variant.empty() ? any_variant(backend::cpu, primitive) : find_variant(variant, backend::cpu) != nullptr))
    return context::cpu();
  context best = context::best();
  if (variant.empty() && !any_variant(best.kind(), primitive)) return context::cpu();
  if (variant.empty() || find_variant(variant, best.kind())) return best;
  for (const device_listing& d : list_devices())
    if (d.usable && find_variant(variant, d.kind)) return context::named(d.name);
  return best;
}

}  // namespace

context open_device(const device_options& o, const std::string& variant, std::string_view primitive,
                    const std::string& input) {
  return device_for(o, variant, primitive, input).with({.checked_positions = true});
}

constexpr std::uint64_t mebibyte = 1 << 20;

std::uint64_t free_on_machine() {
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;)
    if (std::uint64_t kibibytes; word == "MemAvailable:" && info >> kibibytes) return kibibytes << 10;
  return 1024 * mebibyte;
}

// The memory limit of a container, if it has one. Most of its used memory is file cache, which is released on demand.
std::uint64_t free_in_container(std::uint64_t otherwise) {
  std::uint64_t most = 0, used = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> most)) return otherwise;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  return std::min(otherwise, std::max(most / 4, most - std::min(most, used)));
}

// The rest of `ulimit -v`, which threads and libraries also use.
std::uint64_t free_in_process(std::uint64_t otherwise) {
  rlimit most{};
  if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return otherwise;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(otherwise, (most.rlim_cur - std::min<std::uint64_t>(most.rlim_cur, used)) / 4);
}

}  // namespace

std::string variant_asked_for(const device_options& o, const std::vector<std::string_view>& primitives) {
  if (o.variant.empty()) return "";
  for (const std::string_view p : primitives)
    for (const auto& v : catalog())
      if (primitive_of(v.name) == p && v.name.ends_with("/" + o.variant)) return std::string(v.name);
  return o.variant;
}

context open_context(const device_options& o, const std::vector<std::string_view>& primitives,
                     const std::string& input) {
  const std::string name = variant_asked_for(o, primitives);
  const context where = open_device(o, name, primitives[0], input);
  if (name.empty()) return where;
  refuse_on_lens_alone(name);
  require_variant(name, where.kind());
  if (std::ranges::find(primitives, primitive_of(name)) == primitives.end())
    throw error(fault::bad_argument, "variant '" + name + "'", fmt::format("it is not a variant of {}", primitives[0]),
                fmt::format("see `upsweep list {}`", primitives[0]));
  return where.with({.variant = name});
}

std::uint64_t bytes_of_text(const std::string& option, const std::string& text) {
  double number = 0;
  const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(static_cast<char>(unit[0] & ~0x20)) + 1;
  const bool known =
      power > 0 ? unit.size() == 1 || unit.substr(1) == "B" || unit.substr(1) == "iB" : unit.empty() || unit == "B";
  if (bad != std::errc{} || !known || !(number >= 1) || !std::isfinite(number))
    throw error(fault::bad_argument, option + " '" + text + "'", "it is not a size",
                "give bytes, or a number with K, M, G or T");
  const double bytes = std::ldexp(number, static_cast<int>(10 * power));
  return bytes >= 0x1p62 ? std::uint64_t{1} << 62 : static_cast<std::uint64_t>(bytes);
}

std::uint64_t memory_limit(const std::string& option) {
  if (!option.empty()) return std::max<std::uint64_t>(bytes_of_text("--memory", option), mebibyte / 16);
  return free_in_process(std::max(free_in_container(free_on_machine()) / 2, 64 * mebibyte));
}

scalar scalar_of_text(const std::string& option, const std::string& text, dtype type) {
  return with_any_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using parsed = std::conditional_t<std::is_same_v<T, half>, float, T>;
    parsed value{};
    const std::string_view digits =
        text.size() > 1 && text[0] == '+' && text[1] != '-' ? std::string_view(text).substr(1) : std::string_view(text);
    const auto [stop, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (bad != std::errc{} || stop != digits.data() + digits.size())
      throw error(fault::bad_argument, option + " '" + text + "'",
                  bad == std::errc::result_out_of_range ? fmt::format("it does not fit in {}", name_of(type))
                                                        : fmt::format("it is not a number of type {}", name_of(type)),
                  "give a value of the elements' type");
    return scalar::of(static_cast<T>(value));
  });
}

void require_one_axis(const element_source& source, const std::string& verb) {
  if (source.shape.size() != 1)
    throw error(fault::unsupported, source.name,
                fmt::format("it has {} axes and {} along one axis", source.shape.size(), verb),
                "flatten it with numpy.ravel, or choose a row or column");
}
