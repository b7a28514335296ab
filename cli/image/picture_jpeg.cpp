// JPEG by libjpeg (libjpeg-turbo). It leaves by longjmp where a file is bad, so nothing with a destructor lives in the
// functions that call it.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_JPEG

#include <fmt/core.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <jerror.h>

#include "cli/process/message.hpp"

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
// After a warning libjpeg continues with grey for missing data; such a picture is an error here.
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

constexpr std::string_view exif_mark{"Exif\0\0", 6}, icc_mark{"ICC_PROFILE\0", 12};
constexpr std::size_t icc_numbers = 2;  // which part, of how many

// The whole TIFF block behind "Exif\0\0" in the first APP1 that has one.
std::string_view exif_of(const jpeg_decompress_struct& jpeg) {
  for (const jpeg_marker_struct* m = jpeg.marker_list; m; m = m->next) {
    const std::string_view data(reinterpret_cast<const char*>(m->data), m->data_length);
    if (m->marker == JPEG_APP0 + 1 && data.starts_with(exif_mark)) return data.substr(exif_mark.size());
  }
  return {};
}

// The profile of its parts, which are numbered from 1; nothing where one is missing.
std::string icc_of(const std::string& name, const jpeg_decompress_struct& jpeg) {
  std::vector<std::string_view> parts;
  std::size_t found = 0;
  bool good = true;
  for (const jpeg_marker_struct* m = jpeg.marker_list; m; m = m->next) {
    std::string_view data(reinterpret_cast<const char*>(m->data), m->data_length);
    if (m->marker != JPEG_APP0 + 2 || !data.starts_with(icc_mark)) continue;
    data.remove_prefix(icc_mark.size());
    const std::size_t part = data.empty() ? 0 : static_cast<unsigned char>(data[0]),
                      of = data.size() < icc_numbers ? 0 : static_cast<unsigned char>(data[1]);
    if (parts.empty()) parts.resize(of);
    good = good && of == parts.size() && part >= 1 && part <= of && parts[part - 1].empty();
    if (!good) break;
    parts[part - 1] = data.substr(icc_numbers), ++found;
  }
  if (!good || found != parts.size()) {
    print_message("upsweep: {}: damaged ICC profile is ignored\n", name);
    return {};
  }
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

picture_metadata metadata_of(const std::string& name, const jpeg_decompress_struct& jpeg) {
  picture_metadata m;
  m.icc = icc_of(name, jpeg);
  if (const std::string_view exif = exif_of(jpeg); !exif.empty()) take_exif(m, name, exif);
  using unit = picture_metadata::unit;
  if (jpeg.saw_JFIF_marker && jpeg.X_density && jpeg.Y_density) {
    m.density_unit = jpeg.density_unit == 1             ? unit::inch
                     : jpeg.density_unit == 2           ? unit::centimetre
                     : jpeg.X_density == jpeg.Y_density ? unit::none
                                                        : unit::ratio;
    m.across = jpeg.X_density, m.down = jpeg.Y_density;
    if (m.density_unit == unit::none) m.across = m.down = 0;
  }
  return m;
}

bool read_header(jpeg_decompress_struct& jpeg, complaints& c, std::string_view bytes) {
  if (setjmp(c.back)) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&jpeg, JPEG_APP0 + 1, 0xffff);
  jpeg_save_markers(&jpeg, JPEG_APP0 + 2, 0xffff);
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

struct marker {
  int name;
  std::string data;
};
std::vector<marker> markers_of(const stored_picture& p) {
  std::vector<marker> all;
  if (!p.metadata.exif.empty())
    all.push_back({JPEG_APP0 + 1, std::string(exif_mark) + exif_of_size(p.metadata.exif, p.width, p.height)});
  constexpr std::size_t most = 65'533 - icc_mark.size() - icc_numbers;
  const std::string& icc = p.metadata.icc;
  const std::size_t parts = (icc.size() + most - 1) / most;
  for (std::size_t k = 0; k < parts; ++k)
    all.push_back({JPEG_APP0 + 2, std::string(icc_mark) + static_cast<char>(k + 1) + static_cast<char>(parts) +
                                      icc.substr(k * most, most)});
  return all;
}

void set_density(jpeg_compress_struct& jpeg, const picture_metadata& m) {
  using unit = picture_metadata::unit;
  if (m.density_unit == unit::none) return;
  const auto whole = [](double n) { return static_cast<UINT16>(n < 1 ? 1 : n > 65535 ? 65535 : n + 0.5); };
  jpeg.density_unit = m.density_unit == unit::inch ? 1 : m.density_unit == unit::centimetre ? 2 : 0;
  // A ratio of numbers that are too large is that of smaller ones.
  const double much = std::max(m.across, m.down), less = jpeg.density_unit == 0 && much > 65535 ? 65535 / much : 1;
  jpeg.X_density = whole(m.across * less), jpeg.Y_density = whole(m.down * less);
}

bool write_rows(jpeg_compress_struct& jpeg, complaints& c, const stored_picture& p, int quality,
                const std::uint8_t* from, const std::vector<marker>& markers, unsigned char** bytes, unsigned long* n) {
  if (setjmp(c.back)) return false;
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, bytes, n);
  jpeg.image_width = static_cast<JDIMENSION>(p.width);
  jpeg.image_height = static_cast<JDIMENSION>(p.height);
  jpeg.input_components = static_cast<int>(p.channels);
  jpeg.in_color_space = p.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  set_density(jpeg, p.metadata);
  jpeg_start_compress(&jpeg, TRUE);
  for (const marker& m : markers)
    jpeg_write_marker(&jpeg, m.name, reinterpret_cast<const JOCTET*>(m.data.data()),
                      static_cast<unsigned int>(m.data.size()));
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
      throw error(fault::bad_argument, name, "the JPEG is cut off", "copy or download it again");
    if (c.code == JERR_BAD_PRECISION)
      throw error(fault::unsupported, name, fmt::format("its samples have a depth that is not supported ({})", c.what),
                  "convert it to 8 bits a sample");
    if (c.code == JERR_EMPTY_IMAGE)
      throw error(fault::bad_argument, name, "it is an empty picture", "give one with at least one pixel");
    throw error(fault::bad_argument, name, fmt::format("the JPEG is damaged ({})", c.what),
                "copy or download it again");
  };
  if (!read_header(d.jpeg, c, bytes) || c.cut_off) refuse();
  if (d.jpeg.num_components != 1 && d.jpeg.num_components != 3)
    throw error(fault::unsupported, name,
                fmt::format("it has {} colour components, as for print", d.jpeg.num_components),
                "convert it to RGB or grey");
  const auto channels = static_cast<std::uint32_t>(d.jpeg.num_components);
  // jpeg_finish_decompress lets the markers go.
  const int orientation = exif_orientation(exif_of(d.jpeg));
  picture_metadata metadata = metadata_of(name, d.jpeg);
  require_size(name, d.jpeg.image_width, d.jpeg.image_height, channels, memory);
  stored_picture p = empty_stored(d.jpeg.image_width, d.jpeg.image_height, channels, 8);
  if (!read_rows(d.jpeg, c, p.bytes.data(), p.row_bytes()) || c.cut_off || c.damaged) refuse();
  p.metadata = std::move(metadata);
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
  const std::vector<marker> markers = markers_of(p);
  const bool good = write_rows(jpeg, c, p, quality, p.bytes.data(), markers, &bytes, &n);
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
