// Calls that are made while memory runs out: by ranks that are threads (test_faults.cpp), and by processes
// (tests/group/memory_over_mpi.cpp).
#pragma once

#include <bit>
#include <functional>
#include <numeric>
#include <vector>

#include "upsweep/communicator.hpp"

namespace upsweep::communicator_conformance {

using numbers = std::vector<std::uint32_t>;

// Answers what it wrote; what a call needs of its own is made once, or before, so that memory
// runs out in the library alone.
struct asked {
  const char* name;
  std::function<void(const communicator&, distributed<std::uint32_t>& in, distributed<std::uint32_t>& out,
                     numbers& host)>
      call;
};

inline std::vector<asked> calls_for_memory() {
  return {
      {"reduce", [](auto& g, auto& in, auto&, auto& host) { host[0] = reduce(g, in); }},
      {"inclusive_scan", [](auto& g, auto& in, auto& out, auto&) { inclusive_scan(g, in, out); }},
      {"sort", [](auto& g, auto& in, auto&, auto&) { sort(g, in); }},
      {"sort_backwards", [](auto& g, auto& in, auto&, auto&) { sort(g, in, std::greater<std::uint32_t>()); }},
      {"copy_if", [](auto& g, auto& in, auto& out, auto&) { copy_if(g, in, out, less_than(1u << 31)); }},
      {"nth_element", [](auto& g, auto& in, auto&, auto& host) { host[0] = nth_element(g, in, 1'700); }},
      {"redistribute",
       [](auto& g, auto& in, auto& out, auto&) {
         static constexpr std::uint64_t sizes[]{5'003, 0, 0};
         out = distributed<std::uint32_t>::of_sizes(g, sizes);
         redistribute(g, in, out);
       }},
      {"redistribute_evenly", [](auto& g, auto& in, auto&, auto&) { redistribute(g, in); }},
      {"whole", [](auto&, auto& in, auto&, auto& host) { host[0] = in.gather()[4'711]; }},
      {"from_blocks",
       [](auto& g, auto& in, auto& out, auto&) {
         static const auto parts = [&] {
           std::vector<numbers> made;
           for (int i = 0; i < g.local_size(); ++i)
             made.emplace_back(100u + static_cast<std::uint32_t>(g.first() + i), 7u);
           return made;
         }();
         if (g.local_size() == 1)
           out = distributed<std::uint32_t>::from_blocks(g, parts[0]);
         else
           out = distributed<std::uint32_t>::from_blocks(g, parts);
         (void)in;
       }},
      {"of",
       [](auto& g, auto&, auto& out, auto&) {
         static const numbers same(1'003, 5u);
         out = distributed<std::uint32_t>::of(g, same);
       }},
      {"exclusive_scan", [](auto& g, auto& in, auto& out, auto&) { exclusive_scan(g, in, out, maximum()); }},
      {"argsort",
       [](auto& g, auto& in, auto& out, auto&) {
         auto places = distributed<std::uint64_t>::even(g, in.size());
         argsort(g, in, places);
         gather(g, in, places, out);
         scatter(g, out, places, in);
       }},
      {"sort_by_key", [](auto& g, auto& in, auto& out, auto&) { sort_by_key(g, in, out); }},
      {"top_k", [](auto& g, auto& in, auto&, auto& host) { top_k(g, in, host); }},
      {"unique", [](auto& g, auto& in, auto& out, auto&) { unique(g, in, out); }},
      {"partition", [](auto& g, auto& in, auto& out, auto&) { partition(g, in, out, less_than(1u << 31)); }},
      {"run_length_encode",
       [](auto& g, auto& in, auto& out, auto&) {
         auto lengths = distributed<std::uint64_t>::even(g, 0);
         run_length_encode(g, in, out, lengths);
       }},
      {"reduce_by_key",
       [](auto& g, auto& in, auto& out, auto&) {
         auto sums = distributed<std::uint32_t>::even(g, 0);
         reduce_by_key(g, in, in, out, sums);
       }},
      {"inclusive_scan_by_key", [](auto& g, auto& in, auto& out, auto&) { inclusive_scan_by_key(g, in, in, out); }},
      {"histogram",
       [](auto& g, auto& in, auto&, auto& host) {
         std::uint64_t counts[7]{};
         histogram(g, in, counts, 0, std::int64_t{1} << 32);
         host[0] = static_cast<std::uint32_t>(counts[3]);
       }},
      {"reproducible_sum",
       [](auto& g, auto&, auto&, auto& host) {
         static const std::vector<float> halves(1'003, 0.5f);
         const auto x = distributed<float>::of(g, halves);
         host[0] = static_cast<std::uint32_t>(reproducible_sum(g, x));
       }},
      {"bodies",
       [](auto& g, auto&, auto&, auto& host) {
         static const auto b = [] {
           nbody::bodies<float> made;
           made.resize(300);
           for (std::size_t i = 0; i < made.size(); ++i) made.x[i] = static_cast<float>(i), made.mass[i] = 1;
           return made;
         }();
         nbody::distributed_simulation<float> s(g, b, {.softening = 0.1, .method = nbody::method::barnes_hut});
         s.step(2);
         const auto again = nbody::distributed_simulation<float>::resume(g, s.checkpoint());
         host[0] = static_cast<std::uint32_t>(again.steps());
         host[0] += std::bit_cast<std::uint32_t>(s.state().x[3]) ^ std::bit_cast<std::uint32_t>(s.forces().ax[5]);
       }},
      {"a_step_of_a_name_that_is_long",
       [](auto& g, auto&, auto&, auto& host) {
         g.for_each_rank(
             "a call whose name takes more room than a string has within itself, or than any was given before it",
             [&](communicator_rank& m) {
               std::vector<std::uint32_t> all(300, static_cast<std::uint32_t>(m.rank()));
               m.route().broadcast(all.data(), 4 * all.size(), 1);
               std::vector<std::uint32_t> turned(300);
               m.route().transpose(all.data(), turned.data(), 400);
               m.route().barrier();
               if (m.rank() == 0) host[0] = std::accumulate(turned.begin(), turned.end(), 0u);
             });
       }},
  };
}

}  // namespace upsweep::communicator_conformance
