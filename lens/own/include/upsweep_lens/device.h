// The indices of a thread, and the operations that threads do together.
#pragma once

#include "upsweep_lens/types.h"

#define UPSWEEP_WORD __attribute__((always_inline)) inline

extern "C" {
#define UPSWEEP_INDEX(which)                                      \
  unsigned upsweep_##which##_x() noexcept __attribute__((const)); \
  unsigned upsweep_##which##_y() noexcept __attribute__((const)); \
  unsigned upsweep_##which##_z() noexcept __attribute__((const));
UPSWEEP_INDEX(thread)
UPSWEEP_INDEX(block)
UPSWEEP_INDEX(block_size)
UPSWEEP_INDEX(grid_size)
#undef UPSWEEP_INDEX
int upsweep_block_barrier(int vote);
void upsweep_warp_barrier(unsigned mask);
void upsweep_fence();
void upsweep_shuffle(unsigned mask, void* value, size_t bytes, int width, int kind, int operand);
unsigned upsweep_vote(unsigned mask, unsigned long long value, int kind, unsigned* took_part);
void upsweep_reduce(unsigned mask, void* value, int kind, bool with_sign);
unsigned upsweep_active();
void* upsweep_shared(const void* key, const char* name, size_t bytes, size_t element, const size_t* extents,
                     unsigned directions);
void* upsweep_dynamic_shared(const char* name, size_t element);
unsigned upsweep_cluster(int what) noexcept;
void upsweep_cluster_barrier(int kind);
void* upsweep_of_block(const void* mine, unsigned rank);
unsigned upsweep_rank_of(const void* at);
void upsweep_assembly(const char* text, const upsweep_lens::operand* operands);
void upsweep_symbol(void* at, size_t bytes, size_t element, const char* name, int kind);
}

#define threadIdx (uint3{upsweep_thread_x(), upsweep_thread_y(), upsweep_thread_z()})
#define blockIdx (uint3{upsweep_block_x(), upsweep_block_y(), upsweep_block_z()})
#define blockDim (dim3{upsweep_block_size_x(), upsweep_block_size_y(), upsweep_block_size_z()})
#define gridDim (dim3{upsweep_grid_size_x(), upsweep_grid_size_y(), upsweep_grid_size_z()})
enum : int { warpSize = 32 };

namespace upsweep_lens {

template <class T, size_t... d>
struct extents_of {
  static constexpr unsigned directions = sizeof...(d) == 0 ? 1 : sizeof...(d);
  static constexpr size_t all[directions]{d...};
};
template <class T, size_t... d>
constexpr auto shape_of(T*, std::index_sequence<d...>) {
  if constexpr (sizeof...(d) == 0)
    return extents_of<T, 1>{};
  else
    return extents_of<T, std::extent_v<T, d>...>{};
}

// A __shared__ variable of the running thread's block.
template <class T>
UPSWEEP_WORD T& shared_of(const void* key, const char* name) {
  using shape = decltype(shape_of(static_cast<T*>(nullptr), std::make_index_sequence<std::rank_v<T>>{}));
  return *static_cast<T*>(
      upsweep_shared(key, name, sizeof(T), sizeof(std::remove_all_extents_t<T>), shape::all, shape::directions));
}
template <class T>
UPSWEEP_WORD T& dynamic_shared_of(const char* name) {
  return *(T*)upsweep_dynamic_shared(name, sizeof(std::remove_all_extents_t<T>));
}

// For macros, whose words are not read: UPSWEEP_LENS_SHARED(float, cells, 32) is __shared__ float cells[32].
#define UPSWEEP_LENS_SHARED(T, cells, count) \
  static char upsweep_key_of_##cells;        \
  auto& cells = upsweep_lens::shared_of<T[count]>(&upsweep_key_of_##cells, #cells)
#define UPSWEEP_LENS_DYNAMIC_SHARED(T, cells) T* const cells = (T*)upsweep_dynamic_shared(#cells, sizeof(T))

// An extern __shared__ array that is declared outside of functions.
template <class T>
struct dynamic_variable {
  using element = std::remove_extent_t<T>;
  const char* name;
  UPSWEEP_WORD operator element*() const { return (element*)upsweep_dynamic_shared(name, sizeof(element)); }
};

// A __device__, __managed__ or __constant__ variable, which is registered with the lens before main.
struct symbol {
  template <class T>
  symbol(T& at, const char* name, int kind) {
    upsweep_symbol((void*)&at, sizeof(T), sizeof(std::remove_all_extents_t<T>), name, kind);
  }
};

}  // namespace upsweep_lens

namespace upsweep_lens {

// An input operand of an assembly statement.
struct given {
  unsigned long long bits;
  size_t bytes;
};
template <class T>
UPSWEEP_WORD given in(T v) {
  given g{0, sizeof v};
  memcpy(&g.bits, &v, sizeof v);
  return g;
}
// An output operand, or one that is read and written.
template <class T>
UPSWEEP_WORD operand out(T& to) {
  return {(void*)&to, sizeof to};
}
UPSWEEP_WORD operand seen(operand& o) { return o; }
UPSWEEP_WORD operand seen(given& g) { return {&g.bits, g.bytes}; }

// `asm("text" : … : …)`, as the lens reads it.
template <class... Operand>
UPSWEEP_WORD void assembly(const char* text, Operand... operands) {
  const operand all[sizeof...(operands) + 1]{seen(operands)..., {nullptr, 0}};
  upsweep_assembly(text, all);
}

}  // namespace upsweep_lens

// Values in braces may follow. One array for all files that include it.
#define UPSWEEP_LENS_CONSTANT(T, name, count)                                             \
  extern T name[count];                                                                   \
  static upsweep_lens::symbol upsweep_symbol_##name(name, #name, upsweep_lens::constant); \
  __attribute__((weak)) T name[count]

// An address in shared memory as a number of 32 bits.
UPSWEEP_WORD size_t __cvta_generic_to_shared(const void* p) { return (unsigned)(size_t)p; }
UPSWEEP_WORD size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }

UPSWEEP_WORD void __syncthreads() { upsweep_block_barrier(0); }
UPSWEEP_WORD int __syncthreads_count(int p) { return upsweep_block_barrier(p != 0); }
UPSWEEP_WORD int __syncthreads_or(int p) { return upsweep_block_barrier(p != 0) != 0; }
UPSWEEP_WORD int __syncthreads_and(int p) { return upsweep_block_barrier(p == 0) == 0; }
UPSWEEP_WORD void __syncwarp(unsigned mask = 0xffffffff) { upsweep_warp_barrier(mask); }
UPSWEEP_WORD void __threadfence() { upsweep_fence(); }
UPSWEEP_WORD void __threadfence_block() { upsweep_fence(); }
UPSWEEP_WORD void __threadfence_system() { upsweep_fence(); }
UPSWEEP_WORD void __nanosleep(unsigned) {}
UPSWEEP_WORD void __trap() { abort(); }

// Clusters of blocks, in the compiler's own words.
UPSWEEP_WORD dim3 upsweep_of_cluster(int what) {
  return {upsweep_cluster(what), upsweep_cluster(what + 1), upsweep_cluster(what + 2)};
}
UPSWEEP_WORD dim3 __clusterDim() { return upsweep_of_cluster(upsweep_lens::size_of_it); }
UPSWEEP_WORD dim3 __clusterRelativeBlockIdx() { return upsweep_of_cluster(upsweep_lens::place_in_it); }
UPSWEEP_WORD dim3 __clusterIdx() { return upsweep_of_cluster(upsweep_lens::place_of_it); }
UPSWEEP_WORD dim3 __clusterGridDimInClusters() { return upsweep_of_cluster(upsweep_lens::clusters); }
UPSWEEP_WORD unsigned __clusterRelativeBlockRank() { return upsweep_cluster(upsweep_lens::rank_in_it); }
UPSWEEP_WORD unsigned __clusterSizeInBlocks() { return upsweep_cluster(upsweep_lens::blocks_of_it); }
UPSWEEP_WORD void __cluster_barrier_arrive() { upsweep_cluster_barrier(upsweep_lens::arrive); }
UPSWEEP_WORD void __cluster_barrier_arrive_relaxed() { upsweep_cluster_barrier(upsweep_lens::arrive_relaxed); }
UPSWEEP_WORD void __cluster_barrier_wait() { upsweep_cluster_barrier(upsweep_lens::wait); }
UPSWEEP_WORD void* __cluster_map_shared_rank(const void* mine, unsigned rank) { return upsweep_of_block(mine, rank); }
UPSWEEP_WORD unsigned __cluster_query_shared_rank(const void* at) { return upsweep_rank_of(at); }

#define UPSWEEP_SHUFFLE(name, kind, operand_type)                                 \
  template <class T>                                                              \
  UPSWEEP_WORD T name(unsigned mask, T v, operand_type operand, int width = 32) { \
    upsweep_shuffle(mask, &v, sizeof v, width, upsweep_lens::kind, (int)operand); \
    return v;                                                                     \
  }
UPSWEEP_SHUFFLE(__shfl_sync, from_lane, int)
UPSWEEP_SHUFFLE(__shfl_up_sync, from_below, unsigned)
UPSWEEP_SHUFFLE(__shfl_down_sync, from_above, unsigned)
UPSWEEP_SHUFFLE(__shfl_xor_sync, from_other, int)
#undef UPSWEEP_SHUFFLE

UPSWEEP_WORD unsigned __ballot_sync(unsigned mask, int p) {
  unsigned all;
  return upsweep_vote(mask, p != 0, upsweep_lens::ballot, &all);
}
UPSWEEP_WORD int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
UPSWEEP_WORD int __all_sync(unsigned mask, int p) {
  unsigned all;
  const unsigned yes = upsweep_vote(mask, p != 0, upsweep_lens::ballot, &all);
  return yes == all;
}
template <class T>
UPSWEEP_WORD unsigned __match_any_sync(unsigned mask, T v) {
  unsigned all;
  unsigned long long bits = 0;
  memcpy(&bits, &v, sizeof v);
  return upsweep_vote(mask, bits, upsweep_lens::match_any, &all);
}
template <class T>
UPSWEEP_WORD unsigned __match_all_sync(unsigned mask, T v, int* same) {
  unsigned all;
  unsigned long long bits = 0;
  memcpy(&bits, &v, sizeof v);
  const unsigned mine = upsweep_vote(mask, bits, upsweep_lens::match_all, &all);
  *same = mine == all;
  return *same ? all : 0;
}
#define UPSWEEP_REDUCTION(name, kind)                     \
  UPSWEEP_WORD unsigned name(unsigned mask, unsigned v) { \
    upsweep_reduce(mask, &v, upsweep_lens::kind, false);  \
    return v;                                             \
  }                                                       \
  UPSWEEP_WORD int name(unsigned mask, int v) {           \
    upsweep_reduce(mask, &v, upsweep_lens::kind, true);   \
    return v;                                             \
  }
UPSWEEP_REDUCTION(__reduce_add_sync, sum)
UPSWEEP_REDUCTION(__reduce_min_sync, least)
UPSWEEP_REDUCTION(__reduce_max_sync, most)
UPSWEEP_REDUCTION(__reduce_and_sync, all_bits)
UPSWEEP_REDUCTION(__reduce_or_sync, any_bit)
UPSWEEP_REDUCTION(__reduce_xor_sync, odd_bits)
#undef UPSWEEP_REDUCTION
UPSWEEP_WORD unsigned __activemask() { return upsweep_active(); }

#define UPSWEEP_ATOMIC(T, name) T name(T* at, T v);
#define UPSWEEP_INTEGER_ATOMICS(T) \
  UPSWEEP_ATOMIC(T, atomicAdd)     \
  UPSWEEP_ATOMIC(T, atomicSub)     \
  UPSWEEP_ATOMIC(T, atomicMin)     \
  UPSWEEP_ATOMIC(T, atomicMax)     \
  UPSWEEP_ATOMIC(T, atomicAnd)     \
  UPSWEEP_ATOMIC(T, atomicOr)      \
  UPSWEEP_ATOMIC(T, atomicXor)     \
  UPSWEEP_ATOMIC(T, atomicExch)    \
  T atomicCAS(T* at, T expected, T v);
UPSWEEP_INTEGER_ATOMICS(int)
UPSWEEP_INTEGER_ATOMICS(unsigned)
UPSWEEP_INTEGER_ATOMICS(unsigned long long)
UPSWEEP_INTEGER_ATOMICS(long long)
UPSWEEP_ATOMIC(unsigned, atomicInc)
UPSWEEP_ATOMIC(unsigned, atomicDec)
UPSWEEP_ATOMIC(float, atomicAdd)
UPSWEEP_ATOMIC(float, atomicExch)
UPSWEEP_ATOMIC(double, atomicAdd)
unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short v);
#undef UPSWEEP_ATOMIC
#undef UPSWEEP_INTEGER_ATOMICS

// The scopes of a block and of the whole system behave like that of the device here.
#define UPSWEEP_SCOPED(name)                    \
  template <class T, class... V>                \
  UPSWEEP_WORD T name##_block(T* at, V... v) {  \
    return name(at, v...);                      \
  }                                             \
  template <class T, class... V>                \
  UPSWEEP_WORD T name##_system(T* at, V... v) { \
    return name(at, v...);                      \
  }
UPSWEEP_SCOPED(atomicAdd)
UPSWEEP_SCOPED(atomicSub)
UPSWEEP_SCOPED(atomicMin)
UPSWEEP_SCOPED(atomicMax)
UPSWEEP_SCOPED(atomicInc)
UPSWEEP_SCOPED(atomicDec)
UPSWEEP_SCOPED(atomicAnd)
UPSWEEP_SCOPED(atomicOr)
UPSWEEP_SCOPED(atomicXor)
UPSWEEP_SCOPED(atomicExch)
UPSWEEP_SCOPED(atomicCAS)
#undef UPSWEEP_SCOPED

// Caches are none of the lens's business.
#define UPSWEEP_CACHED_LOAD(name)   \
  template <class T>                \
  UPSWEEP_WORD T name(const T* p) { \
    return *p;                      \
  }
UPSWEEP_CACHED_LOAD(__ldg)
UPSWEEP_CACHED_LOAD(__ldca)
UPSWEEP_CACHED_LOAD(__ldcg)
UPSWEEP_CACHED_LOAD(__ldcs)
#undef UPSWEEP_CACHED_LOAD
#define UPSWEEP_CACHED_STORE(name)    \
  template <class T>                  \
  UPSWEEP_WORD void name(T* p, T v) { \
    *p = v;                           \
  }
UPSWEEP_CACHED_STORE(__stwb)
UPSWEEP_CACHED_STORE(__stcg)
UPSWEEP_CACHED_STORE(__stcs)
#undef UPSWEEP_CACHED_STORE
