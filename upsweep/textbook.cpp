#include "upsweep/textbook.hpp"

#include <utility>
#include <vector>

#include "upsweep/core/algorithm_list.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep {

#define UPSWEEP_ALGORITHM(name)               \
  namespace detail::name##_impl {             \
    std::vector<variant> textbook_variants(); \
  }
UPSWEEP_TEXTBOOKS(UPSWEEP_ALGORITHM)
#undef UPSWEEP_ALGORITHM

void textbook::open() {
  // All rooms or none. Not std::call_once: where no memory is left, glibc ends the process at what is thrown there.
  static const bool opened = [] {
    std::vector<variant> all;
#define UPSWEEP_ALGORITHM(name) \
  for (variant & v : detail::name##_impl::textbook_variants()) all.push_back(std::move(v));
    UPSWEEP_TEXTBOOKS(UPSWEEP_ALGORITHM)
#undef UPSWEEP_ALGORITHM
    add_to_catalog(std::move(all));
    return true;
  }();
  static_cast<void>(opened);
}

}  // namespace upsweep
