// reduce: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::reduce_room {

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

// Folds of floats are grouped as each variant groups them.
inline bool rounds(const problem& p) { return rounds_by(p.op, p.type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();
std::span<const variant> opencl();
// The reproducible sum is asked for by its own call, or by name; no other call chooses it.
variant_lists reproducible();
std::span<const variant> reproducible_cpu();
std::span<const variant> reproducible_cuda();
std::span<const variant> reproducible_opencl();

std::span<const variant> cpu_textbook();     // upsweep_textbook
std::span<const variant> cuda_textbook();    // upsweep_textbook
std::span<const variant> opencl_textbook();  // upsweep_textbook

// For operands in host memory (in.base and out.base are host addresses, offset 0): streams through the device in chunks
// when they do not fit, and returns when `out` is written. On the CPU nothing is copied.
void run_on_host(const target&, const problem&);

}  // namespace upsweep::reduce_room
