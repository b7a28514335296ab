// The least that a program can ask of the library: one primitive, on the CPU. Tells the processor time at main's first
// and last line, in nanoseconds; what came before main is the loader's and the static initialisers'.
#include <ctime>
#include <iostream>
#include <vector>

#include "upsweep/reduce.hpp"

namespace {

long long processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

}  // namespace

int main() {
  const long long begin = processor_time();
  std::vector<float> values(1000, 0.5f);
  const float sum = upsweep::reduce(upsweep::context::cpu(), values);
  std::cout << begin << ' ' << processor_time() << std::endl;
  return sum == 500 ? 0 : 1;
}
