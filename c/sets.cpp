// What is made of two sorted sequences.
#include "c/call.hpp"
#include "upsweep/sets/sets_problem.hpp"

using namespace upsweep;
using c::call;
using c::guarded;

upsweep_status upsweep_set_operation(const upsweep_context* context, upsweep_set what, upsweep_type type,
                                     const void* keys, const void* values, uint64_t n, const void* keys2,
                                     const void* values2, uint64_t m, uint32_t value_bytes, int descending,
                                     void* keys_out, void* values_out, uint64_t* count) {
  return guarded([&] {
    constexpr const char* names[]{"merge_by_key", "set_union", "set_intersection", "set_difference",
                                  "set_symmetric_difference"};
    detail::sets_impl::problem p;
    p.what = c::chosen<detail::sets_impl::primitive>("set_operation", "the operation", what, 5);
    const call k(names[what], context);
    p.type = k.type(type), p.n = n, p.m = m, p.value_bytes = value_bytes, p.descending = descending;
    p.capacity = detail::sets_impl::most_kept(p.what, n, m);
    const bool second = detail::sets_impl::keeps_of_second(p.what);
    const auto a = k.in("the first keys", p.type, keys, n), b = k.in("the second keys", p.type, keys2, m);
    const auto with_a = k.in("the first values", values, n, value_bytes);
    const auto with_b = k.in("the second values", values2, second ? m : 0, value_bytes);
    const auto out = k.out("the output", p.type, keys_out, p.capacity);
    const auto with_out = k.out("the values' output", values_out, p.capacity, value_bytes);
    const auto kept = k.out("the count", count, 1, 8);
    core::require_no_overlap(k.name, k.where,
                             {{"the first keys", a},
                              {"the second keys", b},
                              {"the first values", with_a},
                              {"the second values", with_b},
                              {"the output", out},
                              {"the values' output", with_out},
                              {"the count", kept}});
    p.in = a.where(), p.in2 = b.where(), p.in3 = with_a.where(), p.in4 = with_b.where();
    p.out = out.where(), p.out2 = with_out.where(), p.count = kept.where();
    detail::sets_impl::run(k.where, p);
  });
}
