// What scan.hpp's forms end in. What the library was compiled for goes to the room's variants, all else to the
// templates of the backend; host memory that the device cannot read goes there in chunks, each of which begins with
// what the one before it ended with.
#pragma once

#include "upsweep/core/operands.hpp"
#include "upsweep/scan/cpu/scan.hpp"
#include "upsweep/scan/opencl/scan.hpp"
#include "upsweep/scan/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/scan/cuda.cuh"
#endif

namespace upsweep::scan_room {

using namespace core;

// Device memory: enqueued. Host memory: done on return.
template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void scan_into(const context& where, operand<const T> in, operand<T> out, T init, Op op, F f) {
  require_fold<T, Op>();
  require_same_size("scan", "the input has # elements and the output #", in.size(), out.size());
  require_apart("scan", where, {{"the input", in}, {"the output", out}}, 1);
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.inclusive = Inclusive;
    in.on_host() ? run_on_host(where, p) : scan_room::run(where, p);
  } else if (where.kind() == backend::cpu) {
    cpu::scan_custom<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("scan", where.kind());
  } else if (in.on_host()) {
    T carry = init;
    core::for_each_chunk(where.dev(), in.size(), 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const T last = in[first + count - 1];  // read before an in-place scan overwrites it
      buffer<T> chunk(where, in.part(first, count).host());
      scan_room::scan_into<Inclusive, T, Op, F, CompiledBy>(where, chunk.span(), chunk.span(), carry, op, f);
      chunk.download(out.part(first, count).host());
      carry = Inclusive ? out[first + count - 1] : op(out[first + count - 1], upsweep::lifted(op, f(last)));
    });
  } else if (where.kind() == backend::opencl) {
    opencl::scan_custom<Inclusive, T>(where.dev(), in.where(), in.size(), out.where(), init, op, f);
  } else {
#if defined(__CUDACC__)
    cuda::scan<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, f);
#else
    throw needs_nvcc("scan");
#endif
  }
}

}  // namespace upsweep::scan_room
