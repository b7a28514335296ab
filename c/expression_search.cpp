// Searches by tests and comparators that are texts.
#include "c/expression.hpp"
#include "upsweep/search.hpp"

using namespace upsweep;
using c::call_by;
using c::guarded;

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
