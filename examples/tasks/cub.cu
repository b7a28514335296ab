// The twenty tasks with CUB, on device memory. Every algorithm is called twice: the first call returns the size of
// temporary storage.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <cuda/std/tuple>

#include "tasks.hpp"

namespace tasks {
namespace {

struct square {
  __host__ __device__ i64 operator()(int v) const { return i64{v} * v; }
};
struct product {
  __host__ __device__ i64 operator()(const thrust::tuple<int, int>& pair) const {
    return i64{thrust::get<0>(pair)} * thrust::get<1>(pair);
  }
};
struct three_a_plus_b {
  __host__ __device__ int operator()(int a, int b) const { return 3 * a + b; }
};
struct one_below_100 {
  __host__ __device__ i64 operator()(int v) const { return v < 100; }
};
struct last_digit_less {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct is_even {
  __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};

template <class... T>
answer fetched(const thrust::device_vector<T>&... parts) {
  return all_of_them(std::vector<T>(parts.begin(), parts.end())...);
}

// A pointer to CUB's output.
template <class T>
T* to(thrust::device_vector<T>& v) {
  return thrust::raw_pointer_cast(v.data());
}

// Calls `call(scratch, bytes)` twice.
void twice(auto&& call) {
  std::size_t bytes = 0;
  call(nullptr, bytes);
  thrust::device_vector<std::byte> scratch(bytes);
  call(to(scratch), bytes);
}

}  // namespace

answers with_cub(const input& in) {
  thrust::device_vector<int> xs = in.x, ys = in.y, all_keys = in.keys;
  thrust::device_vector<u64> all_offsets = in.offsets;
  const int *x = to(xs), *y = to(ys), *keys = to(all_keys);
  const u64* offsets = to(all_offsets);
  const int n = static_cast<int>(xs.size());
  answers all;
  {
    // task 1
    thrust::device_vector<int> sum(1);
    twice([&](void* t, auto& bytes) { cub::DeviceReduce::Sum(t, bytes, x, to(sum), n); });
    // end
    all.push_back({sum[0]});
  }
  {
    // task 2
    thrust::device_vector<i64> squares(1);
    twice([&](void* t, auto& bytes) {
      cub::DeviceReduce::TransformReduce(t, bytes, x, to(squares), n, cuda::std::plus<>{}, square{}, i64{0});
    });
    // end
    all.push_back({squares[0]});
  }
  {
    // task 3
    thrust::device_vector<i64> dot(1);
    twice([&](void* t, auto& bytes) {
      cub::DeviceReduce::TransformReduce(t, bytes, thrust::make_zip_iterator(x, y), to(dot), n, cuda::std::plus<>{},
                                         product{}, i64{0});
    });
    // end
    all.push_back({dot[0]});
  }
  {
    // task 4
    thrust::device_vector<int> most(1);
    thrust::device_vector<i64> place(1);
    twice([&](void* t, auto& bytes) { cub::DeviceReduce::ArgMax(t, bytes, x, to(most), to(place), n); });
    // end
    all.push_back({place[0]});
  }
  {
    // task 5
    thrust::device_vector<int> out(n);
    cub::DeviceTransform::Transform(cuda::std::make_tuple(x, y), to(out), n, three_a_plus_b{});
    // end
    all.push_back(fetched(out));
  }
  {
    // task 6
    thrust::device_vector<i64> small(1);
    twice([&](void* t, auto& bytes) {
      cub::DeviceReduce::TransformReduce(t, bytes, x, to(small), n, cuda::std::plus<>{}, one_below_100{}, i64{0});
    });
    // end
    all.push_back({small[0]});
  }
  {
    // task 7
    thrust::device_vector<int> totals(n);
    twice([&](void* t, auto& bytes) { cub::DeviceScan::InclusiveSum(t, bytes, x, to(totals), n); });
    // end
    all.push_back(fetched(totals));
  }
  {
    // task 8
    thrust::device_vector<int> highest(n);
    twice(
        [&](void* t, auto& bytes) { cub::DeviceScan::InclusiveScan(t, bytes, x, to(highest), cuda::maximum<>{}, n); });
    // end
    all.push_back(fetched(highest));
  }
  {
    // task 9
    thrust::device_vector<int> out(n);
    twice([&](void* t, auto& bytes) { cub::DeviceRadixSort::SortKeys(t, bytes, x, to(out), n); });
    // end
    all.push_back(fetched(out));
  }
  {
    // task 10
    auto out = xs;
    twice([&](void* t, auto& bytes) { cub::DeviceMergeSort::StableSortKeys(t, bytes, to(out), n, last_digit_less{}); });
    // end
    all.push_back(fetched(out));
  }
  {
    // task 11
    thrust::device_vector<int> out(n), values(n);
    twice([&](void* t, auto& bytes) { cub::DeviceRadixSort::SortPairs(t, bytes, x, to(out), y, to(values), n); });
    // end
    all.push_back(fetched(out, values));
  }
  {
    // task 12
    thrust::device_vector<u64> places(thrust::counting_iterator<u64>(0), thrust::counting_iterator<u64>(n)), order(n);
    thrust::device_vector<int> out(n);
    twice(
        [&](void* t, auto& bytes) { cub::DeviceRadixSort::SortPairs(t, bytes, x, to(out), to(places), to(order), n); });
    // end
    all.push_back(fetched(order));
  }
  {
    // task 13
    thrust::device_vector<int> out(n);
    twice([&](void* t, auto& bytes) { cub::DeviceRadixSort::SortKeysDescending(t, bytes, x, to(out), n); });
    thrust::device_vector<int> top(out.begin(), out.begin() + 10);
    // end
    all.push_back(fetched(top));
  }
  {
    // task 14
    thrust::device_vector<int> even(n), kept(1);
    twice([&](void* t, auto& bytes) { cub::DeviceSelect::If(t, bytes, x, to(even), to(kept), n, is_even{}); });
    even.resize(kept[0]);
    // end
    all.push_back(fetched(even));
  }
  {
    // task 15
    thrust::device_vector<int> once(n), kept(1);
    twice([&](void* t, auto& bytes) { cub::DeviceSelect::Unique(t, bytes, keys, to(once), to(kept), n); });
    once.resize(kept[0]);
    // end
    all.push_back(fetched(once));
  }
  {
    // task 16
    thrust::device_vector<int> run_keys(n), sums(n), runs(1);
    twice([&](void* t, auto& bytes) {
      cub::DeviceReduce::ReduceByKey(t, bytes, keys, to(run_keys), x, to(sums), to(runs), cuda::std::plus<>{}, n);
    });
    run_keys.resize(runs[0]), sums.resize(runs[0]);
    // end
    all.push_back(fetched(run_keys, sums));
  }
  {
    // task 17
    const int segments = static_cast<int>(all_offsets.size()) - 1;
    thrust::device_vector<int> sums(segments);
    twice([&](void* t, auto& bytes) {
      cub::DeviceSegmentedReduce::Sum(t, bytes, x, to(sums), segments, offsets, offsets + 1);
    });
    // end
    all.push_back(fetched(sums));
  }
  {
    // task 18
    thrust::device_vector<int> counts(8);
    twice([&](void* t, auto& bytes) { cub::DeviceHistogram::HistogramEven(t, bytes, x, to(counts), 9, 0, 1000, n); });
    // end
    all.push_back(fetched(counts));
  }
  all.push_back(no_such_call);  // 19: a search of many values
  all.push_back(no_such_call);  // 20: sets
  return all;
}

}  // namespace tasks
