// Metadata of picture files is copied to the output, or a message says that it is lost.
#include <algorithm>

#include "cli/image/stored_picture.hpp"
#include "command.hpp"

namespace {

constexpr std::uint64_t memory = 1 << 26;
using unit = picture_metadata::unit;

std::string big(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16 & 255), static_cast<char>(n >> 8 & 255),
          static_cast<char>(n & 255)};
}

// A profile whose header libpng accepts, and no tags.
std::string profile(const std::string& space, std::size_t bytes = 132) {
  std::string all(bytes, '\0');
  all.replace(0, 4, big(static_cast<std::uint32_t>(bytes)));
  all.replace(8, 4, big(0x04000000));
  all.replace(12, 4, "mntr").replace(16, 4, space).replace(20, 4, "XYZ ").replace(36, 4, "acsp");
  all.replace(68, 12, big(0x0000f6d6) + big(0x00010000) + big(0x0000d32d));
  return all;
}

// EXIF with an orientation, a width, and a directory behind it whose thumbnail is "THUMB".
std::string exif(std::uint16_t orientation) {
  const auto entry = [](std::uint16_t tag, std::uint16_t type, const std::string& value) {
    return big(std::uint32_t{tag} << 16 | type) + big(1) + value;
  };
  const auto shorts = [](std::uint16_t n) { return big(std::uint32_t{n} << 16); };
  const std::uint32_t second = 8 + 2 + 2 * 12 + 4, thumb = second + 2 + 2 * 12 + 4;
  return std::string("MM\0*", 4) + big(8) + std::string("\0\2", 2) + entry(0x0100, 3, shorts(67)) +
         entry(0x0112, 3, shorts(orientation)) + big(second) + std::string("\0\2", 2) + entry(0x0201, 4, big(thumb)) +
         entry(0x0202, 4, big(5)) + big(0) + "THUMB";
}

class metadata : public command_test {
 protected:
  static stored_picture some(std::uint32_t channels = 3) { return stored_of(test_picture(67, 31, channels)); }
  stored_picture there_and_back(const std::string& name, const stored_picture& p) const {
    write_stored_picture(path(name), p);
    return read_stored_picture(path(name), memory);
  }
};

TEST_F(metadata, goes_to_png_and_jpeg_and_back) {
  stored_picture p = some();
  p.metadata.icc = profile("RGB ");
  p.metadata.exif = exif(1);
  ASSERT_TRUE(picture_files::make_upright(p.metadata.exif));
  p.metadata.density_unit = unit::inch, p.metadata.across = 300, p.metadata.down = 72;
  for (const char* name : {"a.png", "a.jpg"}) {
    const picture_metadata got = there_and_back(name, p).metadata;
    EXPECT_EQ(got.icc, p.metadata.icc) << name;
    EXPECT_EQ(got.exif, picture_files::exif_of_size(p.metadata.exif, 67, 31)) << name;
    EXPECT_EQ(got.density_unit, unit::inch) << name;
    EXPECT_NEAR(got.across, 300, 0.02) << name;
    EXPECT_NEAR(got.down, 72, 0.02) << name;
  }
  p.metadata.density_unit = unit::centimetre;
  EXPECT_EQ(there_and_back("b.jpg", p).metadata.across, 300);
  EXPECT_NEAR(there_and_back("b.png", p).metadata.across, 300 * 2.54, 0.02);
  p.metadata.icc = profile("RGB ", 200'004);  // four markers
  EXPECT_EQ(there_and_back("c.jpg", p).metadata.icc, p.metadata.icc);
  EXPECT_EQ(there_and_back("c.png", p).metadata.icc, p.metadata.icc);
}

TEST_F(metadata, of_png_alone_goes_to_png) {
  stored_picture p = some(1);
  p.metadata.gamma = big(100'000), p.metadata.chromaticities = std::string(32, 'c'), p.metadata.cicp = "\1\2";
  p.metadata.cicp += std::string("\0\1", 2);
  const picture_metadata got = there_and_back("a.png", p).metadata;
  EXPECT_EQ(got.gamma, p.metadata.gamma);
  EXPECT_EQ(got.chromaticities, p.metadata.chromaticities);
  EXPECT_EQ(got.cicp, p.metadata.cicp);
  testing::internal::CaptureStderr();
  there_and_back("a.jpg", p);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("not kept: the cICP chunk, the gAMA chunk\n"), std::string::npos) << said;
  p.metadata = {};
  p.metadata.srgb = std::string(1, '\0');
  EXPECT_EQ(there_and_back("b.png", p).metadata.srgb, p.metadata.srgb);
  testing::internal::CaptureStderr();
  there_and_back("b.jpg", p);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(metadata, of_no_use_to_the_result_is_told_of) {
  stored_picture grey = some(1);
  grey.metadata.icc = profile("RGB ");
  testing::internal::CaptureStderr();
  EXPECT_EQ(there_and_back("a.png", grey).metadata.icc, "");
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("a.png: not kept: the ICC profile, which is not a grey profile\n"), std::string::npos) << said;
  grey.metadata.icc = profile("GRAY");
  EXPECT_EQ(there_and_back("b.png", grey).metadata.icc, grey.metadata.icc);
  EXPECT_EQ(there_and_back("b.jpg", grey).metadata.icc, grey.metadata.icc);
  grey.metadata.exif = exif(1);
  grey.metadata.density_unit = unit::inch, grey.metadata.across = grey.metadata.down = 300;
  testing::internal::CaptureStderr();
  EXPECT_EQ(there_and_back("c.pgm", grey).metadata, picture_metadata{});
  said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("c.pgm: not kept: the ICC profile, EXIF, the resolution\n"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(metadata, is_of_the_upright_picture) {
  for (const char* name : {"a.png", "a.jpg"}) {
    stored_picture p = some();
    p.metadata.exif = exif(6);
    write_stored_picture(path(name), p);
    const stored_picture up = read_stored_picture(path(name), memory);
    EXPECT_EQ(up.width, 31u) << name;
    EXPECT_EQ(picture_files::exif_orientation(up.metadata.exif), 1) << name;
    EXPECT_EQ(up.metadata.exif.find("THUMB"), std::string::npos) << name;
    EXPECT_EQ(up.metadata.exif.size(), p.metadata.exif.size()) << name;
    write_stored_picture(path("again.png"), up);
    EXPECT_EQ(read_stored_picture(path("again.png"), memory).width, 31u) << name;
  }
}

// Lengths and places that EXIF claims lead nowhere else.
TEST_F(metadata, that_is_damaged_is_left_out) {
  const std::string good = exif(6);
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int value : {0, 1, 8, 127, 255}) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      const bool read = picture_files::make_upright(bad);
      EXPECT_EQ(bad.size(), good.size());
      if (read) {
        EXPECT_EQ(picture_files::exif_of_size(bad, 1, 2).size(), good.size());
      }
      std::string cut = good.substr(0, at);
      picture_files::make_upright(cut);
      EXPECT_EQ(picture_files::exif_of_size(cut, 1, 2).size(), at);
    }
  stored_picture p = some();
  p.metadata.exif = "no EXIF";
  testing::internal::CaptureStderr();
  EXPECT_EQ(there_and_back("a.jpg", p).metadata.exif, "");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("damaged EXIF is ignored"), std::string::npos) << said;
}

}  // namespace
