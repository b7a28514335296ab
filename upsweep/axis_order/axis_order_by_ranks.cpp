#include "upsweep/axis_order/axis_order_by_ranks.hpp"

#include "upsweep/axis/axis_segment_offsets.hpp"
#include "upsweep/axis_order/axis_order_problem.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::detail::axis_order_impl {

keys_in_order space_for_order(device& d, std::uint64_t n, std::uint64_t bytes) {
  return {d.scratch("axis/keys in order", n * bytes), d.scratch("axis/places in order", n * 8), bytes};
}

void order_by_ranks(device& d, const keys_in_order& all, const detail::axis_impl::lines& l, std::uint64_t k, memory out,
                    memory indices, std::uint32_t index_bytes) {
  const std::uint64_t n = l.elements(), kept = l.count() * k;
  detail::select_impl::problem s;  // ranks[places[r]] = r
  s.what = detail::select_impl::primitive::scatter_if, s.type = dtype::u64, s.index_bytes = 8, s.n = s.m = n;
  s.in = detail::axis_impl::numbers_in_scratch(d, n), s.in2 = all.places, s.out = d.scratch("axis/ranks", n * 8);
  detail::select_impl::run(d, s);

  problem p;
  p.type = dtype::u64, p.n = n, p.along = l, p.k = k, p.index_bytes = index_bytes;
  p.in = s.out, p.out2 = indices;
  p.what = out.base == nullptr && k == l.length       ? primitive::axis_argsort
           : indices.base == nullptr && k == l.length ? primitive::axis_sort
                                                      : primitive::axis_top_k;
  if (p.what != primitive::axis_argsort) p.out = d.scratch("axis/ranks in order", kept * 8);
  detail::axis_order_impl::run(d, p);
  if (out.base != nullptr) detail::sort_impl::gather_records(d, all.keys, all.bytes, p.out, 8, kept, out);
}

}  // namespace upsweep::detail::axis_order_impl
