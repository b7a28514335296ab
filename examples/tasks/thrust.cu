// The twenty tasks with Thrust, on device memory.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "tasks.hpp"

namespace tasks {
namespace {

// Function objects, because lambdas in kernels require the nvcc option --extended-lambda.
struct square {
  __host__ __device__ i64 operator()(int v) const { return i64{v} * v; }
};
struct product {
  __host__ __device__ i64 operator()(int a, int b) const { return i64{a} * b; }
};
struct three_a_plus_b {
  __host__ __device__ int operator()(int a, int b) const { return 3 * a + b; }
};
struct below_100 {
  __host__ __device__ bool operator()(int v) const { return v < 100; }
};
struct last_digit_less {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct is_even {
  __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};
struct bin_of {
  __host__ __device__ int operator()(int v) const { return v / 125; }
};

template <class... T>
answer fetched(const thrust::device_vector<T>&... parts) {
  return all_of_them(std::vector<T>(parts.begin(), parts.end())...);
}

}  // namespace

answers with_thrust(const input& in) {
  const thrust::device_vector<int> x = in.x, y = in.y, keys = in.keys, sorted = in.sorted, sorted2 = in.sorted2,
                                   queries = in.queries;
  const thrust::device_vector<u64> offsets = in.offsets;
  const std::size_t n = x.size();
  answers all;
  {
    // task 1
    int sum = thrust::reduce(x.begin(), x.end());
    // end
    all.push_back({sum});
  }
  {
    // task 2
    i64 squares = thrust::transform_reduce(x.begin(), x.end(), square{}, i64{0}, thrust::plus<i64>{});
    // end
    all.push_back({squares});
  }
  {
    // task 3
    i64 dot = thrust::inner_product(x.begin(), x.end(), y.begin(), i64{0}, thrust::plus<i64>{}, product{});
    // end
    all.push_back({dot});
  }
  {
    // task 4
    auto place = thrust::max_element(x.begin(), x.end()) - x.begin();
    // end
    all.push_back({place});
  }
  {
    // task 5
    thrust::device_vector<int> out(n);
    thrust::transform(x.begin(), x.end(), y.begin(), out.begin(), three_a_plus_b{});
    // end
    all.push_back(fetched(out));
  }
  {
    // task 6
    auto small = thrust::count_if(x.begin(), x.end(), below_100{});
    // end
    all.push_back({small});
  }
  {
    // task 7
    thrust::device_vector<int> totals(n);
    thrust::inclusive_scan(x.begin(), x.end(), totals.begin());
    // end
    all.push_back(fetched(totals));
  }
  {
    // task 8
    thrust::device_vector<int> highest(n);
    thrust::inclusive_scan(x.begin(), x.end(), highest.begin(), thrust::maximum<int>{});
    // end
    all.push_back(fetched(highest));
  }
  {
    // task 9
    auto keys = x;
    thrust::sort(keys.begin(), keys.end());
    // end
    all.push_back(fetched(keys));
  }
  {
    // task 10
    auto keys = x;
    thrust::stable_sort(keys.begin(), keys.end(), last_digit_less{});
    // end
    all.push_back(fetched(keys));
  }
  {
    // task 11
    auto keys = x, values = y;
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    // end
    all.push_back(fetched(keys, values));
  }
  {
    // task 12
    auto keys = x;
    thrust::device_vector<u64> order(n);
    thrust::sequence(order.begin(), order.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), order.begin());
    // end
    all.push_back(fetched(order));
  }
  {
    // task 13
    auto keys = x;
    thrust::sort(keys.begin(), keys.end(), thrust::greater<int>{});
    thrust::device_vector<int> top(keys.begin(), keys.begin() + 10);
    // end
    all.push_back(fetched(top));
  }
  {
    // task 14
    thrust::device_vector<int> even(n);
    even.erase(thrust::copy_if(x.begin(), x.end(), even.begin(), is_even{}), even.end());
    // end
    all.push_back(fetched(even));
  }
  {
    // task 15
    thrust::device_vector<int> once(n);
    once.erase(thrust::unique_copy(keys.begin(), keys.end(), once.begin()), once.end());
    // end
    all.push_back(fetched(once));
  }
  {
    // task 16
    thrust::device_vector<int> run_keys(n), sums(n);
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), x.begin(), run_keys.begin(), sums.begin());
    run_keys.erase(ends.first, run_keys.end()), sums.erase(ends.second, sums.end());
    // end
    all.push_back(fetched(run_keys, sums));
  }
  {
    // task 17: segments as keys, all of them with an element at least
    thrust::device_vector<u64> segment_of(n);
    thrust::device_vector<int> sums(offsets.size() - 1);
    thrust::upper_bound(offsets.begin(), offsets.end(), thrust::counting_iterator<u64>(0),
                        thrust::counting_iterator<u64>(n), segment_of.begin());
    thrust::reduce_by_key(segment_of.begin(), segment_of.end(), x.begin(), thrust::make_discard_iterator(),
                          sums.begin());
    // end
    all.push_back(fetched(sums));
  }
  {
    // task 18: by sorting
    thrust::device_vector<u64> counts(8);
    auto bins = thrust::make_transform_iterator(x.begin(), bin_of{});
    thrust::device_vector<int> sorted_bins(bins, bins + n);
    thrust::sort(sorted_bins.begin(), sorted_bins.end());
    thrust::device_vector<u64> ends(8);
    thrust::upper_bound(sorted_bins.begin(), sorted_bins.end(), thrust::counting_iterator<int>(0),
                        thrust::counting_iterator<int>(8), ends.begin());
    thrust::adjacent_difference(ends.begin(), ends.end(), counts.begin());
    // end
    all.push_back(fetched(counts));
  }
  {
    // task 19
    thrust::device_vector<u64> places(queries.size());
    thrust::lower_bound(sorted.begin(), sorted.end(), queries.begin(), queries.end(), places.begin());
    // end
    all.push_back(fetched(places));
  }
  {
    // task 20
    thrust::device_vector<int> common(n);
    common.erase(thrust::set_intersection(sorted.begin(), sorted.end(), sorted2.begin(), sorted2.end(), common.begin()),
                 common.end());
    // end
    all.push_back(fetched(common));
  }
  return all;
}

}  // namespace tasks
