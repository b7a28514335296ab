// Selections on OpenCL by tests and equalities that carry their text in OpenCL C (opencl/custom.hpp says how), and of
// elements of any size.
#pragma once

#include <initializer_list>
#include <memory>

#include "upsweep/core/operands.hpp"
#include "upsweep/core/thread_end.hpp"
#include "upsweep/opencl/custom.hpp"
#include "upsweep/select/problem.hpp"

namespace upsweep::opencl {

// What is asked about elements, erased: tests of one, or whether two are equal.
struct question {
  std::string before;     // the text before select/opencl/classes.cl
  std::size_t bytes = 0;  // of an element
};

// Elements that go where their classes say; without an input their places do, as u64.
struct moved_elements {
  memory in, out;
  std::size_t bytes = 0;
};

// What is asked, of which n elements, how they are sorted, and where the count goes.
struct selection_by_text {
  const char* call = nullptr;
  question asked;
  memory in;
  std::uint64_t n = 0;
  select_room::selection how = select_room::selection::where;
  memory count;
  bool negated = false;  // of one test: what fails is kept
};

// select/opencl/custom.cpp; without OpenCL in the build they throw (core/opencl_absent.cpp). All are enqueued.
//   select_by        moves what is kept of each
//   select_by_flags  the same where p.in3, a byte an element, is not zero; p's elements have that size
//   run_lengths_by   the first of each run of s.in's elements to `out`, and its length to `lengths`
void select_by(upsweep::device&, const selection_by_text& s, std::initializer_list<moved_elements> moved);
void select_by_flags(upsweep::device&, const char* call, const select_room::problem& p, std::size_t element_bytes);
void run_lengths_by(upsweep::device&, const selection_by_text& s, memory out, memory lengths);

inline void add_test(preamble& p, const std::string& type, const char* name, const std::string& text) {
  p.function("bool " + std::string(name) + "(" + type + " x)", "the test's text", text);
}

template <class Test>
std::string text_of_test(const char* call, [[maybe_unused]] const Test& test) {
  if constexpr (has_opencl_text<Test>) {
    return opencl::text_of(test);
  } else {
    throw needs_text(call, "this test", "give it `static constexpr const char* opencl`, an expression in x");
  }
}

template <class T, compiler Of = compiler::opencl, class... Tests>
question ask(const char* call, const Tests&... tests) {
  preamble p{call, Of};
  question q;
  const std::string type = p.type<T>();
  constexpr const char* names[]{"first", "second"};
  int k = 0;
  (opencl::add_test(p, type, names[k++], opencl::text_of_test(call, tests)), ...);
  p.text += "#define T " + type + (sizeof...(Tests) == 2 ? "\n#define SECOND" : "");
  q.before = std::move(p.text), q.bytes = sizeof(T);
  return q;
}

// Whether neighbours are equal: as their type's text says, or by an equality with its own.
template <class T, compiler Of = compiler::opencl, class Equal>
question ask_neighbours(const char* call, [[maybe_unused]] const Equal& equal) {
  preamble p{call, Of};
  question q;
  const std::string type = p.type<T>(), head = "bool same(" + type + " a, " + type + " b)";
  if constexpr (has_opencl_text<Equal>)
    p.function(head, "the equality's text", opencl::text_of(equal));
  else if constexpr (!std::same_as<Equal, core::equals>)
    throw needs_text(call, "this equality", "give it `static constexpr const char* opencl`, an expression in a and b");
  else if constexpr (named_in_cuda<T> || std::same_as<T, bool>)  // no text of the user's
    p.function(head, "the equality's text", "a == b");
  else if constexpr (has_opencl_equality<T>)
    p.function(head, "the equality's text", opencl_type<T>::equal);
  else
    throw needs_text(call, "the equality of this element type",
                     "give its upsweep::opencl_type `equal` as well, an expression in a and b");
  p.text += "#define EQUALITY\n#define T " + type;
  q.before = std::move(p.text), q.bytes = sizeof(T);
  return q;
}

}  // namespace upsweep::opencl

namespace upsweep::cuda {

// The same on CUDA, where NVRTC compiles the room's kernels with what is asked: select/cuda/text.cpp; without CUDA in
// the build it throws (core/cuda_absent.cpp). Enqueued; of s.in's elements what is kept goes to `out`, and what a test
// does not keep to `rest`, if that is given.
//
// Beside the elements go values of any size, or, without an input, the elements' own places, u64; the elements
// themselves then need no output. Or flags are asked, or the lengths of runs written to moved.out.
struct beside_selected {
  opencl::moved_elements moved = {};
  std::size_t align = 1;  // of moved.in
  bool run_lengths = false;
  memory flags = {}, rest = {};  // rest: of moved.in, what a test does not keep, if that is given
};
void select_by(upsweep::device&, const opencl::selection_by_text& s, memory out, memory rest = {},
               opencl::kept_program* = nullptr, const beside_selected& = {});
// What NVRTC is given for it, where a block may have so much shared memory.
struct kernel_text;  // cuda/nvrtc.hpp
kernel_text select_kernel_text(const opencl::selection_by_text& s, std::uint64_t shared_limit, bool two_outputs = false,
                               const beside_selected& = {});

// What tests ask; in this thread's next call with these types it is there, where the texts are the same. Beside: what
// goes with the elements, of which the kernels are made as well.
struct kept_question {
  std::string texts;
  opencl::question asked;
  opencl::kept_program made;
};
template <class T, class Beside = void, class... Tests>
kept_question& question_by_text(const char* call, const Tests&... tests) {
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::unique_ptr<kept_question> last;
  std::string texts;
  ((texts += opencl::text_of(tests), texts += '\n'), ...);
  if (!last || last->texts != texts)
    last = std::make_unique<kept_question>(
        kept_question{std::move(texts), opencl::ask<T, opencl::compiler::cuda>(call, tests...), {}});
  return *last;
}

// The same of neighbours.
template <class T, class Beside, class Equal>
kept_question& neighbours_by_text(const char* call, const Equal& equal) {
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::unique_ptr<kept_question> last;
  std::string text;
  if constexpr (opencl::has_opencl_text<Equal>) text = opencl::text_of(equal);
  if (!last || last->texts != text)
    last = std::make_unique<kept_question>(
        kept_question{std::move(text), opencl::ask_neighbours<T, opencl::compiler::cuda>(call, equal), {}});
  return *last;
}
// By flags, of elements of which nothing but their size is known.
template <class T>
kept_question& flags_by_text() {
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local kept_question last{{},
                                  {"#define FLAGS\n#define T upsweep::text::bytes<" + std::to_string(sizeof(T)) + ", " +
                                       std::to_string(alignof(T)) + ">",
                                   sizeof(T)},
                                  {}};
  return last;
}

template <class T, class... Tests>
inline constexpr bool has_tests_text = opencl::has_type_text<T> && (opencl::has_opencl_text<Tests> && ...);
template <class T>
inline constexpr bool has_equality_text =  // of the type's own
    opencl::has_type_text<T> && (opencl::named_in_cuda<T> || std::same_as<T, bool> || opencl::has_opencl_equality<T>);

}  // namespace upsweep::cuda
