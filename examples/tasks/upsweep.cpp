// The twenty tasks with Upsweep on the CPU, with any compiler: the calls use the vectors without a copy.
#include <upsweep/upsweep.hpp>

#include "tasks.hpp"

namespace tasks {

answers with_upsweep(const upsweep::context& c, const input& in) {
  const auto& [x, y, keys, offsets, sorted, sorted2, queries] = in;
  const std::size_t n = x.size();
  answers all;
  {
    // task 1
    int sum = upsweep::reduce(c, x);
    // end
    all.push_back({sum});
  }
  {
    // task 2
    i64 squares = upsweep::transform_reduce(c, x, i64{0}, upsweep::plus{}, upsweep::square{});
    // end
    all.push_back({squares});
  }
  {
    // task 3
    i64 dot = upsweep::inner_product(c, x, y, i64{0});
    // end
    all.push_back({dot});
  }
  {
    // task 4
    u64 place = upsweep::argmax(c, x);
    // end
    all.push_back({static_cast<i64>(place)});
  }
  {
    // task 5
    std::vector<int> out(n);
    upsweep::transform(c, x, y, out, [](int a, int b) { return 3 * a + b; });
    // end
    all.push_back(all_of_them(out));
  }
  {
    // task 6
    u64 small = upsweep::count_if(c, x, upsweep::less_than(100));
    // end
    all.push_back({static_cast<i64>(small)});
  }
  {
    // task 7
    std::vector<int> totals(n);
    upsweep::inclusive_scan(c, x, totals);
    // end
    all.push_back(all_of_them(totals));
  }
  {
    // task 8
    std::vector<int> highest(n);
    upsweep::inclusive_scan(c, x, highest, upsweep::monoid([](int a, int b) { return a > b ? a : b; }, INT_MIN));
    // end
    all.push_back(all_of_them(highest));
  }
  {
    // task 9
    auto keys = x;
    upsweep::sort(c, keys);
    // end
    all.push_back(all_of_them(keys));
  }
  {
    // task 10
    auto keys = x;
    upsweep::sort(c, keys, [](int a, int b) { return a % 10 < b % 10; });
    // end
    all.push_back(all_of_them(keys));
  }
  {
    // task 11
    auto keys = x, values = y;
    upsweep::sort_by_key(c, keys, values);
    // end
    all.push_back(all_of_them(keys, values));
  }
  {
    // task 12
    std::vector<u64> order(n);
    upsweep::argsort(c, x, order);
    // end
    all.push_back(all_of_them(order));
  }
  {
    // task 13
    std::vector<int> top(10);
    upsweep::top_k(c, x, top);
    // end
    all.push_back(all_of_them(top));
  }
  {
    // task 14
    std::vector<int> even(n);
    even.resize(upsweep::copy_if(c, x, even, [](int v) { return v % 2 == 0; }));
    // end
    all.push_back(all_of_them(even));
  }
  {
    // task 15
    std::vector<int> once(n);
    once.resize(upsweep::unique(c, keys, once));
    // end
    all.push_back(all_of_them(once));
  }
  {
    // task 16
    std::vector<int> run_keys(n), sums(n);
    u64 runs = upsweep::reduce_by_key(c, keys, x, run_keys, sums);
    run_keys.resize(runs), sums.resize(runs);
    // end
    all.push_back(all_of_them(run_keys, sums));
  }
  {
    // task 17
    std::vector<int> sums(offsets.size() - 1);
    upsweep::segmented_reduce(c, x, offsets, sums);
    // end
    all.push_back(all_of_them(sums));
  }
  {
    // task 18
    std::vector<u64> counts(8);
    upsweep::histogram(c, x, counts, 0, 1000);
    // end
    all.push_back(all_of_them(counts));
  }
  {
    // task 19
    std::vector<u64> places(queries.size());
    upsweep::lower_bound(c, sorted, queries, places);
    // end
    all.push_back(all_of_them(places));
  }
  {
    // task 20
    std::vector<int> common(n);
    common.resize(upsweep::set_intersection(c, sorted, sorted2, common));
    // end
    all.push_back(all_of_them(common));
  }
  return all;
}

}  // namespace tasks
