// The ways to write a raster, which compilers part by their rules of braces; compiling it is the test.
#include "upsweep/core/shape.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t f(const raster& r) {
  return r.size.x * 1000000 + r.size.y * 10000 + r.size.z * 100 + r.channels;
}
constexpr std::uint64_t w = 7, h = 8;
static_assert(f({7, 8}) == 7080101);
static_assert(f({{7, 8}}) == 7080101);
static_assert(f(raster{{7, 8}}) == 7080101);
static_assert(f(raster{{w, h}}) == 7080101);
static_assert(f(raster({w, h})) == 7080101);
static_assert(f(raster{{w, h}, 3}) == 7080103);
static_assert(f(raster{{w, h, 9}}) == 7080901);
static_assert(f(raster{{w, h, 9}, 2, 5, 6}) == 7080902);
static_assert(f(raster{{w}}) == 7010101);
static_assert(f({{w, 1, 1}, 4}) == 7010104);
static_assert(f(raster{extent{w, h}}) == 7080101);
static_assert(f({extent{w, h}, 3}) == 7080103);
static_assert(f(raster{w, h}) == 7080101);
static_assert(f(raster{raster{w, h}}) == 7080101);
static_assert(f(raster()) == 1010101);

const std::size_t x = 5, y = 6;
static_assert(f(raster{{x, y}}) == 5060101 && f({x, y}) == 5060101 && f({{x, y}, 3}) == 5060103);

}  // namespace
}  // namespace upsweep
