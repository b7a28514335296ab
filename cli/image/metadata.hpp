// Metadata of a picture's file: colour space, printed size, and EXIF. Read from PNG, JPEG, TIFF and WebP, and written
// to PNG and JPEG. The size is at most that in the file; a profile compressed in a PNG is limited by libpng.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct picture_metadata {
  std::string icc;   // an ICC profile
  std::string exif;  // a TIFF structure, whose orientation is 1: pictures are read upright
  // The contents of PNG's chunks of these names; empty where there is none.
  std::string gamma, chromaticities, srgb, cicp;

  enum class unit : std::uint8_t { none, ratio, inch, centimetre };
  unit density_unit = unit::none;
  double across = 0, down = 0;  // pixels to that

  bool operator==(const picture_metadata&) const = default;
};

namespace picture_files {

// Sets the orientation to 1 and removes the thumbnail, which shows the original. False if the block is not EXIF.
bool make_upright(std::string& exif);
// The block for a picture of another size.
std::string exif_of_size(std::string exif, std::uint64_t width, std::uint64_t height);

// Stores EXIF that a reader found; reports damaged EXIF.
void take_exif(picture_metadata&, const std::string& name, std::string_view exif);

// Whether the profile is for pictures of this number of colours, 1 or 3.
bool profile_fits(std::string_view icc, std::uint32_t colours);

// Removes metadata that the format of the file at `path` cannot hold, and reports it in one line.
enum class holds : std::uint8_t { nothing, jpeg, png };
picture_metadata held_by(const std::string& path, picture_metadata, std::uint32_t colours, holds);

}  // namespace picture_files
