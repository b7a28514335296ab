// transform_if and replace: what is written where a test says so. The CPU and nvcc take the templates; built-in types,
// tests and transforms go to the room's variants, and functions with their text to OpenCL.
#pragma once

#include "upsweep/core/call.hpp"
#include "upsweep/operators/comparisons.hpp"
#include "upsweep/transform/checked.hpp"

namespace upsweep::transform_room {

template <class T>
struct same_as {
  T x;
  UPSWEEP_HD constexpr bool operator()(const T& y) const { return core::same_value(x, y); }
};

// What replace asks of an element.
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
  constexpr bool asked = std::is_invocable_r_v<bool, const Test&, const S&>,
                 same = !is_comparison<Test> || std::same_as<Test, compared<S>>;
  static_assert(asked, "upsweep: this test cannot be asked about an element; give it `bool operator()(T x) const`");
  static_assert(
      same,
      "upsweep: the threshold is of another type than the elements; write it in theirs, as in less_than(0.5f) for f32");
  return asked && same;
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
opencl::map_kernel text_of_test(const context& where, const char* call, const Test& test, const S& stencil,
                                const X&... x) {
  opencl::map_kernel k = transform_room::text_of_inputs(where, call, x..., stencil);
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
  if constexpr (transform_room::some_by_text<S, X...>) {
    if (core::made_by_text<S, X...>(where))
      return std::apply([&](const auto&... there) { map_some_on_device<By>(where, call, out, f, test, there...); },
                        transform_room::laid_by_texts(where, call, stencil, x...));
  }
#if defined(__CUDACC__)
  if constexpr (std::is_trivially_copyable_v<T> && !opencl::is_only_text<F> && !opencl::is_only_text<Test>)
    if (where.kind() == backend::cuda) {
      const auto at = transform_room::function_of(f, core::reading(x)...);
      const auto tested = core::reading(stencil);
      return cuda::for_each_index(where.dev(), out.size(),
                                  storing_some<T, decltype(tested), Test, decltype(at)>{tested, test, at, out.data()});
    }
#endif
  if constexpr (sizeof...(X) == 1 && builtin_map<T, F, X...>() && builtin_test<T, Test, S>()) {
    problem p = transform_room::problem_of_test(primitive::transform_if, out, stencil, x..., test);
    p.transform = f.kind;
    transform_room::run(where, p);
  } else if (where.kind() == backend::cuda &&
             !(opencl::has_map_text<T, F, value_of<X>...> && opencl::has_test_text<value_of<S>, Test> &&
               opencl::has_type_text<value_of<S>>)) {
    throw nvcc_needed<T>(where, call);
  } else {
    opencl::map_kernel k = transform_room::text_of_test(where, call, test, stencil, x...);
    opencl::set_function<F, value_of<X>...>(k, f);
    k.result_type = opencl::type_text<T>(k), k.bytes = sizeof(T);
    opencl::map_there(where.dev(), k, 0, out.size(), out.where());
  }
}

template <class By, class Y, class F, class Test, class S, class... X>
void check_and_map_some(const context& where, Y& out, const F& f, const Test& test, const S& stencil, const X&... x) {
  const char* const call = "transform_if";
  if constexpr (require_inputs<S, X...>())
    if constexpr (require_one_side<Y, S, X...>() && require_test<Test, value_of<S>>() &&
                  require_function<F, value_of<X>...>())
      if constexpr (require_place_for<std::invoke_result_t<const F&, const value_of<X>&...>, element_of<Y>>()) {
        using T = element_of<Y>;
        const operand<T> to = core::written_operand(out);
        const auto known = transform_room::known_function<T, F, X...>(f);
        transform_room::require_input_beside(where, call, to, stencil);
        (transform_room::require_input_beside(where, call, to, x), ...);
        if (where.kind() == backend::cpu) {
          const auto at = transform_room::function_of(known, core::reading(x)...);
          const auto tested = core::reading(stencil);
          transform_room::with_chosen(test, [&]<class Chosen>(const Chosen& chosen) {
            const storing_some<T, decltype(tested), Chosen, decltype(at)> store{tested, chosen, at, to.data()};
            cpu::for_each_part(where.dev(), to.size(), sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
              for (std::uint64_t i = first; i < last; ++i) store(i);
            });
          });
        } else if constexpr (home_of<Y> == home::device) {
          transform_room::map_some_on_device<By>(where, call, to, known, test, stencil, x...);
        } else if constexpr (!(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<value_of<S>> &&
                               (std::is_trivially_copyable_v<value_of<X>> && ...))) {
          throw needs_trivial_copies(call, where.kind());
        } else {
          constexpr std::uint64_t bytes = sizeof(T) + sizeof(value_of<S>) + (sizeof(value_of<X>) + ...);
          core::for_each_chunk(where.dev(), to.size(), bytes, [&](std::uint64_t first, std::uint64_t count) {
            buffer<T> there(where, to.part(first, count).host());
            const auto marks = transform_room::brought(where, stencil, first, count);
            const auto here = std::tuple{transform_room::brought(where, x, first, count)...};
            std::apply(
                [&](const auto&... b) {
                  transform_room::map_some_on_device<By>(where, call, operand<T>(there.span()), known, test,
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
  if constexpr (transform_room::some_by_text<X, S>) {
    if (core::made_by_text<X, S>(where))
      return std::apply(
          [&](const auto& there, const auto& tested) {
            transform_room::replace_on_device<By>(where, call, out, there, tested, test, value);
          },
          transform_room::laid_by_texts(where, call, x, stencil));
  }
  const auto at = core::reading(x);
  const auto tested = core::reading(stencil);
  if constexpr (!opencl::is_only_text<Test>)
    if (transform_room::stored_by_nvcc<By>(where, out,
                                           replacing<T, decltype(tested), Test, decltype(at)>{tested, test, at, value}))
      return;
  if constexpr (builtin_test<T, Test, X, S>()) {
    problem p = transform_room::problem_of_test(primitive::replace, out, stencil, x, test);
    p.value = scalar::of(value);
    transform_room::run(where, p);
  } else if (where.kind() == backend::cuda &&
             !(opencl::has_type_text<T> && opencl::has_type_text<value_of<X>> && opencl::has_type_text<value_of<S>> &&
               opencl::has_test_text<value_of<S>, Test>)) {
    throw nvcc_needed<T>(where, call);
  } else {
    opencl::map_kernel k = transform_room::text_of_test(where, call, test, stencil, x);
    k.result_type = opencl::type_text<T>(k), k.bytes = sizeof(T), k.options += " -D TYPE_u32";
    k.value.assign(reinterpret_cast<const char*>(&value), sizeof value);
    opencl::map_there(where.dev(), k, 0, out.size(), out.where());
  }
}

template <class By, class Y, class X, class S, class Test, class V>
void check_and_replace(const context& where, const char* call, Y& out, const X& x, const S& stencil, const Test& test,
                       const V& given) {
  if constexpr (require_inputs<X, S>())
    if constexpr (require_one_side<Y, X, S>() && require_test<Test, value_of<S>>() &&
                  require_place_for<value_of<X>, element_of<Y>>()) {
      using T = element_of<Y>;
      const operand<T> to = core::written_operand(out);
      transform_room::require_input_beside(where, call, to, x);
      transform_room::require_input_beside(where, call, to, stencil);
      const T value = transform_room::value_for<T>(call, given);
      if (where.kind() == backend::cpu) {
        const auto at = core::reading(x);
        const auto tested = core::reading(stencil);
        if constexpr (std::is_arithmetic_v<T>) {
          transform_room::with_chosen(test, [&]<class Chosen>(const Chosen& chosen) {
            cpu::store(where.dev(), to.data(), to.size(),
                       replacing<T, decltype(tested), Chosen, decltype(at)>{tested, chosen, at, value});
          });
        } else {
          cpu::for_each_part(where.dev(), to.size(), sizeof(T), [&](std::uint64_t first, std::uint64_t last) {
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
        throw needs_trivial_copies(call, where.kind());
      } else if constexpr (home_of<Y> == home::device) {
        transform_room::replace_on_device<By>(where, call, to, x, stencil, test, value);
      } else {
        constexpr std::uint64_t bytes = sizeof(T) + sizeof(value_of<X>) + sizeof(value_of<S>);
        transform_room::for_each_output_chunk(where, call, to, bytes, [&](operand<T> part, std::uint64_t first) {
          const auto here = transform_room::brought(where, x, first, part.size());
          const auto marks = transform_room::brought(where, stencil, first, part.size());
          transform_room::replace_on_device<By>(where, call, part, here.span(), marks.span(), test, value);
        });
      }
    }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::transform_room
