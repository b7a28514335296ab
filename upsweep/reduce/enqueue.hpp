// What reduce.hpp's forms end in. What the library was compiled for goes to the room's variants, all else to the
// templates of the backend; host memory that the device cannot read goes there in chunks, each of which begins with the
// fold of those before it.
#pragma once

#include "upsweep/core/operands.hpp"
#include "upsweep/reduce/cpu/reduce.hpp"
#include "upsweep/reduce/opencl/reduce.hpp"
#include "upsweep/reduce/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/reduce/cuda.cuh"
#endif

namespace upsweep::reduce_room {

using namespace core;

// Enqueued.
template <class T, class Op, class F, class CompiledBy>
void fold_into(const context& where, operand<const T> in, operand<T> out, T init, Op op, F f) {
  if constexpr (builtin_problem<T, Op, F>) {
    reduce_room::run(where, fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f));
  } else if (where.kind() == backend::cpu) {
    cpu::reduce_custom(where.dev(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("reduce", where.kind());
  } else if (where.kind() == backend::opencl) {
    opencl::reduce_custom<T>(where.dev(), in.where(), in.size(), out.where(), init, op, f);
  } else {
#if defined(__CUDACC__)
    cuda::reduce(where.dev(), in.data(), in.size(), out.data(), init, op, f);
#else
    throw needs_nvcc("reduce");
#endif
  }
}

// Waits for the result.
template <class T, class Op, class F, class CompiledBy>
T folded(const context& where, operand<const T> in, T init, Op op, F f) {
  require_fold<T, Op>();
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

}  // namespace upsweep::reduce_room
