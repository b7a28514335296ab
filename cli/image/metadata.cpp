#include "cli/image/metadata.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/process/message.hpp"

namespace picture_files {

namespace {

// The entries of a TIFF structure's directories. No access leaves the block.
class directories {
 public:
  explicit directories(std::string& block) : block_(block), big_(block.starts_with("MM")) {
    good_ = block_.size() >= 8 && (big_ || block_.starts_with("II")) && number(2, 2) == 42;
  }
  bool good() const { return good_; }
  std::uint64_t first() const { return number(4, 4); }

  // The place of the entry of a tag in the directory at `at`.
  std::optional<std::uint64_t> entry(std::uint64_t at, std::uint32_t tag) const {
    for (std::uint64_t e = at + 2, end = after(at); e < end; e += 12)
      if (number(e, 2) == tag) return e;
    return {};
  }
  // Of the next directory's place; nothing where the directory is cut off.
  std::optional<std::uint64_t> link(std::uint64_t at) const {
    const std::uint64_t end = after(at);
    return end != 0 && end + 4 <= block_.size() ? std::optional(end) : std::nullopt;
  }
  std::uint32_t number(std::uint64_t at, unsigned bytes) const {
    std::uint32_t n = 0;
    if (at > block_.size() || block_.size() - at < bytes) return 0;
    for (unsigned i = 0; i < bytes; ++i)
      n |= static_cast<std::uint32_t>(static_cast<unsigned char>(block_[at + i])) << 8 * (big_ ? bytes - 1 - i : i);
    return n;
  }
  void set(std::uint64_t at, unsigned bytes, std::uint32_t n) {
    for (unsigned i = 0; i < bytes; ++i) block_[at + i] = static_cast<char>(n >> 8 * (big_ ? bytes - 1 - i : i) & 255);
  }
  // One number in the entry itself.
  void set_entry(std::uint64_t entry, std::uint32_t n) {
    constexpr std::uint32_t long_type = 4;
    set(entry + 2, 2, long_type), set(entry + 4, 4, 1), set(entry + 8, 4, n);
  }
  std::uint32_t value(std::uint64_t entry) const {
    constexpr std::uint32_t short_type = 3;
    return number(entry + 8, number(entry + 2, 2) == short_type ? 2 : 4);
  }
  void clear(std::uint64_t at, std::uint64_t bytes) {
    if (at >= block_.size()) return;
    std::fill_n(block_.begin() + static_cast<std::ptrdiff_t>(at), std::min<std::uint64_t>(bytes, block_.size() - at),
                '\0');
  }

 private:
  // Behind the last entry of the directory; 0 where it is cut off.
  std::uint64_t after(std::uint64_t at) const {
    if (at < 8 || at + 2 > block_.size()) return 0;
    const std::uint64_t end = at + 2 + std::uint64_t{12} * number(at, 2);
    return end <= block_.size() ? end : 0;
  }

  std::string& block_;
  bool big_, good_;
};

constexpr std::uint32_t image_width = 0x0100, image_height = 0x0101, orientation = 0x0112, exif_directory = 0x8769,
                        pixels_across = 0xa002, pixels_down = 0xa003, thumbnail = 0x0201, thumbnail_bytes = 0x0202;

}  // namespace

bool make_upright(std::string& exif) {
  directories all(exif);
  if (!all.good()) return false;
  const std::uint64_t first = all.first();
  const auto link = all.link(first);
  if (!link) return false;
  if (const auto entry = all.entry(first, orientation)) {
    constexpr std::uint32_t short_type = 3;
    all.set(*entry + 2, 2, short_type), all.set(*entry + 4, 4, 1), all.set(*entry + 8, 4, 0), all.set(*entry + 8, 2, 1);
  }
  const std::uint64_t second = all.number(*link, 4);
  all.set(*link, 4, 0);
  const auto from = all.entry(second, thumbnail), bytes = all.entry(second, thumbnail_bytes);
  if (from && bytes && all.value(*from) > *link) all.clear(all.value(*from), all.value(*bytes));
  return true;
}

std::string exif_of_size(std::string exif, std::uint64_t width, std::uint64_t height) {
  directories all(exif);
  if (!all.good()) return exif;
  const auto set = [&](std::uint64_t at, std::uint32_t tag, std::uint64_t n) {
    if (const auto entry = all.entry(at, tag)) all.set_entry(*entry, static_cast<std::uint32_t>(n));
  };
  set(all.first(), image_width, width), set(all.first(), image_height, height);
  if (const auto link = all.entry(all.first(), exif_directory)) {
    const std::uint64_t at = all.value(*link);
    set(at, pixels_across, width), set(at, pixels_down, height);
  }
  return exif;
}

void take_exif(picture_metadata& m, const std::string& name, std::string_view exif) {
  if (exif.starts_with(std::string_view("Exif\0\0", 6))) exif.remove_prefix(6);
  std::string block(exif);
  if (make_upright(block))
    m.exif = std::move(block);
  else
    print_message("upsweep: {}: damaged EXIF is ignored\n", name);
}

bool profile_fits(std::string_view icc, std::uint32_t colours) {
  constexpr std::size_t header = 128;
  return icc.size() >= header && icc.substr(16, 4) == (colours == 1 ? "GRAY" : "RGB ");
}

picture_metadata held_by(const std::string& path, picture_metadata m, std::uint32_t colours, holds what) {
  std::vector<std::string> lost;
  if (!m.icc.empty() && what != holds::nothing && !profile_fits(m.icc, colours)) {
    lost.push_back(colours == 1 ? "the ICC profile, which is not a grey profile"
                                : "the ICC profile, which is not an RGB profile");
    m.icc.clear();
  }
  const auto remove = [&](std::string& s, const char* name) {
    if (!s.empty() && name) lost.emplace_back(name);
    s.clear();
  };
  if (what == holds::nothing) {
    remove(m.icc, "the ICC profile");
    remove(m.exif, "EXIF");
    if (m.density_unit == picture_metadata::unit::inch || m.density_unit == picture_metadata::unit::centimetre)
      lost.emplace_back("the resolution");
    m.density_unit = picture_metadata::unit::none;
  }
  if (what == holds::jpeg) {
    constexpr std::size_t most_exif = 65'533 - 6, most_icc = std::size_t{255} * (65'533 - 14);
    if (m.exif.size() > most_exif) remove(m.exif, "EXIF, which is too long");
    if (m.icc.size() > most_icc) remove(m.icc, "the ICC profile, which is too long");
  }
  if (what != holds::png) {
    // A profile overrides these; and a file without any of them is sRGB.
    constexpr std::string_view srgb_gamma{"\0\0\xb1\x8f", 4}, srgb_cicp{"\x01\x0d\0\x01", 4};
    const bool usual = !m.icc.empty() || !m.srgb.empty();
    remove(m.cicp, usual || m.cicp == srgb_cicp ? nullptr : "the cICP chunk");
    remove(m.gamma, usual || m.gamma == srgb_gamma ? nullptr : "the gAMA chunk");
    m.chromaticities.clear(), m.srgb.clear();
  }
  if (!lost.empty()) print_message("upsweep: {}: not kept: {}\n", path, fmt::format("{}", fmt::join(lost, ", ")));
  return m;
}

}  // namespace picture_files
