// upsweep image: every filter compared with plain loops, alpha, pipelines, folders, comparisons, and error messages.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/image/filters.hpp"
#include "cli/image/picture.hpp"
#include "command.hpp"
#include "upsweep/context.hpp"
#include "upsweep/error.hpp"

namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t memory = 1 << 28;

class images : public command_test {
 protected:
  images() {
    write_picture(path("in.png"), test_picture(96, 64));
    write_picture(path("alpha.png"), test_picture(96, 64, 4));
  }
  picture made(const std::vector<std::string>& arguments, const std::string& in = "in.png",
               const std::string& out = "out.png") const {
    std::vector<std::string> words{"image"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {in, out});
    const ran r = run(words);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r.status == 0 ? read_picture(path(out), memory) : picture{};
  }
  void refused(std::vector<std::string> arguments, const std::vector<std::string>& words, int status = 1) const {
    arguments.insert(arguments.begin(), "image");
    expect_refusal(arguments, words, {}, status);
  }
};

double at(const picture& p, std::int64_t x, std::int64_t y, std::uint32_t c) {
  const auto px = upsweep::border_index(upsweep::border::mirror, x, static_cast<std::int64_t>(p.width)),
             py = upsweep::border_index(upsweep::border::mirror, y, static_cast<std::int64_t>(p.height));
  return p.samples[(static_cast<std::uint64_t>(py) * p.width + static_cast<std::uint64_t>(px)) * p.channels + c];
}

// Sums weight(i, j) · p(x + i, y + j).
template <class Weight>
double summed(const picture& p, std::int64_t x, std::int64_t y, std::uint32_t c, std::int64_t reach,
              const Weight& weight) {
  double sum = 0;
  for (std::int64_t j = -reach; j <= reach; ++j)
    for (std::int64_t i = -reach; i <= reach; ++i) sum += weight(i, j) * at(p, x + i, y + j, c);
  return sum;
}

// Within one grey level of the computation in double.
template <class Wanted>
void expect_pixels(const picture& got, const picture& in, std::uint32_t channels, const Wanted& wanted) {
  ASSERT_EQ(got.width, in.width);
  ASSERT_EQ(got.height, in.height);
  ASSERT_EQ(got.channels, channels);
  for (std::int64_t y = 0; y < static_cast<std::int64_t>(in.height); ++y)
    for (std::int64_t x = 0; x < static_cast<std::int64_t>(in.width); ++x)
      for (std::uint32_t c = 0; c < channels; ++c) {
        const double right = std::clamp(wanted(x, y, c), 0.0, 1.0), err = std::abs(at(got, x, y, c) - right) * 255;
        ASSERT_FALSE(!(err <= 0.51)) << "at " << x << ", " << y << ", channel " << c << ": " << at(got, x, y, c) * 255
                                     << " for " << right * 255;
      }
}

picture grey_of(const picture& p) {
  picture g{p.width, p.height, 1, p.depth, {}};
  for (std::uint64_t i = 0; i < p.pixels(); ++i)
    g.samples.push_back(0.299f * p.samples[3 * i] + 0.587f * p.samples[3 * i + 1] + 0.114f * p.samples[3 * i + 2]);
  return g;
}

TEST_F(images, equalized_brightness_is_spread_evenly) {
  const picture before = with_channels(read_picture(path("in.png"), memory), 3);
  std::vector<std::uint64_t> counts(256), sums(256);
  std::vector<float> grey;
  for (std::uint64_t i = 0; i < before.pixels(); ++i) {
    const float* s = &before.samples[i * 3];
    grey.push_back(0.299f * s[0] + 0.587f * s[1] + 0.114f * s[2]);
    ++counts[static_cast<std::size_t>(std::rint(grey.back() * 255))];
  }
  std::uint64_t so_far = 0, darkest = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    sums[v] = so_far += counts[v];
    if (darkest == 0) darkest = so_far;
  }
  const picture after = made({"equalize"});
  ASSERT_EQ(after.channels, 3u);
  for (std::uint64_t i = 0; i < before.pixels(); ++i) {
    const double to =
        double(sums[static_cast<std::size_t>(std::rint(grey[i] * 255))] - darkest) / double(before.pixels() - darkest);
    for (std::uint32_t c = 0; c < 3; ++c) {
      const double want = std::clamp(before.samples[i * 3 + c] + to - grey[i], 0.0, 1.0);
      ASSERT_TRUE(std::abs(after.samples[i * 3 + c] - want) <= 0.51 / 255) << i;
    }
  }
  made({"equalize"}, "alpha.png");
}

TEST_F(images, convolutions_are_what_a_plain_loop_says) {
  const picture in = test_picture(96, 64);
  for (const double sigma : {0.6, 2.0, 5.0}) {
    const auto reach = static_cast<std::int64_t>(std::ceil(3 * sigma));
    const auto bell = [&](std::int64_t i, std::int64_t j) {
      return std::exp(-static_cast<double>(i * i + j * j) / (2 * sigma * sigma));
    };
    double all = 0;
    for (std::int64_t j = -reach; j <= reach; ++j)
      for (std::int64_t i = -reach; i <= reach; ++i) all += bell(i, j);
    expect_pixels(made({"gaussian", "--sigma", std::to_string(sigma)}), in, 3,
                  [&](auto x, auto y, auto c) { return summed(in, x, y, c, reach, bell) / all; });
    expect_pixels(made({"unsharp", "--sigma", std::to_string(sigma), "--amount", "0.7"}), in, 3,
                  [&](auto x, auto y, auto c) {
                    return at(in, x, y, c) + 0.7 * (at(in, x, y, c) - summed(in, x, y, c, reach, bell) / all);
                  });
  }
  expect_pixels(made({"box", "--size", "7"}), in, 3,
                [&](auto x, auto y, auto c) { return summed(in, x, y, c, 3, [](auto, auto) { return 1; }) / 49; });
  expect_pixels(made({"sharpen"}), in, 3, [&](auto x, auto y, auto c) {
    return summed(in, x, y, c, 1, [](auto i, auto j) { return i == 0 && j == 0 ? 5 : i == 0 || j == 0 ? -1 : 0; });
  });
  // The disc's weights sum to 1 and are nothing beyond its radius: a disc of radius 0.5 is the picture itself.
  expect_pixels(made({"blur", "--radius", "0.5"}), in, 3, [&](auto x, auto y, auto c) { return at(in, x, y, c); });
  const auto disc = [](auto i, auto j) { return std::clamp(3.5 - std::hypot(i, j), 0.0, 1.0); };
  double all = 0;
  for (int j = -3; j <= 3; ++j)
    for (int i = -3; i <= 3; ++i) all += disc(i, j);
  expect_pixels(made({"blur", "--radius", "3"}), in, 3,
                [&](auto x, auto y, auto c) { return summed(in, x, y, c, 3, disc) / all; });
  const int relief[9]{-2, -1, 0, -1, 1, 1, 0, 1, 2};
  expect_pixels(made({"emboss"}), in, 3, [&](auto x, auto y, auto c) {
    return summed(in, x, y, c, 1, [&](auto i, auto j) { return relief[(j + 1) * 3 + i + 1]; });
  });
}

TEST_F(images, a_mask_of_ones_own_is_turned_round) {
  const picture in = test_picture(96, 64);
  const double mask[9]{0.5, 0, 0, 0.25, 0, 0, 0, 0.25, 0};
  const auto wanted = [&](auto x, auto y, auto c) {
    return summed(in, x, y, c, 1, [&](auto i, auto j) { return mask[(1 - j) * 3 + 1 - i]; });
  };
  expect_pixels(made({"convolve", "--mask", ".5 0 0 / .25, 0, 0 / 0 .25 0"}), in, 3, wanted);
  write("mask.npy", npy_header_text(upsweep::dtype::f64, std::vector<std::uint64_t>{3, 3}) +
                        bytes_of(std::vector<double>(mask, mask + 9)));
  expect_pixels(made({"convolve", "--mask", "mask.npy"}), in, 3, wanted);
  expect_pixels(made({"convolve", "--mask", "mask.npy", "--scale", "-1", "--offset", "1"}), in, 3,
                [&](auto x, auto y, auto c) { return 1 - wanted(x, y, c); });
}

TEST_F(images, edges_are_what_a_plain_loop_says) {
  const picture in = test_picture(96, 64), grey = grey_of(in);
  const auto steep = [&](auto x, auto y) {
    const double across = summed(grey, x, y, 0, 1, [](auto i, auto j) { return i * (j == 0 ? 2 : 1); }) / 4;
    const double down = summed(grey, x, y, 0, 1, [](auto i, auto j) { return j * (i == 0 ? 2 : 1); }) / 4;
    return std::hypot(across, down);
  };
  expect_pixels(made({"sobel"}), in, 1, [&](auto x, auto y, auto) { return steep(x, y); });
  expect_pixels(made({"laplacian"}), in, 1, [&](auto x, auto y, auto) {
    return std::abs(summed(grey, x, y, 0, 1, [](auto i, auto j) {
      return i == 0 && j == 0 ? -4 : i == 0 || j == 0 ? 1 : 0;
    }));
  });
  const picture cut = made({"threshold", "--level", "0.4"});
  for (std::uint64_t i = 0; i < in.pixels(); ++i)
    if (std::abs(grey.samples[i] - 0.4f) > 1e-3f) {
      ASSERT_EQ(cut.samples[i], grey.samples[i] > 0.4f ? 1.0f : 0.0f) << i;
    }
  // A vertical edge gives one line, with nothing on either side.
  picture half{40, 30, 1, 8, std::vector<float>(1200)};
  for (std::size_t i = 0; i < 1200; ++i) half.samples[i] = i % 40 < 20 ? 0.0f : 1.0f;
  write_picture(path("half.png"), half);
  const picture line = made({"canny"}, "half.png");
  for (std::size_t i = 0; i < 1200; ++i) ASSERT_EQ(line.samples[i], i % 40 == 19 ? 1.0f : 0.0f) << i % 40;
  // Where the step is too faint there is no edge.
  EXPECT_EQ(std::ranges::count(made({"canny", "--low", "0.9", "--high", "0.95"}, "half.png").samples, 1.0f), 0);
}

TEST_F(images, sizes) {
  EXPECT_EQ(made({"resize", "--size", "48x32", "--kernel", "area"}).width, 48u);
  const picture in = test_picture(96, 64), small = made({"resize", "--size", "50%", "--kernel", "area"});
  ASSERT_EQ(small.width, 48u);
  ASSERT_EQ(small.height, 32u);
  for (std::int64_t y = 0; y < 32; ++y)
    for (std::int64_t x = 0; x < 48; ++x)
      for (std::uint32_t c = 0; c < 3; ++c) {
        const double mean = (at(in, 2 * x, 2 * y, c) + at(in, 2 * x + 1, 2 * y, c) + at(in, 2 * x, 2 * y + 1, c) +
                             at(in, 2 * x + 1, 2 * y + 1, c)) /
                            4;
        ASSERT_NEAR(at(small, x, y, c) * 255, mean * 255, 0.51);
      }
  const auto size_of = [&](const std::string& size) {
    const picture p = made({"resize", "--size", size});
    return std::pair{p.width, p.height};
  };
  EXPECT_EQ(size_of("48x"), (std::pair<std::uint64_t, std::uint64_t>{48, 32}));
  EXPECT_EQ(size_of("x32"), (std::pair<std::uint64_t, std::uint64_t>{48, 32}));
  EXPECT_EQ(size_of("1x200"), (std::pair<std::uint64_t, std::uint64_t>{1, 200}));
  EXPECT_EQ(size_of("0.1%"), (std::pair<std::uint64_t, std::uint64_t>{1, 1}));
}

TEST_F(images, what_cannot_be_seen_has_no_colour) {
  // Red that is clear on the left, blue on the right.
  picture p{32, 8, 4, 8, {}};
  for (int i = 0; i < 256; ++i) {
    const bool left = i % 32 < 16;
    for (const float v : {left ? 1.0f : 0.0f, 0.0f, left ? 0.0f : 1.0f, left ? 0.0f : 1.0f}) p.samples.push_back(v);
  }
  write_picture(path("p.png"), p);
  for (const std::vector<std::string>& f : {std::vector<std::string>{"gaussian", "--sigma", "3"},
                                            {"blur"},
                                            {"box"},
                                            {"sharpen"},
                                            {"unsharp"},
                                            {"emboss"},
                                            {"median"},
                                            {"bilateral"},
                                            {"resize", "--size", "16x4"},
                                            {"convolve", "--mask", "1 2 1", "--scale", "0.25"}}) {
    const picture q = made(f, "p.png");
    ASSERT_EQ(q.channels, 4u);
    for (std::uint64_t i = 0; i < q.pixels(); ++i) {
      const float* s = &q.samples[4 * i];
      if (s[3] > 0) {
        ASSERT_EQ(s[0], 0) << f[0] << ": red shows at pixel " << i;
      }
      // The visible part stays blue.
      if (s[3] > 0.1f && (f[0] == "gaussian" || f[0] == "blur" || f[0] == "box" || f[0] == "resize")) {
        ASSERT_GE(s[2], 0.98f) << f[0] << " at pixel " << i;
      }
    }
  }
  const picture soft = made({"gaussian", "--sigma", "3"}, "p.png");
  EXPECT_NEAR(soft.samples[4 * (4 * 32 + 15) + 3], 0.43, 0.05);  // alpha is blurred along
  for (const char* f : {"sobel", "laplacian", "canny", "threshold"}) {
    const picture q = made({f}, "p.png");
    ASSERT_EQ(q.channels, 2u) << f;
    for (std::uint64_t i = 0; i < q.pixels(); ++i) ASSERT_EQ(q.samples[2 * i + 1], p.samples[4 * i + 3]) << f;
  }
  for (const char* f : {"sharpen", "unsharp", "emboss"}) {
    const picture a = read_picture(path("alpha.png"), memory), q = made({f}, "alpha.png");
    for (std::uint64_t i = 0; i < q.pixels(); ++i) ASSERT_EQ(q.samples[4 * i + 3], a.samples[4 * i + 3]) << f;
  }
}

TEST_F(images, depth_and_channels_stay) {
  for (const std::uint32_t channels : {1u, 2u, 3u, 4u})
    for (const std::uint32_t depth : {8u, 16u}) {
      write_picture(path("p.pam"), test_picture(40, 30, channels, depth));
      for (const char* f : {"gaussian", "median", "bilateral", "sharpen"}) {
        const picture q = made({f}, "p.pam", "q.png");
        EXPECT_EQ(q.channels, channels) << f;
        EXPECT_EQ(q.depth, depth) << f;
      }
    }
  EXPECT_EQ(made({"gaussian", "--depth", "16"}).depth, 16u);
  EXPECT_EQ(made({"gaussian", "--depth", "8"}, "p.pam").depth, 8u);
}

TEST_F(images, a_pipeline_is_its_filters_one_by_one) {
  const picture whole = made({"pipeline", " gaussian:2| sobel |threshold : level = 0.05"});
  made({"gaussian", "--sigma", "2", "--depth", "16"}, "in.png", "a.png");
  made({"sobel"}, "a.png", "b.png");
  const picture last = made({"threshold", "--level", "0.05", "--depth", "8"}, "b.png");
  std::int64_t others = 0;
  for (std::uint64_t i = 0; i < whole.pixels(); ++i) others += whole.samples[i] != last.samples[i];
  EXPECT_LE(others, 2);  // a rounding to 16 bits may tip a pixel
  EXPECT_GT(std::ranges::count(whole.samples, 1.0f), 100);
  EXPECT_EQ(made({"pipeline", "resize:50%,area | convolve:0 0 0 / 0 1 0 / 0 0 0 | unsharp:amount=0"}).samples,
            made({"resize", "--size", "50%", "--kernel", "area"}).samples);
}

TEST_F(images, a_pipeline_says_where_it_is_wrong) {
  const auto wrong = [&](const std::string& text, const std::vector<std::string>& words) {
    refused({"pipeline", text, "in.png", "out.png"}, words);
  };
  wrong("gausian:2 | sobel", {"character 1:", "'gausian' is not a filter", "gaussian, blur"});
  wrong("gaussian:2 | sobl", {"character 14:", "'sobl'"});
  wrong("gaussian:2 | ", {"character 14:", "name is missing"});
  wrong("", {"argument 3 of the command line is empty"});
  wrong(" ", {"character 2:", "name is missing"});
  wrong("gaussian:2 || sobel", {"character 13:", "name is missing"});
  wrong("sobel | gaussian:abc", {"character 18:", "'abc' is not a number", "sigma"});
  wrong("gaussian:-2", {"character 10:", "not from 0.1 to 200"});
  wrong("gaussian:nan", {"character 10:", "not from"});
  wrong("gaussian:1,2", {"character 12:", "takes 1 parameters"});
  wrong("gaussian:", {"character 10:", "missing"});
  wrong("unsharp:sigma=1,amont=2", {"character 17:", "no 'amont'"});
  wrong("unsharp:1, amount=x", {"character 19:", "'x' is not a number"});
  wrong("resize", {"character 1:", "size is missing"});
  wrong("resize:0x5", {"character 8:", "not a size"});
  wrong("resize:5x5,best", {"'best'", "lanczos"});
  wrong("median:1.5", {"whole number"});
  wrong("box:4", {"character 5:", "4 x 4 has no centre"});
}

TEST_F(images, what_is_refused) {
  write("text.png", "this is no picture");
  write("empty.png", "");
  write("cut.png", read("in.png").substr(0, 300));
  write("bomb.ppm", "P6 1000000 1000000 255\n");
  refused({"sobel", "text.png", "out.png"}, {"text.png", "not a picture"});
  refused({"sobel", "empty.png", "out.png"}, {"empty.png", "empty"});
  refused({"sobel", "cut.png", "out.png"}, {"cut.png", "cut off"});
  refused({"sobel", "bomb.ppm", "out.png"}, {"bomb.ppm", "claims 1000000 x 1000000", "--memory"});
  refused({"sobel", "in.png", "out.png", "--memory", "100K"}, {"in.png", "claims 96 x 64"});
  refused({"sobel", "nothing.png", "out.png"}, {"nothing.png", "No such file"});
  refused({"sobel", "in.png", "out.gif"}, {"out.gif", "GIF can be read but not written", ".png"});
  refused({"sobel", "in.png", "out"}, {"its extension is not"});
  refused({"sobel", "in.png", "nowhere/out.png"}, {"nowhere", "does not exist"});
  refused({"gaussian", "in.png", "out.pgm"}, {"out.pgm", "colours"});
  refused({"sobel", "in.png", "out.png", "--border", "none"}, {"--border", "keeps its size"});
  refused({"sobel", "in.png", "out.png", "--border", "round"}, {"--border 'round'", "mirror"});
  refused({"sobel", "in.png", "out.png", "--to", "jpg"}, {"--to", "folders"});
  refused({"canny", "--low", "0.5", "--high", "0.1", "in.png", "out.png"}, {"low", "above"});
  refused({"resize", "--size", "100000x100000", "in.png", "out.png", "--memory", "1G"},
          {"resize", "100000 x 100000 pixels", "choose a smaller size"});
  refused({"convolve", "--mask", "1 2 / 3 4", "in.png", "out.png"}, {"2 x 2", "no centre"});
  refused({"convolve", "--mask", "1 2 1 / 3 4", "in.png", "out.png"}, {"rows have 3 and 2"});
  refused({"convolve", "--mask", "nan", "in.png", "out.png"}, {"mask", "NaN"});
  refused({"convolve", "--mask", "", "in.png", "out.png"}, {"mask"});
  refused({"convolve", "--mask", "1 a 1", "in.png", "out.png"}, {"neither a file nor rows"});
  refused({"gaussian", "--sigma", "0", "in.png", "out.png"}, {"sigma of gaussian", "not from"});
  refused({"resize", "in.png", "out.png"}, {"--size", "upsweep image resize --help"}, 2);
  refused({"gaussian", "in.png", "out.png", "--depth", "12"}, {"--depth"}, 2);
  refused({"gaussian", "in.png", "out.png", "--compare", "tpu"}, {"tpu"});
  refused({"test-picture", "t.png", "--size", "0x4"}, {"empty"});
  refused({"test-picture", "t.png", "--size", "4"}, {"not a size"});
  refused({"test-picture", "t.png", "--size", "99999999x99999999"}, {"choose a smaller size"});
  refused({"gaussian", "in.png", "out.png", "--compare", "cpu,"}, {"--compare 'cpu,'", "name is missing"});
}

TEST_F(images, folders) {
  fs::create_directory(path("in"));
  fs::create_directory(path("out"));
  for (const char* name : {"a.png", "c.ppm", "d.jpg"}) write_picture(path("in") / name, test_picture(50, 40));
  write("in/notes.txt", "no picture, and no matter");
  ran r = run({"image", "gaussian", "in", "out"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  for (const char* name : {"out/a.png", "out/c.ppm", "out/d.jpg"})
    EXPECT_EQ(read_picture(path(name), memory).width, 50u) << name;
  EXPECT_FALSE(exists("out/notes.txt"));
  // One bad file is reported and the rest is done.
  write("in/b.png", read("in/a.png").substr(0, 100));
  fs::create_directory(path("second"));
  r = run({"image", "sobel", "in", "second", "--to", "png"});
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("in/b.png: the PNG is cut off"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("3 of 4 pictures were processed"), std::string::npos) << r.err;
  EXPECT_EQ(std::ranges::count(r.err, '\n'), 2);
  for (const char* name : {"second/a.png", "second/c.png", "second/d.png"})
    EXPECT_EQ(read_picture(path(name), memory).channels, 1u) << name;
  EXPECT_FALSE(exists("second/b.png"));
  // Two pictures that would be one file.
  write_picture(path("in/a.ppm"), test_picture(9, 9));
  fs::remove(path("in/b.png"));
  r = run({"image", "sobel", "in", "second", "--to", "png"});
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("another picture was already written"), std::string::npos) << r.err;
  // Messages are printed for each picture by name.
  fs::remove(path("in/a.ppm"));
  r = run({"image", "sobel", "in", "second", "--compare", "cpu:1"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(std::ranges::count(r.out, '\n'), 6) << r.out;
  EXPECT_NE(r.out.find("in/c.ppm\ncpu"), std::string::npos) << r.out;
  refused({"sobel", "in", "nowhere"}, {"nowhere", "does not exist"});
  refused({"sobel", "in", "in"}, {"is the input folder"});
  fs::create_directory(path("none"));
  refused({"sobel", "none", "out"}, {"no pictures"});
  // A picture into a folder keeps its name.
  EXPECT_EQ(run({"image", "sobel", "in.png", "out"}).status, 0);
  EXPECT_TRUE(exists("out/in.png"));
}

TEST_F(images, side_by_side) {
  const picture in = test_picture(96, 64);
  ran r = run({"image", "gaussian", "in.png", "both.png", "--compare"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find(" ms"), std::string::npos) << r.out;
  const picture both = read_picture(path("both.png"), memory), blurred = made({"gaussian"});
  ASSERT_EQ(both.width, 192u);
  ASSERT_EQ(both.height, 64u);
  for (std::uint64_t y = 0; y < 64; ++y)
    for (std::uint64_t i = 0; i < 96 * 3; ++i) {
      ASSERT_EQ(both.samples[y * 576 + i], in.samples[y * 288 + i]);
      ASSERT_EQ(both.samples[y * 576 + 288 + i], blurred.samples[y * 288 + i]);
    }
  r = run({"image", "gaussian", "--compare", "cpu:1,cpu:2", "in.png", "both.png"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("at most 0 of 255 grey levels"), std::string::npos) << r.out;
  EXPECT_EQ(std::ranges::count(r.out, '\n'), 2);
  r = run({"image", "resize", "--size", "50%", "--compare", "in.png", "both.png"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(read_picture(path("both.png"), memory).channels, 4u);
}

// Messages go to standard error, so that standard output has the picture's bytes alone.
TEST_F(images, standard_streams) {
  const ran r = run({"image", "median", "-", "-", "--explain"}, read("in.png"));
  ASSERT_EQ(r.status, 0) << r.err;
  write("piped.png", r.out);
  EXPECT_EQ(read_picture(path("piped.png"), memory).samples, made({"median"}).samples);
  const ran told = run({"image", "gaussian", "-", "-", "--explain", "--to", "ppm"}, read("in.png"));
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(told.out.starts_with("P6\n96 64\n255\n")) << told.out.substr(0, 20);
  EXPECT_NE(told.err.find("gaussian (7 x 7): "), std::string::npos) << told.err;
  EXPECT_EQ(shell("$upsweep image box in.png - | $upsweep image box - twice.png").status, 0);
  EXPECT_EQ(read_picture(path("twice.png"), memory).width, 96u);
  expect_refusal({"image", "box", "-", "out2.png"}, {"standard input", "empty"}, "");
  expect_refusal({"image", "box", "-", "out2.png"}, {"standard input", "cut off"}, read("in.png").substr(0, 99));
}

// Every filter on every device, within one grey level of the CPU's; but where a level decides, of few pixels.
TEST_F(images, devices_agree) {
  write_picture(path("in.png"), test_picture(61, 47, 4));
  for (const upsweep::device_listing& d : upsweep::list_devices()) {
    if (!d.usable || d.kind == upsweep::backend::cpu) continue;
    for (const char* filters :
         {"gaussian:2", "blur:3", "box:5", "sharpen", "unsharp", "sobel", "laplacian", "emboss", "median:2",
          "bilateral:2,0.1", "canny", "threshold", "resize:33x90", "convolve:0 1 0 / 1 -4 1 / 0 1 0"}) {
      const auto on = [&](const std::string& device) {
        const ran r = run({"image", "pipeline", filters, "in.png", "out.png", "--device", device});
        EXPECT_EQ(r.status, 0) << d.name << ": " << r.err;
        return r.status == 0 ? read_picture(path("out.png"), memory).samples : std::vector<float>();
      };
      const std::vector<float> here = on("cpu"), there = on(d.name);
      ASSERT_EQ(here.size(), there.size()) << filters;
      std::size_t off = 0;
      for (std::size_t i = 0; i < here.size(); ++i) off += !(std::abs(here[i] - there[i]) * 255 <= 1.001f);
      const bool decides = std::string_view(filters) == "canny" || std::string_view(filters) == "threshold";
      EXPECT_LE(off, decides ? here.size() / 200 : 0) << filters << " on " << d.name;
    }
  }
}

TEST_F(images, says_which_algorithm_it_takes) {
  const ran r = run({"image", "gaussian", "--sigma", "3", "--explain", "in.png", "out.png", "--device", "cpu"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("gaussian (19 x 19): "), std::string::npos) << r.out;
  EXPECT_EQ(std::ranges::count(r.out, '\n'), 1);
}

// The mean of each filter's picture, so that a change of any is seen.
TEST_F(images, golden_means) {
  struct golden {
    const char* pipeline;
    double mean;
  };
  for (const auto& [pipeline, mean] :
       {golden{"gaussian:2", 113.641}, golden{"recursive-gaussian:2", 113.641}, golden{"blur:3", 113.640},
        golden{"box:5", 113.641}, golden{"sharpen:1", 114.984}, golden{"unsharp:2,1", 113.439}, golden{"sobel", 45.695},
        golden{"laplacian", 42.419}, golden{"emboss", 116.438}, golden{"median:2", 113.965},
        golden{"bilateral:3,0.1", 113.613}, golden{"canny", 28.361}, golden{"threshold:0.5", 113.940},
        golden{"resize:33x21", 113.597}, golden{"resize:200x100,cubic", 113.327},
        golden{"convolve:0 1 0 / 1 -4 1 / 0 1 0", 20.744}}) {
    picture p = test_picture(256, 256);
    const image_place place{upsweep::context::cpu(), upsweep::border::mirror, memory};
    for (const image_step& s : steps_of_pipeline(pipeline)) p = after_step(place, s, p);
    double sum = 0;
    for (const float v : p.samples) sum += v;
    EXPECT_NEAR(sum / static_cast<double>(p.samples.size()) * 255, mean, 0.01) << pipeline;
  }
}

}  // namespace
