// CUB by functions of the caller's own: DeviceMergeSort, stable and not, and DeviceSelect, with their scratch allocated
// beforehand.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_select.cuh>

#include "peers/cub.hpp"
#include "peers/own.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

namespace {

template <bool Stable, class Count, class T>
cudaError_t sort(const cub_launch& l, const own_operands& o) {
  const auto n = static_cast<Count>(o.n);
  if constexpr (Stable)
    return cub::DeviceMergeSort::StableSortKeysCopy(l.scratch, l.bytes, o.in.as<const T>(), o.out.as<T>(), n,
                                                    own_less{}, l.stream);
  else
    return cub::DeviceMergeSort::SortKeysCopy(l.scratch, l.bytes, o.in.as<const T>(), o.out.as<T>(), n, own_less{},
                                              l.stream);
}

cudaError_t select(const cub_launch& l, const own_operands& o) {
  return cub::DeviceSelect::If(l.scratch, l.bytes, o.in.as<const std::uint32_t>(), o.out.as<std::uint32_t>(),
                               o.count.as<std::uint64_t>(), static_cast<std::int64_t>(o.n), own_test{}, l.stream);
}

template <bool Stable, class Count>
void add_sort(std::vector<own_side>& list) {
  list.push_back({cub_name(), cub_version(), "DeviceMergeSort, scratch allocated beforehand",
                  std::string(Stable ? "StableSortKeysCopy, " : "SortKeysCopy, ") + count_name<Count>, true,
                  backend::cuda,
                  [](own_work w, std::uint64_t n) { return w != own_work::select_words && fits_count<Count>(n); },
                  [](const context& where, own_work w, const own_operands& o) {
                    return with_element(w, [&]<class T>(type_tag<T>) {
                      return prepare_cub<own_operands, sort<Stable, Count, T>>(where.device(), o);
                    });
                  }});
}

}  // namespace

void add_own(std::vector<own_side>& list) {
  add_sort<false, std::uint32_t>(list);
  add_sort<false, std::uint64_t>(list);
  add_sort<true, std::uint32_t>(list);
  add_sort<true, std::uint64_t>(list);
  list.push_back({cub_name(), cub_version(), "DeviceSelect, scratch allocated beforehand", "", true, backend::cuda,
                  [](own_work w, std::uint64_t) { return w == own_work::select_words; },
                  [](const context& where, own_work, const own_operands& o) {
                    return prepare_cub<own_operands, select>(where.device(), o);
                  }});
}

}  // namespace upsweep::peers::UPSWEEP_CUB
