#include "peers/vqsort.hpp"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

namespace upsweep::peers {

void vqsort(std::int32_t* keys, std::size_t n) { hwy::Sorter()(keys, n, hwy::SortAscending()); }
void vqsort(std::uint32_t* keys, std::size_t n) { hwy::Sorter()(keys, n, hwy::SortAscending()); }
void vqsort(std::int64_t* keys, std::size_t n) { hwy::Sorter()(keys, n, hwy::SortAscending()); }
void vqsort(std::uint64_t* keys, std::size_t n) { hwy::Sorter()(keys, n, hwy::SortAscending()); }
void vqsort(float* keys, std::size_t n) { hwy::Sorter()(keys, n, hwy::SortAscending()); }
void vqsort(double* keys, std::size_t n) { hwy::Sorter()(keys, n, hwy::SortAscending()); }

std::string vqsort_version() {
  return "Highway " + std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." + std::to_string(HWY_PATCH);
}

}  // namespace upsweep::peers
