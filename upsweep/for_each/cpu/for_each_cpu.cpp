#include "upsweep/for_each.hpp"

#include <array>

#include "upsweep/for_each/for_each_problem.hpp"

namespace upsweep::detail::for_each_impl {

namespace {

void run_in_blocks(device& d, const problem& p) {
  with_function(p, [&](const auto& f) { for_each_index(context_on(d), p.n, f); });
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array<variant, 1> list = [] {
    variant v;
    v.name = "for-each-index/blocks", v.what = primitive::for_each_index, v.kind = variant_kind::tuned, v.year = 2026;
    v.source = "upsweep";
    v.teaches = "Blocks of indices, which threads take by ticket: a sixty-fourth of them all, within 256 and 16384.";
    v.work = {"n", [](double n) { return n; }};
    v.span = {"1", [](double) { return 1.0; }};
    v.launches = {"1", [](double) { return 1.0; }};
    v.traffic = {"2n of u32, 3n of f32: the function's", [](double n) { return 3 * n; }};
    v.cannot = not_of_the_types;
    v.run = run_in_blocks;
    return std::array{v};
  }();
  return list;
}

}  // namespace upsweep::detail::for_each_impl
