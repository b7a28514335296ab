// The tuning policies of scan: the shape of its ring.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/scan/scan_cuda.cuh"

namespace upsweep::detail::scan_impl {

namespace {

template <class T>
void add(std::vector<cuda::tuning_policy>& rows, std::string_view elements) {
  using tuning = scan_tuning<sizeof(T)>;
  const auto row = [&]<class Shape>(Shape, std::string_view name, bool timed) {
    using work = cuda::scan_work<T, plus, identity, Shape>;
    rows.push_back(cuda::row_of<Shape>("scan/look-ahead", elements, name, Shape::stages,
                                       sizeof(cuda::tile_ring_shared<work>), timed));
  };
  row(typename tuning::large{}, "large", true);
  row(typename tuning::small{}, "small", false);
}

}  // namespace

std::vector<cuda::tuning_policy> cuda_rows() {
  std::vector<cuda::tuning_policy> rows;
  add<std::uint32_t>(rows, "4 bytes");
  add<std::uint64_t>(rows, "8 bytes");
  return rows;
}

}  // namespace upsweep::detail::scan_impl
