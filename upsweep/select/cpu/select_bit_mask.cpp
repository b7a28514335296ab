// Computes bits by vector comparisons. Moves compress a vector in a register and store all of it; the next store
// overwrites the excess. (Compressing to memory is many times slower on some processors.)
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/select/cpu/select_bit_mask.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "upsweep/select/cpu/select_bit_mask.hpp"
#include "upsweep/sort/sort_order.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace select {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint64_t ones(std::uint64_t word) { return static_cast<std::uint64_t>(__builtin_popcountll(word)); }

template <class U, bool Float, class D>
HWY_INLINE hn::Vec<D> image_of(D d, hn::Vec<D> bits) {
  if constexpr (!Float) {
    return bits;
  } else {
    const auto top = hn::Set(d, static_cast<U>(U{1} << (8 * sizeof(U) - 1)));
    const auto magnitude = hn::AndNot(top, bits);
    const auto negative = hn::Ne(hn::And(bits, top), hn::Zero(d));
    const auto ordered = hn::IfThenElse(negative, hn::Sub(top, magnitude), hn::Add(top, magnitude));
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, infinity_bits<U>)), hn::Set(d, static_cast<U>(~U{0})), ordered);
  }
}

template <class U, bool Float>
HWY_INLINE U image_of(U bits) {
  return order_bits_of<Float ? key_order::floating : key_order::plain>(bits);
}

// The mask's bits, lane 0 lowest.
template <class D>
HWY_INLINE std::uint64_t bits_of(D d, hn::Mask<D> mask) {
  std::uint64_t word = 0;
  hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&word));
  return hn::MaxLanes(d) >= 64 ? word : word & ((std::uint64_t{1} << (hn::MaxLanes(d) % 64)) - 1);
}

// Words of test(i), XORed with flip, computed by vectors for whole groups of 64 elements: vector(i) returns the mask
// of the elements from i on.
template <class D, class Vector, class Scalar>
HWY_INLINE std::uint64_t write_bits(D d, std::uint64_t n, std::uint64_t* bits, std::uint64_t flip, Vector vector,
                                    Scalar scalar) {
  constexpr std::uint64_t lanes = hn::MaxLanes(D());
  std::uint64_t count = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    std::uint64_t word = 0;
    if constexpr (lanes >= 64) {
      word = bits_of(d, vector(i));
    } else {
      for (std::uint64_t j = 0; j < 64; j += lanes) word |= bits_of(d, vector(i + j)) << j;
    }
    word ^= flip;
    bits[i / 64] = word;
    count += ones(word);
  }
  if (i == n) return count;
  std::uint64_t last = 0;
  for (std::uint64_t j = 0; i + j < n; ++j) last |= static_cast<std::uint64_t>(scalar(i + j)) << j;
  last = (last ^ flip) & ((std::uint64_t{1} << (n - i)) - 1);
  bits[i / 64] = last;
  return count + ones(last);
}

template <class U, bool Float>
std::uint64_t in_range(const void* elements, std::uint64_t n, image_range range, std::uint64_t* bits) {
  const hn::ScalableTag<U> d;
  const U* x = static_cast<const U*>(elements);
  const U low = static_cast<U>(range.low), span = static_cast<U>(range.span);
  const auto vlow = hn::Set(d, low), vspan = hn::Set(d, span);
  return write_bits(
      d, n, bits, range.negated ? 0 : ~std::uint64_t{0},
      [&](std::uint64_t i)
          HWY_ATTR { return hn::Gt(hn::Sub(image_of<U, Float>(d, hn::LoadU(d, x + i)), vlow), vspan); },
      [&](std::uint64_t i) HWY_ATTR { return static_cast<U>(image_of<U, Float>(x[i]) - low) > span; });
}

template <class U, bool Float>
std::uint64_t heads(const void* elements, std::uint64_t n, bool first, std::uint64_t* bits) {
  const hn::ScalableTag<U> d;
  const U* x = static_cast<const U*>(elements);
  const U nan = static_cast<U>(~U{0});
  const auto differ = [&](std::uint64_t i) HWY_ATTR {
    const U a = image_of<U, Float>(x[i]);
    return a != image_of<U, Float>(x[i - 1]) || (Float && a == nan);
  };
  if (n == 0) return 0;
  const std::uint64_t before = first || differ(0);
  if (n == 1) {
    bits[0] = before;
    return before;
  }
  // x[-1] may not exist: the first word is computed element by element.
  const std::uint64_t some = n < 64 ? n : 64;
  std::uint64_t word = before;
  for (std::uint64_t j = 1; j < some; ++j) word |= static_cast<std::uint64_t>(differ(j)) << j;
  bits[0] = word;
  x += some;
  return ones(word) + write_bits(
                          d, n - some, bits + 1, 0,
                          [&](std::uint64_t i) HWY_ATTR {
                            const auto a = image_of<U, Float>(d, hn::LoadU(d, x + i)),
                                       b = image_of<U, Float>(d, hn::LoadU(d, x + i - 1));
                            const auto other = hn::Ne(a, b);
                            if constexpr (Float) {
                              return hn::Or(other, hn::Eq(a, hn::Set(d, nan)));
                            } else {
                              return other;
                            }
                          },
                          differ);
}

std::uint64_t flags(const std::uint8_t* flag, std::uint64_t n, std::uint64_t* bits) {
  const hn::ScalableTag<std::uint8_t> d;
  return write_bits(
      d, n, bits, 0, [&](std::uint64_t i) HWY_ATTR { return hn::Ne(hn::LoadU(d, flag + i), hn::Zero(d)); },
      [&](std::uint64_t i) HWY_ATTR { return flag[i] != 0; });
}

template <class U, bool Float>
inline constexpr bit_kernels bit_table{in_range<U, Float>, heads<U, Float>};

const bit_kernels* bits_for(dtype type) {
  switch (size_of(type)) {
    case 1: return &bit_table<std::uint8_t, false>;
    case 2: return is_floating(type) ? &bit_table<std::uint16_t, true> : &bit_table<std::uint16_t, false>;
    case 4: return is_floating(type) ? &bit_table<std::uint32_t, true> : &bit_table<std::uint32_t, false>;
    default: return is_floating(type) ? &bit_table<std::uint64_t, true> : &bit_table<std::uint64_t, false>;
  }
}

// --- moves ---

void flush_lines(line_writer& w) {
  const hn::CappedTag<std::uint8_t, line_writer::line> d;
  constexpr std::uint64_t width = hn::MaxLanes(hn::CappedTag<std::uint8_t, line_writer::line>());
  const std::uint64_t whole = w.filled / line_writer::line * line_writer::line;
  if (whole == 0) return;
  std::uint64_t i = 0;
  if (w.first != 0) {
    std::memcpy(w.to + w.first, w.staged + w.first, line_writer::line - w.first);
    w.first = 0;
    i = line_writer::line;
  }
  if (w.past_caches)
    for (; i < whole; i += width) hn::Stream(hn::Load(d, w.staged + i), d, w.to + i);
  else
    for (; i < whole; i += width) hn::Store(hn::Load(d, w.staged + i), d, w.to + i);
  std::memcpy(w.staged, w.staged + whole, line_writer::line);  // the line begun
  w.to += whole;
  w.filled -= whole;
}

void finish_lines(line_writer& w) {
  flush_lines(w);
  if (w.filled > w.first) std::memcpy(w.to + w.first, w.staged + w.first, w.filled - w.first);
  if (w.past_caches) hwy::FlushStream();
}

// The lanes of one mask from the bits of a word.
template <class D>
HWY_INLINE hn::Mask<D> mask_of(D d, std::uint64_t word) {
  return hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&word));
}

// Each of 32 bits twice.
HWY_INLINE std::uint64_t doubled(std::uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffffu;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ffu;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fu;
  bits = (bits | bits << 2) & 0x3333333333333333u;
  return ((bits | bits << 1) & 0x5555555555555555u) * 3;
}

template <class U>
HWY_INLINE U* append_word(const U* x, std::uint64_t word, U* to) {
  if constexpr (sizeof(U) == 8) {
    // As pairs of halves: a register of 32-bit lanes compresses in one instruction where there is one.
    const auto* halves = reinterpret_cast<const std::uint32_t*>(x);
    auto* middle = append_word(halves, doubled(word & 0xffffffffu), reinterpret_cast<std::uint32_t*>(to));
    return reinterpret_cast<U*>(append_word(halves + 64, doubled(word >> 32), middle));
  } else if constexpr (sizeof(U) == 4) {
    const hn::ScalableTag<U> d;
    constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<U>());
    for (std::uint64_t j = 0; j < 64; j += lanes) {
      const std::uint64_t mine = word >> j & ((std::uint64_t{1} << lanes) - 1);
      hn::StoreU(hn::Compress(hn::LoadU(d, x + j), mask_of(d, mine)), d, to);
      to += ones(mine);
    }
  } else {
    // Narrow elements are compressed in lanes of 32 bits.
    const hn::ScalableTag<std::uint32_t> wide;
    const hn::Rebind<std::int32_t, decltype(wide)> wide_signed;
    const hn::Rebind<U, decltype(wide)> narrow;
    constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<std::uint32_t>());
    for (std::uint64_t j = 0; j < 64; j += lanes) {
      const std::uint64_t mine = word >> j & ((std::uint64_t{1} << lanes) - 1);
      const auto v = hn::Compress(hn::PromoteTo(wide, hn::LoadU(narrow, x + j)), mask_of(wide, mine));
      hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(wide_signed, v)), narrow, to);
      to += ones(mine);
    }
  }
  return to;
}

template <class U>
void compress(const void* elements, std::uint64_t n, const std::uint64_t* bits, bool inverted, line_writer& w) {
  const U* x = static_cast<const U*>(elements);
  const std::uint64_t flip = inverted ? ~std::uint64_t{0} : 0;
  std::uint64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const std::uint64_t word = bits[i / 64] ^ flip;
    if (word == 0) continue;
    U* const to = reinterpret_cast<U*>(w.staged + w.filled);
    w.filled = static_cast<std::uint64_t>(reinterpret_cast<unsigned char*>(append_word(x + i, word, to)) - w.staged);
    if (w.filled >= line_writer::capacity) flush_lines(w);
  }
  for (std::uint64_t word = i < n ? (bits[i / 64] ^ flip) & ((std::uint64_t{1} << (n - i)) - 1) : 0; word != 0;
       word &= word - 1) {
    std::memcpy(w.staged + w.filled, x + i + __builtin_ctzll(word), sizeof(U));
    w.filled += sizeof(U);
  }
  if (w.filled >= line_writer::capacity) flush_lines(w);
}

compress_kernel compress_for(std::uint64_t bytes) {
  switch (bytes) {
    case 1: return compress<std::uint8_t>;
    case 2: return compress<std::uint16_t>;
    case 4: return compress<std::uint32_t>;
    default: return compress<std::uint64_t>;
  }
}

}  // namespace select

const bit_kernels* select_bits_for(dtype type) { return select::bits_for(type); }
std::uint64_t select_flags(const std::uint8_t* flags, std::uint64_t n, std::uint64_t* bits) {
  return select::flags(flags, n, bits);
}
compress_kernel select_compress_for(std::uint64_t bytes) { return select::compress_for(bytes); }
void select_flush(line_writer& w) { select::flush_lines(w); }
void select_finish(line_writer& w) { select::finish_lines(w); }

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(select_bits_for);
UPSWEEP_EXPORT(select_flags);
UPSWEEP_EXPORT(select_compress_for);
UPSWEEP_EXPORT(select_flush);
UPSWEEP_EXPORT(select_finish);

const bit_kernels& find_bit_kernels(dtype type) { return *UPSWEEP_DISPATCH(select_bits_for)(type); }
std::uint64_t flag_bits(const std::uint8_t* flags, std::uint64_t n, std::uint64_t* bits) {
  return UPSWEEP_DISPATCH(select_flags)(flags, n, bits);
}
compress_kernel find_compress(std::uint64_t bytes) { return UPSWEEP_DISPATCH(select_compress_for)(bytes); }

void line_writer::begin(void* out, bool stream) {
  const auto address = reinterpret_cast<std::uintptr_t>(out);
  first = filled = address % line;
  to = static_cast<unsigned char*>(out) - first;
  past_caches = stream;
}
void line_writer::flush() { UPSWEEP_DISPATCH(select_flush)(*this); }
void line_writer::end() { UPSWEEP_DISPATCH(select_finish)(*this); }

image_range range_of(dtype type, comparison how, std::uint64_t threshold) {
  // In images of 64 bits: those of a signed type are its bits with the sign flipped, which does not change
  // differences of images.
  const std::uint64_t all = size_of(type) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size_of(type)) - 1;
  const std::uint64_t sign = is_signed(type) && !is_floating(type) ? all / 2 + 1 : 0;
  std::uint64_t image = (threshold & all) ^ sign, last = all;
  bool is_nan = false;
  if (is_floating(type)) {
    const auto find = [&]<class U>(U bits) {
      image = order_bits_of<key_order::floating>(bits);
      last = order_bits_of<key_order::floating>(infinity_bits<U>);
      is_nan = image > last;
    };
    size_of(type) == 2   ? find(static_cast<std::uint16_t>(threshold))
    : size_of(type) == 4 ? find(static_cast<std::uint32_t>(threshold))
                         : find(threshold);
  }
  const image_range none{0, all, true}, every{0, all, false};
  // Images as the kernels use them, without the sign flipped.
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return image_range{low ^ sign, high - low, false};
  };
  if (is_nan) return how == comparison::not_equal ? every : none;
  switch (how) {
    case comparison::less: return image == 0 ? none : between(0, image - 1);
    case comparison::less_equal: return between(0, image);
    case comparison::greater: return image == last ? none : between(image + 1, last);
    case comparison::greater_equal: return between(image, last);
    case comparison::equal: return between(image, image);
    case comparison::not_equal: break;
  }
  image_range other = between(image, image);
  other.negated = true;
  return other;
}

}  // namespace upsweep::cpu
#endif
