// upsweep image: filters on pictures, one by one, in pipelines, and on whole folders.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "cli/image/filters.hpp"
#include "cli/image/parts.hpp"
#include "cli/image/stored_picture.hpp"
#include "cli/io/same_file.hpp"
#include "cli/options.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/message.hpp"
#include "cli/process/printable.hpp"
#include "cli/process/report_error.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;
namespace fs = std::filesystem;

namespace {

struct image_options {
  std::string in, out, edge = "mirror", memory, format, compare, pipeline, size = "512x512";
  device_options where;
  picture_quality quality;
  std::uint32_t depth = 0, channels = 3;
  bool explain = false, side_by_side = false;
  std::vector<std::string> given;  // a filter's parameters
};

class image_run {
 public:
  image_run(const image_options& o, std::vector<image_step> steps)
      : o_(o), steps_(std::move(steps)), edge_(edge_of(o.edge)), memory_(memory_limit(o.memory)) {
    if (o.compare.empty()) {
      devices_.push_back(usual_device());
      return;
    }
    for (std::size_t at = 0; at <= o.compare.size();) {
      const std::size_t comma = std::min(o.compare.find(',', at), o.compare.size());
      if (comma == at)
        throw error(fault::bad_argument, "--compare '" + o.compare + "'", "a device's name is missing",
                    "write it as in cpu,opencl:0");
      devices_.push_back(open_context({o.compare.substr(at, comma - at), o.where.variant}, {"convolve"}));
      at = comma + 1;
    }
  }

  std::size_t steps() const { return steps_.size(); }
  at_work* bar = nullptr;  // on which the steps of one picture are shown

  // `named`: messages begin with the picture's name because there are several pictures.
  void one(const std::string& in, const std::string& out, bool named = false) {
    require_no_overlap({{"OUT", out}}, {{"IN", in}});
    // Detects errors of the output before the work.
    const picture_format format = picture_format_of(out == "-" ? "-." + (o_.format.empty() ? "png" : o_.format) : out);
    said_ = out == "-" || answer::wanted() ? stderr : stdout;
    stored_picture stored = read_stored_picture(in, memory_);
    if (named) fmt::print(said_, "{}\n", printable(in));
    picture_metadata metadata = std::move(stored.metadata);
    if (!o_.side_by_side) {
      stored_picture result = filtered(devices_[0], std::move(stored));
      result.metadata = std::move(metadata);
      return write_stored_picture(out, result, o_.quality, format);
    }
    const picture p = floats_of(stored);
    std::optional<picture> first;
    for (const context& where : devices_) {
      picture result = timed(where, p, first);
      if (!first) first = std::move(result);
    }
    if (o_.depth) first->depth = o_.depth;
    stored_picture both = stored_of(beside(p, *first));
    both.metadata = std::move(metadata);
    write_stored_picture(out, both, o_.quality, format);
  }

 private:
  static border edge_of(const std::string& name) {
    const auto edge = border_named(name);
    if (!edge || *edge == border::none)
      throw error(fault::bad_argument, "--border '" + name + "'", edge ? "a picture keeps its size" : "it is not known",
                  "give zero, clamp, reflect, mirror or wrap");
    return *edge;
  }

  // The requested device; else the best one that supports all steps.
  context usual_device() const {
    const bool cpu = std::ranges::any_of(
        steps_, [](const image_step& s) { return !s.numbers.empty() && s.numbers[0] > s.filter->most_on_devices; });
    return cpu && o_.where.device.empty() && o_.where.variant.empty() ? context::cpu()
                                                                      : open_context(o_.where, {"convolve"});
  }

  picture filtered(const context& where, const picture& p, bool explain) const {
    std::vector<std::string> explained;
    const image_place place{where, edge_, memory_, explain ? &explained : nullptr};
    std::optional<picture> now;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (bar) bar->step(i + 1, std::string(steps_[i].filter->name));
      now = after_step(place, steps_[i], now ? *now : p);
    }
    for (const std::string& line : explained) fmt::print(said_, "{}\n", line);
    return std::move(*now);
  }

  // One rounding to the requested depth; large pictures are processed in parts.
  stored_picture filtered(const context& where, stored_picture p) const {
    std::vector<std::string> explained;
    const image_place place{where, edge_, memory_, o_.explain ? &explained : nullptr};
    const std::uint32_t depth = o_.depth ? o_.depth : p.depth;
    if (where.kind() == backend::cpu && goes_in_parts(place, steps_, p)) {
      p = done_in_parts(place, steps_, std::move(p), depth);
    } else {
      picture now = floats_of(std::exchange(p, {}));
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (bar) bar->step(i + 1, std::string(steps_[i].filter->name));
        now = after_step(place, steps_[i], now);
      }
      now.depth = depth;
      p = stored_of(now);
    }
    for (const std::string& line : explained) fmt::print(said_, "{}\n", line);
    return p;
  }

  // Once to warm up, then the middle one of three.
  picture timed(const context& where, const picture& p, const std::optional<picture>& other) const {
    picture result = filtered(where, p, o_.explain);
    double seconds[3];
    for (double& s : seconds) {
      const auto began = std::chrono::steady_clock::now();
      result = filtered(where, p, false);
      s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }
    std::ranges::sort(seconds);
    answer::fields()["devices"].push_back({{"name", where.name()}, {"seconds", seconds[1]}});
    fmt::print(said_, "{:<10} {:9.2f} ms", where.name(), seconds[1] * 1e3);
    if (other) {
      const float most = result.depth == 8 ? 255.0f : 65535.0f;
      float far = 0;
      for (std::size_t i = 0; i < result.samples.size(); ++i) {
        const float by = std::abs(std::rint(result.samples[i] * most) - std::rint(other->samples[i] * most));
        if (!(by <= far)) far = by;
      }
      fmt::print(said_, ", at most {} of {} grey levels from {}", far, most, devices_[0].name());
    }
    fmt::print(said_, "\n");
    return result;
  }

  static picture beside(const picture& left, const picture& right) {
    const bool alpha = left.has_alpha() || right.has_alpha() || left.height != right.height;
    const std::uint32_t colours = std::max(left.colours(), right.colours()), channels = colours + alpha;
    picture both{
        left.width + right.width, std::max(left.height, right.height), channels, std::max(left.depth, right.depth), {}};
    both.samples.resize(both.pixels() * channels);
    std::uint64_t x = 0;
    for (const picture& p : {with_channels(left, channels), with_channels(right, channels)}) {
      for (std::uint64_t y = 0; y < p.height; ++y)
        std::copy_n(&p.samples[y * p.width * channels], p.width * channels,
                    &both.samples[(y * both.width + x) * channels]);
      x += p.width;
    }
    return both;
  }

  const image_options& o_;
  std::vector<image_step> steps_;
  border edge_;
  std::uint64_t memory_;
  std::vector<context> devices_;
  std::FILE* said_ = stdout;  // where messages go: not into a picture on standard output
};

void require_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder.empty() ? fs::path(".") : folder, ignored))
    throw error(fault::bad_argument, folder.string(), "the output folder does not exist", "create it first");
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// Every picture is processed or reported; then the command fails if there was an error.
void whole_folder(const image_options& o, image_run& run) {
  require_folder(o.out);
  if (fs::equivalent(o.in, o.out))
    throw error(fault::bad_argument, o.out, "the output folder is the input folder", "give another one");
  std::vector<fs::path> pictures;
  for (const auto& entry : fs::directory_iterator(o.in))
    if (entry.is_regular_file() && is_picture_name(entry.path())) pictures.push_back(entry.path());
  std::ranges::sort(pictures);
  if (pictures.empty())
    throw error(fault::bad_argument, o.in, "it contains no pictures",
                "give a folder with .png, .jpg, .tif, .webp, .gif, .ppm, .pgm or .pam files");
  std::vector<std::string> complaints;
  {
    progress bar("image", pictures.size(), "pictures");
    std::set<fs::path> written;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      bar.at(i, pictures[i].filename());
      fs::path out = fs::path(o.out) / pictures[i].filename();
      if (!o.format.empty()) out.replace_extension(o.format);
      try {
        if (!written.insert(out).second)
          throw error(fault::bad_argument, pictures[i], "another picture was already written as " + out.string(),
                      "rename one of them");
        run.one(pictures[i], out, o.explain || o.side_by_side);
      } catch (const std::bad_alloc&) {
        complaints.push_back(pictures[i].string() + ": the host is out of memory");
      } catch (const std::exception& e) {
        const std::string said = one_line(e.what());
        complaints.push_back(said.starts_with(pictures[i].string()) ? said : pictures[i].string() + ": " + said);
      }
    }
  }
  for (const std::string& c : complaints) report_error(c, failed);
  if (complaints.empty()) return;
  print_message("upsweep: {} of {} pictures were processed\n", pictures.size() - complaints.size(), pictures.size());
  throw CLI::RuntimeError(1);
}

void image(const image_options& o, std::vector<image_step> steps) {
  image_run run(o, std::move(steps));
  if (fs::is_directory(o.in)) return whole_folder(o, run);
  if (!o.format.empty() && o.out != "-")
    throw error(fault::bad_argument, "--to", "it applies to folders and standard output, and " + o.in + " is neither",
                "give OUT that extension");
  fs::path out = o.out;
  if (fs::is_directory(out)) out /= fs::path(o.in).filename();
  require_folder(out.parent_path());
  at_work bar("image", run.steps());
  run.bar = &bar;
  run.one(o.in, out);
}

void add_image_options(CLI::App& command, image_options& o) {
  command
      .add_option(
          "IN", o.in,
          "Input: a picture (PNG, JPEG, TIFF, WebP, GIF, PPM, PGM or PAM, detected by content), a folder of them, or "
          "- for standard input")
      ->required()
      ->type_name("");
  command
      .add_option(
          "OUT", o.out,
          "Output: a file with the extension .png, .jpg, .ppm, .pgm, .pnm or .pam; a folder; or - for standard output")
      ->required()
      ->type_name("");
  command
      .add_option("--border", o.edge, "Values beyond the edges: zero, clamp, reflect, mirror or wrap. Default: mirror")
      ->type_name("B");
  command.add_flag("--explain", o.explain, "Report the algorithm of each convolution and the reason for it");
  command
      .add_option(
          "--compare", o.compare,
          "Write input and output side by side; with devices, such as cpu,opencl:0, run on each and print the times")
      ->type_name("DEVICES")
      ->expected(0, 1);
  command.add_option("--depth", o.depth, "Bits per sample of OUT: 8 or 16. Default: as in IN")
      ->type_name("N")
      ->check(CLI::IsMember({8, 16}));
  command.add_option("--quality", o.quality.jpeg, "Quality of a JPEG, 1 to 100. Default: 92")
      ->type_name("Q")
      ->check(CLI::Range(1, 100));
  command.add_option("--to", o.format, "For a folder or -: output format png (the default of -), jpg, ppm, pnm or pam")
      ->type_name("F")
      ->check(CLI::IsMember({"png", "jpg", "ppm", "pgm", "pnm", "pam"}));
  command.add_option("--memory", o.memory, "Memory limit of a picture, such as 4G. Default: half of the free memory")
      ->type_name("BYTES");
  add_device_options(command, o.where);
}

void add_filter(CLI::App& app, const image_filter& f) {
  auto o = std::make_shared<image_options>();
  o->given.resize(f.parameters.size());
  CLI::App* command = app.add_subcommand(std::string(f.name), std::string(f.help));
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const filter_parameter& p = f.parameters[i];
    std::string help = std::string(p.help) + (p.usual.empty() ? "" : fmt::format(". Default: {}", p.usual));
    help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
    auto* option = command->add_option("--" + std::string(p.name), o->given[i], help)
                       ->type_name(p.type == filter_parameter::kind::size   ? "WxH"
                                   : p.type == filter_parameter::kind::mask ? "MASK"
                                                                            : "X");
    if (p.usual.empty()) option->required();
  }
  add_image_options(*command, *o);
  command->callback([o, command, &f] {
    o->side_by_side = command->count("--compare") > 0;
    image(*o, {step_of(f, o->given)});
  });
}

void add_pipeline(CLI::App& app) {
  auto o = std::make_shared<image_options>();
  CLI::App* command =
      app.add_subcommand("pipeline", "Apply several filters in sequence: 'gaussian:2 | sobel | threshold:0.2'");
  command
      ->add_option("FILTERS", o->pipeline,
                   "Filters separated by |; parameters of a filter follow a colon, in order or by name: 'resize:50% | "
                   "unsharp:amount=0.5,sigma=2'")
      ->required()
      ->type_name("");
  add_image_options(*command, *o);
  command->callback([o, command] {
    o->side_by_side = command->count("--compare") > 0;
    image(*o, steps_of_pipeline(o->pipeline));
  });
}

void add_test_picture(CLI::App& app) {
  auto o = std::make_shared<image_options>();
  CLI::App* command =
      app.add_subcommand("test-picture", "Create a picture for tests of filters: text, edges, gradients, texture");
  command->add_option("OUT", o->out, "Output file; its extension selects the format")->required()->type_name("");
  command->add_option("--size", o->size, "Size of the picture. Default: 512x512")->type_name("WxH");
  command
      ->add_option("--channels", o->channels,
                   "Channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha. "
                   "Default: 3")
      ->type_name("N")
      ->check(CLI::Range(1, 4));
  command->add_option("--depth", o->depth, "Bits per sample: 8 or 16. Default: 8")
      ->type_name("N")
      ->check(CLI::IsMember({8, 16}));
  command->add_option("--memory", o->memory, "Memory limit, such as 4G. Default: half of the free memory")
      ->type_name("BYTES");
  command->callback([o] {
    std::uint64_t width = 0, height = 0;
    char end = 0;
    if (o->size.find_first_not_of("0123456789x") != std::string::npos || o->size.size() > 20 ||
        std::sscanf(o->size.c_str(), "%lux%lu%c", &width, &height, &end) != 2)
      throw error(fault::bad_argument, "--size '" + o->size + "'", "it is not a size", "write it as 640x480");
    picture_format_of(o->out);
    picture_files::require_size("--size " + o->size, width, height, o->channels, memory_limit(o->memory),
                                picture_files::size_from::user);
    write_picture(o->out, test_picture(width, height, o->channels, o->depth ? o->depth : 8));
  });
}

}  // namespace

void add_image(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("image", "Filter pictures: blur, sharpen, edges, resize; pipelines of filters, whole folders");
  command->require_subcommand(1);
  command->footer(
      "Formats: PNG, JPEG, PPM, PGM and PAM of 8 or 16 bits, grey or RGB, with or without alpha, upright according to "
      "EXIF; TIFF, WebP and GIF as inputs only, of which the first picture is read. Samples are not converted to "
      "linear light. ICC profiles, gamma, resolution and EXIF (without its thumbnail) are copied from IN to a PNG or "
      "JPEG; data that OUT cannot hold is reported on standard error. Averages are weighted by alpha, and alpha is "
      "kept; formats without alpha get a white background. OUT is written atomically.\n"
      "Examples:\n"
      "  upsweep image gaussian --sigma 3 photo.jpg out.png\n"
      "  upsweep image pipeline 'gaussian:1 | sobel | threshold:0.1' photo.jpg edges.png\n"
      "  upsweep image resize --size 1024x photos/ smaller/ --to jpg\n"
      "  upsweep image unsharp photo.jpg both.png --compare cpu,opencl:0\n"
      "  curl -s https://example.com/photo.jpg | upsweep image resize --size 200x - - > small.png");
  // Each has that footer, too.
  for (const image_filter& f : image_filters()) add_filter(*command, f);
  add_pipeline(*command);
  add_test_picture(*command);
}
