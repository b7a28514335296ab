// The implementation of the overloads in scan.hpp. Types and operators that the library was compiled for go to the
// compiled variants, all others to the templates of the backend. Host memory that the device cannot read is copied in
// chunks; each chunk begins with the last value of the one before it.
#pragma once

#include "upsweep/core/accumulator.hpp"
#include "upsweep/core/fold_present.hpp"
#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/scan/cpu/scan_cpu.hpp"
#include "upsweep/scan/cuda/scan_cuda_jit.hpp"
#include "upsweep/scan/opencl/scan_opencl.hpp"
#include "upsweep/scan/scan_problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/scan/scan_cuda.cuh"
#endif

namespace upsweep::detail::scan_impl {

using namespace core;

template <bool Inclusive, class T, class Op, class F, class CompiledBy>
void scan_present_into(const context& where, operand<const T> in, operand<T> out, core::optional_value<T> init,
                       const Op& op, const F& f);

// Elements in memory, of the type of the fold. Calls on device memory are enqueued. Calls on host memory return after
// the work is done.
template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void scan_into(const context& where, operand<const T> in, operand<T> out, T init, Op op, F f) {
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.inclusive = Inclusive;
    in.on_host() ? run_on_host(where, p) : detail::scan_impl::run(where, p);
  } else if (core::require_same_bits<T, Op>(where, "scan"); where.kind() == backend::cpu) {
    cpu::scan_custom<Inclusive>(where.device(), in.data(), in.size(), out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies("scan", where.kind()));
  } else if (in.on_host()) {
    T carry = init;
    core::for_each_chunk(where.device(), in.size(), 2 * sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const T last = in[first + count - 1];  // read before an in-place scan overwrites it
      buffer<T> chunk(where, in.part(first, count).host());
      detail::scan_impl::scan_into<Inclusive, T, Op, F, CompiledBy>(where, chunk, chunk, carry, op, f);
      chunk.download(out.part(first, count).host());
      carry =
          Inclusive ? out[first + count - 1] : T(op(out[first + count - 1], upsweep::to_accumulator(op, T(f(last)))));
    });
  } else if constexpr (!has_identity<Op, T>) {
    detail::scan_impl::scan_present_into<Inclusive, T, Op, F, CompiledBy>(where, in, out, core::optional_value<T>(init),
                                                                          op, f);
  } else if (where.kind() == backend::opencl) {
    opencl::scan_custom<Inclusive, T>(where.device(), in.where(), in.size(), out.where(), init, op, f);
#if defined(__CUDACC__)
  } else if constexpr (!opencl::is_only_source<Op> && !opencl::is_only_source<F>) {
    cuda::scan<Inclusive>(where.device(), in.data(), in.size(), out.data(), init, op, core::callable_on_a_gpu(f));
#endif
  } else if constexpr (cuda::has_fold_source<T, Op, F>) {
    cuda::scan_jit(where.device(), cuda::fold_jit("scan", init, op, f), in.where(), in.size(), out.where(), Inclusive);
  } else {
    core::throw_error(needs_nvcc("scan", nullptr, true));
  }
}

// scan_into on device memory for an operator without an identity. An absent init stands for none.
template <bool Inclusive, class T, class Op, class F, class CompiledBy>
void scan_present_into(const context& where, operand<const T> in, operand<T> out, core::optional_value<T> init,
                       const Op& op, const F& f) {
  core::fold_present<T, CompiledBy>(
      where, "scan", in, out, op, f, [&](const auto& elements, const auto& folds, const auto& on_present) {
        detail::scan_impl::scan_into<Inclusive, core::optional_value<T>, std::remove_cvref_t<decltype(on_present)>,
                                     identity, CompiledBy>(where, elements, folds, init, on_present, identity{});
      });
}

// Elements of another type, or of a lazy view: f converts them to A.
template <bool Inclusive, class A, class Op, class CompiledBy, class In, class F>
void scan_as_made(const context& where, memory_space space, const In& in, operand<A> out, A init, const Op& op,
                  const F& f) {
  core::require_same_bits<A, Op>(where, "scan");
  const std::uint64_t n = out.size();
  if (where.kind() == backend::cpu) {
    cpu::scan_custom<Inclusive>(where.device(), in, n, out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<A>) {
    core::throw_error(needs_trivial_copies("scan", where.kind()));
  } else if (!out.on_host()) {
    const auto made = core::made_on_device<A, CompiledBy>(where, "scan", in, n, f);
    detail::scan_impl::scan_into<Inclusive, A, Op, identity, CompiledBy>(where, made, out, init, op, identity{});
  } else if (space == memory_space::device) {
    core::throw_error(error(fault::bad_argument, "scan", "the input is in device memory and the output in host memory",
                            "give both in the same memory"));
  } else {
    A carry = init;
    core::for_each_made_chunk<A>(where, in, n, f, [&](std::span<A> chunk, std::uint64_t first) {
      const operand<A> part = out.part(first, chunk.size());
      detail::scan_impl::scan_into<Inclusive, A, Op, identity, CompiledBy>(where, chunk, part, carry, op, identity{});
      const A last = part[chunk.size() - 1];
      carry = Inclusive ? last : A(op(last, upsweep::to_accumulator(op, chunk.back())));
    });
  }
}

template <class X, class A>
void require_scan_operands(const context& where, const X& x, operand<A> out) {
  require_same_size("scan", "the input has # elements and the output #", core::elements_in(x), out.size());
  if constexpr (in_memory<X>)
    require_no_overlap("scan", where, {{"the input", core::read_operand(x)}, {"the output", out}},
                       std::same_as<value_of<X>, A> ? 1 : 0);
  else
    core::require_reach("scan", where, {{"the output", out}});
}

// The prefixes of f(x_i) after init, computed in A.
template <bool Inclusive, class A, class CompiledBy, class X, class Op, class F>
void scan_of(const context& where, const X& x, operand<A> out, A init, const Op& op, const F& f) {
  core::require_operator<A, Op>();
  detail::scan_impl::require_scan_operands(where, x, out);
  if constexpr (reads_as<X, A, F>) {
    detail::scan_impl::scan_into<Inclusive, A, Op, F, CompiledBy>(where, core::read_operand(x), out, init, op, f);
  } else {
    detail::scan_impl::scan_as_made<Inclusive, A, Op, CompiledBy>(where, memory_space_of<X>,
                                                                  as_array{core::reading(where.device(), "scan", x)},
                                                                  out, init, op, core::widened<A>(f));
  }
}

// scan_of with an init in device memory, which is read when the work runs; on OpenCL the call waits for it.
template <bool Inclusive, class A, class CompiledBy, class X, class Op, class F>
void scan_after(const context& where, const X& x, operand<A> out, operand<const A> init, const Op& op, const F& f) {
  static_assert(
      memory_space_of<X> != memory_space::host,
      "upsweep: an init in device memory requires input and output in device memory; pass the value of the init");
  core::require_operator<A, Op>();
  detail::scan_impl::require_scan_operands(where, x, out);
  require_same_size("scan", "the init in device memory has # elements and needs #", init.size(), 1);
  require_no_overlap("scan", where, {{"the init", init}, {"the output", out}});
  const auto fetched = [&] {
    host_array<A> here(1);
    core::download(where, operand<A>(here.all()), init);
    return here.data()[0];
  };
  if (where.kind() == backend::cpu) {
    detail::scan_impl::scan_of<Inclusive, A, CompiledBy>(where, x, out, *init.data(), op, f);
  } else if constexpr (builtin_problem<A, Op, F> && reads_as<X, A, F>) {
    auto p =
        fold_problem<problem, A, Op, F>(core::read_operand(x).where(), out.where(), out.size(), identity_of<A>(op), f);
    p.inclusive = Inclusive;
    if (where.kind() == backend::cuda && detail::scan_impl::choose(where, p).kind == variant_kind::tuned)
      p.init_there = init.where();
    else
      p.init = scalar::of(fetched());
    detail::scan_impl::run(where, p);
  } else if (core::require_same_bits<A, Op>(where, "scan"); !has_identity<Op, A> || where.kind() == backend::opencl) {
    detail::scan_impl::scan_of<Inclusive, A, CompiledBy>(where, x, out, fetched(), op, f);
#if defined(__CUDACC__)
  } else if constexpr (has_identity<Op, A> && !opencl::is_only_source<Op> && !opencl::is_only_source<F>) {
    const auto scan = [&](const A* in, const auto& through) {
      cuda::scan<Inclusive>(where.device(), in, out.size(), out.data(),
                            cuda::initial<A>(identity_of<A>(op), init.data()), op, through);
    };
    if constexpr (reads_as<X, A, F>)
      scan(core::read_operand(x).data(), f);
    else
      scan(core::made_on_device<A, CompiledBy>(where, "scan", as_array{core::reading(where.device(), "scan", x)},
                                               out.size(), core::widened<A>(f))
               .data(),
           identity{});
#endif
  } else if constexpr (has_identity<Op, A> && reads_as<X, A, F> && cuda::has_fold_source<A, Op, F>) {
    const operand<const A> in = core::read_operand(x);
    const A nothing = identity_of<A>(op);
    cuda::scan_jit(where.device(), cuda::fold_jit("scan", nothing, op, f), in.where(), in.size(), out.where(),
                   Inclusive, init.where());
  } else if constexpr (has_identity<Op, A> && !reads_as<X, A, F>) {
    const auto made = core::made_on_device<A, CompiledBy>(
        where, "scan", as_array{core::reading(where.device(), "scan", x)}, out.size(), core::widened<A>(f));
    detail::scan_impl::scan_after<Inclusive, A, CompiledBy>(where, device_span<const A>(made.where(), made.size()), out,
                                                            init, op, identity{});
  } else {
    core::throw_error(needs_nvcc("scan", nullptr, true));
  }
}

// scan_of without an init. Without an identity an inclusive scan begins with the first element.
template <bool Inclusive, class A, class CompiledBy, class X, class Op, class F>
void scan_of(const context& where, const X& x, operand<A> out, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A> || !Inclusive) {
    core::require_fold<A, Op>();
    detail::scan_impl::scan_of<Inclusive, A, CompiledBy>(where, x, out, identity_of<A>(op), op, f);
  } else {
    core::require_operator<A, Op>();
    detail::scan_impl::require_scan_operands(where, x, out);
    if (out.size() == 0) return;
    if constexpr (memory_space_of<X> != memory_space::host && std::is_trivially_copyable_v<A>)
      if (where.kind() != backend::cpu && !out.on_host()) {
        const core::optional_value<A> none;
        if constexpr (reads_as<X, A, F>)
          return detail::scan_impl::scan_present_into<true, A, Op, F, CompiledBy>(where, core::read_operand(x), out,
                                                                                  none, op, f);
        else
          return detail::scan_impl::scan_present_into<true, A, Op, identity, CompiledBy>(
              where,
              core::made_on_device<A, CompiledBy>(where, "scan", as_array{core::reading(where.device(), "scan", x)},
                                                  out.size(), core::widened<A>(f)),
              out, none, op, identity{});
      }
    const as_array in{core::reading(where.device(), "scan", x)};
    const auto widened = core::widened<A>(f);
    const A first = A(widened(in[0]));
    out[0] = first;
    if (out.size() > 1)
      detail::scan_impl::scan_as_made<true, A, Op, CompiledBy>(where, memory_space_of<X>, in + 1,
                                                               out.part(1, out.size() - 1), first, op, widened);
  }
}

}  // namespace upsweep::detail::scan_impl
