// transform_if and replace: a test selects the elements that are written. The CPU and nvcc compile the templates.
// Built-in types, tests and transforms run the algorithm's variants, and functions with device source run on OpenCL.
#pragma once

#include "upsweep/core/user_call.hpp"
#include "upsweep/operators/comparisons.hpp"
#include "upsweep/transform/transform_checked.hpp"

namespace upsweep::detail::transform_impl {

template <class T>
struct same_as {
  T x;
  UPSWEEP_HD constexpr bool operator()(const T& y) const { return core::equal_to_op(x, y); }
};

// The test of replace.
template <class T>
auto test_for(const T& x) {
  if constexpr (builtin_type<T>) {
    return compared<T>{comparison::equal, x};
  } else {
    return same_as<T>{x};
  }
}

template <class X>
inline constexpr bool is_comparison = false;
template <class T>
inline constexpr bool is_comparison<compared<T>> = true;

template <class Test, class S>
constexpr bool require_test() {
  core::require_both_sides<Test>();
  return core::require_test_of<S, Test>();
}

template <comparison How, class T>
struct compared_by {
  T threshold;
  UPSWEEP_HD constexpr bool operator()(const T& x) const { return compared<T>{How, threshold}(x); }
};

// Calls body(test) with a comparison that is chosen here and not anew for each element.
template <class Test, class Body>
void with_chosen(const Test& test, const Body& body) {
  if constexpr (is_comparison<Test>) {
    using T = decltype(test.threshold);
    switch (test.how) {
      case comparison::less: return body(compared_by<comparison::less, T>{test.threshold});
      case comparison::less_equal: return body(compared_by<comparison::less_equal, T>{test.threshold});
      case comparison::greater: return body(compared_by<comparison::greater, T>{test.threshold});
      case comparison::greater_equal: return body(compared_by<comparison::greater_equal, T>{test.threshold});
      case comparison::equal: return body(compared_by<comparison::equal, T>{test.threshold});
      case comparison::not_equal: return body(compared_by<comparison::not_equal, T>{test.threshold});
    }
  } else {
    body(test);
  }
}

inline namespace UPSWEEP_COMPILED {

template <class T, class Tested, class Test, class At>
struct storing_some {
  Tested tested;
  Test test;
  At at;
  T* out;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    if (core::call(test, tested(i))) out[i] = static_cast<T>(at(i));
  }
};

template <class T, class Tested, class Test, class At>
struct replacing {
  Tested tested;
  Test test;
  At at;
  T value;
  UPSWEEP_HD T operator()(std::uint64_t i) const { return core::call(test, tested(i)) ? value : static_cast<T>(at(i)); }
};

// The tested input is the last one, or the only one.
template <class Test, class S, class... X>
opencl::map_kernel source_of_test(const context& where, const char* call, const Test& test, const S& stencil,
                                  const X&... x) {
  opencl::map_kernel k = detail::transform_impl::source_of_inputs(where, call, x..., stencil);
  opencl::set_test<value_of<S>>(k, test);
  return k;
}

template <class T, class S, class X, class Test>
problem problem_of_test(primitive what, operand<T> out, const S& stencil, const X& x, const Test& test) {
  problem p;
  p.what = what, p.type = dtype_of<T>, p.n = out.size(), p.out = out.where();
  p.in = core::read_operand(x).where(), p.in2 = core::read_operand(stencil).where();
  p.test = test.how, p.threshold = scalar::of(test.threshold);
  return p;
}

template <class T, class Test, class... X>
constexpr bool builtin_test() {
  if constexpr (builtin_type<T> && std::same_as<Test, compared<T>>)
    return (in_memory<X> && ...) && (std::same_as<value_of<X>, T> && ...);
  return false;
}

// --- where it passes, out[i] = f(x[i], …) ---

template <class By, class T, class F, class Test, class S, class... X>
void map_some_on_device(const context& where, const char* call, operand<T> out, const F& f, const Test& test,
                        const S& stencil, const X&... x) {
  if constexpr (detail::transform_impl::can_materialize_all_jit<S, X...>) {
    if (core::must_materialize_jit<S, X...>(where))
      return std::apply([&](const auto&... there) { map_some_on_device<By>(where, call, out, f, test, there...); },
                        detail::transform_impl::materialize_all_jit(where, call, stencil, x...));
  }
#if defined(__CUDACC__)
  if constexpr (std::is_trivially_copyable_v<T> && !core::is_only_source<F> && !core::is_only_source<Test> &&
                !(core::is_only_source_view<X> || ... || core::is_only_source_view<S>))
    if (where.kind() == backend::cuda) {
      const auto at = detail::transform_impl::function_of(f, core::reading(where.device(), call, x)...);
      const auto tested = core::reading(where.device(), call, stencil);
      return cuda::for_each_index(where.device(), out.size(),
                                  storing_some<T, decltype(tested), Test, decltype(at)>{tested, test, at, out.data()});
    }
#endif
  if constexpr (sizeof...(X) == 1 && builtin_map<T, F, X...>() && builtin_test<T, Test, S>()) {
    problem p = detail::transform_impl::problem_of_test(primitive::transform_if, out, stencil, x..., test);
    p.transform = f.kind;
    detail::transform_impl::run(where, p);
  } else if (where.kind() == backend::cuda &&
             !(opencl::has_map_source<T, F, value_of<X>...> && opencl::has_test_source<value_of<S>, Test> &&
               opencl::has_type_source<value_of<S>>)) {
    core::throw_error(nvcc_needed<T>(where, call));
  } else {
    opencl::map_kernel k = detail::transform_impl::source_of_test(where, call, test, stencil, x...);
    opencl::set_function<F, value_of<X>...>(k, f);
    k.result_type = opencl::type_source<T>(k), k.bytes = sizeof(T);
    opencl::map_there(where.device(), k, 0, out.size(), out.where());
  }
}

template <class By, class Y, class F, class Test, class S, class... X>
void check_and_map_some(const context& where, Y& out, const F& f, const Test& given_test, const S& stencil,
                        const X&... x) {
  const char* const call = "transform_if";
  if constexpr (require_inputs<S, X...>())
    if constexpr (require_one_side<Y, S, X...>() && require_test<Test, value_of<S>>() &&
                  require_function<F, value_of<X>...>())
      if constexpr (require_place_for<std::invoke_result_t<const F&, const value_of<X>&...>, element_of<Y>>()) {
        using T = element_of<Y>;
        const operand<T> to = core::written_operand(out);
        const auto known = detail::transform_impl::known_function<T, F, X...>(f);
        const auto test = core::asked_of<value_of<S>>(call, given_test);
        detail::transform_impl::require_input_beside(where, call, to, stencil);
        (detail::transform_impl::require_input_beside(where, call, to, x), ...);
        if (where.kind() == backend::cpu) {
          const auto at = detail::transform_impl::function_of(known, core::reading(where.device(), call, x)...);
          const auto tested = core::reading(where.device(), call, stencil);
          detail::transform_impl::with_chosen(test, [&]<class Chosen>(const Chosen& chosen) {
            const storing_some<T, decltype(tested), Chosen, decltype(at)> store{tested, chosen, at, to.data()};
            cpu::for_each_part_by_pace(where.device(), to.size(), sizeof(T),
                                       [&](std::uint64_t first, std::uint64_t last) {
                                         for (std::uint64_t i = first; i < last; ++i) store(i);
                                       });
          });
        } else if constexpr (memory_space_of<Y> == memory_space::device) {
          detail::transform_impl::map_some_on_device<By>(where, call, to, known, test, stencil, x...);
        } else if constexpr (!(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<value_of<S>> &&
                               (std::is_trivially_copyable_v<value_of<X>> && ...))) {
          core::throw_error(needs_trivial_copies(call, where.kind()));
        } else {
          constexpr std::uint64_t bytes = sizeof(T) + sizeof(value_of<S>) + (sizeof(value_of<X>) + ...);
          core::for_each_chunk(where.device(), to.size(), bytes, [&](std::uint64_t first, std::uint64_t count) {
            buffer<T> there(where, to.part(first, count).host());
            const auto marks = detail::transform_impl::brought(where, stencil, first, count);
            const auto here = std::tuple{detail::transform_impl::brought(where, x, first, count)...};
            std::apply(
                [&](const auto&... b) {
                  detail::transform_impl::map_some_on_device<By>(where, call, operand<T>(there.span()), known, test,
                                                                 marks.span(), b.span()...);
                },
                here);
            there.download(to.part(first, count).host());
          });
        }
      }
}

// --- where it passes, out[i] = value; elsewhere out[i] = x[i] ---

template <class By, class T, class X, class S, class Test>
void replace_on_device(const context& where, const char* call, operand<T> out, const X& x, const S& stencil,
                       const Test& test, const T& value) {
  if constexpr (detail::transform_impl::can_materialize_all_jit<X, S>) {
    if (core::must_materialize_jit<X, S>(where))
      return std::apply(
          [&](const auto& there, const auto& tested) {
            detail::transform_impl::replace_on_device<By>(where, call, out, there, tested, test, value);
          },
          detail::transform_impl::materialize_all_jit(where, call, x, stencil));
  }
  const auto at = core::reading(where.device(), call, x);
  const auto tested = core::reading(where.device(), call, stencil);
  if constexpr (!core::is_only_source<Test> && !core::is_only_source_view<X> && !core::is_only_source_view<S>)
    if (detail::transform_impl::stored_by_nvcc<By>(
            where, out, replacing<T, decltype(tested), Test, decltype(at)>{tested, test, at, value}))
      return;
  if constexpr (builtin_test<T, Test, X, S>()) {
    problem p = detail::transform_impl::problem_of_test(primitive::replace, out, stencil, x, test);
    p.value = scalar::of(value);
    detail::transform_impl::run(where, p);
  } else if (where.kind() == backend::cuda &&
             !(opencl::has_type_source<T> && opencl::has_type_source<value_of<X>> &&
               opencl::has_type_source<value_of<S>> && opencl::has_test_source<value_of<S>, Test>)) {
    core::throw_error(nvcc_needed<T>(where, call));
  } else {
    opencl::map_kernel k = detail::transform_impl::source_of_test(where, call, test, stencil, x);
    k.result_type = opencl::type_source<T>(k), k.bytes = sizeof(T), k.options += " -D TYPE_u32";
    k.value.assign(reinterpret_cast<const char*>(&value), sizeof value);
    opencl::map_there(where.device(), k, 0, out.size(), out.where());
  }
}

template <class By, class Y, class X, class S, class Test, class V>
void check_and_replace(const context& where, const char* call, Y& out, const X& x, const S& stencil,
                       const Test& given_test, const V& given) {
  if constexpr (require_inputs<X, S>())
    if constexpr (require_one_side<Y, X, S>() && require_test<Test, value_of<S>>() &&
                  require_place_for<value_of<X>, element_of<Y>>()) {
      using T = element_of<Y>;
      const operand<T> to = core::written_operand(out);
      detail::transform_impl::require_input_beside(where, call, to, x);
      detail::transform_impl::require_input_beside(where, call, to, stencil);
      const T value = detail::transform_impl::value_for<T>(call, given);
      const auto test = core::asked_of<value_of<S>>(call, given_test);
      if (where.kind() == backend::cpu) {
        const auto at = core::reading(where.device(), call, x);
        const auto tested = core::reading(where.device(), call, stencil);
        if constexpr (std::is_arithmetic_v<T>) {
          detail::transform_impl::with_chosen(test, [&]<class Chosen>(const Chosen& chosen) {
            cpu::store_by_pace(where.device(), to.data(), to.size(),
                               replacing<T, decltype(tested), Chosen, decltype(at)>{tested, chosen, at, value});
          });
        } else {
          cpu::for_each_part_by_pace(where.device(), to.size(), sizeof(T),
                                     [&](std::uint64_t first, std::uint64_t last) {
                                       for (std::uint64_t i = first; i < last; ++i) {
                                         if (test(tested(i)))
                                           to[i] = value;
                                         else if constexpr (std::is_assignable_v<T&, decltype(at(i))>)
                                           to[i] = at(i);
                                         else
                                           to[i] = static_cast<T>(at(i));
                                       }
                                     });
        }
      } else if constexpr (!(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<value_of<X>> &&
                             std::is_trivially_copyable_v<value_of<S>>)) {
        core::throw_error(needs_trivial_copies(call, where.kind()));
      } else if constexpr (memory_space_of<Y> == memory_space::device) {
        detail::transform_impl::replace_on_device<By>(where, call, to, x, stencil, test, value);
      } else {
        constexpr std::uint64_t bytes = sizeof(T) + sizeof(value_of<X>) + sizeof(value_of<S>);
        detail::transform_impl::for_each_output_chunk(
            where, call, to, bytes, [&](operand<T> part, std::uint64_t first) {
              const auto here = detail::transform_impl::brought(where, x, first, part.size());
              const auto marks = detail::transform_impl::brought(where, stencil, first, part.size());
              detail::transform_impl::replace_on_device<By>(where, call, part, here.span(), marks.span(), test, value);
            });
      }
    }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::transform_impl
