// Describes a fold to the kernels: the options and the source that operators.cl expects, and how the work is divided.
#pragma once

#include "upsweep/core/problem_base.hpp"
#include "upsweep/jit/jit.hpp"
#include "upsweep/opencl/opencl_device.hpp"

namespace upsweep::opencl {

struct folding {
  std::string options;      // "-D TYPE_u32 -D OP_plus -D TRANSFORM_identity"
  std::string before;       // source of user-defined types and operators; empty for built-in ones
  std::size_t size = 0;     // of an element
  std::size_t carried = 0;  // of a fold: of carrier_t in operators.cl
  bool builtin_type = true;
  bool commutes = true;
  const char* vector = nullptr;  // "uint4": 16 bytes; null for a user-defined type
  value init{};

  // A built-in fold; `init` points into `f`.
  folding(dtype type, const upsweep::folding& f);
  explicit folding(const custom_kernel& k);

  // This fold for a given device: sums and products of floats use carriers where the device has f64.
  folding on(const device& d) const;

 private:
  std::size_t carrier_size = 0;
};

// The shape of a primitive's kernels on a device: the tuning tables of reduce/opencl/reduce_opencl.cpp and
// scan/opencl/scan_opencl.cpp.
struct shape {
  int lanes;            // items a work-group, a multiple of 64; 1: one item with a long chunk, for CPUs
  int rows;             // 16-byte vectors an item and tile; odd
  int groups_per_unit;  // persistent groups a compute unit; a multiple of what is resident at once
  int max_registers;    // an item, NVIDIA only; 0 leaves it to the compiler
  int chunk_bytes;      // lanes == 1: contiguous input of one group
};

// A shape adjusted to the size of elements and to the device's limits. Throws if an element is too large for local
// memory.
struct fitted {
  int lanes, rows, vector;  // elements a vector
  std::uint64_t tile;       // elements a tile, or a chunk where lanes == 1
  std::string options;      // for opencl/tile.cl
};
fitted fit(const device& d, const shape& s, const folding& f, memory in, memory out);

// The options that all algorithms share for built-in folds: type, operator and transform.
std::string options_of(dtype type, const upsweep::folding&);

}  // namespace upsweep::opencl
