// map_maybe: what compact.hpp's forms end in.
#pragma once

#include <utility>

#include "upsweep/compact/enqueue.hpp"
#include "upsweep/core/call.hpp"
#include "upsweep/transform/some.hpp"

namespace upsweep {

// A value or none, on every device that C++ runs on; std::optional does not run on CUDA.
template <class T>
struct maybe {
  bool there = false;
  T value{};

  constexpr maybe() = default;
  UPSWEEP_HD constexpr maybe(T x) : there(true), value(std::move(x)) {}
  UPSWEEP_HD constexpr explicit operator bool() const { return there; }
  UPSWEEP_HD constexpr const T& operator*() const { return value; }
};

// value(x) where the test passes, and nothing elsewhere: what map_maybe also takes on devices whose compiler has the
// texts of both. The value is asked of what passes alone.
template <class Test, class Value>
struct given_where {
  Test test;
  Value value;

  given_where(Test its_test, Value its_value) : test(std::move(its_test)), value(std::move(its_value)) {}
  template <class T>
  UPSWEEP_HD auto operator()(const T& x) const -> maybe<std::remove_cvref_t<decltype(value(x))>> {
    using given = maybe<std::remove_cvref_t<decltype(value(x))>>;
    return core::call(test, x) ? given(core::call(value, x)) : given();
  }
};

namespace compact_room {

template <class F>
inline constexpr bool is_given_where = false;
template <class Test, class Value>
inline constexpr bool is_given_where<given_where<Test, Value>> = true;
template <class F>
inline constexpr bool is_only_text = false;
template <class Test, class Value>
inline constexpr bool is_only_text<given_where<Test, Value>> =
    opencl::is_only_text<Test> || opencl::is_only_text<Value>;

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
concept gives_a_maybe = requires(const F& f, const value_of<X>& x) {
  static_cast<bool>(f(x));
  *f(x);
};

// Values are stored where the test passes, and those places are kept. Enqueued.
template <class By, class X, class T, class Test, class Value>
void map_maybe_by_text(const context& where, const char* call, const X& in, operand<T> out,
                       operand<std::uint64_t> count, const given_where<Test, Value>& f) {
  const std::uint64_t n = core::elements_in(in);
  const operand<T> made(where.dev().scratch("compact/given", std::max<std::uint64_t>(n * sizeof(T), 16)), n, false);
  transform_room::map_some_on_device<By>(where, call, made, f.value, f.test, in, in);
  const stencil_test<home_of<X>, value_of<X>, true, decltype(core::reading(in)), Test> passes{
      core::reading(in), n, core::read_operand(in), f.test};
  compact_room::part<By>(where, call, into::kept_alone, device_span<const T>(made.where(), n), out, operand<T>(), count,
                         passes, false);
}

template <class By, class X, class T, class F>
void map_maybe(const context& where, const X& in, operand<T> out, operand<std::uint64_t> count, const F& f) {
  const char* const call = "map_maybe";
  core::require_input<X>();
  constexpr bool maybe_given = gives_a_maybe<F, X>;
  static_assert(maybe_given,
                "upsweep: map_maybe's function takes an element and returns a std::optional or an upsweep::maybe");
  if constexpr (maybe_given) {
    using R = std::remove_cvref_t<decltype(*f(std::declval<const value_of<X>&>()))>;
    static_assert(std::is_same_v<R, T>, "upsweep: map_maybe's output has elements of the type that its function gives");
    require_room(call, "the count", count.size(), 1);
    require_apart(call, where,
                  {{"the input", compact_room::operand_of(in)}, {"the output", out}, {"the count", count}});
    if constexpr (is_given_where<F> && core::some_made_by_text<X>) {
      if (core::made_by_text<X>(where))
        return compact_room::map_maybe<By>(where, core::laid_by_text(where, call, "compact/made", in), out, count, f);
    }
    const std::uint64_t n = core::elements_in(in);
    const auto from = compact_room::read_by_index(in);
    using at = std::remove_const_t<decltype(from)>;
    const gives_something<at, F> keep{from, f};
    const stores_what_it_gives<at, F, T> store{from, f, out.data()};
    if (where.kind() == backend::cpu) {
      const cpu::answers asked(where.dev(), n, keep);
      *count.data() = asked.kept();
      compact_room::require_kept(call, "the output", asked.kept(), out.size());
      asked.move_kept(store);
    } else if constexpr (!std::is_trivially_copyable_v<T>) {
      throw needs_trivial_copies(call, where.kind());
    } else {
      require_room(call, "the output", out.size(), n);
#if defined(__CUDACC__)
      if constexpr (!compact_room::is_only_text<F>)
        if (where.kind() == backend::cuda) return cuda::part_by(where.dev(), n, keep, count.data(), store);
#endif
      if constexpr (is_given_where<F> && in_memory<X>)
        compact_room::map_maybe_by_text<By>(where, call, in, out, count, f);
      else if (where.kind() == backend::opencl)
        throw error(
            fault::unsupported, call, "a function of your own runs on OpenCL as a test and a value with texts",
            "give upsweep::given_where(test, value), each with its text (upsweep/opencl/custom.hpp), of memory");
      else
        throw needs_nvcc("compact", call);
    }
  }
}

}  // namespace compact_room
}  // namespace upsweep
