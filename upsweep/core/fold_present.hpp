// Runs a fold by an operator without an identity on present values (optional_value.hpp). This costs a pass that
// converts the input, elements of twice the size, and a pass that stores the results: an identity, where the caller has
// one, is faster.
#pragma once

#include "upsweep/core/lazy_view.hpp"
#include "upsweep/core/optional_value.hpp"
#include "upsweep/views.hpp"

namespace upsweep::core {

// Whether a scan without an init starts from the first element, the operator having no identity.
template <class Op, class T>
inline constexpr bool can_begin_with_an_element =
    !has_identity<Op, T> && std::is_trivially_copyable_v<T> && folds<Op, T>;

inline namespace UPSWEEP_COMPILED {

// Memory for n optional values where the call's other operands are: on the host, or in scratch memory of the device.
template <class T>
class optional_values {
 public:
  using V = optional_value<T>;
  optional_values(const context& where, const char* scratch, std::uint64_t n, bool on_host) {
    if (on_host) {
      here_ = host_array<V>(n);
      all_ = here_.all();
    } else {
      all_ = {where.device().scratch(scratch, std::max<std::uint64_t>(n * sizeof(V), 16)), n, false};
    }
  }
  operand<V> all() const { return all_; }

 private:
  host_array<V> here_;
  operand<V> all_;
};

// to[i] = at(i), on the device that holds `to`.
template <class T, class CompiledBy, class At>
void store_each(const context& where, const char* call, const At& at, operand<T> to) {
  if (to.on_host() || where.kind() == backend::cpu) {
    cpu::for_each_paced_piece(to.size(), 1 << 15, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) to[i] = at(i);
    });
  } else {
    core::store_on_device<T, CompiledBy>(where, call, as_array{at}, identity{}, to);
  }
}

// The present values f(in[i]).
template <class T, class CompiledBy, class F>
void store_present(const context& where, const char* call, operand<const T> in, const F& f,
                   operand<optional_value<T>> to) {
  using In = as_array<from_device<T>>;
  const auto through = [&] {
    if constexpr (std::same_as<F, identity>)
      return f;
    else
      return core::widened<T>(f);
  }();
  core::store_each<optional_value<T>, CompiledBy>(where, call,
                                                  present_function<T, In, std::remove_const_t<decltype(through)>>{
                                                      In{from_device<T>{{in.data()}, in.where()}}, through},
                                                  to);
}

// Calls fold(present values, memory for their folds, operator), and stores those folds in `out` that are present. Other
// elements of `out` do not change.
template <class T, class CompiledBy, class Op, class F, class Fold>
void fold_present(const context& where, const char* call, operand<const T> in, operand<T> out, const Op& op, const F& f,
                  const Fold& fold) {
  using V = optional_value<T>;
  const optional_values<T> made(where, "core/present", in.size(), in.on_host());
  core::store_present<T, CompiledBy>(where, call, in, f, made.all());
  const optional_values<T> folds(where, "core/present folds", out.size(), out.on_host());
  core::store_each<V, CompiledBy>(where, call, repeat_function<V>{V()}, folds.all());
  fold(operand<const V>(made.all()), folds.all(), operator_on_present<Op, T>{op});
  core::store_each<T, CompiledBy>(where, call,
                                  fold_or_kept_function<from_device<V>, from_device<T>>{
                                      {{folds.all().data()}, folds.all().where()}, {{out.data()}, out.where()}},
                                  out);
}

}  // namespace UPSWEEP_COMPILED

}  // namespace upsweep::core
