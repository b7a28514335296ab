// Reads and writes pictures: PNG, JPEG, and netpbm's PPM, PGM and PAM; TIFF, WebP and GIF are only read. The first
// bytes select the format that is read, the extension the format that is written. Files are written atomically.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/core/image_shape.hpp"

// Rows from the top, pixels from the left, channels interleaved. Samples are those of the file, usually sRGB, scaled to
// [0, 1]: a float represents a sample of 16 bits exactly, so that a picture that is read and written is unchanged.
struct picture {
  std::uint64_t width = 0, height = 0;
  // 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha; the colour is not premultiplied.
  std::uint32_t channels = 0;
  std::uint32_t depth = 8;  // 8 or 16: bits of a sample in the file that was read, and in the one that is written
  std::vector<float> samples;

  bool has_alpha() const { return channels == 2 || channels == 4; }
  std::uint32_t colours() const { return channels <= 2 ? 1 : 3; }
  std::uint64_t pixels() const { return width * height; }
  upsweep::extent size() const { return {width, height}; }
};

enum class picture_format : std::uint8_t { png, jpeg, ppm, pgm, pnm, pam };

// The format of the extension. Throws an error that lists the formats if it is unknown or off in this build.
picture_format picture_format_of(const std::string& path);
bool is_picture_name(const std::string& path);  // one that may be read

// Reads a picture, rotated according to EXIF. Throws before allocation if the picture needs more than `memory` bytes.
picture read_picture(const std::string& path, std::uint64_t memory);

struct picture_quality {
  int jpeg = 92;  // 1 to 100
};
// Alpha is written if the format supports it; else the picture is composited on white. `format` overrides the
// extension.
void write_picture(const std::string& path, const picture&, picture_quality = {},
                   std::optional<picture_format> format = {});

picture composited_on_white(const picture&);
picture with_channels(const picture&, std::uint32_t channels);  // to more of them: grey as RGB, alpha 1

// A picture for tests of filters: text, edges at all angles, gradients, texture and noise, of 1 to 4 channels and depth
// 8 or 16. Its bits are the same on every machine.
picture test_picture(std::uint64_t width, std::uint64_t height, std::uint32_t channels = 3, std::uint32_t depth = 8);
