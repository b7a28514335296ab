// Selections, runs and histograms on the CPU as they are written without this library: the standard algorithms, one
// after another and with execution policies; loops without branches; OpenMP in two passes; tables of counts.
#include <algorithm>
#include <execution>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#if UPSWEEP_WITH_OPENMP
#include <omp.h>
#endif

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/segmented/segmented_problem.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::peers {

namespace {

bool takes_type(dtype t) {
  return t == dtype::u8 || t == dtype::u32 || t == dtype::u64 || t == dtype::f32 || t == dtype::f64;
}

template <class F>
void with_some_type(dtype type, F f) {
  switch (type) {
    case dtype::u8: return f(std::uint8_t{});
    case dtype::u32: return f(std::uint32_t{});
    case dtype::u64: return f(std::uint64_t{});
    case dtype::f32: return f(0.0f);
    default: return f(0.0);
  }
}

std::string library() { return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE); }

#if UPSWEEP_WITH_OPENMP
std::string openmp() { return "OpenMP " + std::to_string(_OPENMP); }

int threads_of(device& d) { return static_cast<cpu::device&>(d).threads(); }
#endif

// A peer of one function that needs nothing but the problem.
template <auto Call, class P>
prepared_for<P> alone(device&, const P&) {
  return Call;
}

namespace selections {

using problem = detail::select_impl::problem;
using primitive = detail::select_impl::primitive;
using prepared = prepared_for<problem>;
using detail::select_impl::selection;

bool takes_std(const problem& p) {
  if (!takes_type(p.type) || p.value_bytes) return false;
  return p.how == selection::unique ||
         ((p.how == selection::where || p.how == selection::partition) && p.test == comparison::less);
}

template <class... Policy>
void select_std(const problem& p, const Policy&... policy) {
  with_some_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const T *first = p.in.as<const T>(), *last = first + p.n;
    T *out = p.out.as<T>(), *end = nullptr;
    const auto test = [threshold = p.threshold.as<T>()](T x) { return x < threshold; };
    if (p.how == selection::where) {
      end = std::copy_if(policy..., first, last, out, test);
    } else if (p.how == selection::unique) {
      end = std::unique_copy(policy..., first, last, out);
    } else {
      std::copy(policy..., first, last, out);
      end = std::stable_partition(policy..., out, out + p.n, test);
    }
    *p.count.as<std::uint64_t>() = static_cast<std::uint64_t>(end - out);
  });
}

bool takes_loop(const problem& p) {
  return takes_type(p.type) && p.value_bytes == 0 &&
         ((p.how == selection::where && p.test == comparison::less) || p.how == selection::flagged);
}

constexpr std::uint64_t piece = 1024;

// Every element is written where the next kept one belongs; the place moves on by the test's 0 or 1. A piece at a time,
// so that nothing is written beyond what is kept. Returns how many that were.
template <class T, class Keep>
std::uint64_t without_branches(const T* in, std::uint64_t first, std::uint64_t last, T* out, Keep keep) {
  std::uint64_t kept = 0;
  T some[piece];
  for (std::uint64_t begin = first; begin < last; begin += piece) {
    const std::uint64_t end = std::min(begin + piece, last);
    std::uint64_t k = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      some[k] = in[i];
      k += keep(i);
    }
    std::copy_n(some, k, out + kept);
    kept += k;
  }
  return kept;
}

template <class F>
void with_test(const problem& p, F f) {
  with_some_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const T* in = p.in.as<const T>();
    const auto* flags = p.in3.as<const std::uint8_t>();
    const T threshold = p.threshold.as<T>();
    if (p.how == selection::flagged)
      return f(in, [=](std::uint64_t i) { return static_cast<std::uint64_t>(flags[i] != 0); });
    f(in, [=](std::uint64_t i) { return static_cast<std::uint64_t>(in[i] < threshold); });
  });
}

void select_loop(const problem& p) {
  with_test(p, [&]<class T>(const T* in, auto keep) {
    *p.count.as<std::uint64_t>() = without_branches(in, 0, p.n, p.out.as<T>(), keep);
  });
}

#if UPSWEEP_WITH_OPENMP
// Each thread counts what it keeps of its block, then knows where to put it.
void select_openmp(const problem& p, int threads) {
  with_test(p, [&]<class T>(const T* in, auto keep) {
    std::vector<std::uint64_t> before(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel num_threads(threads)
    {
      const auto t = static_cast<std::uint64_t>(omp_get_thread_num()),
                 all = static_cast<std::uint64_t>(omp_get_num_threads());
      const std::uint64_t first = p.n * t / all, last = p.n * (t + 1) / all;
      std::uint64_t count = 0;
#pragma omp simd reduction(+ : count)
      for (std::uint64_t i = first; i < last; ++i) count += keep(i);
      before[t + 1] = count;
#pragma omp barrier
#pragma omp single
      std::inclusive_scan(before.begin(), before.end(), before.begin());
      without_branches(in, first, last, p.out.as<T>() + before[t], keep);
    }
    *p.count.as<std::uint64_t>() = before.back();
  });
}
#endif

bool takes_runs(const problem& p) { return takes_type(p.type); }

void run_lengths_loop(const problem& p) {
  with_some_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const T* in = p.in.as<const T>();
    std::uint64_t runs = 0;
    for (std::uint64_t begin = 0; begin < p.n; ++runs) {
      std::uint64_t end = begin + 1;
      while (end < p.n && in[end] == in[begin]) ++end;
      p.out.as<T>()[runs] = in[begin];
      p.out2.as<std::uint64_t>()[runs] = end - begin;
      begin = end;
    }
    *p.count.as<std::uint64_t>() = runs;
  });
}

void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{"std", library(), "one thread; partition: a copy, and stable_partition of it",
                                   backend::cpu, primitive::select, takes_std, alone<select_std<>>});
  list.push_back(peer_for<problem>{
      "std-par-unseq", library(), "all threads, through oneTBB; partition: a copy, and stable_partition of it",
      backend::cpu, primitive::select, takes_std, [](device& d, const problem&) -> prepared {
        return [&d](const problem& p) { in_arena(d, [&] { select_std(p, std::execution::par_unseq); }); };
      }});
  list.push_back(peer_for<problem>{"branchless", "", "a loop without branches, one thread", backend::cpu,
                                   primitive::select, takes_loop, alone<select_loop>});
  list.push_back(peer_for<problem>{"loop", "", "one thread", backend::cpu, primitive::run_lengths, takes_runs,
                                   alone<run_lengths_loop>});
#if UPSWEEP_WITH_OPENMP
  list.push_back(peer_for<problem>{"openmp", openmp(), "counts, then moves without branches, all threads", backend::cpu,
                                   primitive::select, takes_loop, [](device& d, const problem&) -> prepared {
                                     return [threads = threads_of(d)](const problem& p) { select_openmp(p, threads); };
                                   }});
#endif
}

}  // namespace selections

namespace segments {

using problem = detail::segmented_impl::problem;
using primitive = detail::segmented_impl::primitive;
using prepared = prepared_for<problem>;

bool takes_by_key(const problem& p) {
  const bool plain = std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) == 0;
  return p.key_type == dtype::u32 && takes_fold(p) && plain;
}

void reduce_by_key_loop(const problem& p) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto, auto op) {
    const auto* keys = p.in2.as<const std::uint32_t>();
    std::uint64_t runs = 0;
    for (std::uint64_t i = 0; i < n; ++runs) {
      const std::uint32_t key = keys[i];
      auto sum = in[i++];
      for (; i < n && keys[i] == key; ++i) sum = op(sum, in[i]);
      p.out2.as<std::uint32_t>()[runs] = key;
      out[runs] = sum;
    }
    *p.count.as<std::uint64_t>() = runs;
  });
}

void scan_by_key_loop(const problem& p) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    const auto* keys = p.in2.as<const std::uint32_t>();
    auto sum = init;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (i > 0 && keys[i] != keys[i - 1]) sum = init;
      const auto before = sum;
      sum = op(sum, in[i]);
      out[i] = p.inclusive ? sum : before;
    }
  });
}

template <class... Policy>
void segmented_reduce_std(const problem& p, const Policy&... policy) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t, auto init, auto op) {
    const auto* offsets = p.in2.as<const std::uint64_t>();
    std::for_each(policy..., out, out + p.m, [=](auto& result) {
      const auto s = &result - out;
      result = std::reduce(std::execution::unseq, in + offsets[s], in + offsets[s + 1], init, op);
    });
  });
}

void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{"loop", "", "one thread", backend::cpu, primitive::reduce_by_key, takes_by_key,
                                   alone<reduce_by_key_loop>});
  list.push_back(peer_for<problem>{"loop", "", "one thread", backend::cpu, primitive::scan_by_key, takes_by_key,
                                   alone<scan_by_key_loop>});
  list.push_back(peer_for<problem>{"std", library(), "std::reduce of each segment, one thread", backend::cpu,
                                   primitive::segmented_reduce, takes_fold, alone<segmented_reduce_std<>>});
  list.push_back(peer_for<problem>{
      "std-par-unseq", library(), "std::reduce of each segment, all threads, through oneTBB", backend::cpu,
      primitive::segmented_reduce, takes_fold, [](device& d, const problem&) -> prepared {
        return [&d](const problem& p) { in_arena(d, [&] { segmented_reduce_std(p, std::execution::par); }); };
      }});
}

}  // namespace segments

namespace histograms {

using problem = detail::histogram_impl::problem;
using primitive = detail::histogram_impl::primitive;
using prepared = prepared_for<problem>;

// Bins that a caller would compute by hand: bytes as they are, whole ranges of u32 by a shift, floats by a product.
bool takes_histogram(const problem& p) {
  if (p.edges || p.weighted || p.channels != 1) return false;
  if (p.type == dtype::f32) return true;
  if (p.lower.as<std::int64_t>() != 0) return false;
  if (p.type == dtype::u8) return p.m == 256 && p.upper.as<std::int64_t>() == 256;
  return p.type == dtype::u32 && p.upper.as<std::int64_t>() == std::int64_t{1} << 32 && p.m >= 2 &&
         (p.m & (p.m - 1)) == 0;
}

// Four tables, so that neighbours with one bin do not wait for each other.
template <class Bin>
void count_in_four(std::uint64_t first, std::uint64_t last, std::uint64_t m, std::uint32_t* tables, Bin bin) {
  std::uint64_t i = first;
  for (; i + 4 <= last; i += 4)
    for (std::uint64_t t = 0; t < 4; ++t) ++tables[t * (m + 1) + bin(i + t)];
  for (; i < last; ++i) ++tables[bin(i)];
}

template <class F>
void with_bins(const problem& p, F f) {
  const auto m = static_cast<std::uint32_t>(p.m);
  if (p.type == dtype::u8)
    return f([in = p.in.as<const std::uint8_t>()](std::uint64_t i) -> std::uint32_t { return in[i]; });
  if (p.type == dtype::u32)
    return f([in = p.in.as<const std::uint32_t>(), shift = 32 - __builtin_ctz(m)](std::uint64_t i) -> std::uint32_t {
      return in[i] >> shift;
    });
  const float lower = p.lower.as<float>(), upper = p.upper.as<float>(), scale = static_cast<float>(m) / (upper - lower);
  // Values outside of all bins are counted after the last bin.
  f([=, in = p.in.as<const float>()](std::uint64_t i) -> std::uint32_t {
    const float x = in[i];
    if (!(lower <= x && x < upper)) return m;
    const auto b = static_cast<std::uint32_t>((x - lower) * scale);
    return b < m ? b : m - 1;
  });
}

void histogram_loop(const problem& p) {
  with_bins(p, [&](auto bin) {
    std::vector<std::uint64_t> counts(p.m + 1);
    for (std::uint64_t i = 0; i < p.n; ++i) ++counts[bin(i)];
    std::copy_n(counts.begin(), p.m, p.out.as<std::uint64_t>());
  });
}

#if UPSWEEP_WITH_OPENMP
void histogram_openmp(const problem& p, int threads) {
  with_bins(p, [&](auto bin) {
    std::uint64_t* out = p.out.as<std::uint64_t>();
    std::fill_n(out, p.m, 0);
#pragma omp parallel num_threads(threads)
    {
      const auto t = static_cast<std::uint64_t>(omp_get_thread_num()),
                 all = static_cast<std::uint64_t>(omp_get_num_threads());
      std::vector<std::uint32_t> tables(4 * (p.m + 1));
      count_in_four(p.n * t / all, p.n * (t + 1) / all, p.m, tables.data(), bin);
#pragma omp critical
      for (std::uint64_t b = 0; b < p.m; ++b)
        for (std::uint64_t k = 0; k < 4; ++k) out[b] += tables[k * (p.m + 1) + b];
    }
  });
}
#endif

void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{"loop", "", "one table of counts, one thread", backend::cpu, primitive::histogram,
                                   takes_histogram, alone<histogram_loop>});
#if UPSWEEP_WITH_OPENMP
  list.push_back(
      peer_for<problem>{"openmp", openmp(), "four tables of 32-bit counts for each thread", backend::cpu,
                        primitive::histogram, [](const problem& p) { return takes_histogram(p) && p.n >> 32 == 0; },
                        [](device& d, const problem&) -> prepared {
                          return [threads = threads_of(d)](const problem& p) { histogram_openmp(p, threads); };
                        }});
#endif
}

}  // namespace histograms

}  // namespace

void add_cpu_selections(std::vector<peer>& list) {
  selections::add(list);
  segments::add(list);
  histograms::add(list);
}

}  // namespace upsweep::peers
