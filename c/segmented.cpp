// Folds by key and by segment.
#include "c/call.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;
using detail::segmented_impl::primitive;

upsweep_status upsweep_reduce_by_key(const upsweep_context* context, upsweep_type key_type, const void* keys,
                                     upsweep_type type, const void* in, uint64_t n, upsweep_operator op,
                                     upsweep_transform transform, void* keys_out, void* out, uint64_t* count) {
  return guarded([&] {
    const call k("reduce_by_key", context);
    detail::segmented_impl::problem p;
    k.fold(p, type, op, transform, nullptr);
    p.key_type = k.type(key_type), p.n = n;
    const auto by = k.in("the keys", p.key_type, keys, n), from = k.in("the values", p.type, in, n);
    const auto by_out = k.out("the keys' output", p.key_type, keys_out, n);
    const auto to = k.out("the values' output", p.type, out, n), runs = k.out("the count", count, 1, 8);
    require_no_overlap(k.name, k.where,
                       {{"the keys", by},
                        {"the values", from},
                        {"the keys' output", by_out},
                        {"the values' output", to},
                        {"the count", runs}});
    p.in = from.where(), p.in2 = by.where(), p.out = to.where(), p.out2 = by_out.where(), p.count = runs.where();
    detail::segmented_impl::run(k.where, p);
  });
}

upsweep_status upsweep_scan_by_key(const upsweep_context* context, upsweep_type key_type, const void* keys,
                                   upsweep_type type, const void* in, uint64_t n, int inclusive, upsweep_operator op,
                                   upsweep_transform transform, const void* host_init, void* out) {
  return guarded([&] {
    const call k("scan_by_key", context);
    detail::segmented_impl::problem p;
    k.fold(p, type, op, transform, host_init);
    p.what = primitive::scan_by_key, p.inclusive = inclusive, p.key_type = k.type(key_type), p.n = n;
    const auto by = k.in("the keys", p.key_type, keys, n), from = k.in("the values", p.type, in, n);
    const auto to = k.out("the output", p.type, out, n);
    require_no_overlap(k.name, k.where, {{"the values", from}, {"the output", to}, {"the keys", by}}, 1);
    p.in = from.where(), p.in2 = by.where(), p.out = to.where();
    detail::segmented_impl::run(k.where, p);
  });
}

upsweep_status upsweep_segmented_reduce(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                        const uint64_t* offsets, uint64_t segments, upsweep_operator op,
                                        upsweep_transform transform, const void* host_init, void* out) {
  return guarded([&] {
    const call k("segmented_reduce", context);
    detail::segmented_impl::problem p;
    k.fold(p, type, op, transform, host_init);
    p.what = primitive::segmented_reduce, p.n = n, p.m = segments;
    const auto from = k.in("the values", p.type, in, n);
    const auto cuts = k.offsets(offsets, segments);
    const auto to = k.out("the output", p.type, out, segments);
    require_no_overlap(k.name, k.where, {{"the values", from}, {"the offsets", cuts}, {"the output", to}});
    core::require_offsets(k.name, k.where, cuts, n, k.where.checked_positions());
    p.in = from.where(), p.in2 = cuts.where(), p.out = to.where();
    detail::segmented_impl::run(k.where, p);
  });
}

upsweep_status upsweep_segmented_scan(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                      const uint64_t* offsets, uint64_t segments, int inclusive, upsweep_operator op,
                                      upsweep_transform transform, const void* host_init, void* out) {
  return guarded([&] {
    const call k("segmented_scan", context);
    detail::segmented_impl::problem p;
    k.fold(p, type, op, transform, host_init);
    p.what = primitive::segmented_scan, p.inclusive = inclusive, p.n = n, p.m = segments;
    const auto from = k.in("the values", p.type, in, n);
    const auto cuts = k.offsets(offsets, segments);
    const auto to = k.out("the output", p.type, out, n);
    require_no_overlap(k.name, k.where, {{"the values", from}, {"the output", to}, {"the offsets", cuts}}, 1);
    core::require_offsets(k.name, k.where, cuts, n, k.where.checked_positions());
    p.in = from.where(), p.in2 = cuts.where(), p.out = to.where();
    detail::segmented_impl::run(k.where, p);
  });
}
