// A program that needs the same shared libraries as only_reduce, and nothing of ours: what starting costs anyhow.
#include <tbb/version.h>

#include <ctime>
#include <iostream>
#include <vector>

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
  float sum = TBB_runtime_interface_version() ? 0 : 1;
  for (const float x : values) sum += x;
  std::cout << begin << ' ' << processor_time() << std::endl;
  return sum == 500 ? 0 : 1;
}
