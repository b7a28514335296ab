// Searches of memory on OpenCL by tests, equalities and comparisons with a device source in OpenCL C
// (opencl/opencl_jit.hpp).
#pragma once

#include "upsweep/search/cuda/search_cuda_jit.hpp"

namespace upsweep::opencl {

// The type-erased search of one call.
struct search_source {
  const char* call = nullptr;
  std::string before;  // the device source before search/opencl/search_opencl.cl: ELEMENT, OTHER and USER_SOURCE
  bool negated = false;
  std::size_t bytes = 0, other_bytes = 0;  // of both inputs' elements
};

// search/opencl/search_opencl_jit.cpp; without OpenCL in the build they throw (core/opencl_absent.cpp). All are
// enqueued, and are what those of search/cuda/search_cuda_jit.hpp are.
void count_jit(upsweep::device&, const search_source&, detail::search_impl::seek, memory in, memory in2,
               std::uint64_t places, std::uint64_t m, memory out);
void first_jit(upsweep::device&, const search_source&, detail::search_impl::seek, memory in, memory in2,
               std::uint64_t places, std::uint64_t m, std::uint64_t n, memory out);
void best_jit(upsweep::device&, const search_source&, memory in, std::uint64_t n, memory out);
void bounds_jit(upsweep::device&, const search_source&, detail::search_impl::bound, memory sorted, std::uint64_t m,
                memory queries, std::uint64_t n, memory out, std::size_t answer_bytes);

template <class T, class U, class F>
search_source search_jit(const char* call, [[maybe_unused]] const F& f, bool of_one = false, bool negated = false) {
  std::string source;
  if constexpr (cuda::has_relation_source<F>)
    source = cuda::relation_source(f);
  else if constexpr (has_opencl_equality<T>)
    source = opencl_type<T>::equal;
  preamble p{call};
  const std::string of = p.type<T>(), with = p.type<U>();
  if (of_one)
    p.function("bool asked(" + of + " x)", "the test's source", source);
  else
    p.function("bool asked(" + of + " a, " + with + " b)",
               std::is_same_v<F, detail::search_impl::same> ? "the equality's source" : "the relation's source",
               source);
  search_source s{call, std::move(p.source), negated, sizeof(T), sizeof(U)};
  s.before += "typedef " + of + " ELEMENT;\ntypedef " + with + " OTHER;\n#define USER_SOURCE " +
              (of_one                  ? "1"
               : cuda::is_exchanged<F> ? "3"
                                       : "2");
  return s;
}

}  // namespace upsweep::opencl
