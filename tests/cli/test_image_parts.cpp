// Large pictures are processed in parts, and the result equals that of processing them at once.
#include <cmath>

#include "cli/image/parts.hpp"
#include "command.hpp"
#include "upsweep/context.hpp"

namespace {

constexpr std::uint64_t memory = std::uint64_t{1} << 32;

stored_picture at_once(const image_place& place, const std::vector<image_step>& steps, const stored_picture& p) {
  picture now = floats_of(p);
  for (const image_step& s : steps) now = after_step(place, s, now);
  return stored_of(now);
}

// Within one level of 255, where a sum in another order rounds differently.
void expect_same(const stored_picture& a, const stored_picture& b, const std::string& what) {
  ASSERT_EQ(a.width, b.width) << what;
  ASSERT_EQ(a.height, b.height) << what;
  ASSERT_EQ(a.channels, b.channels) << what;
  std::uint64_t off = 0, far = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i) {
    off += a.bytes[i] != b.bytes[i];
    far += std::abs(a.bytes[i] - b.bytes[i]) > 1;
  }
  EXPECT_EQ(far, 0u) << what;
  EXPECT_LT(off, a.bytes.size() / 1000) << what;
}

TEST(image_parts, come_out_as_the_whole_does) {
  const image_place place{upsweep::context::cpu(), upsweep::border::mirror, memory};
  // Of more rows than a part has, and wide enough to count as large.
  const stored_picture p = stored_of(test_picture(2048, 2800, 3));
  for (const char* pipeline : {"gaussian:3", "unsharp:2,1", "sobel | threshold:0.2", "median:1 | box:5",
                               "recursive-gaussian:20", "resize:700x900", "convolve:0 1 0 / 1 -4 1 / 0 1 0,1,0.5"}) {
    const auto steps = steps_of_pipeline(pipeline);
    ASSERT_TRUE(goes_in_parts(place, steps, p)) << pipeline;
    expect_same(done_in_parts(place, steps, p, 8), at_once(place, steps, p), pipeline);
  }
  EXPECT_FALSE(goes_in_parts(place, steps_of_pipeline("equalize | recursive-gaussian"), p));
  const image_place wrapped{upsweep::context::cpu(), upsweep::border::wrap, memory};
  EXPECT_FALSE(goes_in_parts(wrapped, steps_of_pipeline("box"), stored_of(test_picture(2048, 2100, 4))));
  EXPECT_FALSE(goes_in_parts(place, steps_of_pipeline("gaussian"), stored_of(test_picture(64, 64, 3))));
}

TEST(image_parts, integers_are_kept) {
  for (const std::uint32_t depth : {8u, 16u})
    for (const std::uint32_t channels : {1u, 2u, 3u, 4u}) {
      const stored_picture p = stored_of(test_picture(37, 23, channels, depth));
      EXPECT_EQ(stored_of(floats_of(p)).bytes, p.bytes);
      stored_picture built = empty_stored(p.width, p.height, channels, depth);
      for (std::uint32_t c = 0; c < channels; ++c) put_channel(built, c, floats_of_channel(p, c));
      EXPECT_EQ(built.bytes, p.bytes);
    }
}

}  // namespace
