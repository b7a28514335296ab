// Sorting on the CPU: the standard library one after another and with policies, oneTBB, Boost's spreadsort, Highway's
// VQSort and ips4o. All of them sort in place, so each first copies its input, as a caller who keeps it would; the copy
// is in the time.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <execution>

#if UPSWEEP_WITH_SPREADSORT
#include <boost/sort/spreadsort/spreadsort.hpp>
#include <boost/version.hpp>
#endif
#if UPSWEEP_WITH_IPS4O
#include <ips4o.hpp>
#endif

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "peers/sort.hpp"
#include "peers/vqsort.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::sort_impl::problem;
using primitive = detail::sort_impl::primitive;
using prepared = prepared_for<problem>;

using range = oneapi::tbb::blocked_range<std::uint64_t>;

const char* const one = "one thread; its input is copied first";
const char* const all = "all threads; its input is copied first";

// Copies the keys, one thread or all, and calls sort(first, last) on the copy.
template <class Sort>
void copy_and_sort(const problem& p, bool parallel, Sort sort) {
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = p.in.as<const T>();
    T* out = p.out.as<T>();
    if (parallel) {
      oneapi::tbb::parallel_for(range(0, p.n, 1 << 16),
                                [=](const range& r) { std::copy(in + r.begin(), in + r.end(), out + r.begin()); });
    } else {
      std::copy_n(in, p.n, out);
    }
    sort(out, out + p.n);
  });
}

template <class Sort>
prepared on_one_thread(Sort sort) {
  return [sort](const problem& p) { copy_and_sort(p, false, sort); };
}

template <class Sort>
prepared on_all_threads(device& d, Sort sort) {
  return [&d, sort](const problem& p) { in_arena(d, [&] { copy_and_sort(p, true, sort); }); };
}

// Pairs as structures: joined, sorted stably by key, and taken apart again.
template <class K, class V>
struct pair {
  K key;
  V value;
};

template <class Sort>
void sort_pairs(const problem& p, memory joined, bool parallel, Sort sort) {
  with_type(p.type, [&](auto tag) {
    using K = typename decltype(tag)::type;
    using V = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
    auto* pairs = joined.as<pair<K, V>>();
    const auto each = [&](auto f) {
      if (!parallel) {
        for (std::uint64_t i = 0; i < p.n; ++i) f(i);
        return;
      }
      oneapi::tbb::parallel_for(range(0, p.n, 1 << 15), [&](const range& r) {
        for (std::uint64_t i = r.begin(); i != r.end(); ++i) f(i);
      });
    };
    each([pairs, keys = p.in.as<const K>(), values = p.in2.as<const V>()](std::uint64_t i) {
      pairs[i] = {keys[i], values[i]};
    });
    sort(pairs, pairs + p.n);
    each([pairs, keys = p.out.as<K>(), values = p.out2.as<V>()](std::uint64_t i) {
      keys[i] = pairs[i].key, values[i] = pairs[i].value;
    });
  });
}

memory space_for_pairs(device& d, const problem& p) {
  return d.scratch("peers/pairs", std::max<std::uint64_t>(p.n * 16, 16));
}

const auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };

std::string libstdcxx() { return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE); }
std::string tbb() { return "oneTBB " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR); }

void add_keys(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{
      "std-sort", libstdcxx(), one, backend::cpu, primitive::sort, takes_keys,
      [](device&, const problem&) { return on_one_thread([](auto* first, auto* last) { std::sort(first, last); }); }});
  list.push_back(peer_for<problem>{
      "std-stable-sort", libstdcxx(), one, backend::cpu, primitive::sort, takes_keys, [](device&, const problem&) {
        return on_one_thread([](auto* first, auto* last) { std::stable_sort(first, last); });
      }});
  list.push_back(peer_for<problem>{
      "std-sort-par-unseq", libstdcxx(), "all threads, through oneTBB; its input is copied first", backend::cpu,
      primitive::sort, takes_keys, [](device& d, const problem&) {
        return on_all_threads(d, [](auto* first, auto* last) { std::sort(std::execution::par_unseq, first, last); });
      }});
  list.push_back(peer_for<problem>{
      "tbb-parallel-sort", tbb(), all, backend::cpu, primitive::sort, takes_keys, [](device& d, const problem&) {
        return on_all_threads(d, [](auto* first, auto* last) { oneapi::tbb::parallel_sort(first, last); });
      }});
#if UPSWEEP_WITH_SPREADSORT
  list.push_back(peer_for<problem>{
      "boost-spreadsort",
      "Boost " + std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000), one,
      backend::cpu, primitive::sort, takes_keys, [](device&, const problem&) {
        return on_one_thread([](auto* first, auto* last) { boost::sort::spreadsort::spreadsort(first, last); });
      }});
#endif
#if UPSWEEP_WITH_VQSORT
  list.push_back(peer_for<problem>{
      "vqsort", vqsort_version(), "one thread; the system's package, not Highway's head; its input is copied first",
      backend::cpu, primitive::sort, takes_keys, [](device&, const problem&) {
        return on_one_thread([](auto* first, auto* last) { vqsort(first, static_cast<std::size_t>(last - first)); });
      }});
#endif
#if UPSWEEP_WITH_IPS4O
  list.push_back(peer_for<problem>{
      "ips4o", "ips4o", all, backend::cpu, primitive::sort, takes_keys, [](device& d, const problem&) {
        return on_all_threads(d, [threads = static_cast<cpu::device&>(d).threads()](auto* first, auto* last) {
          ips4o::parallel::sort(first, last, std::less<>{}, threads);
        });
      }});
#endif
}

void add_pairs(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{
      "std-stable-sort", libstdcxx(), "one thread, on structures of key and value", backend::cpu, primitive::sort,
      takes_equal_pairs, [](device& d, const problem& p) -> prepared {
        return [space = space_for_pairs(d, p)](const problem& p) {
          sort_pairs(p, space, false, [](auto* first, auto* last) { std::stable_sort(first, last, by_key); });
        };
      }});
  list.push_back(peer_for<problem>{"std-stable-sort-par-unseq", libstdcxx(),
                                   "all threads, through oneTBB, on structures of key and value", backend::cpu,
                                   primitive::sort, takes_equal_pairs, [](device& d, const problem& p) -> prepared {
                                     return [&d, space = space_for_pairs(d, p)](const problem& p) {
                                       in_arena(d, [&] {
                                         sort_pairs(p, space, true, [](auto* first, auto* last) {
                                           std::stable_sort(std::execution::par_unseq, first, last, by_key);
                                         });
                                       });
                                     };
                                   }});
#if UPSWEEP_WITH_VQSORT
  // A key and its place as one number: that makes it stable, and the place fetches the value.
  list.push_back(peer_for<problem>{
      "vqsort-64", vqsort_version(), "one thread, on 64-bit numbers of key and place, by which the values are fetched",
      backend::cpu, primitive::sort,
      [](const problem& p) { return takes_pairs(p) && p.type == dtype::u32 && p.value_bytes == 4 && p.n >> 32 == 0; },
      [](device& d, const problem& p) -> prepared {
        return [space = space_for_pairs(d, p).as<std::uint64_t>()](const problem& p) {
          for (std::uint64_t i = 0; i < p.n; ++i) space[i] = std::uint64_t{p.in.as<const std::uint32_t>()[i]} << 32 | i;
          vqsort(space, p.n);
          for (std::uint64_t i = 0; i < p.n; ++i) {
            p.out.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(space[i] >> 32);
            p.out2.as<std::uint32_t>()[i] = p.in2.as<const std::uint32_t>()[static_cast<std::uint32_t>(space[i])];
          }
        };
      }});
#endif
}

void sort_segments(const problem& p, bool parallel) {
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* offsets = p.in3.as<const std::uint64_t>();
    std::copy_n(p.in.as<const T>(), p.n, p.out.as<T>());
    const auto sort = [&](std::uint64_t s) { std::sort(p.out.as<T>() + offsets[s], p.out.as<T>() + offsets[s + 1]); };
    if (parallel) return oneapi::tbb::parallel_for(std::uint64_t{0}, p.m, sort);
    for (std::uint64_t s = 0; s < p.m; ++s) sort(s);
  });
}

template <class... Policy>
void merge(const problem& p, const Policy&... policy) {
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *a = p.in.as<const T>(), *b = p.in2.as<const T>();
    std::merge(policy..., a, a + p.n, b, b + p.m, p.out.as<T>());
  });
}

template <class... Policy>
void is_sorted(const problem& p, const Policy&... policy) {
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = p.in.as<const T>();
    *p.count.as<std::uint64_t>() = static_cast<std::uint64_t>(std::is_sorted_until(policy..., in, in + p.n) - in);
  });
}

void add_others(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{
      "std-sort", libstdcxx(), "one thread, segment by segment; its input is copied first", backend::cpu,
      primitive::segmented_sort, takes_keys,
      [](device&, const problem&) -> prepared { return [](const problem& p) { sort_segments(p, false); }; }});
  list.push_back(peer_for<problem>{"tbb-std-sort", tbb(),
                                   "all threads, each std::sort on a segment; its input is copied first", backend::cpu,
                                   primitive::segmented_sort, takes_keys, [](device& d, const problem&) -> prepared {
                                     return [&d](const problem& p) { in_arena(d, [&] { sort_segments(p, true); }); };
                                   }});
  list.push_back(
      peer_for<problem>{"std-merge", libstdcxx(), "one thread", backend::cpu, primitive::merge, takes_keys,
                        [](device&, const problem&) -> prepared { return [](const problem& p) { merge(p); }; }});
  list.push_back(peer_for<problem>{"std-merge-par-unseq", libstdcxx(), "all threads, through oneTBB", backend::cpu,
                                   primitive::merge, takes_keys, [](device& d, const problem&) -> prepared {
                                     return [&d](const problem& p) {
                                       in_arena(d, [&] { merge(p, std::execution::par_unseq); });
                                     };
                                   }});
  list.push_back(peer_for<problem>{
      "std-is-sorted-until", libstdcxx(), "one thread", backend::cpu, primitive::is_sorted, takes_keys,
      [](device&, const problem&) -> prepared { return [](const problem& p) { is_sorted(p); }; }});
  list.push_back(peer_for<problem>{
      "std-is-sorted-until-par-unseq", libstdcxx(), "all threads, through oneTBB", backend::cpu, primitive::is_sorted,
      takes_keys, [](device& d, const problem&) -> prepared {
        return [&d](const problem& p) { in_arena(d, [&] { is_sorted(p, std::execution::par_unseq); }); };
      }});
}

}  // namespace

void add_cpu_sorts(std::vector<peer>& list, [[maybe_unused]] std::vector<std::string>& absent) {
  add_keys(list);
  add_pairs(list);
  add_others(list);
#if !UPSWEEP_WITH_SPREADSORT
  absent.push_back("Boost spreadsort: its headers were not found (libboost-dev)");
#endif
#if !UPSWEEP_WITH_VQSORT
  absent.push_back("VQSort: Highway's contrib library was not found (libhwy-dev)");
#endif
#if !UPSWEEP_WITH_IPS4O
  absent.push_back("ips4o: its header (libips4o-dev) or OpenMP was not found");
#endif
}

}  // namespace upsweep::peers
