// The codes that the CUDA radix sort moves in place of floats: each tells its key, and their order is that of the
// images.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "upsweep/sort/cuda/sort_float_codes.hpp"

namespace upsweep {
namespace {

template <class Key>
std::vector<Key> keys_of_all_kinds() {
  constexpr Key top = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  std::vector<Key> keys;
  for (const Key sign : {Key{0}, top})
    for (const Key near : {Key{0}, Key{1}, Key{2}, static_cast<Key>(infinity_bits<Key> - 1), infinity_bits<Key>,
                           static_cast<Key>(infinity_bits<Key> + 1), static_cast<Key>(top - 2),
                           static_cast<Key>(top - 1), static_cast<Key>(infinity_bits<Key> >> 1)})
      keys.push_back(near | sign);
  std::mt19937_64 random(11);
  for (int i = 0; i < 400; ++i) keys.push_back(static_cast<Key>(random()));
  for (int i = 0; i < 50; ++i) keys.push_back(static_cast<Key>(random()) | infinity_bits<Key>);
  return keys;
}

template <class Key>
void expect_codes() {
  const std::vector<Key> keys = keys_of_all_kinds<Key>();
  const auto code = [](Key key) { return cuda::code_of<Key, true>(key); };
  for (const Key a : keys) {
    EXPECT_EQ((cuda::key_of_code<Key, true>(code(a))), a);
    EXPECT_EQ((code(cuda::key_of_code<Key, true>(a))), a);
    for (const Key b : keys) {
      const Key image_a = order_bits_of<key_order::floating>(a), image_b = order_bits_of<key_order::floating>(b);
      const Key code_a = cuda::ordered_code(a), code_b = cuda::ordered_code(b);
      ASSERT_EQ(code_a < code_b, image_a < image_b) << std::hex << a << ' ' << b;
    }
  }
}

TEST(SortCodes, TellTheKeyAndFollowTheImages) {
  expect_codes<std::uint32_t>();
  expect_codes<std::uint64_t>();
}

// A pass relies on this: below the two highest bytes, values beyond infinity have the bytes of infinity; their second
// highest byte is another than infinity's; in the highest byte only -0 differs from its code.
TEST(SortCodes, OfNanAndMinusZeroDifferFromTheOrdinaryInKnownDigits) {
  using code = cuda::code_of_double;
  constexpr std::uint64_t below = (std::uint64_t{1} << 48) - 1;
  EXPECT_EQ(code::nans_with_sign & below, 0u);
  EXPECT_EQ(code::infinity & below, 0u);
  for (const std::uint64_t key : keys_of_all_kinds<std::uint64_t>()) {
    const std::uint64_t merged = code::merged(key), c = code::of(key);
    if (c <= code::infinity) {
      EXPECT_EQ(merged, c);
    } else {
      EXPECT_EQ(merged << 8, code::nans_with_sign << 8);
      EXPECT_EQ(merged >> 56, c == code::minus_zero ? code::zero >> 56 : c >> 56) << std::hex << key;
    }
  }
}

}  // namespace
}  // namespace upsweep
