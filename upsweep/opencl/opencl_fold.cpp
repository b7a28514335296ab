#include "upsweep/opencl/opencl_fold.hpp"

#include <algorithm>

namespace upsweep::opencl {

std::string options_of(dtype type, const upsweep::folding& p) {
  std::string text = "-D TYPE_";
  text += name_of(type);
  (text += " -D OP_") += name_of(p.op);
  (text += " -D TRANSFORM_") += name_of(p.transform);
  return text;
}

namespace {

const char* vector_name(dtype t) {
  constexpr const char* names[]{"int4", "uint4", "long2", "ulong2", "float4", "double2"};
  return names[static_cast<int>(t)];
}

// sizeof(carrier_t) in operators.cl if the fold has a carrier, or 0.
std::size_t carrier_bytes(std::string_view type, std::string_view op) {
  if (type != "f32" && type != "f64") return 0;
  if (op == "plus") return type == "f32" ? 8 : 16;
  return op == "multiplies" ? 16 : 0;
}

}  // namespace

folding::folding(dtype type, const upsweep::folding& p)
    : options(options_of(type, p)),
      size(size_of(type)),
      carried(size),
      commutes(upsweep::commutes(p.op)),
      vector(vector_name(type)),
      init{p.init.bytes, size_of(type)},
      carrier_size(carrier_bytes(name_of(type), name_of(p.op))) {}

folding::folding(const custom_kernel& k)
    : size(k.size), carried(k.size), builtin_type(k.type_name), commutes(k.commutes), init{k.init, k.size} {
  const auto define = [&](const char* prefix, const char* name) {
    options += std::string("-D ") + prefix + name + ' ';
  };
  before = k.before;
  if (k.type_name) {
    define("TYPE_", k.type_name);
    vector = vector_name(*dtype_named(k.type_name));
  } else {
    before += "#define TYPE_SOURCE " + k.type_source + "\n";
  }
  if (k.op_name) {
    define("OP_", k.op_name);
  } else {
    before += "#define IDENTITY_BYTES ";
    for (std::size_t i = 0; i < k.size; ++i)
      (before += i ? "," : "") += std::to_string(static_cast<unsigned char>(k.identity[i]));
    before += "\n";
  }
  if (k.transform_name) define("TRANSFORM_", k.transform_name);
  if (k.type_name && k.op_name) carrier_size = carrier_bytes(k.type_name, k.op_name);
}

folding folding::on(const device& d) const {
  folding f = *this;
  if (carrier_size == 0 || !d.supports(dtype::f64)) return f;
  f.carried = carrier_size;
  f.options += " -D CARRIED";
  return f;
}

fitted fit(const device& d, const shape& s, const folding& f, memory in, memory out) {
  fitted it{s.lanes, s.rows, f.vector ? static_cast<int>(16 / f.size) : 1, 0, {}};
  if (s.lanes == 1) {
    // A multiple of 64 elements, so that a chunk divides into equal parts.
    it.tile = std::max<std::uint64_t>(static_cast<std::uint64_t>(s.chunk_bytes) / f.size / 64, 1) * 64;
    it.options = " -D LANES=1 -D CHUNK=" + std::to_string(it.tile) + " -D STREAMS=8";
  } else {
    // At most half of local memory, so that two groups fit a compute unit. Look-back needs more than its rows: nine
    // folds of tiles for each item, two of items and two of eight items.
    const auto local = [&] {
      return static_cast<std::uint64_t>(it.rows * it.lanes + (f.builtin_type ? 12 : 3) * it.lanes) * f.carried;
    };
    const std::uint64_t most = d.local_memory() / 2;
    if (!f.vector) it.rows = std::clamp(static_cast<int>(64 / f.size), 1, s.rows) | 1;
    while (it.rows > 1 && local() > most) it.rows -= 2;
    while (it.lanes > 64 && (local() > most || static_cast<std::uint64_t>(it.lanes) > d.max_group_size()))
      it.lanes /= 2;
    if (local() > d.local_memory() || static_cast<std::uint64_t>(it.lanes) > d.max_group_size())
      throw error(fault::unsupported, d.name(),
                  "elements of " + std::to_string(f.size) + " bytes do not fit the device's " +
                      std::to_string(d.local_memory()) + " bytes of local memory in a work-group of " +
                      std::to_string(it.lanes),
                  "fold smaller elements, or on the CPU");
    it.tile = static_cast<std::uint64_t>(it.lanes) * it.rows * it.vector;
    const auto aligned = [&](memory m) { return f.vector && m.offset % 16 == 0 ? "1" : "0"; };
    it.options = " -D LANES=" + std::to_string(it.lanes) + " -D ROWS=" + std::to_string(it.rows) +
                 " -D V=" + std::to_string(it.vector) + " -D VECTOR=" + (f.vector ? f.vector : "T") +
                 " -D ALIGNED_IN=" + aligned(in) + " -D ALIGNED_OUT=" + aligned(out);
    if (d.is_nvidia() && s.max_registers) it.options += " -cl-nv-maxrregcount=" + std::to_string(s.max_registers);
  }
  it.options += f.commutes ? " -D COMMUTES=1" : " -D COMMUTES=0";
  return it;
}

}  // namespace upsweep::opencl
