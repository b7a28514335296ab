// What reduce.hpp's forms end in. What the library was compiled for goes to the room's variants, all else to the
// templates of the backend; host memory that the device cannot read goes there in chunks, each of which begins with the
// fold of those before it.
#pragma once

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/call.hpp"
#include "upsweep/core/making.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/reduce/cpu/reduce.hpp"
#include "upsweep/reduce/cuda/text.hpp"
#include "upsweep/reduce/opencl/reduce.hpp"
#include "upsweep/reduce/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/reduce/cuda.cuh"
#endif

namespace upsweep::reduce_room {

using namespace core;

inline namespace UPSWEEP_COMPILED {
#if defined(__CUDACC__)
inline constexpr bool nvcc_compiles = true;
#else
inline constexpr bool nvcc_compiles = false;
#endif
}  // namespace UPSWEEP_COMPILED

// --- elements in memory, of the type that they are folded in ---

// Enqueued.
template <class T, class Op, class F, class CompiledBy>
void fold_into(const context& where, operand<const T> in, operand<T> out, T init, Op op, F f) {
  if constexpr (builtin_problem<T, Op, F>) {
    reduce_room::run(where, fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f));
  } else if (core::require_same_bits<T, Op>(where, "reduce"); where.kind() == backend::cpu) {
    cpu::reduce_custom(where.dev(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("reduce", where.kind());
  } else if constexpr (!has_identity<Op, T>) {
    throw needs_identity("reduce", where.kind());
  } else if (where.kind() == backend::opencl) {
    opencl::reduce_custom<T>(where.dev(), in.where(), in.size(), out.where(), init, op, f);
#if defined(__CUDACC__)
  } else if constexpr (!opencl::is_only_text<Op> && !opencl::is_only_text<F>) {
    cuda::reduce(where.dev(), in.data(), in.size(), out.data(), init, op, core::callable_on_a_gpu(f));
#endif
  } else if constexpr (cuda::has_fold_text<T, Op, F>) {
    cuda::reduce_by_text(where.dev(), cuda::fold_by_text("reduce", init, op, f), in.where(), in.size(), out.where());
  } else {
    throw needs_nvcc("reduce", nullptr, true);
  }
}

// Waits for the result.
template <class T, class Op, class F, class CompiledBy>
T folded(const context& where, operand<const T> in, T init, Op op, F f) {
  T value = init;
  if (where.kind() == backend::cpu) {
    reduce_room::fold_into<T, Op, F, CompiledBy>(where, in, std::span<T>(&value, 1), init, op, f);
  } else if (!in.on_host()) {
    // 16 bytes so that every type's result lies aligned.
    const memory result = where.dev().scratch("reduce/result", std::max<std::uint64_t>(sizeof(T), 16));
    reduce_room::fold_into<T, Op, F, CompiledBy>(where, in, operand<T>(result, 1, false), init, op, f);
    where.dev().download(&value, result, sizeof value);
  } else if constexpr (builtin_problem<T, Op, F>) {
    run_on_host(where, fold_problem<problem, T, Op, F>(in.where(), {&value, 0}, in.size(), init, f));
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("reduce", where.kind());
  } else {
    core::for_each_chunk(where.dev(), in.size(), sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const buffer<T> chunk(where, in.part(first, count).host());
      value = reduce_room::folded<T, Op, F, CompiledBy>(where, chunk.span(), value, op, f);
    });
  }
  return value;
}

// --- elements of another type, or made as they are read: f gives them in A ---

template <class A, class Op, class CompiledBy, class In, class F>
A folded_as_made(const context& where, home lies, const In& in, std::uint64_t n, A init, const Op& op, const F& f) {
  core::require_same_bits<A, Op>(where, "reduce");
  A value = init;
  if (where.kind() == backend::cpu) {
    cpu::reduce_custom(where.dev(), in, n, &value, init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<A>) {
    throw needs_trivial_copies("reduce", where.kind());
  } else if (lies == home::device) {
    value = reduce_room::folded<A, Op, identity, CompiledBy>(
        where, core::made_on_device<A, CompiledBy>(where, "reduce", in, n, f), init, op, identity{});
  } else {
    core::for_each_made_chunk<A>(where, in, n, f, [&](std::span<const A> chunk, std::uint64_t) {
      value = reduce_room::folded<A, Op, identity, CompiledBy>(where, chunk, value, op, identity{});
    });
  }
  return value;
}

// The same of device memory where nothing is compiled that reads it in A: by way of the host, in pieces.
template <class A, class Op, class CompiledBy, class T, class F>
A folded_by_way_of_the_host(const context& where, operand<const T> in, A init, const Op& op, const F& f) {
  core::require_same_bits<A, Op>(where, "reduce");
  const std::uint64_t piece = std::min<std::uint64_t>(in.size(), (std::uint64_t{64} << 20) / sizeof(T) + 1);
  const host_array<T> here(piece);
  A value = init;
  core::for_each_chunk_of(piece, in.size(), [&](std::uint64_t first, std::uint64_t count) {
    core::fetch(where, operand<T>(here.all().first(count)), in.part(first, count));
    value = reduce_room::folded_as_made<A, Op, CompiledBy>(where, home::host, as_array{from_memory<T>{here.data()}},
                                                           count, value, op, f);
  });
  return value;
}

// The fold of f(x_i) kept in A, after init.
template <class A, class CompiledBy, class X, class Op, class F>
A fold_of(const context& where, const X& x, A init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  if constexpr (reads_as<X, A, F>) {
    return reduce_room::folded<A, Op, F, CompiledBy>(where, core::read_operand(x), init, op, f);
  } else {
    if constexpr (on_device<X> && std::is_trivially_copyable_v<A>)
      if (where.kind() != backend::cpu && !(nvcc_compiles && where.kind() == backend::cuda))
        return reduce_room::folded_by_way_of_the_host<A, Op, CompiledBy>(where, core::read_operand(x), init, op,
                                                                         core::widened<A>(f));
    return reduce_room::folded_as_made<A, Op, CompiledBy>(where, home_of<X>, as_array{core::reading(x)},
                                                          core::elements_in(x), init, op, core::widened<A>(f));
  }
}

// The same after nothing: an operator without an identity begins with the first element.
template <class A, class CompiledBy, class X, class Op, class F>
A fold_of(const context& where, const X& x, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A>) {
    return reduce_room::fold_of<A, CompiledBy>(where, x, identity_of<A>(op), op, f);
  } else {
    core::require_operator<A, Op>();
    const std::uint64_t n = core::elements_in(x);
    if (n == 0)
      throw error(fault::bad_argument, "reduce", "there are no elements, and the operator has no identity",
                  "give an init, or upsweep::monoid(op, identity)");
    if (where.kind() != backend::cpu) throw needs_identity("reduce", where.kind());
    const as_array in{core::reading(x)};
    const auto widened = core::widened<A>(f);
    const A first = A(widened(in[0]));
    A value = first;
    if (n > 1) cpu::reduce_custom(where.dev(), in + 1, n - 1, &value, first, op, widened);
    return value;
  }
}

// Enqueued: out is one element of A.
template <class A, class CompiledBy, class X, class Op, class F>
void fold_of_into(const context& where, const X& x, operand<A> out, A init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  static_assert(home_of<X> != home::host,
                "upsweep: a result in device memory wants its input there; call the form that returns the value");
  if (out.size() != 1)
    throw error(fault::bad_argument, "reduce", "the output span has " + std::to_string(out.size()) + " elements",
                "give it exactly one");
  if constexpr (reads_as<X, A, F>) {
    reduce_room::fold_into<A, Op, F, CompiledBy>(where, core::read_operand(x), out, init, op, f);
  } else if (core::require_same_bits<A, Op>(where, "reduce"); where.kind() == backend::cpu) {
    const as_array in{core::reading(x)};
    cpu::reduce_custom(where.dev(), in, core::elements_in(x), out.data(), init, op, core::widened<A>(f));
  } else {
    const as_array in{core::reading(x)};
    const auto made =
        core::made_on_device<A, CompiledBy>(where, "reduce", in, core::elements_in(x), core::widened<A>(f));
    reduce_room::fold_into<A, Op, identity, CompiledBy>(where, made, out, init, op, identity{});
  }
}

}  // namespace upsweep::reduce_room
