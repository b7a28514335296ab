// Set operations on CUDA, of any trivially copyable type and by any comparison. A thread finds where a piece of the
// walk begins in both sequences, walks it to count the kept elements, and after a scan of the counts walks it again
// to move them.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/sets/sets_cuda.cuh is CUDA; include it from a .cu file, or include upsweep/sets.hpp"
#endif

#include <algorithm>

#include "upsweep/core/config.hpp"
#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/sets/sets_steps.hpp"
#if !defined(__CUDACC_RTC__)
#include "upsweep/scan/scan_problem.hpp"
#endif

namespace upsweep::cuda {
inline namespace UPSWEEP_COMPILED {

inline constexpr std::uint64_t steps_a_thread = 16;

template <class A, class B, class Less>
struct two_sequences {
  detail::sets_impl::primitive what;
  A a;
  std::uint64_t n;
  B b;
  std::uint64_t m;
  Less less;
};

template <class Two>
struct finds_cuts {
  Two two;
  detail::sets_impl::place* cuts;
  __host__ __device__ void operator()(std::uint64_t p) const {
    cuts[p] = detail::sets_impl::cut_at(two.what, two.a, two.n, two.b, two.m, p * steps_a_thread, two.less);
  }
};

struct counts_up {
  std::uint64_t& count;
  __host__ __device__ void operator()(bool, std::uint64_t) const { ++count; }
};

template <class Two>
struct counts_kept {
  Two two;
  const detail::sets_impl::place* cuts;
  std::uint64_t* counts;
  __host__ __device__ void operator()(std::uint64_t p) const {
    std::uint64_t kept = 0;
    detail::sets_impl::walk(two.what, two.a, two.b, cuts[p], cuts[p + 1], two.less, counts_up{kept});
    counts[p] = kept;
  }
};

template <class Move>
struct moves_up {
  const Move& move;
  std::uint64_t& to;
  std::uint64_t capacity;
  __host__ __device__ void operator()(bool second, std::uint64_t i) const {
    if (to < capacity) move(to, second, i);
    ++to;
  }
};

template <class Two, class Move>
struct moves_kept {
  Two two;
  const detail::sets_impl::place* cuts;
  const std::uint64_t* ends;
  std::uint64_t pieces, capacity;
  std::uint64_t* count;
  Move move;
  __host__ __device__ void operator()(std::uint64_t p) const {
    std::uint64_t to = p == 0 ? 0 : ends[p - 1];
    detail::sets_impl::walk(two.what, two.a, two.b, cuts[p], cuts[p + 1], two.less, moves_up<Move>{move, to, capacity});
    if (p == pieces - 1) *count = ends[p];
  }
};

#if !defined(__CUDACC_RTC__)  // the host's side

// Calls move(place, from_second, index), on the device, for kept elements; *count, in device memory, becomes their
// number.
template <class A, class B, class Less, class Move>
void keep_of_two(upsweep::device& d, detail::sets_impl::primitive what, const A& a, std::uint64_t n, const B& b,
                 std::uint64_t m, std::uint64_t capacity, const Less& less, std::uint64_t* count, const Move& move) {
  core::require_not_only_source<A, B, Less, Move>();
  using two_of_these = two_sequences<A, B, Less>;
  const two_of_these two{what, a, n, b, m, less};
  const std::uint64_t pieces = std::max<std::uint64_t>((n + m + steps_a_thread - 1) / steps_a_thread, 1);
  const memory sums = d.scratch("sets/counts", pieces * sizeof(std::uint64_t));
  auto* cuts =
      d.scratch("sets/cuts", (pieces + 1) * sizeof(detail::sets_impl::place)).template as<detail::sets_impl::place>();
  auto* counts = sums.template as<std::uint64_t>();
  cuda::for_each_index(d, pieces + 1, finds_cuts<two_of_these>{two, cuts});
  cuda::for_each_index(d, pieces, counts_kept<two_of_these>{two, cuts, counts});
  detail::scan_impl::problem scan;
  scan.type = dtype::u64, scan.op = op_kind::plus, scan.inclusive = true;
  scan.in = scan.out = sums, scan.n = pieces, scan.init = identity_scalar(scan.op, scan.type);
  detail::scan_impl::run(target(d), scan);
  cuda::for_each_index(
      d, pieces, moves_kept<two_of_these, Move>{two, cuts, counts, pieces, (std::min)(capacity, n + m), count, move});
}

#endif

// Keys, and values with them if V is not an empty type.
template <class A, class B, class AV, class BV, class K, class V>
struct moves_pairs {
  A a;
  B b;
  AV first_values;
  BV second_values;
  K* out;
  V* values_out;
  __host__ __device__ void operator()(std::uint64_t to, bool second, std::uint64_t i) const {
    out[to] = second ? b[i] : a[i];
    if constexpr (!std::is_empty_v<V>) {
      if constexpr (std::is_empty_v<BV>) {
        values_out[to] = first_values[i];
      } else {
        values_out[to] = second ? second_values[i] : first_values[i];
      }
    }
  }
};

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cuda
