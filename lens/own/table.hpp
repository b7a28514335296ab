// The functions that a program compiled for the lens calls. The lens passes this table before the program's main is
// called. `from` is always the return address in the program, whose line the debug information gives.
#pragma once

#include <cstddef>

namespace upsweep_lens {

struct index {
  unsigned x, y, z;
};
struct launch_shape {
  index grid, block;
  std::size_t shared;      // bytes of it that the launch asks for
  bool together = false;   // no block waits for another to end (a cooperative launch)
  index cluster{1, 1, 1};  // blocks of a cluster
  bool early = false;      // its blocks may begin before the launch before it has ended
};
// The body of a launch: `call(arguments)` in each thread.
struct launch_body {
  const char* name;
  const void* function;  // the kernel's address, where it is known; of several it says which
  void (*call)(void*);
  void* arguments;
  std::size_t bytes;
};

enum access_kind : int { load, store, volatile_load, volatile_store, update };
// Added to the number of bytes of an access: its type is aligned to 4 bytes at most.
inline constexpr std::size_t in_words = std::size_t{1} << 62;
enum shuffle_kind : int { from_lane, from_below, from_above, from_other };
enum vote_kind : int { ballot, match_any, match_all };
enum reduction_kind : int { sum, least, most, all_bits, any_bit, odd_bits };
enum memory_kind : int { device, managed, pinned };
enum symbol_kind : int { variable, constant };
enum cluster_barrier_kind : int { arrive, arrive_relaxed, wait };
// Properties of a thread's cluster, each in x, y and z: its size in blocks, the index of the thread's block in it, the
// index of the cluster in the grid, and the number of clusters. And, as one number each, the rank of the block and the
// number of blocks.
enum cluster_number : int {
  size_of_it = 0,
  place_in_it = 3,
  place_of_it = 6,
  clusters = 9,
  rank_in_it = 12,
  blocks_of_it
};

// The bytes of shared memory that a block may have on a GPU of this compute capability.
constexpr std::size_t shared_bytes_of(int capability) {
  return capability >= 90 ? 227 << 10 : capability >= 80 ? 163 << 10 : 64 << 10;
}

// An operand of an assembly statement: the address of its bits, and whether the statement reads them, writes them, or
// both.
struct operand {
  void* at;
  std::size_t bytes;
};

struct table {
  const index *thread, *block, *block_size, *grid_size;  // of the thread that runs

  void (*access)(const void* at, std::size_t bytes, int kind, const void* from);
  void (*stored)();  // an atomic has changed the value
  int (*block_barrier)(int vote, const void* from);
  void (*warp_barrier)(unsigned mask, const void* from);
  void (*fence)(const void* from);
  void (*shuffle)(unsigned mask, void* value, std::size_t bytes, int width, int kind, int operand, const void* from);
  unsigned (*vote)(unsigned mask, unsigned long long value, int kind, unsigned* took_part, const void* from);
  void (*reduce)(unsigned mask, void* value, int kind, bool with_sign, const void* from);
  unsigned (*active)(const void* from);
  void* (*shared)(const void* key, const char* name, std::size_t bytes, std::size_t element, const std::size_t* extents,
                  unsigned directions);
  void* (*dynamic_shared)(const char* name, std::size_t element);
  unsigned (*cluster)(int what);
  void (*cluster_barrier)(int kind, const void* from);
  // The memory of this block of the cluster that corresponds to `mine`, which any block may own; and the rank of an
  // address's owner.
  void* (*of_block)(const void* mine, unsigned rank, const void* from);
  unsigned (*rank_of)(const void* at, const void* from);
  void (*assembly)(const char* text, const operand* operands, const void* from);

  // The host's calls: 0, or the number of CUDA's error.
  int (*launch)(const launch_shape*, const launch_body*, const void* from);
  int (*allocate)(void** to, std::size_t bytes, std::size_t element, const char* text, int kind, const void* from);
  int (*release)(void*, const char* call, const void* from);
  int (*copy)(void* to, const void* source, std::size_t bytes, int direction, const char* call, const void* from);
  int (*fill)(void* to, int value, std::size_t bytes, const char* call, const void* from);
  void (*symbol)(void* at, std::size_t bytes, std::size_t element, const char* name, int kind);
  void (*say)(const char* text);  // adds an assumption to the report
};

}  // namespace upsweep_lens
