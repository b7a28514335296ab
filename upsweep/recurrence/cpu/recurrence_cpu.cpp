// The recurrences that the library is compiled for, on the CPU.
#include "upsweep/recurrence/cpu/recurrence_cpu.hpp"

#include <array>
#include <cstring>

#include "upsweep/recurrence/recurrence_problem.hpp"

namespace upsweep::detail::recurrence_impl {

namespace {

void run_chained(device& d, const problem& p) {
  with_steps(p, [&](const auto& steps) {
    typename std::remove_cvref_t<decltype(steps)>::state carry;
    std::memcpy(&carry, p.in3.address(), sizeof carry);
    cpu::recur(d, p.n, steps, &carry);
    std::memcpy(p.out2.address(), &carry, sizeof carry);
  });
}

variant entry(primitive what, std::string_view name, std::string_view teaches) {
  variant v;
  v.name = name, v.what = what, v.kind = variant_kind::tuned, v.year = 2026, v.source = "upsweep", v.teaches = teaches;
  v.work = {"2n", [](double n) { return 2 * n; }};  // an extension and a step each
  // A chain of a block composed, the states that blocks start from, one after the other, and a chain stepped through.
  v.span = {"4130 + n/2065", [](double n) { return 4130 + n / 2065; }};
  v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n", [](double n) { return 2 * n; }};
  v.cannot = not_of_the_types;
  v.run = run_chained;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list = [] {
    variant affine = entry(primitive::recurrence, "recurrence/chained-blocks",
                           "Steps are maps, and maps compose: threads compose their blocks in eight chains, pass the "
                           "state on from block to block, and step through what is still in their caches.");
    affine.traffic = {"3n", [](double n) { return 3 * n; }};
    return std::array{
        affine,
        entry(primitive::moving_average, "moving-average/chained-blocks",
              "The recurrence whose factor is one number: blocks composed in eight chains, the state passed on, and "
              "the steps made from the cache."),
        entry(primitive::biquad, "biquad/chained-blocks",
              "A second-order section's map is how many steps it stands for and where they lead from zero; powers of "
              "its matrix come from a table by the bits of the count."),
    };
  }();
  return list;
}

}  // namespace upsweep::detail::recurrence_impl
