// Lazy views of one device's memory given to a call on another: every call that takes views refuses them by a sentence
// and touches nothing.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/expression.hpp"
#include "upsweep/upsweep.hpp"

namespace upsweep::tests {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr u64 n = 1000;

struct plus_seven {
  UPSWEEP_HD u32 operator()(u32 x) const { return x + 7; }
  static constexpr const char* source = "x + 7";
};
struct sum_of_both {
  UPSWEEP_HD u32 operator()(u32 a, u32 b) const { return a + b; }
  static constexpr const char* source = "a + b";
};
struct is_odd {
  UPSWEEP_HD bool operator()(u32 x) const { return x % 2 == 1; }
  static constexpr const char* source = "x % 2 == 1";
};

// Inputs in memory of one device, and outputs in memory of another.
struct material {
  buffer<u32> in, more;
  buffer<u64> places;
  buffer<float> floats;
  buffer<u32> y, z;
  buffer<u64> wide, count;
  buffer<double> sums;

  material(const context& home, const context& where)
      : in(home, rising<u32>(1)),
        more(home, rising<u32>(2)),
        places(home, rising<u64>(1)),
        floats(home, rising<float>(1)),
        y(where, std::vector<u32>(2 * n, 77)),
        z(where, std::vector<u32>(2 * n, 77)),
        wide(where, std::vector<u64>(n, 77)),
        count(where, std::vector<u64>(1, 77)),
        sums(where, std::vector<double>(8, 77)) {}
  bool is_untouched() const {
    const auto all = [](const auto& b) {
      const auto host = b.download();
      return std::all_of(host.begin(), host.end(), [](auto x) { return x == 77; });
    };
    return all(y) && all(z) && all(wide) && all(count) && all(sums);
  }
  auto out(u64 size = n) { return y.span().subspan(0, size); }
  auto out2(u64 size = n) { return z.span().subspan(0, size); }
  auto one() { return count.span(); }

 private:
  template <class T>
  static std::vector<T> rising(T step) {
    std::vector<T> x(n);
    for (u64 i = 0; i < n; ++i) x[i] = static_cast<T>(i) * step;
    return x;
  }
};

struct call_of_a_view {
  std::string name;
  std::function<void(const context&, material&)> call;
};

// View forms: each ends in the foreign memory.
template <class Add>
void forms(const Add& add) {
  add("transform", [](material& m) { return views::transform(m.in.span(), plus_seven{}); });
  add("transform of two",
      [](material& m) { return views::transform(views::zip(m.in.span(), m.more.span()), sum_of_both{}); });
  add("permute", [](material& m) { return views::permute(m.in.span(), m.places.span()); });
  add("permute by places elsewhere", [](material& m) { return views::permute(views::iota(0u, n), m.places.span()); });
  add("reverse", [](material& m) { return views::reverse(m.in.span()); });
  add("stride", [](material& m) { return views::stride(m.in.span(), 1); });
  add("stride of rows", [](material& m) { return views::stride(m.in.span(), 10, 100, 100); });
  add("nested", [](material& m) {
    return views::transform(views::reverse(views::permute(m.in.span(), views::reverse(m.places.span()))), plus_seven{});
  });
  add("of a buffer", [](material& m) { return views::transform(m.in, plus_seven{}); });
}

template <class View>
std::vector<call_of_a_view> calls_with(const View& view) {
  std::vector<call_of_a_view> all;
  const auto add = [&](const char* name, auto call) {
    all.push_back({name, [call, view](const context& c, material& m) { call(c, m, view(m)); }});
  };
  using M = material;
  using C = context;
  add("reduce", [](const C& c, M&, const auto& v) { (void)reduce(c, v); });
  add("transform_reduce",
      [](const C& c, M&, const auto& v) { (void)transform_reduce(c, v, 0u, plus{}, plus_seven{}); });
  add("inclusive_scan", [](const C& c, M& m, const auto& v) { inclusive_scan(c, v, m.out()); });
  add("exclusive_scan", [](const C& c, M& m, const auto& v) { exclusive_scan(c, v, m.out(), 5u); });
  add("transform", [](const C& c, M& m, const auto& v) { transform(c, v, m.out(), plus_seven{}); });
  add("transform of two", [](const C& c, M& m, const auto& v) { transform(c, v, v, m.out(), sum_of_both{}); });
  add("transform_if", [](const C& c, M& m, const auto& v) { transform_if(c, v, m.out(), plus_seven{}, is_odd{}); });
  add("replace_copy_if", [](const C& c, M& m, const auto& v) { replace_copy_if(c, v, m.out(), is_odd{}, 5u); });
  add("copy", [](const C& c, M& m, const auto& v) { copy(c, v, m.out()); });
  add("adjacent_difference", [](const C& c, M& m, const auto& v) { adjacent_difference(c, v, m.out()); });
  add("count_if", [](const C& c, M&, const auto& v) { (void)count_if(c, v, is_odd{}); });
  add("find_if", [](const C& c, M&, const auto& v) { (void)find_if(c, v, is_odd{}); });
  add("any_of", [](const C& c, M&, const auto& v) { (void)any_of(c, v, is_odd{}); });
  add("count", [](const C& c, M&, const auto& v) { (void)count(c, v, 5u); });
  add("adjacent_find", [](const C& c, M&, const auto& v) { (void)adjacent_find(c, v); });
  add("mismatch", [](const C& c, M&, const auto& v) { (void)mismatch(c, v, v); });
  add("equal", [](const C& c, M&, const auto& v) { (void)equal(c, v, v); });
  add("argmin", [](const C& c, M&, const auto& v) { (void)argmin(c, v); });
  add("minmax", [](const C& c, M&, const auto& v) { (void)minmax(c, v); });
  add("partition_point", [](const C& c, M&, const auto& v) { (void)partition_point(c, v, is_odd{}); });
  add("lower_bound", [](const C& c, M& m, const auto& v) { lower_bound(c, v, v, m.wide.span()); });
  add("copy_if", [](const C& c, M& m, const auto& v) { copy_if(c, v, m.out(), m.one(), is_odd{}); });
  add("copy_if with its count", [](const C& c, M& m, const auto& v) { (void)copy_if(c, v, m.out(), is_odd{}); });
  add("copy_if by a stencil",
      [](const C& c, M& m, const auto& v) { (void)copy_if(c, views::iota(0u, n), m.out(), stencil(v, is_odd{})); });
  add("remove_copy_if", [](const C& c, M& m, const auto& v) { (void)remove_copy_if(c, v, m.out(), is_odd{}); });
  add("select_flagged", [](const C& c, M& m, const auto& v) { (void)select_flagged(c, v, v, m.out()); });
  add("unique", [](const C& c, M& m, const auto& v) { (void)unique(c, v, m.out()); });
  add("unique_by_key", [](const C& c, M& m, const auto& v) { (void)unique_by_key(c, v, v, m.out(), m.out2()); });
  add("unique_count", [](const C& c, M&, const auto& v) { (void)unique_count(c, v); });
  add("partition", [](const C& c, M& m, const auto& v) { (void)partition(c, v, m.out(), is_odd{}); });
  add("three_way_partition",
      [](const C& c, M& m, const auto& v) { (void)three_way_partition(c, v, m.out(), is_odd{}, is_odd{}); });
  add("partition_copy",
      [](const C& c, M& m, const auto& v) { (void)partition_copy(c, v, m.out(), m.out2(), is_odd{}); });
  add("run_length_encode",
      [](const C& c, M& m, const auto& v) { (void)run_length_encode(c, v, m.out(), m.wide.span()); });
  add("filter_map",
      [](const C& c, M& m, const auto& v) { (void)filter_map(c, v, m.out(), map_if(is_odd{}, plus_seven{})); });
  add("gather", [](const C& c, M& m, const auto& v) { gather(c, v, views::iota(u64{0}, n), m.out()); });
  add("gather by places", [](const C& c, M& m, const auto& v) { gather(c, views::iota(0u, n), v, m.out()); });
  add("scatter", [](const C& c, M& m, const auto& v) { scatter(c, v, views::iota(u64{0}, n), m.out()); });
  add("sort", [](const C& c, M& m, const auto& v) { sort(c, v, m.out()); });
  add("argsort", [](const C& c, M& m, const auto& v) { argsort(c, v, m.out()); });
  add("top_k", [](const C& c, M& m, const auto& v) { top_k(c, v, m.out(5)); });
  add("merge", [](const C& c, M& m, const auto& v) { merge(c, v, v, m.out(2 * n)); });
  add("set_union", [](const C& c, M& m, const auto& v) { (void)set_union(c, v, v, m.out(2 * n)); });
  add("merge_by_key",
      [](const C& c, M& m, const auto& v) { merge_by_key(c, v, v, v, v, m.out(2 * n), m.out2(2 * n)); });
  add("reduce_by_key", [](const C& c, M& m, const auto& v) { (void)reduce_by_key(c, v, v, m.out(), m.out2()); });
  add("inclusive_scan_by_key", [](const C& c, M& m, const auto& v) { inclusive_scan_by_key(c, v, v, m.out()); });
  add("histogram", [](const C& c, M& m, const auto& v) { histogram(c, v, m.wide.span(), 0u, 1000u); });
  add("reduce_along", [](const C& c, M& m, const auto& v) { reduce_along(c, v, rows_of(10), m.out(100)); });
  add("output adaptor",
      [](const C& c, M& m, const auto& v) { inclusive_scan(c, v, transform_output(m.out(), plus_seven{})); });
  return all;
}

std::vector<context> places() {
  std::vector<context> all;
  for (const std::string& name : device_names())
    if (name == "cpu" || name == "cuda:0" || name == "cuda:1" || name == "opencl:0")
      all.push_back(context::named(name));
  return all;
}

std::string refusal_of(const call_of_a_view& c, const context& where, material& m) {
  try {
    c.call(where, m);
  } catch (const error& e) {
    return e.what();
  }
  return "nothing was refused";
}

template <class Body>
void for_each_pair(const Body& body) {
  const std::vector<context> all = places();
  for (const context& home : all)
    for (const context& where : all)
      if (where.name() != home.name()) body(home, where);
}

void expect_refused(const context& home, const context& where, material& m, const call_of_a_view& c,
                    const std::string& form) {
  const std::string said = refusal_of(c, where, m);
  const bool by_address = said.find("is memory of") != std::string::npos;
  // A device has no form of some calls for views in a .cpp file, and the call says so first.
  const bool by_form = where.kind() != backend::cpu &&
                       (said.find("OpenCL") != std::string::npos || said.find("device source") != std::string::npos ||
                        said.find("nvcc") != std::string::npos);
  EXPECT_TRUE(by_address || by_form) << c.name << " of " << form << " on " << where.name() << " of memory of "
                                     << home.name() << ": " << said;
}

}  // namespace

TEST(ForeignViews, AreRefusedByEveryCall) {
  if (places().size() < 2) GTEST_SKIP() << "there is one device only";
  for_each_pair([](const context& home, const context& where) {
    material m(home, where);
    for (const call_of_a_view& c :
         calls_with([](material& of) { return views::transform(of.in.span(), plus_seven{}); }))
      expect_refused(home, where, m, c, "transform");
    EXPECT_TRUE(m.is_untouched()) << "outputs on " << where.name();
  });
}

TEST(ForeignViews, OfEveryFormAreRefused) {
  if (places().size() < 2) GTEST_SKIP() << "there is one device only";
  for_each_pair([](const context& home, const context& where) {
    material m(home, where);
    forms([&](const char* form, auto view) {
      expect_refused(home, where, m, {"reduce", [view](const context& c, material& of) { (void)reduce(c, view(of)); }},
                     form);
      expect_refused(home, where, m, {"copy", [view](const context& c, material& of) { copy(c, view(of), of.out()); }},
                     form);
    });
    EXPECT_TRUE(m.is_untouched());
  });
}

// One of several inputs.
TEST(ForeignViews, AmongOthersAreRefused) {
  if (places().size() < 2) GTEST_SKIP() << "there is one device only";
  for_each_pair([](const context& home, const context& where) {
    material m(home, where);
    const buffer<u32> own(where, std::vector<u32>(n, 1));
    const buffer<u64> offsets(where, std::vector<u64>{0, 10, n});
    const auto foreign = views::transform(m.in.span(), plus_seven{});
    const auto refused = [&](const char* name, auto call) {
      expect_refused(home, where, m, {name, [call](const context& c, material&) { call(c); }}, "one of two");
    };
    refused("zip", [&](const context& c) {
      (void)reduce(c, views::transform(views::zip(own.span(), m.in.span()), sum_of_both{}));
    });
    refused("transform", [&](const context& c) { transform(c, own, foreign, m.out(), sum_of_both{}); });
    refused("transform of a plain span and a view", [&](const context& c) {
      transform(c, m.in, views::transform(own.span(), plus_seven{}), m.out(), sum_of_both{});
    });
    refused("permute", [&](const context& c) { (void)reduce(c, views::permute(own.span(), m.places.span())); });
    refused("segmented_reduce", [&](const context& c) { segmented_reduce(c, foreign, offsets, m.out(2)); });
    refused("segments by foreign offsets",
            [&](const context& c) { segmented_reduce(c, own, views::reverse(m.places.span()), m.out(n - 1)); });
    refused("weighted_histogram", [&](const context& c) {
      weighted_histogram(c, own, views::reverse(m.floats.span()), m.sums.span(), 0u, 8u);
    });
    refused("mismatch", [&](const context& c) { (void)mismatch(c, own, foreign); });
    refused("merge", [&](const context& c) { merge(c, own, foreign, m.out(2 * n)); });
    refused("set_union", [&](const context& c) { (void)set_union(c, own, foreign, m.out(2 * n)); });
    refused("values by key", [&](const context& c) { (void)reduce_by_key(c, own, foreign, m.out(), m.out2()); });
    EXPECT_TRUE(m.is_untouched());
  });
}

// Views of own memory, and of none, with outputs in memory of another device. Calls without an output return.
TEST(ForeignViews, OutputsElsewhereAreRefused) {
  if (places().size() < 2) GTEST_SKIP() << "there is one device only";
  for_each_pair([](const context& home, const context& where) {
    material m(where, home);
    int refused = 0;
    const auto all = [&](const auto& calls) {
      for (const call_of_a_view& c : calls) {
        SCOPED_TRACE(c.name + " on " + where.name() + " into memory of " + home.name());
        try {
          c.call(where, m);
        } catch (const error& e) {
          ++refused;
          EXPECT_NE(std::string(e.what()).find("is memory of"), std::string::npos) << e.what();
        }
      }
    };
    all(calls_with([](material& of) { return views::transform(of.in.span(), plus_seven{}); }));
    all(calls_with([](material&) { return views::iota(0u, n); }));
    EXPECT_GE(refused, 30);
    EXPECT_TRUE(m.is_untouched()) << "outputs on " << home.name();
  });
}

TEST(ForeignViews, OfNothingOrOfOwnMemoryAreTaken) {
  for (const context& where : places()) {
    const buffer<u32> own(where, std::vector<u32>(n, 1)), none(where, 0);
    EXPECT_EQ(reduce(where, views::transform(own.span(), plus_seven{})), 8 * n) << where.name();
    EXPECT_EQ(reduce(where, views::transform(none.span(), plus_seven{})), 0u) << where.name();
  }
  const context cpu = context::cpu();
  std::vector<u32> x{3, 1, 2};
  // An address that the caller passes may be read by the device.
  EXPECT_EQ(reduce(cpu, views::reverse(device_span<const u32>(x.data(), x.size()))), 6u);
  const buffer<u32> one(context::cpu(1), x);
  EXPECT_EQ(reduce(context::cpu(2), views::reverse(one.span())), 6u);
}

}  // namespace upsweep::tests
