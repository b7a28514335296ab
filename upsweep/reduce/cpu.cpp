// Reduce on the CPU for the built-in types and operators: the sequential loop, and the library's own.
#include "upsweep/reduce/cpu.hpp"

#include <array>
#include <cmath>

#include "upsweep/cpu/types.hpp"
#include "upsweep/rooms.hpp"

namespace upsweep::reduce_room {

namespace {

void run_sequential(device&, const problem& p) {
  cpu::with_types(p.type, p.op, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const any_transform f{p.transform};
    T running = p.init.as<T>();
    const T* in = p.in.as<T>();
    for (std::uint64_t i = 0; i < p.n; ++i) running = op(running, lifted(op, f(in[i])));
    *p.out.as<T>() = running;
  });
}

void run_blocked(device& d, const problem& p) {
  cpu::with_types(p.type, p.op, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    cpu::reduce_custom(d, p.in.as<T>(), p.n, p.out.as<T>(), p.init.as<T>(), op, any_transform{p.transform});
  });
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "reduce/sequential";
    v.source = "kit";
    v.year = 2015;
    v.teaches = "One thread, one running variable: the least work there is, and the longest span; a float sum in it sticks once it is 2^24 "
                "times an element.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"n", [](double n) { return n; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"n + 1", [](double n) { return n + 1; }};
    v.run = run_sequential;
    return std::array{v};
  }();
  return list;
}

std::span<const variant> cpu() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "reduce/blocked-simd";
    v.kind = rung::library;
    v.source = "upsweep";
    v.year = 2025;
    v.teaches = "Blocks of a fixed size, folded by SIMD lanes on every core, then a tree.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"log2 n + 8192", [](double n) { return std::log2(n + 2) + 8192; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"n + 1", [](double n) { return n + 1; }};
    v.run = run_blocked;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::reduce_room
