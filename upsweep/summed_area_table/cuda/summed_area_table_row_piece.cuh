// Some neighbouring elements of a row, as a lane holds them.
#pragma once

#include "upsweep/cuda/warp.cuh"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"

namespace upsweep::cuda {

// Kept as the words they came in: an array of bytes would take a register a byte.
template <class In, int columns>
struct row_piece {
  static constexpr int size = static_cast<int>(sizeof(In)), words = columns * size / 4;
  static constexpr int at_once = words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;  // words of a load
  std::uint32_t word[words];

  __device__ In operator[](int e) const {
    if constexpr (size < 4) {
      constexpr int per = 4 / size;
      return static_cast<In>(word[e / per] >> 8 * size * (e % per));
    } else {
      words_of<In> w;
#pragma unroll
      for (int i = 0; i < size / 4; ++i) w.word[i] = word[e * (size / 4) + i];
      return w.join();
    }
  }

  // Data that is read for the last time need not stay in a cache.
  template <bool last_time>
  __device__ void read_vectors(const In* from) {
    using vector = std::conditional_t<at_once == 4, uint4, std::conditional_t<at_once == 2, uint2, std::uint32_t>>;
#pragma unroll
    for (int i = 0; i < words / at_once; ++i) {
      const vector* const at = reinterpret_cast<const vector*>(from) + i;
      const vector v = last_time ? __ldcs(at) : __ldcg(at);
      memcpy(word + i * at_once, &v, sizeof v);
    }
  }

  // The first `count` elements; zeros behind them.
  __device__ void read(const In* from, int count) {
#pragma unroll
    for (int i = 0; i < words; ++i) word[i] = 0;
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      const In x = e < count ? from[e] : In(0);
      if constexpr (size < 4) {
        constexpr int per = 4 / size;
        word[e / per] |= static_cast<std::uint32_t>(x) << 8 * size * (e % per);
      } else {
        const auto w = words_of<In>::split(x);
#pragma unroll
        for (int i = 0; i < size / 4; ++i) word[e * (size / 4) + i] = w.word[i];
      }
    }
  }
};

// An element as its sums take it. Integers of 32 bits learn at run time whether they have a sign.
template <class In>
struct widening {
  template <class Near>
  __device__ Near of(In x) const {
    return detail::summed_area_table_impl::widened<Near>(x);
  }
};
template <>
struct widening<std::uint32_t> {
  std::uint32_t sign;  // the bit that is the sign's, or 0
  template <class Near>
  __device__ Near of(std::uint32_t x) const {
    return Near{x} - (Near{x & sign} << 1);
  }
};

// A number of bytes' or words' sums, added by the four at once where they are bytes of one channel: `own` of each
// channel.
template <class Near, int channels, class In, int columns>
__device__ void add_piece(const row_piece<In, columns>& piece, const widening<In>& widen, Near (&own)[channels]) {
  if constexpr (sizeof(In) == 1 && channels == 1) {
#pragma unroll
    for (int i = 0; i < columns / 4; ++i) own[0] = __dp4a(piece.word[i], 0x01010101u, own[0]);
  } else {
#pragma unroll
    for (int e = 0; e < columns; ++e) own[e % channels] += widen.template of<Near>(piece[e]);
  }
}

// x[e] becomes the sum of `left` and of the elements up to e, each channel by itself.
template <class Near, int channels, class In, int columns>
__device__ void sums_in_piece(const row_piece<In, columns>& piece, const widening<In>& widen, Near (&left)[channels],
                              Near* x) {
  if constexpr (sizeof(In) == 1 && channels == 1) {
#pragma unroll
    for (int e = 0; e < columns; ++e) {
      x[e] = __dp4a(piece.word[e / 4], 0x01010101u >> 8 * (3 - e % 4), left[0]);
      if (e % 4 == 3) left[0] = x[e];
    }
  } else {
#pragma unroll
    for (int e = 0; e < columns; ++e) x[e] = left[e % channels] += widen.template of<Near>(piece[e]);
  }
}

// Sums over a lane's columns, of up to 256 rows. Of bytes two are in a word: of word i's the even ones in even[i], the
// odd ones in odd[i].
template <class In, class Near, int columns>
struct column_sums {
  using part = Near;
  Near sum[columns] = {};
  template <int piece>
  __device__ void add(int first, const row_piece<In, piece>& row, const widening<In>& widen) {
#pragma unroll
    for (int e = 0; e < piece; ++e) sum[first + e] += widen.template of<Near>(row[e]);
  }
  __device__ part operator[](int e) const { return sum[e]; }
};
template <class Near, int columns>
struct column_sums<std::uint8_t, Near, columns> {
  using part = std::uint16_t;
  std::uint32_t even[columns / 4] = {}, odd[columns / 4] = {};
  template <int piece>
  __device__ void add(int first, const row_piece<std::uint8_t, piece>& row, const widening<std::uint8_t>&) {
#pragma unroll
    for (int i = 0; i < piece / 4; ++i) {
      even[first / 4 + i] += row.word[i] & 0x00ff00ff;
      odd[first / 4 + i] += __byte_perm(row.word[i], 0, 0x4341);
    }
  }
  __device__ part operator[](int e) const {
    return static_cast<part>((e % 2 ? odd[e / 4] : even[e / 4]) >> 16 * (e % 4 / 2));
  }
};

template <class Out, int count>
__device__ void write_vectors(Out* to, const Out (&from)[count]) {
  constexpr int vectors = static_cast<int>(sizeof from / sizeof(uint4));
  uint4 v[vectors];
  memcpy(v, from, sizeof from);
#pragma unroll
  for (int i = 0; i < vectors; ++i) __stcs(reinterpret_cast<uint4*>(to) + i, v[i]);
}

}  // namespace upsweep::cuda
