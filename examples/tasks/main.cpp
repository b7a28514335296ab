// Solves the twenty tasks with every library of this build, and reports results that differ from the standard
// library's.
//   tasks [N]
#include <upsweep/context.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "tasks.hpp"

namespace tasks {
answers with_the_standard_library(const input&);
answers with_upsweep(const upsweep::context&, const input&);
answers with_upsweep_on_cuda(const upsweep::context&, const input&);
answers with_thrust(const input&);
answers with_cub(const input&);
answers with_parlay(const input&);
}  // namespace tasks

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'011;
  const tasks::input in(n, std::random_device{}());
  const tasks::answers expected = tasks::with_the_standard_library(in);
  int wrong = 0;
  const auto compare = [&](const std::string& library, const tasks::answers& got) {
    std::size_t without = 0;
    for (std::size_t t = 0; t < expected.size(); ++t) {
      if (t < got.size() && got[t] == tasks::no_such_call) {
        ++without;
      } else if (t >= got.size() || got[t] != expected[t]) {
        ++wrong, std::printf("%s: task %zu has another answer than the standard library's\n", library.c_str(), t + 1);
      }
    }
    std::printf("%-22s %zu tasks, %zu of them without a call\n", library.c_str(), got.size(), without);
  };
#ifdef TASKS_ON_CUDA
  std::optional<upsweep::context> c;
  try {
    c = upsweep::context::cuda();
  } catch (const upsweep::error& e) {
    std::printf("%s\n", e.what());
    return 77;
  }
  compare("Upsweep on cuda:0", tasks::with_upsweep_on_cuda(*c, in));
  compare("Thrust on cuda:0", tasks::with_thrust(in));
  compare("CUB on cuda:0", tasks::with_cub(in));
#else
  compare("Upsweep on the CPU", tasks::with_upsweep(upsweep::context::cpu(), in));
#endif
#ifdef TASKS_WITH_THRUST
  compare("Thrust on the CPU", tasks::with_thrust(in));
#endif
#ifdef TASKS_WITH_PARLAY
  compare("ParlayLib", tasks::with_parlay(in));
#endif
  return wrong != 0;
}
