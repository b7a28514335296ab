// What the CUDA variants of the room are tuned by. None of it has been measured yet.
#pragma once

namespace upsweep::integral_room {

struct cuda_table_tuning {
  int warps;              // of a block; each takes `rows` rows of a tile
  int rows;
  int wide_strips_from;   // strips a multiprocessor from which a lane takes four columns, or two pixels of two channels, instead of one
};
inline constexpr cuda_table_tuning cuda_table_tuned{8, 4, 1};

inline constexpr int cuda_box_threads = 256, cuda_rectangle_threads = 256;

}  // namespace upsweep::integral_room
