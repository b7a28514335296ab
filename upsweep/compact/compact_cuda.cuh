// Compaction on CUDA by any predicate of an element's index: a thread evaluates it for sixteen neighbours and stores
// the results as bits. After a scan of the counts the thread moves the elements.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/compact/compact_cuda.cuh is CUDA; include it from a .cu file, or include compact.hpp"
#endif

#include <algorithm>

#include "upsweep/compact/compact_predicates.hpp"
#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::cuda {
inline namespace UPSWEEP_COMPILED {

inline constexpr std::uint64_t answers_a_thread = 16;

template <class Keep>
struct notes_answers {
  Keep keep;
  std::uint64_t n;
  std::uint16_t* bits;
  std::uint64_t* counts;
  __host__ __device__ void operator()(std::uint64_t p) const {
    std::uint32_t mine = 0;
    std::uint64_t passed = 0;
    const std::uint64_t first = p * answers_a_thread;
    for (std::uint64_t k = 0; k < answers_a_thread && first + k < n; ++k) {
      const bool yes = keep(first + k);
      mine |= static_cast<std::uint32_t>(yes) << k;
      passed += yes;
    }
    bits[p] = static_cast<std::uint16_t>(mine);
    counts[p] = passed;
  }
};

// `behind`: the output indices of elements that did not pass begin where those that passed end.
template <class Kept, class Others>
struct moves_by_answers {
  std::uint64_t n, pieces;
  const std::uint16_t* bits;
  const std::uint64_t* ends;
  std::uint64_t* count;
  Kept kept;
  Others others;
  bool behind;
  __host__ __device__ void operator()(std::uint64_t p) const {
    const std::uint64_t first = p * answers_a_thread, all = ends[pieces - 1];
    std::uint64_t to = p == 0 ? 0 : ends[p - 1], other = first - to + (behind ? all : 0);
    for (std::uint64_t k = 0; k < answers_a_thread && first + k < n; ++k) {
      if (bits[p] >> k & 1)
        kept(first + k, to++);
      else
        others(first + k, other++);
    }
    if (p == pieces - 1) *count = all;
  }
};

// Calls, on the device, kept(i, place) where keep(i), and others(i, place) otherwise; *count, in device memory, becomes
// the number that pass. All predicates are evaluated before anything is moved.
template <class Keep, class Kept, class Others = detail::compact_impl::nothing>
void part_by(upsweep::device& d, std::uint64_t n, const Keep& keep, std::uint64_t* count, const Kept& kept,
             const Others& others = {}, bool behind = false) {
  const std::uint64_t pieces = std::max<std::uint64_t>((n + answers_a_thread - 1) / answers_a_thread, 1);
  auto* bits = d.scratch("compact/bits", pieces * sizeof(std::uint16_t)).template as<std::uint16_t>();
  const memory sums = d.scratch("compact/counts", pieces * sizeof(std::uint64_t));
  auto* counts = sums.template as<std::uint64_t>();
  cuda::for_each_index(d, pieces, notes_answers<Keep>{keep, n, bits, counts});
  detail::scan_impl::problem scan;
  scan.type = dtype::u64, scan.op = op_kind::plus, scan.inclusive = true;
  scan.in = scan.out = sums, scan.n = pieces, scan.init = identity_scalar(scan.op, scan.type);
  detail::scan_impl::run(target(d), scan);
  cuda::for_each_index(d, pieces, moves_by_answers<Kept, Others>{n, pieces, bits, counts, count, kept, others, behind});
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::cuda
