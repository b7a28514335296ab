// Folds by key and by segment on device memory, enqueued: the implementation of segmented.hpp's overloads. Types and
// operators compiled into the library go through the catalog, all others to the templates of the backend.
#pragma once

#include "upsweep/core/fold_present.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/segmented/cpu/segmented_cpu.hpp"
#include "upsweep/segmented/jit/segmented_jit.hpp"
#include "upsweep/segmented/segmented_problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/segmented/segmented_cuda.cuh"
#endif

namespace upsweep::detail::segmented_impl {

using namespace core;

// Checks of the operands, in device memory or in host memory; `count` is empty if the caller passes none.

template <class K, class T>
void require_runs(const context& where, operand<const K> keys, operand<const T> in, operand<K> keys_out, operand<T> out,
                  operand<std::uint64_t> count = {}) {
  const char* const name = "reduce_by_key";
  require_same_size(name, "the keys have # elements and the values #", keys.size(), in.size());
  require_capacity(name, "the keys' output", keys_out.size(), keys.size());
  require_capacity(name, "the values' output", out.size(), in.size());
  require_no_overlap(name, where,
                     {{"the keys", keys},
                      {"the values", in},
                      {"the keys' output", keys_out},
                      {"the values' output", out},
                      {"the count", count}});
}

template <class K, class T>
void require_scan(const context& where, operand<const K> keys, operand<const T> in, operand<T> out) {
  const char* const name = "scan_by_key";
  require_same_size(name, "the keys have # elements and the values #", keys.size(), in.size());
  require_same_size(name, "the values have # elements and the output #", in.size(), out.size());
  require_no_overlap(name, where, {{"the values", in}, {"the output", out}, {"the keys", keys}}, 1);
}

template <class T, class CompiledBy>
void require_folds(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out) {
  const char* const name = "segmented_reduce";
  require_same_size(name, "the segments have # elements and the output #", segments_of(name, offsets.size()),
                    out.size());
  require_no_overlap(name, where, {{"the values", in}, {"the offsets", offsets}, {"the output", out}});
  require_offsets(name, where, offsets, in.size(), core::checks_places(where));
}

template <class T, class CompiledBy>
void require_segmented_scan(const context& where, operand<const T> in, operand<const std::uint64_t> offsets,
                            operand<T> out) {
  const char* const name = "segmented_scan";
  segments_of(name, offsets.size());
  require_same_size(name, "the values have # elements and the output #", in.size(), out.size());
  require_no_overlap(name, where, {{"the values", in}, {"the output", out}, {"the offsets", offsets}}, 1);
  require_offsets(name, where, offsets, in.size(), core::checks_places(where));
}

// The operands' memory for a user-defined fold; the fold itself is passed separately.
template <class T>
problem folds_of(primitive what, operand<const T> in, operand<T> out, memory keys_or_offsets) {
  problem p;
  p.what = what, p.n = in.size(), p.in = in.where(), p.out = out.where(), p.in2 = keys_or_offsets;
  return p;
}

// ---- Enqueued.

template <class K, class T, class Op, class F, class CompiledBy = this_compiler, class Equal = equals>
void reduce_by_key(const context& where, operand<const K> keys, operand<const T> in, operand<K> keys_out,
                   operand<T> out, operand<std::uint64_t> count, Op op, F f, Equal same = {}) {
  require_operator<T, Op>();
  const char* const name = "reduce_by_key";
  detail::segmented_impl::require_runs<K, T>(where, keys, in, keys_out, out, count);
  require_capacity(name, "the count", count.size(), 1);
  if constexpr (builtin_type<K> && builtin_problem<T, Op, F> && std::same_as<Equal, equals>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), identity_of<T>(op), f);
    p.what = primitive::reduce_by_key;
    p.key_type = dtype_of<K>;
    p.in2 = keys.where(), p.out2 = keys_out.where(), p.count = count.where();
    detail::segmented_impl::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    if (where.kind() == backend::cpu) {
      *count.data() = cpu::reduce_by_key_custom(where.device(), keys.data(), in.data(), in.size(), keys_out.data(),
                                                out.data(), same, op, f);
      return;
    }
    if constexpr (!std::is_trivially_copyable_v<T>) {
      core::throw_error(needs_trivial_copies(name, where.kind()));
    } else if constexpr (!has_identity<Op, T>) {
      core::fold_present<T, CompiledBy>(
          where, name, in, out, op, f, [&](const auto& elements, const auto& folds, const auto& on_present) {
            detail::segmented_impl::reduce_by_key<K, core::optional_value<T>, std::remove_cvref_t<decltype(on_present)>,
                                                  identity, CompiledBy>(where, keys, elements, keys_out, folds, count,
                                                                        on_present, identity{}, same);
          });
    } else {
      if (where.kind() == backend::opencl) {
        problem p = folds_of<T>(primitive::reduce_by_key, in, out, keys.where());
        p.out2 = keys_out.where(), p.count = count.where();
        return opencl::fold_by_key<K>(where.device(), name, identity_of<T>(op), op, f, same, p);
      }
#if defined(__CUDACC__)
      if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T> && !opencl::is_only_source<Op> &&
                    !opencl::is_only_source<F> && !opencl::is_only_source<Equal>)
        return cuda::reduce_by_key(cuda::of(where.device()), keys.data(), in.data(), in.size(), keys_out.data(),
                                   out.data(), count.data(), op, core::callable_on_a_gpu(same),
                                   core::callable_on_a_gpu(f));
#endif
      if constexpr (cuda::has_by_key_source<K, T, Op, F, Equal>) {
        problem p = folds_of<T>(primitive::reduce_by_key, in, out, keys.where());
        p.out2 = keys_out.where(), p.count = count.where();
        return cuda::fold_by_key_source<K>(where.device(), name, identity_of<T>(op), op, f, same, p);
      }
      core::throw_error(needs_nvcc("segmented", name, true));
    }
  }
}

template <bool Inclusive, class K, class T, class Op, class F, class CompiledBy = this_compiler, class Equal = equals>
void scan_by_key(const context& where, operand<const K> keys, operand<const T> in, operand<T> out, T init, Op op, F f,
                 Equal same = {}) {
  require_operator<T, Op>();
  const char* const name = "scan_by_key";
  detail::segmented_impl::require_scan<K, T>(where, keys, in, out);
  if constexpr (builtin_type<K> && builtin_problem<T, Op, F> && std::same_as<Equal, equals>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::scan_by_key;
    p.key_type = dtype_of<K>, p.inclusive = Inclusive;
    p.in2 = keys.where();
    detail::segmented_impl::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    if (where.kind() == backend::cpu) {
      return cpu::scan_by_key_custom(where.device(), keys.data(), in.data(), in.size(), out.data(), init, Inclusive,
                                     same, op, f);
    }
    if constexpr (!std::is_trivially_copyable_v<T>) {
      core::throw_error(needs_trivial_copies(name, where.kind()));
    } else if constexpr (!has_identity<Op, T>) {
      core::fold_present<T, CompiledBy>(
          where, name, in, out, op, f, [&](const auto& elements, const auto& folds, const auto& on_present) {
            detail::segmented_impl::scan_by_key<Inclusive, K, core::optional_value<T>,
                                                std::remove_cvref_t<decltype(on_present)>, identity, CompiledBy>(
                where, keys, elements, folds, core::optional_value<T>(init), on_present, identity{}, same);
          });
    } else {
      if (where.kind() == backend::opencl) {
        problem p = folds_of<T>(primitive::scan_by_key, in, out, keys.where());
        p.inclusive = Inclusive;
        return opencl::fold_by_key<K>(where.device(), name, init, op, f, same, p);
      }
#if defined(__CUDACC__)
      if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T> && !opencl::is_only_source<Op> &&
                    !opencl::is_only_source<F> && !opencl::is_only_source<Equal>)
        return cuda::scan_by_key(cuda::of(where.device()), keys.data(), in.data(), in.size(), out.data(), Inclusive,
                                 init, op, core::callable_on_a_gpu(same), core::callable_on_a_gpu(f));
#endif
      if constexpr (cuda::has_by_key_source<K, T, Op, F, Equal>) {
        problem p = folds_of<T>(primitive::scan_by_key, in, out, keys.where());
        p.inclusive = Inclusive;
        return cuda::fold_by_key_source<K>(where.device(), name, init, op, f, same, p);
      }
      core::throw_error(needs_nvcc("segmented", name, true));
    }
  }
}

template <class T, class Op, class F, class CompiledBy = this_compiler>
void segmented_reduce(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                      T init, Op op, F f) {
  require_operator<T, Op>();
  const char* const name = "segmented_reduce";
  detail::segmented_impl::require_folds<T, CompiledBy>(where, in, offsets, out);
  const std::uint64_t segments = offsets.size() - 1;
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::segmented_reduce;
    p.in2 = offsets.where(), p.m = segments;
    detail::segmented_impl::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    if (where.kind() == backend::cpu) {
      return cpu::segmented_reduce_custom(where.device(), in.data(), in.size(), offsets.data(), segments, out.data(),
                                          init, op, f);
    }
    if constexpr (!std::is_trivially_copyable_v<T>) {
      core::throw_error(needs_trivial_copies(name, where.kind()));
    } else if constexpr (!has_identity<Op, T>) {
      core::fold_present<T, CompiledBy>(
          where, name, in, out, op, f, [&](const auto& elements, const auto& folds, const auto& on_present) {
            detail::segmented_impl::segmented_reduce<core::optional_value<T>, std::remove_cvref_t<decltype(on_present)>,
                                                     identity, CompiledBy>(
                where, elements, offsets, folds, core::optional_value<T>(init), on_present, identity{});
          });
    } else {
      if (where.kind() == backend::opencl) {
        problem p = folds_of<T>(primitive::segmented_reduce, in, out, offsets.where());
        p.m = segments;
        return opencl::fold_by_segment(where.device(), name, init, op, f, p);
      }
#if defined(__CUDACC__)
      if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_source<Op> && !opencl::is_only_source<F>)
        return cuda::segmented_reduce(cuda::of(where.device()), in.data(), in.size(), offsets.data(), segments,
                                      out.data(), init, op, core::callable_on_a_gpu(f));
#endif
      if constexpr (cuda::has_fold_source<T, Op, F>) {
        problem p = folds_of<T>(primitive::segmented_reduce, in, out, offsets.where());
        p.m = segments;
        return cuda::fold_by_segment_source(where.device(), name, init, op, f, p);
      }
      core::throw_error(needs_nvcc("segmented", name, true));
    }
  }
}

template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void segmented_scan(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                    T init, Op op, F f) {
  require_operator<T, Op>();
  const char* const name = "segmented_scan";
  detail::segmented_impl::require_segmented_scan<T, CompiledBy>(where, in, offsets, out);
  const std::uint64_t segments = offsets.size() - 1;
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::segmented_scan;
    p.in2 = offsets.where(), p.m = segments, p.inclusive = Inclusive;
    detail::segmented_impl::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    if (where.kind() == backend::cpu) {
      return cpu::segmented_scan_custom(where.device(), in.data(), in.size(), offsets.data(), segments, out.data(),
                                        init, Inclusive, op, f);
    }
    if constexpr (!std::is_trivially_copyable_v<T>) {
      core::throw_error(needs_trivial_copies(name, where.kind()));
    } else if constexpr (!has_identity<Op, T>) {
      core::fold_present<T, CompiledBy>(
          where, name, in, out, op, f, [&](const auto& elements, const auto& folds, const auto& on_present) {
            detail::segmented_impl::segmented_scan<Inclusive, core::optional_value<T>,
                                                   std::remove_cvref_t<decltype(on_present)>, identity, CompiledBy>(
                where, elements, offsets, folds, core::optional_value<T>(init), on_present, identity{});
          });
    } else {
      if (where.kind() == backend::opencl) {
        problem p = folds_of<T>(primitive::segmented_scan, in, out, offsets.where());
        p.m = segments, p.inclusive = Inclusive;
        return opencl::fold_by_segment(where.device(), name, init, op, f, p);
      }
#if defined(__CUDACC__)
      if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_source<Op> && !opencl::is_only_source<F>)
        return cuda::segmented_scan(cuda::of(where.device()), in.data(), in.size(), offsets.data(), segments,
                                    out.data(), Inclusive, init, op, core::callable_on_a_gpu(f));
#endif
      if constexpr (cuda::has_fold_source<T, Op, F>) {
        problem p = folds_of<T>(primitive::segmented_scan, in, out, offsets.where());
        p.m = segments, p.inclusive = Inclusive;
        return cuda::fold_by_segment_source(where.device(), name, init, op, f, p);
      }
      core::throw_error(needs_nvcc("segmented", name, true));
    }
  }
}

}  // namespace upsweep::detail::segmented_impl
