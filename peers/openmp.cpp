// What an OpenMP programmer writes: a SIMD reduction over all threads, and a scan in two passes over one block a
// thread.
#include <omp.h>

#include <algorithm>
#include <vector>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::peers {

namespace {

// Below this a second thread costs more than it brings.
constexpr std::uint64_t worth_threads = std::uint64_t{1} << 15;

// Signed sums wrap, so they are made on the unsigned type of the same size.
template <class T>
struct wrapping {
  using type = T;
};
template <>
struct wrapping<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct wrapping<std::int64_t> {
  using type = std::uint64_t;
};

template <class T>
T fold(const T* in, std::uint64_t first, std::uint64_t last, T s, plus) {
#pragma omp simd reduction(+ : s)
  for (std::uint64_t i = first; i < last; ++i) s += in[i];
  return s;
}
template <class T>
T fold(const T* in, std::uint64_t first, std::uint64_t last, T s, minimum) {
#pragma omp simd reduction(min : s)
  for (std::uint64_t i = first; i < last; ++i) s = in[i] < s ? in[i] : s;
  return s;
}
template <class T>
T fold(const T* in, std::uint64_t first, std::uint64_t last, T s, maximum) {
#pragma omp simd reduction(max : s)
  for (std::uint64_t i = first; i < last; ++i) s = in[i] > s ? in[i] : s;
  return s;
}

template <class T>
void prefixes(const T* in, T* out, std::uint64_t first, std::uint64_t last, T s, bool inclusive, plus) {
  if (inclusive) {
#pragma omp simd reduction(inscan, + : s)
    for (std::uint64_t i = first; i < last; ++i) {
      s += in[i];
#pragma omp scan inclusive(s)
      out[i] = s;
    }
  } else {
#pragma omp simd reduction(inscan, + : s)
    for (std::uint64_t i = first; i < last; ++i) {
      out[i] = s;
#pragma omp scan exclusive(s)
      s += in[i];
    }
  }
}

// GCC's inscan is not vectorised for the others, so the plain loop says the same.
template <class T, class Op>
void prefixes(const T* in, T* out, std::uint64_t first, std::uint64_t last, T s, bool inclusive, Op op) {
  for (std::uint64_t i = first; i < last; ++i) {
    const T next = op(s, in[i]);
    out[i] = inclusive ? next : s;
    s = next;
  }
}

// The block of thread `t` of the `threads` that really run, which may be fewer than were asked for.
struct block {
  std::uint64_t first, last;
};
block block_of(std::uint64_t n, int t, int threads) {
  const std::uint64_t size = n / threads, rest = n % threads, u = static_cast<std::uint64_t>(t);
  const std::uint64_t first = u * size + std::min(u, rest);
  return {first, first + size + (u < rest)};
}

template <class T, class Op>
T reduce_all(const T* in, std::uint64_t n, T init, Op op, int threads) {
  if (n < worth_threads) return fold(in, 0, n, init, op);
  std::vector<T> sums(threads, identity_of<T>(op));
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const block b = block_of(n, t, omp_get_num_threads());
    sums[t] = fold(in, b.first, b.last, identity_of<T>(op), op);
  }
  for (const T& s : sums) init = op(init, s);
  return init;
}

template <class T, class Op>
void scan_all(const T* in, T* out, std::uint64_t n, T init, bool inclusive, Op op, int threads) {
  if (n < worth_threads) return prefixes(in, out, 0, n, init, inclusive, op);
  std::vector<T> sums(threads, identity_of<T>(op));
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num(), all = omp_get_num_threads();
    const block b = block_of(n, t, all);
    if (t + 1 < all) sums[t] = fold(in, b.first, b.last, identity_of<T>(op), op);
    // Every block's sum is written before any thread adds up those before its own.
#pragma omp barrier
    T before = init;
    for (int earlier = 0; earlier < t; ++earlier) before = op(before, sums[earlier]);
    prefixes(in, out, b.first, b.last, before, inclusive, op);
  }
}

void call(const detail::reduce_impl::problem& p, int threads) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    using U = typename wrapping<decltype(init)>::type;
    if constexpr (std::is_same_v<decltype(op), plus>) {
      *reinterpret_cast<U*>(out) = reduce_all(reinterpret_cast<const U*>(in), n, static_cast<U>(init), op, threads);
    } else {
      *out = reduce_all(in, n, init, op, threads);
    }
  });
}

void call(const detail::scan_impl::problem& p, int threads) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    using U = typename wrapping<decltype(init)>::type;
    if constexpr (std::is_same_v<decltype(op), plus>) {
      scan_all(reinterpret_cast<const U*>(in), reinterpret_cast<U*>(out), n, static_cast<U>(init), p.inclusive, op,
               threads);
    } else {
      scan_all(in, out, n, init, p.inclusive, op, threads);
    }
  });
}

template <class P>
peer_for<P> openmp(const char* note) {
  return {"openmp",
          "OpenMP " + std::to_string(_OPENMP),
          note,
          backend::cpu,
          P{}.what,
          takes_fold,
          [](device& d, const P&) -> prepared_for<P> {
            return [threads = static_cast<cpu::device&>(d).threads()](const P& p) { call(p, threads); };
          }};
}

}  // namespace

void add_openmp(std::vector<peer>& list) {
  list.push_back(openmp<detail::reduce_impl::problem>("SIMD reduction, all threads"));
  list.push_back(openmp<detail::scan_impl::problem>("two passes, SIMD inscan, all threads"));
}

}  // namespace upsweep::peers
