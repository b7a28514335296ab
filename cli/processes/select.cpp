// select: each rank keeps of its slice, and what all before it kept says where that goes.
#include <numeric>

#include "cli/processes/processes.hpp"
#include "cli/select/select.hpp"

using namespace upsweep;

std::uint64_t select_by(const command_group& g, const select_options& o) {
  if (!o.flags.empty() || o.rows)
    throw error(fault::unsupported, o.rows ? "--rows" : "--flags",
                "several processes or devices keep elements that meet a --where", "give it to one of them");
  std::uint64_t kept = 0;
  g.all.for_each_rank("select", [&](communicator_rank& m) {
    select_options mine = o;
    mine.where = g.of(o.where, m);
    std::unique_ptr<element_source> source = open_source(o.source);
    const std::uint64_t first = take_slice(*source, m);
    const dtype type = o.indices ? dtype::i64 : source->type;
    std::vector<std::byte> bytes;
    const std::uint64_t here = select_elements(mine, *source, first, [&](const void* from, std::uint64_t n) {
      const auto* const b = static_cast<const std::byte*>(from);
      bytes.insert(bytes.end(), b, b + n * size_of(type));
    });
    const auto counts = m.all(here);
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (m.local_rank() == 0) kept = all;
    if (o.count) return;
    shared_output out(m, o.output, *source, type, source->truth && !o.indices, all);
    out.write(std::accumulate(counts.begin(), counts.begin() + m.rank(), std::uint64_t{0}), bytes.data(), here);
    out.commit();
  });
  return kept;
}
