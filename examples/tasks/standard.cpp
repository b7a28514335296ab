// The twenty tasks with the standard library, C++20.
#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>

#include "tasks.hpp"

namespace tasks {

answers with_the_standard_library(const input& in) {
  const auto& [x, y, keys, offsets, sorted, sorted2, queries] = in;
  const std::size_t n = x.size();
  answers all;
  {
    // task 1
    int sum = std::reduce(x.begin(), x.end());
    // end
    all.push_back({sum});
  }
  {
    // task 2
    i64 squares = std::transform_reduce(x.begin(), x.end(), i64{0}, std::plus<>{}, [](int v) { return i64{v} * v; });
    // end
    all.push_back({squares});
  }
  {
    // task 3
    i64 dot = std::inner_product(x.begin(), x.end(), y.begin(), i64{0});
    // end
    all.push_back({dot});
  }
  {
    // task 4
    auto place = std::ranges::max_element(x) - x.begin();
    // end
    all.push_back({place});
  }
  {
    // task 5
    std::vector<int> out(n);
    std::ranges::transform(x, y, out.begin(), [](int a, int b) { return 3 * a + b; });
    // end
    all.push_back(all_of_them(out));
  }
  {
    // task 6
    auto small = std::ranges::count_if(x, [](int v) { return v < 100; });
    // end
    all.push_back({small});
  }
  {
    // task 7
    std::vector<int> totals(n);
    std::inclusive_scan(x.begin(), x.end(), totals.begin());
    // end
    all.push_back(all_of_them(totals));
  }
  {
    // task 8
    std::vector<int> highest(n);
    std::inclusive_scan(x.begin(), x.end(), highest.begin(), [](int a, int b) { return a > b ? a : b; });
    // end
    all.push_back(all_of_them(highest));
  }
  {
    // task 9
    auto keys = x;
    std::ranges::sort(keys);
    // end
    all.push_back(all_of_them(keys));
  }
  {
    // task 10
    auto keys = x;
    std::ranges::stable_sort(keys, [](int a, int b) { return a % 10 < b % 10; });
    // end
    all.push_back(all_of_them(keys));
  }
  {
    // task 11
    std::vector<std::pair<int, int>> rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = {x[i], y[i]};
    std::ranges::stable_sort(rows, {}, &std::pair<int, int>::first);
    // end
    all.push_back(all_of_them(rows | std::views::keys, rows | std::views::values));
  }
  {
    // task 12
    std::vector<u64> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](u64 i) { return x[i]; });
    // end
    all.push_back(all_of_them(order));
  }
  {
    // task 13
    std::vector<int> top(10);
    std::ranges::partial_sort_copy(x, top, std::greater<>{});
    // end
    all.push_back(all_of_them(top));
  }
  {
    // task 14
    std::vector<int> even;
    std::ranges::copy_if(x, std::back_inserter(even), [](int v) { return v % 2 == 0; });
    // end
    all.push_back(all_of_them(even));
  }
  {
    // task 15
    std::vector<int> once;
    std::ranges::unique_copy(keys, std::back_inserter(once));
    // end
    all.push_back(all_of_them(once));
  }
  {
    // task 16
    std::vector<int> run_keys, sums;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) run_keys.push_back(keys[i]), sums.push_back(0);
      sums.back() += x[i];
    }
    // end
    all.push_back(all_of_them(run_keys, sums));
  }
  {
    // task 17
    std::vector<int> sums(offsets.size() - 1);
    for (std::size_t s = 0; s < sums.size(); ++s)
      sums[s] = std::reduce(x.begin() + offsets[s], x.begin() + offsets[s + 1]);
    // end
    all.push_back(all_of_them(sums));
  }
  {
    // task 18
    std::vector<u64> counts(8);
    for (int v : x) ++counts[v / 125];
    // end
    all.push_back(all_of_them(counts));
  }
  {
    // task 19
    std::vector<u64> places(queries.size());
    std::ranges::transform(queries, places.begin(),
                           [&](int q) { return std::ranges::lower_bound(sorted, q) - sorted.begin(); });
    // end
    all.push_back(all_of_them(places));
  }
  {
    // task 20
    std::vector<int> common;
    std::ranges::set_intersection(sorted, sorted2, std::back_inserter(common));
    // end
    all.push_back(all_of_them(common));
  }
  return all;
}

}  // namespace tasks
