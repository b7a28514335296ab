#include "cli/options.hpp"

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
                  "Input: .npy, .csv or raw elements, each also packed as .gz or .zst; a member of an .npz, as in "
                  "data.npz:x;\nor - for standard input")
      ->required()
      ->type_name("");
  command
      .add_option("--format", o.format,
                  "What FILE is: npy, csv or raw. Default: by its first bytes, then by its extension")
      ->type_name("F");
  const std::string types =
      o.narrow ? "i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64,\nbool, or as NumPy writes it (>f8 is big-endian)"
               : "i32, u32, i64, u64, f32, f64, or as NumPy writes it (>f8 is\nbig-endian)";
  command
      .add_option("--dtype", o.type,
                  "Type of raw or CSV elements: " + types +
                      ". Default for CSV: " + (o.typed ? "what the\ncolumn's fields are" : "f64"))
      ->type_name("T");
  command
      .add_option("--as", o.as,
                  o.narrow ? "Convert the elements to this type first; it must hold all their values"
                           : "Convert the elements to this type first; it must hold all their values. NumPy "
                             "sums\nint32 as with --as i64")
      ->type_name("T");
  command
      .add_option("--column", o.column,
                  "CSV: the column, by its name in the first row, else by its number, counted from 1")
      ->type_name("C");
  command
      .add_option("--separator", o.separator,
                  "CSV: what stands between fields, one character or the word tab. Default: a comma")
      ->type_name("S");
  auto* header = command.add_flag("--header", o.header,
                                  "CSV: the first row holds names. Default: where it holds the name asked for, or its "
                                  "first\nfield or the column's is text");
  command.add_flag("--no-header", o.no_header, "CSV: the first row holds data")->excludes(header);
  command
      .add_option(
          "--na", o.na,
          "CSV: missing values (empty, NA, N/A, NaN, null, none, nil, -, --, ., ? and short rows): skip\nthe row, "
          "or take them as zero or another number, or error. Default: as NaN where so written,\nelse an error")
      ->type_name("skip|zero|error|X");
  command.add_flag("--verbose", o.verbose,
                   "CSV: say on standard error what the column holds: its type, and how many are missing");
}

void add_device_options(CLI::App& command, device_options& o) {
  command
      .add_option("--device", o.device,
                  "cpu, cpu:N (N threads), cuda:N, opencl:N or best, as `upsweep devices` lists them. "
                  "Default: best; for a file of up to 1 MiB the CPU, which is done before a GPU is opened")
      ->type_name("D");
  command.add_option("--variant", o.variant, "Algorithm by name, as `upsweep list` shows them. Default: the fastest")
      ->type_name("NAME");
}

void add_output_options(CLI::App& command, output_options& o, const std::string& what) {
  command.add_option("-o,--output", o.path, what + ", or - for standard output, the default; it may be FILE itself")
      ->type_name("OUT");
  command
      .add_option("--output-format", o.format, "npy, csv or raw. Default: by the output's extension, else what FILE is")
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

context open_device(const device_options& o, const std::string& variant, std::string_view primitive,
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

constexpr std::uint64_t mebibyte = 1 << 20;

std::uint64_t free_on_machine() {
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;)
    if (std::uint64_t kibibytes; word == "MemAvailable:" && info >> kibibytes) return kibibytes << 10;
  return 1024 * mebibyte;
}

// A container's own bound, where there is one. What it has in use is largely pages of files, which are given up when
// asked for.
std::uint64_t free_in_container(std::uint64_t otherwise) {
  std::uint64_t most = 0, used = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> most)) return otherwise;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  return std::min(otherwise, std::max(most / 4, most - std::min(most, used)));
}

// What `ulimit -v` leaves, of which threads and libraries take their part as well.
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
  require_variant(name, where.kind());
  if (std::ranges::find(primitives, primitive_of(name)) == primitives.end())
    throw error(fault::bad_argument, "variant '" + name + "'", fmt::format("it is no {}", primitives[0]),
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
    throw error(fault::bad_argument, option + " '" + text + "'", "it is no size",
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
                                                        : fmt::format("it is no number of type {}", name_of(type)),
                  "give a value of the elements' type");
    return scalar::of(static_cast<T>(value));
  });
}

void require_one_axis(const element_source& source, const std::string& verb) {
  if (source.shape.size() != 1)
    throw error(fault::unsupported, source.name,
                fmt::format("it has {} axes and {} along one", source.shape.size(), verb),
                "flatten it with numpy.ravel, or choose a row or column");
}
