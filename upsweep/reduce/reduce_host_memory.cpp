// reduce on host memory: each chunk begins with the fold of the chunks before it. Reproducible sums stay exact from
// chunk to chunk.
#include "upsweep/core/host_chunks.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/reduce/reduce_reproducible.hpp"

namespace upsweep::detail::reduce_impl {

using namespace core;

namespace {

template <class T>
void add_exactly_in_chunks(const target& to, const problem& host, std::uint64_t chunk) {
  device& d = to.on();
  choose(to, host);  // the same errors as in one chunk
  if (host.transform != transform_kind::identity)
    throw error(fault::unsupported, "reduce",
                "a transformed sum that is the same on every device fits the device's memory, and " +
                    std::to_string(host.n) + " elements do not",
                "transform first, or leave .deterministic as it is");
  const staging in(d, chunk * sizeof(T));
  std::int64_t digits[exact_format<T>::digits]{};
  std::uint32_t flags = exact_add<T>(digits, 1, exact_bits(host.init.as<T>()));
  for_each_chunk_of(chunk, host.n, [&](std::uint64_t first, std::uint64_t count) {
    d.upload(in.where(), host.in.as<T>() + first, count * sizeof(T));
    add_exactly(d, host.type, in.where(), count, digits, flags);
  });
  const auto bits = exact_round<T>(digits, flags);
  std::memcpy(host.out.address(), &bits, sizeof bits);
}

}  // namespace

void run_on_host(const target& to, const problem& host) {
  device& d = to.on();
  if (d.kind() == backend::cpu) return run(to, host);
  if (host.n == 0) choose(to, host);  // the same errors as with elements
  const std::uint64_t size = size_of(host.type), chunk = chunk_elements(d, host.n, size);
  if (chunk < host.n && to.same_on_every_device() && rounds(host))
    return host.type == dtype::f32 ? add_exactly_in_chunks<float>(to, host, chunk)
                                   : add_exactly_in_chunks<double>(to, host, chunk);
  const staging in(d, chunk * size);
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

}  // namespace upsweep::detail::reduce_impl
