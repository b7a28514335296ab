// The twenty tasks with Upsweep in device memory, compiled by nvcc with --extended-lambda. With host memory, as in
// upsweep.cpp, these calls copy it to the device and back.
#include <upsweep/upsweep.hpp>

#include "tasks.hpp"

namespace tasks {

answers with_upsweep_on_cuda(const upsweep::context& c, const input& in) {
  const upsweep::buffer<int> x(c, in.x), y(c, in.y), keys(c, in.keys), sorted(c, in.sorted), sorted2(c, in.sorted2),
      queries(c, in.queries);
  const upsweep::buffer<u64> offsets(c, in.offsets);
  const std::size_t n = x.size();
  const auto fetched = [&]<class... T>(upsweep::device_span<T>... parts) {
    answer a;
    const auto add = [&]<class U>(upsweep::device_span<U> part) {
      std::vector<U> host(part.size());
      upsweep::download(c, part, std::span(host));
      a.insert(a.end(), host.begin(), host.end());
    };
    (add(parts), ...);
    return a;
  };
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
    upsweep::buffer<int> out(c, n);
    upsweep::transform(c, x, y, out, [] UPSWEEP_HD(int a, int b) { return 3 * a + b; });
    // end
    all.push_back(fetched(out.span()));
  }
  {
    // task 6
    u64 small = upsweep::count_if(c, x, upsweep::less_than(100));
    // end
    all.push_back({static_cast<i64>(small)});
  }
  {
    // task 7
    upsweep::buffer<int> totals(c, n);
    upsweep::inclusive_scan(c, x, totals);
    // end
    all.push_back(fetched(totals.span()));
  }
  {
    // task 8
    upsweep::buffer<int> highest(c, n);
    upsweep::inclusive_scan(c, x, highest,
                            upsweep::monoid([] UPSWEEP_HD(int a, int b) { return a > b ? a : b; }, INT_MIN));
    // end
    all.push_back(fetched(highest.span()));
  }
  {
    // task 9
    upsweep::buffer<int> keys(c, n);
    upsweep::copy(c, x, keys);
    upsweep::sort(c, keys);
    // end
    all.push_back(fetched(keys.span()));
  }
  {
    // task 10
    upsweep::buffer<int> keys(c, n);
    upsweep::copy(c, x, keys);
    upsweep::sort(c, keys, [] UPSWEEP_HD(int a, int b) { return a % 10 < b % 10; });
    // end
    all.push_back(fetched(keys.span()));
  }
  {
    // task 11
    upsweep::buffer<int> keys(c, n), values(c, n);
    upsweep::copy(c, x, keys);
    upsweep::copy(c, y, values);
    upsweep::sort_by_key(c, keys, values);
    // end
    all.push_back(fetched(keys.span(), values.span()));
  }
  {
    // task 12
    upsweep::buffer<u64> order(c, n);
    upsweep::argsort(c, x, order);
    // end
    all.push_back(fetched(order.span()));
  }
  {
    // task 13
    upsweep::buffer<int> top(c, 10);
    upsweep::top_k(c, x, top);
    // end
    all.push_back(fetched(top.span()));
  }
  {
    // task 14
    upsweep::buffer<int> even(c, n);
    u64 kept = upsweep::copy_if(c, x, even, [] UPSWEEP_HD(int v) { return v % 2 == 0; });
    // end
    all.push_back(fetched(even.span().subspan(0, kept)));
  }
  {
    // task 15
    upsweep::buffer<int> once(c, n);
    u64 kept = upsweep::unique(c, keys, once);
    // end
    all.push_back(fetched(once.span().subspan(0, kept)));
  }
  {
    // task 16
    upsweep::buffer<int> run_keys(c, n), sums(c, n);
    u64 runs = upsweep::reduce_by_key(c, keys, x, run_keys, sums);
    // end
    all.push_back(fetched(run_keys.span().subspan(0, runs), sums.span().subspan(0, runs)));
  }
  {
    // task 17
    upsweep::buffer<int> sums(c, offsets.size() - 1);
    upsweep::segmented_reduce(c, x, offsets, sums);
    // end
    all.push_back(fetched(sums.span()));
  }
  {
    // task 18
    upsweep::buffer<u64> counts(c, 8);
    upsweep::histogram(c, x, counts, 0, 1000);
    // end
    all.push_back(fetched(counts.span()));
  }
  {
    // task 19
    upsweep::buffer<u64> places(c, queries.size());
    upsweep::lower_bound(c, sorted, queries, places);
    // end
    all.push_back(fetched(places.span()));
  }
  {
    // task 20
    upsweep::buffer<int> common(c, n);
    u64 kept = upsweep::set_intersection(c, sorted, sorted2, common);
    // end
    all.push_back(fetched(common.span().subspan(0, kept)));
  }
  return all;
}

}  // namespace tasks
