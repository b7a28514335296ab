// WebP by libwebp, and of one that moves the first picture by libwebpdemux, each loaded when a file asks for it.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_WEBP && UPSWEEP_WITH_WEBPDEMUX

#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>

#include "cli/io/loaded_library.hpp"

namespace picture_files {

namespace {

struct decoder {
  decltype(&::WebPGetFeaturesInternal) features;
  decltype(&::WebPDecodeRGBInto) rgb;
  decltype(&::WebPDecodeRGBAInto) rgba;
  decoder() {
    const loaded_library from("WebP", UPSWEEP_WEBP_NAME, UPSWEEP_WEBP_FOLDER);
    from.find(features, "WebPGetFeaturesInternal");
    from.find(rgb, "WebPDecodeRGBInto");
    from.find(rgba, "WebPDecodeRGBAInto");
  }
};
const decoder& webp() {
  static const decoder once;
  return once;
}

struct animation {
  decltype(&::WebPAnimDecoderNewInternal) open;
  decltype(&::WebPAnimDecoderGetNext) next;
  decltype(&::WebPAnimDecoderDelete) close;
  animation() {
    const loaded_library from("WebP", UPSWEEP_WEBPDEMUX_NAME, UPSWEEP_WEBPDEMUX_FOLDER);
    from.find(open, "WebPAnimDecoderNewInternal");
    from.find(next, "WebPAnimDecoderGetNext");
    from.find(close, "WebPAnimDecoderDelete");
  }
};
const animation& moving() {
  static const animation once;
  return once;
}

std::uint64_t little_endian(std::string_view bytes, std::uint64_t at) {
  std::uint64_t n = 0;
  for (std::uint64_t i = 4; i-- > 0;) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

// The contents of the first chunk of that name, as far as the file goes.
std::string_view chunk_named(std::string_view bytes, std::string_view name) {
  for (std::uint64_t at = 12; at + 8 <= bytes.size();) {
    const std::uint64_t n = little_endian(bytes, at + 4);
    if (bytes.substr(at, 4) == name) return bytes.substr(at + 8, n);
    at += 8 + n + n % 2;
  }
  return {};
}

int orientation_of(std::string_view bytes) {
  std::string_view exif = chunk_named(bytes, "EXIF");
  if (exif.starts_with(std::string_view("Exif\0\0", 6))) exif.remove_prefix(6);
  return exif_orientation(exif);
}

bool decode_first(std::string_view bytes, stored_picture& p) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoder* const open = moving().open(&data, nullptr, WEBP_DEMUX_ABI_VERSION);
  if (!open) return false;
  std::uint8_t* pixels = nullptr;
  int time = 0;
  const bool good = moving().next(open, &pixels, &time);
  if (good) std::memcpy(p.bytes.data(), pixels, p.bytes.size());
  moving().close(open);
  return good;
}

}  // namespace

stored_picture read_webp(const std::string& name, std::string_view bytes, std::uint64_t memory) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  if (bytes.size() < 12 || bytes.size() < little_endian(bytes, 4) + 8)
    throw error(fault::bad_argument, name, "the WebP is cut off", "copy or download it again");
  WebPBitstreamFeatures about;
  const auto damaged = [&] {
    throw error(fault::bad_argument, name, "the WebP is damaged", "copy or download it again");
  };
  if (webp().features(data, bytes.size(), &about, WEBP_DECODER_ABI_VERSION) != VP8_STATUS_OK) damaged();
  const auto width = static_cast<std::uint64_t>(about.width), height = static_cast<std::uint64_t>(about.height);
  require_size(name, width, height, 4, memory);
  const bool alpha = about.has_alpha != 0 || about.has_animation != 0;
  stored_picture p = empty_stored(width, height, alpha ? 4 : 3, 8);
  const auto row = static_cast<int>(p.row_bytes());
  if (about.has_animation != 0) {
    if (!decode_first(bytes, p)) damaged();
    tell_of_others(name, "it is an animation");
  } else if (!(alpha ? webp().rgba : webp().rgb)(data, bytes.size(), p.bytes.data(), p.bytes.size(), row)) {
    damaged();
  }
  p.metadata.icc = chunk_named(bytes, "ICCP");
  if (const std::string_view exif = chunk_named(bytes, "EXIF"); !exif.empty()) take_exif(p.metadata, name, exif);
  return turned_upright(std::move(p), orientation_of(bytes));
}

}  // namespace picture_files

#else

namespace picture_files {

stored_picture read_webp(const std::string& name, std::string_view, std::uint64_t) {
  throw error(fault::unsupported, name, "WebP is off in this build", "install libwebp-dev and build again");
}

}  // namespace picture_files

#endif
