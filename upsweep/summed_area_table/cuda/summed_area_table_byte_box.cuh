// Box filters of bytes with radii of up to 31: each warp walks down a strip of the picture by itself.
//
//   down     a lane has 16 neighbouring columns and their sums over the window's rows, two in a register: a row enters,
//            a row leaves
//   along    the sums of the columns are scanned across the warp. A box is the difference of two sums of that scan, one
//            window's length apart. They go through shared memory in four planes, so that neither the stores of the
//            lanes' 16 columns nor the loads of their 4 results have bank conflicts
//
// Subtracting integers again is exact for any window sequence. Every sum of the scan may wrap; no box's own sum does.
#pragma once

#include "upsweep/cuda/warp.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_small_box.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

struct byte_box_strip {
  static constexpr int columns = 16,
                       // of a lane; of a block, one below the other
      warps = detail::summed_area_table_impl::cuda_byte_box_warps;
  static constexpr int width = columns * 32, planes = 4, plane = width / planes;
  static constexpr int groups = plane / 32;  // of four results a lane
  // Columns that are read on either side of the results.
  static constexpr std::uint32_t halo(std::uint32_t radius) { return radius / columns * columns + columns; }
};

template <class Out>
struct byte_box_arguments {
  const std::uint8_t* in;
  Out* out;
  std::uint64_t row, height, in_pitch, out_pitch;
  std::uint32_t strips, rows;  // side by side; of a warp
  std::uint32_t radius_x, radius_y, halo;
  bool vectors_in, vectors_out;  // rows are so aligned that 16 bytes may be read, or four results written, at once
};

// A lane's sixteen columns, from x on; zeros outside the picture.
struct byte_box_lane {
  int first, last;  // of the sixteen, those in the picture
  bool vector;

  __device__ byte_box_lane(std::int64_t x, std::int64_t row, bool vectors) {
    first = x < 0 ? static_cast<int>(x < -16 ? 16 : -x) : 0;
    last = x + 16 <= row ? 16 : x < row ? static_cast<int>(row - x) : 0;
    vector = vectors && first == 0 && last == 16;
  }
  __device__ uint4 read(const std::uint8_t* from) const {
    if (vector) return __ldg(reinterpret_cast<const uint4*>(from));
    std::uint32_t word[4] = {};
    if (first < last)
#pragma unroll
      for (int e = 0; e < 16; ++e)
        if (e >= first && e < last) word[e / 4] |= std::uint32_t{from[e]} << 8 * (e % 4);
    return {word[0], word[1], word[2], word[3]};
  }
};

// The result for a box of k bytes. If k is odd, no mean is half-way between two integers.
template <detail::summed_area_table_impl::box_result what, class Out>
struct byte_box {
  using out = Out;
  using exact = small_box<what, std::uint8_t, Out>;
  static constexpr bool squares = what == detail::summed_area_table_impl::box_result::variance,
                        rounds = what == detail::summed_area_table_impl::box_result::mean && std::is_integral_v<Out>;

  // For any k: (sum + k / 2 + 1/2) / k is further from a whole number than the error of float.
  __device__ static Out result(std::uint32_t sum, std::uint32_t square, std::uint32_t k) {
    if constexpr (rounds) {
      const std::uint32_t t = sum + k / 2;
      auto mean = static_cast<std::uint32_t>((static_cast<float>(t) + 0.5f) * __frcp_rn(static_cast<float>(k)));
      if (k % 2 == 0 && mean * k == t) mean -= mean % 2;
      return static_cast<Out>(mean);
    } else if constexpr (what == detail::summed_area_table_impl::box_result::mean) {
      return static_cast<Out>(static_cast<float>(sum) / static_cast<float>(k));
    } else {
      typename exact::count c{k, 0, 0};
      if constexpr (squares) c.inverse = 1.0 / (k * k);
      return exact::result(sum, square, c);
    }
  }

  // Means for one odd k of at least 3, for many sums.
  struct odd_count {
    std::uint32_t k, m = 0;  // m: to divide by k, as in small_box
    float inverse = 0;
    double square_inverse = 0;

    __device__ explicit odd_count(std::uint32_t k) : k(k) {
      if constexpr (rounds) m = 0xffffffffu / k + 1;
      if constexpr (what == detail::summed_area_table_impl::box_result::mean)
        inverse = __frcp_rn(static_cast<float>(k));
      if constexpr (squares) square_inverse = 1.0 / (k * k);
    }
    // Four results, as they are written.
    __device__ void write(Out* to, const std::uint32_t (&sum)[4], const std::uint32_t (&square)[4]) const {
      if constexpr (rounds) {
        std::uint32_t mean[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) mean[q] = __umulhi(sum[q] + k / 2, m);
        const std::uint32_t low = __byte_perm(mean[0], mean[1], 0x0040), high = __byte_perm(mean[2], mean[3], 0x0040);
        __stcs(reinterpret_cast<std::uint32_t*>(to), __byte_perm(low, high, 0x5410));
      } else {
        Out made[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          if constexpr (what == detail::summed_area_table_impl::box_result::mean) {
            // A quotient of floats by P. Markstein: with a correctly rounded inverse the one correction rounds right.
            const auto s = static_cast<float>(sum[q]), quotient = s * inverse;
            made[q] = fmaf(fmaf(-quotient, static_cast<float>(k), s), inverse, quotient);
          } else {
            made[q] = exact::result(sum[q], square[q], {k, 0, square_inverse});
          }
        }
        uint4 v[sizeof(Out) / 4];
        memcpy(v, made, sizeof made);
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(Out) / 4); ++i) __stcs(reinterpret_cast<uint4*>(to) + i, v[i]);
      }
    }
  };
};

// The lane's sums over columns, and over the squares in them. Of word i's bytes the even ones are in even[i], the odd
// ones in odd[i].
template <bool squares>
struct byte_columns {
  std::uint32_t even[4] = {}, odd[4] = {}, square[squares ? 16 : 1] = {};

  __device__ void slide(const uint4& enter, const uint4& leave) {
    const std::uint32_t in[]{enter.x, enter.y, enter.z, enter.w}, out[]{leave.x, leave.y, leave.z, leave.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      even[i] += __byte_perm(in[i], 0, 0x4240) - __byte_perm(out[i], 0, 0x4240);
      odd[i] += __byte_perm(in[i], 0, 0x4341) - __byte_perm(out[i], 0, 0x4341);
      if constexpr (squares)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const std::uint32_t a = in[i] >> 8 * e & 0xff, b = out[i] >> 8 * e & 0xff;
          square[4 * i + e] += a * a - b * b;
        }
    }
  }
  // Column e's sum added to x.
  __device__ std::uint32_t plus(std::uint32_t x, int e) const {
    return __dp2a_lo(e % 2 ? odd[e / 4] : even[e / 4], e % 4 < 2 ? 0x0001u : 0x0100u, x);
  }
  __device__ std::uint32_t all() const {
    std::uint32_t x = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) x = __dp2a_lo(even[i], 0x0101u, __dp2a_lo(odd[i], 0x0101u, x));
    return x;
  }
  __device__ std::uint32_t all_squares() const {
    std::uint32_t x = 0;
#pragma unroll
    for (const std::uint32_t s : square) x += s;
    return x;
  }
};

// Writes the sums before each of the lane's columns; add(x, e) adds column e to x.
template <class Add>
__device__ void spread_sums(std::uint32_t* to, std::uint32_t of_lane, int lane, Add add) {
  std::uint32_t sum = warp_inclusive_scan(of_lane, lane, plus{}) - of_lane, before[16];
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    before[e] = sum;
    sum = add(sum, e);
  }
#pragma unroll
  for (int p = 0; p < 4; ++p)
    *reinterpret_cast<uint4*>(to + p * byte_box_strip::plane + 4 * lane) = {before[p], before[4 + p], before[8 + p],
                                                                            before[12 + p]};
}

// A warp's part of a strip. `inside`: all columns that it reads are in the picture, and rows are aligned.
template <class Box, bool inside>
__device__ void walk_down(const byte_box_arguments<typename Box::out>& a, std::int64_t x0, std::int64_t first,
                          std::uint32_t* sums) {
  using strip = byte_box_strip;
  using Out = typename Box::out;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int width = strip::width - 2 * static_cast<int>(a.halo), radius = static_cast<int>(a.radius_y);
  const auto row = static_cast<std::int64_t>(a.row), pitch = static_cast<std::int64_t>(a.in_pitch);
  const std::int64_t x = x0 - a.halo + strip::columns * lane;
  // Rows are counted from the warp's first row; at most `many` rows of the picture before and after it are relevant.
  constexpr std::int64_t many = 1 << 20;
  const std::int64_t from_first = static_cast<std::int64_t>(a.height) - first;
  const int before = static_cast<int>(first < many ? first : many),
            behind = static_cast<int>(from_first < many ? from_first : many);
  const int rows = behind < static_cast<int>(a.rows) ? behind : static_cast<int>(a.rows);
  const byte_box_lane mine(x, row, a.vectors_in);
  const auto read = [&](const std::uint8_t* from) {
    if constexpr (inside)
      return __ldg(reinterpret_cast<const uint4*>(from));
    else
      return mine.read(from);
  };
  const std::uint8_t* const in = a.in + first * pitch + x;
  byte_columns<Box::squares> columns;
  const int warm = behind < radius ? behind : radius;
#pragma unroll 4
  for (int y = before < radius ? -before : -radius; y < warm; ++y) columns.slide(read(in + y * pitch), uint4{});

  // The end of the box of result q of four, and the place before the box.
  const std::uint32_t *begin[4], *end[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const std::uint32_t b = a.halo + q - a.radius_x, e = a.halo + q + a.radius_x + 1;
    begin[q] = sums + b % 4 * strip::plane + b / 4 + lane, end[q] = sums + e % 4 * strip::plane + e / 4 + lane;
  }
  const std::uint8_t *entering = in + radius * pitch, *leaving = in - radius * pitch;
  Out* out = a.out + first * static_cast<std::int64_t>(a.out_pitch) + x0 + 4 * lane;
  const int columns_here = (row - x0 < width ? static_cast<int>(row - x0) : width) - 4 * lane;
  // The lane's results whose boxes are not cut off at a side: from one place up to another.
  const std::int64_t at = x0 + 4 * lane, cut = static_cast<std::int64_t>(a.radius_x);
  const int whole_from = at < cut ? static_cast<int>(cut - at) : 0;
  const int whole_to = row - cut - at < strip::width ? static_cast<int>(row - cut - at) : strip::width;
  const typename Box::odd_count whole((2 * a.radius_x + 1) * (2 * a.radius_y + 1));
  uint4 enter = radius < behind ? read(entering) : uint4{}, leave{};
  for (int y = 0; y < rows; ++y) {
    columns.slide(enter, leave);
    entering += pitch;
    enter = y + 1 + radius < behind ? read(entering) : uint4{};
    leave = y - radius >= -before ? read(leaving) : uint4{};
    leaving += pitch;
    __syncwarp();  // the sums of the row before have been read
    spread_sums(sums, columns.all(), lane, [&](std::uint32_t s, int e) { return columns.plus(s, e); });
    if constexpr (Box::squares)
      spread_sums(sums + strip::width, columns.all_squares(), lane,
                  [&](std::uint32_t s, int e) { return s + columns.square[e]; });
    __syncwarp();  // the row's sums are written
    const auto box = [&](int g, int q, std::uint32_t& square) {
      if constexpr (Box::squares) square = end[q][32 * g + strip::width] - begin[q][32 * g + strip::width];
      return end[q][32 * g] - begin[q][32 * g];
    };
    const int above = before + y < radius ? before + y : radius,
              below = behind - 1 - y < radius ? behind - 1 - y : radius;
    const bool all_rows = above + below == 2 * radius;
    if (inside && all_rows) {
#pragma unroll
      for (int g = 0; g < strip::groups; ++g) {
        if (128 * g >= columns_here) break;
        std::uint32_t sum[4], square[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[q] = box(g, q, square[q]);
        whole.write(out + 128 * g, sum, square);
      }
    } else {
#pragma unroll 1
      for (int g = 0; g < strip::groups; ++g) {
        const int u = 128 * g;
        if (u >= columns_here) break;
        std::uint32_t sum[4], square[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[q] = box(g, q, square[q]);
        if (all_rows && u >= whole_from && u + 4 <= whole_to && a.vectors_out) {
          whole.write(out + u, sum, square);
        } else {
#pragma unroll 1
          for (int q = 0; q < 4 && u + q < columns_here; ++q) {
            const auto wide = detail::summed_area_table_impl::window_at(x0 + u + 4 * lane + q, a.radius_x, a.row);
            const auto k = static_cast<std::uint32_t>(wide) * (above + below + 1);
            out[u + q] = Box::result(q < 2   ? q ? sum[1] : sum[0]
                                       : q > 2 ? sum[3]
                                             : sum[2],
                                     q < 2   ? q ? square[1] : square[0]
                                       : q > 2 ? square[3]
                                             : square[2],
                                     k);
          }
        }
      }
    }
    out += a.out_pitch;
  }
}

template <class Box>
__global__ void __launch_bounds__(byte_box_strip::warps * 32, Box::squares ? 4 : 7)
    filter_byte_box(const __grid_constant__ byte_box_arguments<typename Box::out> a) {
  using strip = byte_box_strip;
  __shared__ __align__(16) std::uint32_t sums[strip::warps][(Box::squares ? 2 : 1) * strip::width];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t x0 = std::int64_t{blockIdx.x % a.strips} * (strip::width - 2 * a.halo);
  const std::int64_t first = (std::int64_t{blockIdx.x / a.strips} * strip::warps + warp) * a.rows;
  if (first >= static_cast<std::int64_t>(a.height)) return;
  const bool inside = x0 >= a.halo && x0 - a.halo + strip::width <= static_cast<std::int64_t>(a.row);
  if (inside && a.vectors_in && a.vectors_out)
    walk_down<Box, true>(a, x0, first, sums[warp]);
  else
    walk_down<Box, false>(a, x0, first, sums[warp]);
}

template <class Out>
void plan_byte_box(byte_box_arguments<Out>& a, int multiprocessors) {
  using strip = byte_box_strip;
  a.halo = strip::halo(a.radius_x);
  const std::uint64_t width = strip::width - 2 * a.halo;
  a.strips = static_cast<std::uint32_t>((a.row + width - 1) / width);
  // Warps enough for all multiprocessors. A row that is read for the first boxes alone costs an eighth of one with
  // results.
  const std::uint64_t wanted =
      std::uint64_t{detail::summed_area_table_impl::cuda_byte_box_warps_a_multiprocessor} * multiprocessors;
  a.rows =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(a.row * a.height / width / wanted, a.radius_y / 4 + 8, 256));
  a.vectors_in = (reinterpret_cast<std::uintptr_t>(a.in) | a.in_pitch) % 16 == 0;
  a.vectors_out =
      (reinterpret_cast<std::uintptr_t>(a.out) | a.out_pitch * sizeof(Out)) % (sizeof(Out) == 1 ? 4 : 16) == 0;
}

// One channel; radii not larger than 31, and not both 0.
template <detail::summed_area_table_impl::box_result what, class Out>
void filter_bytes(device& d, const detail::summed_area_table_impl::problem& p) {
  using strip = byte_box_strip;
  byte_box_arguments<Out> a{p.in.as<const std::uint8_t>(), p.out.as<Out>(), p.size.x, p.size.y, p.pitch, p.out_pitch};
  a.radius_x = static_cast<std::uint32_t>(detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x));
  a.radius_y = static_cast<std::uint32_t>(detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y));
  plan_byte_box(a, d.multiprocessors());
  const std::uint64_t high = std::uint64_t{strip::warps} * a.rows, blocks = a.strips * ((a.height + high - 1) / high);
  filter_byte_box<byte_box<what, Out>><<<static_cast<unsigned>(blocks), strip::warps * 32, 0, d.stream()>>>(a);
}

}  // namespace upsweep::cuda
