// Searches of memory by tests, equalities and comparisons with device source (jit/jit.hpp): on OpenCL, and on CUDA from
// files that nvcc does not compile, where NVRTC compiles the algorithm's kernels with them (cuda/cuda_jit.hpp).
#pragma once

#include <memory>
#include <string>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/jit/jit.hpp"
#include "upsweep/search/search_condition_inputs.hpp"

namespace upsweep::cuda {

struct kernel_source;  // cuda/nvrtc.hpp

// The type-erased search of one call.
struct search_source {
  const char* call = nullptr;
  std::string before;    // the device source before search/cuda/search_cuda_jit_kernels.cuh
  std::string relation;  // the type of the condition in the kernels
  mutable opencl::kept_program made = {};
};

// search/cuda/search_cuda_jit.cpp; without CUDA in the build they throw (search_jit_absent.cpp). All are enqueued;
// inputs as detail::search_impl::problem has them.
//   count_jit  *out = of how many places it holds
//   first_jit  *out = the first of `places`, or n
//   best_jit   *out = the first place that none is better than
//   bounds_jit out[i] for each of n queries, answers of so many bytes
void count_jit(upsweep::device&, const search_source&, detail::search_impl::seek, memory in, memory in2,
               std::uint64_t places, std::uint64_t m, memory out);
void first_jit(upsweep::device&, const search_source&, detail::search_impl::seek, memory in, memory in2,
               std::uint64_t places, std::uint64_t m, std::uint64_t n, memory out);
void best_jit(upsweep::device&, const search_source&, memory in, std::uint64_t n, memory out);
void bounds_jit(upsweep::device&, const search_source&, detail::search_impl::bound, memory sorted, std::uint64_t m,
                memory queries, std::uint64_t n, memory out, std::size_t answer_bytes);
// The input of NVRTC for conditions, for the extremes and for bounds.
kernel_source question_kernel_source(const search_source&, detail::search_impl::seek);
kernel_source best_kernel_source(const search_source&);
kernel_source bounds_kernel_source(const search_source&, detail::search_impl::bound, std::size_t answer_bytes);

// Whether a relation has a device source, of its own or, if it exchanges operands, of the relation it wraps.
template <class F>
inline constexpr bool has_relation_source = opencl::has_source<F>;
template <class F>
inline constexpr bool has_relation_source<detail::search_impl::exchanged<F>> = has_relation_source<F>;
template <class T, class U, class F>
inline constexpr bool has_search_source =
    opencl::has_type_source<T> && opencl::has_type_source<U> &&
    (has_relation_source<F> ||
     (std::is_same_v<F, detail::search_impl::same> && std::is_same_v<T, U> && opencl::has_opencl_equality<T>));

template <class F>
std::string relation_source(const F& f) {
  return opencl::source_of(f);
}
template <class F>
std::string relation_source(const detail::search_impl::exchanged<F>& f) {
  return cuda::relation_source(f.less);
}
template <class F>
inline constexpr bool is_exchanged = false;
template <class F>
inline constexpr bool is_exchanged<detail::search_impl::exchanged<F>> = true;

// Kept for this thread's next call with these types and an equal device source. Asks: the kind of condition, since
// the kernels are compiled for one.
template <class T, class U, auto Asks, class F>
const search_source& search_jit(const char* call, [[maybe_unused]] const F& f, bool of_one = false,
                                bool negated = false) {
  struct last_call {
    std::string source;
    bool negated;
    search_source made;
  };
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::unique_ptr<last_call> last;
  std::string source;
  if constexpr (has_relation_source<F>)
    source = cuda::relation_source(f);
  else if constexpr (opencl::has_opencl_equality<T>)
    source = opencl_type<T>::equal;
  if (!last || last->source != source || last->negated != negated) {
    opencl::preamble p{call, opencl::compiler::cuda};
    const std::string of = p.type<T>(), with = p.type<U>();
    if (of_one)
      p.function("bool asked(const " + of + "& x)", "the test's source", source);
    else
      p.function("bool asked(const " + of + "& a, const " + with + "& b)",
                 std::is_same_v<F, detail::search_impl::same> ? "the equality's source" : "the relation's source",
                 source);
    search_source s;
    s.before = std::move(p.source) + "#define T " + of + "\n#define U " + with + (of_one ? "\n#define TEST\n" : "\n");
    s.relation = "upsweep::jit::relation";
    if (is_exchanged<F>) s.relation = "upsweep::detail::search_impl::exchanged<" + s.relation + ">";
    if (negated) s.relation = "upsweep::detail::search_impl::fails<" + s.relation + ">";
    last = std::make_unique<last_call>(last_call{std::move(source), negated, std::move(s)});
  }
  last->made.call = call;
  return last->made;
}

}  // namespace upsweep::cuda

namespace upsweep::opencl {

// The type-erased search of one call.
struct search_source {
  const char* call = nullptr;
  std::string before;  // the device source before search/opencl/search_opencl.cl: ELEMENT, OTHER and USER_SOURCE
  bool negated = false;
  std::size_t bytes = 0, other_bytes = 0;  // of both inputs' elements
};

// search/opencl/search_opencl_jit.cpp; without OpenCL in the build they throw (search_jit_absent.cpp). All are
// enqueued and give the same results as the functions in namespace cuda above.
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
