// The sequential loops.
#include <algorithm>
#include <array>
#include <vector>

#include "upsweep/histogram/cpu/histogram_rules.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"

namespace upsweep::detail::histogram_impl {

namespace {

void count_sequentially(device&, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const T* x = p.in.as<const T>();
    const weights_in_memory weights{p.in2.address(), p.weight_type == dtype::f64};
    with_bins<T>(p, [&](const auto& bins) {
      const auto each = [&](auto add) {
        std::uint64_t channel = 0;
        for (std::uint64_t i = 0; i < p.n; ++i) {
          if (const std::uint32_t b = bins(x[i]); b != no_bin) add(i, channel * p.m + b);
          if (++channel == p.channels) channel = 0;
        }
      };
      if (!p.weighted) {
        auto* counts = p.out.as<std::uint64_t>();
        std::fill_n(counts, p.m * p.channels, 0);
        return each([&](std::uint64_t, std::uint64_t b) { ++counts[b]; });
      }
      const int bits_of_n = bits_of_count(p.n);
      std::vector<std::uint32_t> exponents(p.m * p.channels);
      std::vector<fixed_point> sums(p.m * p.channels);
      each([&](std::uint64_t i, std::uint64_t b) { exponents[b] = std::max(exponents[b], weights(i).exponent); });
      each([&](std::uint64_t i, std::uint64_t b) {
        const weight_parts w = weights(i);
        const fixed_point x = fixed_of(w, exponents[b], bits_of_n);
        sums[b] = is_subtracted(w, exponents[b]) ? difference(sums[b], x) : added(sums[b], x);
      });
      for (std::uint64_t b = 0; b < sums.size(); ++b)
        p.out.as<double>()[b] = to_double(sums[b], exponents[b], bits_of_n);
    });
  });
}

void answer_sequentially(device&, const problem& p) {
  const auto *prefix = p.in.as<const std::uint64_t>(), *pairs = p.in2.as<const std::uint64_t>();
  for (std::uint64_t i = 0; i < p.n; ++i)
    p.out.as<std::uint64_t>()[i] = prefix[pairs[2 * i + 1]] - prefix[pairs[2 * i]];
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};

variant entry(std::string_view name, primitive what, std::string_view source, int year, std::string_view teaches,
              formula launches, formula traffic, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = source, v.year = year, v.teaches = teaches;
  v.work = linear, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{
      entry("histogram/sequential", primitive::histogram, "textbook", 1895,
            "One thread finds each sample's bin and adds one to it: equal neighbours wait for each other's addition.",
            one, linear, count_sequentially),
      entry("range-counts/sequential", primitive::range_count, "textbook", 1984,
            "Two look-ups and a subtraction a range, one after the other.", one, {"5n", [](double n) { return 5 * n; }},
            answer_sequentially),
  };
  return list;
}

}  // namespace upsweep::detail::histogram_impl
