// Compiled together with each program that runs under the lens, without the checks of the program itself: the functions
// that GCC calls at each access to memory, and the CUDA functions that threads execute together.
#include "table.hpp"

#include <cstdint>
#include <cstring>

#define UPSWEEP_HERE __builtin_return_address(0)

using namespace upsweep_lens;

namespace {

const table* lens = nullptr;

}  // namespace

extern "C" {

void upsweep_lens_attach(const table* t) { lens = t; }

// ---- what -fsanitize=thread calls

#define UPSWEEP_ACCESS(bytes)                                        \
  void __tsan_read##bytes(void* at) {                                \
    if (lens) lens->access(at, bytes, load, UPSWEEP_HERE);           \
  }                                                                  \
  void __tsan_write##bytes(void* at) {                               \
    if (lens) lens->access(at, bytes, store, UPSWEEP_HERE);          \
  }                                                                  \
  void __tsan_volatile_read##bytes(void* at) {                       \
    if (lens) lens->access(at, bytes, volatile_load, UPSWEEP_HERE);  \
  }                                                                  \
  void __tsan_volatile_write##bytes(void* at) {                      \
    if (lens) lens->access(at, bytes, volatile_store, UPSWEEP_HERE); \
  }
UPSWEEP_ACCESS(1)
UPSWEEP_ACCESS(2)
UPSWEEP_ACCESS(4)
UPSWEEP_ACCESS(8)
UPSWEEP_ACCESS(16)

// Objects that are aligned to fewer bytes than their size: nvcc accesses them in words.
#define UPSWEEP_UNALIGNED(name, kind)                              \
  void __tsan_unaligned_##name##2(void* at) {                      \
    if (lens) lens->access(at, 2, kind, UPSWEEP_HERE);             \
  }                                                                \
  void __tsan_unaligned_##name##4(void* at) {                      \
    if (lens) lens->access(at, 4, kind, UPSWEEP_HERE);             \
  }                                                                \
  void __tsan_unaligned_##name##8(void* at) {                      \
    if (lens) lens->access(at, 8 | in_words, kind, UPSWEEP_HERE);  \
  }                                                                \
  void __tsan_unaligned_##name##16(void* at) {                     \
    if (lens) lens->access(at, 16 | in_words, kind, UPSWEEP_HERE); \
  }
UPSWEEP_UNALIGNED(read, load)
UPSWEEP_UNALIGNED(write, store)
UPSWEEP_UNALIGNED(volatile_read, volatile_load)
UPSWEEP_UNALIGNED(volatile_write, volatile_store)

void __tsan_read_range(void* at, std::size_t bytes) {
  if (lens) lens->access(at, bytes | in_words, load, UPSWEEP_HERE);
}
void __tsan_write_range(void* at, std::size_t bytes) {
  if (lens) lens->access(at, bytes | in_words, store, UPSWEEP_HERE);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

// The host's own atomics, as std::atomic asks for them.
#define UPSWEEP_HOST_ATOMIC(bits)                                                                                    \
  using cell##bits = std::uint##bits##_t;                                                                            \
  cell##bits __tsan_atomic##bits##_load(const volatile cell##bits* p, int) { return __atomic_load_n(p, 5); }         \
  void __tsan_atomic##bits##_store(volatile cell##bits* p, cell##bits v, int) { __atomic_store_n(p, v, 5); }         \
  cell##bits __tsan_atomic##bits##_exchange(volatile cell##bits* p, cell##bits v, int) {                             \
    return __atomic_exchange_n(p, v, 5);                                                                             \
  }                                                                                                                  \
  cell##bits __tsan_atomic##bits##_fetch_add(volatile cell##bits* p, cell##bits v, int) {                            \
    return __atomic_fetch_add(p, v, 5);                                                                              \
  }                                                                                                                  \
  cell##bits __tsan_atomic##bits##_fetch_sub(volatile cell##bits* p, cell##bits v, int) {                            \
    return __atomic_fetch_sub(p, v, 5);                                                                              \
  }                                                                                                                  \
  cell##bits __tsan_atomic##bits##_fetch_and(volatile cell##bits* p, cell##bits v, int) {                            \
    return __atomic_fetch_and(p, v, 5);                                                                              \
  }                                                                                                                  \
  cell##bits __tsan_atomic##bits##_fetch_or(volatile cell##bits* p, cell##bits v, int) {                             \
    return __atomic_fetch_or(p, v, 5);                                                                               \
  }                                                                                                                  \
  cell##bits __tsan_atomic##bits##_fetch_xor(volatile cell##bits* p, cell##bits v, int) {                            \
    return __atomic_fetch_xor(p, v, 5);                                                                              \
  }                                                                                                                  \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile cell##bits* p, cell##bits* e, cell##bits v, int, int) { \
    return __atomic_compare_exchange_n(p, e, v, false, 5, 5);                                                        \
  }                                                                                                                  \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile cell##bits* p, cell##bits* e, cell##bits v, int, int) {   \
    return __atomic_compare_exchange_n(p, e, v, false, 5, 5);                                                        \
  }
UPSWEEP_HOST_ATOMIC(8)
UPSWEEP_HOST_ATOMIC(16)
UPSWEEP_HOST_ATOMIC(32)
UPSWEEP_HOST_ATOMIC(64)

// ---- where a thread is

#define UPSWEEP_INDEX(which)                                \
  unsigned upsweep_##which##_x() { return lens->which->x; } \
  unsigned upsweep_##which##_y() { return lens->which->y; } \
  unsigned upsweep_##which##_z() { return lens->which->z; }
UPSWEEP_INDEX(thread)
UPSWEEP_INDEX(block)
UPSWEEP_INDEX(block_size)
UPSWEEP_INDEX(grid_size)

// ---- what threads do together

int upsweep_block_barrier(int vote) { return lens->block_barrier(vote, UPSWEEP_HERE); }
void upsweep_warp_barrier(unsigned mask) { lens->warp_barrier(mask, UPSWEEP_HERE); }
void upsweep_fence() { lens->fence(UPSWEEP_HERE); }
void upsweep_shuffle(unsigned mask, void* value, std::size_t bytes, int width, int kind, int operand) {
  lens->shuffle(mask, value, bytes, width, kind, operand, UPSWEEP_HERE);
}
unsigned upsweep_vote(unsigned mask, unsigned long long value, int kind, unsigned* took_part) {
  return lens->vote(mask, value, kind, took_part, UPSWEEP_HERE);
}
void upsweep_reduce(unsigned mask, void* value, int kind, bool with_sign) {
  lens->reduce(mask, value, kind, with_sign, UPSWEEP_HERE);
}
unsigned upsweep_active() { return lens->active(UPSWEEP_HERE); }
void* upsweep_shared(const void* key, const char* name, std::size_t bytes, std::size_t element,
                     const std::size_t* extents, unsigned directions) {
  return lens->shared(key, name, bytes, element, extents, directions);
}
void* upsweep_dynamic_shared(const char* name, std::size_t element) { return lens->dynamic_shared(name, element); }
unsigned upsweep_cluster(int what) { return lens->cluster(what); }
void upsweep_cluster_barrier(int kind) { lens->cluster_barrier(kind, UPSWEEP_HERE); }
void* upsweep_of_block(const void* mine, unsigned rank) { return lens->of_block(mine, rank, UPSWEEP_HERE); }
unsigned upsweep_rank_of(const void* at) { return lens->rank_of(at, UPSWEEP_HERE); }
void upsweep_assembly(const char* text, const operand* operands) { lens->assembly(text, operands, UPSWEEP_HERE); }

// ---- the host's calls

int upsweep_launch(const launch_shape* shape, const launch_body* body) {
  return lens->launch(shape, body, UPSWEEP_HERE);
}
int upsweep_allocate(void** to, std::size_t bytes, std::size_t element, const char* text, int kind) {
  return lens->allocate(to, bytes, element, text, kind, UPSWEEP_HERE);
}
int upsweep_release(void* p, const char* call) { return lens->release(p, call, UPSWEEP_HERE); }
int upsweep_copy(void* to, const void* source, std::size_t bytes, int direction, const char* call) {
  return lens->copy(to, source, bytes, direction, call, UPSWEEP_HERE);
}
int upsweep_fill(void* to, int value, std::size_t bytes, const char* call) {
  return lens->fill(to, value, bytes, call, UPSWEEP_HERE);
}
void upsweep_say(const char* text) { lens->say(text); }

}  // extern "C"

// Before main, and before the lens is there: kept until it asks.
namespace {

struct symbol_seen {
  void* at;
  std::size_t bytes, element;
  const char* name;
  int kind;
} symbols[4096];
unsigned symbols_seen = 0;

}  // namespace

extern "C" void upsweep_symbol(void* at, std::size_t bytes, std::size_t element, const char* name, int kind) {
  if (symbols_seen < 4096) symbols[symbols_seen++] = {at, bytes, element, name, kind};
}
extern "C" void upsweep_lens_symbols() {
  for (unsigned i = 0; i < symbols_seen; ++i)
    lens->symbol(symbols[i].at, symbols[i].bytes, symbols[i].element, symbols[i].name, symbols[i].kind);
}

// ---- atomics: reported to the lens, then executed

namespace {

template <class T, class F>
T updated(T* at, const void* from, F f) {
  lens->access(at, sizeof(T), update, from);
  T before;
  std::memcpy(&before, at, sizeof before);
  const T after = f(before);
  if (std::memcmp(&before, &after, sizeof after) != 0) lens->stored();
  std::memcpy(at, &after, sizeof after);
  return before;
}

}  // namespace

using ull = unsigned long long;
#define UPSWEEP_ATOMIC(T, name, result)                                   \
  T name(T* at, T v) {                                                    \
    return updated(at, UPSWEEP_HERE, [v](T old) -> T { return result; }); \
  }
#define UPSWEEP_INTEGER_ATOMICS(T)                                                           \
  UPSWEEP_ATOMIC(T, atomicAdd, old + v)                                                      \
  UPSWEEP_ATOMIC(T, atomicSub, old - v)                                                      \
  UPSWEEP_ATOMIC(T, atomicMin, v < old ? v : old)                                            \
  UPSWEEP_ATOMIC(T, atomicMax, old < v ? v : old)                                            \
  UPSWEEP_ATOMIC(T, atomicAnd, old& v)                                                       \
  UPSWEEP_ATOMIC(T, atomicOr, old | v)                                                       \
  UPSWEEP_ATOMIC(T, atomicXor, old ^ v)                                                      \
  UPSWEEP_ATOMIC(T, atomicExch, ((void)old, v))                                              \
  T atomicCAS(T* at, T expected, T v) {                                                      \
    return updated(at, UPSWEEP_HERE, [=](T old) -> T { return old == expected ? v : old; }); \
  }
UPSWEEP_INTEGER_ATOMICS(int)
UPSWEEP_INTEGER_ATOMICS(unsigned)
UPSWEEP_INTEGER_ATOMICS(ull)
UPSWEEP_INTEGER_ATOMICS(long long)
UPSWEEP_ATOMIC(unsigned, atomicInc, old >= v ? 0 : old + 1)
UPSWEEP_ATOMIC(unsigned, atomicDec, old == 0 || old > v ? v : old - 1)
UPSWEEP_ATOMIC(float, atomicAdd, old + v)
UPSWEEP_ATOMIC(float, atomicExch, ((void)old, v))
UPSWEEP_ATOMIC(double, atomicAdd, old + v)
unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short v) {
  return updated(at, UPSWEEP_HERE, [=](unsigned short old) { return old == expected ? v : old; });
}
