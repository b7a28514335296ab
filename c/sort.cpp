// Orders: sorts, top_k, nth_element, merge, of a sequence and along an axis.
#include "c/along.hpp"
#include "c/call.hpp"
#include "upsweep/axis_order/axis_order_problem.hpp"
#include "upsweep/sort/sort_implementation.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::operand;
using core::require_no_overlap;

namespace {

detail::sort_impl::problem problem_of(const call& k, detail::sort_impl::primitive what, int type, std::uint64_t n,
                                      int descending) {
  detail::sort_impl::problem p;
  p.what = what, p.type = k.type(type), p.n = n, p.descending = descending;
  return p;
}

// Keys and values of a sort, in and out; each output may be its input.
void set_operands(const call& k, detail::sort_impl::problem& p, const void* keys, const void* values,
                  std::uint32_t value_bytes, void* keys_out, void* values_out,
                  operand<const std::uint64_t> offsets = {}) {
  const auto in = k.in("the keys", p.type, keys, p.n);
  const auto out = k.out("the keys' output", p.type, keys_out, p.n);
  const auto in2 = k.in("the values", values, p.n, value_bytes);
  const auto out2 = k.out("the values' output", values_out, p.n, value_bytes);
  require_no_overlap(k.name, k.where,
                     {{"the keys", in},
                      {"the keys' output", out},
                      {"the values", in2},
                      {"the values' output", out2},
                      {"the offsets", offsets}},
                     2);
  p.in = in.where(), p.out = out.where(), p.in2 = in2.where(), p.out2 = out2.where(), p.value_bytes = value_bytes;
  p.in3 = offsets.where();
}

void require_index_bytes(const call& k, std::uint32_t bytes, std::uint64_t n) {
  if (bytes != 4 && bytes != 8)
    throw error(fault::bad_argument, k.name, "indices have " + std::to_string(bytes) + " bytes", "give 4 or 8");
  if (bytes == 4 && n > std::uint64_t{1} << 32)
    throw error(fault::bad_argument, k.name, std::to_string(n) + " keys have indices beyond 4 bytes",
                "give indices of 8 bytes");
}

void require_no_more(const call& k, std::uint64_t asked, std::uint64_t n) {
  if (asked > n)
    throw error(fault::bad_argument, k.name, std::to_string(asked) + " keys are requested from " + std::to_string(n),
                "request at most that number");
}

detail::axis_order_impl::problem along(const call& k, detail::axis_order_impl::primitive what, int type,
                                       const std::uint64_t* host_shape, int axes, int axis, int descending) {
  detail::axis_order_impl::problem p;
  p.what = what, p.type = k.type(type), p.descending = descending;
  p.along = c::lines_of(k, host_shape, axes, axis), p.n = p.along.elements();
  return p;
}

}  // namespace

upsweep_status upsweep_sort(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                            int descending, void* out) {
  return guarded([&] {
    const call k("sort", context);
    auto p = problem_of(k, detail::sort_impl::primitive::sort, type, n, descending);
    set_operands(k, p, in, nullptr, 0, out, nullptr);
    detail::sort_impl::run_with_values(k.where, p);
  });
}

upsweep_status upsweep_sort_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                   const void* values, uint32_t value_bytes, uint64_t n, int descending, void* keys_out,
                                   void* values_out) {
  return guarded([&] {
    const call k("sort_by_key", context);
    if (value_bytes == 0)
      throw error(fault::bad_argument, k.name, "the values have no bytes", "give their size, or call upsweep_sort");
    auto p = problem_of(k, detail::sort_impl::primitive::sort, type, n, descending);
    set_operands(k, p, keys, values, value_bytes, keys_out, values_out);
    detail::sort_impl::run_with_values(k.where, p);
  });
}

upsweep_status upsweep_argsort(const upsweep_context* context, upsweep_type type, const void* keys, uint64_t n,
                               int descending, uint32_t index_bytes, void* indices) {
  return guarded([&] {
    const call k("argsort", context);
    auto p = problem_of(k, detail::sort_impl::primitive::sort, type, n, descending);
    require_index_bytes(k, index_bytes, n);
    const auto in = k.in("the keys", p.type, keys, n);
    const auto out = k.out("the indices", indices, n, index_bytes);
    require_no_overlap(k.name, k.where, {{"the keys", in}, {"the indices", out}});
    p.in = in.where(), p.out2 = out.where(), p.indices = true, p.value_bytes = index_bytes;
    // The keys in order, which nobody asked for.
    p.out = k.where.device().scratch("sort/unwanted", std::max<std::uint64_t>(in.size(), 16));
    detail::sort_impl::run_with_values(k.where, p);
  });
}

upsweep_status upsweep_segmented_sort(const upsweep_context* context, upsweep_type type, const void* keys,
                                      const void* values, uint32_t value_bytes, uint64_t n, const uint64_t* offsets,
                                      uint64_t segments, int descending, void* keys_out, void* values_out) {
  return guarded([&] {
    const call k("segmented_sort", context);
    auto p = problem_of(k, detail::sort_impl::primitive::segmented_sort, type, n, descending);
    const auto cuts = k.offsets(offsets, segments);
    set_operands(k, p, keys, values, value_bytes, keys_out, values_out, cuts);
    core::require_offsets(k.name, k.where, cuts, n, k.where.checked_positions());
    p.m = segments;
    detail::sort_impl::run_with_values(k.where, p);
  });
}

upsweep_status upsweep_top_k(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n, uint64_t k,
                             int descending, void* out, uint64_t* indices) {
  return guarded([&] {
    const call c("top_k", context);
    auto p = problem_of(c, detail::sort_impl::primitive::top_k, type, n, descending);
    require_no_more(c, k, n);
    const auto from = c.in("the keys", p.type, in, n);
    const auto to = c.out("the keys' output", p.type, out, k);
    const auto stood = c.out("the indices", indices, k, 8);
    require_no_overlap(c.name, c.where, {{"the keys", from}, {"the keys' output", to}, {"the indices", stood}});
    p.in = from.where(), p.out = to.where(), p.out2 = stood.where(), p.m = k;
    detail::sort_impl::run(c.where, p);
  });
}

upsweep_status upsweep_nth_element(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                   uint64_t k, int descending, void* host_key) {
  return guarded([&] {
    const call c("nth_element", context);
    auto p = problem_of(c, detail::sort_impl::primitive::sort, type, n, descending);
    p.in = c.in("the keys", p.type, in, n).where();
    c::require_given(c.name, "the place for the key", host_key);
    detail::sort_impl::check_rank(c.name, k, n);
    detail::sort_impl::find_nth(c.where, p, k, host_key, false);
  });
}

upsweep_status upsweep_merge(const upsweep_context* context, upsweep_type type, const void* a, uint64_t n,
                             const void* b, uint64_t m, int descending, void* out) {
  return guarded([&] {
    const call k("merge", context);
    auto p = problem_of(k, detail::sort_impl::primitive::merge, type, n, descending);
    const auto first = k.in("the first keys", p.type, a, n), second = k.in("the second keys", p.type, b, m);
    if (n + m < n) throw error(fault::bad_argument, k.name, "both have more keys than 64 bits count", "give fewer");
    const auto to = k.out("the output", p.type, out, n + m);
    require_no_overlap(k.name, k.where, {{"the first keys", first}, {"the second keys", second}, {"the output", to}});
    p.in = first.where(), p.in2 = second.where(), p.m = m, p.out = to.where();
    detail::sort_impl::run(k.where, p);
  });
}

upsweep_status upsweep_is_sorted_until(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                       int descending, uint64_t* until) {
  return guarded([&] {
    const call k("is_sorted_until", context);
    auto p = problem_of(k, detail::sort_impl::primitive::is_sorted, type, n, descending);
    p.in = k.in("the input", p.type, in, n).where(), p.count = k.out("the answer", until, 1, 8).where();
    detail::sort_impl::run(k.where, p);
  });
}

upsweep_status upsweep_sort_along(const upsweep_context* context, upsweep_type type, const void* in,
                                  const uint64_t* host_shape, int axes, int axis, int descending, void* out) {
  return guarded([&] {
    const call k("sort_along", context);
    auto p = along(k, detail::axis_order_impl::primitive::axis_sort, type, host_shape, axes, axis, descending);
    const auto from = k.in("the input", p.type, in, p.n);
    const auto to = k.out("the output", p.type, out, p.n);
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the output", to}}, 1);
    p.in = from.where(), p.out = to.where();
    detail::axis_order_impl::run(k.where, p);
  });
}

upsweep_status upsweep_argsort_along(const upsweep_context* context, upsweep_type type, const void* keys,
                                     const uint64_t* host_shape, int axes, int axis, int descending,
                                     uint32_t index_bytes, void* indices) {
  return guarded([&] {
    const call k("argsort_along", context);
    auto p = along(k, detail::axis_order_impl::primitive::axis_argsort, type, host_shape, axes, axis, descending);
    require_index_bytes(k, index_bytes, p.along.length);
    const auto from = k.in("the keys", p.type, keys, p.n);
    const auto to = k.out("the indices", indices, p.n, index_bytes);
    require_no_overlap(k.name, k.where, {{"the keys", from}, {"the indices", to}});
    p.in = from.where(), p.out2 = to.where(), p.index_bytes = index_bytes;
    detail::axis_order_impl::run(k.where, p);
  });
}

upsweep_status upsweep_top_k_along(const upsweep_context* context, upsweep_type type, const void* in,
                                   const uint64_t* host_shape, int axes, int axis, uint64_t k, int descending,
                                   void* out, uint64_t* indices) {
  return guarded([&] {
    const call c("top_k_along", context);
    auto p = along(c, detail::axis_order_impl::primitive::axis_top_k, type, host_shape, axes, axis, descending);
    require_no_more(c, k, p.along.length);
    const std::uint64_t kept = p.along.count() * k;
    const auto from = c.in("the keys", p.type, in, p.n);
    const auto to = c.out("the keys' output", p.type, out, kept);
    const auto stood = c.out("the indices", indices, indices ? kept : 0, 8);
    require_no_overlap(c.name, c.where, {{"the keys", from}, {"the keys' output", to}, {"the indices", stood}});
    p.in = from.where(), p.out = to.where(), p.out2 = stood.where(), p.k = k;
    detail::axis_order_impl::run(c.where, p);
  });
}
