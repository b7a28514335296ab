// Makes the catalog entry of a textbook variant: the types it is compiled for, and the call of its run() for a
// problem.
#pragma once

#include "upsweep/cuda/textbook_definitions.cuh"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::textbook {

// A textbook variant is for reading. It is compiled only for the types that teach something: sums, where the order
// shows in the last bits of a float and not in an integer; the maximum, whose identity is not 0; and composed maps,
// which do not commute. The library's tuned variants take the rest.
constexpr bool textbook_takes(op_kind op, dtype type) {
  switch (op) {
    case op_kind::plus: return type == dtype::i32 || type == dtype::u32 || type == dtype::f32 || type == dtype::f64;
    case op_kind::maximum: return type == dtype::f32;
    case op_kind::compose_affine: return type == dtype::u64;
    default: return false;
  }
}

// Calls f(type, operator) if a textbook variant takes them. Sums of signed integers run as unsigned ones, which are
// equal modulo 2^bits.
template <bool keeps_order, class F>
void with_textbook_types(dtype type, op_kind op, F f) {
  with_type(type, [&]<class T>(type_tag<T> t) {
    with_op(op, [&]<class Op>(Op o) {
      if constexpr (textbook_takes(Op::kind, dtype_of<T>) && (keeps_order || commutes(Op::kind))) {
        if constexpr (std::is_integral_v<T>) {
          f(type_tag<std::make_unsigned_t<T>>{}, o);
        } else {
          f(t, o);
        }
      }
    });
  });
}

template <class P>
bool has_init(const P& p) {
  const scalar identity = identity_scalar(p.op, p.type);
  return std::memcmp(p.init.bytes, identity.bytes, size_of(p.type)) != 0;
}

template <class Variant>
void run_reduce(device& d, const detail::reduce_impl::problem& p) {
  stream_grid grid(upsweep::cuda::of(d));
  with_textbook_types<Variant::keeps_order>(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    if (p.n == 0) return grid.launch(store_init<T>, 1, 1, p.out.as<T>(), p.init.as<T>());
    Variant::template run<T, Op>(grid, p.in.as<T>(), p.out.as<T>(), p.n, op);
    if (has_init(p)) grid.launch(fold_init<T, Op>, 1, 1, p.out.as<T>(), 1, p.init.as<T>(), op);
  });
}

template <class Variant>
void run_scan(device& d, const detail::scan_impl::problem& p) {
  if (p.n == 0) return;
  stream_grid grid(upsweep::cuda::of(d));
  with_textbook_types<Variant::keeps_order>(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    Variant::template run<T, Op>(grid, p.in.as<T>(), p.out.as<T>(), p.n, op, p.inclusive);
    if (has_init(p)) grid.launch(fold_init<T, Op>, blocks_for(p.n, 256), 256, p.out.as<T>(), p.n, p.init.as<T>(), op);
  });
}

template <class Variant>
void run_vector_add(device& d, const detail::vector_add_impl::problem& p) {
  if (p.n == 0) return;
  stream_grid grid(upsweep::cuda::of(d));
  const auto add = [&]<class T>(type_tag<T>) {
    Variant::template run<T, plus>(grid, p.in.as<T>(), p.in2.as<T>(), p.out.as<T>(), p.n, plus{});
  };
  with_type(p.type, [&]<class T>(type_tag<T> t) {
    if constexpr (std::is_integral_v<T>) {
      add(type_tag<std::make_unsigned_t<T>>{});
    } else {
      add(t);
    }
  });
}

// The limits common to all textbook variants, those from the order of operands, and those of the variant's header.
template <class Variant>
std::string textbook_limits() {
  std::string limits = "a textbook variant: plus on i32, u32, f32 and f64, maximum on f32";
  limits += Variant::keeps_order ? ", compose_affine on u64; no fused transform"
                                 : "; no fused transform; it reorders its operands";
  if (!Variant::limits.empty()) limits += "; " + std::string(Variant::limits);
  return limits;
}

// A textbook variant of a primitive without a fold states its own limits.
template <class Variant, class P>
variant_of<P> textbook_entry_for(decltype(P::what) what, void (*run)(device&, const P&)) {
  variant_of<P> v;
  v.name = Variant::name;
  v.where = backend::cuda;
  v.what = what;
  v.kind = variant_kind::textbook;
  v.year = Variant::year;
  v.source = Variant::source;
  v.teaches = Variant::teaches;
  v.work = Variant::work;
  v.span = Variant::span;
  v.launches = Variant::launches;
  v.traffic = Variant::traffic;
  v.max_n = Variant::max_n;
  v.limits = Variant::limits;
  if constexpr (requires { Variant::cannot; }) v.cannot = Variant::cannot;
  v.run = run;
  return v;
}

template <class Variant, class P>
variant_of<P> textbook_entry(decltype(P::what) what, void (*run)(device&, const P&)) {
  variant_of<P> v = textbook_entry_for<Variant>(what, run);
  v.transforms = false;
  v.needs_commutative = !Variant::keeps_order;
  v.takes = textbook_takes;
  static const std::string limits = textbook_limits<Variant>();
  v.limits = limits;
  return v;
}

}  // namespace upsweep::textbook
