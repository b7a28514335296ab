// The ways to write a image_layout, which compilers part by their rules of braces; compiling it is the test.
#include "upsweep/core/image_shape.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t f(const image_layout& r) {
  return r.size.x * 1000000 + r.size.y * 10000 + r.size.z * 100 + r.channels;
}
constexpr std::uint64_t w = 7, h = 8;
static_assert(f({7, 8}) == 7080101);
static_assert(f({{7, 8}}) == 7080101);
static_assert(f(image_layout{{7, 8}}) == 7080101);
static_assert(f(image_layout{{w, h}}) == 7080101);
static_assert(f(image_layout({w, h})) == 7080101);
static_assert(f(image_layout{{w, h}, 3}) == 7080103);
static_assert(f(image_layout{{w, h, 9}}) == 7080901);
static_assert(f(image_layout{{w, h, 9}, 2, 5, 6}) == 7080902);
static_assert(f(image_layout{{w}}) == 7010101);
static_assert(f({{w, 1, 1}, 4}) == 7010104);
static_assert(f(image_layout{extent{w, h}}) == 7080101);
static_assert(f({extent{w, h}, 3}) == 7080103);
static_assert(f(image_layout{w, h}) == 7080101);
static_assert(f(image_layout{image_layout{w, h}}) == 7080101);
static_assert(f(image_layout()) == 1010101);

const std::size_t x = 5, y = 6;
static_assert(f(image_layout{{x, y}}) == 5060101 && f({x, y}) == 5060101 && f({{x, y}, 3}) == 5060103);

}  // namespace
}  // namespace upsweep
