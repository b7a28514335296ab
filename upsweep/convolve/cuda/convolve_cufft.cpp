#if UPSWEEP_WITH_CUDA

#include "upsweep/convolve/cuda/convolve_cufft.hpp"
#include "upsweep/cuda/graph_memory.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <tuple>

namespace upsweep::cuda {

const cufft_calls* cufft() {
  static const cufft_calls* const found = []() -> const cufft_calls* {
    constexpr int version = CUFFT_VERSION / 1000;  // 12100: libcufft.so.12
    void* library = dlopen(("libcufft.so." + std::to_string(version)).c_str(), RTLD_NOW | RTLD_LOCAL);
    for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/"})
      if (!library)
        library = dlopen((folder + ("libcufft.so." + std::to_string(version))).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static cufft_calls calls;
    bool all = true;
    const auto look_up = [&]<class F>(F& call, const char* name) {
      call = reinterpret_cast<F>(dlsym(library, name));
      all = all && call;
    };
    look_up(calls.create, "cufftCreate"), look_up(calls.destroy, "cufftDestroy");
    look_up(calls.allocate_area, "cufftSetAutoAllocation"), look_up(calls.make_plan, "cufftMakePlanMany");
    look_up(calls.set_area, "cufftSetWorkArea"), look_up(calls.set_stream, "cufftSetStream");
    look_up(calls.forward_f32, "cufftExecR2C"), look_up(calls.backward_f32, "cufftExecC2R");
    look_up(calls.forward_f64, "cufftExecD2Z"), look_up(calls.backward_f64, "cufftExecZ2D");
    return all ? &calls : nullptr;
  }();
  return found;
}

namespace {

void check_cufft(cufftResult status, const char* doing) {
  if (status == CUFFT_SUCCESS) return;
  throw error(
      status == CUFFT_ALLOC_FAILED ? fault::out_of_memory : fault::device_failure, "convolve/fft on cuda",
      std::string(doing) + ": cuFFT's status " + std::to_string(status),
      status == CUFFT_ALLOC_FAILED ? "free device memory, or choose convolve/direct" : "choose convolve/direct");
}

struct plan {
  cufftHandle handle;
  std::size_t area_bytes;
  bool captured;  // a CUDA graph may use its tables, for as long as the process runs
};
using shape = std::tuple<int, cufftType, int, int, int>;  // of one GPU

plan made(const shape& s) {
  const auto& [gpu, type, rows, columns, batch] = s;
  plan p{};
  check_cufft(cufft()->create(&p.handle), "creating a plan");
  int size[]{rows, columns};
  const int rank = rows == 1 ? 1 : 2;
  cufftResult status = cufft()->allocate_area(p.handle, 0);
  if (status == CUFFT_SUCCESS)
    status = cufft()->make_plan(p.handle, rank, rows == 1 ? size + 1 : size, nullptr, 1, 0, nullptr, 1, 0, type, batch,
                                &p.area_bytes);
  if (status != CUFFT_SUCCESS) cufft()->destroy(p.handle);
  check_cufft(status, "planning a transform");
  return p;
}

// On all GPUs, after their transforms have run: cudaFree waits for them and, unlike cudaDeviceSynchronize, may be
// called while some stream is being captured.
void forget_those_not_captured(std::map<shape, plan>& plans) {
  int here = 0;
  check(cudaGetDevice(&here), "convolve/fft on cuda");
  for (auto at = plans.begin(); at != plans.end();) {
    if (at->second.captured) {
      ++at;
      continue;
    }
    void* one = nullptr;
    check(cudaSetDevice(std::get<0>(at->first)), "convolve/fft on cuda");
    check(cudaMalloc(&one, 1), "convolve/fft on cuda");
    check(cudaFree(one), "convolve/fft on cuda");
    cufft()->destroy(at->second.handle);
    at = plans.erase(at);
  }
  check(cudaSetDevice(here), "convolve/fft on cuda");
}

}  // namespace

void transform_by_cufft(device& d, cufftType type, int rows, int columns, int batch, const char* doing,
                        const std::function<cufftResult(cufftHandle)>& transform) {
  constexpr std::size_t most_plans = 256;
  static std::mutex one_at_a_time;
  static std::map<shape, plan> plans;
  const shape wanted{d.index(), type, rows, columns, batch};
  const std::scoped_lock lock(one_at_a_time);
  auto at = plans.find(wanted);
  const bool captured = d.capture() != 0;
  if (at == plans.end()) {
    const outside_of_captures guard;
    if (plans.size() >= most_plans) forget_those_not_captured(plans);
    at = plans.emplace(wanted, made(wanted)).first;
    // cuFFT copies its tables in the default stream, which this stream does not wait for, so wait for them here.
    check(cudaStreamSynchronize(cudaStreamLegacy), "convolve/fft on cuda");
  }
  plan& p = at->second;
  p.captured = p.captured || captured;
  check_cufft(cufft()->set_stream(p.handle, d.stream()), "choosing the stream");
  if (p.area_bytes != 0)
    check_cufft(cufft()->set_area(p.handle, d.scratch("convolve/cuda transform", p.area_bytes).as<void>()),
                "giving a plan its memory");
  check_cufft(transform(p.handle), doing);
}

}  // namespace upsweep::cuda

#endif
