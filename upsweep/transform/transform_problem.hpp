// transform and related calls: the typed descriptor of a computation, and the variants that a call chooses from if the
// library itself was compiled for it. User-defined functions go to the backends' templates (transform_dispatch.hpp) and
// choose no variant.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::transform_impl {

enum class primitive : std::uint8_t {
  transform,
  transform_if,
  fill,
  iota,
  copy,
  replace,
  tabulate,
  adjacent_difference
};

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"transform", "transform-if", "fill",     "iota",
                                     "copy",      "replace",      "tabulate", "adjacent-difference"};
  return names[static_cast<int>(p)];
}

// The operation between two neighbours.
enum class between : std::uint8_t { difference, op };

//   transform            two_inputs: out[i] = op(in[i], in2[i]), or in[i] - in2[i] where it subtracts;
//                        else out[i] = transform(in[i])
//   transform-if         out[i] = transform(in[i]) where in2[i] passes the test, else as it is
//   fill                 out[i] = value
//   iota                 out[i] = value + (from + i) * step
//   copy                 out[i] = in[i]
//   replace              out[i] = value where in2[i] passes the test, else in[i]
//   tabulate             out[i] = square_sum(i), for check and bench alone: the caller's functions are the caller's
//   adjacent-difference  out[0] = in[0], out[i] = in[i] - in[i - 1], or op(in[i], in[i - 1])
// `out` may be exactly an input of transform, transform-if, replace and adjacent-difference.
struct problem : problem_head {
  primitive what = primitive::transform;
  memory in, in2, out;
  bool two_inputs = false, subtracts = false;
  op_kind op = op_kind::plus;
  transform_kind transform = transform_kind::identity;
  between neighbours = between::difference;
  comparison test = comparison::less;
  scalar value, step, threshold;  // of `type`
  std::uint64_t from = 0;
};

inline bool rounds(const problem& p) { return p.what == primitive::iota && is_floating(p.type); }

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

// The function that check and bench tabulate.
struct square_sum {
  UPSWEEP_HD constexpr std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i * i + (i >> 32));
  }
  static constexpr const char* source = "(uint)(i * i + (i >> 32))";
};

// A context for the templates that public calls use, on a device that it does not own.
inline context context_on(device& d) { return context(std::shared_ptr<device>(std::shared_ptr<void>(), &d)); }

}  // namespace upsweep::detail::transform_impl
