// PNG by libpng. libpng leaves by longjmp where a file is bad, so nothing with a destructor lives in the functions that
// call it.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_PNG

#include <fmt/core.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "cli/process/message.hpp"

namespace picture_files {

const bool have_png = true;

namespace {

struct reading {
  std::string_view left;
  bool cut_off = false;
  char what[160] = "";
  // Results.
  png_uint_32 width = 0, height = 0;
  std::uint32_t channels = 0, depth = 8;
  int orientation = 1;
  std::vector<png_bytep> rows;
  const char* icc = nullptr;  // libpng's own
  png_uint_32 icc_bytes = 0;
};

void note(char* to, std::size_t capacity, const char* text) {
  std::strncpy(to, text, capacity - 1);
  to[capacity - 1] = 0;
}

void on_read_error(png_structp png, png_const_charp text) {
  auto* r = static_cast<reading*>(png_get_error_ptr(png));
  note(r->what, sizeof r->what, text);
  png_longjmp(png, 1);
}
void on_write_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void on_warning(png_structp, png_const_charp) {}

void give_bytes(png_structp png, png_bytep to, png_size_t n) {
  auto* r = static_cast<reading*>(png_get_io_ptr(png));
  if (r->left.size() < n) {
    r->cut_off = true;
    png_error(png, "it is cut off");
  }
  std::memcpy(to, r->left.data(), n);
  r->left.remove_prefix(n);
}

void note_orientation(png_structp png, png_infop info, reading& r) {
#ifdef PNG_eXIf_SUPPORTED
  png_uint_32 bytes = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(png, info, &bytes, &exif) && exif)
    r.orientation = exif_orientation({reinterpret_cast<const char*>(exif), bytes});
#endif
}

// Everything to 8 or 16 bits of grey or RGB, with alpha where the file has any.
bool read_header(png_structp png, png_infop info, reading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // require_size has looked at them
  png_set_read_fn(png, &r, give_bytes);
  png_read_info(png, info);
  r.depth = png_get_bit_depth(png, info) == 16 ? 16 : 8;
  png_set_expand(png);
  if (r.depth == 16) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  r.width = png_get_image_width(png, info);
  r.height = png_get_image_height(png, info);
  r.channels = png_get_channels(png, info);
  note_orientation(png, info, r);
  png_charp name = nullptr;
  int packed = 0;
  png_bytep profile = nullptr;
  if (png_get_iCCP(png, info, &name, &packed, &profile, &r.icc_bytes)) r.icc = reinterpret_cast<const char*>(profile);
  return true;
}

bool read_rows(png_structp png, png_infop info, reading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, r.rows.data());
  png_read_end(png, info);
  note_orientation(png, info, r);  // the chunk may be after the picture
  return true;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

// The check at the end of a chunk, of its name and contents.
std::uint32_t check_of(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

// Calls f(name, contents) for each whole chunk but the picture's own.
template <class F>
void for_each_chunk(std::string_view bytes, const F& f) {
  constexpr std::size_t around = 4 + 4 + 4;  // length, name, check
  for (std::size_t at = 8; at + around <= bytes.size();) {
    const std::size_t length = big_endian(bytes, at);
    if (length > bytes.size() - at - around) return;
    const std::string_view name = bytes.substr(at + 4, 4);
    if (name != "IDAT" && check_of(bytes.substr(at + 4, 4 + length)) == big_endian(bytes, at + 8 + length))
      f(name, bytes.substr(at + 8, length));
    at += around + length;
  }
}

// Colour space, printed size, and EXIF. libpng decompresses the profile.
picture_metadata metadata_of(const std::string& name, std::string_view bytes, std::string icc) {
  picture_metadata m;
  m.icc = std::move(icc);
  const auto take = [](std::string& to, std::string_view contents, std::size_t size) {
    if (to.empty() && contents.size() == size) to = contents;
  };
  for_each_chunk(bytes, [&](std::string_view chunk, std::string_view contents) {
    if (chunk == "gAMA") take(m.gamma, contents, 4);
    if (chunk == "cHRM") take(m.chromaticities, contents, 32);
    if (chunk == "sRGB") take(m.srgb, contents, 1);
    if (chunk == "cICP") take(m.cicp, contents, 4);
    if (chunk == "eXIf" && m.exif.empty()) take_exif(m, name, contents);
    if (chunk == "pHYs" && contents.size() == 9 && m.density_unit == picture_metadata::unit::none) {
      constexpr double to_an_inch = 0.0254;
      const bool metres = contents[8] == 1;
      m.density_unit = metres ? picture_metadata::unit::inch : picture_metadata::unit::ratio;
      m.across = big_endian(contents, 0) * (metres ? to_an_inch : 1);
      m.down = big_endian(contents, 4) * (metres ? to_an_inch : 1);
    }
    if (chunk == "iCCP" && m.icc.empty() && m.srgb.empty())
      print_message("upsweep: {}: damaged ICC profile is ignored\n", name);
  });
  return m;
}

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16 & 255), static_cast<char>(n >> 8 & 255),
          static_cast<char>(n & 255)};
}

// A zlib stream that holds the bytes as they are: profiles are short.
std::string unpacked_stream(std::string_view bytes) {
  std::string all("\x78\x01", 2);
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  do {
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), 65535));
    all += n == bytes.size() ? '\1' : '\0';
    for (const std::uint32_t v : {n, ~n}) all += {static_cast<char>(v & 255), static_cast<char>(v >> 8 & 255)};
    all += bytes.substr(0, n);
    bytes.remove_prefix(n);
  } while (!bytes.empty());
  return all + big_endian(b << 16 | a);
}

struct chunk {
  const char* name;
  std::string contents;
};
// In an order that the format allows, before the picture.
std::vector<chunk> chunks_of(const stored_picture& p) {
  const picture_metadata& m = p.metadata;
  std::vector<chunk> all;
  const auto add = [&](const char* name, std::string contents) {
    if (!contents.empty()) all.push_back({name, std::move(contents)});
  };
  add("cICP", m.cicp), add("gAMA", m.gamma), add("cHRM", m.chromaticities);
  if (!m.icc.empty())
    add("iCCP", std::string("ICC profile\0\0", 13) + unpacked_stream(m.icc));
  else
    add("sRGB", m.srgb);
  if (m.density_unit != picture_metadata::unit::none) {
    const bool ratio = m.density_unit == picture_metadata::unit::ratio;
    const double metre = ratio ? 1 : m.density_unit == picture_metadata::unit::inch ? 1 / 0.0254 : 100;
    const auto whole = [&](double n) {
      const double there = n * metre + 0.5;
      return big_endian(there >= 1 && there < PNG_UINT_31_MAX ? static_cast<std::uint32_t>(there) : 0u);
    };
    add("pHYs", whole(m.across) + whole(m.down) + std::string(1, ratio ? '\0' : '\1'));
  }
  add("eXIf", exif_of_size(m.exif, p.width, p.height));
  return all;
}

struct writing {
  std::string bytes;
  std::vector<png_const_bytep> rows;
  std::vector<chunk> chunks;
};

void take_bytes(png_structp png, png_bytep from, png_size_t n) {
  static_cast<writing*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<const char*>(from), n);
}

bool write_rows(png_structp png, png_infop info, const stored_picture& p, writing& w) {
  if (setjmp(png_jmpbuf(png))) return false;
  constexpr int types[]{PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_write_fn(png, &w, take_bytes, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(p.width), static_cast<png_uint_32>(p.height),
               static_cast<int>(p.depth), types[p.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (const chunk& c : w.chunks)
    png_write_chunk(png, reinterpret_cast<png_const_bytep>(c.name),
                    reinterpret_cast<png_const_bytep>(c.contents.data()), c.contents.size());
  if (p.depth == 16) png_set_swap(png);
  for (const png_const_bytep row : w.rows) png_write_row(png, row);
  png_write_end(png, info);
  return true;
}

// A chunk says that it is longer than what is left of the file: libpng asks for memory for all of it first.
bool has_a_chunk_cut_off(std::string_view bytes) {
  constexpr std::size_t around = 4 + 4 + 4;  // length, name, check
  for (std::size_t at = 8; at + around <= bytes.size();) {
    const std::size_t length = big_endian(bytes, at);
    if (length > bytes.size() - at - around) return true;
    if (bytes.substr(at + 4, 4) == "IEND") return false;
    at += around + length;
  }
  return false;
}

}  // namespace

stored_picture read_png(const std::string& name, std::string_view bytes, std::uint64_t memory) {
  constexpr std::size_t header = 8 + 8 + 13;
  if (bytes.size() < header)
    throw error(fault::bad_argument, name, "the PNG is cut off in its header", "copy or download it again");
  require_size(name, big_endian(bytes, 16), big_endian(bytes, 20), 4, memory);
  reading r;
  r.left = bytes;
  if (has_a_chunk_cut_off(bytes))
    throw error(fault::bad_argument, name, "the PNG is cut off", "copy or download it again");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_read_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool good = info && read_header(png, info, r);
  stored_picture p;
  std::string icc;
  if (good) {
    p = empty_stored(r.width, r.height, r.channels, r.depth);
    for (png_uint_32 y = 0; y < r.height; ++y) r.rows.push_back(p.bytes.data() + y * p.row_bytes());
    if (r.icc) icc.assign(r.icc, r.icc_bytes);
    good = read_rows(png, info, r);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (r.cut_off) throw error(fault::bad_argument, name, "the PNG is cut off", "copy or download it again");
  if (!good)
    throw error(fault::bad_argument, name, fmt::format("the PNG is damaged ({})", r.what), "copy or download it again");
  p.metadata = metadata_of(name, bytes, std::move(icc));
  return turned_upright(std::move(p), r.orientation);
}

std::string png_bytes(const stored_picture& p) {
  if (p.width > PNG_UINT_31_MAX || p.height > PNG_UINT_31_MAX)
    throw error(fault::unsupported, "PNG", fmt::format("it cannot hold a picture of {} x {} pixels", p.width, p.height),
                "make it smaller");
  writing w;
  w.chunks = chunks_of(p);
  for (std::uint64_t y = 0; y < p.height; ++y) w.rows.push_back(p.bytes.data() + y * p.row_bytes());
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_write_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const bool good = info && write_rows(png, info, p, w);
  png_destroy_write_struct(&png, &info);
  if (!good) throw error(fault::device_failure, "libpng", "it cannot write the picture", "try another format");
  return std::move(w.bytes);
}

}  // namespace picture_files

#else

namespace picture_files {

const bool have_png = false;
stored_picture read_png(const std::string& name, std::string_view, std::uint64_t) {
  throw error(fault::unsupported, name, "PNG is off in this build", "install libpng-dev and build again");
}
std::string png_bytes(const stored_picture&) {
  throw error(fault::unsupported, "PNG", "it is off in this build", "install libpng-dev and build again");
}

}  // namespace picture_files

#endif
