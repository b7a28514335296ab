// Folds and orders along an axis by operators and comparators given as expressions.
#include "c/along.hpp"
#include "c/expression.hpp"
#include "upsweep/axis.hpp"

using namespace upsweep;
using c::call_by;
using c::guarded;

namespace {

// Which lines they are, once they are looked through, and how many elements they have.
struct along {
  along(const call_by& k, const std::uint64_t* host_shape, int axes, int axis)
      : l(c::lines_of(k, host_shape, axes, axis)),
        which(shape(std::span(host_shape, static_cast<std::size_t>(axes))), axis) {}
  detail::axis_impl::lines l;
  lines_along which;
};

}  // namespace

upsweep_status upsweep_reduce_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                       upsweep_type type, const void* in, const uint64_t* host_shape, int axes,
                                       int axis, const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k("reduce_along", context, expression);
    const along a(k, host_shape, axes, axis);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      reduce_along(k.where, k.read<T>("the input", in, a.l.elements()), a.which,
                   k.written<T>("the output", out, a.l.count()), k.with_identity<T>(host_identity));
    });
  });
}

upsweep_status upsweep_scan_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                     upsweep_type type, const void* in, const uint64_t* host_shape, int axes, int axis,
                                     int inclusive, const void* host_identity, void* out) {
  return guarded([&] {
    const call_by k(inclusive ? "inclusive_scan_along" : "exclusive_scan_along", context, expression);
    const along a(k, host_shape, axes, axis);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      const auto from = k.read<T>("the input", in, a.l.elements());
      const auto to = k.written<T>("the output", out, a.l.elements());
      const auto op = k.with_identity<T>(host_identity);
      if (inclusive)
        inclusive_scan_along(k.where, from, a.which, to, op);
      else
        exclusive_scan_along(k.where, from, a.which, to, op);
    });
  });
}

upsweep_status upsweep_sort_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                     upsweep_type type, const void* in, const uint64_t* host_shape, int axes, int axis,
                                     void* out) {
  return guarded([&] {
    const call_by k("sort_along", context, expression);
    const along a(k, host_shape, axes, axis);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      sort_along(k.where, k.read<T>("the input", in, a.l.elements()), a.which,
                 k.written<T>("the output", out, a.l.elements()), *k.by);
    });
  });
}

upsweep_status upsweep_argsort_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                        upsweep_type type, const void* keys, const uint64_t* host_shape, int axes,
                                        int axis, uint64_t* indices) {
  return guarded([&] {
    const call_by k("argsort_along", context, expression);
    const along a(k, host_shape, axes, axis);
    k.with_elements(type, [&]<class T>(type_tag<T>) {
      argsort_along(k.where, k.read<T>("the keys", keys, a.l.elements()), a.which,
                    k.written<std::uint64_t>("the indices", indices, a.l.elements()), *k.by);
    });
  });
}
