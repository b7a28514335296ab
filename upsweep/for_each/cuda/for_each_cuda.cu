#include "upsweep/for_each.hpp"

#include <array>

#include "upsweep/for_each/for_each_problem.hpp"

namespace upsweep::detail::for_each_impl {

namespace {

void run_thread_per_index(device& d, const problem& p) {
  with_function(p, [&](const auto& f) { for_each_index(context_on(d), p.n, f); });
}

}  // namespace

std::span<const variant> cuda() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "for-each-index/thread-per-index", v.where = backend::cuda, v.what = primitive::for_each_index,
    v.kind = variant_kind::tuned, v.year = 2026;
    v.source = "upsweep";
    v.teaches = "A thread an index, in blocks of 256; neighbours of a warp touch neighbouring elements.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"1", [](double) { return 1.0; }};
    v.launches = {"1 for every 2^38 indices", [](double) { return 1.0; }};
    v.traffic = {"2n of u32, 3n of f32: the function's", [](double n) { return 3 * n; }};
    v.cannot = not_of_the_types;
    v.run = run_thread_per_index;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::detail::for_each_impl
