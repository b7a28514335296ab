// The report's sort by single bits, and other sequential loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "upsweep/sort/cpu/sort_cpu.hpp"
#include "upsweep/sort/cpu/sort_key_order.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

namespace {

// Value i as it comes: given, or the index.
std::uint64_t value_at(const problem& p, std::uint64_t i) {
  std::uint64_t value = i;
  if (!p.indices) std::memcpy(&value, p.in2.as<const char>() + i * p.value_bytes, p.value_bytes);
  return value;
}

void put_value(const problem& p, std::uint64_t i, std::uint64_t value) {
  if (p.value_bytes != 0) std::memcpy(p.out2.as<char>() + i * p.value_bytes, &value, p.value_bytes);
}

// A pass for each bit, the lowest first: count the zeros, put those with a zero first and those with a one after them,
// and copy all of it back.
void sort_by_single_bits(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using U = order_image<T>;
    const order_window<U> window(p.first_bit, p.last_bit, p.descending);
    const unsigned last_bit = p.last_bit == 0 ? 8 * sizeof(U) : p.last_bit;
    U *keys = p.out.as<U>(), *moved = d.scratch("sort/1bit-keys", p.n * sizeof(U)).template as<U>();
    auto* values = d.scratch("sort/1bit-values", p.value_bytes ? p.n * 8 : 0).template as<std::uint64_t>();
    auto* moved_values = d.scratch("sort/1bit-moved-values", p.value_bytes ? p.n * 8 : 0).template as<std::uint64_t>();
    std::memmove(keys, p.in.as<const U>(), p.n * sizeof(U));
    for (std::uint64_t i = 0; p.value_bytes != 0 && i < p.n; ++i) values[i] = value_at(p, i);
    for (unsigned bit = p.first_bit; bit < last_bit; ++bit) {
      const auto is_one = [&](U key) { return window(order_bits_of<order_for<T>>(key)) >> bit & 1; };
      std::uint64_t zeros = 0;
      for (std::uint64_t i = 0; i < p.n; ++i) zeros += !is_one(keys[i]);
      std::uint64_t zero = 0, one = zeros;
      for (std::uint64_t i = 0; i < p.n; ++i) {
        const std::uint64_t place = is_one(keys[i]) ? one++ : zero++;
        moved[place] = keys[i];
        if (p.value_bytes != 0) moved_values[place] = values[i];
      }
      std::copy_n(moved, p.n, keys);
      if (p.value_bytes != 0) std::copy_n(moved_values, p.n, values);
    }
    for (std::uint64_t i = 0; i < p.n; ++i) put_value(p, i, p.value_bytes != 0 ? values[i] : 0);
  });
}

void sort_segments_sequentially(device&, const problem& p) {
  const auto* offsets = p.in3.as<const std::uint64_t>();
  with_order(p, [&]<class T>(type_tag<T>, auto before) {
    using U = order_image<T>;
    const std::vector<U> keys(p.in.as<const U>(), p.in.as<const U>() + p.n);
    std::vector<std::uint64_t> values(p.value_bytes ? p.n : 0), order(p.n);
    for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = value_at(p, i);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    for (std::uint64_t s = 0; s < p.m; ++s)
      std::stable_sort(order.data() + offsets[s], order.data() + offsets[s + 1],
                       [&](std::uint64_t a, std::uint64_t b) { return before(keys[a], keys[b]); });
    for (std::uint64_t i = 0; i < p.n; ++i) {
      p.out.as<U>()[i] = keys[order[i]];
      if (p.value_bytes != 0) put_value(p, i, values[order[i]]);
    }
  });
}

void top_k_sequentially(device&, const problem& p) {
  with_order(p, [&]<class T>(type_tag<T>, auto before) {
    const auto* keys = p.in.as<const order_image<T>>();
    std::vector<std::uint64_t> order(p.n);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(p.m), order.end(),
                      [&](std::uint64_t a, std::uint64_t b) {
                        return before(keys[a], keys[b]) || (!before(keys[b], keys[a]) && a < b);
                      });
    for (std::uint64_t i = 0; i < p.m; ++i) {
      p.out.as<order_image<T>>()[i] = keys[order[i]];
      p.out2.as<std::uint64_t>()[i] = order[i];
    }
  });
}

void merge_two_sequentially(device&, const problem& p) {
  with_order(p, [&]<class T>(type_tag<T>, auto before) {
    using U = order_image<T>;
    cpu::merge_from_the_front(p.in.as<const U>(), p.n, p.in2.as<const U>(), p.m, p.out.as<U>(), before);
  });
}

void look_sequentially(device&, const problem& p) {
  with_order(p, [&]<class T>(type_tag<T>, auto before) {
    const auto* keys = p.in.as<const order_image<T>>();
    std::uint64_t i = 1;
    while (i < p.n && !before(keys[i], keys[i - 1])) ++i;
    *p.count.as<std::uint64_t>() = std::min(i, p.n);
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};

variant entry(std::string_view name, primitive what, std::string_view source, int year, std::string_view teaches,
              formula work, formula launches, formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = source, v.year = year, v.teaches = teaches;
  v.work = work, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{
      entry("sort/radix-1bit-cpu", primitive::sort, "kit", 2015,
            "One thread, a pass for each bit: count the zeros, put zeros first and ones after them in order, copy "
            "back; 32 times through memory and back for 32 bits.",
            {"2·bits·n", [](double n) { return 64 * n; }}, {"bits", [](double) { return 32.0; }},
            {"4·bits·n", [](double n) { return 128 * n; }}, sort_by_single_bits),
      entry("segmented-sort/sequential", primitive::segmented_sort, "textbook", 1945,
            "One thread sorts the places of one segment after the other by merging.",
            {"n log2 n", [](double n) { return n * std::log2(n + 2); }}, one, {"4n", [](double n) { return 4 * n; }},
            sort_segments_sequentially),
      entry("top-k/sequential", primitive::top_k, "textbook", 1964, "One thread keeps a heap of the first k.",
            {"n log2 n", [](double n) { return n * std::log2(n + 2); }}, one, linear, top_k_sequentially),
      entry("merge/sequential", primitive::merge, "textbook", 1945, "One thread takes the smaller of two heads.",
            linear, one, {"2n", [](double n) { return 2 * n; }}, merge_two_sequentially),
      entry("is-sorted/sequential", primitive::is_sorted, "textbook", 1945, "One thread compares neighbours.", linear,
            one, linear, look_sequentially),
  };
  return list;
}

}  // namespace upsweep::detail::sort_impl
