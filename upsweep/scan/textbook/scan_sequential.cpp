// The sequential loop.
#include <array>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

namespace {

template <class T, class Op, class F>
void scan_in_one_variable(const T* in, std::uint64_t n, T* out, T running, bool inclusive, Op op, F f) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const T next = op(running, to_accumulator(op, f(in[i])));  // before out[i] is written: the scan may be in place
    out[i] = inclusive ? next : running;
    running = next;
  }
}

void run_sequential(device&, const problem& p) {
  cpu::with_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    cpu::with_transform(p.transform, [&](auto f) {
      scan_in_one_variable(p.in.as<const T>(), p.n, p.out.as<T>(), p.init.as<T>(), p.inclusive, op, f);
    });
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
    v.teaches =
        "One thread, one running variable: n - 1 additions, the work that every parallel scan is measured against.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"n", [](double n) { return n; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"2n", [](double n) { return 2 * n; }};
    v.run = run_sequential;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::detail::scan_impl
