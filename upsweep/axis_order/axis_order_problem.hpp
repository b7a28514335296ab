// Orders along an axis: the typed description of a call, and the variants that it chooses from.
#pragma once

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::axis_order_impl {

enum class primitive : std::uint8_t { axis_sort, axis_argsort, axis_top_k };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"axis-sort", "axis-argsort", "axis-top-k"};
  return names[static_cast<int>(p)];
}

//   axis-sort     each line sorted stably, results at the positions of its elements; `out` may be exactly `in`
//   axis-argsort  out2 = each key's original index in its line, in order (u32 or u64 by index_bytes)
//   axis-top-k    out = the k first of each line in order (descending: the largest), out2 = their indices;
//                 both are {outer, k, inner}, k <= along.length; a null out2 is not written
// n is along.elements(). Orders are those of sort/sort_order.hpp, by bits [first_bit, last_bit), last_bit 0 meaning
// all.
struct problem : problem_head {
  primitive what = primitive::axis_sort;
  memory in, out, out2;
  detail::axis_impl::lines along;
  std::uint64_t k = 0;
  std::uint32_t index_bytes = 8;
  bool descending = false;
  std::uint8_t first_bit = 0, last_bit = 0;
  bool numbers_only = false;  // the keys contain no NaN; for callers that create the keys
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);
// For operands in host memory, which is copied to a device as a whole; done on return.
void run_from_host(const target&, const problem&);

}  // namespace upsweep::detail::axis_order_impl
