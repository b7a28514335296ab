// transform and its kin: what is computed, typed, and what a call chooses from where the library itself was compiled
// for it. Functions of the caller's own go to the backends' templates (enqueue.hpp) and choose nothing.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::transform_room {

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

// What stands between two neighbours.
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

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

// What is tabulated for check and bench.
struct square_sum {
  UPSWEEP_HD constexpr std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i * i + (i >> 32));
  }
  static constexpr const char* opencl = "(uint)(i * i + (i >> 32))";
};

// A context for the templates that callers have, on a device that somebody else owns.
inline context context_on(device& d) { return context(std::shared_ptr<device>(std::shared_ptr<void>(), &d)); }

}  // namespace upsweep::transform_room
