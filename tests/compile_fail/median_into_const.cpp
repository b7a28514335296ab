// says: upsweep: this call writes its output; this range is const
#include "upsweep/filters.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  const upsweep::buffer<float> in(cpu, 100), out(cpu, 100);
  upsweep::median(cpu, in, upsweep::image_layout{10, 10}, 1, out);
}
