// A picture as in a file: integers of 8 or 16 bits, a quarter or a half of the size of floats. The formats read and
// write these; filters get floats, of the whole picture or of some rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/image/metadata.hpp"
#include "cli/image/picture.hpp"

struct stored_picture {
  std::uint64_t width = 0, height = 0;
  std::uint32_t channels = 0, depth = 8;  // as in picture
  std::uint32_t most = 255;               // the integer that is 1: 65535 of 16 bits, and a PGM says what
  std::vector<std::uint8_t> bytes;        // of 16 bits in the machine's order
  picture_metadata metadata;

  bool has_alpha() const { return channels == 2 || channels == 4; }
  std::uint32_t colours() const { return channels <= 2 ? 1 : 3; }
  std::uint64_t row_bytes() const { return width * channels * depth / 8; }
};

// Before samples are read.
stored_picture empty_stored(std::uint64_t width, std::uint64_t height, std::uint32_t channels, std::uint32_t depth);

picture floats_of(const stored_picture&);
picture floats_of_rows(const stored_picture&, std::uint64_t first, std::uint64_t rows);
picture floats_of_channel(const stored_picture&, std::uint32_t channel);

// Samples are rounded to the nearest integer of the depth; NaN becomes black.
stored_picture stored_of(const picture&);
// `rows` rows of the floats, from the `skipped`th on, go to those from the `first` on.
void put_rows(stored_picture& to, std::uint64_t first, const picture& from, std::uint64_t skipped, std::uint64_t rows);
void put_channel(stored_picture& to, std::uint32_t channel, const picture& from);

// Converts row by row through floats: to another depth, or without alpha.
stored_picture with_depth(const stored_picture&, std::uint32_t depth);
stored_picture composited_on_white(const stored_picture&);

stored_picture read_stored_picture(const std::string& path, std::uint64_t memory);
void write_stored_picture(const std::string& path, const stored_picture&, picture_quality = {},
                          std::optional<picture_format> format = {});

// For the formats' own files.
namespace picture_files {

// Throws if a size of a header or of the user is empty or too large.
enum class size_from : std::uint8_t { header, user };
void require_size(const std::string& name, std::uint64_t width, std::uint64_t height, std::uint32_t channels,
                  std::uint64_t memory, size_from = size_from::header);
stored_picture turned_upright(stored_picture, int orientation);  // EXIF's 1 to 8; anything else leaves it
int exif_orientation(std::string_view tiff);                     // 1 where it says nothing
// Files of several pictures are read to the first, and that is said.
void tell_of_others(const std::string& name, const std::string& how_many);

extern const bool have_png, have_jpeg;
stored_picture read_png(const std::string& name, std::string_view bytes, std::uint64_t memory);
stored_picture read_jpeg(const std::string& name, std::string_view bytes, std::uint64_t memory);
stored_picture read_netpbm(const std::string& name, std::string_view bytes, std::uint64_t memory);
stored_picture read_tiff(const std::string& name, std::string_view bytes, std::uint64_t memory);
stored_picture read_webp(const std::string& name, std::string_view bytes, std::uint64_t memory);
stored_picture read_gif(const std::string& name, std::string_view bytes, std::uint64_t memory);
std::string png_bytes(const stored_picture&);
std::string jpeg_bytes(const stored_picture&, int quality);
std::string netpbm_bytes(const std::string& name, const stored_picture&, picture_format);

}  // namespace picture_files
