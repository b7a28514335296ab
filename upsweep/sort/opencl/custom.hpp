// Sorts on OpenCL by comparators that carry their text in OpenCL C (opencl/custom.hpp says how), of keys of any size.
#pragma once

#include "upsweep/opencl/custom.hpp"

namespace upsweep::opencl {

// The C++ types of one order, erased.
struct custom_order {
  const char* call = nullptr;
  std::string before;     // the text before sort/opencl/merge.cl: K and its order
  std::size_t bytes = 0;  // of a key
};

// n keys, and values of any size that follow them, or none: value_bytes 0. Each output may be its input.
struct merge_problem {
  std::uint64_t n = 0;
  memory in, out;
  std::uint64_t value_bytes = 0;
  memory values_in, values_out;
  bool checked = false;
};

// sort/opencl/merge.cpp; without OpenCL in the build they throw (core/opencl_absent.cpp). merge_sort and merge_two are
// enqueued; but a checked sort is waited for, and throws where the comparator is no strict weak order; first_break
// waits for its answer.
void merge_sort(upsweep::device&, const custom_order&, const merge_problem&);
void merge_two(upsweep::device&, const custom_order&, memory a, std::uint64_t a_size, memory b, std::uint64_t b_size,
               memory out);
// The first i with key i before key i - 1, or n.
std::uint64_t first_break(upsweep::device&, const custom_order&, memory in, std::uint64_t n);

template <class K, class Compare>
custom_order order_of(const char* call, [[maybe_unused]] const Compare& compare) {
  preamble p{call};
  custom_order o;
  const std::string key = p.type<K>();
  if constexpr (has_opencl_text<Compare>)
    p.function("bool stands_before(" + key + " a, " + key + " b)", "the comparator's text", opencl::text_of(compare));
  else
    throw needs_text(call, "this comparator",
                     "give it `static constexpr const char* opencl`, an expression in a and b, or use a CPU context");
  o.call = call, o.bytes = sizeof(K);
  o.before = std::move(p.text) + "#define K " + key + "\n";
  return o;
}

}  // namespace upsweep::opencl
