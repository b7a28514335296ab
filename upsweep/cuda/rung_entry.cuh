// From a rung to its entry in the catalog: the types it is compiled for, and the way from a problem to its run().
#pragma once

#include "upsweep/cuda/rung.cuh"
#include "upsweep/reduce/problem.hpp"
#include "upsweep/scan/problem.hpp"
#include "upsweep/vector_add/problem.hpp"

namespace upsweep::textbook {

// A rung is for reading, and is compiled for what there is to be learnt from: sums, where order shows in the last bits
// of a float and in no integer; the greatest, whose identity is not 0; and maps composed, which do not commute. The
// library's variants take the rest.
constexpr bool rung_takes(op_kind op, dtype type) {
  switch (op) {
    case op_kind::plus: return type == dtype::i32 || type == dtype::u32 || type == dtype::f32 || type == dtype::f64;
    case op_kind::maximum: return type == dtype::f32;
    case op_kind::compose_affine: return type == dtype::u64;
    default: return false;
  }
}

// Calls f(type, operator) where a rung takes them. Sums of signed integers run as unsigned ones, the same modulo
// 2^bits.
template <bool keeps_order, class F>
void with_rung_types(dtype type, op_kind op, F f) {
  with_type(type, [&]<class T>(type_tag<T> t) {
    with_op(op, [&]<class Op>(Op o) {
      if constexpr (rung_takes(Op::kind, dtype_of<T>) && (keeps_order || commutes(Op::kind))) {
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

template <class Rung>
void run_reduce(device& d, const reduce_room::problem& p) {
  stream_grid grid(upsweep::cuda::of(d));
  with_rung_types<Rung::keeps_order>(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    if (p.n == 0) return grid.launch(store_init<T>, 1, 1, p.out.as<T>(), p.init.as<T>());
    Rung::template run<T, Op>(grid, p.in.as<T>(), p.out.as<T>(), p.n, op);
    if (has_init(p)) grid.launch(fold_init<T, Op>, 1, 1, p.out.as<T>(), 1, p.init.as<T>(), op);
  });
}

template <class Rung>
void run_scan(device& d, const scan_room::problem& p) {
  if (p.n == 0) return;
  stream_grid grid(upsweep::cuda::of(d));
  with_rung_types<Rung::keeps_order>(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    Rung::template run<T, Op>(grid, p.in.as<T>(), p.out.as<T>(), p.n, op, p.inclusive);
    if (has_init(p)) grid.launch(fold_init<T, Op>, blocks_for(p.n, 256), 256, p.out.as<T>(), p.n, p.init.as<T>(), op);
  });
}

template <class Rung>
void run_vector_add(device& d, const vector_add_room::problem& p) {
  if (p.n == 0) return;
  stream_grid grid(upsweep::cuda::of(d));
  const auto add = [&]<class T>(type_tag<T>) {
    Rung::template run<T, plus>(grid, p.in.as<T>(), p.in2.as<T>(), p.out.as<T>(), p.n, plus{});
  };
  with_type(p.type, [&]<class T>(type_tag<T> t) {
    if constexpr (std::is_integral_v<T>) {
      add(type_tag<std::make_unsigned_t<T>>{});
    } else {
      add(t);
    }
  });
}

// What every rung leaves out, what its order of operands forbids, and what its own header says.
template <class Rung>
std::string rung_limits() {
  std::string limits = "a rung for reading: plus on i32, u32, f32 and f64, maximum on f32";
  limits += Rung::keeps_order ? ", compose_affine on u64; no fused transform"
                              : "; no fused transform; it reorders its operands";
  if (!Rung::limits.empty()) limits += "; " + std::string(Rung::limits);
  return limits;
}

// A rung of a primitive that folds nothing says itself what it cannot take.
template <class Rung, class P>
variant_of<P> rung_entry_for(decltype(P::what) what, void (*run)(device&, const P&)) {
  variant_of<P> v;
  v.name = Rung::name;
  v.where = backend::cuda;
  v.what = what;
  v.kind = rung::textbook;
  v.year = Rung::year;
  v.source = Rung::source;
  v.teaches = Rung::teaches;
  v.work = Rung::work;
  v.span = Rung::span;
  v.launches = Rung::launches;
  v.traffic = Rung::traffic;
  v.max_n = Rung::max_n;
  v.limits = Rung::limits;
  if constexpr (requires { Rung::cannot; }) v.cannot = Rung::cannot;
  v.run = run;
  return v;
}

template <class Rung, class P>
variant_of<P> rung_entry(decltype(P::what) what, void (*run)(device&, const P&)) {
  variant_of<P> v = rung_entry_for<Rung>(what, run);
  v.transforms = false;
  v.needs_commutative = !Rung::keeps_order;
  v.takes = rung_takes;
  static const std::string limits = rung_limits<Rung>();
  v.limits = limits;
  return v;
}

}  // namespace upsweep::textbook
