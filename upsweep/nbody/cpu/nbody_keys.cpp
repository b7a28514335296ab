#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/nbody/cpu/nbody_keys.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "upsweep/nbody/cpu/nbody_keys.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::nbody_impl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// hilbert_key (nbody_tree_keys.hpp), a lane a body. Where it chooses by a bit, here a mask of all bits chooses.
void along_the_curve(std::uint32_t* columns_x, std::uint32_t* columns_y, std::uint32_t* columns_z,
                     std::uint64_t* keys) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::RebindToSigned<decltype(d)> is;
  using V = hn::Vec<decltype(d)>;
  for (std::uint64_t i = 0; i < keys_at_once; i += hn::Lanes(d)) {
    V x = hn::LoadU(d, columns_x + i), y = hn::LoadU(d, columns_y + i), z = hn::LoadU(d, columns_z + i);
    // All ones where `axis` has the bit.
    const auto has_bit = [&](V axis, int bit) HWY_ATTR {
      return hn::BitCast(d, hn::ShiftRight<31>(hn::BitCast(is, hn::ShiftLeftSame(axis, 31 - bit))));
    };
    for (int bit = key_bits - 1; bit > 0; --bit) {
      const V below = hn::Set(d, (1u << bit) - 1);
      x = hn::Xor(x, hn::And(has_bit(x, bit), below));
      const auto turn = [&](V& axis) HWY_ATTR {
        const V upper = has_bit(axis, bit), with = hn::And(hn::Xor(x, axis), below);
        x = hn::Xor(x, hn::Or(hn::And(upper, below), hn::AndNot(upper, with)));
        axis = hn::Xor(axis, hn::AndNot(upper, with));
      };
      turn(y);
      turn(z);
    }
    y = hn::Xor(y, x);
    z = hn::Xor(z, y);
    V all = hn::Zero(d);
    for (int bit = key_bits - 1; bit > 0; --bit)
      all = hn::Xor(all, hn::And(has_bit(z, bit), hn::Set(d, (1u << bit) - 1)));
    hn::StoreU(hn::Xor(x, all), d, columns_x + i);
    hn::StoreU(hn::Xor(y, all), d, columns_y + i);
    hn::StoreU(hn::Xor(z, all), d, columns_z + i);
  }
  const hn::ScalableTag<std::uint64_t> wide;
  const hn::Rebind<std::uint32_t, decltype(wide)> narrow;
  for (std::uint64_t i = 0; i < keys_at_once; i += hn::Lanes(wide)) {
    const auto spread = [&](const std::uint32_t* from) HWY_ATTR {
      auto v = hn::PromoteTo(wide, hn::LoadU(narrow, from + i));
      v = hn::And(hn::Or(v, hn::ShiftLeft<32>(v)), hn::Set(wide, 0x001f00000000ffffull));
      v = hn::And(hn::Or(v, hn::ShiftLeft<16>(v)), hn::Set(wide, 0x001f0000ff0000ffull));
      v = hn::And(hn::Or(v, hn::ShiftLeft<8>(v)), hn::Set(wide, 0x100f00f00f00f00full));
      v = hn::And(hn::Or(v, hn::ShiftLeft<4>(v)), hn::Set(wide, 0x10c30c30c30c30c3ull));
      return hn::And(hn::Or(v, hn::ShiftLeft<2>(v)), hn::Set(wide, 0x1249249249249249ull));
    };
    hn::StoreU(
        hn::Or(hn::Or(hn::ShiftLeft<2>(spread(columns_x)), hn::ShiftLeft<1>(spread(columns_y))), spread(columns_z)),
        wide, keys + i);
  }
}

}  // namespace upsweep::detail::nbody_impl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::detail::nbody_impl {

UPSWEEP_EXPORT(along_the_curve);

void hilbert_keys(std::uint32_t* x, std::uint32_t* y, std::uint32_t* z, std::uint64_t* keys) {
  UPSWEEP_DISPATCH(along_the_curve)(x, y, z, keys);
}

}  // namespace upsweep::detail::nbody_impl
#endif
