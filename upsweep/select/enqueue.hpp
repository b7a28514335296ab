// The selections on device memory, enqueued, their counts on the device: what select.hpp's forms end in. What the
// library was compiled for goes through the catalog, all else to the templates of the backend.
#pragma once

#include "upsweep/select/cpu/select.hpp"
#include "upsweep/select/operands.hpp"
#include "upsweep/select/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/select/cuda.cuh"
#endif

namespace upsweep::select_room {

template <class T, class Test, class CompiledBy = this_compiler>
void copy_if(const context& where, device_span<const T> in, device_span<T> out, device_span<std::uint64_t> count,
             Test test) {
  require_test<T, Test>();
  require_room("copy_if", "the output", out.size(), in.size());
  require_room("copy_if", "the count", count.size(), 1);
  require_apart("copy_if", where.kind(),
                {read_from("the input", in), written_to("the output", out), written_to("the count", count)});
  if constexpr (builtin_test<T, Test>) {
    problem p = selection_of<T>(selection::where, in, out, count);
    p.test = test.how, p.threshold = scalar::of(test.threshold);
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: *count.data() = cpu::copy_if(where.dev(), in.data(), in.size(), out.data(), test); return;
      case backend::opencl: throw needs_builtin_on_opencl("copy_if", "a test or a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::copy_if(cuda::of(where.dev()), in.data(), in.size(), out.data(), count.data(), test);
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class CompiledBy = this_compiler>
void select_flagged(const context& where, device_span<const T> in, device_span<const std::uint8_t> flags,
                    device_span<T> out, device_span<std::uint64_t> count) {
  require_same_size("select_flagged", "the elements", in.size(), "the flags", flags.size());
  require_room("select_flagged", "the output", out.size(), in.size());
  require_room("select_flagged", "the count", count.size(), 1);
  require_apart("select_flagged", where.kind(),
                {read_from("the input", in), read_from("the flags", flags), written_to("the output", out),
                 written_to("the count", count)});
  if constexpr (constexpr auto type = moved_as<T>()) {
    problem p = selection_of<T>(selection::flagged, in, out, count);
    p.type = *type, p.in3 = flags.where();
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::copy_flagged(where.dev(), in.data(), flags.data(), in.size(), out.data());
        return;
      case backend::opencl: throw needs_builtin_on_opencl("select_flagged", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::select_flagged(cuda::of(where.dev()), in.data(), flags.data(), in.size(), out.data(), count.data());
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class CompiledBy = this_compiler>
void unique(const context& where, device_span<const T> in, device_span<T> out, device_span<std::uint64_t> count) {
  require_room("unique", "the output", out.size(), in.size());
  require_room("unique", "the count", count.size(), 1);
  require_apart("unique", where.kind(),
                {read_from("the input", in), written_to("the output", out), written_to("the count", count)});
  if constexpr (builtin_type<T>) {
    select_room::run(where, selection_of<T>(selection::unique, in, out, count));
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::unique_copy(where.dev(), in.data(), in.size(), out.data(), equals{});
        return;
      case backend::opencl: throw needs_builtin_on_opencl("unique", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::unique(cuda::of(where.dev()), in.data(), in.size(), out.data(), count.data(), equals{});
#endif
    throw needs_nvcc("select");
  }
}

template <class K, class V, class CompiledBy = this_compiler>
void unique_by_key(const context& where, device_span<const K> keys, device_span<const V> values,
                   device_span<K> keys_out, device_span<V> values_out, device_span<std::uint64_t> count) {
  require_same_size("unique_by_key", "the keys", keys.size(), "the values", values.size());
  require_room("unique_by_key", "the keys' output", keys_out.size(), keys.size());
  require_room("unique_by_key", "the values' output", values_out.size(), values.size());
  require_room("unique_by_key", "the count", count.size(), 1);
  require_apart("unique_by_key", where.kind(),
                {read_from("the keys", keys), read_from("the values", values), written_to("the keys' output", keys_out),
                 written_to("the values' output", values_out), written_to("the count", count)});
  if constexpr (builtin_type<K> && moves_beside<V>) {
    problem p = selection_of<K>(selection::unique, keys, keys_out, count);
    p.value_bytes = sizeof(V), p.in2 = values.where(), p.out2 = values_out.where();
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::unique_by_key(where.dev(), keys.data(), values.data(), keys.size(), keys_out.data(),
                                           values_out.data(), equals{});
        return;
      case backend::opencl: throw needs_builtin_on_opencl("unique_by_key", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>)
      return cuda::unique_by_key(cuda::of(where.dev()), keys.data(), values.data(), keys.size(), keys_out.data(),
                                 values_out.data(), count.data(), equals{});
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class Test, class CompiledBy = this_compiler>
void partition(const context& where, device_span<const T> in, device_span<T> out, device_span<std::uint64_t> count,
               Test test) {
  require_test<T, Test>();
  require_same_size("partition", "the elements of the input", in.size(), "the output", out.size());
  require_room("partition", "the count", count.size(), 1);
  require_apart("partition", where.kind(),
                {read_from("the input", in), written_to("the output", out), written_to("the count", count)});
  if constexpr (builtin_test<T, Test>) {
    problem p = selection_of<T>(selection::partition, in, out, count);
    p.test = test.how, p.threshold = scalar::of(test.threshold);
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: {
        std::uint64_t sizes[2];
        cpu::partition_classes(
            where.dev(), in.data(), in.size(), out.data(), 2, [&](const T& x) { return test(x) ? 0 : 1; }, sizes);
        *count.data() = sizes[0];
        return;
      }
      case backend::opencl: throw needs_builtin_on_opencl("partition", "a test or a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::partition(cuda::of(where.dev()), in.data(), in.size(), out.data(), count.data(), test);
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class First, class Second, class CompiledBy = this_compiler>
void partition3(const context& where, device_span<const T> in, device_span<T> out, device_span<std::uint64_t> counts,
                First first, Second second) {
  require_test<T, First>();
  require_test<T, Second>();
  require_same_size("partition3", "the elements of the input", in.size(), "the output", out.size());
  require_room("partition3", "the counts' span", counts.size(), 2);
  require_apart("partition3", where.kind(),
                {read_from("the input", in), written_to("the output", out), written_to("the counts", counts)});
  if constexpr (builtin_test<T, First> && builtin_test<T, Second>) {
    problem p = selection_of<T>(selection::partition3, in, out, counts);
    p.test = first.how, p.threshold = scalar::of(first.threshold);
    p.test2 = second.how, p.threshold2 = scalar::of(second.threshold);
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: {
        std::uint64_t sizes[3];
        const auto which = [&](const T& x) { return first(x) ? 0 : second(x) ? 1 : 2; };
        cpu::partition_classes(where.dev(), in.data(), in.size(), out.data(), 3, which, sizes);
        counts.data()[0] = sizes[0], counts.data()[1] = sizes[1];
        return;
      }
      case backend::opencl: throw needs_builtin_on_opencl("partition3", "a test or a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::partition3(cuda::of(where.dev()), in.data(), in.size(), out.data(), counts.data(), first, second);
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class CompiledBy = this_compiler>
void run_length_encode(const context& where, device_span<const T> in, device_span<T> out,
                       device_span<std::uint64_t> lengths, device_span<std::uint64_t> count) {
  require_room("run_length_encode", "the output", out.size(), in.size());
  require_room("run_length_encode", "the lengths' output", lengths.size(), in.size());
  require_room("run_length_encode", "the count", count.size(), 1);
  require_apart("run_length_encode", where.kind(),
                {read_from("the input", in), written_to("the output", out), written_to("the lengths", lengths),
                 written_to("the count", count)});
  if constexpr (builtin_type<T>) {
    problem p = selection_of<T>(selection::unique, in, out, count);
    p.what = primitive::run_lengths, p.out2 = lengths.where();
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::run_length_encode(where.dev(), in.data(), in.size(), out.data(), lengths.data(), equals{});
        return;
      case backend::opencl: throw needs_builtin_on_opencl("run_length_encode", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::run_length_encode(cuda::of(where.dev()), in.data(), in.size(), out.data(), lengths.data(),
                                     count.data(), equals{});
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class CompiledBy = this_compiler>
void run_length_decode(const context& where, device_span<const T> in, device_span<const std::uint64_t> lengths,
                       device_span<T> out) {
  require_same_size("run_length_decode", "the elements", in.size(), "the lengths", lengths.size());
  require_apart("run_length_decode", where.kind(),
                {read_from("the input", in), read_from("the lengths", lengths), written_to("the output", out)});
  if (where.kind() == backend::cpu || checking) require_sum(where, lengths, out.size());
  if constexpr (constexpr auto type = moved_as<T>()) {
    problem p = movement_of<T>(primitive::expand_runs, in, lengths, out);
    p.type = *type, p.n = in.size(), p.m = out.size();
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: {
        T* to = out.data();
        for (std::uint64_t i = 0; i < in.size(); ++i) to = std::fill_n(to, lengths.data()[i], in.data()[i]);
        return;
      }
      case backend::opencl: throw needs_builtin_on_opencl("run_length_decode", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::run_length_decode(cuda::of(where.dev()), in.data(), lengths.data(), in.size(), out.data(),
                                     out.size());
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class CompiledBy = this_compiler>
void gather(const context& where, device_span<const T> in, device_span<const std::uint64_t> indices,
            device_span<T> out) {
  require_same_size("gather", "the indices", indices.size(), "the output", out.size());
  require_apart("gather", where.kind(),
                {read_from("the input", in), read_from("the indices", indices), written_to("the output", out)});
  if (where.kind() == backend::cpu || checking) require_indices_below(where, "gather", indices, {}, in.size());
  if constexpr (constexpr auto type = moved_as<T>()) {
    problem p = movement_of<T>(primitive::gather, in, indices, out);
    p.type = *type, p.n = out.size(), p.m = in.size();
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        for (std::uint64_t i = 0; i < out.size(); ++i) out.data()[i] = in.data()[indices.data()[i]];
        return;
      case backend::opencl: throw needs_builtin_on_opencl("gather", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::gather(cuda::of(where.dev()), in.data(), indices.data(), out.size(), out.data());
#endif
    throw needs_nvcc("select");
  }
}

template <class T, class CompiledBy = this_compiler>
void scatter_if(const context& where, device_span<const T> in, device_span<const std::uint64_t> indices,
                device_span<const std::uint8_t> flags, device_span<T> out) {
  require_same_size("scatter_if", "the elements", in.size(), "the indices", indices.size());
  require_same_size("scatter_if", "the elements", in.size(), "the flags", flags.size());
  require_apart("scatter_if", where.kind(),
                {read_from("the input", in), read_from("the indices", indices), read_from("the flags", flags),
                 written_to("the output", out)});
  if (where.kind() == backend::cpu || checking) require_indices_below(where, "scatter_if", indices, flags, out.size());
  if constexpr (constexpr auto type = moved_as<T>()) {
    problem p = movement_of<T>(primitive::scatter_if, in, indices, out);
    p.type = *type, p.n = in.size(), p.m = out.size(), p.in3 = flags.where();
    select_room::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        for (std::uint64_t i = 0; i < in.size(); ++i)
          if (flags.data()[i]) out.data()[indices.data()[i]] = in.data()[i];
        return;
      case backend::opencl: throw needs_builtin_on_opencl("scatter_if", "a type");
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::scatter_if(cuda::of(where.dev()), in.data(), indices.data(), flags.data(), in.size(), out.data());
#endif
    throw needs_nvcc("select");
  }
}

}  // namespace upsweep::select_room
