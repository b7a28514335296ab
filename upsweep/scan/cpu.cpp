// Scan on the CPU for the built-in types and operators: the sequential loop, and the library's own.
#include "upsweep/scan/cpu.hpp"

#include <array>

#include "upsweep/cpu/types.hpp"
#include "upsweep/rooms.hpp"

namespace upsweep::scan_room {

namespace {

void run_sequential(device&, const problem& p) {
  cpu::with_types(p.type, p.op, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const any_transform f{p.transform};
    const T* in = p.in.as<T>();
    T* out = p.out.as<T>();
    T running = p.init.as<T>();
    for (std::uint64_t i = 0; i < p.n; ++i) {
      const T next = op(running, lifted(op, f(in[i])));  // before out[i] is written: the scan may be in place
      out[i] = p.inclusive ? next : running;
      running = next;
    }
  });
}

void run_chained(device& d, const problem& p) {
  cpu::with_types(p.type, p.op, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    if (p.inclusive)
      cpu::scan_custom<true>(d, p.in.as<T>(), p.n, p.out.as<T>(), p.init.as<T>(), op, any_transform{p.transform});
    else
      cpu::scan_custom<false>(d, p.in.as<T>(), p.n, p.out.as<T>(), p.init.as<T>(), op, any_transform{p.transform});
  });
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "scan/sequential";
    v.what = primitive::scan;
    v.source = "harris2007";
    v.year = 2007;
    v.teaches = "One thread, one running variable: n - 1 additions, the work that every parallel scan is measured against.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"n", [](double n) { return n; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"2n", [](double n) { return 2 * n; }};
    v.run = run_sequential;
    return std::array{v};
  }();
  return list;
}

std::span<const variant> cpu() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "scan/chained-blocks";
    v.what = primitive::scan;
    v.kind = rung::library;
    v.source = "upsweep";
    v.year = 2025;
    v.teaches = "One pass over memory: each core folds a block, passes the carry on, and scans the block while it is still in its cache.";
    v.work = {"2n", [](double n) { return 2 * n; }};
    v.span = {"n/2^13 + 16384", [](double n) { return n / 8192 + 16384; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"2n", [](double n) { return 2 * n; }};
    v.run = run_chained;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::scan_room
