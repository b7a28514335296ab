// Calls on host memory: on the CPU they run where the operands are; elsewhere they stream through device memory in chunks,
// each chunk seeded with what came before it.
#include <algorithm>

#include "upsweep/catalog.hpp"
#include "upsweep/custom.hpp"
#include "upsweep/sort/run.hpp"

namespace upsweep {

std::uint64_t chunk_elements(const device& d, std::uint64_t n, std::uint64_t size) {
  // A quarter leaves room for scratch and for others on the device. The chunk is a power of two, so that where the seams lie,
  // and with them the grouping of a float sum, depends on free memory as little as can be.
  std::uint64_t chunk = 1;
  while (chunk < n && chunk * 2 * size <= d.free_memory() / 4) chunk *= 2;
  return std::min(std::max<std::uint64_t>(n, 1), chunk);
}

void check_scan_spans(memory in, std::uint64_t in_size, memory out, std::uint64_t out_size, std::uint64_t element_bytes,
                      bool bases_are_addresses) {
  if (in_size != out_size)
    throw error(fault::bad_argument, "scan",
                "the input has " + std::to_string(in_size) + " elements and the output " + std::to_string(out_size), "give both the same size");
  if (in_size == 0) return;
  if (!bases_are_addresses && in.base != out.base) return;
  const auto begin = [](memory m) { return reinterpret_cast<std::uintptr_t>(m.base) + m.offset; };
  const std::uint64_t a = begin(in), b = begin(out), bytes = in_size * element_bytes;
  if (a != b && a < b + bytes && b < a + bytes)
    throw error(fault::bad_argument, "scan", "the input and the output overlap without being the same",
                "scan in place exactly, or into memory of its own");
}

scalar carry_after(const problem& p, scalar last_in, scalar last_out) {
  if (p.inclusive) return last_out;
  return with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(p.op, [&](auto op) {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>))
        return scalar::of<T>(op(last_out.as<T>(), lifted(op, any_transform{p.transform}(last_in.as<T>()))));
      return scalar{};
    });
  });
}

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

void reduce_in_chunks(device& d, const problem& host) {
  const std::uint64_t size = size_of(host.type), chunk = chunk_elements(d, host.n, size);
  staging in(d, chunk * size);
  problem p = host;
  p.in = in.where();
  p.out = d.scratch("reduce/result", 16);
  for (std::uint64_t first = 0; first < host.n; first += chunk) {
    p.n = std::min(chunk, host.n - first);
    d.upload(p.in, host.in.as<char>() + first * size, p.n * size);
    run(d, p);
    p.init = read_back(d, p.out, p.type);
  }
  std::memcpy(host.out.address(), p.init.bytes, size);
}

void scan_in_chunks(device& d, const problem& host) {
  const std::uint64_t size = size_of(host.type), chunk = chunk_elements(d, host.n, size);
  staging both(d, chunk * size);
  problem p = host;
  p.in = p.out = both.where();
  for (std::uint64_t first = 0; first < host.n; first += chunk) {
    p.n = std::min(chunk, host.n - first);
    scalar last_in, last_out;
    std::memcpy(last_in.bytes, host.in.as<char>() + (first + p.n - 1) * size, size);  // before an in-place scan overwrites it
    d.upload(p.in, host.in.as<char>() + first * size, p.n * size);
    run(d, p);
    d.download(host.out.as<char>() + first * size, p.out, p.n * size);
    std::memcpy(last_out.bytes, host.out.as<char>() + (first + p.n - 1) * size, size);
    p.init = carry_after(p, last_in, last_out);
  }
}

}  // namespace

void run_on_host(device& d, const problem& p) {
  if (p.what >= primitive::sort && p.what <= primitive::is_sorted) return sort_room::run_from_host(d, p);
  if (d.kind() == backend::cpu) return run(d, p);
  if (p.n == 0) {
    choose(d, p);  // the same errors as with elements
    if (p.what == primitive::reduce) std::memcpy(p.out.address(), p.init.bytes, size_of(p.type));
    return;
  }
  if (p.what == primitive::reduce) return reduce_in_chunks(d, p);
  if (p.what == primitive::scan) return scan_in_chunks(d, p);
  throw error(fault::unsupported, std::string(name_of(p.what)), "it has no form for host memory", "put the operands into buffers");
}

}  // namespace upsweep
