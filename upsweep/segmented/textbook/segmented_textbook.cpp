#include "upsweep/core/catalog.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

std::vector<upsweep::variant> textbook_variants() {
  std::vector<upsweep::variant> all;
  add(all, cpu_textbook());
  return all;
}

}  // namespace upsweep::detail::segmented_impl
