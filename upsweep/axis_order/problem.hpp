// orders along an axis: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/axis/lines.hpp"
#include "upsweep/core/dispatch.hpp"

namespace upsweep::axis_order_room {

enum class primitive : std::uint8_t { axis_sort, axis_argsort, axis_top_k };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"axis-sort", "axis-argsort", "axis-top-k"};
  return names[static_cast<int>(p)];
}

//   axis-sort     each line sorted stably, where its elements lie; `out` may be exactly `in`
//   axis-argsort  out2 = where in its line each key stood, in order (u32 or u64 by index_bytes)
//   axis-top-k    out = the k first of each line in order (descending: the largest), out2 = where they stood;
//                 both are {outer, k, inner}, k <= along.length; a null out2 is not written
// n is along.elements(). Orders are those of sort/order.hpp, by bits [first_bit, last_bit), last_bit 0 meaning all.
struct problem : problem_head {
  primitive what = primitive::axis_sort;
  memory in, out, out2;
  axis_room::lines along;
  std::uint64_t k = 0;
  std::uint32_t index_bytes = 8;
  bool descending = false;
  std::uint8_t first_bit = 0, last_bit = 0;
  bool numbers_only = false;  // no key is a NaN; for who makes the keys
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);
// Operands in host memory, which a device takes as a whole; done on return.
void run_from_host(const target&, const problem&);

}  // namespace upsweep::axis_order_room
