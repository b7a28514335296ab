// The twenty tasks with ParlayLib (cmake -DUPSWEEP_PARLAY_DIR=FOLDER, its include folder).
#include <algorithm>
#include <climits>
#include <utility>

#include <parlay/parallel.h>
#include <parlay/primitives.h>

#include "tasks.hpp"

namespace tasks {

answers with_parlay(const input& in) {
  const auto& [x, y, keys, offsets, sorted, sorted2, queries] = in;
  const std::size_t n = x.size();
  answers all;
  {
    // task 1
    int sum = parlay::reduce(x);
    // end
    all.push_back({sum});
  }
  {
    // task 2
    i64 squares = parlay::reduce(parlay::delayed_map(x, [](int v) { return i64{v} * v; }));
    // end
    all.push_back({squares});
  }
  {
    // task 3
    i64 dot = parlay::reduce(parlay::delayed_tabulate(n, [&](std::size_t i) { return i64{x[i]} * y[i]; }));
    // end
    all.push_back({dot});
  }
  {
    // task 4
    auto place = parlay::max_element(x) - x.begin();
    // end
    all.push_back({place});
  }
  {
    // task 5
    auto out = parlay::tabulate(n, [&](std::size_t i) { return 3 * x[i] + y[i]; });
    // end
    all.push_back(all_of_them(out));
  }
  {
    // task 6
    auto small = parlay::count_if(x, [](int v) { return v < 100; });
    // end
    all.push_back({static_cast<i64>(small)});
  }
  {
    // task 7
    auto totals = parlay::scan_inclusive(x);
    // end
    all.push_back(all_of_them(totals));
  }
  {
    // task 8
    auto highest = parlay::scan_inclusive(x, parlay::maximum<int>());
    // end
    all.push_back(all_of_them(highest));
  }
  {
    // task 9
    auto ordered = parlay::sort(x);
    // end
    all.push_back(all_of_them(ordered));
  }
  {
    // task 10
    auto ordered = parlay::stable_sort(x, [](int a, int b) { return a % 10 < b % 10; });
    // end
    all.push_back(all_of_them(ordered));
  }
  {
    // task 11
    auto rows = parlay::stable_sort(parlay::tabulate(n, [&](std::size_t i) { return std::pair(x[i], y[i]); }),
                                    [](auto& a, auto& b) { return a.first < b.first; });
    // end
    answer a;
    for (const auto& row : rows) a.push_back(row.first);
    for (const auto& row : rows) a.push_back(row.second);
    all.push_back(a);
  }
  {
    // task 12
    auto order = parlay::stable_sort(parlay::tabulate(n, [](std::size_t i) { return u64{i}; }),
                                     [&](u64 a, u64 b) { return x[a] < x[b]; });
    // end
    all.push_back(all_of_them(order));
  }
  {
    // task 13
    auto top = parlay::sort(x, std::greater<>{}).head(10);
    // end
    all.push_back(all_of_them(top));
  }
  {
    // task 14
    auto even = parlay::filter(x, [](int v) { return v % 2 == 0; });
    // end
    all.push_back(all_of_them(even));
  }
  {
    // task 15
    auto once = parlay::unique(keys);
    // end
    all.push_back(all_of_them(once));
  }
  {
    // task 16
    auto begins = parlay::filter(parlay::iota(n), [&](std::size_t i) { return i == 0 || keys[i] != keys[i - 1]; });
    auto runs = parlay::tabulate(begins.size(), [&](std::size_t r) {
      std::size_t end = r + 1 < begins.size() ? begins[r + 1] : n;
      return std::pair(keys[begins[r]], parlay::reduce(parlay::make_slice(x).cut(begins[r], end)));
    });
    // end
    answer a;
    for (const auto& run : runs) a.push_back(run.first);
    for (const auto& run : runs) a.push_back(run.second);
    all.push_back(a);
  }
  {
    // task 17
    auto sums = parlay::tabulate(offsets.size() - 1, [&](std::size_t s) {
      return parlay::reduce(parlay::make_slice(x).cut(offsets[s], offsets[s + 1]));
    });
    // end
    all.push_back(all_of_them(sums));
  }
  {
    // task 18
    auto counts = parlay::histogram_by_index(parlay::delayed_map(x, [](int v) { return v / 125u; }), 8u);
    // end
    all.push_back(all_of_them(counts));
  }
  {
    // task 19
    auto places = parlay::map(
        queries, [&](int q) -> u64 { return std::lower_bound(sorted.begin(), sorted.end(), q) - sorted.begin(); });
    // end
    all.push_back(all_of_them(places));
  }
  {
    // task 20
    auto common = parlay::filter(sorted, [&](int v) { return std::binary_search(sorted2.begin(), sorted2.end(), v); });
    // end
    all.push_back(all_of_them(common));
  }
  return all;
}

}  // namespace tasks
