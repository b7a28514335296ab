// A shared object that links the library's archive, hides its symbols, and exports one function.
#include <vector>

#include "upsweep/reduce.hpp"
#include "upsweep/sort.hpp"

extern "C" __attribute__((visibility("default"))) float middle_and_sum(const float* x, unsigned n) {
  std::vector<float> values(x, x + n);
  const auto cpu = upsweep::context::cpu();
  upsweep::sort(cpu, values);
  return values[n / 2] + upsweep::reduce(cpu, values);
}
