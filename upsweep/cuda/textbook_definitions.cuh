// Definitions that the textbook variants are written with. A textbook variant is ordinary CUDA and includes only this
// file, or textbook_cooperative_groups.cuh in its place. Its names that are not CUDA are
//
//   global<T>                          a pointer to global memory: T*
//   UPSWEEP_SHARED(T, cells, count);   __shared__ T cells[count];
//   UPSWEEP_DYNAMIC_SHARED(T, cells);  extern __shared__ T cells[], as many bytes as the launch requests
//   UPSWEEP_CONSTANT(T, name, count){values};   static __constant__ T name[count]{values};
//   grid.fill_constant(name, from, count)       fills it from global memory, in the stream's order
//   shared_pointer<T>                  a pointer to shared memory: T*
//   store_release, load_acquire        a flag in global memory that one block raises and another waits for
//   store_relaxed, load_relaxed        a flag that carries no other data
//   grid.launch(kernel, blocks, threads, arguments...)   kernel<<<blocks, threads>>>(arguments...) on the stream,
//                                                        checked
//   grid.launch_with_shared(bytes, kernel, blocks, threads, arguments...)   with <<<blocks, threads, bytes>>>
//   grid.scratch<T>(name, count), grid.copy(to, from, count)
//
// They cost nothing at run time. A textbook variant also runs on another machine (for example an emulator) if
// UPSWEEP_MACHINE names a header that redefines these names and CUDA's own.
//
// A textbook variant describes itself to the catalog by the members of `variant_defaults` and by name, year, source,
// teaches, work, span, launches, traffic and run(). Its work is exact, padding included: a count of the operator's
// applications gives the same number. Its span is the longest chain of dependent applications; where blocks are not
// full it may be a few too large, never too small. A description that begins with "at least" means that the rest
// depends on timing; one with "at most" means that it depends on the elements' values. A variant of sort, select or
// histogram takes its order, predicate or bins instead of an operator. Each comparison, digit, test or bin is a unit
// of work, and so is each addition in its scans of counts. Its span counts steps that follow each other in one thread
// or across a barrier, and `cannot` lists unsupported problems. A variant's traffic is what warps request from global
// memory; lanes that read one element together read it once. Where n alone does not determine the amounts, as for a
// convolution, the formulas hold for one mask, and counts_of(problem) returns the four numbers of any problem.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "upsweep/core/catalog.hpp"

#if defined(UPSWEEP_MACHINE)
#include UPSWEEP_MACHINE
#else

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/cuda/schedule_fuzzing.cuh"

#if defined(UPSWEEP_LENS_SHARED)  // the library's build for the lens
#define UPSWEEP_CONSTANT UPSWEEP_LENS_CONSTANT
#define UPSWEEP_SHARED UPSWEEP_LENS_SHARED
#define UPSWEEP_DYNAMIC_SHARED UPSWEEP_LENS_DYNAMIC_SHARED
#else
#define UPSWEEP_CONSTANT(T, name, count) static __constant__ T name[count]
#define UPSWEEP_SHARED(T, cells, count) __shared__ T cells[count]
// One name has one type in all instantiations, hence bytes.
#define UPSWEEP_DYNAMIC_SHARED(T, cells)                         \
  extern __shared__ __align__(16) unsigned char cells##_bytes[]; \
  T* const cells = reinterpret_cast<T*>(cells##_bytes)
#endif

namespace upsweep::textbook {

template <class T>
using global = T*;
template <class T>
using shared_pointer = T*;

// A thread that sees the flag by load_acquire also sees all writes before the matching store_release.
__device__ inline void store_release(global<std::uint32_t> flag, std::uint32_t value) {
  upsweep::cuda::may_doze();
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(value) : "memory");
}
__device__ inline std::uint32_t load_acquire(global<std::uint32_t> flag) {
  upsweep::cuda::may_doze();
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(flag)) : "memory");
  return value;
}
__device__ inline void store_relaxed(global<std::uint32_t> flag, std::uint32_t value) {
  upsweep::cuda::may_doze();
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(value) : "memory");
}
__device__ inline std::uint32_t load_relaxed(global<std::uint32_t> flag) {
  upsweep::cuda::may_doze();
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(flag)) : "memory");
  return value;
}

// CUDA has it only for unsigned long long; std::uint64_t is unsigned long.
using ::atomicAdd;
__device__ inline std::uint64_t atomicAdd(global<std::uint64_t> p, std::uint64_t value) {
  return ::atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
}

// Launches a textbook variant's kernels on the device's stream, one after the other.
class stream_grid {
 public:
  explicit stream_grid(upsweep::cuda::device& d) : device_(d) { d.make_current(); }
  ~stream_grid() {
    if (turn_) cudaEventRecord(constants().read.at(device_.index()), device_.stream());
  }
  stream_grid(const stream_grid&) = delete;
  stream_grid& operator=(const stream_grid&) = delete;

  template <class... Parameters>
  void launch(void (*kernel)(Parameters...), std::uint64_t blocks, unsigned threads,
              std::type_identity_t<Parameters>... arguments) {
    launch_with_shared(0, kernel, blocks, threads, arguments...);
  }

  // More than 48 KiB must first be allowed with cudaFuncSetAttribute.
  template <class... Parameters>
  void launch_with_shared(unsigned bytes, void (*kernel)(Parameters...), std::uint64_t blocks, unsigned threads,
                          std::type_identity_t<Parameters>... arguments) {
    kernel<<<static_cast<unsigned>(blocks), threads, bytes, device_.stream()>>>(arguments...);
    upsweep::cuda::check(cudaGetLastError(), "launching a textbook variant's kernel");
  }

  template <class T>
  global<T> scratch(std::string_view name, std::uint64_t count) {
    return device_.scratch("textbook/" + std::string(name), count * sizeof(T)).template as<T>();
  }

  template <class T, std::size_t size>
  void fill_constant(const T (&symbol)[size], global<const std::type_identity_t<T>> from, std::uint64_t count) {
    take_turn();
    upsweep::cuda::check(
        cudaMemcpyToSymbolAsync(symbol, from, count * sizeof(T), 0, cudaMemcpyDeviceToDevice, device_.stream()),
        "filling a textbook variant's constants");
  }

  template <class T>
  void copy(global<T> to, global<const std::type_identity_t<T>> from, std::uint64_t count) {
    device_.copy({to, 0}, {const_cast<T*>(from), 0}, count * sizeof(T));
  }

 private:
  // A GPU has one instance of a constant array for all its streams. The copy that fills it waits for all kernels that
  // read the previous contents, and no other thread fills it until the variant is enqueued.
  struct constant_turns {
    std::mutex lock;
    std::map<int, cudaEvent_t> read;  // by GPU
  };
  static constant_turns& constants() {
    static constant_turns all;
    return all;
  }
  void take_turn() {
    if (turn_) return;
    device_.require_no_capture("a textbook variant that fills constant memory");
    std::unique_lock turn(constants().lock);
    cudaEvent_t& read = constants().read[device_.index()];
    if (read)
      upsweep::cuda::check(cudaStreamWaitEvent(device_.stream(), read, 0), "filling a textbook variant's constants");
    else
      upsweep::cuda::check(cudaEventCreateWithFlags(&read, cudaEventDisableTiming),
                           "filling a textbook variant's constants");
    turn_ = std::move(turn);
  }

  upsweep::cuda::device& device_;
  std::unique_lock<std::mutex> turn_;
};

}  // namespace upsweep::textbook

#endif

namespace upsweep::textbook {

inline constexpr unsigned whole_warp = 0xffffffff;              // the mask of all 32 lanes
inline constexpr std::uint64_t most_blocks = (1ull << 31) - 1;  // in one launch

constexpr std::uint64_t blocks_for(std::uint64_t n, std::uint64_t section) { return (n + section - 1) / section; }

constexpr unsigned log2_of(std::uint64_t power) { return static_cast<unsigned>(std::bit_width(power) - 1); }

inline double log2_up(double n) { return n > 1 ? std::ceil(std::log2(n)) : 0; }
inline double ceil_div(double n, double section) { return std::ceil(n / section); }

struct variant_defaults {
  static constexpr bool keeps_order = true;  // takes operators that do not commute
  static constexpr std::uint64_t max_n = ~std::uint64_t{0};
  static constexpr std::string_view limits = "";
};

// Textbook variants take no initial value. One small kernel folds it in at the end if it is not the operator's
// identity.
template <class T, class Op>
__global__ void fold_init(global<T> out, std::uint64_t n, T init, Op op) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = op(init, out[i]);
}

template <class T>
__global__ void clear_cells(global<T> cells, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) cells[i] = 0;
}

// Stores the result of a reduction of an empty input.
template <class T>
__global__ void store_init(global<T> out, T init) {
  out[0] = init;
}

}  // namespace upsweep::textbook
