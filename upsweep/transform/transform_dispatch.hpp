// Implementation of transform.hpp's calls. The CPU and nvcc compile the templates. Otherwise, calls that the library
// was compiled for run the algorithm's variants, and functions with device source run on OpenCL. Host memory that the
// device cannot read is processed in chunks.
#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/work_partition.hpp"
#include "upsweep/transform/jit/transform_jit.hpp"
#include "upsweep/transform/transform_functions.hpp"
#include "upsweep/transform/transform_problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/for_each/for_each_cuda.cuh"
#endif

namespace upsweep::detail::transform_impl {

// The error for T. With user-defined copy operations nvcc does not help: T does not run on CUDA at all.
template <class T>
error nvcc_needed(const context& where, const char* call) {
  if constexpr (!std::is_trivially_copyable_v<T>) return core::needs_trivial_copies(call, where.kind());
  return {fault::unsupported, call,
          "a type or a function of your own runs on CUDA by its device source, or only where nvcc compiles the call",
          "give each device source (upsweep/jit/jit.hpp), or move the call into a .cu file"};
}

// Whether the library itself was compiled for this function of these elements.
template <class T, class F, class... X>
constexpr bool builtin_map() {
  if constexpr (folding_type<T> && (in_memory<X> && ...) && (std::same_as<value_of<X>, T> && ...)) {
    if constexpr (sizeof...(X) == 1) return builtin_transform<F>;
    if constexpr (sizeof...(X) == 2 && std::same_as<F, difference>) return true;
    if constexpr (sizeof...(X) == 2 && builtin_op<F>) return accepts(F::kind, dtype_of<T>);
  }
  return false;
}

template <class T, class F, class... X>
problem problem_of(operand<T> out, const F& f, const X&... x) {
  problem p;
  p.type = dtype_of<T>, p.n = out.size(), p.out = out.where();
  const memory in[]{core::read_operand(x).where()...};
  p.in = in[0];
  if constexpr (sizeof...(X) == 2) {
    p.in2 = in[1], p.two_inputs = true;
    if constexpr (std::same_as<F, difference>)
      p.subtracts = true;
    else
      p.op = f.kind;
  } else {
    p.transform = f.kind;
  }
  return p;
}

inline namespace UPSWEEP_COMPILED {

// out[i] = at(i) where nvcc compiles it; false elsewhere.
template <class By, class T, class At>
bool stored_by_nvcc([[maybe_unused]] const context& where, [[maybe_unused]] operand<T> out,
                    [[maybe_unused]] const At& at) {
#if defined(__CUDACC__)
  if constexpr (std::is_trivially_copyable_v<T>)
    if (where.kind() == backend::cuda) {
      cuda::store_each(where.device(), out.size(), at, identity{}, out.data());
      return true;
    }
#endif
  return false;
}

// Scratch memory for each lazy view, where its device source stores the elements.
template <class... X>
auto materialize_all_jit(const context& where, const char* call, const X&... x) {
  static constexpr const char* scratch[]{"transform/made 1", "transform/made 2", "transform/made 3",
                                         "transform/made 4"};
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::tuple{core::materialize_jit(where, call, scratch[K], x)...};
  }(std::index_sequence_for<X...>());
}
template <class... X>
inline constexpr bool can_materialize_all_jit = core::can_materialize_jit<X...> && sizeof...(X) <= 4;

template <class... X>
opencl::map_kernel source_of_inputs(const context& where, const char* call, const X&... x) {
  opencl::map_kernel k;
  k.call = call, k.before.of = opencl::compiler_of(where.device());
  if constexpr (!(in_memory<X> && ...)) {
    core::throw_error(core::made_elsewhere(call, where.kind()));
  } else {
    (k.in.push_back({core::read_operand(x).where(), sizeof(value_of<X>), opencl::type_source<value_of<X>>(k)}), ...);
  }
  return k;
}

// out[i] = f(x[i], …), all in device memory. Enqueued.
template <class By, class T, class F, class... X>
void map_on_device(const context& where, const char* call, operand<T> out, const F& f, const X&... x) {
  if constexpr (detail::transform_impl::can_materialize_all_jit<X...>) {
    if (core::must_materialize_jit<X...>(where))
      return std::apply(
          [&](const auto&... there) { detail::transform_impl::map_on_device<By>(where, call, out, f, there...); },
          detail::transform_impl::materialize_all_jit(where, call, x...));
  }
  if constexpr (!opencl::is_only_source<F> && !(core::is_only_source_view<X> || ...))
    if (detail::transform_impl::stored_by_nvcc<By>(
            where, out, detail::transform_impl::function_of(f, core::reading(where.device(), call, x)...)))
      return;
  if constexpr (builtin_map<T, F, X...>()) {
    detail::transform_impl::run(where, detail::transform_impl::problem_of(out, f, x...));
  } else if (where.kind() == backend::cuda && !opencl::has_map_source<T, F, value_of<X>...>) {
    core::throw_error(nvcc_needed<T>(where, call));
  } else {
    const auto make = [&] {
      opencl::map_kernel k = detail::transform_impl::source_of_inputs(where, call, x...);
      opencl::set_function<F, value_of<X>...>(k, f);
      k.result_type = opencl::type_source<T>(k), k.bytes = sizeof(T);
      return k;
    };
    if constexpr (opencl::has_source<F> && (in_memory<X> && ...))
      if (where.kind() == backend::cuda) {
        // This thread's next call with these types reuses it if the device source is the same.
        struct last_call {
          std::string source;
          opencl::map_kernel k;
        };
        [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
        thread_local std::unique_ptr<last_call> last;
        std::string source = opencl::source_of(f);
        if (!last || last->source != source) last = std::make_unique<last_call>(last_call{std::move(source), make()});
        last->k.call = call;
        std::size_t j = 0;
        ((last->k.in[j++].where = core::read_operand(x).where()), ...);
        return cuda::map(where.device(), last->k, 0, out.size(), out.where());
      }
    opencl::map_there(where.device(), make(), 0, out.size(), out.where());
  }
}

// out[i] = f(first + i), in device memory. Enqueued.
template <class By, class T, class F>
void tabulate_on_device(const context& where, const char* call, operand<T> out, const F& f, std::uint64_t first) {
  if constexpr (!opencl::is_only_source<F>)
    if (detail::transform_impl::stored_by_nvcc<By>(where, out, further_on<F>{f, first})) return;
  if (where.kind() == backend::cuda && !opencl::has_map_source<T, F>) core::throw_error(nvcc_needed<T>(where, call));
  opencl::map_kernel k;
  k.call = call, k.before.of = opencl::compiler_of(where.device());
  opencl::set_function<F>(k, f);
  k.result_type = opencl::type_source<T>(k), k.bytes = sizeof(T);
  opencl::map_there(where.device(), k, first, out.size(), out.where());
}

// Copies elements [first, first + count) of x, which is in host memory or a lazy view, to the device.
template <class X>
buffer<value_of<X>> brought(const context& where, const X& x, std::uint64_t first, std::uint64_t count) {
  using V = value_of<X>;
  if constexpr (in_memory<X>) {
    return buffer<V>(where, core::read_operand(x).part(first, count).host());
  } else {
    const host_array<V> made(count);
    const auto at = core::reading(where.device(), "transform", x);
    cpu::for_each_paced_piece(count, 1 << 15, [&](std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t i = from; i < to; ++i) made[i] = at(first + i);
    });
    return buffer<V>(where, std::span<const V>(made.all()));
  }
}

// Calls body(chunk, first) with device memory for one chunk of a host output after the other, and fetches it.
template <class T, class Body>
void for_each_output_chunk(const context& where, const char* call, operand<T> out, std::uint64_t element_bytes,
                           const Body& body) {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    core::for_each_chunk(where.device(), out.size(), element_bytes, [&](std::uint64_t first, std::uint64_t count) {
      buffer<T> to(where, count);
      body(operand<T>(to.span()), first);
      to.download(out.part(first, count).host());
    });
  }
}

// out[i] = f(x[i], …), for operands in any memory space.
template <class By, class Y, class T, class F, class... X>
void map(const context& where, const char* call, operand<T> out, const F& f, const X&... x) {
  if (where.kind() == backend::cpu) {
    const auto at = detail::transform_impl::function_of(f, core::reading(where.device(), call, x)...);
    if constexpr (builtin_map<T, F, X...>())
      cpu::store(where.device(), out.data(), out.size(), at);
    else
      cpu::store_by_pace(where.device(), out.data(), out.size(), at);
  } else if constexpr (memory_space_of<Y> == memory_space::device) {
    detail::transform_impl::map_on_device<By>(where, call, out, f, x...);
  } else if constexpr (!(std::is_trivially_copyable_v<value_of<X>> && ...)) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    detail::transform_impl::for_each_output_chunk(
        where, call, out, sizeof(T) + (sizeof(value_of<X>) + ...), [&](operand<T> to, std::uint64_t first) {
          const auto here = std::tuple{detail::transform_impl::brought(where, x, first, to.size())...};
          std::apply(
              [&](const auto&... b) { detail::transform_impl::map_on_device<By>(where, call, to, f, b.span()...); },
              here);
        });
  }
}

// out[i] = f(i)
template <class By, class Y, class T, class F>
void tabulate(const context& where, const char* call, operand<T> out, const F& f) {
  core::require_reach(call, where, {{"the output", out}});
  if (where.kind() == backend::cpu) {
    cpu::store_by_pace(where.device(), out.data(), out.size(), f);
  } else if constexpr (memory_space_of<Y> == memory_space::device) {
    detail::transform_impl::tabulate_on_device<By>(where, call, out, f, 0);
  } else {
    detail::transform_impl::for_each_output_chunk(where, call, out, sizeof(T), [&](operand<T> to, std::uint64_t first) {
      detail::transform_impl::tabulate_on_device<By>(where, call, to, f, first);
    });
  }
}

// out[i] = value, in device memory.
template <class By, class T>
void fill_on_device(const context& where, operand<T> out, const T& value) {
  if constexpr (constexpr auto type = bitwise_type<T>()) {
    problem p;
    p.what = primitive::fill, p.type = *type, p.n = out.size(), p.out = out.where();
    std::memcpy(p.value.bytes, &value, sizeof value);
    detail::transform_impl::run(where, p);
  } else if (!detail::transform_impl::stored_by_nvcc<By>(where, out, repeat_function<T>{value})) {
    core::throw_error(where.kind() == backend::opencl ? needs_builtin_on_opencl("fill", "a type")
                                                      : nvcc_needed<T>(where, "fill"));
  }
}

// out[i] = first + (from + i)·step, in device memory.
template <class T>
void iota_on_device(const context& where, operand<T> out, T first, T step, std::uint64_t from = 0) {
  problem p;
  p.what = primitive::iota, p.type = dtype_of<T>, p.n = out.size(), p.out = out.where();
  p.value = scalar::of(first), p.step = scalar::of(step), p.from = from;
  detail::transform_impl::run(where, p);
}

// out[0] = in[0], out[i] = op(in[i], in[i - 1]); in may be out exactly.
template <class By, class Y, class T, class X, class Op>
void combine_neighbours(const context& where, operand<T> out, const X& x, const Op& op) {
  using V = value_of<X>;
  bool in_place = false;
  if constexpr (in_memory<X>) {
    const memory from = core::read_operand(x).where(), to = out.where();
    in_place = out.size() != 0 && (where.kind() == backend::opencl ? from.base == to.base && from.offset == to.offset
                                                                   : from.address() == to.address());
  }
  if (where.kind() == backend::cpu) {
    if constexpr (std::same_as<T, V> && std::is_copy_constructible_v<T>)
      if (in_place) return cpu::combine_neighbours_in_place(where.device(), out.data(), out.size(), op);
    if (out.size() == 0) return;
    const auto at = core::reading(where.device(), "adjacent_difference", x);
    out[0] = static_cast<T>(at(0));
    return cpu::store_by_pace(where.device(), out.data() + 1, out.size() - 1, later_ones<decltype(at), Op>{at, op});
  }
  if constexpr (!std::is_trivially_copyable_v<T> || !std::is_trivially_copyable_v<V>) {
    core::throw_error(needs_trivial_copies("adjacent_difference", where.kind()));
  } else if constexpr (memory_space_of<Y> != memory_space::device) {
    const auto here = detail::transform_impl::brought(where, x, 0, out.size());
    buffer<T> there(where, out.size());
    detail::transform_impl::combine_neighbours<By, buffer<T>>(where, operand<T>(there), here.span(), op);
    there.download(out.host());
  } else {
    if (in_place) {
      if constexpr (in_memory<X>) {
        const memory apart =
            where.device().scratch("adjacent-difference/input", std::max<std::uint64_t>(out.bytes(), 16));
        where.device().copy(apart, out.where(), out.bytes());
        return detail::transform_impl::combine_neighbours<By, Y>(where, out, device_span<const V>(apart, out.size()),
                                                                 op);
      }
    }
    if constexpr (core::can_materialize_jit<X>) {
      if (core::must_materialize_jit<X>(where))
        return detail::transform_impl::combine_neighbours<By, Y>(
            where, out, core::materialize_jit(where, "adjacent_difference", "adjacent-difference/made", x), op);
    }
    const auto at = core::reading(where.device(), "adjacent_difference", x);
    if constexpr (!opencl::is_only_source<Op> && !core::is_only_source_view<X>)
      if (detail::transform_impl::stored_by_nvcc<By>(where, out, beside_the_one_before<T, decltype(at), Op>{at, op}))
        return;
    if constexpr (folding_type<T> && std::same_as<T, V> && in_memory<X> &&
                  (std::same_as<Op, difference> || builtin_op<Op>)) {
      problem p;
      p.what = primitive::adjacent_difference, p.type = dtype_of<T>, p.n = out.size();
      p.in = core::read_operand(x).where(), p.out = out.where();
      if constexpr (builtin_op<Op>) p.neighbours = between::op, p.op = Op::kind;
      detail::transform_impl::run(where, p);
    } else if (where.kind() == backend::cuda && !opencl::has_map_source<T, Op, V, V>) {
      core::throw_error(nvcc_needed<T>(where, "adjacent_difference"));
    } else if constexpr (!in_memory<X>) {
      core::throw_error(core::made_elsewhere("adjacent_difference", where.kind()));
    } else if (const operand<const V> in = core::read_operand(x); in.size()) {
      // Views of the same memory, one element apart.
      const device_span<const V> all(in.where(), in.size());
      if constexpr (std::same_as<T, V>)
        where.device().copy(out.where(), in.where(), sizeof(T));
      else
        detail::transform_impl::map_on_device<By>(where, "adjacent_difference", out.part(0, 1), identity{},
                                                  all.subspan(0, 1));
      detail::transform_impl::map_on_device<By>(where, "adjacent_difference", out.part(1, out.size() - 1), op,
                                                all.subspan(1, in.size() - 1), all.subspan(0, in.size() - 1));
    }
  }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::transform_impl
