#include "upsweep/conformance/conformance.hpp"

#include "upsweep/core/algorithm_list.hpp"
#include "upsweep/cpu/block_partition.hpp"

namespace upsweep {

#define UPSWEEP_ALGORITHM(name)                        \
  namespace detail::name##_impl {                      \
    std::vector<conformance_test> conformance_tests(); \
  }
UPSWEEP_ALGORITHMS(UPSWEEP_ALGORITHM)
#undef UPSWEEP_ALGORITHM

const conformance_test& conformance_test_of(primitive what) {
  static const std::vector<conformance_test> all = [] {
    std::vector<conformance_test> list;
    const auto take = [&](const std::vector<conformance_test>& algorithm) {
      list.insert(list.end(), algorithm.begin(), algorithm.end());
    };
#define UPSWEEP_ALGORITHM(name) take(detail::name##_impl::conformance_tests());
    UPSWEEP_ALGORITHMS(UPSWEEP_ALGORITHM)
#undef UPSWEEP_ALGORITHM
    return list;
  }();
  for (const conformance_test& e : all)
    if (e.what == what) return e;
  throw error(fault::unsupported, std::string(name_of(what)), "it has no conformance test in this build",
              "see upsweep/conformance/conformance.hpp");
}

void fill_all(const array& a, void* to) {
  cpu::for_each_piece(a.count, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    a.fill(static_cast<std::byte*>(to) + first * a.size, first, last - first);
  });
}

}  // namespace upsweep
