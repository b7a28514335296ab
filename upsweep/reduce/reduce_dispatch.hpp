// The implementation of the overloads in reduce.hpp. Types and operators that the library was compiled for go to the
// compiled variants, all others to the templates of the backend. Host memory that the device cannot read is copied in
// chunks; each chunk begins with the fold of the chunks before it.
#pragma once

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/fold_present.hpp"
#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/reduce/cpu/reduce_cpu.hpp"
#include "upsweep/reduce/cuda/reduce_cuda_jit.hpp"
#include "upsweep/reduce/opencl/reduce_opencl.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/reduce/reduce_cuda.cuh"
#endif

namespace upsweep::detail::reduce_impl {

using namespace core;

inline namespace UPSWEEP_COMPILED {
#if defined(__CUDACC__)
inline constexpr bool nvcc_compiles = true;
#else
inline constexpr bool nvcc_compiles = false;
#endif
}  // namespace UPSWEEP_COMPILED

// --- elements in memory, of the type of the fold ---

template <class T, class Op, class F, class CompiledBy>
void fold_present_into(const context& where, operand<const T> in, operand<T> out, core::optional_value<T> init,
                       const Op& op, const F& f);

// Enqueued.
template <class T, class Op, class F, class CompiledBy>
void fold_into(const context& where, operand<const T> in, operand<T> out, T init, Op op, F f) {
  if constexpr (builtin_problem<T, Op, F>) {
    detail::reduce_impl::run(where, fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f));
  } else if (core::require_same_bits<T, Op>(where, "reduce"); where.kind() == backend::cpu) {
    cpu::reduce_custom(where.device(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies("reduce", where.kind()));
  } else if constexpr (!has_identity<Op, T>) {
    detail::reduce_impl::fold_present_into<T, Op, F, CompiledBy>(where, in, out, core::optional_value<T>(init), op, f);
  } else if (where.kind() == backend::opencl) {
    opencl::reduce_custom<T>(where.device(), in.where(), in.size(), out.where(), init, op, f);
#if defined(__CUDACC__)
  } else if constexpr (!opencl::is_only_source<Op> && !opencl::is_only_source<F>) {
    cuda::reduce(where.device(), in.data(), in.size(), out.data(), init, op, core::callable_on_a_gpu(f));
#endif
  } else if constexpr (cuda::has_fold_source<T, Op, F>) {
    cuda::reduce_jit(where.device(), cuda::fold_jit("reduce", init, op, f), in.where(), in.size(), out.where());
  } else {
    core::throw_error(needs_nvcc("reduce", nullptr, true));
  }
}

// fold_into for an operator without an identity. An absent init stands for none.
template <class T, class Op, class F, class CompiledBy>
void fold_present_into(const context& where, operand<const T> in, operand<T> out, core::optional_value<T> init,
                       const Op& op, const F& f) {
  core::fold_present<T, CompiledBy>(
      where, "reduce", in, out, op, f, [&](const auto& elements, const auto& fold, const auto& on_present) {
        detail::reduce_impl::fold_into<core::optional_value<T>, std::remove_cvref_t<decltype(on_present)>, identity,
                                       CompiledBy>(where, elements, fold, init, on_present, identity{});
      });
}

// Waits for the result.
template <class T, class Op, class F, class CompiledBy>
T folded(const context& where, operand<const T> in, T init, Op op, F f) {
  T value = init;
  if (where.kind() == backend::cpu) {
    detail::reduce_impl::fold_into<T, Op, F, CompiledBy>(where, in, std::span<T>(&value, 1), init, op, f);
  } else if (!in.on_host()) {
    where.device().require_no_capture("reduce");
    // 16 bytes, so that results of every type are aligned.
    const memory result = where.device().scratch("reduce/result", std::max<std::uint64_t>(sizeof(T), 16));
    detail::reduce_impl::fold_into<T, Op, F, CompiledBy>(where, in, operand<T>(result, 1, false), init, op, f);
    where.device().download(&value, result, sizeof value);
  } else if constexpr (builtin_problem<T, Op, F>) {
    run_on_host(where, fold_problem<problem, T, Op, F>(in.where(), {&value, 0}, in.size(), init, f));
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies("reduce", where.kind()));
  } else {
    core::for_each_chunk(where.device(), in.size(), sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const buffer<T> chunk(where, in.part(first, count).host());
      value = detail::reduce_impl::folded<T, Op, F, CompiledBy>(where, chunk.span(), value, op, f);
    });
  }
  return value;
}

// --- elements of another type, or of a lazy view: f converts them to A ---

template <class A, class Op, class CompiledBy, class In, class F>
A folded_as_made(const context& where, memory_space space, const In& in, std::uint64_t n, A init, const Op& op,
                 const F& f) {
  core::require_same_bits<A, Op>(where, "reduce");
  A value = init;
  if (where.kind() == backend::cpu) {
    cpu::reduce_custom(where.device(), in, n, &value, init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<A>) {
    core::throw_error(needs_trivial_copies("reduce", where.kind()));
  } else if (space == memory_space::device) {
    value = detail::reduce_impl::folded<A, Op, identity, CompiledBy>(
        where, core::made_on_device<A, CompiledBy>(where, "reduce", in, n, f), init, op, identity{});
  } else {
    core::for_each_made_chunk<A>(where, in, n, f, [&](std::span<const A> chunk, std::uint64_t) {
      value = detail::reduce_impl::folded<A, Op, identity, CompiledBy>(where, chunk, value, op, identity{});
    });
  }
  return value;
}

// For device memory if no compiled kernel converts its elements to A: folds a copy on the host, in pieces.
template <class A, class Op, class CompiledBy, class T, class F>
A folded_by_way_of_the_host(const context& where, operand<const T> in, A init, const Op& op, const F& f) {
  core::require_same_bits<A, Op>(where, "reduce");
  const std::uint64_t piece = std::min<std::uint64_t>(in.size(), (std::uint64_t{64} << 20) / sizeof(T) + 1);
  const host_array<T> here(piece);
  A value = init;
  core::for_each_chunk_of(piece, in.size(), [&](std::uint64_t first, std::uint64_t count) {
    core::download(where, operand<T>(here.all().first(count)), in.part(first, count));
    value = detail::reduce_impl::folded_as_made<A, Op, CompiledBy>(
        where, memory_space::host, as_array{from_memory<T>{here.data()}}, count, value, op, f);
  });
  return value;
}

// The fold of init and all f(x_i), computed in A.
template <class A, class CompiledBy, class X, class Op, class F>
A fold_of(const context& where, const X& x, A init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  core::require_reach_of("reduce", where, x);
  if constexpr (reads_as<X, A, F>) {
    return detail::reduce_impl::folded<A, Op, F, CompiledBy>(where, core::read_operand(x), init, op, f);
  } else {
    if constexpr (on_device<X> && std::is_trivially_copyable_v<A>)
      if (where.kind() != backend::cpu && !(nvcc_compiles && where.kind() == backend::cuda))
        return detail::reduce_impl::folded_by_way_of_the_host<A, Op, CompiledBy>(where, core::read_operand(x), init, op,
                                                                                 core::widened<A>(f));
    return detail::reduce_impl::folded_as_made<A, Op, CompiledBy>(where, memory_space_of<X>,
                                                                  as_array{core::reading(where.device(), "reduce", x)},
                                                                  core::elements_in(x), init, op, core::widened<A>(f));
  }
}

inline void require_elements(std::uint64_t n) {
  if (n == 0)
    core::throw_error(error(fault::bad_argument, "reduce", "there are no elements, and the operator has no identity",
                            "give an init, or upsweep::monoid(op, identity)"));
}

// The fold of device memory that is not empty, without an init, by an operator without an identity.
template <class A, class CompiledBy, class X, class Op, class F>
A fold_of_present(const context& where, const X& x, const Op& op, const F& f) {
  where.device().require_no_capture("reduce");
  const operand<A> result(where.device().scratch("reduce/result", std::max<std::uint64_t>(sizeof(A), 16)), 1, false);
  const core::optional_value<A> none;
  if constexpr (reads_as<X, A, F>)
    detail::reduce_impl::fold_present_into<A, Op, F, CompiledBy>(where, core::read_operand(x), result, none, op, f);
  else
    detail::reduce_impl::fold_present_into<A, Op, identity, CompiledBy>(
        where,
        core::made_on_device<A, CompiledBy>(where, "reduce", as_array{core::reading(where.device(), "reduce", x)},
                                            core::elements_in(x), core::widened<A>(f)),
        result, none, op, identity{});
  host_array<A> value(1);
  where.device().download(value.data(), result.where(), sizeof(A));
  return value[0];
}

// The fold without an init. Without an identity it begins with the first element.
template <class A, class CompiledBy, class X, class Op, class F>
A fold_of(const context& where, const X& x, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A>) {
    return detail::reduce_impl::fold_of<A, CompiledBy>(where, x, identity_of<A>(op), op, f);
  } else {
    core::require_operator<A, Op>();
    core::require_reach_of("reduce", where, x);
    const std::uint64_t n = core::elements_in(x);
    detail::reduce_impl::require_elements(n);
    if constexpr (memory_space_of<X> == memory_space::device && std::is_trivially_copyable_v<A>)
      if (where.kind() != backend::cpu) return detail::reduce_impl::fold_of_present<A, CompiledBy>(where, x, op, f);
    const as_array in{core::reading(where.device(), "reduce", x)};
    const auto widened = core::widened<A>(f);
    const A first = A(widened(in[0]));
    A value = first;
    if (n > 1)
      value = detail::reduce_impl::folded_as_made<A, Op, CompiledBy>(where, memory_space::host, in + 1, n - 1, first,
                                                                     op, widened);
    return value;
  }
}

template <class X, class A>
void require_one_output(const context& where, const X& x, operand<A> out) {
  static_assert(memory_space_of<X> != memory_space::host,
                "upsweep: a result in device memory requires an input in device memory; call the overload that returns "
                "the value");
  if (out.size() != 1)
    core::throw_error(error(fault::bad_argument, "reduce",
                            "the output span has " + std::to_string(out.size()) + " elements", "give exactly one"));
  core::require_reach_of("reduce", where, x);
  core::require_reach("reduce", where, {{"the output", out}});
}

// Enqueued: out is one element of A.
template <class A, class CompiledBy, class X, class Op, class F>
void fold_of_into(const context& where, const X& x, operand<A> out, A init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  detail::reduce_impl::require_one_output(where, x, out);
  if constexpr (reads_as<X, A, F>) {
    detail::reduce_impl::fold_into<A, Op, F, CompiledBy>(where, core::read_operand(x), out, init, op, f);
  } else if (core::require_same_bits<A, Op>(where, "reduce"); where.kind() == backend::cpu) {
    const as_array in{core::reading(where.device(), "reduce", x)};
    cpu::reduce_custom(where.device(), in, core::elements_in(x), out.data(), init, op, core::widened<A>(f));
  } else {
    const as_array in{core::reading(where.device(), "reduce", x)};
    const auto made =
        core::made_on_device<A, CompiledBy>(where, "reduce", in, core::elements_in(x), core::widened<A>(f));
    detail::reduce_impl::fold_into<A, Op, identity, CompiledBy>(where, made, out, init, op, identity{});
  }
}

// Enqueued, without an init, by an operator without an identity: the fold begins with the first element.
template <class A, class CompiledBy, class X, class Op>
void fold_of_into(const context& where, const X& x, operand<A> out, const Op& op) {
  detail::reduce_impl::require_elements(core::elements_in(x));
  detail::reduce_impl::require_one_output(where, x, out);
  if constexpr (reads_as<X, A, identity>)
    detail::reduce_impl::fold_present_into<A, Op, identity, CompiledBy>(where, core::read_operand(x), out, {}, op,
                                                                        identity{});
  else
    detail::reduce_impl::fold_present_into<A, Op, identity, CompiledBy>(
        where,
        core::made_on_device<A, CompiledBy>(where, "reduce", as_array{core::reading(where.device(), "reduce", x)},
                                            core::elements_in(x), core::widened<A>(identity{})),
        out, {}, op, identity{});
}

}  // namespace upsweep::detail::reduce_impl
