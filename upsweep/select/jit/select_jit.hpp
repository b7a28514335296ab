// Selections by predicates and equalities with device source (jit/jit.hpp), of elements of any size: on OpenCL, and on
// CUDA from files that nvcc does not compile.
#pragma once

#include <initializer_list>
#include <memory>

#include "upsweep/core/operands.hpp"
#include "upsweep/core/thread_exit.hpp"
#include "upsweep/jit/jit.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::opencl {

// Type-erased predicates of one element, or an equality of two.
struct question {
  std::string before;     // the device source before select/opencl/select_predicate_classes.cl
  std::size_t bytes = 0;  // of an element
};

// Elements that move by their classes; without an input their indices do, as u64.
struct moved_elements {
  memory in, out;
  std::size_t bytes = 0;
};

// The predicates, the n elements, the kind of selection, and the destination of the count.
struct selection_jit {
  const char* call = nullptr;
  question asked;
  memory in;
  std::uint64_t n = 0;
  detail::select_impl::selection how = detail::select_impl::selection::where;
  memory count;
  bool negated = false;  // of one test: what fails is kept
};

// select/opencl/select_opencl_jit.cpp; without OpenCL in the build they throw (select_jit_absent.cpp). All are
// enqueued.
//   select_by        moves what is kept of each
//   select_by_flags  the same where p.in3, a byte an element, is not zero; p's elements have that size
//   run_lengths_by   the first of each run of s.in's elements to `out`, and its length to `lengths`
void select_by(upsweep::device&, const selection_jit& s, std::initializer_list<moved_elements> moved);
void select_by_flags(upsweep::device&, const char* call, const detail::select_impl::problem& p,
                     std::size_t element_bytes);
void run_lengths_by(upsweep::device&, const selection_jit& s, memory out, memory lengths);

inline void add_test(preamble& p, const std::string& type, const char* name, const std::string& source) {
  p.function("bool " + std::string(name) + "(" + type + " x)", "the test's source", source);
}

template <class Test>
std::string source_of_test(const char* call, [[maybe_unused]] const Test& test) {
  if constexpr (has_source<Test>) {
    return opencl::source_of(test);
  } else {
    core::throw_error(
        needs_source(call, "this test", "give it `static constexpr const char* source`, an expression in x"));
  }
}

template <class T, compiler Of = compiler::opencl, class... Tests>
question ask(const char* call, const Tests&... tests) {
  preamble p{call, Of};
  question q;
  const std::string type = p.type<T>();
  constexpr const char* names[]{"first", "second"};
  int k = 0;
  (opencl::add_test(p, type, names[k++], opencl::source_of_test(call, tests)), ...);
  p.source += "#define T " + type + (sizeof...(Tests) == 2 ? "\n#define SECOND" : "");
  q.before = std::move(p.source), q.bytes = sizeof(T);
  return q;
}

// Whether neighbours are equal: as their type's device source says, or by an equality with its own.
template <class T, compiler Of = compiler::opencl, class Equal>
question ask_neighbours(const char* call, [[maybe_unused]] const Equal& equal) {
  preamble p{call, Of};
  question q;
  const std::string type = p.type<T>(), head = "bool same(" + type + " a, " + type + " b)";
  if constexpr (has_source<Equal>)
    p.function(head, "the equality's source", opencl::source_of(equal));
  else if constexpr (!std::same_as<Equal, core::equals>)
    core::throw_error(
        needs_source(call, "this equality", "give it `static constexpr const char* source`, an expression in a and b"));
  else if constexpr (named_in_cuda<T> || std::same_as<T, bool>)  // no device source of the user's
    p.function(head, "the equality's source", "a == b");
  else if constexpr (has_opencl_equality<T>)
    p.function(head, "the equality's source", opencl_type<T>::equal);
  else
    core::throw_error(needs_source(call, "the equality of this element type",
                                   "give its upsweep::opencl_type `equal` as well, an expression in a and b"));
  p.source += "#define EQUALITY\n#define T " + type;
  q.before = std::move(p.source), q.bytes = sizeof(T);
  return q;
}

}  // namespace upsweep::opencl

namespace upsweep::cuda {

// Selections on CUDA, where NVRTC compiles the algorithm's kernels with the predicates:
// select/cuda/select_cuda_jit.cpp; without CUDA in the build this throws (select_jit_absent.cpp). Enqueued. Of s.in's
// elements those kept go to `out`, and those that fail a predicate go to `rest`, if given.
//
// Values of any size move with the elements, or, without an input, the elements' own indices, u64; the elements
// themselves then need no output. Alternatively flags select, or the lengths of runs are written to moved.out.
struct beside_selected {
  opencl::moved_elements moved = {};
  std::size_t align = 1;  // of moved.in
  bool run_lengths = false;
  memory flags = {}, rest = {};  // rest: of moved.in, those that fail a predicate, if given
};
void select_by(upsweep::device&, const opencl::selection_jit& s, memory out, memory rest = {},
               opencl::kept_program* = nullptr, const beside_selected& = {});
// The input of NVRTC for a selection, for a given limit of a block's shared memory.
struct kernel_source;  // cuda/nvrtc.hpp
kernel_source select_kernel_source(const opencl::selection_jit& s, std::uint64_t shared_limit, bool two_outputs = false,
                                   const beside_selected& = {});

// The compiled predicates, kept for this thread's next call with these types and equal sources. Beside: the type of
// the values that move with the elements, on which the kernels depend too.
struct kept_question {
  std::string sources;
  opencl::question asked;
  opencl::kept_program made;
};
template <class T, class Beside = void, class... Tests>
kept_question& question_jit(const char* call, const Tests&... tests) {
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::unique_ptr<kept_question> last;
  std::string sources;
  ((sources += opencl::source_of(tests), sources += '\n'), ...);
  if (!last || last->sources != sources)
    last = std::make_unique<kept_question>(
        kept_question{std::move(sources), opencl::ask<T, opencl::compiler::cuda>(call, tests...), {}});
  return *last;
}

// Like question_jit(), for an equality of neighbours.
template <class T, class Beside, class Equal>
kept_question& neighbours_jit(const char* call, const Equal& equal) {
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::unique_ptr<kept_question> last;
  std::string source;
  if constexpr (opencl::has_source<Equal>) source = opencl::source_of(equal);
  if (!last || last->sources != source)
    last = std::make_unique<kept_question>(
        kept_question{std::move(source), opencl::ask_neighbours<T, opencl::compiler::cuda>(call, equal), {}});
  return *last;
}
// By flags, of elements of which only the size is known.
template <class T>
kept_question& flags_jit() {
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local kept_question last{{},
                                  {"#define FLAGS\n#define T upsweep::jit::bytes<" + std::to_string(sizeof(T)) + ", " +
                                       std::to_string(alignof(T)) + ">",
                                   sizeof(T)},
                                  {}};
  return last;
}

template <class T, class... Tests>
inline constexpr bool has_tests_source = opencl::has_type_source<T> && (opencl::has_source<Tests> && ...);
template <class T>
inline constexpr bool has_equality_source =  // the type's own equality
    opencl::has_type_source<T> && (opencl::named_in_cuda<T> || std::same_as<T, bool> || opencl::has_opencl_equality<T>);

}  // namespace upsweep::cuda
