// A sequence that several devices share: here the threads of one process, a GPU each with group::gpus({0, 1}), and
// with group::mpi(MPI_COMM_WORLD, …) a process each. The calls are those of one device.
#include <cstdio>
#include <vector>

#include "upsweep/group.hpp"
#include "upsweep/upsweep.hpp"

int main(int count, char** words) try {
  const auto all = upsweep::group::named(count > 1 ? words[1] : "cpu:1,cpu:1,cpu:1");
  std::vector<float> measured(1'000'000);
  for (std::size_t i = 0; i < measured.size(); ++i)
    measured[i] = static_cast<float>(i * 2654435761u % 1'000'003) * 0.001f;

  auto x = upsweep::distributed<float>::of(all, measured);  // an even part each
  const float sum = upsweep::reproducible_sum(all, x);      // the same bits with any number of members
  upsweep::sort(all, x);                                    // across all of them, stable, parts as large as before
  const float median = upsweep::nth_element(all, x, x.size() / 2);
  auto large = upsweep::distributed<float>::evenly(all, 0);
  const std::uint64_t kept = upsweep::copy_if(all, x, large, upsweep::greater_than(median));

  // A step of one's own: what a member says goes to all.
  float highest = 0;
  all.each("highest", [&](upsweep::member& m) {
    const auto part = large.part(m.here());
    const float mine = part.size() ? m.read(part, part.size() - 1) : 0;
    for (const float one : m.all(mine))
      if (m.here() == 0 && one > highest) highest = one;
  });

  const auto one = upsweep::context::cpu();
  upsweep::sort(one, measured);
  std::printf("%d members: sum %.9g, median %g, %llu above it, the highest %g\n", all.size(), sum, median,
              static_cast<unsigned long long>(kept), highest);
  const bool right = x.whole() == measured && median == measured[measured.size() / 2] && highest == measured.back() &&
                     sum == upsweep::reproducible_sum(one, measured);
  return right ? 0 : 1;
} catch (const upsweep::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
