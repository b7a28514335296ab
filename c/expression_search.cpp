// Searches by tests and comparators given as expressions.
#include "c/expression.hpp"
#include "upsweep/search.hpp"

using namespace upsweep;
using c::call_by;
using c::guarded;
using detail::search_impl::primitive;
using detail::search_impl::seek;

upsweep_status upsweep_count_if_by(const upsweep_context* context, const upsweep_expression* expression,
                                   upsweep_type type, const void* in, uint64_t n, uint64_t* answer) {
  return guarded([&] {
    const call_by k("count_if", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      count_if(k.where, k.read<T>("the input", in, n), k.written<std::uint64_t>("the answer", answer, 1), *k.by);
    });
  });
}

upsweep_status upsweep_find_if_by(const upsweep_context* context, const upsweep_expression* expression,
                                  upsweep_type type, const void* in, uint64_t n, uint64_t* answer) {
  return guarded([&] {
    const call_by k("find_if", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      find_if(k.where, k.read<T>("the input", in, n), k.written<std::uint64_t>("the answer", answer, 1), *k.by);
    });
  });
}

upsweep_status upsweep_argmin_by(const upsweep_context* context, const upsweep_expression* expression,
                                 upsweep_type type, const void* in, uint64_t n, uint64_t* answer) {
  return guarded([&] {
    const call_by k("argmin", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      argmin(k.where, k.read<T>("the input", in, n), k.written<std::uint64_t>("the answer", answer, 1), *k.by);
    });
  });
}

upsweep_status upsweep_argmax_by(const upsweep_context* context, const upsweep_expression* expression,
                                 upsweep_type type, const void* in, uint64_t n, uint64_t* answer) {
  return guarded([&] {
    const call_by k("argmax", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      argmax(k.where, k.read<T>("the input", in, n), k.written<std::uint64_t>("the answer", answer, 1), *k.by);
    });
  });
}

upsweep_status upsweep_adjacent_find_by(const upsweep_context* context, const upsweep_expression* expression,
                                        upsweep_type type, const void* in, uint64_t n, uint64_t* answer) {
  return guarded([&] {
    const call_by k("adjacent_find", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      using X = device_span<const T>;
      detail::search_impl::ask_on_device<this_compiler, primitive::find_if>(
          k.where, detail::search_impl::comparing<seek::adjacent, X>(k.name, *k.by),
          k.written<std::uint64_t>("the answer", answer, 1), k.read<T>("the input", in, n));
    });
  });
}

upsweep_status upsweep_find_first_of_by(const upsweep_context* context, const upsweep_expression* expression,
                                        upsweep_type type, const void* in, uint64_t n, const void* set, uint64_t m,
                                        uint64_t* answer) {
  return guarded([&] {
    const call_by k("find_first_of", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      using X = device_span<const T>;
      detail::search_impl::ask_on_device<this_compiler, primitive::find_if>(
          k.where, detail::search_impl::comparing<seek::one_of, X>(k.name, *k.by),
          k.written<std::uint64_t>("the answer", answer, 1), k.read<T>("the input", in, n),
          k.read<T>("the second input", set, m));
    });
  });
}

upsweep_status upsweep_search_by(const upsweep_context* context, const upsweep_expression* expression,
                                 upsweep_type type, const void* in, uint64_t n, const void* pattern, uint64_t m,
                                 uint64_t* answer) {
  return guarded([&] {
    const call_by k("search", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      using X = device_span<const T>;
      detail::search_impl::ask_on_device<this_compiler, primitive::find_if>(
          k.where, detail::search_impl::comparing<seek::beginning, X>(k.name, *k.by),
          k.written<std::uint64_t>("the answer", answer, 1), k.read<T>("the input", in, n),
          k.read<T>("the second input", pattern, m));
    });
  });
}

upsweep_status upsweep_mismatch_by(const upsweep_context* context, const upsweep_expression* expression,
                                   upsweep_type type, const void* a, const void* b, uint64_t n, uint64_t* answer) {
  return guarded([&] {
    const call_by k("mismatch", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      mismatch(k.where, k.read<T>("the input", a, n), k.read<T>("the second input", b, n),
               k.written<std::uint64_t>("the answer", answer, 1), *k.by);
    });
  });
}

upsweep_status upsweep_binary_search_by(const upsweep_context* context, const upsweep_expression* expression,
                                        upsweep_type type, const void* sorted, uint64_t m, const void* values,
                                        uint64_t n, uint8_t* answers) {
  return guarded([&] {
    const call_by k("binary_search", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      binary_search(k.where, k.read<T>("the sorted elements", sorted, m), k.read<T>("the values", values, n),
                    k.written<std::uint8_t>("the answers", answers, n), *k.by);
    });
  });
}

upsweep_status upsweep_lower_bound_by(const upsweep_context* context, const upsweep_expression* expression,
                                      upsweep_type type, const void* sorted, uint64_t m, const void* values, uint64_t n,
                                      uint64_t* answers) {
  return guarded([&] {
    const call_by k("lower_bound", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      lower_bound(k.where, k.read<T>("the sorted elements", sorted, m), k.read<T>("the values", values, n),
                  k.written<std::uint64_t>("the answers", answers, n), *k.by);
    });
  });
}

upsweep_status upsweep_upper_bound_by(const upsweep_context* context, const upsweep_expression* expression,
                                      upsweep_type type, const void* sorted, uint64_t m, const void* values, uint64_t n,
                                      uint64_t* answers) {
  return guarded([&] {
    const call_by k("upper_bound", context, expression);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      upper_bound(k.where, k.read<T>("the sorted elements", sorted, m), k.read<T>("the values", values, n),
                  k.written<std::uint64_t>("the answers", answers, n), *k.by);
    });
  });
}
