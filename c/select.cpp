// Selections, partitions, runs, and what is moved by index.
#include "c/call.hpp"
#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/select/select_operands.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;
using detail::select_impl::primitive;
using detail::select_impl::selection;

namespace {

// in, which `out` may be, and what is kept of it.
void select(const call& k, detail::select_impl::problem& p, const void* in, std::uint64_t n, void* out,
            std::uint64_t* count, core::operand<const std::byte> flags = {}) {
  const auto from = k.in("the input", p.type, in, n);
  const auto to = k.out("the output", p.type, out, n);
  const auto kept = k.out("the count", count, 1, 8);
  require_no_overlap(k.name, k.where,
                     {{"the input", from}, {"the output", to}, {"the flags", flags}, {"the count", kept}}, 1);
  p.in = k.aside(from, to, "select/aside"), p.out = to.where(), p.count = kept.where(), p.n = n;
  p.in3 = flags.where();
  detail::select_impl::run(k.where, p);
}

bool contents_are_looked_at(const call& k) { return k.where.kind() == backend::cpu || k.where.checked_positions(); }

void require_below(const call& k, const void* indices, std::uint32_t index_bytes, const std::uint8_t* flags,
                   std::uint64_t n, std::uint64_t limit) {
  if (!contents_are_looked_at(k)) return;
  const auto by = k.numbers("the flags", flags, flags ? n : 0);
  if (index_bytes == 4)
    return detail::select_impl::require_indices_below(
        k.where, k.name, k.numbers("the indices", static_cast<const std::uint32_t*>(indices), n), by, limit);
  detail::select_impl::require_indices_below(
      k.where, k.name, k.numbers("the indices", static_cast<const std::uint64_t*>(indices), n), by, limit);
}

void require_index_bytes(const call& k, std::uint32_t bytes) {
  if (bytes != 4 && bytes != 8)
    throw error(fault::bad_argument, k.name, "indices have " + std::to_string(bytes) + " bytes", "give 4 or 8");
}

}  // namespace

upsweep_status upsweep_copy_if(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                               upsweep_comparison test, const void* host_threshold, void* out, uint64_t* count) {
  return guarded([&] {
    const call k("copy_if", context);
    detail::select_impl::problem p;
    p.type = k.type(type), p.how = selection::where, p.test = k.test(test);
    p.threshold = k.element("the threshold", host_threshold, size_of(p.type));
    select(k, p, in, n, out, count);
  });
}

upsweep_status upsweep_copy_if_stencil(const upsweep_context* context, upsweep_type type, const void* in,
                                       uint32_t element_bytes, const void* in2, uint64_t n, upsweep_comparison test,
                                       const void* host_threshold, void* out, uint64_t* count) {
  return guarded([&] {
    const call k("copy_if", context);
    detail::compact_impl::problem p;
    p.type = k.type(type), p.test = k.test(test);
    p.threshold = k.element("the threshold", host_threshold, size_of(p.type));
    c::bitwise_type(k.name, element_bytes);
    const auto from = k.in("the input", in, n, element_bytes), beside = k.in("the stencil", p.type, in2, n);
    const auto to = k.out("the output", out, n, element_bytes), kept = k.out("the count", count, 1, 8);
    require_no_overlap(k.name, k.where,
                       {{"the input", from}, {"the stencil", beside}, {"the output", to}, {"the count", kept}});
    p.in = from.where(), p.in2 = beside.where(), p.out = to.where(), p.count = kept.where();
    p.n = p.capacity = n, p.element_bytes = element_bytes;
    detail::compact_impl::run(k.where, p);
  });
}

upsweep_status upsweep_select_flagged(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                      const uint8_t* flags, uint64_t n, void* out, uint64_t* count) {
  return guarded([&] {
    const call k("select_flagged", context);
    detail::select_impl::problem p;
    p.type = c::bitwise_type(k.name, element_bytes), p.how = selection::flagged;
    select(k, p, in, n, out, count, k.in("the flags", flags, n, 1));
  });
}

upsweep_status upsweep_unique(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n, void* out,
                              uint64_t* count) {
  return guarded([&] {
    const call k("unique", context);
    detail::select_impl::problem p;
    p.type = k.type(type), p.how = selection::unique;
    select(k, p, in, n, out, count);
  });
}

upsweep_status upsweep_unique_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                     const void* values, uint32_t value_bytes, uint64_t n, void* keys_out,
                                     void* values_out, uint64_t* count) {
  return guarded([&] {
    const call k("unique_by_key", context);
    detail::select_impl::problem p;
    p.type = k.type(type), p.how = selection::unique, p.n = n;
    c::bitwise_type(k.name, value_bytes);
    const auto in = k.in("the keys", p.type, keys, n), in2 = k.in("the values", values, n, value_bytes);
    const auto out = k.out("the keys' output", p.type, keys_out, n);
    const auto out2 = k.out("the values' output", values_out, n, value_bytes), kept = k.out("the count", count, 1, 8);
    require_no_overlap(k.name, k.where,
                       {{"the keys", in},
                        {"the keys' output", out},
                        {"the values", in2},
                        {"the values' output", out2},
                        {"the count", kept}},
                       2);
    p.in = k.aside(in, out, "select/aside"), p.in2 = k.aside(in2, out2, "select/values aside");
    p.out = out.where(), p.out2 = out2.where(), p.count = kept.where(), p.value_bytes = value_bytes;
    detail::select_impl::run(k.where, p);
  });
}

upsweep_status upsweep_partition(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                 upsweep_comparison test, const void* host_threshold, void* out, uint64_t* count) {
  return guarded([&] {
    const call k("partition", context);
    detail::select_impl::problem p;
    p.type = k.type(type), p.how = selection::partition, p.test = k.test(test);
    p.threshold = k.element("the threshold", host_threshold, size_of(p.type));
    select(k, p, in, n, out, count);
  });
}

upsweep_status upsweep_run_length_encode(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                         void* out, uint64_t* lengths, uint64_t* count) {
  return guarded([&] {
    const call k("run_length_encode", context);
    detail::select_impl::problem p;
    p.what = primitive::run_lengths, p.type = k.type(type), p.n = n;
    const auto from = k.in("the input", p.type, in, n);
    const auto to = k.out("the output", p.type, out, n), long_ = k.out("the lengths", lengths, n, 8);
    const auto kept = k.out("the count", count, 1, 8);
    require_no_overlap(k.name, k.where,
                       {{"the input", from}, {"the output", to}, {"the lengths", long_}, {"the count", kept}});
    p.in = from.where(), p.out = to.where(), p.out2 = long_.where(), p.count = kept.where();
    detail::select_impl::run(k.where, p);
  });
}

upsweep_status upsweep_run_length_decode(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                         const uint64_t* lengths, uint64_t n, void* out, uint64_t m) {
  return guarded([&] {
    const call k("run_length_decode", context);
    detail::select_impl::problem p;
    p.what = primitive::expand_runs, p.type = c::bitwise_type(k.name, element_bytes), p.n = n, p.m = m;
    const auto from = k.in("the input", p.type, in, n);
    const auto long_ = k.numbers("the lengths", lengths, n);
    const auto to = k.out("the output", p.type, out, m);
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the lengths", long_}, {"the output", to}});
    if (contents_are_looked_at(k)) detail::select_impl::require_sum(k.where, long_, m);
    p.in = from.where(), p.in2 = long_.where(), p.out = to.where();
    detail::select_impl::run(k.where, p);
  });
}

upsweep_status upsweep_run_offsets(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                   uint64_t* offsets, uint64_t* count) {
  return guarded([&] {
    const call k("run_offsets", context);
    detail::compact_impl::problem p;
    p.what = detail::compact_impl::primitive::run_offsets, p.type = k.type(type), p.n = n, p.capacity = n + 1;
    const auto from = k.in("the input", p.type, in, n);
    const auto to = k.out("the offsets", offsets, n + 1, 8), kept = k.out("the count", count, 1, 8);
    require_no_overlap(k.name, k.where, {{"the input", from}, {"the offsets", to}, {"the count", kept}});
    p.in = from.where(), p.out = to.where(), p.count = kept.where();
    detail::compact_impl::run(k.where, p);
  });
}

upsweep_status upsweep_gather(const upsweep_context* context, const void* in, uint32_t element_bytes, uint64_t m,
                              const void* indices, uint32_t index_bytes, const uint8_t* flags, uint64_t n, void* out) {
  return guarded([&] {
    const call k("gather", context);
    detail::select_impl::problem p;
    p.what = flags ? primitive::gather_if : primitive::gather, p.type = c::bitwise_type(k.name, element_bytes);
    require_index_bytes(k, index_bytes);
    p.n = n, p.m = m, p.index_bytes = index_bytes;
    const auto from = k.in("the input", p.type, in, m), at = k.in("the indices", indices, n, index_bytes);
    const auto by = k.in("the flags", flags, flags ? n : 0, 1);
    const auto to = k.out("the output", p.type, out, n);
    require_no_overlap(k.name, k.where,
                       {{"the input", from}, {"the indices", at}, {"the flags", by}, {"the output", to}});
    require_below(k, indices, index_bytes, flags, n, m);
    p.in = from.where(), p.in2 = at.where(), p.in3 = by.where(), p.out = to.where();
    detail::select_impl::run(k.where, p);
  });
}

upsweep_status upsweep_scatter(const upsweep_context* context, const void* in, uint32_t element_bytes, uint64_t n,
                               const void* indices, uint32_t index_bytes, const uint8_t* flags, void* out, uint64_t m) {
  return guarded([&] {
    const call k("scatter", context);
    detail::select_impl::problem p;
    p.what = primitive::scatter_if, p.type = c::bitwise_type(k.name, element_bytes);
    require_index_bytes(k, index_bytes);
    p.n = n, p.m = m, p.index_bytes = index_bytes;
    const auto from = k.in("the input", p.type, in, n), at = k.in("the indices", indices, n, index_bytes);
    const auto by = k.in("the flags", flags, flags ? n : 0, 1);
    const auto to = k.out("the output", p.type, out, m);
    require_no_overlap(k.name, k.where,
                       {{"the input", from}, {"the indices", at}, {"the flags", by}, {"the output", to}});
    require_below(k, indices, index_bytes, flags, n, m);
    p.in = from.where(), p.in2 = at.where(), p.in3 = by.where(), p.out = to.where();
    if (n != 0) detail::select_impl::run(k.where, p);
  });
}
