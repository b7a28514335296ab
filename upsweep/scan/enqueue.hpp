// What scan.hpp's forms end in. What the library was compiled for goes to the room's variants, all else to the
// templates of the backend; host memory that the device cannot read goes there in chunks, each of which begins with
// what the one before it ended with.
#pragma once

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/call.hpp"
#include "upsweep/core/making.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/scan/cpu/scan.hpp"
#include "upsweep/scan/cuda/text.hpp"
#include "upsweep/scan/opencl/scan.hpp"
#include "upsweep/scan/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/scan/cuda.cuh"
#endif

namespace upsweep::scan_room {

using namespace core;

// Elements in memory, of the type that they are folded in. Device memory: enqueued. Host memory: done on return.
template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void scan_into(const context& where, operand<const T> in, operand<T> out, T init, Op op, F f) {
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.inclusive = Inclusive;
    in.on_host() ? run_on_host(where, p) : scan_room::run(where, p);
  } else if (core::require_same_bits<T, Op>(where, "scan"); where.kind() == backend::cpu) {
    cpu::scan_custom<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    throw needs_trivial_copies("scan", where.kind());
  } else if constexpr (!has_identity<Op, T>) {
    throw needs_identity("scan", where.kind());
  } else if (in.on_host()) {
    T carry = init;
    core::for_each_chunk(where.dev(), in.size(), 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const T last = in[first + count - 1];  // read before an in-place scan overwrites it
      buffer<T> chunk(where, in.part(first, count).host());
      scan_room::scan_into<Inclusive, T, Op, F, CompiledBy>(where, chunk, chunk, carry, op, f);
      chunk.download(out.part(first, count).host());
      carry = Inclusive ? out[first + count - 1] : T(op(out[first + count - 1], upsweep::lifted(op, T(f(last)))));
    });
  } else if (where.kind() == backend::opencl) {
    opencl::scan_custom<Inclusive, T>(where.dev(), in.where(), in.size(), out.where(), init, op, f);
#if defined(__CUDACC__)
  } else if constexpr (!opencl::is_only_text<Op> && !opencl::is_only_text<F>) {
    cuda::scan<Inclusive>(where.dev(), in.data(), in.size(), out.data(), init, op, core::callable_on_a_gpu(f));
#endif
  } else if constexpr (cuda::has_fold_text<T, Op, F>) {
    cuda::scan_by_text(where.dev(), cuda::fold_by_text("scan", init, op, f), in.where(), in.size(), out.where(),
                       Inclusive);
  } else {
    throw needs_nvcc("scan", nullptr, true);
  }
}

// Elements of another type, or made as they are read: f gives them in A.
template <bool Inclusive, class A, class Op, class CompiledBy, class In, class F>
void scan_as_made(const context& where, home lies, const In& in, operand<A> out, A init, const Op& op, const F& f) {
  core::require_same_bits<A, Op>(where, "scan");
  const std::uint64_t n = out.size();
  if (where.kind() == backend::cpu) {
    cpu::scan_custom<Inclusive>(where.dev(), in, n, out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<A>) {
    throw needs_trivial_copies("scan", where.kind());
  } else if (!out.on_host()) {
    const auto made = core::made_on_device<A, CompiledBy>(where, "scan", in, n, f);
    scan_room::scan_into<Inclusive, A, Op, identity, CompiledBy>(where, made, out, init, op, identity{});
  } else if (lies == home::device) {
    throw error(fault::bad_argument, "scan", "the input lies in device memory and the output in the host's",
                "give both on one side");
  } else {
    A carry = init;
    core::for_each_made_chunk<A>(where, in, n, f, [&](std::span<A> chunk, std::uint64_t first) {
      const operand<A> part = out.part(first, chunk.size());
      scan_room::scan_into<Inclusive, A, Op, identity, CompiledBy>(where, chunk, part, carry, op, identity{});
      const A last = part[chunk.size() - 1];
      carry = Inclusive ? last : A(op(last, upsweep::lifted(op, chunk.back())));
    });
  }
}

template <class X, class A>
void require_scan_operands(const context& where, const X& x, operand<A> out) {
  require_same_size("scan", "the input has # elements and the output #", core::elements_in(x), out.size());
  if constexpr (in_memory<X>)
    require_apart("scan", where, {{"the input", core::read_operand(x)}, {"the output", out}},
                  std::same_as<value_of<X>, A> ? 1 : 0);
}

// The prefixes of f(x_i) kept in A, after init.
template <bool Inclusive, class A, class CompiledBy, class X, class Op, class F>
void scan_of(const context& where, const X& x, operand<A> out, A init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  scan_room::require_scan_operands(where, x, out);
  if constexpr (reads_as<X, A, F>) {
    scan_room::scan_into<Inclusive, A, Op, F, CompiledBy>(where, core::read_operand(x), out, init, op, f);
  } else {
    scan_room::scan_as_made<Inclusive, A, Op, CompiledBy>(where, home_of<X>, as_array{core::reading(x)}, out, init, op,
                                                          core::widened<A>(f));
  }
}

// The same after an init that lies in device memory and is read when the work runs; on OpenCL it is waited for.
template <bool Inclusive, class A, class CompiledBy, class X, class Op, class F>
void scan_after(const context& where, const X& x, operand<A> out, operand<const A> init, const Op& op, const F& f) {
  static_assert(home_of<X> != home::host,
                "upsweep: an init in device memory wants input and output there, too; give the init's value");
  core::require_operator<A, Op>();
  scan_room::require_scan_operands(where, x, out);
  require_same_size("scan", "the init in device memory has # elements and is to have #", init.size(), 1);
  require_apart("scan", where, {{"the init", init}, {"the output", out}});
  const auto fetched = [&] {
    host_array<A> here(1);
    core::fetch(where, operand<A>(here.all()), init);
    return here.data()[0];
  };
  if (where.kind() == backend::cpu) {
    scan_room::scan_of<Inclusive, A, CompiledBy>(where, x, out, *init.data(), op, f);
  } else if constexpr (builtin_problem<A, Op, F> && reads_as<X, A, F>) {
    auto p =
        fold_problem<problem, A, Op, F>(core::read_operand(x).where(), out.where(), out.size(), identity_of<A>(op), f);
    p.inclusive = Inclusive;
    if (where.kind() == backend::cuda && scan_room::choose(where, p).kind == rung::library)
      p.init_there = init.where();
    else
      p.init = scalar::of(fetched());
    scan_room::run(where, p);
  } else if (core::require_same_bits<A, Op>(where, "scan"); !has_identity<Op, A> || where.kind() == backend::opencl) {
    scan_room::scan_of<Inclusive, A, CompiledBy>(where, x, out, fetched(), op, f);
#if defined(__CUDACC__)
  } else if constexpr (has_identity<Op, A> && !opencl::is_only_text<Op> && !opencl::is_only_text<F>) {
    const auto scan = [&](const A* in, const auto& through) {
      cuda::scan<Inclusive>(where.dev(), in, out.size(), out.data(), cuda::initial<A>(identity_of<A>(op), init.data()),
                            op, through);
    };
    if constexpr (reads_as<X, A, F>)
      scan(core::read_operand(x).data(), f);
    else
      scan(core::made_on_device<A, CompiledBy>(where, "scan", as_array{core::reading(x)}, out.size(),
                                               core::widened<A>(f))
               .data(),
           identity{});
#endif
  } else if constexpr (has_identity<Op, A> && reads_as<X, A, F> && cuda::has_fold_text<A, Op, F>) {
    const operand<const A> in = core::read_operand(x);
    const A nothing = identity_of<A>(op);
    cuda::scan_by_text(where.dev(), cuda::fold_by_text("scan", nothing, op, f), in.where(), in.size(), out.where(),
                       Inclusive, init.where());
  } else if constexpr (has_identity<Op, A> && !reads_as<X, A, F>) {
    const auto made =
        core::made_on_device<A, CompiledBy>(where, "scan", as_array{core::reading(x)}, out.size(), core::widened<A>(f));
    scan_room::scan_after<Inclusive, A, CompiledBy>(where, device_span<const A>(made.where(), made.size()), out, init,
                                                    op, identity{});
  } else {
    throw needs_nvcc("scan", nullptr, true);
  }
}

// The same after nothing: an inclusive scan by an operator without an identity begins with the first element.
template <bool Inclusive, class A, class CompiledBy, class X, class Op, class F>
void scan_of(const context& where, const X& x, operand<A> out, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A> || !Inclusive) {
    core::require_fold<A, Op>();
    scan_room::scan_of<Inclusive, A, CompiledBy>(where, x, out, identity_of<A>(op), op, f);
  } else {
    core::require_operator<A, Op>();
    scan_room::require_scan_operands(where, x, out);
    if (where.kind() != backend::cpu) throw needs_identity("scan", where.kind());
    if (out.size() == 0) return;
    const as_array in{core::reading(x)};
    const auto widened = core::widened<A>(f);
    const A first = A(widened(in[0]));
    out[0] = first;
    if (out.size() > 1) cpu::scan_custom<true>(where.dev(), in + 1, out.size() - 1, out.data() + 1, first, op, widened);
  }
}

}  // namespace upsweep::scan_room
