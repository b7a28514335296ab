// The folds by key and by segment on device memory, enqueued: what segmented.hpp's forms end in. What the library was
// compiled for goes through the catalog, all else to the templates of the backend.
#pragma once

#include "upsweep/segmented/cpu/segmented.hpp"
#include "upsweep/segmented/problem.hpp"
#include "upsweep/select/operands.hpp"
#if defined(__CUDACC__)
#include "upsweep/segmented/cuda.cuh"
#endif

namespace upsweep::segmented_room {

template <class K, class T, class Op, class F, class CompiledBy = this_compiler>
void reduce_by_key(const context& where, device_span<const K> keys, device_span<const T> in, device_span<K> keys_out,
                   device_span<T> out, device_span<std::uint64_t> count, Op op, F f) {
  require_fold<T, Op>();
  const char* const name = "reduce_by_key";
  require_same_size(name, "the keys", keys.size(), "the values", in.size());
  require_room(name, "the keys' output", keys_out.size(), keys.size());
  require_room(name, "the values' output", out.size(), in.size());
  require_room(name, "the count", count.size(), 1);
  require_apart(name, where.kind(),
                {read_from("the keys", keys), read_from("the values", in), written_to("the keys' output", keys_out),
                 written_to("the values' output", out), written_to("the count", count)});
  if constexpr (builtin_type<K> && builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), identity_of<T>(op), f);
    p.what = primitive::reduce_by_key;
    p.key_type = dtype_of<K>;
    p.in2 = keys.where(), p.out2 = keys_out.where(), p.count = count.where();
    segmented_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::reduce_by_key_custom(where.dev(), keys.data(), in.data(), in.size(), keys_out.data(),
                                                  out.data(), equals{}, op, f);
        return;
      case backend::opencl: throw needs_builtin_on_opencl(name, "a type, operator or transform");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T>)
      return cuda::reduce_by_key(cuda::of(where.dev()), keys.data(), in.data(), in.size(), keys_out.data(), out.data(),
                                 count.data(), op, equals{}, f);
#endif
    throw needs_nvcc("segmented");
  }
}

template <bool Inclusive, class K, class T, class Op, class F, class CompiledBy = this_compiler>
void scan_by_key(const context& where, device_span<const K> keys, device_span<const T> in, device_span<T> out, T init,
                 Op op, F f) {
  require_fold<T, Op>();
  const char* const name = "scan_by_key";
  require_same_size(name, "the keys", keys.size(), "the values", in.size());
  require_same_size(name, "the values", in.size(), "the output", out.size());
  require_apart_or_in_place(name, where.kind(),
                            {read_from("the values", in), written_to("the output", out), read_from("the keys", keys)});
  if constexpr (builtin_type<K> && builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::scan_by_key;
    p.key_type = dtype_of<K>, p.inclusive = Inclusive;
    p.in2 = keys.where();
    segmented_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        return cpu::scan_by_key_custom(where.dev(), keys.data(), in.data(), in.size(), out.data(), init, Inclusive,
                                       equals{}, op, f);
      case backend::opencl: throw needs_builtin_on_opencl(name, "a type, operator or transform");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<T>)
      return cuda::scan_by_key(cuda::of(where.dev()), keys.data(), in.data(), in.size(), out.data(), Inclusive, init,
                               op, equals{}, f);
#endif
    throw needs_nvcc("segmented");
  }
}

// There is one offset more than there are segments; none at all are no segments.
inline std::uint64_t segments_of(const char* where, std::uint64_t offsets) {
  if (offsets == 0)
    throw error(fault::bad_argument, where, "there are no offsets", "give one more than there are segments");
  return offsets - 1;
}

template <class T, class Op, class F, class CompiledBy = this_compiler>
void segmented_reduce(const context& where, device_span<const T> in, device_span<const std::uint64_t> offsets,
                      device_span<T> out, T init, Op op, F f) {
  require_fold<T, Op>();
  const char* const name = "segmented_reduce";
  const std::uint64_t segments = segments_of(name, offsets.size());
  require_same_size(name, "the segments", segments, "the output", out.size());
  require_apart(name, where.kind(),
                {read_from("the values", in), read_from("the offsets", offsets), written_to("the output", out)});
  if (where.kind() == backend::cpu || checking) require_offsets(where, name, offsets, in.size());
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::segmented_reduce;
    p.in2 = offsets.where(), p.m = segments;
    segmented_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        return cpu::segmented_reduce_custom(where.dev(), in.data(), in.size(), offsets.data(), segments, out.data(),
                                            init, op, f);
      case backend::opencl: throw needs_builtin_on_opencl(name, "a type, operator or transform");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::segmented_reduce(cuda::of(where.dev()), in.data(), in.size(), offsets.data(), segments, out.data(),
                                    init, op, f);
#endif
    throw needs_nvcc("segmented");
  }
}

template <bool Inclusive, class T, class Op, class F, class CompiledBy = this_compiler>
void segmented_scan(const context& where, device_span<const T> in, device_span<const std::uint64_t> offsets,
                    device_span<T> out, T init, Op op, F f) {
  require_fold<T, Op>();
  const char* const name = "segmented_scan";
  const std::uint64_t segments = segments_of(name, offsets.size());
  require_same_size(name, "the values", in.size(), "the output", out.size());
  require_apart_or_in_place(
      name, where.kind(),
      {read_from("the values", in), written_to("the output", out), read_from("the offsets", offsets)});
  if (where.kind() == backend::cpu || checking) require_offsets(where, name, offsets, in.size());
  if constexpr (builtin_problem<T, Op, F>) {
    auto p = fold_problem<problem, T, Op, F>(in.where(), out.where(), in.size(), init, f);
    p.what = primitive::segmented_scan;
    p.in2 = offsets.where(), p.m = segments, p.inclusive = Inclusive;
    segmented_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        return cpu::segmented_scan_custom(where.dev(), in.data(), in.size(), offsets.data(), segments, out.data(), init,
                                          Inclusive, op, f);
      case backend::opencl: throw needs_builtin_on_opencl(name, "a type, operator or transform");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::segmented_scan(cuda::of(where.dev()), in.data(), in.size(), offsets.data(), segments, out.data(),
                                  Inclusive, init, op, f);
#endif
    throw needs_nvcc("segmented");
  }
}

}  // namespace upsweep::segmented_room
