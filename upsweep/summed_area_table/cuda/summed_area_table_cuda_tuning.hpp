// Tuning parameters of the CUDA variants; those of one channel of u8 and f32 are measured on one H200 (README.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace upsweep::detail::summed_area_table_impl {

// A tile of a table has `warps` warps, one below the other, of up to `rows` rows. A lane has about `columns` columns of
// each row, and loads `at_once` rows before it adds. `lead_bytes` of the picture stay in the second-level cache between
// their first and second reading; less in proportion if the cache is smaller than `cuda_table_cache_bytes`.
template <class In, class Out>
struct cuda_table_tuned {
  static constexpr bool floats = std::is_floating_point_v<In>, narrow = !floats && sizeof(Out) == 4;
  static constexpr int warps = 8, blocks = floats ? 2 : 3, columns = floats || narrow ? 8 : 4;
  static constexpr int at_once = sizeof(In) + sizeof(Out) < 12 ? 4 : 2, rows = floats ? 32 : 16;
  static constexpr std::uint64_t lead_bytes = (floats ? 48 : narrow ? 10 : 32) << 20;
};
inline constexpr std::uint64_t cuda_table_cache_bytes = std::uint64_t{50} << 20;  // Hopper's, or less than it
// Small pictures have low tiles, narrow ones high tiles.
inline constexpr std::uint32_t cuda_fewest_table_rows = 8, cuda_most_table_rows = 32, cuda_narrow_table_tiles = 16;

// Up to this number of elements, and up to this width and height, tables are computed by tiles that stay in registers;
// by low tiles up to a smaller number. Measured on one H100: 4096 by 256 u8 were slower this way.
inline constexpr std::uint64_t cuda_most_small_table = std::uint64_t{1} << 20, cuda_widest_small_table = 2048,
                               cuda_highest_small_table = 4096, cuda_most_low_small_table = std::uint64_t{1} << 18;

inline constexpr int cuda_byte_box_warps = 4, cuda_byte_box_warps_a_multiprocessor = 64;

// Walks of float boxes: the fewest rows of a walk; the number of windows from which on a walk is divided into three
// waves instead of one; and the blocks of a multiprocessor that the registers allow.
inline constexpr int cuda_fewest_float_walk_rows = 16, cuda_long_float_walk_windows = 16, cuda_float_walk_blocks = 3;

inline constexpr int cuda_box_threads = 256, cuda_rectangle_threads = 256;

}  // namespace upsweep::detail::summed_area_table_impl
