// vector-add: the typed descriptor of a computation, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/operands.hpp"

namespace upsweep::detail::vector_add_impl {

enum class primitive : std::uint8_t { vector_add };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"vector-add"};
  return names[static_cast<int>(p)];
}

// out[i] = in[i] + in2[i]
struct problem : problem_head, folding {
  primitive what = primitive::vector_add;
  memory in, in2, out;
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The algorithm's variants, a list for each backend, and how a call chooses and runs one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

template <class T>
problem make_problem(core::operand<const T> a, core::operand<const T> b, core::operand<T> out) {
  problem p;
  p.type = dtype_of<T>, p.n = out.size();
  p.in = a.where(), p.in2 = b.where(), p.out = out.where();
  return p;
}

}  // namespace upsweep::detail::vector_add_impl
