// The tuning policies of the radix sort: the shape of a pass.
#include "upsweep/cuda/tuning_policies.hpp"

#include "upsweep/sort/sort_cuda.cuh"

namespace upsweep::detail::sort_impl {

namespace {

template <class Key, class Value>
void add(std::vector<cuda::tuning_policy>& rows, std::string_view elements) {
  using tuning = sort_tuning<sizeof(Key), cuda::has_value<Value> ? sizeof(Value) : 0>;
  const auto row = [&]<class Shape>(Shape, std::string_view name, bool timed) {
    rows.push_back(cuda::row_of<Shape>("sort/scanned-sweep", elements, name, 1,
                                       sizeof(cuda::pass_shared<Key, Value, Shape>), timed));
  };
  row(typename tuning::large{}, "large", true);
  if constexpr (!cuda::pass_always_fits<Key, Value, typename tuning::large>)
    row(typename tuning::small{}, "small", false);
}

}  // namespace

std::vector<cuda::tuning_policy> cuda_rows() {
  std::vector<cuda::tuning_policy> rows;
  add<std::uint8_t, cuda::no_value>(rows, "keys of 1 byte");
  add<std::uint16_t, cuda::no_value>(rows, "keys of 2 bytes");
  add<std::uint32_t, cuda::no_value>(rows, "keys of 4 bytes");
  add<std::uint64_t, cuda::no_value>(rows, "keys of 8 bytes");
  add<std::uint32_t, std::uint32_t>(rows, "keys of 4 bytes, values of 4");
  add<std::uint64_t, std::uint32_t>(rows, "keys of 8 bytes, values of 4");
  add<std::uint32_t, std::uint64_t>(rows, "keys of 4 bytes, values of 8");
  add<std::uint64_t, std::uint64_t>(rows, "keys of 8 bytes, values of 8");
  return rows;
}

}  // namespace upsweep::detail::sort_impl
