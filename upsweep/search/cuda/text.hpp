// Searches on CUDA from files that nvcc does not compile, by tests, equalities and comparisons that carry their text
// (opencl/custom.hpp says how), of what lies in memory. NVRTC compiles the room's kernels with them (cuda/text.hpp).
#pragma once

#include <memory>
#include <string>

#include "upsweep/core/thread_end.hpp"
#include "upsweep/opencl/custom.hpp"
#include "upsweep/search/asking.hpp"

namespace upsweep::cuda {

struct kernel_text;  // cuda/nvrtc.hpp

// What one call asks, erased.
struct search_text {
  const char* call = nullptr;
  std::string before;    // the texts before search/cuda/by_text.cuh
  std::string relation;  // the type of what is asked, as the kernels have it
  mutable opencl::kept_program made = {};
};

// search/cuda/text.cpp; without CUDA in the build they throw (core/cuda_absent.cpp). All are enqueued; inputs as
// search_room::problem has them.
//   count_by_text  *out = of how many places it holds
//   first_by_text  *out = the first of `places`, or n
//   best_by_text   *out = the first place that none is better than
//   bounds_by_text out[i] for each of n queries, answers of so many bytes
void count_by_text(upsweep::device&, const search_text&, search_room::seek, memory in, memory in2, std::uint64_t places,
                   std::uint64_t m, memory out);
void first_by_text(upsweep::device&, const search_text&, search_room::seek, memory in, memory in2, std::uint64_t places,
                   std::uint64_t m, std::uint64_t n, memory out);
void best_by_text(upsweep::device&, const search_text&, memory in, std::uint64_t n, memory out);
void bounds_by_text(upsweep::device&, const search_text&, search_room::bound, memory sorted, std::uint64_t m,
                    memory queries, std::uint64_t n, memory out, std::size_t answer_bytes);
// What NVRTC is given for questions, for the best and for bounds.
kernel_text question_kernel_text(const search_text&, search_room::seek);
kernel_text best_kernel_text(const search_text&);
kernel_text bounds_kernel_text(const search_text&, search_room::bound, std::size_t answer_bytes);

// Whose text it is: a relation's own, or that of what it exchanges.
template <class F>
inline constexpr bool has_relation_text = opencl::has_opencl_text<F>;
template <class F>
inline constexpr bool has_relation_text<search_room::exchanged<F>> = has_relation_text<F>;
template <class T, class U, class F>
inline constexpr bool has_search_text =
    opencl::has_type_text<T> && opencl::has_type_text<U> &&
    (has_relation_text<F> ||
     (std::is_same_v<F, search_room::same> && std::is_same_v<T, U> && opencl::has_opencl_equality<T>));

template <class F>
std::string relation_text(const F& f) {
  return opencl::text_of(f);
}
template <class F>
std::string relation_text(const search_room::exchanged<F>& f) {
  return cuda::relation_text(f.less);
}
template <class F>
inline constexpr bool is_exchanged = false;
template <class F>
inline constexpr bool is_exchanged<search_room::exchanged<F>> = true;

// In this thread's next call with these types it is there, where the text is the same. Asks: which of the questions,
// since the kernels are made for one.
template <class T, class U, auto Asks, class F>
const search_text& search_by_text(const char* call, [[maybe_unused]] const F& f, bool of_one = false,
                                  bool negated = false) {
  struct last_call {
    std::string text;
    bool negated;
    search_text made;
  };
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::unique_ptr<last_call> last;
  std::string text;
  if constexpr (has_relation_text<F>)
    text = cuda::relation_text(f);
  else if constexpr (opencl::has_opencl_equality<T>)
    text = opencl_type<T>::equal;
  if (!last || last->text != text || last->negated != negated) {
    opencl::preamble p{call, opencl::compiler::cuda};
    const std::string of = p.type<T>(), with = p.type<U>();
    if (of_one)
      p.function("bool asked(const " + of + "& x)", "the test's text", text);
    else
      p.function("bool asked(const " + of + "& a, const " + with + "& b)",
                 std::is_same_v<F, search_room::same> ? "the equality's text" : "the relation's text", text);
    search_text s;
    s.before = std::move(p.text) + "#define T " + of + "\n#define U " + with + (of_one ? "\n#define TEST\n" : "\n");
    s.relation = "upsweep::text::relation";
    if (is_exchanged<F>) s.relation = "upsweep::search_room::exchanged<" + s.relation + ">";
    if (negated) s.relation = "upsweep::search_room::fails<" + s.relation + ">";
    last = std::make_unique<last_call>(last_call{std::move(text), negated, std::move(s)});
  }
  last->made.call = call;
  return last->made;
}

}  // namespace upsweep::cuda
