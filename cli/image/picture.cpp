#include "cli/image/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cli/image/stored_picture.hpp"
#include "cli/io/elements.hpp"
#include "cli/io/input.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/process/message.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

struct extension {
  std::string_view text;
  picture_format format;
};
constexpr extension extensions[]{{"png", picture_format::png},   {"jpg", picture_format::jpeg},
                                 {"jpeg", picture_format::jpeg}, {"ppm", picture_format::ppm},
                                 {"pgm", picture_format::pgm},   {"pnm", picture_format::pnm},
                                 {"pam", picture_format::pam}};

const extension* extension_named(const std::string& path) {
  const std::string text = extension_of(path);
  const auto* found = std::ranges::find(extensions, text, &extension::text);
  return found == std::end(extensions) ? nullptr : found;
}

// Formats that are read but not written.
constexpr std::pair<std::string_view, std::string_view> read_only[]{
    {"tif", "TIFF"}, {"tiff", "TIFF"}, {"webp", "WebP"}, {"gif", "GIF"}};

constexpr const char* readable = "give a PNG, JPEG, TIFF, WebP, GIF, PPM, PGM or PAM";

// Pictures that others make and that are not read, by their first bytes.
struct other_format {
  std::uint64_t at;
  std::string_view mark, name;
};
constexpr other_format others[]{{0, "BM", "a BMP"},
                                {0, {"\0\0\1\0", 4}, "an icon (.ico)"},
                                {4, "ftypavif", "an AVIF"},
                                {4, "ftyphei", "a HEIC"},
                                {4, "ftypmif1", "a HEIC"},
                                {0, {"\xff\x0a", 2}, "a JPEG XL"},
                                {0, {"\0\0\0\x0cJXL ", 8}, "a JPEG XL"},
                                {0, {"\0\0\0\x0cjP  ", 8}, "a JPEG 2000"},
                                {0, "8BPS", "a Photoshop file"},
                                {0, "<svg", "an SVG"},
                                {0, "<?xml", "an SVG or other XML"},
                                {0, "%PDF", "a PDF"},
                                {0, {"\x76\x2f\x31\x01", 4}, "an OpenEXR"}};

[[noreturn]] void switched_off(const std::string& name, const char* format, const char* package) {
  throw error(fault::unsupported, name, fmt::format("{} is off in this build", format),
              fmt::format("install {} and build again", package));
}

std::string bytes_of_file(const std::string& path, std::uint64_t memory, std::string& name) {
  input file(path);
  name = file.name();
  const auto too_long = [&] {
    throw error(fault::out_of_memory, name, fmt::format("the file exceeds the memory limit of {} bytes", memory),
                "raise --memory if it is a picture");
  };
  if (file.size() && *file.size() > memory) too_long();
  std::string bytes;
  std::vector<char> block(1 << 20);
  for (std::uint64_t n; (n = file.read(block.data(), block.size())) > 0;) {
    bytes.append(block.data(), n);
    if (bytes.size() > memory) too_long();
  }
  return bytes;
}

}  // namespace

bool is_picture_name(const std::string& path) {
  return extension_named(path) ||
         std::ranges::find(read_only, extension_of(path), [](const auto& e) { return e.first; }) != std::end(read_only);
}

picture_format picture_format_of(const std::string& path) {
  const extension* e = extension_named(path);
  if (!e)
    for (const auto& [text, format] : read_only)
      if (extension_of(path) == text)
        throw error(fault::unsupported, path, fmt::format("{} can be read but not written", format),
                    "use the extension .png, or write a folder with --to png");
  if (!e)
    throw error(fault::bad_argument, path, "its extension is not that of a picture format",
                "use .png, .jpg, .jpeg, .ppm, .pgm, .pnm or .pam");
  if (e->format == picture_format::png && !picture_files::have_png) switched_off(path, "PNG", "libpng-dev");
  if (e->format == picture_format::jpeg && !picture_files::have_jpeg) switched_off(path, "JPEG", "libjpeg-dev");
  return e->format;
}

stored_picture read_stored_picture(const std::string& path, std::uint64_t memory) {
  std::string name;
  const std::string bytes = bytes_of_file(path, memory, name);
  if (bytes.empty()) throw error(fault::bad_argument, name, "it is empty", readable);
  constexpr std::string_view png{"\x89PNG\r\n\x1a\n", 8}, jpeg{"\xff\xd8\xff", 3};
  if (bytes.starts_with(png.substr(0, 4))) {
    if (!picture_files::have_png) switched_off(name, "PNG", "libpng-dev");
    if (!bytes.starts_with(png))
      throw error(fault::bad_argument, name, "it begins as a PNG but is cut off, or its line endings were converted",
                  "fetch it again");
    return picture_files::read_png(name, bytes, memory);
  }
  if (bytes.starts_with(jpeg)) {
    if (!picture_files::have_jpeg) switched_off(name, "JPEG", "libjpeg-dev");
    return picture_files::read_jpeg(name, bytes, memory);
  }
  if (bytes.size() > 1 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
    return picture_files::read_netpbm(name, bytes, memory);
  const std::string_view tiff = std::string_view(bytes).substr(0, 4);
  if (tiff == std::string_view("II*\0", 4) || tiff == std::string_view("MM\0*", 4) ||
      tiff == std::string_view("II+\0", 4) || tiff == std::string_view("MM\0+", 4))
    return picture_files::read_tiff(name, bytes, memory);
  if (bytes.starts_with("RIFF") && bytes.find("WEBP", 8) == 8) return picture_files::read_webp(name, bytes, memory);
  if (bytes.starts_with("GIF8")) return picture_files::read_gif(name, bytes, memory);
  for (const other_format& f : others)
    if (bytes.compare(std::min<std::uint64_t>(f.at, bytes.size()), f.mark.size(), f.mark) == 0)
      throw error(fault::unsupported, name, fmt::format("it is {}, which is not supported", f.name), readable);
  throw error(fault::bad_argument, name, "it is not a picture of a supported format", readable);
}

picture read_picture(const std::string& path, std::uint64_t memory) {
  return floats_of(read_stored_picture(path, memory));
}

void write_stored_picture(const std::string& path, const stored_picture& p, picture_quality quality,
                          std::optional<picture_format> wanted) {
  const picture_format format = wanted ? *wanted : picture_format_of(path);
  if (p.has_alpha() && format != picture_format::png && format != picture_format::pam)
    return write_stored_picture(path, composited_on_white(p), quality, format);
  using picture_files::holds;
  const bool png = format == picture_format::png, jpeg = format == picture_format::jpeg;
  if (const picture_metadata kept = picture_files::held_by(path, p.metadata, p.colours(),
                                                           png    ? holds::png
                                                           : jpeg ? holds::jpeg
                                                                  : holds::nothing);
      kept != p.metadata) {
    stored_picture less = p;
    less.metadata = kept;
    return write_stored_picture(path, less, quality, format);
  }
  if (png) return write_whole_file(path, picture_files::png_bytes(p));
  if (jpeg) return write_whole_file(path, picture_files::jpeg_bytes(p, quality.jpeg));
  write_whole_file(path, picture_files::netpbm_bytes(path, p, format));
}

void write_picture(const std::string& path, const picture& p, picture_quality quality,
                   std::optional<picture_format> wanted) {
  const picture_format format = wanted ? *wanted : picture_format_of(path);
  const bool flat = p.has_alpha() && format != picture_format::png && format != picture_format::pam;
  write_stored_picture(path, flat ? stored_of(composited_on_white(p)) : stored_of(p), quality, format);
}

picture composited_on_white(const picture& p) {
  if (!p.has_alpha()) return p;
  const std::uint32_t colours = p.colours();
  picture flat{p.width, p.height, colours, p.depth, std::vector<float>(p.pixels() * colours)};
  for (std::uint64_t i = 0; i < p.pixels(); ++i) {
    const float* from = &p.samples[i * p.channels];
    for (std::uint32_t c = 0; c < colours; ++c)
      flat.samples[i * colours + c] = from[c] * from[colours] + (1 - from[colours]);
  }
  return flat;
}

picture with_channels(const picture& p, std::uint32_t channels) {
  if (channels == p.channels) return p;
  picture wide{p.width, p.height, channels, p.depth, std::vector<float>(p.pixels() * channels, 1.0f)};
  for (std::uint64_t i = 0; i < p.pixels(); ++i) {
    const float* from = &p.samples[i * p.channels];
    float* to = &wide.samples[i * channels];
    for (std::uint32_t c = 0; c < wide.colours(); ++c) to[c] = from[p.colours() == 1 ? 0 : c];
    if (p.has_alpha() && wide.has_alpha()) to[wide.colours()] = from[p.colours()];
  }
  return wide;
}

namespace picture_files {

void require_size(const std::string& name, std::uint64_t width, std::uint64_t height, std::uint32_t channels,
                  std::uint64_t memory, size_from from) {
  if (width == 0 || height == 0)
    throw error(fault::bad_argument, name, fmt::format("it is an empty picture of {} x {} pixels", width, height),
                "give one with at least one pixel");
  // The file's own samples, ours, and as many again for a result. As double the product cannot overflow.
  const double bytes = static_cast<double>(width) * static_cast<double>(height) * channels * (2 + 2 * sizeof(float));
  if (bytes > static_cast<double>(memory))
    throw error(fault::out_of_memory, name,
                fmt::format("{} {} x {} pixels, which need {:.1f} GiB, and the limit is {:.1f} GiB",
                            from == size_from::header ? "it claims" : "it is", width, height, bytes / 0x1p30,
                            static_cast<double>(memory) / 0x1p30),
                from == size_from::header ? "raise --memory if the picture is to be trusted"
                                          : "raise --memory, or choose a smaller size");
}

stored_picture turned_upright(stored_picture p, int orientation) {
  if (orientation < 2 || orientation > 8) return p;
  const bool lying = orientation >= 5;
  stored_picture up = p;
  if (lying) std::swap(up.width, up.height);
  const std::uint64_t pixel = p.channels * p.depth / 8;
  for (std::uint64_t y = 0; y < up.height; ++y)
    for (std::uint64_t x = 0; x < up.width; ++x) {
      std::uint64_t from_x = lying ? y : x, from_y = lying ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) from_x = p.width - 1 - from_x;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) from_y = p.height - 1 - from_y;
      std::memcpy(&up.bytes[(y * up.width + x) * pixel], &p.bytes[(from_y * p.width + from_x) * pixel], pixel);
    }
  return up;
}

void tell_of_others(const std::string& name, const std::string& how_many) {
  print_message("upsweep: {}: {}; the first is used\n", name, how_many);
}

// A TIFF header, and in its first directory the entry 0x0112.
int exif_orientation(std::string_view tiff) {
  const auto byte = [&](std::uint64_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(tiff[at])); };
  const bool big = tiff.starts_with("MM");
  if (tiff.size() < 8 || !(big || tiff.starts_with("II"))) return 1;
  const auto number = [&](std::uint64_t at, int bytes) {
    std::uint32_t n = 0;
    for (int i = 0; i < bytes; ++i) n |= byte(at + static_cast<std::uint64_t>(i)) << 8 * (big ? bytes - 1 - i : i);
    return n;
  };
  if (number(2, 2) != 42) return 1;
  const std::uint64_t directory = number(4, 4);
  if (directory + 2 > tiff.size()) return 1;
  const std::uint32_t entries = number(directory, 2);
  for (std::uint32_t e = 0; e < entries; ++e) {
    const std::uint64_t at = directory + 2 + std::uint64_t{12} * e;
    if (at + 12 > tiff.size()) return 1;
    constexpr std::uint32_t orientation = 0x0112, short_type = 3;
    if (number(at, 2) == orientation && number(at + 2, 2) == short_type && number(at + 4, 4) == 1)
      return static_cast<int>(number(at + 8, 2));
  }
  return 1;
}

}  // namespace picture_files
