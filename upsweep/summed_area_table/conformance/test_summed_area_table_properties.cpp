// Laws of tables and boxes that hold for any picture, tried on pictures that RapidCheck makes and, when one fails,
// shrinks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/devices.hpp"
#include "upsweep/summed_area_table.hpp"

namespace upsweep {
namespace {

struct IntegralPropertiesOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, IntegralPropertiesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

struct any_picture {
  extent size;
  std::vector<std::uint16_t> pixels;
};
any_picture a_picture() {
  const auto x = *rc::gen::inRange<std::uint64_t>(1, 80), y = *rc::gen::inRange<std::uint64_t>(1, 40);
  return {{x, y}, *rc::gen::container<std::vector<std::uint16_t>>(x * y, rc::gen::arbitrary<std::uint16_t>())};
}

// A box's sum is that of the rectangle it covers, by the table.
TEST_P(IntegralPropertiesOn, BoxesAreRectangles) {
  EXPECT_TRUE(rc::check("boxes are rectangles", [&] {
    const any_picture p = a_picture();
    const extent radius{*rc::gen::inRange<std::uint64_t>(0, 90), *rc::gen::inRange<std::uint64_t>(0, 50)};
    std::vector<std::uint32_t> table(p.pixels.size()), boxes(p.pixels.size()), sums(p.pixels.size());
    std::vector<rectangle> all;
    for (std::uint64_t y = 0; y < p.size.y; ++y)
      for (std::uint64_t x = 0; x < p.size.x; ++x)
        all.push_back({x - std::min(x, radius.x), y - std::min(y, radius.y), std::min(x + radius.x + 1, p.size.x),
                       std::min(y + radius.y + 1, p.size.y)});
    summed_area_table(where(), p.pixels, table, p.size);
    rectangle_sums(where(), table, all, sums, p.size);
    box_sum(where(), p.pixels, boxes, p.size, radius);
    RC_ASSERT(boxes == sums);
  }));
}

// The table of a turned picture is the table, turned.
TEST_P(IntegralPropertiesOn, TurnedPicturesHaveTurnedTables) {
  EXPECT_TRUE(rc::check("turned pictures have turned tables", [&] {
    const any_picture p = a_picture();
    std::vector<std::uint16_t> turned(p.pixels.size());
    std::vector<std::uint64_t> table(p.pixels.size()), of_turned(p.pixels.size());
    for (std::uint64_t i = 0; i < turned.size(); ++i) turned[i % p.size.x * p.size.y + i / p.size.x] = p.pixels[i];
    summed_area_table(where(), p.pixels, table, p.size);
    summed_area_table(where(), turned, of_turned, {p.size.y, p.size.x});
    for (std::uint64_t i = 0; i < turned.size(); ++i)
      RC_ASSERT(of_turned[i % p.size.x * p.size.y + i / p.size.x] == table[i]);
  }));
}

}  // namespace
}  // namespace upsweep
