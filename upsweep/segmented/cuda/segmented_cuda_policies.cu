// The tuning policies of the folds by key and by segment: the shape of their ring of tiles.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/segmented/segmented_cuda.cuh"

namespace upsweep::detail::segmented_impl {

namespace {

template <class K, class T, class Results>
void add(std::vector<cuda::tuning_policy>& rows, std::string_view variant, std::string_view elements) {
  using pass = cuda::by_key_pass<K, T, plus, identity, cuda::equal_elements, Results>;
  using tuning = by_key_tuning<sizeof(T) + cuda::bytes_of<K>, std::max<int>(sizeof(T), cuda::bytes_of<K>)>;
  const auto row = [&]<class Shape>(Shape, std::string_view name, bool timed) {
    rows.push_back(
        cuda::row_of<Shape>(variant, elements, name, Shape::stages, sizeof(cuda::ring_shared<pass, Shape>), timed));
  };
  row(typename tuning::ring{}, "large", true);
  row(typename tuning::small_ring{}, "small", false);
}

template <class T>
void add_all(std::vector<cuda::tuning_policy>& rows, std::string_view pairs, std::string_view values) {
  using key = std::uint32_t;
  add<key, T, cuda::runs_out<key, T>>(rows, "reduce-by-key/look-ahead", pairs);
  add<key, T, cuda::elements_out<T>>(rows, "scan-by-key/look-ahead", pairs);
  add<cuda::no_array, T, cuda::elements_out<T>>(rows, "segmented-scan/bits", values);
}

}  // namespace

std::vector<cuda::tuning_policy> cuda_rows() {
  std::vector<cuda::tuning_policy> rows;
  add_all<std::uint32_t>(rows, "keys of 4 bytes, values of 4", "4 bytes");
  add_all<std::uint64_t>(rows, "keys of 4 bytes, values of 8", "8 bytes");
  return rows;
}

}  // namespace upsweep::detail::segmented_impl
