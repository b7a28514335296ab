// says: upsweep: filters take pictures of f32
#include <vector>

#include "upsweep/filters.hpp"

int main() {
  std::vector<unsigned char> in(100);
  std::vector<float> out(100);
  upsweep::median(upsweep::context::cpu(), in, upsweep::image_layout{10, 10}, 1, out);
}
