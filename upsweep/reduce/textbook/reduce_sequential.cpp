// The sequential loop.
#include <array>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

template <class T, class Op, class F>
T fold_in_one_variable(const T* in, std::uint64_t n, T running, Op op, F f) {
  for (std::uint64_t i = 0; i < n; ++i) running = op(running, to_accumulator(op, f(in[i])));
  return running;
}

void run_sequential(device&, const problem& p) {
  cpu::with_types(p.type, p.op, [&]<class T, class Op>(type_tag<T>, Op op) {
    *p.out.as<T>() = cpu::with_transform(
        p.transform, [&](auto f) { return fold_in_one_variable(p.in.as<const T>(), p.n, p.init.as<T>(), op, f); });
  });
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "reduce/sequential";
    v.source = "kit";
    v.year = 2015;
    v.teaches =
        "One thread, one running variable: the least work there is, and the longest span; a float sum in it sticks "
        "once it is 2^24 "
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

}  // namespace upsweep::detail::reduce_impl
