#include "upsweep/cuda/text.hpp"

#include <cstdlib>
#include <map>
#include <memory>

#include "upsweep/cuda/about.hpp"

namespace upsweep::cuda {

namespace {

// The driver's calls, which the runtime finds: the library itself is not linked.
struct driver_calls {
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleGetFunction) find;
  decltype(&cuLaunchKernelEx) launch;
  decltype(&cuFuncSetAttribute) set;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) resident;
  decltype(&cuOccupancyMaxActiveClusters) clusters;
  decltype(&cuGetErrorString) words;
};

const driver_calls& driver(const char* call) {
  static const driver_calls* const found = []() -> const driver_calls* {
    static driver_calls calls;
    bool all = true;
    const auto look_up = [&]<class F>(F& to, const char* name) {
      void* at = nullptr;
      cudaDriverEntryPointQueryResult how{};
#if CUDART_VERSION >= 12050
      const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &at, 12000, cudaEnableDefault, &how);
#else
      const cudaError_t status = cudaGetDriverEntryPoint(name, &at, cudaEnableDefault, &how);
#endif
      all = all && status == cudaSuccess && how == cudaDriverEntryPointSuccess && at;
      to = reinterpret_cast<F>(at);
    };
    look_up(calls.load, "cuModuleLoadData"), look_up(calls.find, "cuModuleGetFunction");
    look_up(calls.launch, "cuLaunchKernelEx"), look_up(calls.set, "cuFuncSetAttribute");
    look_up(calls.resident, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    look_up(calls.clusters, "cuOccupancyMaxActiveClusters"), look_up(calls.words, "cuGetErrorString");
    return all ? &calls : nullptr;
  }();
  if (!found)
    throw error(fault::unsupported, call, "the NVIDIA driver is too old to load what NVRTC compiles",
                "update it, or move the call into a .cu file");
  return *found;
}

void check_driver(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  const char* words = nullptr;
  driver(call).words(status, &words);
  throw error(fault::device_failure, call, words ? words : "the driver reported code " + std::to_string(status),
              "this CUDA context may be lost; start the process again");
}

// What the driver holds against code is said of NVRTC, which made it.
bool is_about_code(CUresult status) {
  return status == CUDA_ERROR_NO_BINARY_FOR_GPU || status == CUDA_ERROR_INVALID_IMAGE ||
         status == CUDA_ERROR_INVALID_PTX || status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         status == CUDA_ERROR_INVALID_SOURCE || status == CUDA_ERROR_NOT_FOUND;
}

CUresult load(const char* call, const compiled_kernels& c, text_program& p) {
  const driver_calls& cu = driver(call);
  CUmodule module{};
  // Whoever records a graph in this thread records nothing of this.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  const CUresult loaded = cu.load(&module, c.image.c_str());
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (loaded != CUDA_SUCCESS) return loaded;
  p.compiled_for = c.compiled_for;
  p.kernels.assign(c.kernels.size(), {});
  constexpr std::string_view number = "_ZN7upsweep4text6numberILm";
  for (std::size_t i = 0; i < c.kernels.size(); ++i)
    if (c.kernels[i].starts_with(number))
      p.numbers.push_back(std::strtoull(c.kernels[i].c_str() + number.size(), nullptr, 10));
    else if (const CUresult status = cu.find(&p.kernels[i].function, module, c.kernels[i].c_str());
             status != CUDA_SUCCESS)
      return status;
  return CUDA_SUCCESS;
}

}  // namespace

text_program& program_of(device& d, const kernel_text& k) {
  static std::mutex found_lock, compiling;
  // As long as the process: contexts come and go, a GPU's primary context stays.
  static auto& found = *new std::map<std::pair<int, std::string>, std::unique_ptr<text_program>>;
  std::pair key(d.index(), k.unit);
  for (const std::string& name : k.kernels) (key.second += '\n') += name;
  const auto look = [&]() -> text_program* {
    const std::scoped_lock held(found_lock);
    const auto at = found.find(key);
    return at == found.end() ? nullptr : at->second.get();
  };
  if (text_program* const p = look()) return *p;
  const std::scoped_lock alone(compiling);
  if (text_program* const p = look()) return *p;  // another thread compiled it in the meantime
  d.make_current();
  auto made = std::make_unique<text_program>();
  const int capability = numbers_of(d).capability;
  CUresult status = load(k.call, compile(k, capability), *made);
  if (is_about_code(status)) status = load(k.call, compile(k, capability, true), *made);
  if (is_about_code(status))
    throw error(fault::unsupported, k.call,
                "the NVIDIA driver does not take what NVRTC " + nvrtc_version() + " compiles",
                "update the driver, or name an older NVRTC in UPSWEEP_NVRTC");
  check_driver(status, k.call);
  const std::scoped_lock held(found_lock);
  return *found.emplace(std::move(key), std::move(made)).first->second;
}

namespace {

struct driver_launch {
  CUlaunchAttribute attributes[3];
  CUlaunchConfig config{};

  driver_launch(const device& d, const text_launch& l) {
    config.gridDimX = static_cast<unsigned>(l.blocks), config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = static_cast<unsigned>(l.threads), config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(l.shared_bytes);
    config.hStream = d.stream();
    config.attrs = attributes;
    if (l.cluster) {
      CUlaunchAttribute& a = attributes[config.numAttrs++];
      a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      a.value.clusterDim.x = static_cast<unsigned>(l.cluster), a.value.clusterDim.y = a.value.clusterDim.z = 1;
    }
    if (l.together) {
      CUlaunchAttribute& a = attributes[config.numAttrs++];
      a.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      a.value.cooperative = 1;
    }
    if (l.ready) {
      CUlaunchAttribute& a = attributes[config.numAttrs++];
      a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      a.value.programmaticStreamSerializationAllowed = 1;
    }
  }
};

}  // namespace

void launch(device& d, const char* call, const text_kernel& k, const text_launch& l,
            std::initializer_list<const void*> arguments) {
  const driver_launch how(d, l);
  void* given[16];
  std::size_t count = 0;
  for (const void* a : arguments) given[count++] = const_cast<void*>(a);
  check_driver(driver(call).launch(&how.config, k.function, given, nullptr), call);
}

int resident_blocks(device& d, const char* call, const text_kernel& k, int threads, std::uint64_t shared_bytes) {
  return d.once(k.function, [&] {
    const driver_calls& cu = driver(call);
    check_driver(cu.set(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared_bytes)),
                 call);
    int a_multiprocessor = 0;
    check_driver(cu.resident(&a_multiprocessor, k.function, threads, shared_bytes), call);
    return a_multiprocessor * d.multiprocessors();
  });
}

void allow_shared(device& d, const char* call, const text_kernel& k, std::uint64_t bytes) {
  d.once(k.function, [&] {
    const driver_calls& cu = driver(call);
    check_driver(cu.set(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)), call);
    return 1;
  });
}

bool cluster_fits(device& d, const text_kernel& k, const text_launch& l) {
  const driver_launch how(d, l);
  int clusters = 0;
  return driver("cuda").clusters(&clusters, k.function, &how.config) == CUDA_SUCCESS && clusters > 0;
}

std::string require_size(const std::string& type, argument_bytes a) {
  a.done();
  return "static_assert(sizeof(" + type + ") == " + std::to_string(a.size()) + ");\n";
}

std::string number_of(const std::string& constant) {
  return "&upsweep::text::number<static_cast<unsigned long>(" + constant + ")>";
}

std::string fold_unit(const opencl::custom_kernel& k, const char* header) {
  std::string unit = "#include \"" + std::string(header) + "\"\n#include \"upsweep/cuda/text/words.cuh\"\n" + k.before;
  unit += "#define TEXT_ELEMENT " + k.type_text + "\n#define TEXT_ALIGN " + std::to_string(k.align) + "\n";
  if (k.op_name) {
    unit += "#define OP_NAME upsweep::" + std::string(k.op_name) + "\n";
  } else {
    unit += std::string("#define OP_COMMUTES ") + (k.commutes ? "true" : "false") + "\n#define IDENTITY_BYTES ";
    for (std::size_t i = 0; i < k.size; ++i)
      (unit += i ? "," : "") += std::to_string(static_cast<unsigned char>(k.identity[i]));
    unit += "\n";
  }
  if (k.transform_name) unit += "#define TRANSFORM_NAME upsweep::" + std::string(k.transform_name) + "\n";
  return unit + "#include \"upsweep/cuda/text/fold.cuh\"\n";
}

tagged_state tagged_state_for(device& d, const char* scratch, std::uint64_t values, std::size_t element_bytes) {
  constexpr std::uint64_t head = 256;
  const std::uint64_t bytes = head + values * ((element_bytes + 3) / 4) * sizeof(std::uint64_t);
  const memory m = d.scratch(scratch, bytes);
  return {m.address(), {m.plus_bytes(head).as<std::uint64_t>(), (bytes - head) / sizeof(std::uint64_t)}};
}

}  // namespace upsweep::cuda
