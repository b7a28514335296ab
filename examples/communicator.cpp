// A sequence that is distributed over several devices. Here the ranks are threads of one process. With
// communicator::gpus({0, 1}) each rank is a GPU, and with communicator::mpi(MPI_COMM_WORLD, …) a process. The calls are
// those of one device.
#include <cstdio>
#include <vector>

#include "upsweep/communicator.hpp"
#include "upsweep/upsweep.hpp"

int main(int count, char** words) try {
  const auto all = upsweep::communicator::named(count > 1 ? words[1] : "cpu:1,cpu:1,cpu:1");
  std::vector<float> measured(1'000'000);
  for (std::size_t i = 0; i < measured.size(); ++i)
    measured[i] = static_cast<float>(i * 2654435761u % 1'000'003) * 0.001f;

  auto x = upsweep::distributed<float>::of(all, measured);  // an equal part for each rank
  const float sum = upsweep::reproducible_sum(all, x);      // the same bits with any number of ranks
  upsweep::sort(all, x);                                    // across all ranks, stable; part sizes do not change
  const float median = upsweep::nth_element(all, x, x.size() / 2);
  auto large = upsweep::distributed<float>::even(all, 0);
  const std::uint64_t kept = upsweep::copy_if(all, x, large, upsweep::greater_than(median));

  // A user-defined step: an all-gather of one value of each rank.
  float highest = 0;
  all.for_each_rank("highest", [&](upsweep::communicator_rank& m) {
    const auto part = large.part(m.local_rank());
    const float mine = part.size() ? m.read(part, part.size() - 1) : 0;
    for (const float one : m.all(mine))
      if (m.local_rank() == 0 && one > highest) highest = one;
  });

  const auto one = upsweep::context::cpu();
  upsweep::sort(one, measured);
  std::printf("%d members: sum %.9g, median %g, %llu above it, the highest %g\n", all.size(), sum, median,
              static_cast<unsigned long long>(kept), highest);
  const bool right = x.gather() == measured && median == measured[measured.size() / 2] && highest == measured.back() &&
                     sum == upsweep::reproducible_sum(one, measured);
  return right ? 0 : 1;
} catch (const upsweep::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
