// Box filters of integers with radii of up to 31, in one launch: a block computes a tile, and writes only the tile to
// memory.
//
//   down     a thread slides down some neighbouring columns of the tile and of the margin that its boxes reach: a row
//            enters the window, a row leaves. Rows are read again when they leave; they are still in a cache. The sums
//            of the columns go to shared memory
//   along    a warp has 32 rows and a lane one of them, in which it slides along a part of the tile: a column enters, a
//            column leaves. Rows begin an odd number of words apart, so the columns of the lanes are in different banks
//   out      the results, collected in shared memory, are written along rows
//
// Subtracting integers from a sum is exact: the window's sum does not depend on the elements that have left it. Here it
// fits 32 bits for elements of 8 and of 16 bits.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_tuning.hpp"
#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::cuda {

inline constexpr std::uint32_t largest_small_radius = 31;  // 63² elements: what small_box relies on

// The result for a box of k elements of up to 16 bits, or of 32. k is at most 63².
template <detail::summed_area_table_impl::box_result what, class In, class Out>
struct small_box {
  using in = In;
  using out = Out;
  static constexpr bool narrow = sizeof(In) <= 2,
                        squares = what == detail::summed_area_table_impl::box_result::variance;
  static_assert(std::is_integral_v<In> && (narrow || !squares));
  using sum = std::conditional_t<narrow, std::uint32_t, std::uint64_t>;
  using square = std::conditional_t<sizeof(In) == 1, std::uint32_t, std::uint64_t>;
  using column_sum = std::conditional_t<sizeof(In) == 1, std::uint16_t, sum>;

  // Divisors by multiplication: with m = ⌊2^s / k⌋ + 1, ⌊t / k⌋ = ⌊t · m / 2^s⌋ for all t < 2^s / k; t is at most
  // (2^bits - 1) · k + k / 2.
  struct count {
    std::uint32_t k;
    std::uint64_t m;
    double inverse;  // of k²
  };
  static constexpr int shift = sizeof(In) == 1 ? 32 : 40;

  __device__ static count of(std::uint32_t k) {
    count c{k, 0, 0};
    if constexpr (what == detail::summed_area_table_impl::box_result::mean && std::is_integral_v<Out>)
      c.m = (std::uint64_t{1} << shift) / k + 1;
    if constexpr (squares) c.inverse = 1.0 / static_cast<double>(std::uint64_t{k} * k);
    return c;
  }

  __device__ static Out result(sum s, square q, const count& c) {
    if constexpr (what == detail::summed_area_table_impl::box_result::sum) {
      return static_cast<Out>(s);
    } else if constexpr (what == detail::summed_area_table_impl::box_result::variance) {
      return static_cast<Out>(static_cast<double>(std::uint64_t{c.k} * q - std::uint64_t{s} * s) * c.inverse);
    } else if constexpr (std::is_integral_v<Out>) {
      // Half to even: with an odd k no mean is half-way.
      const std::uint32_t t = s + c.k / 2;
      auto mean = static_cast<std::uint32_t>(t * c.m >> shift);
      if (c.k % 2 == 0 && mean * c.k == t) mean -= mean % 2;
      return static_cast<Out>(mean);
    } else if constexpr (narrow) {
      return static_cast<Out>(static_cast<float>(s) / static_cast<float>(c.k));
    } else if constexpr (std::is_signed_v<In>) {
      return static_cast<Out>(static_cast<double>(static_cast<std::int64_t>(s)) / c.k);
    } else {
      return static_cast<Out>(static_cast<double>(s) / c.k);
    }
  }
};

template <class Box>
struct small_box_tile {
  using In = typename Box::in;
  using Out = typename Box::out;
  static constexpr int width = 128, height = sizeof(In) == 1 ? 64 : 32,
                       threads = detail::summed_area_table_impl::cuda_box_threads;
  static constexpr int at_once = sizeof(In) == 1 ? 4 : 1;               // columns of a thread on the way down
  static constexpr int parts = threads / height, part = width / parts;  // of a row, a thread each
  // Elements from row to row in shared memory, of which `columns` are needed: an odd number of words.
  template <class T>
  UPSWEEP_HD static constexpr std::uint32_t pitch(std::uint32_t columns) {
    return sizeof(T) >= 4 ? columns | 1 : ((columns * sizeof(T) + 3) / 4 | 1) * 4 / sizeof(T);
  }
};

template <class In, class Out>
struct small_box_arguments {
  const In* in;
  Out* out;
  std::uint64_t row, height, in_pitch, out_pitch;  // in elements, all but the height
  std::uint64_t tiles_across;
  std::uint32_t channels, radius_x, radius_y;
  std::uint32_t before, columns;  // of a tile's columns of sums: those left of the tile, and all
  bool words_in, words_out;       // rows are so aligned that 32-bit words of bytes may be read, or written
};

// The thread's columns of one row, bytes as one word.
template <class In>
__device__ std::uint32_t column_bytes(const In* row, std::int64_t x, std::int64_t n, bool words) {
  static_assert(sizeof(In) == 1);
  if (words && x >= 0 && x + 4 <= n) return __ldg(reinterpret_cast<const std::uint32_t*>(row + x));
  std::uint32_t word = 0;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (x + e >= 0 && x + e < n) word |= std::uint32_t{row[x + e]} << 8 * e;
  return word;
}

// Calls enter(y) for the rows of the first window but its last row; then for each of the rows y: enter(its last),
// give(y), leave(its first).
template <class Enter, class Give, class Leave>
__device__ void slide_rows(std::int64_t first, std::int64_t last, std::int64_t radius, std::int64_t height, Enter enter,
                           Give give, Leave leave) {
  const std::int64_t begin = first > radius ? first - radius : 0,
                     end = first + radius < height ? first + radius : height;
#pragma unroll 8
  for (std::int64_t y = begin; y < end; ++y) enter(y);
#pragma unroll 4
  for (std::int64_t y = first; y < last; ++y) {
    if (y + radius < height) enter(y + radius);
    give(y);
    if (y >= radius) leave(y - radius);
  }
}

template <class Box>
__global__ void __launch_bounds__(small_box_tile<Box>::threads)
    filter_small_box(const __grid_constant__ small_box_arguments<typename Box::in, typename Box::out> a) {
  using tile = small_box_tile<Box>;
  using In = typename Box::in;
  using Out = typename Box::out;
  using column_sum = typename Box::column_sum;
  using square = typename Box::square;
  using sum = typename Box::sum;
  extern __shared__ __align__(16) unsigned char bytes[];
  const std::uint32_t pitch = tile::template pitch<column_sum>(a.columns),
                      square_pitch = tile::template pitch<square>(a.columns);
  constexpr std::uint32_t out_pitch = tile::template pitch<Out>(tile::width);
  Out* const made = reinterpret_cast<Out*>(bytes);
  auto* const column_squares =
      reinterpret_cast<square*>(bytes + (tile::height * out_pitch * sizeof(Out) + 15) / 16 * 16);
  auto* const column_sums =
      reinterpret_cast<column_sum*>(reinterpret_cast<unsigned char*>(column_squares) +
                                    (Box::squares ? tile::height * square_pitch * sizeof(square) : 0));

  const std::int64_t x0 = blockIdx.x % a.tiles_across * tile::width, y0 = blockIdx.x / a.tiles_across * tile::height;
  const auto row = static_cast<std::int64_t>(a.row), height = static_cast<std::int64_t>(a.height);
  const int rows_here = height - y0 < tile::height ? static_cast<int>(height - y0) : tile::height;

  // Down: as many runs of rows as there are threads for.
  const std::uint32_t strips = a.columns / tile::at_once;
  int runs = 1;
  while (runs < 8 && 2 * runs * strips <= tile::threads) runs *= 2;
  for (std::uint32_t i = threadIdx.x; i < runs * strips; i += tile::threads) {
    const std::uint32_t column = i % strips * tile::at_once;
    const std::int64_t x = x0 - a.before + column;
    const int first = static_cast<int>(i / strips) * (tile::height / runs), end = first + tile::height / runs;
    const int last = end < rows_here ? end : rows_here;
    column_sum* const sums = column_sums + column;
    square* const squares = column_squares + column;
    if constexpr (sizeof(In) == 1 && !Box::squares) {
      // Two sums of 16 bits a register: of the even bytes, and of the odd ones. 63 · 255 fits.
      std::uint32_t even = 0, odd = 0;
      const auto each = [&](std::int64_t y) { return column_bytes(a.in + y * a.in_pitch, x, row, a.words_in); };
      slide_rows(
          y0 + first, y0 + last, a.radius_y, height,
          [&](std::int64_t y) {
            const std::uint32_t w = each(y);
            even += w & 0x00ff00ff, odd += w >> 8 & 0x00ff00ff;
          },
          [&](std::int64_t y) {
            auto* const to = reinterpret_cast<std::uint32_t*>(sums + static_cast<std::uint32_t>(y - y0) * pitch);
            to[0] = (even & 0xffff) | odd << 16, to[1] = even >> 16 | (odd & 0xffff0000);
          },
          [&](std::int64_t y) {
            const std::uint32_t w = each(y);
            even -= w & 0x00ff00ff, odd -= w >> 8 & 0x00ff00ff;
          });
    } else {
      sum s[tile::at_once] = {};
      square q[tile::at_once] = {};
      const auto squared = [](In v) {
        return Box::squares ? static_cast<square>(v) * static_cast<square>(v) : square{};
      };
      const auto with_each = [&](std::int64_t y, auto f) {
        if constexpr (sizeof(In) == 1) {
          const std::uint32_t w = column_bytes(a.in + y * a.in_pitch, x, row, a.words_in);
#pragma unroll
          for (int e = 0; e < tile::at_once; ++e) f(s[e], q[e], static_cast<In>(w >> 8 * e));
        } else {
          f(s[0], q[0], x >= 0 && x < row ? __ldg(a.in + y * a.in_pitch + x) : In(0));
        }
      };
      slide_rows(
          y0 + first, y0 + last, a.radius_y, height,
          [&](std::int64_t y) {
            with_each(y, [&](sum& of, square& of_squares, In v) {
              of += detail::summed_area_table_impl::widened<sum>(v), of_squares += squared(v);
            });
          },
          [&](std::int64_t y) {
#pragma unroll
            for (int e = 0; e < tile::at_once; ++e) {
              sums[static_cast<std::uint32_t>(y - y0) * pitch + e] = static_cast<column_sum>(s[e]);
              if constexpr (Box::squares) squares[static_cast<std::uint32_t>(y - y0) * square_pitch + e] = q[e];
            }
          },
          [&](std::int64_t y) {
            with_each(y, [&](sum& of, square& of_squares, In v) {
              of -= detail::summed_area_table_impl::widened<sum>(v), of_squares -= squared(v);
            });
          });
    }
  }
  __syncthreads();  // the columns' sums are written

  // Along: lanes have rows below each other.
  const int y = static_cast<int>(threadIdx.x) % tile::height,
            first = static_cast<int>(threadIdx.x) / tile::height * tile::part;
  if (y < rows_here && x0 + first < row) {
    const auto step = static_cast<int>(a.channels), reach = static_cast<int>(a.radius_x) * step;
    const column_sum* const sums = column_sums + y * pitch + a.before;
    const square* const squares = column_squares + y * square_pitch + a.before;
    const auto rows =
        static_cast<std::uint32_t>(detail::summed_area_table_impl::window_at(y0 + y, a.radius_y, a.height));
    const bool whole = x0 + first >= reach && x0 + first + tile::part + reach <= row;
    const auto whole_count = Box::of(rows * (2 * a.radius_x + 1));
    for (int channel = 0; channel < step; ++channel) {
      sum s{};
      square q{};
      const int begin = first + channel;
#pragma unroll 4
      for (int x = begin - reach; x < begin + reach; x += step) {
        s += sums[x];
        if constexpr (Box::squares) q += squares[x];
      }
      const auto slide = [&](auto count_at) {
#pragma unroll 8
        for (int x = begin; x < first + tile::part; x += step) {
          s += sums[x + reach];
          if constexpr (Box::squares) q += squares[x + reach];
          made[y * out_pitch + x] = Box::result(s, q, count_at(x));
          s -= sums[x - reach];
          if constexpr (Box::squares) q -= squares[x - reach];
        }
      };
      if (whole)
        slide([&](int) { return whole_count; });
      else
        slide([&](int x) {
          // Behind the picture's last pixel something is made of nothing, and not written.
          const std::uint64_t pixel = static_cast<std::uint64_t>(x0 + x) / a.channels, pixels = a.row / a.channels;
          return Box::of(pixel < pixels ? rows * static_cast<std::uint32_t>(detail::summed_area_table_impl::window_at(
                                                     pixel, a.radius_x, pixels))
                                        : 1);
        });
    }
  }
  __syncthreads();  // the tile's results are written

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (int r = warp; r < rows_here; r += tile::threads / 32) {
    Out* const to = a.out + (y0 + r) * a.out_pitch + x0;
    const Out* const from = made + r * out_pitch;
    if constexpr (sizeof(Out) == 1) {
      if (a.words_out && x0 + tile::width <= row) {
        __stcs(reinterpret_cast<std::uint32_t*>(to) + lane, reinterpret_cast<const std::uint32_t*>(from)[lane]);
        continue;
      }
    }
    for (int x = lane; x < tile::width && x0 + x < row; x += 32) __stcs(to + x, from[x]);
  }
}

// Returns false if the sums of this number of channels, or of elements of this size, exceed a block's shared memory.
template <class Box>
bool filter_with_small_box(device& d, const detail::summed_area_table_impl::problem& p) {
  using tile = small_box_tile<Box>;
  using In = typename Box::in;
  using Out = typename Box::out;
  const std::uint64_t row = detail::summed_area_table_impl::row_of(p);
  small_box_arguments<In, Out> a{p.in.as<const In>(), p.out.as<Out>(), row, p.size.y, p.pitch, p.out_pitch};
  a.tiles_across = (row + tile::width - 1) / tile::width;
  a.channels = p.channels;
  a.radius_x = static_cast<std::uint32_t>(detail::summed_area_table_impl::useful_radius(p.radius.x, p.size.x));
  a.radius_y = static_cast<std::uint32_t>(detail::summed_area_table_impl::useful_radius(p.radius.y, p.size.y));
  a.before = (a.radius_x * a.channels + tile::at_once - 1) / tile::at_once * tile::at_once;
  a.columns = 2 * a.before + tile::width;
  const auto whole_words = [](const void* base, std::uint64_t pitch) {
    return (reinterpret_cast<std::uintptr_t>(base) | pitch) % 4 == 0;
  };
  a.words_in = whole_words(a.in, p.pitch), a.words_out = whole_words(a.out, p.out_pitch);
  using square = typename Box::square;
  using column_sum = typename Box::column_sum;
  const std::uint64_t bytes =
      (tile::height * tile::template pitch<Out>(tile::width) * sizeof(Out) + 15) / 16 * 16 +
      (Box::squares ? tile::height * tile::template pitch<square>(a.columns) * sizeof(square) : 0) +
      tile::height * tile::template pitch<column_sum>(a.columns) * sizeof(column_sum);
  if (bytes > d.shared_limit()) return false;
  const std::uint64_t blocks = a.tiles_across * ((p.size.y + tile::height - 1) / tile::height);
  d.allow_shared(filter_small_box<Box>, bytes, "box filters");
  filter_small_box<Box><<<static_cast<unsigned>(blocks), tile::threads, static_cast<unsigned>(bytes), d.stream()>>>(a);
  return true;
}

}  // namespace upsweep::cuda
