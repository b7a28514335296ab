// The recurrences that the library is compiled for, on CUDA.
#include "upsweep/recurrence/recurrence_cuda.cuh"

#include <array>

#include "upsweep/recurrence/recurrence_problem.hpp"

namespace upsweep::detail::recurrence_impl {

namespace {

void run_look_ahead(device& d, const problem& p) {
  if (p.in3.address() != p.out2.address()) d.copy(p.out2, p.in3, state_bytes(p));
  with_steps(p,
             [&]<class Steps>(const Steps& steps) { cuda::recur(d, p.n, steps, p.out2.as<typename Steps::state>()); });
}

variant entry(primitive what, std::string_view name, std::string_view teaches) {
  variant v;
  v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep", v.teaches = teaches;
  v.work = {"about 2n", [](double n) { return 2 * n; }};
  // A thread's run twice, trees over lanes and warps, and one chain of batches of 32 tiles: in the small shape of
  // 30,720 elements of 8 bytes, in the large one of 172,032, and of twice as many of 4 bytes.
  v.span = {"n/30720 + 90", [](double n) { return n / 30720 + 90; }};
  v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n", [](double n) { return 2 * n; }};
  v.cannot = not_of_the_types;
  v.run = run_look_ahead;
  return v;
}

}  // namespace

std::span<const variant> cuda() {
  static const std::array list = [] {
    variant affine = entry(primitive::recurrence, "recurrence/look-ahead",
                           "The scan's ring of tiles, folding maps instead of sums: each sequence is read once, and "
                           "the states step on from what stands before a thread's run.");
    affine.span = {"n/18432 + 60", [](double n) { return n / 18432 + 60; }};  // runs of 6 elements of 8 bytes
    affine.traffic = {"3n", [](double n) { return 3 * n; }};
    return std::array{
        affine,
        entry(primitive::moving_average, "moving-average/look-ahead",
              "The recurrence whose factor is one number, on the scan's ring of tiles: one sequence in, one out."),
        entry(primitive::biquad, "biquad/look-ahead",
              "Maps of second-order sections on the scan's ring of tiles; each composition carries the power of the "
              "matrix, since a table of powers would be read by 32 lanes one after the other."),
    };
  }();
  return list;
}

}  // namespace upsweep::detail::recurrence_impl
