// The calls of transform.hpp that take inputs: their requirements at compile time, then those on their operands.
#pragma once

#include "upsweep/operators/monoid.hpp"
#include "upsweep/transform/transform_dispatch.hpp"

namespace upsweep::detail::transform_impl {

// The output is as long as every input, and either does not overlap it or is exactly its memory.
template <class T, class X>
void require_input_beside(const context& where, const char* call, operand<T> out, const X& x) {
  core::require_same_size(call, "the input has # elements and the output #", core::elements_in(x), out.size());
  if constexpr (in_memory<X>)
    core::require_no_overlap(call, where, {{"the input", core::read_operand(x)}, {"the output", out}}, 1);
  else
    core::require_reach(call, where, {{"the output", out}});
}

// The standard's function objects by the library's own names, where it is compiled for them.
template <class T, class F, class... X>
auto known_function(const F& f) {
  if constexpr (sizeof...(X) == 2 && folding_type<T> && (std::same_as<value_of<X>, T> && ...)) {
    if constexpr (core::is_standard<std::minus, F, T>) {
      return difference{};
    } else {
      return core::as_operator<T>(f);
    }
  } else {
    return f;
  }
}

inline namespace UPSWEEP_COMPILED {

template <class By, class Y, class F, class... X>
void check_and_map(const context& where, const char* call, Y& out, const F& f, const X&... x) {
  if constexpr (require_inputs<X...>())
    if constexpr (require_one_side<Y, X...>() && require_function<F, value_of<X>...>())
      if constexpr (require_place_for<std::invoke_result_t<const F&, const value_of<X>&...>, element_of<Y>>()) {
        using T = element_of<Y>;
        const operand<T> to = core::written_operand(out);
        (detail::transform_impl::require_input_beside(where, call, to, x), ...);
        detail::transform_impl::map<By, Y>(where, call, to, detail::transform_impl::known_function<T, F, X...>(f),
                                           x...);
      }
}

template <class By, class Arguments, std::size_t... I>
void map_many(const context& where, const Arguments& all, std::index_sequence<I...>) {
  detail::transform_impl::check_and_map<By>(where, "transform", std::get<sizeof...(I)>(all),
                                            std::get<sizeof...(I) + 1>(all), std::get<I>(all)...);
}

template <class By, class Y, class X>
void check_and_copy(const context& where, Y& out, const X& x) {
  if constexpr (require_inputs<X>())
    if constexpr (require_one_side<Y, X>() && require_place_for<value_of<X>, element_of<Y>>()) {
      using T = element_of<Y>;
      const operand<T> to = core::written_operand(out);
      detail::transform_impl::require_input_beside(where, "copy", to, x);
      if constexpr (in_memory<X> && std::same_as<value_of<X>, T>) {
        const operand<const T> from = core::read_operand(x);
        if (memory_space_of<Y> == memory_space::host || where.kind() == backend::cpu) {
          cpu::copy(where.device(), to.data(), from.data(), to.size());
        } else if (to.size()) {
          where.device().copy(to.where(), from.where(), to.bytes());
        }
      } else if constexpr (is_lazy_view<X> && memory_space_of<Y> == memory_space::device &&
                           memory_space_of<X> == memory_space::any) {
        detail::transform_impl::tabulate<By, Y>(where, "copy", to, core::reading(where.device(), "copy", x));
      } else {
        detail::transform_impl::map<By, Y>(where, "copy", to, identity{}, x);
      }
    }
}

template <class By, class Y, class X, class Op>
void check_and_combine(const context& where, Y& out, const X& x, const Op& op) {
  const char* const call = "adjacent_difference";
  if constexpr (require_inputs<X>())
    if constexpr (require_one_side<Y, X>() && require_function<Op, value_of<X>, value_of<X>>())
      if constexpr (require_place_for<value_of<X>, element_of<Y>>() &&
                    require_place_for<std::invoke_result_t<const Op&, const value_of<X>&, const value_of<X>&>,
                                      element_of<Y>>()) {
        const operand<element_of<Y>> to = core::written_operand(out);
        detail::transform_impl::require_input_beside(where, call, to, x);
        detail::transform_impl::combine_neighbours<By, Y>(
            where, to, x, detail::transform_impl::known_function<element_of<Y>, Op, X, X>(op));
      }
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::transform_impl
