// Pictures from and to files: PNG, JPEG, and netpbm's PPM, PGM and PAM; TIFF, WebP and GIF are read. What a file is,
// is told by its first bytes; what it is written as, by the name's extension. A file appears whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/core/shape.hpp"

// Rows from the top, pixels from the left, channels interleaved. The samples are as the file has them, sRGB for the
// most part, over [0, 1]: a float holds a sample of 16 bits exactly, so that what is read and written again is the
// same.
struct picture {
  std::uint64_t width = 0, height = 0;
  // 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha; the colour is not multiplied by alpha.
  std::uint32_t channels = 0;
  std::uint32_t depth = 8;  // 8 or 16: bits of a sample in the file it came from, and of the one it goes to
  std::vector<float> samples;

  bool has_alpha() const { return channels == 2 || channels == 4; }
  std::uint32_t colours() const { return channels <= 2 ? 1 : 3; }
  std::uint64_t pixels() const { return width * height; }
  upsweep::extent size() const { return {width, height}; }
};

enum class picture_format : std::uint8_t { png, jpeg, ppm, pgm, pnm, pam };

// By the extension; throws a sentence that lists them where it is none of them, or is of a format that is off in this
// build.
picture_format picture_format_of(const std::string& path);
bool is_picture_name(const std::string& path);  // one that may be read

// Upright, as the EXIF orientation says. Refuses, before it takes the memory, a picture that claims more than `memory`
// bytes.
picture read_picture(const std::string& path, std::uint64_t memory);

struct picture_quality {
  int jpeg = 92;  // 1 to 100
};
// Alpha goes where the format holds it; else the picture is laid on white.
// As `format`, where the name does not say it.
void write_picture(const std::string& path, const picture&, picture_quality = {},
                   std::optional<picture_format> format = {});

picture laid_on_white(const picture&);
picture with_channels(const picture&, std::uint32_t channels);  // to more of them: grey as RGB, alpha 1

// A picture for trying filters on: text, edges at all angles, gradients, texture and noise, of 1 to 4 channels and of
// depth 8 or 16. The same bits on every machine.
picture test_picture(std::uint64_t width, std::uint64_t height, std::uint32_t channels = 3, std::uint32_t depth = 8);
