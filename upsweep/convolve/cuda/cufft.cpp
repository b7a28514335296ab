#if UPSWEEP_WITH_CUDA

#include "upsweep/convolve/cuda/cufft.hpp"

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
    look_up(calls.plan_many, "cufftPlanMany"), look_up(calls.set_stream, "cufftSetStream");
    look_up(calls.forward_f32, "cufftExecR2C"), look_up(calls.backward_f32, "cufftExecC2R");
    look_up(calls.forward_f64, "cufftExecD2Z"), look_up(calls.backward_f64, "cufftExecZ2D");
    return all ? &calls : nullptr;
  }();
  return found;
}

void check_cufft(cufftResult status, const char* doing) {
  if (status == CUFFT_SUCCESS) return;
  throw error(
      status == CUFFT_ALLOC_FAILED ? fault::out_of_memory : fault::device_failure, "convolve/fft on cuda",
      std::string(doing) + ": cuFFT's status " + std::to_string(status),
      status == CUFFT_ALLOC_FAILED ? "free device memory, or choose convolve/direct" : "choose convolve/direct");
}

cufftHandle cufft_plan(device& d, cufftType type, int rows, int columns, int batch) {
  using key = std::tuple<const device*, int, cufftType, int, int, int>;
  static std::mutex guard;
  static std::map<key, cufftHandle> plans;
  const std::scoped_lock lock(guard);
  const auto [at, is_new] = plans.try_emplace({&d, d.index(), type, rows, columns, batch});
  if (is_new) {
    int size[]{rows, columns};
    const int rank = rows == 1 ? 1 : 2;
    const cufftResult status =
        cufft()->plan_many(&at->second, rank, rows == 1 ? size + 1 : size, nullptr, 1, 0, nullptr, 1, 0, type, batch);
    if (status != CUFFT_SUCCESS) plans.erase(at);
    check_cufft(status, "planning a transform");
  }
  check_cufft(cufft()->set_stream(at->second, d.stream()), "choosing the stream");
  return at->second;
}

}  // namespace upsweep::cuda

#endif
