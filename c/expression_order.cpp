// Sorted sequences, ranks and neighbours by comparators and equalities given as expressions.
#include "c/expression.hpp"
#include "upsweep/compact.hpp"
#include "upsweep/sets.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

using namespace upsweep;
using c::call_by;
using c::guarded;

upsweep_status upsweep_set_operation_by(const upsweep_context* context, const upsweep_expression* expression,
                                        upsweep_set what, upsweep_type type, const void* keys, uint64_t n,
                                        const void* keys2, uint64_t m, void* keys_out, uint64_t* count) {
  return guarded([&] {
    using detail::sets_impl::primitive;
    constexpr const char* names[]{"merge", "set_union", "set_intersection", "set_difference",
                                  "set_symmetric_difference"};
    const auto operation = c::chosen<primitive>("set_operation", "the operation", what, 5);
    const call_by k(names[what], context, expression);
    if (n + m < n) throw error(fault::bad_argument, k.name, "both have more keys than 64 bits count", "give fewer");
    const std::uint64_t capacity = detail::sets_impl::most_kept(operation, n, m);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto a = k.read<T>("the first keys", keys, n), b = k.read<T>("the second keys", keys2, m);
      const auto to = k.written<T>("the output", keys_out, capacity);
      const auto kept = k.written<std::uint64_t>("the count", count, 1);
      switch (operation) {
        case primitive::set_union: return set_union(k.where, a, b, to, kept, *k.by);
        case primitive::set_intersection: return set_intersection(k.where, a, b, to, kept, *k.by);
        case primitive::set_difference: return set_difference(k.where, a, b, to, kept, *k.by);
        case primitive::set_symmetric_difference: return set_symmetric_difference(k.where, a, b, to, kept, *k.by);
        default:
          core::require_no_overlap(k.name, k.where,
                                   {{"the first keys", core::operand<const T>(a)},
                                    {"the second keys", core::operand<const T>(b)},
                                    {"the output", core::operand<T>(to)},
                                    {"the count", core::operand<std::uint64_t>(kept)}});
          merge(k.where, a, b, to, *k.by);
          fill(k.where, kept, n + m);
      }
    });
  });
}

upsweep_status upsweep_is_sorted_until_by(const upsweep_context* context, const upsweep_expression* expression,
                                          upsweep_type type, const void* in, uint64_t n, uint64_t* until) {
  return guarded([&] {
    const call_by k("is_sorted_until", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto answer = k.written<std::uint64_t>("the answer", until, 1);
      fill(k.where, answer, is_sorted_until(k.where, k.read<T>("the input", in, n), *k.by));
    });
  });
}

upsweep_status upsweep_top_k_by(const upsweep_context* context, const upsweep_expression* expression, upsweep_type type,
                                const void* in, uint64_t n, uint64_t count, void* out, uint64_t* indices) {
  return guarded([&] {
    const call_by k("top_k", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      top_k(k.where, k.read<T>("the keys", in, n), k.written<T>("the keys' output", out, count),
            k.written<std::uint64_t>("the indices", indices, count), *k.by);
    });
  });
}

upsweep_status upsweep_nth_element_by(const upsweep_context* context, const upsweep_expression* expression,
                                      upsweep_type type, const void* in, uint64_t n, uint64_t rank, void* host_key) {
  return guarded([&] {
    const call_by k("nth_element", context, expression);
    c::require_given(k.name, "the place for the key", host_key);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const T key = nth_element(k.where, k.read<T>("the keys", in, n), rank, *k.by);
      std::memcpy(host_key, &key, sizeof key);
    });
  });
}

upsweep_status upsweep_segmented_sort_by(const upsweep_context* context, const upsweep_expression* expression,
                                         upsweep_type type, const void* keys, uint64_t n, const uint64_t* offsets,
                                         uint64_t segments, void* keys_out) {
  return guarded([&] {
    const call_by k("segmented_sort", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto bounds = k.offsets(offsets, segments);
      segmented_sort(k.where, k.read<T>("the keys", keys, n), k.written<T>("the output", keys_out, n),
                     device_span<const std::uint64_t>(bounds.where(), bounds.size()), *k.by);
    });
  });
}

upsweep_status upsweep_unique_by(const upsweep_context* context, const upsweep_expression* expression,
                                 upsweep_type type, const void* in, uint64_t n, void* out, uint64_t* count) {
  return guarded([&] {
    const call_by k("unique", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      unique(k.where, k.read<T>("the input", in, n), k.written<T>("the output", out, n),
             k.written<std::uint64_t>("the count", count, 1), *k.by);
    });
  });
}

upsweep_status upsweep_run_offsets_by(const upsweep_context* context, const upsweep_expression* expression,
                                      upsweep_type type, const void* in, uint64_t n, uint64_t* offsets,
                                      uint64_t* count) {
  return guarded([&] {
    const call_by k("run_offsets", context, expression);
    if (n == ~std::uint64_t{0})
      throw error(fault::bad_argument, k.name, "there are 2^64 - 1 elements, more than memory can hold", "give fewer");
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      group_by(k.where, k.read<T>("the input", in, n), k.written<std::uint64_t>("the offsets", offsets, n + 1),
               k.written<std::uint64_t>("the count", count, 1), *k.by);
    });
  });
}
