// Selections on device memory, enqueued, with their counts on the device: the implementation of select.hpp's
// overloads. Types compiled into the library go through the catalog, all others to the templates of the backend.
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/select/cpu/select_cpu.hpp"
#include "upsweep/select/jit/select_jit.hpp"
#include "upsweep/select/select_operands.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/select/select_records.hpp"
#include "upsweep/sort/sort_records.hpp"
#if defined(__CUDACC__)
#include "upsweep/select/select_cuda.cuh"
#endif

namespace upsweep::detail::select_impl {

using namespace core;

// Checks of the operands, in device memory or in host memory; `count` is empty if the caller passes none. The output
// may be exactly the input.

template <class T>
void require_output(const char* name, const context& where, operand<const T> in, operand<T> out,
                    operand<std::uint64_t> count = {}) {
  require_capacity(name, "the output", out.size(), in.size());
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}, {"the count", count}}, 1);
}

template <class T>
void require_all_places(const char* name, const context& where, operand<const T> in, operand<T> out,
                        operand<std::uint64_t> count = {}) {
  require_same_size(name, "the elements of the input have # elements and the output #", in.size(), out.size());
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}, {"the count", count}}, 1);
}

template <class T>
void require_flagged(const context& where, operand<const T> in, operand<const std::uint8_t> flags, operand<T> out,
                     operand<std::uint64_t> count = {}) {
  const char* const name = "select_flagged";
  require_same_size(name, "the elements have # elements and the flags #", in.size(), flags.size());
  require_capacity(name, "the output", out.size(), in.size());
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}, {"the flags", flags}, {"the count", count}},
                     1);
}

template <class K, class V>
void require_pairs(const context& where, operand<const K> keys, operand<const V> values, operand<K> keys_out,
                   operand<V> values_out, operand<std::uint64_t> count = {}) {
  const char* const name = "unique_by_key";
  require_same_size(name, "the keys have # elements and the values #", keys.size(), values.size());
  require_capacity(name, "the keys' output", keys_out.size(), keys.size());
  require_capacity(name, "the values' output", values_out.size(), values.size());
  require_no_overlap(name, where,
                     {{"the keys", keys},
                      {"the keys' output", keys_out},
                      {"the values", values},
                      {"the values' output", values_out},
                      {"the count", count}},
                     2);
}

template <class T>
void require_runs(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> lengths,
                  operand<std::uint64_t> count = {}) {
  const char* const name = "run_length_encode";
  require_capacity(name, "the output", out.size(), in.size());
  require_capacity(name, "the lengths' output", lengths.size(), in.size());
  require_no_overlap(name, where,
                     {{"the input", in}, {"the output", out}, {"the lengths", lengths}, {"the count", count}});
}

// The memory to read: the input, or a copy of it if the output is exactly the input.
template <class T>
class input_apart {
 public:
  input_apart(const context& where, operand<const T> in, operand<T> out, const char* name = "select/aside") : in_(in) {
    const memory a = in.where(), b = out.where();
    const bool same =
        where.kind() == backend::opencl ? a.base == b.base && a.offset == b.offset : a.address() == b.address();
    if (!same || in.size() == 0) return;
    if constexpr (std::is_trivially_copyable_v<T>) {
      const memory aside = where.device().scratch(name, std::max<std::uint64_t>(in.bytes(), 16));
      where.device().copy(aside, a, in.bytes());
      in_ = {aside, in.size(), in.on_host()};
    } else {
      copy_.assign(in.data(), in.data() + in.size());
      in_ = std::span<const T>(copy_);
    }
  }
  operator operand<const T>() const { return in_; }

 private:
  struct nothing {};
  operand<const T> in_;
  std::conditional_t<std::is_trivially_copyable_v<T>, nothing, std::vector<T>> copy_;
};

inline namespace UPSWEEP_COMPILED {

// Requirements on contents are checked if the host can read them, and in checked calls.
template <class T>
bool contents_are_looked_at(const context& where, operand<const T> in) {
  return in.on_host() || where.kind() == backend::cpu || core::checks_places(where);
}

template <class T>
void require_lengths(const context& where, operand<const T> in, operand<const std::uint64_t> lengths, operand<T> out) {
  const char* const name = "run_length_decode";
  require_same_size(name, "the elements have # elements and the lengths #", in.size(), lengths.size());
  require_no_overlap(name, where, {{"the input", in}, {"the lengths", lengths}, {"the output", out}});
  if (detail::select_impl::contents_are_looked_at(where, lengths)) require_sum(where, lengths, out.size());
}

// There must be one flag for each index, or no flags: all are gathered.
template <class T, class I>
void require_indices(const char* name, const context& where, operand<const T> in, operand<const I> indices,
                     operand<const std::uint8_t> flags, bool by_flags, operand<T> out) {
  require_same_size(name, "the indices have # elements and the output #", indices.size(), out.size());
  if (by_flags) require_same_size(name, "the indices have # elements and the flags #", indices.size(), flags.size());
  require_no_overlap(name, where,
                     {{"the input", in}, {"the indices", indices}, {"the flags", flags}, {"the output", out}});
  if (detail::select_impl::contents_are_looked_at(where, indices))
    require_indices_below(where, name, indices, flags, in.size());
}

template <class T, class I>
void require_places(const char* name, const context& where, operand<const T> in, operand<const I> indices,
                    operand<const std::uint8_t> flags, bool by_flags, operand<T> out) {
  require_same_size(name, "the elements have # elements and the indices #", in.size(), indices.size());
  if (by_flags) require_same_size(name, "the elements have # elements and the flags #", in.size(), flags.size());
  require_no_overlap(name, where,
                     {{"the input", in}, {"the indices", indices}, {"the flags", flags}, {"the output", out}});
  if (detail::select_impl::contents_are_looked_at(where, indices))
    require_indices_below(where, name, indices, flags, out.size());
}

// Calls move(i) wherever a flag says so; blocks side by side.
template <class Move>
void for_each_flagged(const context& where, std::uint64_t n, operand<const std::uint8_t> flags, bool by_flags,
                      const Move& move) {
  constexpr std::uint64_t block = 1 << 12;
  const std::uint8_t* flag = flags.data();
  cpu::for_each_block(where.device(), cpu::block_count(n, block), [&](std::uint64_t b, const cpu::stop_flag&) {
    for (std::uint64_t i = b * block, last = (std::min)(n, i + block); i < last; ++i)
      if (!by_flags || flag[i] != 0) move(i);
  });
}

}  // namespace UPSWEEP_COMPILED

// ---- Enqueued.

template <class T, class Test, class CompiledBy = this_compiler>
void copy_if(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> count, Test test) {
  require_test<T, Test>();
  require_capacity("copy_if", "the count", count.size(), 1);
  detail::select_impl::require_output<T>("copy_if", where, in, out, count);
  const input_apart<T> apart(where, in, out);
  in = apart;
  if constexpr (builtin_test<T, Test>) {
    problem p = selection_of<T>(selection::where, in, out, count);
    p.test = test.how, p.threshold = scalar::of(test.threshold);
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: *count.data() = cpu::copy_if(where.device(), in.data(), in.size(), out.data(), test); return;
      case backend::opencl:
        return opencl::select_by(
            where.device(),
            {"copy_if", opencl::ask<T>("copy_if", test), in.where(), in.size(), selection::where, count.where()},
            {{in.where(), out.where(), sizeof(T)}});
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_source<Test>)
      return cuda::copy_if(cuda::of(where.device()), in.data(), in.size(), out.data(), count.data(),
                           core::callable_on_a_gpu(test));
#endif
    if constexpr (cuda::has_tests_source<T, Test>) {
      auto& question = cuda::question_jit<T>("copy_if", test);
      const opencl::selection_jit what{"copy_if", question.asked,   in.where(),
                                       in.size(), selection::where, count.where()};
      cuda::select_by(where.device(), what, out.where(), memory(), &question.made);
      return;
    }
    core::require_trivial_copies<T>(where, "copy_if");
    core::throw_error(needs_nvcc("select", "copy_if", true));
  }
}

template <class T, class CompiledBy = this_compiler>
void select_flagged(const context& where, operand<const T> in, operand<const std::uint8_t> flags, operand<T> out,
                    operand<std::uint64_t> count) {
  require_capacity("select_flagged", "the count", count.size(), 1);
  detail::select_impl::require_flagged<T>(where, in, flags, out, count);
  const input_apart<T> apart(where, in, out);
  in = apart;
  if constexpr (constexpr auto type = bitwise_type<T>()) {
    problem p = selection_of<T>(selection::flagged, in, out, count);
    p.type = *type, p.in3 = flags.where();
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::copy_flagged(where.device(), in.data(), flags.data(), in.size(), out.data());
        return;
      case backend::opencl:
        if constexpr (std::is_trivially_copyable_v<T>) {
          problem p = selection_of<T>(selection::flagged, in, out, count);
          p.in3 = flags.where();
          return opencl::select_by_flags(where.device(), "select_flagged", p, sizeof(T));
        }
        core::throw_error(needs_trivial_copies("select_flagged", where.kind()));
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::select_flagged(cuda::of(where.device()), in.data(), flags.data(), in.size(), out.data(),
                                  count.data());
#endif
    if constexpr (std::is_trivially_copyable_v<T>) {
      cuda::kept_question& question = cuda::flags_jit<T>();
      cuda::beside_selected by_flags;
      by_flags.flags = flags.where();
      return cuda::select_by(
          where.device(), {"select_flagged", question.asked, in.where(), in.size(), selection::flagged, count.where()},
          out.where(), {}, &question.made, by_flags);
    }
    core::throw_error(needs_trivial_copies("select_flagged", where.kind()));
  }
}

template <class T, class CompiledBy = this_compiler>
void unique(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> count) {
  require_capacity("unique", "the count", count.size(), 1);
  detail::select_impl::require_output<T>("unique", where, in, out, count);
  const input_apart<T> apart(where, in, out);
  in = apart;
  if constexpr (builtin_type<T>) {
    detail::select_impl::run(where, selection_of<T>(selection::unique, in, out, count));
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::unique_copy(where.device(), in.data(), in.size(), out.data(), equals{});
        return;
      case backend::opencl:
        return opencl::select_by(where.device(),
                                 {"unique", opencl::ask_neighbours<T>("unique", equals{}), in.where(), in.size(),
                                  selection::unique, count.where()},
                                 {{in.where(), out.where(), sizeof(T)}});
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::unique(cuda::of(where.device()), in.data(), in.size(), out.data(), count.data(), equals{});
#endif
    if constexpr (cuda::has_equality_source<T>) {
      cuda::kept_question& question = cuda::neighbours_jit<T, void>("unique", equals{});
      return cuda::select_by(where.device(),
                             {"unique", question.asked, in.where(), in.size(), selection::unique, count.where()},
                             out.where(), {}, &question.made);
    }
    core::require_trivial_copies<T>(where, "unique");
    core::throw_error(needs_nvcc("select", "unique", true));
  }
}

template <class K, class V, class CompiledBy = this_compiler>
void unique_by_key(const context& where, operand<const K> keys, operand<const V> values, operand<K> keys_out,
                   operand<V> values_out, operand<std::uint64_t> count) {
  require_capacity("unique_by_key", "the count", count.size(), 1);
  detail::select_impl::require_pairs<K, V>(where, keys, values, keys_out, values_out, count);
  const input_apart<K> keys_apart(where, keys, keys_out);
  const input_apart<V> values_apart(where, values, values_out, "select/values aside");
  keys = keys_apart, values = values_apart;
  if constexpr (builtin_type<K> && moves_beside<V>) {
    problem p = selection_of<K>(selection::unique, keys, keys_out, count);
    p.value_bytes = sizeof(V), p.in2 = values.where(), p.out2 = values_out.where();
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() = cpu::unique_by_key(where.device(), keys.data(), values.data(), keys.size(), keys_out.data(),
                                           values_out.data(), equals{});
        return;
      case backend::opencl:
        if constexpr (std::is_trivially_copyable_v<V>)
          return opencl::select_by(
              where.device(),
              {"unique_by_key", opencl::ask_neighbours<K>("unique_by_key", equals{}), keys.where(), keys.size(),
               selection::unique, count.where()},
              {{keys.where(), keys_out.where(), sizeof(K)}, {values.where(), values_out.where(), sizeof(V)}});
        core::throw_error(needs_trivial_copies("unique_by_key", where.kind()));
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>)
      return cuda::unique_by_key(cuda::of(where.device()), keys.data(), values.data(), keys.size(), keys_out.data(),
                                 values_out.data(), count.data(), equals{});
#endif
    if constexpr (cuda::has_equality_source<K> && std::is_trivially_copyable_v<V>) {
      cuda::kept_question& question = cuda::neighbours_jit<K, V>("unique_by_key", equals{});
      return cuda::select_by(
          where.device(),
          {"unique_by_key", question.asked, keys.where(), keys.size(), selection::unique, count.where()},
          keys_out.where(), {}, &question.made, {{values.where(), values_out.where(), sizeof(V)}, alignof(V)});
    }
    core::require_trivial_copies<K, V>(where, "unique_by_key");
    core::throw_error(needs_nvcc("select", "unique_by_key", true));
  }
}

template <class T, class Test, class CompiledBy = this_compiler>
void partition(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> count, Test test) {
  require_test<T, Test>();
  require_capacity("partition", "the count", count.size(), 1);
  detail::select_impl::require_all_places<T>("partition", where, in, out, count);
  const input_apart<T> apart(where, in, out);
  in = apart;
  if constexpr (builtin_test<T, Test>) {
    problem p = selection_of<T>(selection::partition, in, out, count);
    p.test = test.how, p.threshold = scalar::of(test.threshold);
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: {
        std::uint64_t sizes[2];
        cpu::partition_classes(
            where.device(), in.data(), in.size(), out.data(), 2, [&](const T& x) { return test(x) ? 0 : 1; }, sizes);
        *count.data() = sizes[0];
        return;
      }
      case backend::opencl:
        return opencl::select_by(where.device(),
                                 {"partition", opencl::ask<T>("partition", test), in.where(), in.size(),
                                  selection::partition, count.where()},
                                 {{in.where(), out.where(), sizeof(T)}});
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_source<Test>)
      return cuda::partition(cuda::of(where.device()), in.data(), in.size(), out.data(), count.data(),
                             core::callable_on_a_gpu(test));
#endif
    if constexpr (cuda::has_tests_source<T, Test>) {
      auto& question = cuda::question_jit<T>("partition", test);
      const opencl::selection_jit what{"partition", question.asked,       in.where(),
                                       in.size(),   selection::partition, count.where()};
      cuda::select_by(where.device(), what, out.where(), memory(), &question.made);
      return;
    }
    core::require_trivial_copies<T>(where, "partition");
    core::throw_error(needs_nvcc("select", "partition", true));
  }
}

template <class T, class First, class Second, class CompiledBy = this_compiler>
void three_way_partition(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> counts,
                         First first, Second second) {
  require_test<T, First>();
  require_test<T, Second>();
  require_capacity("three_way_partition", "the counts' span", counts.size(), 2);
  detail::select_impl::require_all_places<T>("three_way_partition", where, in, out, counts);
  const input_apart<T> apart(where, in, out);
  in = apart;
  if constexpr (builtin_test<T, First> && builtin_test<T, Second>) {
    problem p = selection_of<T>(selection::three_way_partition, in, out, counts);
    p.test = first.how, p.threshold = scalar::of(first.threshold);
    p.test2 = second.how, p.threshold2 = scalar::of(second.threshold);
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: {
        std::uint64_t sizes[3];
        const auto which = [&](const T& x) { return first(x) ? 0 : second(x) ? 1 : 2; };
        cpu::partition_classes(where.device(), in.data(), in.size(), out.data(), 3, which, sizes);
        counts.data()[0] = sizes[0], counts.data()[1] = sizes[1];
        return;
      }
      case backend::opencl:
        return opencl::select_by(where.device(),
                                 {"three_way_partition", opencl::ask<T>("three_way_partition", first, second),
                                  in.where(), in.size(), selection::three_way_partition, counts.where()},
                                 {{in.where(), out.where(), sizeof(T)}});
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_source<First> && !opencl::is_only_source<Second>)
      return cuda::three_way_partition(cuda::of(where.device()), in.data(), in.size(), out.data(), counts.data(),
                                       core::callable_on_a_gpu(first), core::callable_on_a_gpu(second));
#endif
    if constexpr (cuda::has_tests_source<T, First, Second>) {
      auto& question = cuda::question_jit<T>("three_way_partition", first, second);
      const opencl::selection_jit what{"three_way_partition",          question.asked, in.where(), in.size(),
                                       selection::three_way_partition, counts.where()};
      cuda::select_by(where.device(), what, out.where(), memory(), &question.made);
      return;
    }
    core::require_trivial_copies<T>(where, "three_way_partition");
    core::throw_error(needs_nvcc("select", "three_way_partition", true));
  }
}

struct run_lengths {};  // as the values that move with a run's first element

template <class T, class CompiledBy = this_compiler>
void run_length_encode(const context& where, operand<const T> in, operand<T> out, operand<std::uint64_t> lengths,
                       operand<std::uint64_t> count) {
  require_capacity("run_length_encode", "the count", count.size(), 1);
  detail::select_impl::require_runs<T>(where, in, out, lengths, count);
  if constexpr (builtin_type<T>) {
    problem p = selection_of<T>(selection::unique, in, out, count);
    p.what = primitive::run_lengths, p.out2 = lengths.where();
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        *count.data() =
            cpu::run_length_encode(where.device(), in.data(), in.size(), out.data(), lengths.data(), equals{});
        return;
      case backend::opencl:
        return opencl::run_lengths_by(where.device(),
                                      {"run_length_encode", opencl::ask_neighbours<T>("run_length_encode", equals{}),
                                       in.where(), in.size(), selection::unique, count.where()},
                                      out.where(), lengths.where());
      case backend::cuda: break;
    }
#if defined(__CUDACC__)
    if constexpr (std::is_trivially_copyable_v<T>)
      return cuda::run_length_encode(cuda::of(where.device()), in.data(), in.size(), out.data(), lengths.data(),
                                     count.data(), equals{});
#endif
    if constexpr (cuda::has_equality_source<T>) {
      cuda::kept_question& question =
          cuda::neighbours_jit<T, detail::select_impl::run_lengths>("run_length_encode", equals{});
      return cuda::select_by(
          where.device(),
          {"run_length_encode", question.asked, in.where(), in.size(), selection::unique, count.where()}, out.where(),
          {}, &question.made, {{{}, lengths.where(), sizeof(std::uint64_t)}, 1, true});
    }
    core::throw_error(needs_nvcc("select", "run_length_encode", true));
  }
}

template <class T, class CompiledBy = this_compiler>
void run_length_decode(const context& where, operand<const T> in, operand<const std::uint64_t> lengths,
                       operand<T> out) {
  detail::select_impl::require_lengths<T>(where, in, lengths, out);
  if constexpr (constexpr auto type = bitwise_type<T>()) {
    problem p = movement_of<T>(primitive::expand_runs, in, lengths, out);
    p.type = *type, p.n = in.size(), p.m = out.size();
    detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu: {
        T* to = out.data();
        for (std::uint64_t i = 0; i < in.size(); ++i) to = std::fill_n(to, lengths.data()[i], in.data()[i]);
        return;
      }
      case backend::opencl: break;
      case backend::cuda:
#if defined(__CUDACC__)
        if constexpr (std::is_trivially_copyable_v<T>)
          return cuda::run_length_decode(cuda::of(where.device()), in.data(), lengths.data(), in.size(), out.data(),
                                         out.size());
#endif
        break;
    }
    if constexpr (!std::is_trivially_copyable_v<T>)
      core::throw_error(needs_trivial_copies("run_length_decode", where.kind()));
    else
      repeat_records(where.device(), in.where(), sizeof(T), lengths.where(), in.size(), out.size(), out.where());
  }
}

// With flags, or, not `by_flags`, everywhere.
template <class T, class CompiledBy = this_compiler, class I>
void gather(const char* name, const context& where, operand<const T> in, operand<const I> indices,
            operand<const std::uint8_t> flags, bool by_flags, operand<T> out) {
  detail::select_impl::require_indices<T>(name, where, in, indices, flags, by_flags, out);
  if constexpr (constexpr auto type = bitwise_type<T>()) {
    problem p = movement_of<T>(by_flags ? primitive::gather_if : primitive::gather, in, indices, out);
    p.type = *type, p.n = out.size(), p.m = in.size();
    if (by_flags) p.in3 = flags.where();
    detail::select_impl::run(where, p);
  } else {
    if (where.kind() == backend::cpu)
      return detail::select_impl::for_each_flagged(where, out.size(), flags, by_flags,
                                                   [&](std::uint64_t i) { out[i] = in[indices[i]]; });
    if constexpr (!std::is_trivially_copyable_v<T>) {
      core::throw_error(needs_trivial_copies(name, where.kind()));
    } else {
      if (!by_flags)
        return detail::sort_impl::gather_records(where.device(), in.where(), sizeof(T), indices.where(), sizeof(I),
                                                 out.size(), out.where());
#if defined(__CUDACC__)
      if (where.kind() == backend::cuda)
        return cuda::gather_if(cuda::of(where.device()), in.data(), indices.data(), flags.data(), out.size(),
                               out.data());
#endif
      move_records(where.device(),
                   {in.where(), indices.where(), flags.where(), out.where(), sizeof(T), out.size(), sizeof(I), true});
    }
  }
}

template <class T, class CompiledBy = this_compiler, class I>
void scatter(const char* name, const context& where, operand<const T> in, operand<const I> indices,
             operand<const std::uint8_t> flags, bool by_flags, operand<T> out) {
  detail::select_impl::require_places<T>(name, where, in, indices, flags, by_flags, out);
  if constexpr (constexpr auto type = bitwise_type<T>()) {
    problem p = movement_of<T>(primitive::scatter_if, in, indices, out);
    p.type = *type, p.n = in.size(), p.m = out.size();
    if (by_flags) p.in3 = flags.where();
    if (p.n != 0) detail::select_impl::run(where, p);
  } else {
    switch (where.kind()) {
      case backend::cpu:
        return detail::select_impl::for_each_flagged(where, in.size(), flags, by_flags,
                                                     [&](std::uint64_t i) { out[indices[i]] = in[i]; });
      case backend::opencl: break;
      case backend::cuda:
#if defined(__CUDACC__)
        if constexpr (std::is_trivially_copyable_v<T>)
          return cuda::scatter_if(cuda::of(where.device()), in.data(), indices.data(),
                                  by_flags ? flags.data() : nullptr, in.size(), out.data());
#endif
        break;
    }
    if constexpr (!std::is_trivially_copyable_v<T>)
      core::throw_error(needs_trivial_copies(name, where.kind()));
    else
      move_records(where.device(), {in.where(), indices.where(), by_flags ? flags.where() : memory{}, out.where(),
                                    sizeof(T), in.size(), sizeof(I), false});
  }
}

}  // namespace upsweep::detail::select_impl
