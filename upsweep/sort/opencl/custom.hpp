// Sorts by comparators that carry their text in OpenCL C (opencl/custom.hpp says how), on OpenCL of keys of any size,
// and on CUDA from files that nvcc does not compile.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "upsweep/core/thread_end.hpp"
#include "upsweep/opencl/custom.hpp"

namespace upsweep::opencl {

// The C++ types of one order, erased.
struct custom_order {
  const char* call = nullptr;
  std::string before;     // the text before sort/opencl/merge.cl: K and its order
  std::size_t bytes = 0;  // of a key
};

// n keys, and values of any size that follow them, or none: value_bytes 0. Each output may be its input. With `places`,
// of 4 or 8 bytes, the values written are the numbers of the keys, and none are read.
struct merge_problem {
  std::uint64_t n = 0;
  memory in, out;
  std::uint64_t value_bytes = 0;
  memory values_in, values_out;
  bool places = false, checked = false;
};

// sort/opencl/merge.cpp; without OpenCL in the build they throw (core/opencl_absent.cpp). merge_sort and merge_two are
// enqueued; but a checked sort is waited for, and throws where the comparator is no strict weak order; first_break
// waits for its answer.
void merge_sort(upsweep::device&, const custom_order&, const merge_problem&);
void merge_two(upsweep::device&, const custom_order&, memory a, std::uint64_t a_size, memory b, std::uint64_t b_size,
               memory out);
// The first i with key i before key i - 1, or n.
std::uint64_t first_break(upsweep::device&, const custom_order&, memory in, std::uint64_t n);

template <class K, compiler Of = compiler::opencl, class Compare>
custom_order order_of(const char* call, [[maybe_unused]] const Compare& compare) {
  preamble p{call, Of};
  custom_order o;
  // Elements lie where they were loaded; in C++ they are compared there.
  const std::string key = p.type<K>(), taken = Of == compiler::cuda ? "const " + key + "&" : key;
  if constexpr (has_opencl_text<Compare>)
    p.function("bool stands_before(" + taken + " a, " + taken + " b)", "the comparator's text",
               opencl::text_of(compare));
  else
    throw needs_text(call, "this comparator",
                     "give it `static constexpr const char* opencl`, an expression in a and b, or use a CPU context");
  o.call = call, o.bytes = sizeof(K);
  o.before = std::move(p.text) + "#define K " + key + "\n";
  return o;
}

}  // namespace upsweep::opencl

namespace upsweep::cuda {

template <class K, class Compare>
inline constexpr bool has_order_text = opencl::has_type_text<K> && opencl::has_opencl_text<Compare>;

// What NVRTC compiles at once: all that one call needs.
enum class order_program : std::uint8_t { sort_few, sort_some, sort_many, split_wide, merge_two, find_break };

// An order; in this thread's next call with these types it is there, where the text is the same.
struct kept_order {
  static constexpr std::size_t widths = 5;  // of values: none, 1, 2, 4 and 8 bytes
  std::string text;
  opencl::custom_order order;
  mutable std::array<opencl::kept_program, 6 * widths> made{};
};
template <class K, class Compare>
const kept_order& order_by_text(const char* call, const Compare& compare) {
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::unique_ptr<kept_order> last;
  std::string text = opencl::text_of(compare);
  if (!last || last->text != text)
    last = std::make_unique<kept_order>(
        kept_order{std::move(text), opencl::order_of<K, opencl::compiler::cuda>(call, compare)});
  last->order.call = call;
  return *last;
}

// sort/cuda/text.cpp; without CUDA in the build they throw (core/cuda_absent.cpp). sort_by_text and merge_by_text are
// enqueued; but a checked sort is waited for, and throws where the comparator is no strict weak order;
// first_break_by_text waits for its answer: the first i with key i before key i - 1, or n. Elements of more than 1272
// bytes are refused.
void sort_by_text(upsweep::device&, const kept_order&, const opencl::merge_problem&);
void merge_by_text(upsweep::device&, const kept_order&, memory a, std::uint64_t n, memory b, std::uint64_t m,
                   memory out);
std::uint64_t first_break_by_text(upsweep::device&, const kept_order&, memory in, std::uint64_t n);
// What NVRTC is given for it, with values of that many bytes.
struct kernel_text;  // cuda/nvrtc.hpp
kernel_text order_kernel_text(const opencl::custom_order&, order_program, std::uint64_t value_bytes = 0);

}  // namespace upsweep::cuda
