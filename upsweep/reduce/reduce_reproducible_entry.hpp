// The catalog entry of reproducible sums, and the functions that add exactly on each backend.
#pragma once

#include "upsweep/reduce/reduce_exact.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

// Adds the exact sum of in[0 … n) to normalised digits. Waits for it.
void add_exactly_cuda(device& d, dtype type, memory in, std::uint64_t n, std::int64_t* digits, std::uint32_t& flags);
void add_exactly_opencl(device& d, dtype type, memory in, std::uint64_t n, std::int64_t* digits, std::uint32_t& flags);

inline variant reproducible_entry(backend where, void (*run)(device&, const problem&)) {
  variant v;
  v.name = "reduce/reproducible";
  v.where = where;
  v.kind = variant_kind::tuned;
  v.year = 2026;
  v.source = "upsweep";
  v.teaches =
      "An exact sum in one wide integer, rounded once: integer addition does not care how the work was split, so every "
      "device, thread "
      "count and tile size gives the same bits.";
  v.work = {"n", [](double n) { return n; }};
  v.span = {"1",
            [](double) { return 1.0; }};  // one rounding; as a chain of integer additions it is that of any reduction
  v.launches = {where == backend::cpu ? "1" : "2",
                where == backend::cpu ? [](double) { return 1.0; } : [](double) { return 2.0; }};
  v.traffic = {"n + 1", [](double n) { return n + 1; }};
  v.takes = [](op_kind op, dtype t) { return op == op_kind::plus && is_floating(t); };
  v.limits = "sums of f32 and f64; integer sums are reproducible anyway";
  v.run = run;
  return v;
}

}  // namespace upsweep::detail::reduce_impl
