// Folds by key, sets and sorts of keys with values, by operators, equalities and comparators given as expressions.
#include "c/expression.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/sets.hpp"
#include "upsweep/sort.hpp"

using namespace upsweep;
using c::call_by;
using c::guarded;

namespace {

// Whether keys are equal: by the given expression, else by ==.
struct key_equality {
  const expression<>* given;
  std::string source = given ? given->source : "a == b";

  template <class K>
  bool operator()(const K& a, const K& b) const {
    if constexpr (core::is_calculated<K>)
      if (given) return static_cast<bool>((*given)(a, b));
    return a == b;
  }
};

// f of the keys' type and of what compares them.
template <class F>
void with_keys(const call_by& k, int key_type, const upsweep_expression* equality, F f) {
  const dtype given = k.type(key_type);
  with_any_type(given, [&]<class K>(type_tag<K> tag) {
    if constexpr (core::is_calculated<K>) {
      f(tag, key_equality{equality ? &equality->source : nullptr});
    } else {
      if (equality)
        throw error(fault::unsupported, k.name, "an expression as equality of keys of " + std::string(name_of(given)),
                    "give keys of integers, f32 or f64");
      f(tag, core::equals{});
    }
  });
}

// f of a type of that many bytes: values only move.
template <class F>
void with_values(const call_by& k, std::uint32_t value_bytes, F f) {
  switch (value_bytes) {
    case 1: return f(type_tag<std::uint8_t>{});
    case 2: return f(type_tag<std::uint16_t>{});
    case 4: return f(type_tag<std::uint32_t>{});
    case 8: return f(type_tag<std::uint64_t>{});
    default:
      throw error(fault::unsupported, k.name, "values of " + std::to_string(value_bytes) + " bytes with an expression",
                  "give values of 1, 2, 4 or 8 bytes");
  }
}

}  // namespace

upsweep_status upsweep_reduce_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                        const upsweep_expression* equality, upsweep_type key_type, const void* keys,
                                        upsweep_type type, const void* in, uint64_t n, const void* host_identity,
                                        void* keys_out, void* out, uint64_t* count) {
  return guarded([&] {
    const call_by k("reduce_by_key", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      with_keys(k, key_type, equality, [&]<class K>(type_tag<K>, const auto& same) {
        reduce_by_key(k.where, k.read<K>("the keys", keys, n), k.read<T>("the values", in, n),
                      k.written<K>("the keys' output", keys_out, n), k.written<T>("the values' output", out, n),
                      k.written<std::uint64_t>("the count", count, 1), k.with_identity<T>(host_identity), identity{},
                      same);
      });
    });
  });
}

upsweep_status upsweep_scan_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                      const upsweep_expression* equality, upsweep_type key_type, const void* keys,
                                      upsweep_type type, const void* in, uint64_t n, int inclusive,
                                      const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k("scan_by_key", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      with_keys(k, key_type, equality, [&]<class K>(type_tag<K>, const auto& same) {
        const auto by = k.read<K>("the keys", keys, n);
        const auto from = k.read<T>("the values", in, n);
        const auto to = k.written<T>("the output", out, n);
        const auto op = k.with_identity<T>(host_identity);
        if (inclusive)
          inclusive_scan_by_key(k.where, by, from, to, op.identity(), op, same);
        else
          exclusive_scan_by_key(k.where, by, from, to, op.identity(), op, same);
      });
    });
  });
}

upsweep_status upsweep_set_operation_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                               upsweep_set what, upsweep_type type, const void* keys,
                                               const void* values, uint64_t n, const void* keys2, const void* values2,
                                               uint64_t m, uint32_t value_bytes, void* keys_out, void* values_out,
                                               uint64_t* count) {
  return guarded([&] {
    using detail::sets_impl::primitive;
    const auto operation = c::chosen<primitive>("set_operation", "the operation", what, 5);
    const call_by k(detail::sets_impl::call_of(operation, true), context, expression);
    if (n + m < n) throw error(fault::bad_argument, k.name, "both have more keys than 64 bits count", "give fewer");
    const std::uint64_t capacity = detail::sets_impl::most_kept(operation, n, m);
    k.with_elements(type, [&]<class K>(type_tag<K>) {
      with_values(k, value_bytes, [&]<class V>(type_tag<V>) {
        const auto a = k.read<K>("the first keys", keys, n), b = k.read<K>("the second keys", keys2, m);
        const auto with_a = k.read<V>("the first values", values, n);
        const auto keep = [&](const auto& with_b) {
          detail::sets_impl::enqueue_set_operation<this_compiler>(
              k.where, operation,
              detail::sets_impl::task_of<V>(
                  a, with_a, b, with_b, core::operand<K>(k.written<K>("the output", keys_out, capacity)),
                  core::operand<V>(k.written<V>("the values' output", values_out, capacity)),
                  core::operand<std::uint64_t>(k.written<std::uint64_t>("the count", count, 1))),
              *k.by);
        };
        if (detail::sets_impl::keeps_of_second(operation))
          keep(k.read<V>("the second values", values2, m));
        else
          keep(detail::sets_impl::without_values());
      });
    });
  });
}

upsweep_status upsweep_sort_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                      upsweep_type type, const void* keys, const void* values, uint32_t value_bytes,
                                      uint64_t n, void* keys_out, void* values_out) {
  return guarded([&] {
    const call_by k("sort_by_key", context, expression);
    k.with_elements(type, [&]<class K>(type_tag<K>) {
      with_values(k, value_bytes, [&]<class V>(type_tag<V>) {
        sort_by_key(k.where, k.read<K>("the keys", keys, n), k.read<V>("the values", values, n),
                    k.written<K>("the keys' output", keys_out, n), k.written<V>("the values' output", values_out, n),
                    *k.by);
      });
    });
  });
}
