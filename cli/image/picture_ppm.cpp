// netpbm's formats: reads P1 to P7, writes P5 to P7. netpbm's library is not used because it prints errors and exits.
#include <fmt/core.h>

#include <charconv>
#include <cstring>
#include <optional>

#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace picture_files {

namespace {

class netpbm {
 public:
  netpbm(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes), kind_(bytes[1] - '0') {
    at_ = 2;
  }

  stored_picture read(std::uint64_t memory) {
    kind_ == 7 ? pam_header() : pnm_header();
    if (most_ == 0 || most_ > 65535)
      throw error(fault::unsupported, name_, fmt::format("its maximum sample is {}, which is not supported", most_),
                  "convert it to 8 or 16 bits a sample");
    if (channels_ < 1 || channels_ > 4)
      throw error(fault::unsupported, name_, fmt::format("it has {} channels", channels_), "give 1 to 4");
    require_size(name_, width_, height_, static_cast<std::uint32_t>(channels_), memory);
    const std::uint64_t n = width_ * height_ * channels_;
    // The file's length is checked before memory is allocated.
    const std::uint64_t left = bytes_.size() - at_;
    const std::uint64_t row_bytes = (width_ + 7) / 8, wanted = kind_ == 4   ? row_bytes * height_
                                                               : kind_ <= 3 ? n
                                                                            : n * (most_ > 255 ? 2 : 1);
    if (left < wanted)
      throw error(fault::bad_argument, name_,
                  fmt::format("it is cut off: it has {} of {} bytes of the picture", left, wanted),
                  "copy or download it again");
    stored_picture p = empty_stored(width_, height_, static_cast<std::uint32_t>(channels_), most_ > 255 ? 16 : 8);
    const auto put = [&](std::uint64_t i, std::uint64_t v) {
      const auto wide = static_cast<std::uint16_t>(v);
      if (p.depth == 8)
        p.bytes[i] = static_cast<std::uint8_t>(v);
      else
        std::memcpy(&p.bytes[2 * i], &wide, 2);
    };
    if (kind_ == 4) {
      for (std::uint64_t i = 0; i < n; ++i)
        put(i, byte(at_ + i / width_ * row_bytes + i % width_ / 8) >> (7 - i % width_ % 8) & 1 ? 0 : 255);
    } else if (kind_ == 1) {
      for (std::uint64_t i = 0; i < n; ++i) put(i, bit() ? 0 : 255);
    } else {
      p.most = static_cast<std::uint32_t>(most_);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t v = kind_ <= 3 ? number("a sample") : raw();
        if (v > most_)
          throw error(fault::bad_argument, name_, fmt::format("a sample of {} exceeds its maximum of {}", v, most_),
                      "copy or download it again");
        put(i, v);
      }
    }
    return p;
  }

 private:
  unsigned byte(std::uint64_t at) const { return static_cast<unsigned char>(bytes_[at]); }
  static bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  [[noreturn]] void malformed(const std::string& how) const {
    throw error(fault::bad_argument, name_, "its header is malformed: " + how, "copy or download it again");
  }
  void skip_blanks() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#')
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      else if (blank(bytes_[at_]))
        ++at_;
      else
        return;
    }
  }
  std::uint64_t number(const char* what) {
    skip_blanks();
    std::uint64_t n = 0;
    const auto [stop, bad] = std::from_chars(bytes_.data() + at_, bytes_.data() + bytes_.size(), n);
    if (bad == std::errc::result_out_of_range) malformed(fmt::format("{} is too large for any picture", what));
    if (bad != std::errc{}) {
      if (at_ >= bytes_.size())
        throw error(fault::bad_argument, name_, fmt::format("it is cut off: {} is missing", what),
                    "copy or download it again");
      malformed(fmt::format("{} is not a number", what));
    }
    at_ = static_cast<std::uint64_t>(stop - bytes_.data());
    return n;
  }
  bool bit() {
    skip_blanks();
    if (at_ >= bytes_.size()) throw error(fault::bad_argument, name_, "it is cut off", "copy or download it again");
    const char c = bytes_[at_++];
    if (c != '0' && c != '1')
      throw error(fault::bad_argument, name_, "a pixel is neither 0 nor 1", "copy or download it again");
    return c == '1';
  }
  std::uint64_t raw() {
    if (most_ < 256) return byte(at_++);
    at_ += 2;
    return byte(at_ - 2) << 8 | byte(at_ - 1);
  }

  void pnm_header() {
    width_ = number("the width");
    height_ = number("the height");
    most_ = kind_ == 1 || kind_ == 4 ? 1 : number("the largest sample");
    channels_ = kind_ == 3 || kind_ == 6 ? 3 : 1;
    if (kind_ < 4) return;
    if (at_ >= bytes_.size() || !blank(bytes_[at_])) malformed("no white space separates it from the picture");
    ++at_;
  }
  void pam_header() {
    for (;;) {
      skip_blanks();
      const std::uint64_t from = at_;
      while (at_ < bytes_.size() && !blank(bytes_[at_])) ++at_;
      const std::string_view word = bytes_.substr(from, at_ - from);
      if (word == "ENDHDR") break;
      if (word == "WIDTH")
        width_ = number("the width");
      else if (word == "HEIGHT")
        height_ = number("the height");
      else if (word == "DEPTH")
        channels_ = number("the depth");
      else if (word == "MAXVAL")
        most_ = number("the largest sample");
      else if (word == "TUPLTYPE")
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      else if (word.empty())
        throw error(fault::bad_argument, name_, "it is cut off in its header", "copy or download it again");
      else
        malformed("it has a line of unknown meaning");
    }
    if (at_ >= bytes_.size() || bytes_[at_] != '\n') malformed("ENDHDR does not end its line");
    ++at_;
  }

  const std::string& name_;
  std::string_view bytes_;
  int kind_;
  std::uint64_t at_, width_ = 0, height_ = 0, channels_ = 0, most_ = 0;
};

}  // namespace

stored_picture read_netpbm(const std::string& name, std::string_view bytes, std::uint64_t memory) {
  return netpbm(name, bytes).read(memory);
}

std::string netpbm_bytes(const std::string& name, const stored_picture& p, picture_format format) {
  if (format == picture_format::pgm && p.colours() == 3)
    throw error(fault::bad_argument, name, "a .pgm is grey, and the picture has colours", "write a .ppm, or any .pnm");
  const bool as_rgb = format == picture_format::ppm && p.channels == 1;
  constexpr std::string_view types[]{"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
  std::string bytes =
      format == picture_format::pam
          ? fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}\nENDHDR\n", p.width, p.height,
                        p.channels, p.most, types[p.channels - 1])
          : fmt::format("P{}\n{} {}\n{}\n", p.channels == 3 || as_rgb ? 6 : 5, p.width, p.height, p.most);
  const std::uint64_t sample = p.depth / 8;
  bytes.reserve(bytes.size() + p.bytes.size() * (as_rgb ? 3 : 1));
  for (std::uint64_t at = 0; at < p.bytes.size(); at += sample)
    for (int times = as_rgb ? 3 : 1; times-- > 0;) {
      std::uint16_t wide;
      if (sample == 2)
        std::memcpy(&wide, &p.bytes[at], 2), bytes += static_cast<char>(wide >> 8);  // the high byte first
      bytes += static_cast<char>(sample == 2 ? wide & 255 : p.bytes[at]);
    }
  return bytes;
}

}  // namespace picture_files
