// Searches on OpenCL by tests, equalities and comparisons that carry their text in OpenCL C (opencl/custom.hpp says
// how), of what lies in memory.
#pragma once

#include "upsweep/search/cuda/text.hpp"

namespace upsweep::opencl {

// What one call asks, erased.
struct search_text {
  const char* call = nullptr;
  std::string before;  // the text before search/opencl/search.cl: ELEMENT, OTHER and TEXT
  bool negated = false;
  std::size_t bytes = 0, other_bytes = 0;  // of both inputs' elements
};

// search/opencl/text.cpp; without OpenCL in the build they throw (core/opencl_absent.cpp). All are enqueued, and are
// what those of search/cuda/text.hpp are.
void count_by_text(upsweep::device&, const search_text&, search_room::seek, memory in, memory in2, std::uint64_t places,
                   std::uint64_t m, memory out);
void first_by_text(upsweep::device&, const search_text&, search_room::seek, memory in, memory in2, std::uint64_t places,
                   std::uint64_t m, std::uint64_t n, memory out);
void best_by_text(upsweep::device&, const search_text&, memory in, std::uint64_t n, memory out);
void bounds_by_text(upsweep::device&, const search_text&, search_room::bound, memory sorted, std::uint64_t m,
                    memory queries, std::uint64_t n, memory out, std::size_t answer_bytes);

template <class T, class U, class F>
search_text search_by_text(const char* call, [[maybe_unused]] const F& f, bool of_one = false, bool negated = false) {
  std::string text;
  if constexpr (cuda::has_relation_text<F>)
    text = cuda::relation_text(f);
  else if constexpr (has_opencl_equality<T>)
    text = opencl_type<T>::equal;
  preamble p{call};
  const std::string of = p.type<T>(), with = p.type<U>();
  if (of_one)
    p.function("bool asked(" + of + " x)", "the test's text", text);
  else
    p.function("bool asked(" + of + " a, " + with + " b)",
               std::is_same_v<F, search_room::same> ? "the equality's text" : "the relation's text", text);
  search_text s{call, std::move(p.text), negated, sizeof(T), sizeof(U)};
  s.before += "typedef " + of + " ELEMENT;\ntypedef " + with + " OTHER;\n#define TEXT " +
              (of_one                  ? "1"
               : cuda::is_exchanged<F> ? "3"
                                       : "2");
  return s;
}

}  // namespace upsweep::opencl
