// Reduce and scan on host memory: on the CPU they run where the operands are; elsewhere they stream through device
// memory in chunks, each chunk seeded with what came before it.
#include <algorithm>

#include "upsweep/core/catalog.hpp"
#include "upsweep/core/custom.hpp"

namespace upsweep {

namespace {

// Device memory for one call.
class staging {
 public:
  staging(device& d, std::uint64_t bytes) : device_(d), where_(d.allocate(bytes)) {}
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() { device_.release(where_); }
  memory where() const { return where_; }

 private:
  device& device_;
  memory where_;
};

scalar read_back(device& d, memory where, dtype type) {
  scalar s;
  d.download(s.bytes, where, size_of(type));
  return s;
}

void reduce_in_chunks(variant_lists own, device& d, const problem& host) {
  const std::uint64_t size = size_of(host.type), chunk = chunk_elements(d, host.n, size);
  staging in(d, chunk * size);
  problem p = host;
  p.in = in.where();
  p.out = d.scratch("reduce/result", 16);
  for (std::uint64_t first = 0; first < host.n; first += chunk) {
    p.n = std::min(chunk, host.n - first);
    d.upload(p.in, host.in.as<char>() + first * size, p.n * size);
    run(own, d, p);
    p.init = read_back(d, p.out, p.type);
  }
  std::memcpy(host.out.address(), p.init.bytes, size);
}

void scan_in_chunks(variant_lists own, device& d, const problem& host) {
  const std::uint64_t size = size_of(host.type), chunk = chunk_elements(d, host.n, size);
  staging both(d, chunk * size);
  problem p = host;
  p.in = p.out = both.where();
  for (std::uint64_t first = 0; first < host.n; first += chunk) {
    p.n = std::min(chunk, host.n - first);
    scalar last_in, last_out;
    std::memcpy(last_in.bytes, host.in.as<char>() + (first + p.n - 1) * size,
                size);  // before an in-place scan overwrites it
    d.upload(p.in, host.in.as<char>() + first * size, p.n * size);
    run(own, d, p);
    d.download(host.out.as<char>() + first * size, p.out, p.n * size);
    std::memcpy(last_out.bytes, host.out.as<char>() + (first + p.n - 1) * size, size);
    p.init = carry_after(p, last_in, last_out);
  }
}

}  // namespace

void run_on_host(variant_lists own, device& d, const problem& p) {
  if (d.kind() == backend::cpu) return run(own, d, p);
  if (p.n == 0) {
    choose(own, d, p);  // the same errors as with elements
    if (p.what == primitive::reduce) std::memcpy(p.out.address(), p.init.bytes, size_of(p.type));
    return;
  }
  p.what == primitive::reduce ? reduce_in_chunks(own, d, p) : scan_in_chunks(own, d, p);
}

}  // namespace upsweep
