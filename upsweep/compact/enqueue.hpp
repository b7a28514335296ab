// What compact.hpp's forms end in. Built-in tests of elements in memory go to the room's variants, all else to the
// templates of the backend. Host memory is worked on where it is.
#pragma once

#include "upsweep/compact/cpu/compact.hpp"
#include "upsweep/compact/opencl/custom.hpp"
#include "upsweep/compact/problem.hpp"
#include "upsweep/compact/questions.hpp"
#include "upsweep/core/making.hpp"
#include "upsweep/select/enqueue.hpp"
#if defined(__CUDACC__)
#include "upsweep/compact/cuda.cuh"
#endif

namespace upsweep::compact_room {

using select_room::builtin_test;

// A test of a sequence beside the elements. `lies` is the sequence where it is memory.
template <home Home, class S, bool InMemory, class At, class Test>
struct stencil_test {
  using element = S;
  using test_type = Test;
  using input = std::conditional_t<InMemory && Home == home::device, device_span<const S>, made_input<Home, At>>;
  static constexpr home lies_at = Home;
  static constexpr bool in_memory = InMemory;
  At at;
  std::uint64_t size;
  operand<const S> lies;
  Test test;

  input as_input() const {
    if constexpr (InMemory && Home == home::device)
      return {lies.where(), size};
    else
      return {at, size};
  }
};

template <class X>
inline constexpr bool is_stencil = false;
template <home Home, class S, bool InMemory, class At, class Test>
inline constexpr bool is_stencil<stencil_test<Home, S, InMemory, At, Test>> = true;

template <class X>
auto read_by_index(const X& x) {
  if constexpr (in_memory<X>) {
    return static_cast<const value_of<X>*>(core::read_operand(x).data());
  } else {
    return as_array<std::remove_cvref_t<decltype(core::reading(x))>>{core::reading(x)};
  }
}

// Of what lies in no memory: nothing.
template <class X>
operand<const value_of<X>> operand_of(const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x);
  } else {
    return {};
  }
}

template <class X, class Test>
auto question_of(const X& x, const Test& test, bool negated) {
  if constexpr (is_stencil<Test>) {
    using at = as_array<std::remove_cvref_t<decltype(test.at)>>;
    return passes<at, typename Test::test_type>{at{test.at}, test.test, negated};
  } else {
    const auto in = compact_room::read_by_index(x);
    return passes<std::remove_const_t<decltype(in)>, Test>{in, test, negated};
  }
}

// Whether the room's variants ask it.
template <class X, class Test>
constexpr bool asks_builtin() {
  if constexpr (!in_memory<X> || !moved_as<value_of<X>>()) {
    return false;
  } else if constexpr (is_stencil<Test>) {
    return Test::in_memory && builtin_test<typename Test::element, typename Test::test_type>;
  } else {
    return builtin_test<value_of<X>, Test>;
  }
}

template <class X, class Test>
constexpr void require_question() {
  core::require_input<X>();
  if constexpr (is_stencil<Test>)
    select_room::require_test<typename Test::element, typename Test::test_type>();
  else
    select_room::require_test<value_of<X>, Test>();
}

template <class Test>
std::uint64_t asked_in(const Test& test, std::uint64_t n) {
  if constexpr (is_stencil<Test>) {
    return test.size;
  } else {
    (void)test;
    return n;
  }
}

// Nothing that is written overlaps anything else.
template <class X, class Test, class T>
void require_places(const char* call, const context& where, const X& in, const Test& test, operand<T> out,
                    operand<T> rest, operand<std::uint64_t> count) {
  const std::uint64_t n = core::elements_in(in);
  require_same_size(call, "there are # elements and the stencil has #", n, compact_room::asked_in(test, n));
  const auto in_it = compact_room::operand_of(in);
  if constexpr (is_stencil<Test>)
    require_apart(call, where,
                  {{"the input", in_it},
                   {"the stencil", test.lies},
                   {"the output", out},
                   {"the others' output", rest},
                   {"the count", count}});
  else
    require_apart(call, where,
                  {{"the input", in_it}, {"the output", out}, {"the others' output", rest}, {"the count", count}});
}

inline void require_kept(const char* call, const char* what, std::uint64_t kept, std::uint64_t room) {
  require_room(
      call, room, kept,
      [&] { return std::to_string(kept) + " elements go to " + what + ", which has " + std::to_string(room); },
      "give it that many");
}

// Where what passes goes, and what does not.
enum class into : std::uint8_t { kept_alone, two_outputs, one_output };

// Whether NVRTC can compile it: a test with its text, of an element or of its stencil's, of what lies in memory.
template <class X, class T, class Test>
constexpr bool parts_by_text_on_cuda() {
  if constexpr (!in_memory<X>) {
    return false;
  } else if constexpr (is_stencil<Test>) {
    return Test::in_memory && cuda::has_tests_text<typename Test::element, typename Test::test_type>;
  } else {
    return cuda::has_tests_text<T, Test>;
  }
}
template <class X, class T, class Test>
void part_by_text_on_cuda(const context& where, const char* call, into how, const X& in, operand<T> out,
                          operand<T> rest, operand<std::uint64_t> count, const Test& test, bool negated) {
  using select_room::selection;
  const selection kind = how == into::one_output ? selection::partition : selection::where;
  const memory from = compact_room::operand_of(in).where(), others = how == into::two_outputs ? rest.where() : memory{};
  if constexpr (is_stencil<Test>) {
    // The stencil is selected, and the elements go beside it.
    cuda::kept_question& question = cuda::question_by_text<typename Test::element, T>(call, test.test);
    cuda::select_by(where.dev(),
                    {call, question.asked, test.lies.where(), core::elements_in(in), kind, count.where(), negated}, {},
                    {}, &question.made, {{from, out.where(), sizeof(T)}, alignof(T), false, {}, others});
  } else {
    cuda::kept_question& question = cuda::question_by_text<T>(call, test);
    cuda::select_by(where.dev(), {call, question.asked, from, core::elements_in(in), kind, count.where(), negated},
                    out.where(), others, &question.made);
  }
}

// On OpenCL, of what lies in memory, by a test with its text.
template <class X, class T, class Test>
void part_by_text(const context& where, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
                  operand<std::uint64_t> count, const Test& test, bool negated) {
  opencl::selection_by_text s;
  s.call = call, s.n = core::elements_in(in), s.count = count.where(), s.negated = negated;
  bool lies = in_memory<X>;
  if constexpr (is_stencil<Test>) lies = lies && Test::in_memory;
  if (!lies) throw core::made_elsewhere(call, backend::opencl);
  const memory from = compact_room::operand_of(in).where();
  if constexpr (is_stencil<Test>)
    s.asked = opencl::ask<typename Test::element>(call, test.test), s.in = test.lies.where();
  else
    s.asked = opencl::ask<T>(call, test), s.in = from;
  if (how == into::two_outputs) {
    // The others first: the selection behind them leaves its count where it is wanted.
    s.negated = !negated;
    opencl::select_by(where.dev(), s, {{from, rest.where(), sizeof(T)}});
    s.negated = negated;
  }
  if (how == into::one_output) s.how = select_room::selection::partition;
  opencl::select_by(where.dev(), s, {{from, out.where(), sizeof(T)}});
}

// Whether elements, or what is asked beside them, are made, and by texts.
template <class X, class Test>
constexpr bool asks_made_by_text() {
  if constexpr (is_stencil<Test>)
    return (is_made<X> || is_made<typename Test::input>) && core::lies_by_text<X> &&
           core::lies_by_text<typename Test::input>;
  else
    return core::some_made_by_text<X>;
}
template <class X, class Test>
bool texts_make(const context& where) {
  if constexpr (is_stencil<Test>)
    return core::made_by_text<X, typename Test::input>(where);
  else
    return core::made_by_text<X>(where);
}
// f(elements, test) of memory, where texts have stored what is none.
template <class X, class Test, class F>
void with_laid(const context& where, const char* call, const X& in, const Test& test, const F& f) {
  const auto there = core::laid_by_text(where, call, "compact/made", in);
  if constexpr (is_stencil<Test>) {
    const auto beside = core::laid_by_text(where, call, "compact/made stencil", test.as_input());
    using S = typename Test::element;
    using at = from_memory<S>;
    f(there, stencil_test<home::device, S, true, at, typename Test::test_type>{
                 at{core::read_operand(beside).data()}, beside.size(), core::read_operand(beside), test.test});
  } else {
    f(there, test);
  }
}

template <class By, class X, class T, class Test>
void part(const context& where, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
          operand<std::uint64_t> count, const Test& test, bool negated) {
  static_assert(std::is_same_v<value_of<X>, T>, "upsweep: what is kept goes to an output of the elements' own type");
  if constexpr (compact_room::asks_made_by_text<X, Test>()) {
    if (compact_room::texts_make<X, Test>(where))
      return compact_room::with_laid(where, call, in, test, [&](const auto& there, const auto& asked) {
        compact_room::part<By>(where, call, how, there, out, rest, count, asked, negated);
      });
  }
  const std::uint64_t n = core::elements_in(in);
  if constexpr (compact_room::asks_builtin<X, Test>()) {
    problem p;
    p.what = how == into::kept_alone ? primitive::stencil_select : primitive::stencil_partition;
    p.n = n, p.element_bytes = sizeof(T), p.negated = negated, p.in = core::read_operand(in).where();
    p.out = out.where(), p.out2 = rest.where(), p.two_outputs = how == into::two_outputs;
    p.count = count.where();
    p.room = out.size(), p.room2 = rest.size();
    if constexpr (is_stencil<Test>)
      p.type = dtype_of<typename Test::element>, p.in2 = test.lies.where(), p.test = test.test.how,
      p.threshold = scalar::of(test.test.threshold);
    else
      p.type = dtype_of<T>, p.in2 = p.in, p.test = test.how, p.threshold = scalar::of(test.threshold);
    compact_room::run(where, p);
  } else if (where.kind() == backend::cpu) {
    if constexpr (std::is_copy_assignable_v<T>) {
      const auto from = compact_room::read_by_index(in);
      using copy = copies<std::remove_const_t<decltype(from)>, T>;
      const cpu::answers asked(where.dev(), n, compact_room::question_of(in, test, negated));
      const std::uint64_t kept = asked.kept();
      *count.data() = kept;
      if (kept > out.size() || (how == into::two_outputs && n - kept > rest.size())) return;
      asked.move_kept(copy{from, out.data()});
      if (how != into::kept_alone)
        asked.move_others(copy{from, how == into::one_output ? out.data() + kept : rest.data()});
    } else {
      static_assert(!sizeof(T),
                    "upsweep: what is kept is copied; give elements that can be, or call the form in place");
    }
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies(call, where.kind());
  } else {
    if (where.kind() == backend::opencl)
      return compact_room::part_by_text(where, call, how, in, out, rest, count, test, negated);
#if defined(__CUDACC__)
    constexpr bool by_nvcc = !opencl::is_only_text<Test>;
#else
    constexpr bool by_nvcc = false;
#endif
    if constexpr (!by_nvcc && compact_room::parts_by_text_on_cuda<X, T, Test>())
      return compact_room::part_by_text_on_cuda(where, call, how, in, out, rest, count, test, negated);
#if defined(__CUDACC__)
    const auto from = compact_room::read_by_index(in);
    using copy = copies<std::remove_const_t<decltype(from)>, T>;
    const auto keep = compact_room::question_of(in, test, negated);
    if (how == into::kept_alone)
      cuda::part_by(where.dev(), n, keep, count.data(), copy{from, out.data()});
    else
      cuda::part_by(where.dev(), n, keep, count.data(), copy{from, out.data()},
                    copy{from, how == into::one_output ? out.data() : rest.data()}, how == into::one_output);
#else
    throw needs_nvcc("compact", call, true);
#endif
  }
}

// The count stays on the device, whose outputs hold whatever might be kept.
template <class By, class X, class T, class Test>
void parted(const context& where, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
            operand<std::uint64_t> count, const Test& test, bool negated) {
  compact_room::require_question<X, Test>();
  compact_room::require_places(call, where, in, test, out, rest, count);
  require_room(call, "the count", count.size(), 1);
  const std::uint64_t n = core::elements_in(in);
  if (how == into::one_output)
    require_same_size(call, "the elements of the input have # elements and the output #", n, out.size());
  if (where.kind() != backend::cpu) {
    require_room(call, "the output", out.size(), n);
    if (how == into::two_outputs) require_room(call, "the others' output", rest.size(), n);
  }
  compact_room::part<By>(where, call, how, in, out, rest, count, test, negated);
  if (where.kind() == backend::cpu) {
    compact_room::require_kept(call, "the output", *count.data(), out.size());
    if (how == into::two_outputs)
      compact_room::require_kept(call, "the others' output", n - *count.data(), rest.size());
  }
}

template <class Y>
context worked_on_by(const context& asked, const operand<Y>& out) {
  return out.in_reach_of(asked) ? asked : context::cpu();
}

// f(where, count); the count is returned.
template <class F>
std::uint64_t counted(const context& where, const F& f) {
  if (where.kind() == backend::cpu) {
    std::uint64_t count = 0;
    f(operand<std::uint64_t>(std::span(&count, 1)));
    return count;
  }
  const operand<std::uint64_t> count = counts_in_scratch(where);
  f(count);
  return fetch_count(where, count);
}

template <class By, class X, class T, class Test>
std::uint64_t parted(const context& asked, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
                     const Test& test, bool negated) {
  const context where = compact_room::worked_on_by(asked, out);
  return compact_room::counted(where, [&](operand<std::uint64_t> count) {
    compact_room::parted<By>(where, call, how, in, out, rest, count, test, negated);
  });
}

}  // namespace upsweep::compact_room
