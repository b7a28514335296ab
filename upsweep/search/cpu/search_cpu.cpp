// The library's own searches on the CPU: built-in types, built-in tests, and their entries in the catalog.
#include "upsweep/search/cpu/search_cpu.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "upsweep/search/cpu/search_extremes.hpp"

namespace upsweep::detail::search_impl {

// Clang before 17 does not deduce the arguments of aggregates.
template <class Test>
fails(Test) -> fails<Test>;
template <class At, class Test>
passes_at(At, Test) -> passes_at<At, Test>;
template <class At, class Equal>
adjacent_at(At, Equal) -> adjacent_at<At, Equal>;
template <class At, class Bt, class Equal>
one_of_at(At, Bt, std::uint64_t, Equal) -> one_of_at<At, Bt, Equal>;
template <class At, class Bt, class Equal>
beginning_at(At, Bt, std::uint64_t, Equal) -> beginning_at<At, Bt, Equal>;
template <class At, class Bt, class Equal>
unequal_at(At, Bt, Equal) -> unequal_at<At, Bt, Equal>;
template <class At, class Bt, class Less>
apart_at(At, Bt, Less) -> apart_at<At, Bt, Less>;

namespace {

template <class T>
from_memory<T> elements(memory m) {
  return {m.as<const T>()};
}

constexpr comparison opposite(comparison c) {
  switch (c) {
    case comparison::less: return comparison::greater_equal;
    case comparison::less_equal: return comparison::greater;
    case comparison::greater: return comparison::less_equal;
    case comparison::greater_equal: return comparison::less;
    case comparison::equal: return comparison::not_equal;
    case comparison::not_equal: break;
  }
  return comparison::equal;
}

// Calls f with the comparison as a separate type, so that loops need not test which it is.
template <class T, class F>
std::uint64_t with_test(const problem& p, comparison how, F f) {
  const T x = p.threshold.as<T>();
  switch (how) {
    case comparison::less: return f([x](const T& e) { return e < x; });
    case comparison::less_equal: return f([x](const T& e) { return e <= x; });
    case comparison::greater: return f([x](const T& e) { return e > x; });
    case comparison::greater_equal: return f([x](const T& e) { return e >= x; });
    case comparison::equal: return f([x](const T& e) { return e == x; });
    case comparison::not_equal: break;
  }
  return f([x](const T& e) { return !(e == x); });
}

constexpr std::uint64_t at_once = 256;

// Integers are equal if their bytes are.
template <class T>
struct bytes_unequal_at {
  using word = bits_beside<sizeof(T)>;
  const T *x, *y;
  bool operator()(std::uint64_t i) const { return x[i] != y[i]; }
  bool none(std::uint64_t i, std::uint64_t count) const { return std::memcmp(x + i, y + i, count * sizeof(T)) == 0; }
};

template <class T>
std::uint64_t found(device& d, const problem& p) {
  const std::uint64_t places = places_of(p.how, p.n, p.m);
  const auto in = elements<T>(p.in), in2 = elements<T>(p.in2);
  const auto first = [&]<std::uint64_t AtOnce>(std::integral_constant<std::uint64_t, AtOnce>, const auto& has) {
    const std::uint64_t at = cpu::first_place<AtOnce>(d, places, has);
    return at == places ? p.n : at;
  };
  constexpr std::integral_constant<std::uint64_t, at_once> many;
  constexpr std::integral_constant<std::uint64_t, 4096 / sizeof(T)> pages;
  constexpr std::integral_constant<std::uint64_t, 1> one;
  switch (p.how) {
    case seek::passing:
      // For integers, which have no NaN, one comparison fails exactly if its opposite passes.
      if constexpr (std::is_integral_v<T>) {
        return with_test<T>(p, p.negated ? opposite(p.test) : p.test,
                            [&](const auto& test) { return first(many, passes_at{in, test}); });
      } else {
        return with_test<T>(p, p.test, [&](const auto& test) {
          return p.negated ? first(many, passes_at{in, fails{test}}) : first(many, passes_at{in, test});
        });
      }
    case seek::adjacent: return first(many, adjacent_at{in, same{}});
    case seek::one_of: return first(one, one_of_at{in, in2, p.m, same{}});
    case seek::beginning: return first(one, beginning_at{in, in2, p.m, same{}});
    case seek::unequal:
      if constexpr (std::is_integral_v<T>) {
        return first(pages, bytes_unequal_at<T>{in.first, in2.first});
      } else {
        return first(many, unequal_at{in, in2, same{}});
      }
    case seek::apart: break;
  }
  return first(many, apart_at{in, in2, precedes{}});
}

void run_count(device& d, const problem& p) {
  *p.out.as<std::uint64_t>() = with_any_type(p.type, [&]<class T>(type_tag<T>) {
    return with_test<T>(
        p, p.test, [&](const auto& test) { return cpu::count_places(d, p.n, passes_at{elements<T>(p.in), test}); });
  });
}

void run_find(device& d, const problem& p) {
  *p.out.as<std::uint64_t>() = with_any_type(p.type, [&]<class T>(type_tag<T>) { return found<T>(d, p); });
}

void run_argmin(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const T* x = p.in.as<const T>();
    *p.out.as<std::uint64_t>() =
        p.which == extreme::min ? cpu::extreme_place<false>(d, x, p.n) : cpu::extreme_place<true>(d, x, p.n);
  });
}

void run_bounds(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const auto sorted = elements<T>(p.in), queries = elements<T>(p.in2);
    const auto all = [&]<bound Side, class Out>(std::integral_constant<bound, Side>, Out* out) {
      cpu::for_each_search(
          d, p.n, bound_at<Side, from_memory<T>, from_memory<T>, in_order, Out>{sorted, p.m, queries, in_order{}, out});
    };
    switch (p.side) {
      case bound::lower:
        if (p.narrow) return all(std::integral_constant<bound, bound::lower>{}, p.out.as<std::uint32_t>());
        return all(std::integral_constant<bound, bound::lower>{}, p.out.as<std::uint64_t>());
      case bound::upper:
        if (p.narrow) return all(std::integral_constant<bound, bound::upper>{}, p.out.as<std::uint32_t>());
        return all(std::integral_constant<bound, bound::upper>{}, p.out.as<std::uint64_t>());
      case bound::found: return all(std::integral_constant<bound, bound::found>{}, p.out.as<std::uint8_t>());
    }
  });
}

}  // namespace

std::span<const variant> cpu() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula work, formula traffic,
                         void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.what = what, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep",
    v.teaches = teaches;
    v.work = work, v.span = one, v.launches = one, v.traffic = traffic, v.run = run;
    return v;
  };
  static const std::array list{
      entry("count-if/blocks", primitive::count_if, "Blocks are counted side by side, in vectors of narrow counts.",
            linear, linear, run_count),
      entry("find-if/blocks-in-order", primitive::find_if,
            "Blocks are taken in order; none is begun that lies behind what was found.", linear, linear, run_find),
      entry("mismatch/blocks-in-order", primitive::mismatch,
            "Blocks are taken in order; none is begun that lies behind what was found.", linear,
            {"2n", [](double n) { return 2 * n; }}, run_find),
      entry("argmin/value-then-place", primitive::argmin,
            "The least value of each block, without a branch; then its place, in one block.", linear, linear,
            run_argmin),
      entry("bounds/bisection", primitive::bounds, "One bisection without branches a query.",
            {"n log2 m", [](double n) { return n * std::log2(n + 2); }}, {"2n", [](double n) { return 2 * n; }},
            run_bounds),
  };
  return list;
}

}  // namespace upsweep::detail::search_impl
