#include "lens/mutate.hpp"

namespace upsweep::lens {

namespace {

std::vector<job> attempts(const job& first) {
  const textbook_variant& r = require_textbook_variant(first.variant);
  std::vector<job> all{first};
  unsigned smallest = r.standard;
  for (const variant_at& s : r.sizes) smallest = std::min(smallest, s.block);
  // Some barriers matter only where a block has several warps, or takes several tiles one after the other.
  for (const unsigned block : {first.block, r.standard == 0 ? 0u : std::max(64u, smallest), smallest})
    for (const std::uint64_t n : {std::uint64_t{4097}, std::uint64_t{200003}})
      for (const bool inclusive : {false, true}) {
        if (inclusive && name_of(r.what) != "scan") continue;
        job j = first;
        j.block = block, j.n = n, j.inclusive = inclusive;
        const variant_at* at = r.at(block == 0 ? r.standard : block);
        if (at != nullptr && n <= at->max_n && at->work.value(static_cast<double>(n)) < 1e8) all.push_back(j);
      }
  return all;
}

const finding* race_in(const report& r) {
  for (const finding& f : r.findings)
    if (f.what == fault_kind::race) return &f;
  return nullptr;
}

}  // namespace

std::vector<mutant> mutate(const job& j) {
  std::vector<mutant> all;
  const std::vector<job> tries = attempts(j);
  for (const place& barrier : run(j).barriers) {
    mutant m;
    m.barrier = barrier;
    for (job one : tries) {
      one.without = barrier;
      one.races = true;
      m.seen = run(one);
      if (race_in(m.seen) != nullptr) break;
    }
    all.push_back(std::move(m));
    all.back().race = race_in(all.back().seen);
  }
  return all;
}

}  // namespace upsweep::lens
