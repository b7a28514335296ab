// Sorts by comparators with device source (jit/jit.hpp): on OpenCL for keys of any size, and on CUDA from files that
// nvcc does not compile.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/jit/jit.hpp"

namespace upsweep::opencl {

// The C++ types of one order, type-erased.
struct custom_order {
  const char* call = nullptr;
  std::string before;     // the device source before sort/opencl/sort_opencl_merge.cl: K and its order
  std::size_t bytes = 0;  // of a key
};

// n keys, and values of any size that follow them, or none: value_bytes 0. Each output may be its input. With
// `places`, of 4 or 8 bytes, the keys' indices are written as values, and no values are read.
struct merge_problem {
  std::uint64_t n = 0;
  memory in, out;
  std::uint64_t value_bytes = 0;
  memory values_in, values_out;
  bool places = false, checked = false;
};

// sort/opencl/sort_opencl_merge.cpp; without OpenCL in the build they throw (sort_jit_absent.cpp). merge_sort and
// merge_two are enqueued; but a checked sort waits, and throws if the comparator is not a strict weak order;
// first_break waits for its result.
void merge_sort(upsweep::device&, const custom_order&, const merge_problem&);
void merge_two(upsweep::device&, const custom_order&, memory a, std::uint64_t a_size, memory b, std::uint64_t b_size,
               memory out);
// The first i with key i before key i - 1, or n.
std::uint64_t first_break(upsweep::device&, const custom_order&, memory in, std::uint64_t n);

template <class K, compiler Of = compiler::opencl, class Compare>
custom_order order_of(const char* call, [[maybe_unused]] const Compare& compare) {
  preamble p{call, Of};
  custom_order o;
  // C++ compares elements in place, by reference.
  const std::string key = p.type<K>(), taken = Of == compiler::cuda ? "const " + key + "&" : key;
  if constexpr (has_source<Compare>)
    p.function("bool compare_less(" + taken + " a, " + taken + " b)", "the comparator's source",
               opencl::source_of(compare));
  else
    core::throw_error(
        needs_source(call, "this comparator",
                     "give it `static constexpr const char* source`, an expression in a and b, or use a CPU context"));
  o.call = call, o.bytes = sizeof(K);
  o.before = std::move(p.source) + "#define K " + key + "\n";
  return o;
}

}  // namespace upsweep::opencl

namespace upsweep::cuda {

template <class K, class Compare>
inline constexpr bool has_order_source = opencl::has_type_source<K> && opencl::has_source<Compare>;

// The programs that NVRTC compiles: each has all the kernels of one call.
enum class order_program : std::uint8_t { sort_few, sort_some, sort_many, split_wide, merge_two, find_break };

// An order, kept for this thread's next call with these types and an equal device source.
struct kept_order {
  static constexpr std::size_t widths = 5;  // of values: none, 1, 2, 4 and 8 bytes
  std::string source;
  opencl::custom_order order;
  mutable std::array<opencl::kept_program, 6 * widths> made{};
};
template <class K, class Compare>
const kept_order& order_jit(const char* call, const Compare& compare) {
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::unique_ptr<kept_order> last;
  std::string source = opencl::source_of(compare);
  if (!last || last->source != source)
    last = std::make_unique<kept_order>(
        kept_order{std::move(source), opencl::order_of<K, opencl::compiler::cuda>(call, compare)});
  last->order.call = call;
  return *last;
}

// sort/cuda/sort_cuda_jit.cpp; without CUDA in the build they throw (sort_jit_absent.cpp). sort_jit and
// merge_jit are enqueued; but a checked sort waits, and throws if the comparator is not a strict weak order;
// first_break_jit waits for its result: the first i with key i before key i - 1, or n. Elements of more than 1272
// bytes are rejected.
void sort_jit(upsweep::device&, const kept_order&, const opencl::merge_problem&);
void merge_jit(upsweep::device&, const kept_order&, memory a, std::uint64_t n, memory b, std::uint64_t m, memory out);
std::uint64_t first_break_jit(upsweep::device&, const kept_order&, memory in, std::uint64_t n);
// The input of NVRTC for that program, with values of that many bytes.
struct kernel_source;  // cuda/nvrtc.hpp
kernel_source order_kernel_source(const opencl::custom_order&, order_program, std::uint64_t value_bytes = 0);

}  // namespace upsweep::cuda
