// The folds by key and by segment on device memory, enqueued: what segmented.hpp's forms end in. What the library was
// compiled for goes through the catalog, all else to the templates of the backend.
#pragma once

#include "upsweep/core/call.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/segmented/cpu/segmented.hpp"
#include "upsweep/segmented/opencl/custom.hpp"
#include "upsweep/segmented/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/segmented/cuda.cuh"
#endif

namespace upsweep::segmented_room {

using namespace core;

// What is asked of the operands, in device memory or in host memory; `count` is empty where the caller gives none.

template <class K, class T>
void require_runs(const context& where, operand<const K> keys, operand<const T> in, operand<K> keys_out, operand<T> out,
                  operand<std::uint64_t> count = {}) {
  const char* const name = "reduce_by_key";
  require_same_size(name, "the keys have # elements and the values #", keys.size(), in.size());
  require_room(name, "the keys' output", keys_out.size(), keys.size());
  require_room(name, "the values' output", out.size(), in.size());
  require_apart(name, where,
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
  require_apart(name, where, {{"the values", in}, {"the output", out}, {"the keys", keys}}, 1);
}

template <class T, class CompiledBy>
void require_folds(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out) {
  const char* const name = "segmented_reduce";
  require_same_size(name, "the segments have # elements and the output #", segments_of(name, offsets.size()),
                    out.size());
  require_apart(name, where, {{"the values", in}, {"the offsets", offsets}, {"the output", out}});
  require_offsets(name, where, offsets, in.size(), core::is_checked(where));
}

template <class T, class CompiledBy>
void require_segmented_scan(const context& where, operand<const T> in, operand<const std::uint64_t> offsets,
                            operand<T> out) {
  const char* const name = "segmented_scan";
  segments_of(name, offsets.size());
  require_same_size(name, "the values have # elements and the output #", in.size(), out.size());
  require_apart(name, where, {{"the values", in}, {"the output", out}, {"the offsets", offsets}}, 1);
  require_offsets(name, where, offsets, in.size(), core::is_checked(where));
}

// Where the operands of a fold of the user's own lie; the fold itself travels beside it.
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
  require_fold<T, Op>();
  const char* const name = "reduce_by_key";
  segmented_room::require_runs<K, T>(where, keys, in, keys_out, out, count);
  require_room(name, "the count", count.size(), 1);
  if constexpr (builtin_type<K> && builtin_problem<T, Op, F> && std::same_as<Equal, equals>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), identity_of<T>(op), f);
    p.what = primitive::reduce_by_key;
    p.key_type = dtype_of<K>;
    p.in2 = keys.where(), p.out2 = keys_out.where(), p.count = count.where();
    segmented_room::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::reduce_by_key_custom(where.dev(), keys.data(), in.data(), in.size(), keys_out.data(),
                                                  out.data(), same, op, f);
        return;
      case backend::opencl: {
        problem p = folds_of<T>(primitive::reduce_by_key, in, out, keys.where());
        p.out2 = keys_out.where(), p.count = count.where();
        return opencl::fold_by_key<K>(where.dev(), name, identity_of<T>(op), op, f, same, p);
      }
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T> && !opencl::is_only_text<Op> &&
                  !opencl::is_only_text<F> && !opencl::is_only_text<Equal>)
      return cuda::reduce_by_key(cuda::of(where.dev()), keys.data(), in.data(), in.size(), keys_out.data(), out.data(),
                                 count.data(), op, core::callable_on_a_gpu(same), core::callable_on_a_gpu(f));
#endif
    if constexpr (cuda::has_by_key_text<K, T, Op, F, Equal>) {
      problem p = folds_of<T>(primitive::reduce_by_key, in, out, keys.where());
      p.out2 = keys_out.where(), p.count = count.where();
      return cuda::fold_by_key_text<K>(where.dev(), name, identity_of<T>(op), op, f, same, p);
    }
    throw needs_nvcc("segmented", name, true);
  }
}

template <bool Inclusive, class K, class T, class Op, class F, class CompiledBy = this_compiler, class Equal = equals>
void scan_by_key(const context& where, operand<const K> keys, operand<const T> in, operand<T> out, T init, Op op, F f,
                 Equal same = {}) {
  require_fold<T, Op>();
  const char* const name = "scan_by_key";
  segmented_room::require_scan<K, T>(where, keys, in, out);
  if constexpr (builtin_type<K> && builtin_problem<T, Op, F> && std::same_as<Equal, equals>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::scan_by_key;
    p.key_type = dtype_of<K>, p.inclusive = Inclusive;
    p.in2 = keys.where();
    segmented_room::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    switch (where.kind()) {
      case backend::cpu:
        return cpu::scan_by_key_custom(where.dev(), keys.data(), in.data(), in.size(), out.data(), init, Inclusive,
                                       same, op, f);
      case backend::opencl: {
        problem p = folds_of<T>(primitive::scan_by_key, in, out, keys.where());
        p.inclusive = Inclusive;
        return opencl::fold_by_key<K>(where.dev(), name, init, op, f, same, p);
      }
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T> && !opencl::is_only_text<Op> &&
                  !opencl::is_only_text<F> && !opencl::is_only_text<Equal>)
      return cuda::scan_by_key(cuda::of(where.dev()), keys.data(), in.data(), in.size(), out.data(), Inclusive, init,
                               op, core::callable_on_a_gpu(same), core::callable_on_a_gpu(f));
#endif
    if constexpr (cuda::has_by_key_text<K, T, Op, F, Equal>) {
      problem p = folds_of<T>(primitive::scan_by_key, in, out, keys.where());
      p.inclusive = Inclusive;
      return cuda::fold_by_key_text<K>(where.dev(), name, init, op, f, same, p);
    }
    throw needs_nvcc("segmented", name, true);
  }
}

template <class T, class Op, class F, class CompiledBy = this_compiler>
void segmented_reduce(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                      T init, Op op, F f) {
  require_fold<T, Op>();
  const char* const name = "segmented_reduce";
  segmented_room::require_folds<T, CompiledBy>(where, in, offsets, out);
  const std::uint64_t segments = offsets.size() - 1;
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::segmented_reduce;
    p.in2 = offsets.where(), p.m = segments;
    segmented_room::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    switch (where.kind()) {
      case backend::cpu:
        return cpu::segmented_reduce_custom(where.dev(), in.data(), in.size(), offsets.data(), segments, out.data(),
                                            init, op, f);
      case backend::opencl: {
        problem p = folds_of<T>(primitive::segmented_reduce, in, out, offsets.where());
        p.m = segments;
        return opencl::fold_by_segment(where.dev(), name, init, op, f, p);
      }
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_text<Op> && !opencl::is_only_text<F>)
      return cuda::segmented_reduce(cuda::of(where.dev()), in.data(), in.size(), offsets.data(), segments, out.data(),
                                    init, op, core::callable_on_a_gpu(f));
#endif
    if constexpr (cuda::has_fold_text<T, Op, F>) {
      problem p = folds_of<T>(primitive::segmented_reduce, in, out, offsets.where());
      p.m = segments;
      return cuda::fold_by_segment_text(where.dev(), name, init, op, f, p);
    }
    throw needs_nvcc("segmented", name, true);
  }
}

template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void segmented_scan(const context& where, operand<const T> in, operand<const std::uint64_t> offsets, operand<T> out,
                    T init, Op op, F f) {
  require_fold<T, Op>();
  const char* const name = "segmented_scan";
  segmented_room::require_segmented_scan<T, CompiledBy>(where, in, offsets, out);
  const std::uint64_t segments = offsets.size() - 1;
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::segmented_scan;
    p.in2 = offsets.where(), p.m = segments, p.inclusive = Inclusive;
    segmented_room::run(where, p);
  } else {
    core::require_same_bits<T, Op>(where, name);
    switch (where.kind()) {
      case backend::cpu:
        return cpu::segmented_scan_custom(where.dev(), in.data(), in.size(), offsets.data(), segments, out.data(), init,
                                          Inclusive, op, f);
      case backend::opencl: {
        problem p = folds_of<T>(primitive::segmented_scan, in, out, offsets.where());
        p.m = segments, p.inclusive = Inclusive;
        return opencl::fold_by_segment(where.dev(), name, init, op, f, p);
      }
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_text<Op> && !opencl::is_only_text<F>)
      return cuda::segmented_scan(cuda::of(where.dev()), in.data(), in.size(), offsets.data(), segments, out.data(),
                                  Inclusive, init, op, core::callable_on_a_gpu(f));
#endif
    if constexpr (cuda::has_fold_text<T, Op, F>) {
      problem p = folds_of<T>(primitive::segmented_scan, in, out, offsets.where());
      p.m = segments, p.inclusive = Inclusive;
      return cuda::fold_by_segment_text(where.dev(), name, init, op, f, p);
    }
    throw needs_nvcc("segmented", name, true);
  }
}

}  // namespace upsweep::segmented_room
