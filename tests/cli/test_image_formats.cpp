// Reading and writing pictures: a round trip through every format and depth, orientation, and rejected files.
#include <cmath>
#include <map>
#include <random>

#include "cli/image/stored_picture.hpp"
#include "command.hpp"
#include "upsweep/error.hpp"

namespace {

constexpr std::uint64_t memory = 1 << 26;

class pictures : public command_test {
 protected:
  picture there_and_back(const std::string& name, const picture& p) const {
    write_picture(path(name), p);
    return read_picture(path(name), memory);
  }
  std::string file_of(const std::string& name, const picture& p) const {
    write_picture(path(name), p);
    return read(name);
  }
  // The sentence that refuses these bytes; empty where they are read.
  std::string refusal(const std::string& bytes) const {
    write("bytes", bytes);
    try {
      read_picture(path("bytes"), memory);
      return {};
    } catch (const upsweep::error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()), "");
      return e.what();
    }
  }
  void expect_refused(const std::string& bytes, const std::string& says) const {
    const std::string sentence = refusal(bytes);
    EXPECT_NE(sentence.find(says), std::string::npos) << "'" << sentence << "' does not say: " << says;
  }
};

void expect_same(const picture& got, const picture& wanted) {
  EXPECT_EQ(got.width, wanted.width);
  EXPECT_EQ(got.height, wanted.height);
  EXPECT_EQ(got.channels, wanted.channels);
  EXPECT_EQ(got.depth, wanted.depth);
  EXPECT_EQ(got.samples, wanted.samples);
}

TEST_F(pictures, there_and_back_every_sample) {
  for (const char* name : {"p.png", "p.pam", "p.PNG", "p.pnm", "p.ppm", "p.pgm"})
    for (std::uint32_t channels = 1; channels <= 4; ++channels)
      for (const std::uint32_t depth : {8u, 16u})
        for (const auto& [w, h] : {std::pair{1, 1}, {1, 7}, {9, 1}, {67, 31}}) {
          const std::string format = std::string(name).substr(2);
          if ((format == "pnm" && channels % 2 == 0) || (format == "ppm" && channels != 3) ||
              (format == "pgm" && channels != 1))
            continue;
          SCOPED_TRACE(testing::Message()
                       << name << ", " << channels << " channels, " << depth << " bits, " << w << " x " << h);
          const picture p = test_picture(static_cast<std::uint64_t>(w), static_cast<std::uint64_t>(h), channels, depth);
          expect_same(there_and_back(name, p), p);
        }
}

TEST_F(pictures, every_value_of_a_sample) {
  picture p{256, 256, 1, 16, std::vector<float>(65536)};
  for (std::size_t i = 0; i < 65536; ++i) p.samples[i] = static_cast<float>(i) / 65535.0f;
  for (const char* name : {"p.png", "p.pgm", "p.pam"}) expect_same(there_and_back(name, p), p);
  // Values outside the range are clamped, and NaN becomes black.
  const picture q{4, 1, 1, 8, {-1.0f, 7.0f, std::nanf(""), 0.5f}};
  EXPECT_EQ(there_and_back("q.png", q).samples, (std::vector<float>{0, 1, 0, 128 / 255.0f}));
}

TEST_F(pictures, jpeg_is_near) {
  for (const std::uint32_t channels : {1u, 3u}) {
    const picture p = test_picture(160, 120, channels), q = there_and_back("p.jpg", p);
    ASSERT_EQ(q.samples.size(), p.samples.size());
    EXPECT_EQ(q.channels, channels);
    double sum = 0;
    for (std::size_t i = 0; i < p.samples.size(); ++i) sum += std::abs(p.samples[i] - q.samples[i]);
    EXPECT_LE(sum / static_cast<double>(p.samples.size()), 0.05);
  }
  write_picture(path("coarse.jpg"), test_picture(160, 120), {.jpeg = 10});
  EXPECT_LT(read("coarse.jpg").size() * 2, read("p.jpg").size());
}

TEST_F(pictures, what_holds_no_alpha_shows_white_through_it) {
  picture p{2, 1, 4, 8, {1, 0, 0, 0, 0, 0, 1, 1}};  // red that is not seen, and blue
  for (const char* name : {"p.ppm", "p.pnm"})
    EXPECT_EQ(there_and_back(name, p).samples, (std::vector<float>{1, 1, 1, 0, 0, 1})) << name;
  EXPECT_EQ(there_and_back("p.jpg", p).channels, 3u);
  EXPECT_EQ(there_and_back("p.png", p).samples, p.samples);
  const picture grey{2, 1, 2, 8, {0, 0, 0, 1}};
  EXPECT_EQ(there_and_back("g.ppm", grey).samples, (std::vector<float>{1, 1, 1, 0, 0, 0}));
}

// ------------------------------------------------------------------------------------------------ orientation

std::string tiff(int orientation, bool big) {
  const auto number = [&](int n, int bytes) {
    std::string s;
    for (int i = 0; i < bytes; ++i) s += static_cast<char>(n >> 8 * (big ? bytes - 1 - i : i) & 255);
    return s;
  };
  return (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) +  // two entries: the width, and
         number(0x0100, 2) + number(4, 2) + number(1, 4) + number(640, 4) +   // then
         number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) + number(0, 4);
}

std::uint32_t crc(const std::string& bytes) {
  std::uint32_t c = ~0u;
  for (const char b : bytes) {
    c ^= static_cast<unsigned char>(b);
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
  }
  return ~c;
}
std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16 & 255), static_cast<char>(n >> 8 & 255),
          static_cast<char>(n & 255)};
}
std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(crc(type + data));
}
std::string png_with(const std::string& png, const std::string& data, bool at_the_end) {
  return std::string(png).insert(at_the_end ? png.size() - 12 : 33, chunk("eXIf", data));
}
std::string jpeg_with(const std::string& jpeg, const std::string& data) {
  const std::string body = std::string("Exif\0\0", 6) + data;
  const auto length = body.size() + 2;
  return jpeg.substr(0, 2) + "\xff\xe1" + static_cast<char>(length >> 8) + static_cast<char>(length & 255) + body +
         jpeg.substr(2);
}

TEST_F(pictures, stand_as_their_exif_says) {
  // 64 x 32, blocks of 16 in eight greys, the upper left 0, the next in its row 1, and so on.
  picture p{64, 32, 1, 8, std::vector<float>(64 * 32)};
  for (std::size_t i = 0; i < p.samples.size(); ++i)
    p.samples[i] = static_cast<float>(i / (64 * 16) * 4 + i % 64 / 16) * 32 / 255.0f;
  const std::string png = file_of("p.png", p), jpeg = file_of("p.jpg", p);
  // Where the standard places the first stored row and the first stored column on the display.
  struct seen {
    const char *row, *column;
  };
  constexpr seen as[]{{"top", "left"}, {"top", "right"}, {"bottom", "right"}, {"bottom", "left"},
                      {"left", "top"}, {"right", "top"}, {"right", "bottom"}, {"left", "bottom"}};
  for (int o = 1; o <= 8; ++o)
    for (const bool big : {false, true})
      for (const auto& [kind, bytes] : {std::pair{"PNG", png_with(png, tiff(o, big), false)},
                                        {"PNG, behind the picture", png_with(png, tiff(o, big), true)},
                                        {"JPEG", jpeg_with(jpeg, tiff(o, big))}}) {
        SCOPED_TRACE(testing::Message() << kind << ", orientation " << o << (big ? ", MM" : ", II"));
        write("turned", bytes);
        const picture up = read_picture(path("turned"), memory);
        const std::string row = as[o - 1].row, column = as[o - 1].column;
        const bool lying = row == "left" || row == "right";
        ASSERT_EQ(up.width, lying ? 32u : 64u);
        ASSERT_EQ(up.height, lying ? 64u : 32u);
        for (std::uint64_t r = 0; r < 2; ++r)
          for (std::uint64_t c = 0; c < 4; ++c) {
            std::uint64_t x = lying ? (row == "left" ? r : 1 - r) : (column == "left" ? c : 3 - c);
            std::uint64_t y = lying ? (column == "top" ? c : 3 - c) : (row == "top" ? r : 1 - r);
            EXPECT_NEAR(up.samples[(y * 16 + 8) * up.width + x * 16 + 8] * 255, static_cast<double>((r * 4 + c) * 32),
                        4.0)
                << r << ", " << c;
          }
      }
  // Nonsense turns nothing.
  for (const std::string& data : {tiff(0, false), tiff(9, true), std::string("MM"), tiff(6, true).substr(0, 20),
                                  std::string("II*\0\xff\xff\xff\xff", 8)}) {
    write("turned", png_with(png, data, false));
    EXPECT_EQ(read_picture(path("turned"), memory).samples, p.samples);
  }
}

// ------------------------------------------------------------------------------------------------ other readings

TEST_F(pictures, netpbm_in_all_its_forms) {
  const auto samples = [&](const std::string& bytes) {
    write("p", bytes);
    return read_picture(path("p"), memory).samples;
  };
  const std::vector<float> bits{0, 1, 1, 0};
  EXPECT_EQ(samples("P1 2 2 1001"), bits);
  EXPECT_EQ(samples("P1\n# a comment\n2 2\n1 0\n0 1\n"), bits);
  EXPECT_EQ(samples(std::string("P4\n2 2\n\x80\x40", 9)), bits);
  EXPECT_EQ(samples("P2 2 1 4 0 4"), (std::vector<float>{0, 1}));
  EXPECT_EQ(samples("P3 1 1 10 0 5 10"), (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(samples("P5 2 1 15\n" + std::string("\x0f\x03", 2)), (std::vector<float>{1, 0.2f}));
  EXPECT_EQ(samples("P5 # wide\n1 1 65535\n" + std::string("\xff\xff", 2)), (std::vector<float>{1}));
  EXPECT_EQ(samples("P7\n# a\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n" +
                    std::string("\x00\xff", 2)),
            (std::vector<float>{0, 1}));
}

TEST_F(pictures, what_is_refused) {
  expect_refused("", "empty");
  expect_refused("hello, this is no picture", "not a picture");
  expect_refused("P", "not a picture");
  expect_refused("BM......", "a BMP");
  expect_refused(std::string("\0\0\0\x1c"
                             "ftypavif",
                             12),
                 "an AVIF");
  expect_refused("\x89PNG\n\n", "line endings");
  expect_refused("P6 0 5 255\n", "empty picture of 0 x 5");
  expect_refused("P6 1000000 1000000 255\n", "claims 1000000 x 1000000");
  expect_refused("P6 18446744073709551615 18446744073709551615 255\n", "claims");
  expect_refused("P6 99999999999999999999 1 255\n", "too large");
  expect_refused("P6 2 2 70000\n", "maximum sample");
  expect_refused("P6 2 2 0\n", "maximum sample");
  expect_refused("P5 2 2 255\nabc", "cut off");
  expect_refused("P5 2 x", "not a number");
  expect_refused("P5 2 -2 255\n", "not a number");
  expect_refused("P2 1 1 9 10", "exceeds");
  expect_refused("P1 2 1 12", "neither 0 nor 1");
  expect_refused("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 9\nMAXVAL 255\nENDHDR\n", "9 channels");
  expect_refused("P7\nWIDTH 1\nHEIGHT 1\n", "cut off");
  expect_refused("P7\nCOLOR 1\n", "unknown");

  const picture p = test_picture(20, 10);
  const std::string png = file_of("p.png", p), jpeg = file_of("p.jpg", p);
  std::string bytes = png;
  bytes.replace(16, 8, std::string(8, '\x7f'));
  expect_refused(bytes, "claims 2139062143 x 2139062143");
  bytes.replace(16, 8, std::string(8, '\0'));
  expect_refused(bytes, "empty picture");
  bytes = png;
  bytes[bytes.size() - 30] ^= 1;
  expect_refused(bytes, "damaged");
  const auto frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  bytes = jpeg;
  bytes.replace(frame + 5, 4, std::string(4, '\xff'));
  EXPECT_NE(refusal(bytes), "");
  bytes = jpeg;
  bytes[frame + 4] = 12;
  expect_refused(bytes, "depth");
  bytes = jpeg;
  bytes.replace(frame + 5, 4, std::string("\xff\x00\xff\x00", 4));
  expect_refused(bytes, "claims 65280 x 65280");
}

TEST_F(pictures, cut_anywhere_are_refused) {
  const picture p = test_picture(24, 17, 3);
  for (const char* name : {"p.png", "p.jpg", "p.ppm", "p.pam"}) {
    const std::string bytes = file_of(name, p);
    for (std::size_t n = 0; n < bytes.size(); n += n < 64 || n + 64 > bytes.size() ? 1 : 7)
      ASSERT_NE(refusal(bytes.substr(0, n)), "")
          << name << " of " << bytes.size() << " bytes was read when cut to " << n;
  }
}

TEST_F(pictures, damaged_ones_are_read_or_refused) {
  std::mt19937 random(5);
  const picture p = test_picture(24, 17, 3);
  const int each = 400;
  std::map<std::string, int> refused;
  for (const char* name : {"p.png", "p.jpg", "p.pam"}) {
    const std::string whole = file_of(name, p);
    for (int i = 0; i < each; ++i) {
      std::string bytes = whole;
      for (unsigned n = 1 + random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
      refused[name] += !refusal(bytes).empty();
    }
  }
  // A PNG has checksums. Most bytes of a PAM are samples, which may have any value.
  EXPECT_GT(refused["p.png"], each / 2);
  EXPECT_LT(refused["p.pam"], each / 2);
}

TEST_F(pictures, the_test_picture_is_the_same_everywhere) {
  // FNV-1a of the samples as bytes.
  const auto hash = [](const picture& p) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (const std::uint8_t b : stored_of(p).bytes) h = (h ^ b) * 0x100000001b3ull;
    return h;
  };
  EXPECT_EQ(hash(test_picture(512, 512)), 0xf86fb45245764c8ull);
  EXPECT_EQ(hash(test_picture(97, 61, 4)), 0x9e40cf447fd34591ull);
  EXPECT_EQ(hash(test_picture(1, 1, 1)), 0xaf63cb4c8601cfa9ull);
}

}  // namespace
