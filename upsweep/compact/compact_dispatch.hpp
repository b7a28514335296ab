// Dispatch of compact.hpp's forms. Built-in tests of elements in memory go to this algorithm's variants, all else to
// the backend's templates. Host memory is processed in place.
#pragma once

#include "upsweep/compact/compact_predicates.hpp"
#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/compact/cpu/compact_cpu.hpp"
#include "upsweep/compact/jit/compact_jit.hpp"
#include "upsweep/core/lazy_view.hpp"
#include "upsweep/select/select_dispatch.hpp"
#if defined(__CUDACC__)
#include "upsweep/compact/compact_cuda.cuh"
#endif

namespace upsweep::detail::compact_impl {

using detail::select_impl::builtin_test;

// A predicate of a stencil: a second sequence next to the elements. `memory` is empty for a lazy view.
template <memory_space Space, class S, bool InMemory, class At, class Test>
struct stencil_test {
  using element = S;
  using test_type = Test;
  using input =
      std::conditional_t<InMemory && Space == memory_space::device, device_span<const S>, lazy_view<Space, At>>;
  static constexpr memory_space space = Space;
  static constexpr bool in_memory = InMemory;
  static constexpr bool is_only_source = core::is_only_source<Test> || core::is_only_source<At>;
  At at;
  std::uint64_t size;
  operand<const S> memory;
  Test test;

  input as_input() const {
    if constexpr (InMemory && Space == memory_space::device)
      return {memory.where(), size};
    else
      return {at, size};
  }
};

template <class X>
inline constexpr bool is_stencil = false;
template <memory_space Space, class S, bool InMemory, class At, class Test>
inline constexpr bool is_stencil<stencil_test<Space, S, InMemory, At, Test>> = true;

template <class X>
auto read_by_index(const upsweep::device& d, const char* call, const X& x) {
  if constexpr (in_memory<X>) {
    return static_cast<const value_of<X>*>(core::read_operand(x).data());
  } else {
    return as_array<core::reading_of<X>>{core::reading(d, call, x)};
  }
}

// Empty for a lazy view.
template <class X>
operand<const value_of<X>> operand_of(const X& x) {
  if constexpr (in_memory<X>) {
    return core::read_operand(x);
  } else {
    return {};
  }
}

template <class X, class Test>
auto question_of(const upsweep::device& d, const char* call, const X& x, const Test& test, bool negated) {
  if constexpr (is_stencil<Test>) {
    if (test.size != 0) core::require_readable(d, call, test.at);
    using at = as_array<std::remove_cvref_t<decltype(test.at)>>;
    return passes<at, typename Test::test_type>{at{test.at}, test.test, negated};
  } else {
    const auto in = detail::compact_impl::read_by_index(d, call, x);
    return passes<std::remove_const_t<decltype(in)>, Test>{in, test, negated};
  }
}

// Whether this algorithm's precompiled variants evaluate the test.
template <class X, class Test>
constexpr bool asks_builtin() {
  if constexpr (!in_memory<X> || !bitwise_type<value_of<X>>()) {
    return false;
  } else if constexpr (is_stencil<Test>) {
    return Test::in_memory && builtin_test<typename Test::element, typename Test::test_type>;
  } else {
    return builtin_test<value_of<X>, Test>;
  }
}

template <class X, class Test>
constexpr bool require_question() {
  core::require_input<X>();
  if constexpr (!readable_input<X>)
    return false;
  else if constexpr (is_stencil<Test>)
    return detail::select_impl::require_test<typename Test::element, typename Test::test_type>();
  else
    return detail::select_impl::require_test<value_of<X>, Test>();
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

// No output overlaps another operand.
template <class X, class Test, class T>
void require_places(const char* call, const context& where, const X& in, const Test& test, operand<T> out,
                    operand<T> rest, operand<std::uint64_t> count) {
  const std::uint64_t n = core::elements_in(in);
  require_same_size(call, "there are # elements and the stencil has #", n, detail::compact_impl::asked_in(test, n));
  const auto in_it = detail::compact_impl::operand_of(in);
  if constexpr (is_stencil<Test>)
    require_no_overlap(call, where,
                       {{"the input", in_it},
                        {"the stencil", test.memory},
                        {"the output", out},
                        {"the others' output", rest},
                        {"the count", count}});
  else
    require_no_overlap(call, where,
                       {{"the input", in_it}, {"the output", out}, {"the others' output", rest}, {"the count", count}});
}

inline void require_kept(const char* call, const char* what, std::uint64_t kept, std::uint64_t capacity) {
  require_capacity(
      call, capacity, kept,
      [&] { return std::to_string(kept) + " elements go to " + what + ", which has " + std::to_string(capacity); },
      "give that many");
}

// The outputs for elements that pass, and for those that do not.
enum class into : std::uint8_t { kept_alone, two_outputs, one_output };

// Whether NVRTC can compile the call: a predicate with device source, of an element or of its stencil, both in
// memory.
template <class X, class T, class Test>
constexpr bool partitions_jit_on_cuda() {
  if constexpr (!in_memory<X>) {
    return false;
  } else if constexpr (is_stencil<Test>) {
    return Test::in_memory && cuda::has_tests_source<typename Test::element, typename Test::test_type>;
  } else {
    return cuda::has_tests_source<T, Test>;
  }
}
template <class X, class T, class Test>
void partition_jit_on_cuda(const context& where, const char* call, into how, const X& in, operand<T> out,
                           operand<T> rest, operand<std::uint64_t> count, const Test& test, bool negated) {
  using detail::select_impl::selection;
  const selection kind = how == into::one_output ? selection::partition : selection::where;
  const memory from = detail::compact_impl::operand_of(in).where(),
               others = how == into::two_outputs ? rest.where() : memory{};
  if constexpr (is_stencil<Test>) {
    // The stencil is selected, and the elements move with it.
    cuda::kept_question& question = cuda::question_jit<typename Test::element, T>(call, test.test);
    cuda::select_by(where.device(),
                    {call, question.asked, test.memory.where(), core::elements_in(in), kind, count.where(), negated},
                    {}, {}, &question.made, {{from, out.where(), sizeof(T)}, alignof(T), false, {}, others});
  } else {
    cuda::kept_question& question = cuda::question_jit<T>(call, test);
    cuda::select_by(where.device(), {call, question.asked, from, core::elements_in(in), kind, count.where(), negated},
                    out.where(), others, &question.made);
  }
}

// On OpenCL: elements in memory, and a test with device source.
template <class X, class T, class Test>
void partition_jit(const context& where, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
                   operand<std::uint64_t> count, const Test& test, bool negated) {
  opencl::selection_jit s;
  s.call = call, s.n = core::elements_in(in), s.count = count.where(), s.negated = negated;
  bool both_in_memory = in_memory<X>;
  if constexpr (is_stencil<Test>) both_in_memory = both_in_memory && Test::in_memory;
  if (!both_in_memory) core::throw_error(core::made_elsewhere(call, backend::opencl));
  const memory from = detail::compact_impl::operand_of(in).where();
  if constexpr (is_stencil<Test>)
    s.asked = opencl::ask<typename Test::element>(call, test.test), s.in = test.memory.where();
  else
    s.asked = opencl::ask<T>(call, test), s.in = from;
  if (how == into::two_outputs) {
    // The others come first, because the last selection leaves its count in the caller's count.
    s.negated = !negated;
    opencl::select_by(where.device(), s, {{from, rest.where(), sizeof(T)}});
    s.negated = negated;
  }
  if (how == into::one_output) s.how = detail::select_impl::selection::partition;
  opencl::select_by(where.device(), s, {{from, out.where(), sizeof(T)}});
}

// Whether the elements or the stencil are lazy views that are run-time compiled from device source.
template <class X, class Test>
constexpr bool can_materialize_inputs_jit() {
  if constexpr (is_stencil<Test>)
    return (is_lazy_view<X> || is_lazy_view<typename Test::input>) && core::is_readable_jit<X> &&
           core::is_readable_jit<typename Test::input>;
  else
    return core::can_materialize_jit<X>;
}
template <class X, class Test>
bool must_materialize_inputs_jit(const context& where) {
  if constexpr (is_stencil<Test>)
    return core::must_materialize_jit<X, typename Test::input>(where);
  else
    return core::must_materialize_jit<X>(where);
}
// Calls f(elements, test) with both in memory; run-time compiled kernels store lazy views first.
template <class X, class Test, class F>
void with_laid(const context& where, const char* call, const X& in, const Test& test, const F& f) {
  const auto there = core::materialize_jit(where, call, "compact/made", in);
  if constexpr (is_stencil<Test>) {
    const auto beside = core::materialize_jit(where, call, "compact/made stencil", test.as_input());
    using S = typename Test::element;
    using at = from_memory<S>;
    f(there, stencil_test<memory_space::device, S, true, at, typename Test::test_type>{
                 at{core::read_operand(beside).data()}, beside.size(), core::read_operand(beside), test.test});
  } else {
    f(there, test);
  }
}

template <class By, class X, class T, class Test>
void part(const context& where, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
          operand<std::uint64_t> count, const Test& test, bool negated) {
  if constexpr (detail::compact_impl::can_materialize_inputs_jit<X, Test>()) {
    if (detail::compact_impl::must_materialize_inputs_jit<X, Test>(where))
      return detail::compact_impl::with_laid(where, call, in, test, [&](const auto& there, const auto& asked) {
        detail::compact_impl::part<By>(where, call, how, there, out, rest, count, asked, negated);
      });
  }
  const std::uint64_t n = core::elements_in(in);
  if constexpr (detail::compact_impl::asks_builtin<X, Test>()) {
    problem p;
    p.what = how == into::kept_alone ? primitive::stencil_select : primitive::stencil_partition;
    p.n = n, p.element_bytes = sizeof(T), p.negated = negated, p.in = core::read_operand(in).where();
    p.out = out.where(), p.out2 = rest.where(), p.two_outputs = how == into::two_outputs;
    p.count = count.where();
    p.capacity = out.size(), p.capacity2 = rest.size();
    if constexpr (is_stencil<Test>)
      p.type = dtype_of<typename Test::element>, p.in2 = test.memory.where(), p.test = test.test.how,
      p.threshold = scalar::of(test.test.threshold);
    else
      p.type = dtype_of<T>, p.in2 = p.in, p.test = test.how, p.threshold = scalar::of(test.threshold);
    detail::compact_impl::run(where, p);
  } else if (where.kind() == backend::cpu) {
    if constexpr (std::is_copy_assignable_v<T>) {
      const auto from = detail::compact_impl::read_by_index(where.device(), call, in);
      using copy = copies<std::remove_const_t<decltype(from)>, T>;
      const cpu::answers asked(where.device(), n,
                               detail::compact_impl::question_of(where.device(), call, in, test, negated));
      const std::uint64_t kept = asked.kept();
      *count.data() = kept;
      if (kept > out.size() || (how == into::two_outputs && n - kept > rest.size())) return;
      asked.move_kept(copy{from, out.data()});
      if (how != into::kept_alone)
        asked.move_others(copy{from, how == into::one_output ? out.data() + kept : rest.data()});
    } else {
      static_assert(!sizeof(T),
                    "upsweep: the kept elements are copied; give a copyable type, or call the in-place overload");
    }
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    if (where.kind() == backend::opencl)
      return detail::compact_impl::partition_jit(where, call, how, in, out, rest, count, test, negated);
#if defined(__CUDACC__)
    constexpr bool by_nvcc = !core::is_only_source<Test> && !core::is_only_source_view<X>;
#else
    constexpr bool by_nvcc = false;
#endif
    if constexpr (!by_nvcc && detail::compact_impl::partitions_jit_on_cuda<X, T, Test>())
      return detail::compact_impl::partition_jit_on_cuda(where, call, how, in, out, rest, count, test, negated);
#if defined(__CUDACC__)
    if constexpr (by_nvcc) {
      const auto from = detail::compact_impl::read_by_index(where.device(), call, in);
      using copy = copies<std::remove_const_t<decltype(from)>, T>;
      const auto keep = detail::compact_impl::question_of(where.device(), call, in, test, negated);
      if (how == into::kept_alone) return cuda::part_by(where.device(), n, keep, count.data(), copy{from, out.data()});
      return cuda::part_by(where.device(), n, keep, count.data(), copy{from, out.data()},
                           copy{from, how == into::one_output ? out.data() : rest.data()}, how == into::one_output);
    }
#endif
    core::throw_error(needs_nvcc("compact", call, true));
  }
}

// The count stays on the device; the outputs must have capacity for every element.
template <class By, class X, class T, class Test>
void parted(const context& where, const char* call, into how, const X& in, operand<T> out, operand<T> rest,
            operand<std::uint64_t> count, const Test& test, bool negated) {
  if constexpr (detail::compact_impl::require_question<X, Test>() && core::require_own_type<value_of<X>, T>()) {
    detail::compact_impl::require_places(call, where, in, test, out, rest, count);
    require_capacity(call, "the count", count.size(), 1);
    const std::uint64_t n = core::elements_in(in);
    if (how == into::one_output)
      require_same_size(call, "the elements of the input have # elements and the output #", n, out.size());
    if (where.kind() != backend::cpu) {
      require_capacity(call, "the output", out.size(), n);
      if (how == into::two_outputs) require_capacity(call, "the others' output", rest.size(), n);
    }
    detail::compact_impl::part<By>(where, call, how, in, out, rest, count, test, negated);
    if (where.kind() == backend::cpu) {
      detail::compact_impl::require_kept(call, "the output", *count.data(), out.size());
      if (how == into::two_outputs)
        detail::compact_impl::require_kept(call, "the others' output", n - *count.data(), rest.size());
    }
  }
}

template <class Y>
context worked_on_by(const context& asked, const operand<Y>& out) {
  return out.accessible_from(asked) ? asked : context::cpu();
}

// Calls f(where, count) and returns the count.
template <class F>
std::uint64_t returned_count(const context& where, const F& f) {
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
  if constexpr (detail::compact_impl::require_question<X, Test>() && core::require_own_type<value_of<X>, T>()) {
    const context where = detail::compact_impl::worked_on_by(asked, out);
    return detail::compact_impl::returned_count(where, [&](operand<std::uint64_t> count) {
      detail::compact_impl::parted<By>(where, call, how, in, out, rest, count, test, negated);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::compact_impl
