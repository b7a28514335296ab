// Sorts numbers, values by their keys, and structs by several members, and selects the largest few.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

struct trade {
  int day;
  float price;
};

int main() {
  const auto where = upsweep::context::best();
  std::vector<float> prices{3.5f, 0.25f, 9.0f, 0.5f};
  std::vector<std::uint32_t> rows{0, 1, 2, 3};
  upsweep::sort_by_key(where, prices, rows);  // both in place; equal keys keep their order

  std::vector<float> best(2);
  upsweep::top_k(where, prices, best);  // the largest, in order

  std::vector<trade> trades{{2, 1.5f}, {1, 4.0f}, {2, 7.0f}};
  upsweep::sort(upsweep::context::cpu(), trades, upsweep::by(&trade::day, upsweep::descending(&trade::price)));

  std::printf("row %u is the cheapest, %g the most; day %d begins with %g\n", rows[0], best[0], trades[1].day,
              trades[1].price);
  return rows[0] == 1 && rows[3] == 2 && best[0] == 9 && best[1] == 3.5f && trades[1].price == 7 ? 0 : 1;
}
