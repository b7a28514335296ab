// What the calls with an expression share: the expression, and elements of the types that it takes.
#pragma once

#include "c/call.hpp"
#include "upsweep/expression.hpp"

struct upsweep_expression {
  upsweep::expression<> source;
};

namespace upsweep::c {

// A call with an expression: what all of them are given first, and refused for.
struct call_by : call {
  call_by(const char* its_name, const upsweep_context* c, const upsweep_expression* e) : call(its_name, c) {
    c::require_given(name, "the expression", e);
    by = &e->source;
  }
  const expression<>* by;

  // f of the type that `t` names.
  template <class F>
  void with_elements(int t, F f) const {
    const dtype given = type(t);
    with_any_type(given, [&]<class T>(type_tag<T> tag) {
      if constexpr (core::is_calculated<T> && sizeof(T) >= 4)
        f(tag);
      else
        throw error(fault::unsupported, name, "an expression of elements of " + std::string(name_of(given)),
                    "give i32, u32, i64, u64, f32 or f64");
    });
  }
  template <class T>
  device_span<const T> read(const char* what, const void* pointer, std::uint64_t n) const {
    return {in(what, pointer, n, sizeof(T)).where(), n};
  }
  template <class T>
  device_span<T> written(const char* what, void* pointer, std::uint64_t n) const {
    return {out(what, pointer, n, sizeof(T)).where(), n};
  }
  template <class T>
  expression<T> with_identity(const void* host_identity) const {
    return {by->source, element("the identity", host_identity, sizeof(T)).template as<T>()};
  }
};

}  // namespace upsweep::c
