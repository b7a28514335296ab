#include "upsweep/core/algorithm_list.hpp"

#include "upsweep/core/catalog.hpp"

namespace upsweep {

#define UPSWEEP_ALGORITHM(name)   \
  namespace detail::name##_impl { \
    algorithm listing();          \
  }
UPSWEEP_ALGORITHMS(UPSWEEP_ALGORITHM)
#undef UPSWEEP_ALGORITHM

const std::vector<algorithm>& algorithms() {
#define UPSWEEP_ALGORITHM(name) detail::name##_impl::listing(),
  static const std::vector<algorithm> all{UPSWEEP_ALGORITHMS(UPSWEEP_ALGORITHM)};
#undef UPSWEEP_ALGORITHM
  return all;
}

}  // namespace upsweep
