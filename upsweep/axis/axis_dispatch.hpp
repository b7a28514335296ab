// Dispatch of axis.hpp's folds and scans. Built-in types and operators go to this algorithm's variants. All else goes
// to the backend's templates or, run-time compiled from device source, to the segmented folds. On a device, host memory
// is copied as a whole.
#pragma once

#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/axis/axis_segment_offsets.hpp"
#include "upsweep/axis/cpu/axis_cpu.hpp"
#include "upsweep/core/fold_present.hpp"
#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/operators/monoid.hpp"
#include "upsweep/segmented/jit/segmented_jit.hpp"
#if defined(__CUDACC__)
#include "upsweep/axis/axis_cuda.cuh"
#endif

namespace upsweep::detail::axis_impl {

using namespace core;

enum class fold_kind : std::uint8_t { reduce, inclusive, exclusive };

constexpr const char* call_of(fold_kind k) {
  constexpr const char* names[]{"reduce_along", "inclusive_scan_along", "exclusive_scan_along"};
  return names[static_cast<int>(k)];
}

// On the CPU: `in` yields elements of type T.
template <fold_kind K, class T, class In, class Op, class F>
void fold_on_cpu(const context& where, const In& in, const lines& l, T* out, const T* init, const Op& op, const F& f) {
  const cpu::accumulator_elements<T, In, Op, F> elements{in, op, f};
  if constexpr (K == fold_kind::reduce) {
    cpu::reduce_lines(where.device(), elements, l, out, init, op);
  } else {
    cpu::scan_lines(where.device(), elements, l, out, init, K == fold_kind::inclusive, op);
  }
}

// In device memory, run-time compiled from the device source of types and operators that are not built in: lines are
// segments, and are first copied to contiguous memory where they are strided. Enqueued.
template <fold_kind K, class T, class Op, class F>
void fold_jit(const context& where, operand<const T> in, const lines& l, operand<T> out, const T& init, const Op& op,
              const F& f) {
  constexpr bool has_source = cuda::has_fold_source<T, Op, F>;
  if (!has_source && where.kind() == backend::cuda) core::throw_error(needs_nvcc("axis", call_of(K), true));
  if (l.count() == 0) return;
  device& d = where.device();
  constexpr auto word = bitwise_type<T>();
  const bool across = l.inner > 1;
  detail::segmented_impl::problem s;
  s.what = K == fold_kind::reduce ? detail::segmented_impl::primitive::segmented_reduce
                                  : detail::segmented_impl::primitive::segmented_scan;
  s.inclusive = K == fold_kind::inclusive, s.n = in.size(), s.m = l.count();
  const auto fold = [&] {
    if (where.kind() == backend::opencl) return opencl::fold_by_segment<T>(d, call_of(K), init, op, f, s);
    if constexpr (has_source) return cuda::fold_by_segment_source<T>(d, call_of(K), init, op, f, s);
  };
  if (across)
    s.in = word ? gathered_lines(d, in.where(), l, sizeof(T)) : gathered_records(d, in.where(), l, sizeof(T));
  else
    s.in = in.where();
  s.in2 = offsets_of(d, l);
  s.out = across && K != fold_kind::reduce ? s.in : out.where();
  fold();
  if (!across || K == fold_kind::reduce) return;
  word ? spread_lines(d, s.out, out.where(), l, sizeof(T)) : spread_records(d, s.out, out.where(), l, sizeof(T));
}

// Elements in memory whose type is also the accumulator's. A null init starts from each line's first element. Device
// memory: enqueued.
template <fold_kind K, class T, class Op, class F, class CompiledBy>
void fold_in_memory(const context& where, operand<const T> in, const lines& l, operand<T> out, const T* init, Op op,
                    F f) {
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init ? *init : identity_of<T>(op), f);
    p.what = K == fold_kind::reduce ? primitive::axis_reduce : primitive::axis_scan;
    p.inclusive = K == fold_kind::inclusive, p.along = l;
    in.on_host() ? run_from_host(where, p) : detail::axis_impl::run(where, p);
  } else if (core::require_same_bits<T, Op>(where, call_of(K)); where.kind() == backend::cpu) {
    detail::axis_impl::fold_on_cpu<K, T>(where, in.data(), l, out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies(call_of(K), where.kind()));
  } else if (in.on_host()) {
    const buffer<T> from(where, in.host());
    buffer<T> to(where, out.size());
    detail::axis_impl::fold_in_memory<K, T, Op, F, CompiledBy>(where, from, l, to, init, op, f);
    to.download(out.host());
  } else if constexpr (!has_identity<Op, T>) {
    using V = core::optional_value<T>;
    const V start = init ? V(*init) : V();
    core::fold_present<T, CompiledBy>(
        where, call_of(K), in, out, op, f, [&](const auto& elements, const auto& folds, const auto& on_present) {
          detail::axis_impl::fold_in_memory<K, V, std::remove_cvref_t<decltype(on_present)>, identity, CompiledBy>(
              where, elements, l, folds, &start, on_present, identity{});
        });
  } else {
    const T start = init ? *init : identity_of<T>(op);
#if defined(__CUDACC__)
    if constexpr (!opencl::is_only_source<Op> && !opencl::is_only_source<F>) {
      if (where.kind() == backend::cuda) {
        if constexpr (K == fold_kind::reduce) {
          cuda::reduce_lines(where.device(), in.data(), l, out.data(), start, op, core::callable_on_a_gpu(f));
        } else {
          cuda::scan_lines(where.device(), in.data(), l, out.data(), K == fold_kind::inclusive, start, op,
                           core::callable_on_a_gpu(f));
        }
        return;
      }
    }
#endif
    detail::axis_impl::fold_jit<K, T>(where, in, l, out, start, op, f);
  }
}

// Elements of another type, or of a lazy view: f converts them to A.
template <fold_kind K, class A, class Op, class CompiledBy, class In, class F>
void fold_as_made(const context& where, memory_space space, const In& in, const lines& l, operand<A> out, const A* init,
                  const Op& op, const F& f) {
  core::require_same_bits<A, Op>(where, call_of(K));
  const std::uint64_t n = l.elements();
  if (where.kind() == backend::cpu) {
    detail::axis_impl::fold_on_cpu<K, A>(where, in, l, out.data(), init, op, f);
  } else if constexpr (!std::is_trivially_copyable_v<A>) {
    core::throw_error(needs_trivial_copies(call_of(K), where.kind()));
  } else if (!out.on_host()) {
    detail::axis_impl::fold_in_memory<K, A, Op, identity, CompiledBy>(
        where, core::made_on_device<A, CompiledBy>(where, call_of(K), in, n, f), l, out, init, op, identity{});
  } else if (space != memory_space::device) {
    const host_array<A> made(n);
    cpu::for_each_paced_piece(n, 1 << 15, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) made[i] = A(f(in[i]));
    });
    detail::axis_impl::fold_in_memory<K, A, Op, identity, CompiledBy>(where, operand<const A>(made.all()), l, out, init,
                                                                      op, identity{});
  }
}

inline void require_one_side(const char* call, const context& where, memory_space in, bool out_on_host) {
  if (where.kind() != backend::cpu && (out_on_host ? in == memory_space::device : in == memory_space::host))
    core::throw_error(error(fault::bad_argument, call,
                            "input and output are in different memories, the device's and the host's",
                            "give both in the same memory"));
}

// Folds or scans the lines of x through f in A, starting from *init; null: without an initial value.
template <fold_kind K, class A, class CompiledBy, class X, class Op, class F>
void fold_of(const context& where, const X& x, const lines_along& which, operand<A> out, const A* init, const Op& op,
             const F& f) {
  const char* const call = call_of(K);
  core::require_operator<A, Op>();
  const std::uint64_t n = core::elements_in(x);
  const lines l = which.of(call, n);
  if (K == fold_kind::reduce)
    require_same_size(call, "there are # lines and # outputs", l.count(), out.size(),
                      "give one output element for each line");
  else
    require_same_size(call, "the input has # elements and the output #", n, out.size());
  if constexpr (in_memory<X>)
    require_no_overlap(call, where, {{"the input", core::read_operand(x)}, {"the output", out}},
                       K != fold_kind::reduce && std::same_as<value_of<X>, A> ? 1 : 0);
  else
    core::require_reach(call, where, {{"the output", out}});
  detail::axis_impl::require_one_side(call, where, memory_space_of<X>, out.on_host());
  if (K == fold_kind::reduce && !has_identity<Op, A> && init == nullptr && l.length == 0 && l.count() != 0)
    core::throw_error(error(fault::bad_argument, call, "the lines have no elements, and the operator has no identity",
                            "give an init, or upsweep::monoid(op, identity)"));
  if constexpr (reads_as<X, A, F>) {
    detail::axis_impl::fold_in_memory<K, A, Op, F, CompiledBy>(where, core::read_operand(x), l, out, init, op, f);
  } else {
    detail::axis_impl::fold_as_made<K, A, Op, CompiledBy>(where, memory_space_of<X>,
                                                          as_array{core::reading(where.device(), call, x)}, l, out,
                                                          init, op, core::widened<A>(f));
  }
}

// As above, starting from the operator's identity where it has one.
template <fold_kind K, class A, class CompiledBy, class X, class Op, class F>
void fold_of(const context& where, const X& x, const lines_along& which, operand<A> out, const Op& op, const F& f) {
  if constexpr (has_identity<Op, A>) {
    const A init = identity_of<A>(op);
    detail::axis_impl::fold_of<K, A, CompiledBy>(where, x, which, out, &init, op, f);
  } else {
    if constexpr (K == fold_kind::exclusive) core::require_fold<A, Op>();
    const A* const nothing = nullptr;
    detail::axis_impl::fold_of<K, A, CompiledBy>(where, x, which, out, nothing, op, f);
  }
}

// Scans from an init, or from the operator's identity.
template <fold_kind K, class X, class Y, class Init, class Op, class CompiledBy = this_compiler>
void scanned_from(const context& where, const X& in, const lines_along& which, Y&& out, const Init& init,
                  const Op& op) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, identity, Init>()) {
    const A first = core::given_value<A>(call_of(K), "the init", init);
    detail::axis_impl::fold_of<K, A, CompiledBy>(where, in, which, core::written_operand(out), &first,
                                                 core::as_operator<A>(op), identity{});
  }
}
template <fold_kind K, class X, class Y, class Op, class CompiledBy = this_compiler>
void scanned(const context& where, const X& in, const lines_along& which, Y&& out, const Op& op) {
  using A = element_of<Y>;
  if constexpr (core::scans_into<A, X, identity>())
    detail::axis_impl::fold_of<K, A, CompiledBy>(where, in, which, core::written_operand(out), core::as_operator<A>(op),
                                                 identity{});
}

}  // namespace upsweep::detail::axis_impl
