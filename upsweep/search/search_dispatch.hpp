// The implementation of search.hpp's overloads. Types compiled into the library go to search's variants, all others
// to the templates of the backend; host memory that the device cannot read is copied in chunks.
#pragma once

#include <new>

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/search/cpu/search_cpu.hpp"
#include "upsweep/search/jit/search_jit.hpp"
#include "upsweep/search/search_condition_inputs.hpp"
#include "upsweep/search/search_problem.hpp"
#include "upsweep/views.hpp"
#if defined(__CUDACC__)
#include "upsweep/search/search_cuda.cuh"
#endif

namespace upsweep::detail::search_impl {

inline namespace UPSWEEP_COMPILED {
#if defined(__CUDACC__)
inline constexpr bool nvcc_compiles = true;
#else
inline constexpr bool nvcc_compiles = false;
#endif
// Whether a kernel compiled by nvcc can evaluate the condition on its inputs in place; nvcc cannot call a function
// that has only device source.
template <class F, class... X>
inline constexpr bool kernel_asks =
    nvcc_compiles && !opencl::is_only_source<F> && common_memory_space<X...> != memory_space::host &&
    !(core::is_only_source_view<X> || ...);
// Whether the device's own compiler can, by its device source: OpenCL's, and where nvcc compiles nothing NVRTC.
template <class F, class... X>
inline constexpr bool has_source = false;
template <class F, class X>
inline constexpr bool has_source<F, X> =
    core::in_memory<X> && cuda::has_search_source<core::value_of<X>, core::value_of<X>, F>;
template <class F, class X, class Y>
inline constexpr bool has_source<F, X, Y> =
    core::in_memory<X> && core::in_memory<Y> && cuda::has_search_source<core::value_of<X>, core::value_of<Y>, F>;
template <class F, class... X>
bool asks_jit(const context& where) {
  return where.kind() == backend::opencl || (where.kind() == backend::cuda && !kernel_asks<F, X...>);
}
}  // namespace UPSWEEP_COMPILED

template <class... X>
inline constexpr bool all_in_memory = (in_memory<X> && ...);
template <class... X>
inline constexpr bool in_device_memory = common_memory_space<X...> == memory_space::device;

template <class... T>
inline constexpr std::uint64_t bytes_together = (std::uint64_t{0} + ... + sizeof(T));

inline error no_kernel(const char* call, backend b) {
  if (b != backend::opencl) return needs_nvcc("search", call, true);
  return {fault::unsupported, call, "a test, a comparison or a type of your own runs on OpenCL by its device source",
          "give each device source (upsweep/jit/jit.hpp), or use a CPU context"};
}

// Elements [first, first + count) of host memory, or of a lazy view there, copied to the device's memory.
template <class X>
buffer<value_of<X>> brought(const context& where, const X& x, std::uint64_t first, std::uint64_t count) {
  using T = value_of<X>;
  buffer<T> there(where, count);
  if constexpr (in_memory<X>) {
    there.upload(core::read_operand(x).part(first, count).host());
  } else {
    const host_array<T> here(count);
    const auto at = core::reading(where.device(), "search", x);
    for (std::uint64_t i = 0; i < count; ++i) here[i] = T(at(first + i));
    there.upload(here.all());
  }
  return there;
}
// The whole input where the device can read it: itself, or a copy on the device.
template <class X>
decltype(auto) at_hand(const context& where, const X& x) {
  if constexpr (memory_space_of<X> == memory_space::device) {
    return (x);
  } else {
    return detail::search_impl::brought(where, x, 0, core::elements_in(x));
  }
}

// Two inputs are compared up to the shorter size; a set or a pattern is read as a whole.
template <class Q, class X, class... Y>
std::uint64_t elements_asked(const X& x, const Y&... y) {
  if constexpr (sizeof...(Y) == 0 || Q::second_is_whole) {
    return core::elements_in(x);
  } else {
    return (std::min)({core::elements_in(x), core::elements_in(y)...});
  }
}

// --- count_if, find_if and mismatch: enqueued if the device can read the inputs ---

template <class CompiledBy, primitive What, class Q, class X, class... Y>
void ask_into(const context& where, const Q& q, operand<std::uint64_t> out, const X& x, const Y&... y) {
  if constexpr (core::can_materialize_jit<X, Y...>) {
    if (core::must_materialize_jit<X, Y...>(where))
      return detail::search_impl::ask_into<CompiledBy, What>(
          where, q, out, core::materialize_jit(where, q.call, "search/made", x),
          core::materialize_jit(where, q.call, "search/made second", y)...);
  }
  core::require_reach_of(q.call, where, x, y...);
  const std::uint64_t n = detail::search_impl::elements_asked<Q>(x, y...);
  if constexpr (all_in_memory<X, Y...> && Q::template is_builtin<value_of<X>, value_of<Y>...>) {
    problem p = q.template as_problem<value_of<X>>(What);
    p.in = core::read_operand(x).where(), p.n = n, p.out = out.where();
    ((p.in2 = core::read_operand(y).where(), p.m = core::elements_in(y)), ...);
    detail::search_impl::run(where, p);
  } else {
    std::uint64_t places = detail::search_impl::places_of(Q::how, n, n);
    if constexpr (Q::second_is_whole) ((places = detail::search_impl::places_of(Q::how, n, core::elements_in(y))), ...);
    using F = std::remove_cvref_t<decltype(q.f)>;
    if constexpr (has_source<F, X, Y...>) {
      if (detail::search_impl::asks_jit<F, X, Y...>(where)) {
        using T = value_of<X>;
        using U = std::tuple_element_t<sizeof...(Y), std::tuple<T, value_of<Y>...>>;
        const memory in = core::read_operand(x).where();
        memory in2;
        std::uint64_t m = 0;
        ((in2 = core::read_operand(y).where(), m = core::elements_in(y)), ...);
        const auto ask = [&](const auto& s, auto count, auto first) {
          return What == primitive::count_if ? count(where.device(), s, Q::how, in, in2, places, m, out.where())
                                             : first(where.device(), s, Q::how, in, in2, places, m, n, out.where());
        };
        constexpr bool of_one = Q::how == seek::passing;
        if (where.kind() == backend::cuda)
          return ask(cuda::search_jit<T, U, Q::how>(q.call, q.f, of_one, q.negated), cuda::count_jit, cuda::first_jit);
        return ask(opencl::search_jit<T, U>(q.call, q.f, of_one, q.negated), opencl::count_jit, opencl::first_jit);
      }
    }
    const auto answer = [&](const auto& has) {
      if (where.kind() == backend::cpu) {
        if constexpr (What == primitive::count_if) {
          *out.data() = cpu::count_places<cpu::cost::unknown>(where.device(), places, has);
        } else {
          const std::uint64_t at = cpu::first_place<1, cpu::cost::unknown>(where.device(), places, has);
          *out.data() = at == places ? n : at;
        }
      } else if constexpr (kernel_asks<F, X, Y...>) {
#if defined(__CUDACC__)
        if (where.kind() != backend::cuda) core::throw_error(no_kernel(q.call, where.kind()));
        if constexpr (What == primitive::count_if) {
          cuda::count_places(where.device(), places, has, out.data());
        } else {
          cuda::first_place(where.device(), places, n, has, out.data());
        }
#endif
      } else if constexpr (all_in_memory<X, Y...>) {
        core::throw_error(no_kernel(q.call, where.kind()));
      } else {
        core::throw_error(made_elsewhere(q.call, where.kind()));
      }
    };
    if constexpr (sizeof...(Y) == 0) {
      q.ask(answer, core::reading(where.device(), q.call, x));
    } else {
      q.ask(answer, core::reading(where.device(), q.call, x), (core::elements_in(y), ...),
            core::reading(where.device(), q.call, y)...);
    }
  }
}

// --- forms that wait for the result ---

template <class CompiledBy, primitive What, class Q, class X, class... Y>
std::uint64_t asked(const context& where, const Q& q, const X& x, const Y&... y) {
  if (where.kind() == backend::cpu) {
    std::uint64_t answer = 0;
    detail::search_impl::ask_into<CompiledBy, What>(where, q, std::span(&answer, 1), x, y...);
    return answer;
  }
  if constexpr (in_device_memory<X, Y...>) {
    const operand<std::uint64_t> out = core::counts_in_scratch(where);
    detail::search_impl::ask_into<CompiledBy, What>(where, q, out, x, y...);
    return core::fetch_count(where, out);
  } else if constexpr (!(std::is_trivially_copyable_v<value_of<X>> && ... &&
                         std::is_trivially_copyable_v<value_of<Y>>)) {
    core::throw_error(needs_trivial_copies(q.call, where.kind()));
  } else {
    const std::uint64_t n = detail::search_impl::elements_asked<Q>(x, y...);
    std::uint64_t m = 0, answer = What == primitive::count_if ? 0 : n;
    if constexpr (Q::second_is_whole) ((m = core::elements_in(y)), ...);
    const auto on_chunks = [&](const auto&... second) {
      const std::uint64_t places = detail::search_impl::places_of(Q::how, n, m), behind = Q::overlap(m);
      const std::uint64_t chunk = std::max<std::uint64_t>(
          1, core::chunk_elements(where.device(), n, bytes_together<value_of<X>, value_of<Y>...>));
      bool found = false;
      core::for_each_chunk_of(chunk, places, [&](std::uint64_t first, std::uint64_t count) {
        if (found) return;
        const auto part = detail::search_impl::brought(where, x, first, (std::min)(count + behind, n - first));
        std::uint64_t here = 0;
        if constexpr (sizeof...(Y) == 1 && !Q::second_is_whole) {
          here = detail::search_impl::asked<CompiledBy, What>(
              where, q, part, detail::search_impl::brought(where, second, first, count)...);
        } else {
          here = detail::search_impl::asked<CompiledBy, What>(where, q, part, second...);
        }
        if constexpr (What == primitive::count_if) {
          answer += here;
        } else if (here < count) {
          answer = first + here, found = true;
        }
      });
    };
    if constexpr (Q::second_is_whole) {
      on_chunks(detail::search_impl::at_hand(where, y)...);
    } else {
      on_chunks(y...);
    }
    return answer;
  }
}

// --- argmin: the first element that none is better than ---

template <class Better>
inline constexpr bool is_builtin_order = std::same_as<Better, in_order> || std::same_as<Better, in_falling_order>;

template <class CompiledBy, class X, class Better>
void best_into(const context& where, const char* call, const X& x, operand<std::uint64_t> out, const Better& better) {
  core::require_reach_of(call, where, x);
  const std::uint64_t n = core::elements_in(x);
  if constexpr (core::can_materialize_jit<X>) {
    if (core::must_materialize_jit<X>(where))
      return detail::search_impl::best_into<CompiledBy>(
          where, call, core::materialize_jit(where, call, "search/made", x), out, better);
  }
  if constexpr (in_memory<X> && builtin_type<value_of<X>> && is_builtin_order<Better>) {
    problem p;
    p.what = primitive::argmin, p.type = dtype_of<value_of<X>>, p.n = n;
    p.which = std::same_as<Better, in_order> ? extreme::min : extreme::max;
    p.in = core::read_operand(x).where(), p.out = out.where();
    detail::search_impl::run(where, p);
  } else if (where.kind() == backend::cpu) {
    *out.data() = cpu::best_place(where.device(), n, core::reading(where.device(), call, x), better);
  } else {
    if constexpr (has_source<Better, X>) {
      if (detail::search_impl::asks_jit<Better, X>(where)) {
        using T = value_of<X>;
        const memory in = core::read_operand(x).where();
        if (where.kind() == backend::cuda)
          return cuda::best_jit(where.device(), cuda::search_jit<T, T, primitive::argmin>(call, better), in, n,
                                out.where());
        return opencl::best_jit(where.device(), opencl::search_jit<T, T>(call, better), in, n, out.where());
      }
    }
    if constexpr (kernel_asks<Better, X>) {
#if defined(__CUDACC__)
      if (where.kind() != backend::cuda) core::throw_error(no_kernel(call, where.kind()));
      cuda::best_place(where.device(), n, core::reading(where.device(), call, x), core::callable_on_a_gpu(better),
                       out.data());
#endif
    } else if constexpr (in_memory<X>) {
      core::throw_error(no_kernel(call, where.kind()));
    } else {
      core::throw_error(made_elsewhere(call, where.kind()));
    }
  }
}

template <class CompiledBy, class X, class Better>
std::uint64_t best_of(const context& where, const char* call, const X& x, const Better& better) {
  if (where.kind() == backend::cpu) {
    std::uint64_t place = 0;
    detail::search_impl::best_into<CompiledBy>(where, call, x, std::span(&place, 1), better);
    return place;
  }
  if constexpr (in_device_memory<X>) {
    const operand<std::uint64_t> out = core::counts_in_scratch(where);
    detail::search_impl::best_into<CompiledBy>(where, call, x, out, better);
    return core::fetch_count(where, out);
  } else if constexpr (!std::is_trivially_copyable_v<value_of<X>>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    const auto at = core::reading(where.device(), call, x);
    std::uint64_t best = 0;
    core::for_each_chunk(where.device(), core::elements_in(x), sizeof(value_of<X>),
                         [&](std::uint64_t first, std::uint64_t count) {
                           const std::uint64_t place =
                               first + detail::search_impl::best_of<CompiledBy>(
                                           where, call, detail::search_impl::brought(where, x, first, count), better);
                           if (first == 0 || better(at(place), at(best))) best = place;
                         });
    return best;
  }
}

// --- bounds ---

template <bound Side, class CompiledBy, class X, class Q, class Out, class Less>
void bounds_into(const context& where, const char* call, const X& sorted, const Q& queries, operand<Out> out,
                 const Less& less) {
  using T = value_of<X>;
  if constexpr (core::can_materialize_jit<X, Q>) {
    if (core::must_materialize_jit<X, Q>(where))
      return detail::search_impl::bounds_into<Side, CompiledBy>(
          where, call, core::materialize_jit(where, call, "search/made", sorted),
          core::materialize_jit(where, call, "search/made second", queries), out, less);
  }
  core::require_reach_of(call, where, sorted, queries);
  core::require_reach(call, where, {{"the output", out}});
  const std::uint64_t n = core::elements_in(queries), m = core::elements_in(sorted);
  if constexpr (all_in_memory<X, Q> && builtin_type<T> && std::same_as<T, value_of<Q>> &&
                std::same_as<Less, in_order>) {
    problem p;
    p.what = primitive::bounds, p.type = dtype_of<T>, p.n = n, p.m = m, p.side = Side, p.narrow = sizeof(Out) == 4;
    p.in = core::read_operand(sorted).where(), p.in2 = core::read_operand(queries).where(), p.out = out.where();
    detail::search_impl::run(where, p);
  } else {
    const auto at = core::reading(where.device(), call, sorted);
    const auto of = core::reading(where.device(), call, queries);
    const bound_at<Side, decltype(at), decltype(of), Less, Out> body{at, m, of, less, out.data()};
    if (where.kind() == backend::cpu) return cpu::for_each_search<cpu::cost::unknown>(where.device(), n, body);
    if constexpr (std::is_same_v<T, value_of<Q>> && has_source<Less, X, Q>) {
      if (detail::search_impl::asks_jit<Less, X, Q>(where)) {
        const memory in = core::read_operand(sorted).where(), of_queries = core::read_operand(queries).where();
        if (where.kind() == backend::cuda)
          return cuda::bounds_jit(where.device(), cuda::search_jit<T, T, Side>(call, less), Side, in, m, of_queries, n,
                                  out.where(), sizeof(Out));
        return opencl::bounds_jit(where.device(), opencl::search_jit<T, T>(call, less), Side, in, m, of_queries, n,
                                  out.where(), sizeof(Out));
      }
    }
    if constexpr (kernel_asks<Less, X, Q>) {
#if defined(__CUDACC__)
      if (where.kind() != backend::cuda) core::throw_error(no_kernel(call, where.kind()));
      cuda::for_each_index(where.device(), n, body);
#endif
    } else if constexpr (all_in_memory<X, Q>) {
      core::throw_error(no_kernel(call, where.kind()));
    } else {
      core::throw_error(made_elsewhere(call, where.kind()));
    }
  }
}

template <bound Side, class CompiledBy, class X, class Q, class Out, class Less>
void bounds_of(const context& where, const char* call, const X& sorted, const Q& queries, operand<Out> out,
               const Less& less) {
  if (where.kind() == backend::cpu) {
    return detail::search_impl::bounds_into<Side, CompiledBy>(where, call, sorted, queries, out, less);
  }
  if constexpr (!std::is_trivially_copyable_v<value_of<X>> || !std::is_trivially_copyable_v<value_of<Q>>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    decltype(auto) all = detail::search_impl::at_hand(where, sorted);
    if (!out.on_host()) {
      return detail::search_impl::bounds_into<Side, CompiledBy>(
          where, call, all, detail::search_impl::at_hand(where, queries), out, less);
    }
    core::for_each_chunk(
        where.device(), out.size(), sizeof(value_of<Q>) + sizeof(Out), [&](std::uint64_t first, std::uint64_t count) {
          const buffer<value_of<Q>> part = detail::search_impl::brought(where, queries, first, count);
          buffer<Out> bounds(where, count);
          detail::search_impl::bounds_into<Side, CompiledBy>(where, call, all, part, operand<Out>(bounds), less);
          bounds.download(out.part(first, count).host());
        });
  }
}

// --- results on the device ---

template <class... X>
void require_one(const char* call, const context& where, operand<std::uint64_t> out, const X&... x) {
  static_assert(common_memory_space<X...> != memory_space::host,
                "upsweep: a result in device memory requires an input in device memory; call the overload that returns "
                "the value");
  (..., [&] {
    if constexpr (in_memory<X>)
      core::require_no_overlap(call, where, {{"the input", core::read_operand(x)}, {"the output", out}});
  }());
  core::require_reach(call, where, {{"the output", out}});
  if (out.size() != 1)
    core::throw_error(error(fault::bad_argument, call,
                            "the output span has " + std::to_string(out.size()) + " elements", "give exactly one"));
}

template <class CompiledBy, primitive What, class Q, class X, class... Y>
void ask_on_device(const context& where, const Q& q, operand<std::uint64_t> out, const X& x, const Y&... y) {
  detail::search_impl::require_one(q.call, where, out, x, y...);
  detail::search_impl::ask_into<CompiledBy, What>(where, q, out, x, y...);
}

template <class CompiledBy, class X, class Better>
void best_on_device(const context& where, const char* call, const X& x, operand<std::uint64_t> out,
                    const Better& better) {
  detail::search_impl::require_one(call, where, out, x);
  detail::search_impl::best_into<CompiledBy>(where, call, x, out, better);
}

template <bound Side, class CompiledBy, class X, class Q, class Out, class Less>
void look_up(const context& where, const char* call, const X& sorted, const Q& queries, operand<Out> out,
             const Less& less) {
  if constexpr (detail::search_impl::require_relation<X, Q, Less>() &&
                detail::search_impl::require_relation<Q, X, Less>()) {
    constexpr bool its_output = Side == bound::found ? std::same_as<Out, std::uint8_t> || std::same_as<Out, bool>
                                                     : std::unsigned_integral<Out> && sizeof(Out) >= 4;
    static_assert(its_output,
                  "upsweep: positions are written as u64 or u32, and results of binary_search as u8 or bool");
    core::require_same_size(call, "there are # queries and # output elements", core::elements_in(queries), out.size());
    if (sizeof(Out) == 4 && core::elements_in(sorted) >> 32)
      core::throw_error(error(fault::bad_argument, call, "there are more positions than 32 bits can represent",
                              "give it an output of u64"));
    if constexpr (in_memory<X>)
      core::require_no_overlap(call, where, {{"the sorted elements", core::read_operand(sorted)}, {"the output", out}});
    if constexpr (in_memory<Q>)
      core::require_no_overlap(call, where, {{"the queries", core::read_operand(queries)}, {"the output", out}});
    if constexpr (its_output)
      detail::search_impl::bounds_of<Side, CompiledBy>(where, call, sorted, queries, out,
                                                       detail::search_impl::order_of_min<X>(less));
  }
}

// --- one element, where it is ---

template <class CompiledBy, class X>
value_of<X> element_at(const context& where, const char* call, const X& x, std::uint64_t i) {
  using T = value_of<X>;
  if constexpr (memory_space_of<X> == memory_space::device) {
    if (where.kind() != backend::cpu) {
      where.device().require_no_capture(call);
      alignas(T) std::byte bytes[sizeof(T)];
      if constexpr (in_memory<X>) {
        where.device().download(bytes, core::read_operand(x).part(i, 1).where(), sizeof(T));
      } else {
        const auto one = core::made_on_device<T, CompiledBy>(
            where, call, as_array{core::reading(where.device(), call, x)} + i, 1, identity{});
        where.device().download(bytes, one.where(), sizeof(T));
      }
      return *std::launder(reinterpret_cast<T*>(bytes));
    }
  }
  return T(core::reading(where.device(), call, x)(i));
}

// Elements from `first` on.
template <class X>
auto rest_of(const X& x, std::uint64_t first) {
  const std::uint64_t n = core::elements_in(x);
  if constexpr (!in_memory<X>) {
    return core::make_lazy_view<memory_space_of<X>>(stride_function{core::held(x), first, 1}, n - first);
  } else if constexpr (memory_space_of<X> == memory_space::device) {
    return device_span<const value_of<X>>(core::read_operand(x).part(first, n - first).where(), n - first);
  } else {
    return core::read_operand(x).part(first, n - first).host();
  }
}

}  // namespace upsweep::detail::search_impl
