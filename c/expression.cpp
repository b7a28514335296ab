// Operators, transforms, tests and comparators given as expressions.
#include "c/expression.hpp"

#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

using namespace upsweep;
using c::call_by;
using c::guarded;

upsweep_status upsweep_expression_make(const char* source, upsweep_expression** result) {
  return guarded([&] {
    c::require_given("expression", "the source", source);
    c::require_given("expression", "where the expression is to go", result);
    *result = new upsweep_expression{expression<>(std::string(source))};
  });
}

void upsweep_expression_free(upsweep_expression* expression) { delete expression; }

upsweep_status upsweep_reduce_by(const upsweep_context* context, const upsweep_expression* expression,
                                 upsweep_type type, const void* in, uint64_t n, const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k("reduce", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      reduce(k.where, k.read<T>("the input", in, n), k.written<T>("the output", out, 1),
             k.with_identity<T>(host_identity));
    });
  });
}

upsweep_status upsweep_scan_by(const upsweep_context* context, const upsweep_expression* expression, upsweep_type type,
                               const void* in, uint64_t n, int inclusive, const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k("scan", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto from = k.read<T>("the input", in, n);
      const auto to = k.written<T>("the output", out, n);
      const auto op = k.with_identity<T>(host_identity);
      if (inclusive)
        inclusive_scan(k.where, from, to, op);
      else
        exclusive_scan(k.where, from, to, op);
    });
  });
}

upsweep_status upsweep_segmented_reduce_by(const upsweep_context* context, const upsweep_expression* expression,
                                           upsweep_type type, const void* in, uint64_t n, const uint64_t* offsets,
                                           uint64_t segments, const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k("segmented_reduce", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto bounds = k.offsets(offsets, segments);
      segmented_reduce(k.where, k.read<T>("the input", in, n),
                       device_span<const std::uint64_t>(bounds.where(), bounds.size()),
                       k.written<T>("the output", out, segments), k.with_identity<T>(host_identity));
    });
  });
}

upsweep_status upsweep_segmented_scan_by(const upsweep_context* context, const upsweep_expression* expression,
                                         upsweep_type type, const void* in, uint64_t n, const uint64_t* offsets,
                                         uint64_t segments, int inclusive, const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k("segmented_scan", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto bounds = k.offsets(offsets, segments);
      const auto from = k.read<T>("the input", in, n);
      const device_span<const std::uint64_t> cuts(bounds.where(), bounds.size());
      const auto to = k.written<T>("the output", out, n);
      const auto op = k.with_identity<T>(host_identity);
      if (inclusive)
        segmented_inclusive_scan(k.where, from, cuts, to, op);
      else
        segmented_exclusive_scan(k.where, from, cuts, to, op);
    });
  });
}

upsweep_status upsweep_map_by(const upsweep_context* context, const upsweep_expression* expression, upsweep_type type,
                              const void* in, uint64_t n, void* out) {
  return guarded([&] {
    const call_by k("transform", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      transform(k.where, k.read<T>("the input", in, n), k.written<T>("the output", out, n), *k.by);
    });
  });
}

upsweep_status upsweep_combine_by(const upsweep_context* context, const upsweep_expression* expression,
                                  upsweep_type type, const void* a, const void* b, uint64_t n, void* out) {
  return guarded([&] {
    const call_by k("transform", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      transform(k.where, k.read<T>("the first input", a, n), k.read<T>("the second input", b, n),
                k.written<T>("the output", out, n), *k.by);
    });
  });
}

upsweep_status upsweep_copy_if_by(const upsweep_context* context, const upsweep_expression* expression,
                                  upsweep_type type, const void* in, uint64_t n, void* out, uint64_t* count) {
  return guarded([&] {
    const call_by k("copy_if", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      copy_if(k.where, k.read<T>("the input", in, n), k.written<T>("the output", out, n),
              k.written<std::uint64_t>("the count", count, 1), *k.by);
    });
  });
}

upsweep_status upsweep_partition_by(const upsweep_context* context, const upsweep_expression* expression,
                                    upsweep_type type, const void* in, uint64_t n, void* out, uint64_t* count) {
  return guarded([&] {
    const call_by k("partition", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      partition(k.where, k.read<T>("the input", in, n), k.written<T>("the output", out, n),
                k.written<std::uint64_t>("the count", count, 1), *k.by);
    });
  });
}

upsweep_status upsweep_sort_by(const upsweep_context* context, const upsweep_expression* expression, upsweep_type type,
                               const void* in, uint64_t n, void* out) {
  return guarded([&] {
    const call_by k("sort", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      sort(k.where, k.read<T>("the input", in, n), k.written<T>("the output", out, n), *k.by);
    });
  });
}

upsweep_status upsweep_argsort_by(const upsweep_context* context, const upsweep_expression* expression,
                                  upsweep_type type, const void* keys, uint64_t n, uint64_t* order) {
  return guarded([&] {
    const call_by k("argsort", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      argsort(k.where, k.read<T>("the keys", keys, n), k.written<std::uint64_t>("the order", order, n), *k.by);
    });
  });
}
