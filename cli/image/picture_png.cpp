// PNG by libpng. libpng leaves by longjmp where a file is bad, so nothing with a destructor lives in the functions that
// call it.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_PNG

#include <fmt/core.h>
#include <png.h>

#include <cstring>

namespace picture_files {

const bool have_png = true;

namespace {

struct reading {
  std::string_view left;
  bool cut_off = false;
  char what[160] = "";
  // What comes out.
  png_uint_32 width = 0, height = 0;
  std::uint32_t channels = 0, depth = 8;
  int orientation = 1;
  std::vector<png_bytep> rows;
};

void note(char* to, std::size_t room, const char* text) {
  std::strncpy(to, text, room - 1);
  to[room - 1] = 0;
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
  return true;
}

bool read_rows(png_structp png, png_infop info, reading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, r.rows.data());
  png_read_end(png, info);
  note_orientation(png, info, r);  // the chunk may stand behind the picture
  return true;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

struct writing {
  std::string bytes;
  std::vector<png_const_bytep> rows;
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
    throw error(fault::bad_argument, name, "the PNG is cut off in its header", "fetch it again");
  require_size(name, big_endian(bytes, 16), big_endian(bytes, 20), 4, memory);
  reading r;
  r.left = bytes;
  if (has_a_chunk_cut_off(bytes)) throw error(fault::bad_argument, name, "the PNG is cut off", "fetch it again");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_read_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool good = info && read_header(png, info, r);
  stored_picture p;
  if (good) {
    p = empty_stored(r.width, r.height, r.channels, r.depth);
    for (png_uint_32 y = 0; y < r.height; ++y) r.rows.push_back(p.bytes.data() + y * p.row_bytes());
    good = read_rows(png, info, r);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (r.cut_off) throw error(fault::bad_argument, name, "the PNG is cut off", "fetch it again");
  if (!good) throw error(fault::bad_argument, name, fmt::format("the PNG is damaged ({})", r.what), "fetch it again");
  return turned_upright(std::move(p), r.orientation);
}

std::string png_bytes(const stored_picture& p) {
  if (p.width > PNG_UINT_31_MAX || p.height > PNG_UINT_31_MAX)
    throw error(fault::unsupported, "PNG", fmt::format("it holds no picture of {} x {} pixels", p.width, p.height),
                "make it smaller");
  writing w;
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
