// Sorting on the CPU for the built-in types.
#include "upsweep/sort/cpu/sort_cpu.hpp"

#include <algorithm>
#include <array>

#include "upsweep/sort/cpu/sort_key_order.hpp"
#include "upsweep/sort/cpu/sort_radix.hpp"
#include "upsweep/sort/cpu/sort_ranks.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

namespace {

cpu::radix_keys keys_of(const problem& p) {
  const auto bits = static_cast<unsigned>(8 * size_of(p.type));
  return {static_cast<unsigned>(size_of(p.type)), is_signed(p.type), is_floating(p.type), p.descending, p.first_bit,
          p.last_bit == 0 ? bits : p.last_bit};
}

cpu::radix_request request_of(const problem& p) {
  cpu::radix_request r;
  r.order = keys_of(p);
  r.n = p.n;
  r.keys = p.in.address();
  r.keys_out = p.out.address();
  if (p.value_bytes == 0) return r;
  r.value_bytes = p.value_bytes;
  r.values = p.indices ? nullptr : p.in2.address();
  r.values_out = p.out2.address();
  return r;
}

void sort_keys(device& d, const problem& p) { cpu::radix_sort(d, request_of(p)); }

void sort_segments(device& d, const problem& p) {
  cpu::radix_segmented_sort(d, request_of(p), p.in3.as<const std::uint64_t>(), p.m);
}

void top_k(device& d, const problem& p) {
  if (asks_for_few(p)) return find_few_on_cpu(d, p);
  cpu::radix_top_k(d, keys_of(p), p.in.address(), p.n, p.m, p.out.address(), p.out2.as<std::uint64_t>());
}

void merge_two(device& d, const problem& p) {
  with_order(p, [&]<class T>(type_tag<T>, auto before) {
    using U = order_image<T>;
    cpu::merge(d, p.in.as<const U>(), p.n, p.in2.as<const U>(), p.m, p.out.as<U>(), before);
  });
}

void look(device& d, const problem& p) {
  with_order(p, [&]<class T>(type_tag<T>, auto before) {
    *p.count.as<std::uint64_t>() = cpu::is_sorted_until(d, p.in.as<const order_image<T>>(), p.n, before);
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};

variant entry(std::string_view name, primitive what, std::string_view source, int year, std::string_view teaches,
              formula work, formula launches, formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = source, v.year = year, v.teaches = teaches;
  v.kind = variant_kind::tuned;
  v.work = work, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list{
      entry("sort/radix-in-cache", primitive::sort, "upsweep", 2026,
            "The highest digit cuts the keys into ranges that fit a core's cache, by lines gathered for each digit; "
            "each range is then sorted there by its other "
            "digits, the lowest first.",
            {"5n", [](double n) { return 5 * n; }}, {"3", [](double) { return 3.0; }},
            {"5n", [](double n) { return 5 * n; }}, sort_keys),
      entry(
          "segmented-sort/radix-in-cache", primitive::segmented_sort, "upsweep", 2026,
          "Short segments are dealt out and sorted by digits within a core's cache; a long one is sorted by all cores.",
          {"4n", [](double n) { return 4 * n; }}, one, {"2n", [](double n) { return 2 * n; }}, sort_segments),
      entry("top-k/radix-select", primitive::top_k, "upsweep", 2026,
            "Counting the highest digit tells which keys can be among the first k; only those are sorted.",
            {"2n", [](double n) { return 2 * n; }}, {"4", [](double) { return 4.0; }},
            {"3n", [](double n) { return 3 * n; }}, top_k),
      entry("merge/path-cpu", primitive::merge, "upsweep", 2026,
            "Bisection finds where each piece of the result begins in both inputs; each core merges pieces.", linear,
            {"2", [](double) { return 2.0; }}, {"2n", [](double n) { return 2 * n; }}, merge_two),
      entry("is-sorted/blocked", primitive::is_sorted, "upsweep", 2026,
            "Each core looks at blocks in order and leaves out those behind the first breach.", linear, one, linear,
            look),
  };
  return list;
}

}  // namespace upsweep::detail::sort_impl
