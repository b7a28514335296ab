// Calls on as many elements as a count in the context's memory says. On the CPU it is read, and the call made on those.
#include "upsweep/device_counted.hpp"

#include <optional>

#include "c/call.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::operand;
using core::require_no_overlap;

namespace {

// How many there are, where that is known now: on the CPU. What is null is for the call on a device to refuse.
std::optional<std::uint64_t> held_now(const upsweep_context* c, const std::uint64_t* count, std::uint64_t n) {
  if (!c || !count || c->where.kind() != backend::cpu) return std::nullopt;
  return std::min(*count, n);
}

// f of a word for elements that only move.
template <class F>
void with_word(const call& k, std::uint64_t bytes, F f) {
  switch (c::bitwise_type(k.name, static_cast<std::uint32_t>(bytes))) {
    case dtype::u8: return f(std::uint8_t{});
    case dtype::u16: return f(std::uint16_t{});
    case dtype::u32: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

template <class T>
device_span<const T> read(const call& k, const char* what, const void* pointer, std::uint64_t n) {
  return {k.in(what, pointer, n, sizeof(T)).where(), n};
}
template <class T>
device_span<T> written(const call& k, const char* what, void* pointer, std::uint64_t n) {
  return {k.out(what, pointer, n, sizeof(T)).where(), n};
}
template <class T>
device_counted_span<const T> device_counted(const call& k, const char* what, const void* pointer, std::uint64_t n,
                                            const std::uint64_t* count) {
  return {read<T>(k, what, pointer, n), k.numbers("the count of elements", count, 1)};
}

template <class P>
scalar identity_of(const P& p) {
  return accepts(p.op, p.type) ? identity_scalar(p.op, p.type) : scalar{};
}

}  // namespace

upsweep_status upsweep_device_counted_pad(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                          uint64_t n, const uint64_t* count, const void* host_value, void* out) {
  return guarded([&] {
    const call k("pad", context);
    with_word(k, element_bytes, [&]<class T>(T) {
      const auto some = device_counted<T>(k, "the input", in, n, count);
      const auto to = written<T>(k, "the output", out, n);
      const T value = k.element("the value", host_value, sizeof(T)).template as<T>();
      require_no_overlap(k.name, k.where,
                         {{"the input", operand<const T>(some.span())},
                          {"the output", operand<T>(to)},
                          {"the count of elements", some.count()}});
      if (k.where.kind() == backend::cpu) {
        std::copy_n(some.span().data(), some.held(), to.data());
        std::fill_n(to.data() + some.held(), n - some.held(), value);
        return;
      }
      auto pad = detail::device_counted_impl::step_on<T>(detail::device_counted_impl::step_kind::pad,
                                                         some.span().where(), to.where(), n, some.count().where());
      std::memcpy(pad.value, &value, sizeof value);
      detail::device_counted_impl::run(k.where.device(), pad);
    });
  });
}

upsweep_status upsweep_device_counted_reduce(const upsweep_context* context, upsweep_type type, const void* in,
                                             uint64_t n, const uint64_t* count, upsweep_operator op,
                                             const void* host_init, void* out) {
  if (const auto held = held_now(context, count, n))
    return upsweep_reduce(context, type, in, *held, op, UPSWEEP_IDENTITY, host_init, out);
  return guarded([&] {
    const call k("reduce", context);
    detail::reduce_impl::problem p;
    k.fold(p, type, op, UPSWEEP_IDENTITY, host_init);
    with_word(k, size_of(p.type), [&]<class T>(T) {
      const auto some = device_counted<T>(k, "the input", in, n, count);
      const auto to = k.out("the output", p.type, out, 1);
      require_no_overlap(k.name, k.where, {{"the input", operand<const T>(some.span())}, {"the output", to}});
      p.in =
          detail::device_counted_impl::padded(k.where, "device_counted/reduced", some, identity_of(p).template as<T>())
              .where();
      p.out = to.where(), p.n = n;
      detail::reduce_impl::run(k.where, p);
    });
  });
}

upsweep_status upsweep_device_counted_scan(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, const uint64_t* count, int inclusive, upsweep_operator op,
                                           const void* host_init, void* out) {
  if (const auto held = held_now(context, count, n))
    return upsweep_scan(context, type, in, *held, inclusive, op, UPSWEEP_IDENTITY, host_init, out);
  return guarded([&] {
    const call k("scan", context);
    detail::scan_impl::problem p;
    k.fold(p, type, op, UPSWEEP_IDENTITY, host_init);
    p.n = n, p.inclusive = inclusive;
    with_word(k, size_of(p.type), [&]<class T>(T) {
      detail::device_counted_impl::scanned(k.where, device_counted<T>(k, "the input", in, n, count),
                                           operand<T>(written<T>(k, "the output", out, n)), [&](auto x, auto y) {
                                             p.in = x.where(), p.out = y.where();
                                             detail::scan_impl::run(k.where, p);
                                           });
    });
  });
}

upsweep_status upsweep_device_counted_reduce_by_key(const upsweep_context* context, upsweep_type key_type,
                                                    const void* keys, upsweep_type type, const void* in, uint64_t n,
                                                    const uint64_t* count, upsweep_operator op, void* keys_out,
                                                    void* out, uint64_t* runs) {
  if (const auto held = held_now(context, count, n))
    return upsweep_reduce_by_key(context, key_type, keys, type, in, *held, op, UPSWEEP_IDENTITY, keys_out, out, runs);
  return guarded([&] {
    const call k("reduce_by_key", context);
    detail::segmented_impl::problem p;
    k.fold(p, type, op, UPSWEEP_IDENTITY, nullptr);
    p.key_type = k.type(key_type), p.n = n;
    with_word(k, size_of(p.key_type), [&]<class K>(K) {
      with_word(k, size_of(p.type), [&]<class V>(V) {
        const auto some = device_counted<K>(k, "the keys", keys, n, count);
        const operand<const V> from = read<V>(k, "the values", in, n);
        const operand<K> firsts = written<K>(k, "the keys' output", keys_out, n);
        const operand<V> folds = written<V>(k, "the values' output", out, n);
        const auto number = written<std::uint64_t>(k, "the count", runs, 1);
        require_no_overlap(k.name, k.where,
                           {{"the keys", operand<const K>(some.span())},
                            {"the values", from},
                            {"the keys' output", firsts},
                            {"the values' output", folds},
                            {"the count", operand<std::uint64_t>(number)}});
        detail::device_counted_impl::folded_by_key(k.where, some, from, firsts, folds, number,
                                                   identity_of(p).template as<V>(),
                                                   [&](auto by, auto x, auto by_out, auto y, auto m) {
                                                     p.in = x.where(), p.in2 = by.where(), p.out = y.where();
                                                     p.out2 = by_out.where(), p.count = m.where();
                                                     detail::segmented_impl::run(k.where, p);
                                                   });
      });
    });
  });
}

upsweep_status upsweep_device_counted_sort(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, const uint64_t* count, int descending, void* out) {
  if (const auto held = held_now(context, count, n)) return upsweep_sort(context, type, in, *held, descending, out);
  return guarded([&] {
    const call k("sort", context);
    with_any_type(k.type(type), [&]<class T>(type_tag<T>) {
      sort(k.where, device_counted<T>(k, "the keys", in, n, count), written<T>(k, "the keys' output", out, n),
           sort_options{.descending = descending != 0});
    });
  });
}

upsweep_status upsweep_device_counted_sort_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                                  const void* values, uint32_t value_bytes, uint64_t n,
                                                  const uint64_t* count, int descending, void* keys_out,
                                                  void* values_out) {
  if (const auto held = held_now(context, count, n))
    return upsweep_sort_by_key(context, type, keys, values, value_bytes, *held, descending, keys_out, values_out);
  return guarded([&] {
    const call k("sort_by_key", context);
    with_any_type(k.type(type), [&]<class K>(type_tag<K>) {
      with_word(k, value_bytes, [&]<class V>(V) {
        const auto some = device_counted<K>(k, "the keys", keys, n, count);
        const operand<const V> with = read<V>(k, "the values", values, n);
        const operand<K> to = written<K>(k, "the keys' output", keys_out, n);
        const operand<V> with_to = written<V>(k, "the values' output", values_out, n);
        require_no_overlap(k.name, k.where,
                           {{"the keys", operand<const K>(some.span())},
                            {"the keys' output", to},
                            {"the values", with},
                            {"the values' output", with_to},
                            {"the count of elements", some.count()}},
                           2);
        detail::device_counted_impl::sorted_by_key(k.where, some, with, to, with_to,
                                                   sort_options{.descending = descending != 0});
      });
    });
  });
}

upsweep_status upsweep_device_counted_copy_if(const upsweep_context* context, upsweep_type type, const void* in,
                                              uint64_t n, const uint64_t* count, upsweep_comparison test,
                                              const void* host_threshold, void* out, uint64_t* count_out) {
  if (const auto held = held_now(context, count, n))
    return upsweep_copy_if(context, type, in, *held, test, host_threshold, out, count_out);
  return guarded([&] {
    const call k("copy_if", context);
    with_any_type(k.type(type), [&]<class T>(type_tag<T>) {
      const compared<T> passes{k.test(test), k.element("the threshold", host_threshold, sizeof(T)).template as<T>()};
      copy_if(k.where, device_counted<T>(k, "the input", in, n, count), written<T>(k, "the output", out, n),
              written<std::uint64_t>(k, "the count", count_out, 1), passes);
    });
  });
}

upsweep_status upsweep_device_counted_select_flagged(const upsweep_context* context, const void* in,
                                                     uint32_t element_bytes, const uint8_t* flags, uint64_t n,
                                                     const uint64_t* count, void* out, uint64_t* count_out) {
  if (const auto held = held_now(context, count, n))
    return upsweep_select_flagged(context, in, element_bytes, flags, *held, out, count_out);
  return guarded([&] {
    const call k("select_flagged", context);
    with_word(k, element_bytes, [&]<class T>(T) {
      select_flagged(k.where, device_counted<T>(k, "the input", in, n, count),
                     read<std::uint8_t>(k, "the flags", flags, n), written<T>(k, "the output", out, n),
                     written<std::uint64_t>(k, "the count", count_out, 1));
    });
  });
}

upsweep_status upsweep_device_counted_unique(const upsweep_context* context, upsweep_type type, const void* in,
                                             uint64_t n, const uint64_t* count, void* out, uint64_t* count_out) {
  if (const auto held = held_now(context, count, n)) return upsweep_unique(context, type, in, *held, out, count_out);
  return guarded([&] {
    const call k("unique", context);
    with_any_type(k.type(type), [&]<class T>(type_tag<T>) {
      unique(k.where, device_counted<T>(k, "the input", in, n, count), written<T>(k, "the output", out, n),
             written<std::uint64_t>(k, "the count", count_out, 1));
    });
  });
}

upsweep_status upsweep_device_counted_histogram(const upsweep_context* context, upsweep_type type, const void* samples,
                                                uint64_t n, const uint64_t* count, const void* host_lower,
                                                const void* host_upper, uint64_t bins, uint64_t* counts) {
  if (const auto held = held_now(context, count, n))
    return upsweep_histogram(context, type, samples, *held, host_lower, host_upper, bins, 1, counts);
  return guarded([&] {
    const call k("histogram", context);
    with_any_type(k.type(type), [&]<class T>(type_tag<T>) {
      using bound = bin_bound<T>;
      const auto lower = k.element("the lower bound", host_lower, sizeof(bound));
      const auto upper = k.element("the upper bound", host_upper, sizeof(bound));
      histogram(k.where, device_counted<T>(k, "the samples", samples, n, count),
                written<std::uint64_t>(k, "the output", counts, bins), lower.template as<bound>(),
                upper.template as<bound>());
    });
  });
}
