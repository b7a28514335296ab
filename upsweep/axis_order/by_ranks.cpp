#include "upsweep/axis_order/by_ranks.hpp"

#include "upsweep/axis/moves.hpp"
#include "upsweep/axis_order/problem.hpp"
#include "upsweep/select/problem.hpp"
#include "upsweep/sort/records.hpp"

namespace upsweep::axis_order_room {

keys_in_order room_for_order(device& d, std::uint64_t n, std::uint64_t bytes) {
  return {d.scratch("axis/keys in order", n * bytes), d.scratch("axis/places in order", n * 8), bytes};
}

void order_by_ranks(device& d, const keys_in_order& all, const axis_room::lines& l, std::uint64_t k, memory out,
                    memory indices, std::uint32_t index_bytes) {
  const std::uint64_t n = l.elements(), kept = l.count() * k;
  select_room::problem s;  // ranks[places[r]] = r
  s.what = select_room::primitive::scatter_if, s.type = dtype::u64, s.index_bytes = 8, s.n = s.m = n;
  s.in = axis_room::numbers_in_scratch(d, n), s.in2 = all.places, s.out = d.scratch("axis/ranks", n * 8);
  select_room::run(d, s);

  problem p;
  p.type = dtype::u64, p.n = n, p.along = l, p.k = k, p.index_bytes = index_bytes;
  p.in = s.out, p.out2 = indices;
  p.what = out.base == nullptr && k == l.length       ? primitive::axis_argsort
           : indices.base == nullptr && k == l.length ? primitive::axis_sort
                                                      : primitive::axis_top_k;
  if (p.what != primitive::axis_argsort) p.out = d.scratch("axis/ranks in order", kept * 8);
  axis_order_room::run(d, p);
  if (out.base != nullptr) sort_room::gather_records(d, all.keys, all.bytes, p.out, 8, kept, out);
}

}  // namespace upsweep::axis_order_room
