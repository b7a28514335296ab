// scan on host memory: each chunk begins with the last value of the one before it.
#include "upsweep/core/host_chunks.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

using namespace core;

void run_on_host(const target& to, const problem& host) {
  device& d = to.on();
  if (d.kind() == backend::cpu) return run(to, host);
  if (host.n == 0) return static_cast<void>(choose(to, host));  // the same errors as with elements
  const std::uint64_t size = size_of(host.type);
  staging both(d, chunk_elements(d, host.n, size) * size);
  problem p = host;
  p.in = p.out = both.where();
  for_each_chunk(d, host.n, size, [&](std::uint64_t first, std::uint64_t count) {
    p.n = count;
    scalar last_in, last_out;
    const std::uint64_t last = (first + count - 1) * size;
    std::memcpy(last_in.bytes, host.in.as<char>() + last, size);  // before an in-place scan overwrites it
    d.upload(p.in, host.in.as<char>() + first * size, count * size);
    run(to, p);
    d.download(host.out.as<char>() + first * size, p.out, count * size);
    std::memcpy(last_out.bytes, host.out.as<char>() + last, size);
    // The last output of an inclusive scan is the fold so far; that of an exclusive scan lacks the last element.
    p.init = p.inclusive ? last_out : folded_on(p, p.type, last_out, last_in);
  });
}

}  // namespace upsweep::detail::scan_impl
