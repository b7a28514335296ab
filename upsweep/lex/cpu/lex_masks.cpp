#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/lex/cpu/lex_masks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "upsweep/lex/cpu/lex_cpu.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::lex_impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

void masks_of(const unsigned char* text, std::uint64_t words, unsigned char separator, byte_masks* out) {
  const hn::CappedTag<std::uint8_t, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto quote = hn::Set(d, '"'), part = hn::Set(d, separator), feed = hn::Set(d, '\n'), back = hn::Set(d, '\r');
  for (std::uint64_t w = 0; w < words; ++w) {
    // Eight bytes more, which StoreMaskBits may write past those of a short vector.
    alignas(8) std::uint8_t bits[4][16] = {};
    for (std::size_t i = 0; i < 64; i += lanes) {
      const auto x = hn::LoadU(d, text + w * 64 + i);
      hn::StoreMaskBits(d, hn::Eq(x, quote), bits[0] + i / 8);
      hn::StoreMaskBits(d, hn::Eq(x, part), bits[1] + i / 8);
      hn::StoreMaskBits(d, hn::Eq(x, feed), bits[2] + i / 8);
      hn::StoreMaskBits(d, hn::Eq(x, back), bits[3] + i / 8);
    }
    const auto word = [](const std::uint8_t* from) {  // little-endian whatever the host
      std::uint64_t x;
      __builtin_memcpy(&x, from, 8);
      if constexpr (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) x = __builtin_bswap64(x);
      return x;
    };
    out[w] = {word(bits[0]), word(bits[1]), word(bits[2]), word(bits[3])};
  }
}

#else

// Vectors of one element have no byte of bits to store.
void masks_of(const unsigned char* text, std::uint64_t words, unsigned char separator, byte_masks* out) {
  for (std::uint64_t w = 0; w < words; ++w) {
    const auto bits_of = [&](unsigned char wanted) {
      std::uint64_t bits = 0;
      for (unsigned i = 0; i < 64; ++i) bits |= std::uint64_t{text[w * 64 + i] == wanted} << i;
      return bits;
    };
    out[w] = {bits_of('"'), bits_of(separator), bits_of('\n'), bits_of('\r')};
  }
}

#endif

}  // namespace upsweep::detail::lex_impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::lex_impl {
UPSWEEP_EXPORT(masks_of);

void find_masks(const unsigned char* text, std::uint64_t words, unsigned char separator, byte_masks* out) {
  UPSWEEP_DISPATCH(masks_of)(text, words, separator, out);
}

}  // namespace upsweep::detail::lex_impl
#endif
