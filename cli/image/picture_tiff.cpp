// TIFF by libtiff, loaded when a file of it is met. 8 and 16 bits of grey and RGB and floats over [0, 1] are taken as
// they are; what else libtiff knows (palettes, 1 to 4 bits, YCbCr, CMYK) as its own RGB of 8 bits.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_TIFF

#include <fmt/core.h>
#include <tiffio.h>

#include <cmath>
#include <cstring>

#include "cli/io/loaded_library.hpp"
#include "cli/process/message.hpp"

namespace picture_files {

namespace {

#define UPSWEEP_TIFF_FUNCTIONS(each)                                                                    \
  each(TIFFClientOpen) each(TIFFClose) each(TIFFGetField) each(TIFFGetFieldDefaulted) each(TIFFIsTiled) \
      each(TIFFReadScanline) each(TIFFReadTile) each(TIFFTileSize) each(TIFFScanlineSize)               \
          each(TIFFReadRGBAImageOriented) each(TIFFSetErrorHandler) each(TIFFSetWarningHandler)         \
              each(TIFFLastDirectory)

struct library {
#define UPSWEEP_TIFF_MEMBER(name) decltype(&::name) name;
  UPSWEEP_TIFF_FUNCTIONS(UPSWEEP_TIFF_MEMBER)
#undef UPSWEEP_TIFF_MEMBER
  library() {
    const loaded_library from("TIFF", UPSWEEP_TIFF_NAME, UPSWEEP_TIFF_FOLDER);
#define UPSWEEP_TIFF_FIND(name) from.find(name, #name);
    UPSWEEP_TIFF_FUNCTIONS(UPSWEEP_TIFF_FIND)
#undef UPSWEEP_TIFF_FIND
    TIFFSetErrorHandler(nullptr);  // it would write to standard error
    TIFFSetWarningHandler(nullptr);
  }
};

const library& tiff() {
  static const library once;
  return once;
}

// The file in memory, as libtiff reads it.
struct memory_file {
  std::string_view bytes;
  std::uint64_t at = 0;

  static memory_file& of(thandle_t h) { return *static_cast<memory_file*>(h); }
  static tmsize_t read(thandle_t h, void* to, tmsize_t n) {
    memory_file& f = of(h);
    const std::uint64_t left = f.at < f.bytes.size() ? f.bytes.size() - f.at : 0;
    const std::uint64_t got = std::min(left, static_cast<std::uint64_t>(std::max<tmsize_t>(n, 0)));
    std::memcpy(to, f.bytes.data() + std::min<std::uint64_t>(f.at, f.bytes.size()), got);
    f.at += got;
    return static_cast<tmsize_t>(got);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return -1; }
  static toff_t seek(thandle_t h, toff_t to, int from) {
    memory_file& f = of(h);
    return f.at = from == SEEK_SET ? to : from == SEEK_CUR ? f.at + to : f.bytes.size() + to;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t h) { return of(h).bytes.size(); }
};

class tiff_file {
 public:
  tiff_file(const std::string& name, std::string_view bytes) : name_(name), file_{bytes} {
    // "m": not mapped, as it is in memory.
    open_ = tiff().TIFFClientOpen(name.c_str(), "rm", &file_, memory_file::read, memory_file::write, memory_file::seek,
                                  memory_file::close, memory_file::size, nullptr, nullptr);
    if (!open_) damaged();
  }
  ~tiff_file() {
    if (open_) tiff().TIFFClose(open_);
  }
  tiff_file(const tiff_file&) = delete;
  tiff_file& operator=(const tiff_file&) = delete;

  stored_picture read(std::uint64_t memory) {
    if (!tiff().TIFFGetField(open_, TIFFTAG_IMAGEWIDTH, &width_) ||
        !tiff().TIFFGetField(open_, TIFFTAG_IMAGELENGTH, &height_))
      damaged();
    bits_ = field(TIFFTAG_BITSPERSAMPLE, 1);
    samples_ = field(TIFFTAG_SAMPLESPERPIXEL, 1);
    kind_ = field(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    colours_ = field(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    apart_ = field(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE && samples_ > 1;
    const int orientation = field(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    require_size(name_, width_, height_, 4, memory);
    if (tiff().TIFFLastDirectory(open_) == 0) tell_of_others(name_, "it holds several pictures");
    stored_picture p = plain() ? as_it_is() : as_rgb(orientation);
    p.metadata = metadata();
    return turned_upright(std::move(p), orientation);
  }

 private:
  [[noreturn]] void damaged() const {
    throw error(fault::bad_argument, name_, "the TIFF is damaged or cut off, or its compression is not supported",
                "copy or download it again, or save it without compression");
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw error(fault::unsupported, name_, what, "convert it to 8 or 16 bits a sample, grey or RGB");
  }
  int field(std::uint32_t tag, int usual) const {
    std::uint16_t value = 0;
    return tiff().TIFFGetFieldDefaulted(open_, tag, &value) ? value : usual;
  }

  picture_metadata metadata() const {
    picture_metadata m;
    std::uint32_t bytes = 0;
    const void* profile = nullptr;
    if (tiff().TIFFGetField(open_, TIFFTAG_ICCPROFILE, &bytes, &profile) && profile)
      m.icc.assign(static_cast<const char*>(profile), bytes);
    float across = 0, down = 0;
    if (tiff().TIFFGetField(open_, TIFFTAG_XRESOLUTION, &across) &&
        tiff().TIFFGetField(open_, TIFFTAG_YRESOLUTION, &down) && across > 0 && down > 0 && std::isfinite(across) &&
        std::isfinite(down)) {
      using unit = picture_metadata::unit;
      const int in = field(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
      m.density_unit = in == RESUNIT_INCH         ? unit::inch
                       : in == RESUNIT_CENTIMETER ? unit::centimetre
                       : across != down           ? unit::ratio
                                                  : unit::none;
      if (m.density_unit != unit::none) m.across = across, m.down = down;
    }
    std::uint64_t exif = 0;
    if (tiff().TIFFGetField(open_, TIFFTAG_EXIFIFD, &exif))
      print_message("upsweep: {}: EXIF of a TIFF is ignored\n", name_);
    return m;
  }

  bool grey() const { return colours_ == PHOTOMETRIC_MINISBLACK || colours_ == PHOTOMETRIC_MINISWHITE; }
  bool real() const { return kind_ == SAMPLEFORMAT_IEEEFP; }
  bool plain() const {
    if (!grey() && colours_ != PHOTOMETRIC_RGB) return false;
    const int least = grey() ? 1 : 3;
    if (samples_ < least) damaged();
    if (real() && (bits_ == 32 || bits_ == 64)) return true;
    if (kind_ != SAMPLEFORMAT_UINT && kind_ != SAMPLEFORMAT_VOID)
      unsupported(
          fmt::format("its samples are {} of {} bits", kind_ == SAMPLEFORMAT_INT ? "signed" : "numbers", bits_));
    if (bits_ > 16) unsupported(fmt::format("its samples are of {} bits", bits_));
    return bits_ == 8 || bits_ == 16;
  }

  // The channel after the colours: straight alpha, premultiplied alpha, or data that is not shown.
  int alpha() const {
    std::uint16_t count = 0;
    const std::uint16_t* kinds = nullptr;
    if (samples_ <= (grey() ? 1 : 3) || !tiff().TIFFGetFieldDefaulted(open_, TIFFTAG_EXTRASAMPLES, &count, &kinds) ||
        count == 0)
      return EXTRASAMPLE_UNSPECIFIED;
    return kinds[0];
  }

  // Samples of a place in the file's own order, tile by tile or row by row, to where they belong.
  stored_picture as_it_is() {
    const int kind = alpha();
    const bool with_alpha = kind != EXTRASAMPLE_UNSPECIFIED;
    const std::uint32_t colours = grey() ? 1 : 3, channels = colours + with_alpha;
    stored_picture p = empty_stored(width_, height_, channels, bits_ == 8 ? 8 : 16);
    const std::uint16_t planes = apart_ ? static_cast<std::uint16_t>(channels) : 1;
    const std::uint32_t sample = static_cast<std::uint32_t>(bits_) / 8, each = apart_ ? 1 : samples_;
    const auto take = [&](const std::uint8_t* from, std::uint16_t plane, std::uint32_t x, std::uint32_t y,
                          std::uint32_t n) {
      for (std::uint32_t i = 0; i < n; ++i, from += each * sample)
        for (std::uint32_t c = 0; c < (apart_ ? 1 : channels); ++c)
          put(p, (std::uint64_t{y} * width_ + x + i) * channels + (apart_ ? plane : c), from + c * sample,
              (apart_ ? plane : c) < colours);
    };
    for (std::uint16_t plane = 0; plane < planes; ++plane)
      tiff().TIFFIsTiled(open_) ? tiles(plane, take) : rows(plane, take);
    if (kind == EXTRASAMPLE_ASSOCALPHA) divide(p);
    return p;
  }

  template <class Take>
  void rows(std::uint16_t plane, const Take& take) {
    const tmsize_t bytes = tiff().TIFFScanlineSize(open_);
    if (bytes < static_cast<tmsize_t>(std::uint64_t{width_} * (apart_ ? 1 : samples_) * (bits_ / 8))) damaged();
    std::vector<std::uint8_t> row(static_cast<std::size_t>(bytes));
    for (std::uint32_t y = 0; y < height_; ++y) {
      if (tiff().TIFFReadScanline(open_, row.data(), y, plane) != 1) damaged();
      take(row.data(), plane, 0, y, width_);
    }
  }
  template <class Take>
  void tiles(std::uint16_t plane, const Take& take) {
    std::uint32_t across = 0, down = 0;
    tiff().TIFFGetField(open_, TIFFTAG_TILEWIDTH, &across);
    tiff().TIFFGetField(open_, TIFFTAG_TILELENGTH, &down);
    const std::uint64_t pitch = std::uint64_t{across} * (apart_ ? 1 : samples_) * (bits_ / 8);
    const tmsize_t bytes = tiff().TIFFTileSize(open_);
    constexpr tmsize_t most = tmsize_t{1} << 30;
    if (across == 0 || down == 0 || bytes > most || bytes < static_cast<tmsize_t>(pitch * down)) damaged();
    std::vector<std::uint8_t> tile(static_cast<std::size_t>(bytes));
    for (std::uint32_t y = 0; y < height_; y += std::min(down, height_ - y))
      for (std::uint32_t x = 0; x < width_; x += std::min(across, width_ - x)) {
        if (tiff().TIFFReadTile(open_, tile.data(), x, y, 0, plane) < 0) damaged();
        for (std::uint32_t i = 0; i < std::min(down, height_ - y); ++i)
          take(&tile[i * pitch], plane, x, y + i, std::min(across, width_ - x));
      }
  }

  void put(stored_picture& p, std::uint64_t at, const std::uint8_t* from, bool colour) const {
    const bool turned = colour && colours_ == PHOTOMETRIC_MINISWHITE;
    if (real()) {
      double v = 0;
      float narrow;
      if (bits_ == 64)
        std::memcpy(&v, from, 8);
      else
        std::memcpy(&narrow, from, 4), v = narrow;
      if (!(v >= 0 && v <= 1))
        unsupported(fmt::format("a sample is {}, and samples of float pictures must be from 0 to 1", v));
      const auto whole = static_cast<std::uint16_t>(std::lround((turned ? 1 - v : v) * 65535));
      std::memcpy(&p.bytes[2 * at], &whole, 2);
    } else if (bits_ == 8) {
      p.bytes[at] = static_cast<std::uint8_t>(turned ? 255 - *from : *from);
    } else {
      std::uint16_t v;
      std::memcpy(&v, from, 2);
      if (turned) v = static_cast<std::uint16_t>(65535 - v);
      std::memcpy(&p.bytes[2 * at], &v, 2);
    }
  }

  static void divide(stored_picture& p) {
    for (std::uint64_t y = 0; y < p.height; ++y) {
      picture row = floats_of_rows(p, y, 1);
      for (float* s = row.samples.data(); s < row.samples.data() + row.samples.size(); s += p.channels)
        for (std::uint32_t c = 0; c < p.colours(); ++c) s[c] = s[p.colours()] > 0 ? s[c] / s[p.colours()] : 0;
      put_rows(p, y, row, 0, 1);
    }
  }

  stored_picture as_rgb(int orientation) {
    std::vector<std::uint32_t> pixels(std::uint64_t{width_} * height_);
    // Requested in its stored orientation, it is not rotated.
    if (!tiff().TIFFReadRGBAImageOriented(open_, width_, height_, pixels.data(), orientation, 1)) damaged();
    stored_picture p = empty_stored(width_, height_, grey() ? 1 : 3, 8);
    for (std::uint64_t i = 0; i < pixels.size(); ++i)
      for (std::uint32_t c = 0; c < p.channels; ++c)
        p.bytes[i * p.channels + c] = static_cast<std::uint8_t>(pixels[i] >> 8 * c & 255);
    return p;
  }

  const std::string& name_;
  memory_file file_;
  TIFF* open_ = nullptr;
  std::uint32_t width_ = 0, height_ = 0;
  int bits_ = 0, samples_ = 0, kind_ = 0, colours_ = 0;
  bool apart_ = false;
};

}  // namespace

stored_picture read_tiff(const std::string& name, std::string_view bytes, std::uint64_t memory) {
  return tiff_file(name, bytes).read(memory);
}

}  // namespace picture_files

#else

namespace picture_files {

stored_picture read_tiff(const std::string& name, std::string_view, std::uint64_t) {
  throw error(fault::unsupported, name, "TIFF is off in this build", "install libtiff-dev and build again");
}

}  // namespace picture_files

#endif
