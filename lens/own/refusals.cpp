#include "lens/own/refusals.hpp"

#include <algorithm>

namespace upsweep::lens::own {

namespace {

struct refusal {
  std::string_view word;  // a * at its end: any that begin so
  const char* what;
};

constexpr const char *assembly = "inline assembly", *texture = "a texture", *surface = "a surface",
                     *tensor = "matrices of a warp (wmma)", *whole_grid = "a group larger than a block or a cluster",
                     *clock_words = "a clock (time means nothing on this machine)", *graph = "a graph of launches",
                     *driver = "the driver's interface", *old_shuffle = "a shuffle or vote without _sync",
                     *part = "a group made of the lanes that happen to be together", *library = "a library's call",
                     *callback = "a call back to the host", *sharing = "memory of other devices or programs";

constexpr refusal words[]{
    {"asm", assembly},
    {"__asm__", assembly},
    {"__asm", assembly},
    {"texture", nullptr},
    {"cudaTextureObject_t", texture},
    {"cudaBindTexture*", texture},
    {"tex1D*", texture},
    {"tex2D*", texture},
    {"tex3D*", texture},
    {"cudaArray*", texture},
    {"cudaMallocArray", texture},
    {"cudaMalloc3D*", texture},
    {"cudaSurfaceObject_t", surface},
    {"surf1D*", surface},
    {"surf2D*", surface},
    {"wmma", tensor},
    {"nvcuda", tensor},
    {"this_grid", whole_grid},
    {"this_multi_grid", whole_grid},
    {"cudaLaunchCooperativeKernel*", whole_grid},
    {"coalesced_threads", part},
    {"block_tile_memory", "a tile of several warps"},
    {"labeled_partition", part},
    {"binary_partition", part},
    {"clock64", clock_words},
    {"globaltimer", clock_words},
    {"cudaGraph*", graph},
    {"cudaStreamBeginCapture", graph},
    {"cuLaunchKernel", driver},
    {"cuModuleLoad*", driver},
    {"cuMem*", driver},
    {"__shfl", old_shuffle},
    {"__shfl_up", old_shuffle},
    {"__shfl_down", old_shuffle},
    {"__shfl_xor", old_shuffle},
    {"__ballot", old_shuffle},
    {"__any", old_shuffle},
    {"__all", old_shuffle},
    {"cublas*", library},
    {"cufft*", library},
    {"curand*", library},
    {"cusparse*", library},
    {"cusolver*", library},
    {"cudaStreamAddCallback", callback},
    {"cudaLaunchHostFunc", callback},
    {"cudaIpc*", sharing},
    {"cudaHostRegister", "memory that is pinned after it was allocated"},
};

constexpr const char *elsewhere = "a library of its own", *halves = "16-bit and 8-bit floating-point numbers";

constexpr refusal headers[]{
    {"thrust/*", elsewhere},
    {"cub/*", elsewhere},
    {"cuda/*", elsewhere},
    {"cutlass/*", elsewhere},
    {"cublas*", elsewhere},
    {"cufft*", elsewhere},
    {"curand*", elsewhere},
    {"cusparse*", elsewhere},
    {"cusolver*", elsewhere},
    {"cudnn*", elsewhere},
    {"npp*", elsewhere},
    {"nccl*", elsewhere},
    {"cuda_fp16*", halves},
    {"cuda_bf16*", halves},
    {"cuda_fp8*", halves},
    {"mma.h", tensor},
    {"cuda_pipeline*", "copies that go on beside the kernel"},
    {"cooperative_groups/memcpy_async.h", "copies that go on beside the kernel"},
    {"cooperative_groups/scan.h", "a scan of a group"},
    {"nvrtc*", "compiling at run time"},
    {"cuda_gl_interop.h", "OpenGL"},
    {"GL/*", "OpenGL"},
};

const char* found(const refusal* begin, const refusal* end, std::string_view word) {
  const auto matches = [&](const refusal& r) {
    return r.word.ends_with('*') ? word.starts_with(r.word.substr(0, r.word.size() - 1)) : word == r.word;
  };
  const refusal* at = std::find_if(begin, end, matches);
  return at == end ? nullptr : at->what;
}

}  // namespace

const char* why_refused(std::string_view word) { return found(std::begin(words), std::end(words), word); }
const char* why_refused_header(std::string_view name) { return found(std::begin(headers), std::end(headers), name); }

}  // namespace upsweep::lens::own
