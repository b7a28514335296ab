// Reduce on host memory: each chunk begins with the fold of those before it.
#include "upsweep/core/streaming.hpp"
#include "upsweep/reduce/problem.hpp"

namespace upsweep::reduce_room {

using namespace core;

void run_on_host(const target& to, const problem& host) {
  device& d = to.on();
  if (d.kind() == backend::cpu) return run(to, host);
  if (host.n == 0) choose(to, host);  // the same errors as with elements
  const std::uint64_t size = size_of(host.type);
  staging in(d, chunk_elements(d, host.n, size) * size);
  problem p = host;
  p.in = in.where();
  p.out = d.scratch("reduce/result", 16);
  for_each_chunk(d, host.n, size, [&](std::uint64_t first, std::uint64_t count) {
    p.n = count;
    d.upload(p.in, host.in.as<char>() + first * size, count * size);
    run(to, p);
    d.download(p.init.bytes, p.out, size);
  });
  std::memcpy(host.out.address(), p.init.bytes, size);
}

}  // namespace upsweep::reduce_room
