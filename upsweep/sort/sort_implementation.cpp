#include "upsweep/sort/sort_implementation.hpp"
#include "upsweep/sort/sort_problem.hpp"

#include <algorithm>

#include "upsweep/core/calls_in_progress.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::detail::sort_impl {

namespace {

bool same_place(memory a, memory b) { return a.base == b.base && a.offset == b.offset; }

}  // namespace

void run_with_values(const target& to, const problem& p) {
  const core::running_call scratch_in_use;
  device& d = to.on();
  const bool by_a_kernel = p.value_bytes == 0 || p.value_bytes == 4 || p.value_bytes == 8 || p.indices;
  if (by_a_kernel || (d.kind() == backend::cpu && can_run(to, p))) return run(to, p);
  problem q = p;
  q.indices = true, q.in2 = {};
  q.value_bytes = p.n >> 32 ? 8 : 4;
  q.out2 = d.scratch("sort/run/order", std::max<std::uint64_t>(p.n * q.value_bytes, 16));
  run(to, q);
  if (p.n == 0) return;
  const std::uint64_t bytes = p.n * p.value_bytes;
  if (!same_place(p.in2, p.out2)) return gather_records(d, p.in2, p.value_bytes, q.out2, q.value_bytes, p.n, p.out2);
  const memory moved = d.scratch("sort/run/values", bytes);
  gather_records(d, p.in2, p.value_bytes, q.out2, q.value_bytes, p.n, moved);
  d.copy(p.out2, moved, bytes);
}

void check_bits(const char* where, unsigned first_bit, unsigned last_bit, unsigned key_bits) {
  if (first_bit == 0 && last_bit == 0) return;
  const std::string range = "bits " + std::to_string(first_bit) + " to " + std::to_string(last_bit);
  if (last_bit > key_bits)
    throw error(fault::bad_argument, where, range + " are requested, and a key has " + std::to_string(key_bits),
                "end the range inside the key");
  if (first_bit >= last_bit)
    throw error(fault::bad_argument, where, range + " are none",
                "let last_bit be larger than first_bit, or leave both 0 for the whole key");
}

void check_rank(const char* where, std::uint64_t k, std::uint64_t n) {
  if (k >= n)
    throw error(fault::bad_argument, where,
                "rank " + std::to_string(k) + " is requested from " + std::to_string(n) + " elements",
                "give a rank from 0 to the number of elements - 1");
}

}  // namespace upsweep::detail::sort_impl
