// The OpenCL device's own limits: buffer copy and fill as the runtime does them, and kernels that copy, read or do
// nothing.
#include <algorithm>

#include "peers/ceilings.hpp"
#include "upsweep/opencl/opencl_device.hpp"

namespace upsweep::peers {

namespace {

// Each group reads one contiguous part. Its items read interleaved elements, so that a GPU's loads coalesce and a CPU's
// item reads consecutive addresses.
constexpr const char* kernels = R"(
kernel void nothing(global uint* out, ulong out_at) {}

kernel void copy_vectors(global const V* in, ulong in_at, global V* out, ulong out_at, ulong part) {
  const ulong first = get_group_id(0) * part;
  for (ulong i = get_local_id(0); i < part; i += get_local_size(0)) out[first + i] = in[first + i];
}

kernel void read_vectors(global const V* in, ulong in_at, global uint* out, ulong out_at, ulong part) {
  const ulong first = get_group_id(0) * part, step = get_local_size(0);
  V a = (V)(0), b = (V)(0), c = (V)(0), d = (V)(0);
  for (ulong i = get_local_id(0); i + 3 * step < part; i += 4 * step) {
    a ^= in[first + i];
    b ^= in[first + i + step];
    c ^= in[first + i + 2 * step];
    d ^= in[first + i + 3 * step];
  }
  a ^= b ^ c ^ d;
  /* Never true for what was written there; the compiler cannot know, and must read. */
  if (a.s0 == 0x12345678u && a.s1 == 0x9abcdef0u && a.s2 == 0x13579bdfu) out[out_at] = a.s3;
}
)";

}  // namespace

std::vector<ceiling> opencl_ceilings(device& d, std::uint64_t bytes, int repeats) {
  auto& cl = opencl::of(d);
  const bool cpu = cl.is_cpu();
  const char* options = cpu ? "-D V=uint16" : "-D V=uint4";
  const std::uint64_t vector_bytes = cpu ? 64 : 16,
                      group_size = cpu ? 1 : std::min<std::uint64_t>(256, cl.max_group_size());
  const std::uint64_t groups = static_cast<std::uint64_t>(cl.compute_units()) * (cpu ? 1 : 64);
  const std::uint64_t turn = groups * group_size * vector_bytes * 4;  // what all groups read in one turn of their loops
  bytes = std::max<std::uint64_t>(bytes / turn, 1) * turn;
  const cl_ulong part = bytes / vector_bytes / groups;

  const lent_memory a(d, bytes), b(d, bytes);
  d.fill(a.where(), 1, bytes);
  d.fill(b.where(), 2, bytes);
  const opencl::operand in{a.where(), vector_bytes}, out{b.where(), vector_bytes};
  auto copy = cl.kernel({}, options, "copy_vectors", kernels);
  auto read = cl.kernel({}, options, "read_vectors", kernels);
  auto nothing = cl.kernel({}, options, "nothing", kernels);

  const double moved = static_cast<double>(bytes);
  const auto time = [&](auto work) { return fastest_seconds(d, repeats, work); };
  return {
      {"copy", limit::copy, time([&] { d.copy(b.where(), a.where(), bytes); }), 2 * moved,
       "buffer copy; read and written bytes"},
      {"copy kernel", limit::copy, time([&] { cl.launch(copy, groups, group_size, in, out, part); }), 2 * moved,
       "vector loads and stores; read and written bytes"},
      {"read", limit::read, time([&] { cl.launch(read, groups, group_size, in, out, part); }), moved, "vector loads"},
      {"write", limit::write, time([&] { d.fill(b.where(), 3, bytes); }), moved, "buffer fill"},
      {"empty launch", limit::latency, time([&] { cl.launch(nothing, 1, 1, out); }), 0,
       "the kernel's start to its end, as the runtime tells it"}};
}

}  // namespace upsweep::peers
