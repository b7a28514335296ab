// A sorting network for a few unsigned integers in vector registers, compiled once for each instruction set.
//
// The keys are stored in rows, one vector each. Batcher's odd-even merge sort orders the column of every lane, row
// against row, without any shuffle. Then columns are merged in pairs, bitonically. Each step compares position p of
// 2^k columns with its mirror image, which is in the mirrored lane and the mirrored row; then lanes half as far
// apart, and so on; rows last. At the end key p is in lane p / rows, row p % rows.
#if defined(UPSWEEP_SORT_CPU_NETWORK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SORT_CPU_NETWORK_INL_HPP
#undef UPSWEEP_SORT_CPU_NETWORK_INL_HPP
#else
#define UPSWEEP_SORT_CPU_NETWORK_INL_HPP
#endif

#include <hwy/highway.h>

#include <array>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace network {

namespace hn = hwy::HWY_NAMESPACE;

using lanes_tag = hn::ScalableTag<std::uint32_t>;
inline constexpr std::uint64_t lanes = hn::MaxLanes(lanes_tag());
// As many rows as there are registers for.
inline constexpr std::uint64_t max_rows = lanes >= 16 ? 16 : lanes >= 4 ? 8 : 0;
inline constexpr std::uint64_t max_keys = max_rows * lanes;

struct exchange {
  int low, high;
};

template <int Rows>
constexpr int count_exchanges(exchange* to) {
  int count = 0;
  for (int p = 1; p < Rows; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < Rows; j += 2 * k)
        for (int i = j; i < j + k && i + k < Rows; ++i)
          if (i / (2 * p) == (i + k) / (2 * p)) {
            if (to) to[count] = {i, i + k};
            ++count;
          }
  return count;
}

template <int Rows>
inline constexpr auto column_exchanges = [] {
  std::array<exchange, static_cast<std::size_t>(count_exchanges<Rows>(nullptr))> all{};
  count_exchanges<Rows>(all.data());
  return all;
}();

template <class V>
HWY_INLINE void put_in_order(V& a, V& b) {
  const V low = hn::Min(a, b);
  b = hn::Max(a, b);
  a = low;
}

template <int Rows, class V, std::size_t... I>
HWY_INLINE void sort_columns([[maybe_unused]] V* v, std::index_sequence<I...>) {
  (put_in_order(v[column_exchanges<Rows>[I].low], v[column_exchanges<Rows>[I].high]), ...);
}

// Rows `Apart` from each other.
template <int Rows, int Apart, class V>
HWY_INLINE void merge_rows(V* v) {
  if constexpr (Apart > 0) {
    [&]<int... I>(std::integer_sequence<int, I...>) HWY_ATTR {
      (put_in_order(v[I / Apart * 2 * Apart + I % Apart], v[I / Apart * 2 * Apart + I % Apart + Apart]), ...);
    }(std::make_integer_sequence<int, Rows / 2>());
    merge_rows<Rows, Apart / 2>(v);
  }
}

// Lanes i and i ^ Other; of the two, that with bit Upper set takes the larger.
template <int Upper, class V>
HWY_INLINE V kept(V mine, V others, V lane) {
  const lanes_tag d;
  const auto upper = hn::Ne(hn::And(lane, hn::Set(d, static_cast<std::uint32_t>(Upper))), hn::Zero(d));
  return hn::IfThenElse(upper, hn::Max(mine, others), hn::Min(mine, others));
}

template <int Other, class V>
HWY_INLINE V exchanged(V v, V lane) {
  const lanes_tag d;
  return hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::Xor(lane, hn::Set(d, static_cast<std::uint32_t>(Other)))));
}

template <int Rows, int Apart, class V>
HWY_INLINE void merge_lanes(V* v, V lane) {
  if constexpr (Apart > 0) {
    [&]<int... I>(std::integer_sequence<int, I...>) HWY_ATTR {
      ((v[I] = kept<Apart>(v[I], exchanged<Apart>(v[I], lane), lane)), ...);
    }(std::make_integer_sequence<int, Rows>());
    merge_lanes<Rows, Apart / 2>(v, lane);
  }
}

// Merges groups of `Group` columns two by two, until there is one.
template <int Rows, int Group, class V>
HWY_INLINE void merge_columns(V* v, V lane) {
  if constexpr (Group < static_cast<int>(lanes)) {
    constexpr int mirror = 2 * Group - 1;
    if constexpr (Rows == 1) {
      v[0] = kept<Group>(v[0], exchanged<mirror>(v[0], lane), lane);
    } else {
      [&]<int... I>(std::integer_sequence<int, I...>) HWY_ATTR {
        const auto one = [&](V& a, V& b) HWY_ATTR {
          const V from_b = exchanged<mirror>(b, lane), from_a = exchanged<mirror>(a, lane);
          a = kept<Group>(a, from_b, lane);
          b = kept<Group>(b, from_a, lane);
        };
        (one(v[I], v[Rows - 1 - I]), ...);
      }(std::make_integer_sequence<int, Rows / 2>());
    }
    merge_lanes<Rows, Group / 2>(v, lane);
    merge_rows<Rows, Rows / 2>(v);
    merge_columns<Rows, 2 * Group>(v, lane);
  }
}

template <int Rows>
HWY_NOINLINE void sort_rows(std::uint32_t* x) {
  const lanes_tag d;
  using V = hn::Vec<lanes_tag>;
  const V lane = hn::Iota(d, 0);
  V v[Rows];
  [&]<int... I>(std::integer_sequence<int, I...>) HWY_ATTR {
    ((v[I] = hn::Load(d, x + I * lanes)), ...);
    sort_columns<Rows>(v, std::make_index_sequence<column_exchanges<Rows>.size()>());
    merge_columns<Rows, 1>(v, lane);
    (hn::Store(v[I], d, x + I * lanes), ...);
  }(std::make_integer_sequence<int, Rows>());
}

// Sorts n <= max_keys keys of x, which is aligned to a vector and has room for max_keys. Returns the number of rows.
inline std::uint64_t sort(std::uint32_t* x, std::uint64_t n) {
  std::uint64_t rows = 1;
  while (rows * lanes < n) rows *= 2;
  for (std::uint64_t i = n; i < rows * lanes; ++i) x[i] = ~std::uint32_t{0};
  switch (rows) {
    case 1: sort_rows<1>(x); break;
    case 2: sort_rows<2>(x); break;
    case 4: sort_rows<4>(x); break;
    case 8: sort_rows<8>(x); break;
    default:
      if constexpr (max_rows == 16) sort_rows<16>(x);
  }
  return rows;
}

}  // namespace network
}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
