// The conformance tests of sort accept a correct implementation, and detect the typical errors of sorts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/conformance_tests.hpp"
#include "upsweep/sort/sort_order.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {
namespace {

// The simplest implementation of every primitive of sort, on a copy of its operands.
struct plain {
  bool unstable = false, payloads_unstable = false, nan_first = false, minus_zero_less = false, all_bits = false,
       forget_tail = false;

  template <class T>
  auto image(const problem& p, order_image<T> key) const {
    using U = order_image<T>;
    U image = order_bits_of<order_for<T>>(key);
    if constexpr (order_for<T> == key_order::floating) {
      const U top = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
      if (nan_first && image == static_cast<U>(~U{0})) image = 0;
      if (minus_zero_less && key == top) image = static_cast<U>(image - 1);
    }
    return all_bits ? order_window<U>(0, 0, p.descending)(image)
                    : order_window<U>(p.first_bit, p.last_bit, p.descending)(image);
  }

  template <class T, class V>
  void sort_part(const problem& p, const std::vector<order_image<T>>& in, const std::vector<V>& values,
                 std::uint64_t first, std::uint64_t last) const {
    std::vector<std::uint64_t> order(last - first);
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
      const auto x = image<T>(p, in[a]), y = image<T>(p, in[b]);
      return x != y ? x < y : unstable && a > b;
    });
    for (std::uint64_t i = 0; i < order.size(); ++i) {
      p.out.as<order_image<T>>()[first + i] = in[order[i]];
      if (p.value_bytes != 0) p.out2.as<V>()[first + i] = p.indices ? static_cast<V>(order[i]) : values[order[i]];
    }
  }

  template <class T, class V>
  void sort(const problem& p) const {
    using U = order_image<T>;
    const std::vector<U> in(p.in.as<U>(), p.in.as<U>() + p.n);
    std::vector<V> values(p.n);
    if (p.value_bytes != 0 && !p.indices) values.assign(p.in2.as<V>(), p.in2.as<V>() + p.n);
    if (p.what == primitive::sort) return sort_part<T, V>(p, in, values, 0, forget_tail && p.n > 1000 ? p.n - 1 : p.n);
    const auto* offsets = p.in3.as<std::uint64_t>();
    std::copy(in.begin(), in.end(), p.out.as<U>());
    if (p.value_bytes != 0)
      for (std::uint64_t i = 0; i < p.n; ++i) p.out2.as<V>()[i] = p.indices ? static_cast<V>(i) : values[i];
    for (std::uint64_t s = 0; s + (forget_tail ? 1 : 0) < p.m; ++s)
      sort_part<T, V>(p, in, values, offsets[s], offsets[s + 1]);
  }

  void operator()(const problem& p) const {
    with_any_type(p.type, [&]<class T>(type_tag<T>) {
      using U = order_image<T>;
      const U* in = p.in.as<U>();
      const auto before = [&](U a, U b) { return image<T>(p, a) < image<T>(p, b); };
      switch (p.what) {
        case primitive::top_k: {
          std::vector<std::uint64_t> order(p.n);
          std::iota(order.begin(), order.end(), std::uint64_t{0});
          std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(in[a], in[b]); });
          if (forget_tail && p.m > 0 && p.m + 1 < p.n) order[p.m - 1] = order[p.m];
          for (std::uint64_t i = 0; i < p.m; ++i)
            p.out.as<U>()[i] = in[order[i]], p.out2.as<std::uint64_t>()[i] = order[i];
          return;
        }
        case primitive::merge: {
          const U* in2 = p.in2.as<U>();
          if (unstable) {
            std::merge(in2, in2 + p.m, in, in + p.n, p.out.as<U>(), before);
          } else {
            std::merge(in, in + p.n, in2, in2 + p.m, p.out.as<U>(), before);
          }
          return;
        }
        case primitive::is_sorted: {
          const std::uint64_t n = forget_tail && p.n > 0 ? p.n - 1 : p.n;
          *p.count.as<std::uint64_t>() = static_cast<std::uint64_t>(std::is_sorted_until(in, in + n, before) - in) +
                                         (n < p.n && std::is_sorted(in, in + n, before));
          return;
        }
        default: p.value_bytes == 8 ? sort<T, std::uint64_t>(p) : sort<T, std::uint32_t>(p);
      }
    });
  }
};

constexpr primitive own_primitives[]{primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge,
                                     primitive::is_sorted};

check_report checked(primitive what, tests::runner<problem> run, bool quick = true) {
  return tests::check_report_of<problem>(what, run, quick, 300000);
}

bool sampled() { return std::getenv("UPSWEEP_QUICK") != nullptr; }

void expect_right(primitive what, bool quick) {
  const check_report report = checked(what, [](device&, const problem& p) { plain{}(p); }, quick);
  EXPECT_TRUE(report.ok()) << name_of(what) << ": "
                           << (report.failures.empty() ? "no cases"
                                                       : report.failures[0].what + ": " + report.failures[0].wrong);
  EXPECT_GT(report.cases, 100u) << name_of(what);
}

TEST(SortConformance, PassesTheReference) {
  for (primitive what : own_primitives) expect_right(what, sampled());
}

void expect_caught(primitive what, const std::string& words, tests::runner<problem> run) {
  const check_report report = checked(what, run);
  EXPECT_FALSE(report.ok()) << name_of(what);
  bool said = false;
  for (const check_failure& f : report.failures) said = said || f.wrong.find(words) != std::string::npos;
  EXPECT_TRUE(said) << name_of(what) << ": nobody said '" << words << "' but "
                    << (report.failures.empty() ? "nothing" : report.failures[0].wrong);
}

TEST(SortConformance, CatchesNothingDone) {
  for (primitive what : {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge})
    expect_caught(what, "element 0 of", [](device&, const problem&) {});
  expect_caught(primitive::is_sorted, "the count is", [](device&, const problem&) {});
}

TEST(SortConformance, CatchesUnstable) {
  expect_caught(primitive::sort, "equal keys have changed places",
                [](device&, const problem& p) { plain{.unstable = true}(p); });
  expect_caught(primitive::segmented_sort, "equal keys have changed places",
                [](device&, const problem& p) { plain{.unstable = true}(p); });
  // Of keys alone, -0 and +0, NaNs, and bits that do not count tell it.
  expect_caught(primitive::sort, "an equal key that stood before it",
                [](device&, const problem& p) { plain{.unstable = p.value_bytes == 0}(p); });
  expect_caught(primitive::merge, " is not ", [](device&, const problem& p) { plain{.unstable = true}(p); });
}

TEST(SortConformance, CatchesMisplacedNaNs) {
  for (primitive what : {primitive::sort, primitive::segmented_sort, primitive::top_k})
    expect_caught(what, "nan", [](device&, const problem& p) { plain{.nan_first = true}(p); });
  for (primitive what : {primitive::merge, primitive::is_sorted}) {
    const check_report report = checked(what, [](device&, const problem& p) { plain{.nan_first = true}(p); });
    EXPECT_FALSE(report.ok()) << name_of(what);
  }
}

TEST(SortConformance, CatchesMinusZeroBeforeZero) {
  expect_caught(primitive::sort, "equal keys have changed places",
                [](device&, const problem& p) { plain{.minus_zero_less = true}(p); });
  expect_caught(primitive::is_sorted, "the count is",
                [](device&, const problem& p) { plain{.minus_zero_less = true}(p); });
}

TEST(SortConformance, CatchesBitsThatDoNotCount) {
  for (primitive what :
       {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::merge, primitive::is_sorted}) {
    const check_report report = checked(what, [](device&, const problem& p) { plain{.all_bits = true}(p); });
    EXPECT_FALSE(report.ok()) << name_of(what);
    for (const check_failure& f : report.failures)
      EXPECT_NE(f.what.find("bits"), std::string::npos) << f.what << ": " << f.wrong;
  }
}

TEST(SortConformance, CatchesTheLastLeftOut) {
  for (primitive what : {primitive::sort, primitive::segmented_sort, primitive::top_k, primitive::is_sorted}) {
    const check_report report = checked(what, [](device&, const problem& p) { plain{.forget_tail = true}(p); });
    EXPECT_FALSE(report.ok()) << name_of(what);
  }
}

TEST(SortConformance, CatchesKeysOfNobody) {
  // In order, but one key has become its neighbour.
  expect_caught(primitive::sort, " is not ", [](device&, const problem& p) {
    plain{}(p);
    const std::uint64_t size = size_of(p.type);
    if (p.n > 2 && p.value_bytes == 0) std::memcpy(p.out.as<char>() + size, p.out.as<char>(), size);
  });
  if (sampled()) return;
  // Too many to be compared one by one.
  const check_report report = checked(
      primitive::sort,
      [](device&, const problem& p) {
        plain{}(p);
        const std::uint64_t size = size_of(p.type);
        if (p.n > 150000) std::memcpy(p.out.as<char>() + size, p.out.as<char>(), size);
      },
      false);
  bool said = false;
  for (const check_failure& f : report.failures)
    said = said || f.wrong.find("not those of the input") != std::string::npos;
  EXPECT_TRUE(said) << report.failed << " failures, and none of them said so";
}

TEST(SortConformance, CatchesValuesOfOtherKeys) {
  expect_caught(primitive::sort, "comes with", [](device&, const problem& p) {
    plain{}(p);
    if (p.n > 2 && p.value_bytes != 0) {
      auto* values = p.out2.as<char>();
      std::swap_ranges(values, values + p.value_bytes, values + p.value_bytes);
    }
  });
  expect_caught(primitive::sort, "that no key had", [](device&, const problem& p) {
    plain{}(p);
    if (p.n > 2 && p.value_bytes != 0) std::memset(p.out2.as<char>(), 0xfe, p.value_bytes);
  });
}

TEST(SortConformance, CatchesWhatLiesInNoSegment) {
  expect_caught(primitive::segmented_sort, "lies in no segment", [](device&, const problem& p) {
    plain{}(p);
    const auto* offsets = p.in3.as<std::uint64_t>();
    if (offsets[p.m] < p.n) p.out.as<char>()[p.n * size_of(p.type) - 1] ^= 1;
  });
}

TEST(SortConformance, CatchesIndicesOfOthers) {
  expect_caught(primitive::top_k, "is not the key at index", [](device&, const problem& p) {
    plain{}(p);
    if (p.m > 0) p.out2.as<std::uint64_t>()[0] = (p.out2.as<std::uint64_t>()[0] + 1) % p.n;
  });
  expect_caught(primitive::top_k, "is past the end", [](device&, const problem& p) {
    plain{}(p);
    if (p.m > 0) p.out2.as<std::uint64_t>()[p.m - 1] = p.n;
  });
}

}  // namespace
}  // namespace upsweep::detail::sort_impl
