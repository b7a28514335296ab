#include "lens/textbook_variant_entry.hpp"
#include "upsweep/vector_add/textbook/one_thread_per_element.cuh"

namespace upsweep::lens {

std::vector<textbook_variant> vector_add_variants() {
  using namespace textbook::vector_add_variants;
  return {sized<one_thread_per_element, detail::vector_add_impl::primitive::vector_add, 256, 32, 64, 128, 256, 512,
                1024>()};
}

}  // namespace upsweep::lens
