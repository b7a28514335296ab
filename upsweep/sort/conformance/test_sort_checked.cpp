// What checking builds report. Every type here is this file's own: elsewhere the same templates are compiled without
// the checks.
#define UPSWEEP_CHECKED 1
#include <gtest/gtest.h>

#include <string>

#include "tests/devices.hpp"
#include "upsweep/axis.hpp"
#include "upsweep/sort.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

struct key {
  unsigned x;
};
struct in_order_of_x {
  bool operator()(key a, key b) const { return a.x < b.x; }
};
struct not_after {
  bool operator()(key a, key b) const { return a.x <= b.x; }
};
struct rock_paper_scissors {
  bool operator()(key a, key b) const { return (a.x + 1) % 3 == b.x % 3; }
};

std::vector<key> keys(unsigned n) {
  std::vector<key> all;
  for (unsigned i = 0; i < n; ++i) all.push_back({i * 7919 % n});
  return all;
}

TEST(SortChecked, ComparatorsThatAreNoOrder) {
  for (unsigned n : {40u, 30000u}) {
    std::vector<key> x = keys(n), values = x;
    expect_error(fault::bad_argument, {"not a strict weak order", "an element before itself"},
                 [&] { sort(context::cpu(2), x, not_after{}); });
    x = keys(n);
    expect_error(fault::bad_argument, {"not a strict weak order"},
                 [&] { sort(context::cpu(2), x, rock_paper_scissors{}); });
    x = keys(n);
    expect_error(fault::bad_argument, {"not a strict weak order"},
                 [&] { sort_by_key(context::cpu(2), x, values, not_after{}); });
    x = keys(n);
    EXPECT_NO_THROW(sort(context::cpu(2), x, in_order_of_x{}));
    EXPECT_TRUE(is_sorted(context::cpu(2), x, in_order_of_x{}));
  }
}

TEST(SortChecked, ComparatorsAlongAnAxis) {
  struct text : std::string {  // no other file has lines of this type
    using std::string::string;
  };
  std::vector<text> x(12, text("a"));
  expect_error(fault::bad_argument, {"sort_along", "not a strict weak order"},
               [&] { sort_along(context::cpu(2), x, {3, 4}, 1, [](const text& a, const text& b) { return a <= b; }); });
  EXPECT_NO_THROW(sort_along(context::cpu(2), x, {3, 4}, 1, [](const text& a, const text& b) { return a < b; }));
}

TEST(SortChecked, OffsetsOnTheDevice) {
  using number = long long;  // no other file has segments of this type
  const context cpu = context::cpu(2);
  buffer<unsigned> x(cpu, 10);
  const auto sorted_by = [&](std::vector<number> offsets) {
    buffer<number> there(cpu, offsets);
    segmented_sort(cpu, x.span(), there.span());
  };
  cpu.device().fill(x.span().where(), 0, 40);
  EXPECT_NO_THROW(sorted_by({0, 4, 4, 10}));
  expect_error(fault::bad_argument, {"segmented_sort", "offset 2 is 3, less than the 4"},
               [&] { sorted_by({0, 4, 3, 10}); });
  expect_error(fault::bad_argument, {"offset 1 is 12, past the end of 10"}, [&] { sorted_by({0, 12}); });
}

}  // namespace
}  // namespace upsweep
