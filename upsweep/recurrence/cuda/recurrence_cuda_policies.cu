// The recurrences' rows: which shape the ring takes for steps that say which sequences they read.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/recurrence/recurrence_cuda.cuh"
#include "upsweep/recurrence/recurrence_steps.hpp"

namespace upsweep::detail::recurrence_impl {

namespace {

template <class Steps>
void add(std::vector<cuda::tuning_policy>& rows, std::string_view variant, std::string_view elements) {
  using on_ring = cuda::recurrence_on_ring<Steps>;
  const auto row = [&]<class Shape>(Shape, std::string_view name, bool timed) {
    using work = typename on_ring::template work<Shape>;
    rows.push_back(
        cuda::row_of<Shape>(variant, elements, name, Shape::stages, sizeof(cuda::tile_ring_shared<work>), timed));
  };
  row(typename on_ring::tuning::large{}, "large", true);
  row(typename on_ring::tuning::small{}, "small", false);
}

}  // namespace

std::vector<cuda::tuning_policy> cuda_rows() {
  std::vector<cuda::tuning_policy> rows;
  add<affine_steps<float>>(rows, "recurrence/look-ahead", "4 bytes");
  add<affine_steps<double>>(rows, "recurrence/look-ahead", "8 bytes");
  add<decay_steps<float>>(rows, "moving-average/look-ahead", "4 bytes");
  add<decay_steps<double>>(rows, "moving-average/look-ahead", "8 bytes");
  return rows;
}

}  // namespace upsweep::detail::recurrence_impl
