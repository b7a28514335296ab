#include "lens/rung_entry.hpp"
#include "upsweep/vector_add/textbook/one_thread_per_element.cuh"

namespace upsweep::lens {

std::vector<rung> vector_add_rungs() {
  using namespace textbook::vector_add_rungs;
  return {sized<one_thread_per_element, vector_add_room::primitive::vector_add, 256, 32, 64, 128, 256, 512, 1024>()};
}

}  // namespace upsweep::lens
