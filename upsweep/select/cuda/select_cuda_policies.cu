// The tuning policies of the selection: the shape of its ring of tiles.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/select/select_cuda.cuh"

namespace upsweep::detail::select_impl {

namespace {

struct any_of_them {
  template <class T>
  __device__ bool operator()(const T&) const {
    return true;
  }
};

template <class T>
void add(std::vector<cuda::tuning_policy>& rows, std::string_view elements) {
  using select = cuda::compact_pass<T, cuda::no_array, cuda::group_by_predicate<any_of_them>, true>;
  using lengths = cuda::run_length_pass<T, std::uint32_t, cuda::equal_elements>;
  const auto row = [&]<class Pass, class Shape>(Pass*, Shape, std::string_view variant, std::string_view name,
                                                bool timed) {
    rows.push_back(
        cuda::row_of<Shape>(variant, elements, name, Shape::stages, sizeof(cuda::ring_shared<Pass, Shape>), timed));
  };
  using tuned = select_tuning<select::bytes, select::largest>;
  row(static_cast<select*>(nullptr), typename tuned::ring{}, "select/look-ahead", "large", true);
  row(static_cast<select*>(nullptr), typename tuned::small_ring{}, "select/look-ahead", "small", false);
  using of_lengths = select_tuning<sizeof(T) + 2, sizeof(T), 28>;
  row(static_cast<lengths*>(nullptr), typename of_lengths::ring{}, "run-lengths/look-ahead", "large", true);
  row(static_cast<lengths*>(nullptr), typename of_lengths::small_ring{}, "run-lengths/look-ahead", "small", false);
}

}  // namespace

std::vector<cuda::tuning_policy> cuda_rows() {
  std::vector<cuda::tuning_policy> rows;
  add<std::uint8_t>(rows, "1 byte");
  add<std::uint16_t>(rows, "2 bytes");
  add<std::uint32_t>(rows, "4 bytes");
  add<std::uint64_t>(rows, "8 bytes");
  return rows;
}

}  // namespace upsweep::detail::select_impl
