// JPEG by libjpeg (libjpeg-turbo). It leaves by longjmp where a file is bad, so nothing with a destructor lives in the
// functions that call it.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_JPEG

#include <fmt/core.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <jerror.h>

namespace picture_files {

const bool have_jpeg = true;

namespace {

struct complaints {
  jpeg_error_mgr base;  // first, so that libjpeg's pointer to it is one to all
  std::jmp_buf back;
  char what[JMSG_LENGTH_MAX] = "";
  bool cut_off = false, damaged = false;
  int code = 0;
};

void on_error(j_common_ptr jpeg) {
  auto* c = reinterpret_cast<complaints*>(jpeg->err);
  c->code = jpeg->err->msg_code;
  jpeg->err->format_message(jpeg, c->what);
  std::longjmp(c->back, 1);
}
// libjpeg goes on after a warning, with grey in place of what is missing; a picture with a grey half is not what was
// asked for.
void on_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  auto* c = reinterpret_cast<complaints*>(jpeg->err);
  const int code = jpeg->err->msg_code;
  if (code == JWRN_JPEG_EOF) c->cut_off = true;
  if (code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_MUST_RESYNC) {
    c->damaged = true;
    if (!c->what[0]) jpeg->err->format_message(jpeg, c->what);
  }
}

jpeg_error_mgr* begin(complaints& c) {
  jpeg_std_error(&c.base);
  c.base.error_exit = on_error;
  c.base.emit_message = on_message;
  return &c.base;
}

// The whole TIFF block behind "Exif\0\0" in the first APP1 that has one.
int orientation_of(const jpeg_decompress_struct& jpeg) {
  constexpr std::string_view mark{"Exif\0\0", 6};
  for (const jpeg_marker_struct* m = jpeg.marker_list; m; m = m->next) {
    const std::string_view data(reinterpret_cast<const char*>(m->data), m->data_length);
    if (m->marker == JPEG_APP0 + 1 && data.starts_with(mark)) return exif_orientation(data.substr(mark.size()));
  }
  return 1;
}

bool read_header(jpeg_decompress_struct& jpeg, complaints& c, std::string_view bytes) {
  if (setjmp(c.back)) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&jpeg, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&jpeg, TRUE);
  return true;
}

bool read_rows(jpeg_decompress_struct& jpeg, complaints& c, std::uint8_t* to, std::uint64_t row) {
  if (setjmp(c.back)) return false;
  jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height && !c.cut_off) {
    JSAMPROW line = to + jpeg.output_scanline * row;
    jpeg_read_scanlines(&jpeg, &line, 1);
  }
  if (!c.cut_off) jpeg_finish_decompress(&jpeg);
  return true;
}

bool write_rows(jpeg_compress_struct& jpeg, complaints& c, const stored_picture& p, int quality,
                const std::uint8_t* from, unsigned char** bytes, unsigned long* n) {
  if (setjmp(c.back)) return false;
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, bytes, n);
  jpeg.image_width = static_cast<JDIMENSION>(p.width);
  jpeg.image_height = static_cast<JDIMENSION>(p.height);
  jpeg.input_components = static_cast<int>(p.channels);
  jpeg.in_color_space = p.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW line = const_cast<JSAMPROW>(from + std::uint64_t{jpeg.next_scanline} * p.row_bytes());
    jpeg_write_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_compress(&jpeg);
  return true;
}

// Lets go of libjpeg's memory however the function is left.
struct decompressing {
  jpeg_decompress_struct jpeg{};
  ~decompressing() { jpeg_destroy_decompress(&jpeg); }
};

}  // namespace

stored_picture read_jpeg(const std::string& name, std::string_view bytes, std::uint64_t memory) {
  complaints c;
  decompressing d;
  d.jpeg.err = begin(c);
  const auto refuse = [&] {
    if (c.cut_off || c.code == JERR_INPUT_EOF || c.code == JERR_INPUT_EMPTY)
      throw error(fault::bad_argument, name, "the JPEG is cut off", "fetch it again");
    if (c.code == JERR_BAD_PRECISION)
      throw error(fault::unsupported, name, fmt::format("its samples have a depth that is not supported ({})", c.what),
                  "convert it to 8 bits a sample");
    if (c.code == JERR_EMPTY_IMAGE)
      throw error(fault::bad_argument, name, "it is an empty picture", "give one with a pixel at least");
    throw error(fault::bad_argument, name, fmt::format("the JPEG is damaged ({})", c.what), "fetch it again");
  };
  if (!read_header(d.jpeg, c, bytes) || c.cut_off) refuse();
  if (d.jpeg.num_components != 1 && d.jpeg.num_components != 3)
    throw error(fault::unsupported, name,
                fmt::format("it has {} colours to a pixel, as for print", d.jpeg.num_components),
                "convert it to RGB or grey");
  const auto channels = static_cast<std::uint32_t>(d.jpeg.num_components);
  const int orientation = orientation_of(d.jpeg);  // jpeg_finish_decompress lets the markers go
  require_size(name, d.jpeg.image_width, d.jpeg.image_height, channels, memory);
  stored_picture p = empty_stored(d.jpeg.image_width, d.jpeg.image_height, channels, 8);
  if (!read_rows(d.jpeg, c, p.bytes.data(), p.row_bytes()) || c.cut_off || c.damaged) refuse();
  return turned_upright(std::move(p), orientation);
}

std::string jpeg_bytes(const stored_picture& p, int quality) {
  if (p.width > JPEG_MAX_DIMENSION || p.height > JPEG_MAX_DIMENSION)
    throw error(fault::unsupported, "JPEG",
                fmt::format("it holds {} pixels along a side and the picture is {} x {}", JPEG_MAX_DIMENSION, p.width,
                            p.height),
                "write a PNG");
  if (p.depth == 16) return jpeg_bytes(with_depth(p, 8), quality);
  complaints c;
  jpeg_compress_struct jpeg{};
  jpeg.err = begin(c);
  unsigned char* bytes = nullptr;
  unsigned long n = 0;
  const bool good = write_rows(jpeg, c, p, quality, p.bytes.data(), &bytes, &n);
  std::string all(reinterpret_cast<const char*>(bytes), good ? n : 0);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  if (!good)
    throw error(fault::device_failure, "libjpeg", fmt::format("it cannot write the picture ({})", c.what),
                "write a PNG");
  return all;
}

}  // namespace picture_files

#else

namespace picture_files {

const bool have_jpeg = false;
stored_picture read_jpeg(const std::string& name, std::string_view, std::uint64_t) {
  throw error(fault::unsupported, name, "JPEG is off in this build", "install libjpeg-dev and build again");
}
std::string jpeg_bytes(const stored_picture&, int) {
  throw error(fault::unsupported, "JPEG", "it is off in this build", "install libjpeg-dev and build again");
}

}  // namespace picture_files

#endif
