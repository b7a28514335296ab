// Dispatch of compact.hpp's filter_map.
#pragma once

#include <utility>

#include "upsweep/compact/compact_dispatch.hpp"
#include "upsweep/core/user_call.hpp"
#include "upsweep/transform/transform_selected.hpp"

namespace upsweep {

// A value or none, on every device that C++ runs on; std::optional does not run on CUDA.
template <class T>
struct optional {
  bool there = false;
  T value{};

  constexpr optional() = default;
  UPSWEEP_HD constexpr optional(T x) : there(true), value(std::move(x)) {}
  UPSWEEP_HD constexpr explicit operator bool() const { return there; }
  UPSWEEP_HD constexpr const T& operator*() const { return value; }
};

// value(x) where the test passes, and nothing otherwise. filter_map also takes it on devices whose compiler has the
// device source of both. `value` is called only for elements that pass.
template <class Test, class Value>
struct map_if {
  Test test;
  Value value;

  map_if(Test its_test, Value its_value) : test(std::move(its_test)), value(std::move(its_value)) {}
  template <class T>
  UPSWEEP_HD auto operator()(const T& x) const -> optional<std::remove_cvref_t<decltype(value(x))>> {
    using given = optional<std::remove_cvref_t<decltype(value(x))>>;
    return core::call(test, x) ? given(core::call(value, x)) : given();
  }
};

template <class Test, class Value>
map_if(Test, Value) -> map_if<Test, Value>;

namespace detail::compact_impl {

template <class F>
inline constexpr bool is_map_if = false;
template <class Test, class Value>
inline constexpr bool is_map_if<map_if<Test, Value>> = true;

template <class X, class F>
struct gives_something {
  X x;
  F f;
  UPSWEEP_HD bool operator()(std::uint64_t i) const { return static_cast<bool>(core::call(f, x[i])); }
};

template <class X, class F, class T>
struct stores_what_it_gives {
  X x;
  F f;
  T* to;
  UPSWEEP_HD void operator()(std::uint64_t i, std::uint64_t place) const {
    to[place] = static_cast<T>(*core::call(f, x[i]));
  }
};

template <class F, class X>
concept gives_an_optional = requires(const F& f, const value_of<X>& x) {
  static_cast<bool>(f(x));
  *f(x);
};

// Stores the values of elements that pass, and selects those positions. Enqueued.
template <class By, class X, class T, class Test, class Value>
void map_if_jit(const context& where, const char* call, const X& in, operand<T> out, operand<std::uint64_t> count,
                const map_if<Test, Value>& f) {
  const std::uint64_t n = core::elements_in(in);
  const operand<T> made(where.device().scratch("compact/given", std::max<std::uint64_t>(n * sizeof(T), 16)), n, false);
  detail::transform_impl::map_some_on_device<By>(where, call, made, f.value, f.test, in, in);
  const stencil_test<memory_space_of<X>, value_of<X>, true, core::reading_of<X>, Test> passes{
      core::reading(where.device(), call, in), n, core::read_operand(in), f.test};
  detail::compact_impl::part<By>(where, call, into::kept_alone, device_span<const T>(made.where(), n), out,
                                 operand<T>(), count, passes, false);
}

template <class By, class X, class T, class F>
void filter_map(const context& where, const X& in, operand<T> out, operand<std::uint64_t> count, const F& f) {
  const char* const call = "filter_map";
  core::require_input<X>();
  constexpr bool gives_one = gives_an_optional<F, X>;
  static_assert(gives_one,
                "upsweep: filter_map's function takes an element and returns a std::optional or an upsweep::optional");
  if constexpr (gives_one) {
    using R = std::remove_cvref_t<decltype(*f(std::declval<const value_of<X>&>()))>;
    static_assert(std::is_same_v<R, T>,
                  "upsweep: filter_map's output has elements of the type that its function gives");
    require_capacity(call, "the count", count.size(), 1);
    require_no_overlap(
        call, where, {{"the input", detail::compact_impl::operand_of(in)}, {"the output", out}, {"the count", count}});
    if constexpr (is_map_if<F> && core::can_materialize_jit<X>) {
      if (core::must_materialize_jit<X>(where))
        return detail::compact_impl::filter_map<By>(where, core::materialize_jit(where, call, "compact/made", in), out,
                                                    count, f);
    }
    const std::uint64_t n = core::elements_in(in);
    const auto from = detail::compact_impl::read_by_index(where.device(), call, in);
    using at = std::remove_const_t<decltype(from)>;
    const gives_something<at, F> keep{from, f};
    const stores_what_it_gives<at, F, T> store{from, f, out.data()};
    if (where.kind() == backend::cpu) {
      const cpu::answers asked(where.device(), n, keep);
      *count.data() = asked.kept();
      detail::compact_impl::require_kept(call, "the output", asked.kept(), out.size());
      asked.move_kept(store);
    } else if constexpr (!std::is_trivially_copyable_v<T>) {
      core::throw_error(needs_trivial_copies(call, where.kind()));
    } else {
      require_capacity(call, "the output", out.size(), n);
#if defined(__CUDACC__)
      if constexpr (!core::is_only_source<F> && !core::is_only_source_view<X>)
        if (where.kind() == backend::cuda) return cuda::part_by(where.device(), n, keep, count.data(), store);
#endif
      if constexpr (is_map_if<F> && in_memory<X>)
        detail::compact_impl::map_if_jit<By>(where, call, in, out, count, f);
      else if (where.kind() == backend::opencl)
        core::throw_error(error(fault::unsupported, call,
                                "a function of your own runs on OpenCL as a test and a value with device source",
                                "give upsweep::map_if(test, value), each with its device source "
                                "(upsweep/jit/jit.hpp), of memory"));
      else
        core::throw_error(needs_nvcc("compact", call));
    }
  }
}

}  // namespace detail::compact_impl
}  // namespace upsweep
