#include "cli/fold/calls.hpp"

#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"

using namespace upsweep;

namespace {

// Calls f with a tag of the elements' type and with the operator.
template <class F>
scalar with_form(const fold_form& form, F f) {
  return with_type(form.type, [&]<class T>(type_tag<T> tag) {
    return with_op(form.op, [&]<class Op>(Op op) {
      if constexpr (accepts(Op::kind, dtype_of<T>)) return f(tag, op);
      return scalar{};
    });
  });
}

}  // namespace

void require_variant_for(const context& where, const fold_form& form, std::uint64_t n) {
  with_form(form, [&]<class T, class Op>(type_tag<T>, Op op) {
    const any_transform f{form.transform};
    switch (form.what) {
      case fold_form::call::reduce: require_reduce<T>(where, n, op, f); break;
      case fold_form::call::inclusive_scan: require_scan<true, T>(where, n, op, f); break;
      case fold_form::call::exclusive_scan: require_scan<false, T>(where, n, op, f); break;
    }
    return scalar{};
  });
}

scalar reduce_elements(const context& where, const fold_form& form, memory elements, std::uint64_t n, scalar init) {
  return with_form(form, [&]<class T, class Op>(type_tag<T>, Op op) {
    const device_span<const T> in(elements, n);
    return scalar::of(transform_reduce(where, in, init.as<T>(), op, any_transform{form.transform}));
  });
}

void scan_elements(const context& where, const fold_form& form, memory elements, std::uint64_t n, scalar init) {
  with_form(form, [&]<class T, class Op>(type_tag<T>, Op op) {
    const device_span<T> both(elements, n);
    const any_transform f{form.transform};
    if (form.what == fold_form::call::inclusive_scan)
      transform_inclusive_scan(where, both, both, op, f, init.as<T>());
    else
      transform_exclusive_scan(where, both, both, init.as<T>(), op, f);
    return scalar{};
  });
}

scalar init_after(const fold_form& form, scalar last_in, scalar last_out) {
  if (form.what == fold_form::call::inclusive_scan) return last_out;
  return with_form(form, [&]<class T, class Op>(type_tag<T>, Op op) {
    return scalar::of<T>(op(last_out.as<T>(), to_accumulator(op, any_transform{form.transform}(last_in.as<T>()))));
  });
}
