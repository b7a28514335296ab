// reduce: the typed description of a call, and the variants that it chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::reduce_impl {

enum class primitive : std::uint8_t { reduce };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"reduce"};
  return names[static_cast<int>(p)];
}

// out[0] = init ∘ x_0 ∘ … ∘ x_{n-1}
struct problem : problem_head, folding {
  primitive what = primitive::reduce;
  memory in, out;
};

// Each variant groups folds of floats in its own way.
inline bool rounds(const problem& p) { return rounds_by(p.op, p.type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The variants of this algorithm, by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();
std::span<const variant> opencl();
// Only reproducible_sum, or a request by name, chooses the reproducible variants.
variant_lists reproducible();
std::span<const variant> reproducible_cpu();
std::span<const variant> reproducible_cuda();
std::span<const variant> reproducible_opencl();

std::span<const variant> cpu_textbook();     // upsweep_textbook
std::span<const variant> cuda_textbook();    // upsweep_textbook
std::span<const variant> opencl_textbook();  // upsweep_textbook

// For operands in host memory (in.base and out.base are host addresses, offset 0). Streams through the device in chunks
// if they do not fit there. Returns after `out` has been written. On the CPU nothing is copied.
void run_on_host(const target&, const problem&);

}  // namespace upsweep::detail::reduce_impl
