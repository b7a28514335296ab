// The types and operators that the CPU peers are compiled for: all six types; plus, minimum and maximum.
#pragma once

#include <memory>

#include "upsweep/core/problem_base.hpp"
#include "upsweep/cpu/cpu_device.hpp"

namespace upsweep::peers {

template <class P>
bool takes_fold(const P& p) {
  const bool op = p.op == op_kind::plus || p.op == op_kind::minimum || p.op == op_kind::maximum;
  return op && p.transform == transform_kind::identity;
}

// Calls f(in, out, n, init, op) with pointers and values of the problem's own types.
template <class P, class F>
void with_fold(const P& p, F&& f) {
  const memory in = p.in, out = p.out;
  const scalar init = p.init;
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto call = [&](auto op) { f(in.as<const T>(), out.as<T>(), p.n, init.as<T>(), op); };
    switch (p.op) {
      case op_kind::minimum: return call(minimum{});
      case op_kind::maximum: return call(maximum{});
      default: return call(plus{});
    }
  });
}

// Runs `work` with the device's own number of threads; what uses oneTBB inside uses that arena.
template <class F>
void in_arena(device& d, F&& work) {
  static_cast<cpu::device&>(d).arena().execute(std::forward<F>(work));
}

}  // namespace upsweep::peers
