// NPP's filters, where its library is found when the program runs. Its headers need not be there: the few declarations
// that matter are these.
#include <dlfcn.h>

#include <string>

#include "peers/peers.hpp"
#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::convolve_impl::problem;
using primitive = detail::convolve_impl::primitive;
using prepared = prepared_for<problem>;

struct npp_size {
  int width, height;
};
struct npp_point {
  int x, y;
};
struct npp_stream_context {
  cudaStream_t stream;
  int device, multiprocessors, threads_per_multiprocessor, threads_per_block;
  std::size_t shared_bytes_per_block;
  int compute_major, compute_minor;
  unsigned int stream_flags;
  int reserved;
};
inline constexpr int npp_replicate = 2;  // NPP_BORDER_REPLICATE

using filter_f32 = int(const float*, int, npp_size, npp_point, float*, int, npp_size, const float*, npp_size, npp_point,
                       int, npp_stream_context);
using line_f32 = int(const float*, int, npp_size, npp_point, float*, int, npp_size, const float*, int, int, int,
                     npp_stream_context);

struct npp_calls {
  filter_f32* filter = nullptr;
  line_f32 *row = nullptr, *column = nullptr;
};

const npp_calls* npp() {
  static const npp_calls* const found = []() -> const npp_calls* {
    void* library = nullptr;
    for (const char* name : {"libnppif.so.13", "libnppif.so.12", "/usr/local/cuda/lib64/libnppif.so"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static npp_calls calls;
    calls.filter = reinterpret_cast<filter_f32*>(dlsym(library, "nppiFilterBorder_32f_C1R_Ctx"));
    calls.row = reinterpret_cast<line_f32*>(dlsym(library, "nppiFilterRowBorder_32f_C1R_Ctx"));
    calls.column = reinterpret_cast<line_f32*>(dlsym(library, "nppiFilterColumnBorder_32f_C1R_Ctx"));
    return calls.filter && calls.row && calls.column ? &calls : nullptr;
  }();
  return found;
}

npp_stream_context context_of(const cuda::device& d) {
  npp_stream_context c{};
  c.stream = d.stream(), c.device = d.index(), c.multiprocessors = d.multiprocessors();
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    cuda::check(cudaDeviceGetAttribute(&value, which, d.index()), "NPP");
    return value;
  };
  c.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  c.threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock);
  c.shared_bytes_per_block = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  c.compute_major = attribute(cudaDevAttrComputeCapabilityMajor),
  c.compute_minor = attribute(cudaDevAttrComputeCapabilityMinor);
  cuda::check(cudaStreamGetFlags(d.stream(), &c.stream_flags), "NPP");
  return c;
}

// NPP wants weights in reverse order: those of a mask, or of a row and a column, whose pillar's one weight goes into
// the column's.
__global__ void turn_weights(const float* from, float* to, int row, int column) {
  for (int i = static_cast<int>(threadIdx.x); i < row + column; i += static_cast<int>(blockDim.x)) {
    const bool second = i >= row;
    const int first = second ? row : 0, count = second ? column : row;
    to[i] = from[first + count - 1 - (i - first)] * (second ? from[row + column] : 1.0f);
  }
}

bool takes_picture(const problem& p) {
  const auto small = [](std::uint64_t x) { return x < (1u << 28); };
  return npp() && p.type == dtype::f32 && p.mask_type == dtype::f32 && p.out_type == dtype::f32 &&
         p.edge == border::clamp && !p.flipped && p.channels == 1 && p.size.z == 1 && p.mask.z == 1 && p.mask.y > 1 &&
         p.mask.x % 2 == 1 && p.mask.y % 2 == 1 && p.anchor == extent{p.mask.x / 2, p.mask.y / 2, 0} &&
         small(p.size.x) && small(p.size.y);
}

struct npp_picture {
  npp_size size;
  int pitch, out_pitch;
};
npp_picture picture_of(const problem& p) {
  const auto g = detail::convolve_impl::geometry_of(p);
  return {{static_cast<int>(g.in.x), static_cast<int>(g.in.y)},
          static_cast<int>(g.in_pitch * sizeof(float)),
          static_cast<int>(g.out_pitch * sizeof(float))};
}

void require(int status, const char* call) {
  if (status != 0)
    throw error(fault::device_failure, call, "NPP's status " + std::to_string(status), "leave this peer out");
}

prepared prepare_filter(device& any, const problem& shape) {
  cuda::device& d = cuda::of(any);
  d.make_current();
  float* const weights = d.scratch("peers/npp", shape.mask.count() * sizeof(float)).as<float>();
  return [weights, stream = d.stream(), context = context_of(d)](const problem& p) {
    const int width = static_cast<int>(p.mask.x), height = static_cast<int>(p.mask.y);
    turn_weights<<<1, 256, 0, stream>>>(p.in2.as<const float>(), weights, width * height, 0);
    const npp_picture s = picture_of(p);
    require(npp()->filter(p.in.as<const float>(), s.pitch, s.size, {0, 0}, p.out.as<float>(), s.out_pitch, s.size,
                          weights, {width, height}, {width / 2, height / 2}, npp_replicate, context),
            "nppiFilterBorder");
  };
}

prepared prepare_lines(device& any, const problem& shape) {
  cuda::device& d = cuda::of(any);
  d.make_current();
  float* const weights = d.scratch("peers/npp", (shape.mask.x + shape.mask.y) * sizeof(float)).as<float>();
  float* const rows = d.scratch("peers/npp rows", shape.n * sizeof(float)).as<float>();
  return [weights, rows, stream = d.stream(), context = context_of(d)](const problem& p) {
    const int width = static_cast<int>(p.mask.x), height = static_cast<int>(p.mask.y);
    turn_weights<<<1, 256, 0, stream>>>(p.in3.as<const float>(), weights, width, height);
    const npp_picture s = picture_of(p);
    const int between = static_cast<int>(p.size.x * sizeof(float));
    require(npp()->row(p.in.as<const float>(), s.pitch, s.size, {0, 0}, rows, between, s.size, weights, width,
                       width / 2, npp_replicate, context),
            "nppiFilterRowBorder");
    require(npp()->column(rows, between, s.size, {0, 0}, p.out.as<float>(), s.out_pitch, s.size, weights + width,
                          height, height / 2, npp_replicate, context),
            "nppiFilterColumnBorder");
  };
}

}  // namespace

void add_npp(std::vector<peer>& list, std::vector<std::string>& absent) {
  if (!npp()) {
    absent.push_back("NPP: libnppif was not found");
    return;
  }
  list.push_back(peer_for<problem>{"npp", "NPP", "FilterBorder; its weights are turned first, by a launch of its own",
                                   backend::cuda, primitive::convolve, takes_picture, prepare_filter});
  list.push_back(peer_for<problem>{
      "npp-row-column", "NPP", "FilterRowBorder, then FilterColumnBorder; the weights are turned first", backend::cuda,
      primitive::convolve, [](const problem& p) { return p.rank == 1 && takes_picture(p); }, prepare_lines});
}

}  // namespace upsweep::peers
