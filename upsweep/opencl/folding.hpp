// What to fold, as a kernel sees it: the options and the text that make operators.cl say it, and the shape of the work.
#pragma once

#include "upsweep/core/problem.hpp"
#include "upsweep/opencl/custom.hpp"
#include "upsweep/opencl/device.hpp"

namespace upsweep::opencl {

struct folding {
  std::string options;   // "-D TYPE_u32 -D OP_plus -D TRANSFORM_identity"
  std::string before;    // text of types and operators of the user's own; empty for built-in ones
  std::size_t size = 0;  // of an element
  bool builtin_type = true;
  bool commutes = true;
  const char* vector = nullptr;  // "uint4": 16 bytes; null for a type of the user's own
  value init{};

  // A built-in one; `init` points into `f`.
  folding(dtype type, const upsweep::folding& f);
  explicit folding(const custom_kernel& k);
};

// The shape of a primitive's kernels on a device: the tuning tables of reduce/opencl/reduce.cpp and
// scan/opencl/scan.cpp.
struct shape {
  int lanes;            // items a work-group, a multiple of 64; 1: one item with a long chunk, for CPUs
  int rows;             // 16-byte vectors an item and tile; odd
  int groups_per_unit;  // persistent groups a compute unit; a multiple of what is resident at once
  int max_registers;    // an item, NVIDIA only; 0 leaves it to the compiler
  int chunk_bytes;      // lanes == 1: contiguous input of one group
};

// A shape made to fit: elements of any size, and the device's limits. Throws where an element is too large for local
// memory.
struct fitted {
  int lanes, rows, vector;  // elements a vector
  std::uint64_t tile;       // elements a tile, or a chunk where lanes == 1
  std::string options;      // for opencl/tile.cl
};
fitted fit(const device& d, const shape& s, const folding& f, memory in, memory out);

// The built-in part of every room's options: type, operator and transform.
std::string options_of(dtype type, const upsweep::folding&);

}  // namespace upsweep::opencl
