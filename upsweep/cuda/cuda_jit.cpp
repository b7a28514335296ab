#include "upsweep/cuda/cuda_jit.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "upsweep/core/profiler_range.hpp"
#include "upsweep/cuda/device_info.hpp"
#include "upsweep/cuda/graph_memory.hpp"
#include "upsweep/operators/wide_accumulators.hpp"

namespace upsweep::cuda {

namespace {

// The driver's functions, found through the runtime: the driver library itself is not linked.
struct driver_calls {
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleGetFunction) find;
  decltype(&cuModuleGetGlobal) find_variable;
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
    look_up(calls.find_variable, "cuModuleGetGlobal");
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
  throw_failure(status, call, words ? words : "the driver reported code " + std::to_string(status));
}

// The driver rejected the code itself; the error then names NVRTC, which compiled it.
bool is_about_code(CUresult status) {
  return status == CUDA_ERROR_NO_BINARY_FOR_GPU || status == CUDA_ERROR_INVALID_IMAGE ||
         status == CUDA_ERROR_INVALID_PTX || status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         status == CUDA_ERROR_INVALID_SOURCE || status == CUDA_ERROR_NOT_FOUND;
}

// Sets the values of the loaded code's literals, on a stream of its own: no other stream waits for it, and a captured
// stream could not be used.
CUresult set_literals(const char* call, CUmodule module, const std::vector<core::literal>& literals) {
  if (literals.empty()) return CUDA_SUCCESS;
  std::vector<unsigned char> bytes(literals.size() * sizeof(core::literal::bytes));
  for (std::size_t k = 0; k < literals.size(); ++k)
    std::memcpy(bytes.data() + k * sizeof(core::literal::bytes), literals[k].bytes, sizeof(core::literal::bytes));
  CUdeviceptr to{};
  std::size_t size = 0;
  if (const CUresult status = driver(call).find_variable(&to, &size, module, literals_name); status != CUDA_SUCCESS)
    return status;
  if (size != bytes.size()) return CUDA_ERROR_NOT_FOUND;
  cudaStream_t stream{};
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), call);
  cudaError_t status = cudaMemcpyAsync(reinterpret_cast<void*>(static_cast<std::uintptr_t>(to)), bytes.data(), size,
                                       cudaMemcpyHostToDevice, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  check(status, call);
  return CUDA_SUCCESS;
}

CUresult load(const char* call, const compiled_kernels& c, const std::vector<core::literal>& literals, jit_program& p) {
  const driver_calls& cu = driver(call);
  CUmodule module{};
  const CUresult loaded = cu.load(&module, c.image.c_str());
  if (loaded != CUDA_SUCCESS) return loaded;
  if (const CUresult status = set_literals(call, module, literals); status != CUDA_SUCCESS) return status;
  p.compiled_for = c.compiled_for;
  p.kernels.assign(c.kernels.size(), {});
  constexpr std::string_view number = "_ZN7upsweep3jit6numberILm";
  for (std::size_t i = 0; i < c.kernels.size(); ++i)
    if (c.kernels[i].starts_with(number))
      p.numbers.push_back(std::strtoull(c.kernels[i].c_str() + number.size(), nullptr, 10));
    else if (const CUresult status = cu.find(&p.kernels[i].function, module, c.kernels[i].c_str());
             status != CUDA_SUCCESS)
      return status;
  return CUDA_SUCCESS;
}

}  // namespace

namespace {

std::string in_full(const kernel_source& k) {
  std::string all = k.unit;
  for (const std::string& name : k.kernels) (all += '\n') += name;
  return all;
}

void load(const device& d, const kernel_source& k, const std::vector<core::literal>& literals, jit_program& p) {
  const int capability = numbers_of(d).capability;
  CUresult status = load(k.call, compile(k, capability), literals, p);
  if (is_about_code(status)) status = load(k.call, compile(k, capability, true), literals, p);
  if (is_about_code(status))
    throw error(fault::unsupported, k.call,
                "the NVIDIA driver does not accept code of NVRTC " + nvrtc_version() + " compiles",
                "update the driver, or name an older NVRTC in UPSWEEP_NVRTC");
  check_driver(status, k.call);
}

}  // namespace

jit_program& program_of(device& d, const kernel_source& k) {
  static std::mutex found_lock, compiling;
  // Kept as long as the process: contexts come and go, but a GPU's primary context stays.
  static auto& found = *new std::map<std::pair<int, std::string>, std::unique_ptr<jit_program>>;
  static auto& refused = *new std::set<std::pair<int, std::string>>;  // with literals as variables
  std::pair key(d.index(), in_full(k));
  const auto look = [&]() -> jit_program* {
    const std::scoped_lock held(found_lock);
    const auto at = found.find(key);
    return at == found.end() ? nullptr : at->second.get();
  };
  if (jit_program* const p = look()) return *p;
  const std::scoped_lock alone(compiling);
  if (jit_program* const p = look()) return *p;  // another thread compiled it in the meantime
  d.make_current();
  const outside_of_captures guard;  // nothing of this is captured
  auto made = std::make_unique<jit_program>();
  const hoisted_kernels h = hoisted(k);
  std::pair hoisted_key(d.index(), in_full(h.kernels));
  if (h.literals.empty() || refused.contains(hoisted_key)) {
    load(d, k, {}, *made);
  } else {
    try {
      load(d, h.kernels, h.literals, *made);
    } catch (const error& e) {
      if (e.why() != fault::bad_argument && e.why() != fault::unsupported) throw;
      // The literals stay in the device source, so positions in error messages do too.
      refused.insert(std::move(hoisted_key));
      made = std::make_unique<jit_program>();
      load(d, k, {}, *made);
    }
  }
  const std::scoped_lock held(found_lock);
  return *found.emplace(std::move(key), std::move(made)).first->second;
}

namespace {

struct driver_launch {
  CUlaunchAttribute attributes[3];
  CUlaunchConfig config{};

  driver_launch(const device& d, const jit_launch& l) {
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

void launch(device& d, const char* call, const jit_kernel& k, const jit_launch& l,
            std::initializer_list<const void*> arguments) {
  const core::profiler_range range(call);
  const driver_launch how(d, l);
  void* given[16];
  std::size_t count = 0;
  for (const void* a : arguments) given[count++] = const_cast<void*>(a);
  check_driver(driver(call).launch(&how.config, k.function, given, nullptr), call);
}

int resident_blocks(device& d, const char* call, const jit_kernel& k, int threads, std::uint64_t shared_bytes) {
  return d.once(k.function, [&] {
    const driver_calls& cu = driver(call);
    check_driver(cu.set(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared_bytes)),
                 call);
    int a_multiprocessor = 0;
    check_driver(cu.resident(&a_multiprocessor, k.function, threads, shared_bytes), call);
    return a_multiprocessor * d.multiprocessors();
  });
}

void allow_shared(device& d, const char* call, const jit_kernel& k, std::uint64_t bytes) {
  d.once(k.function, [&] {
    const driver_calls& cu = driver(call);
    check_driver(cu.set(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)), call);
    return 1;
  });
}

bool cluster_fits(device& d, const jit_kernel& k, const jit_launch& l) {
  const driver_launch how(d, l);
  int clusters = 0;
  return driver("cuda").clusters(&clusters, k.function, &how.config) == CUDA_SUCCESS && clusters > 0;
}

std::string require_size(const std::string& type, argument_bytes a) {
  a.done();
  return "static_assert(sizeof(" + type + ") == " + std::to_string(a.size()) + ");\n";
}

std::string number_of(const std::string& constant) {
  return "&upsweep::jit::number<static_cast<unsigned long>(" + constant + ")>";
}

std::string fold_unit(const opencl::custom_kernel& k, const char* header) {
  std::string unit =
      "#include \"" + std::string(header) + "\"\n#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n" + k.before;
  unit += "#define SOURCE_ELEMENT " + k.type_source + "\n#define SOURCE_ALIGN " + std::to_string(k.align) + "\n";
  if (k.op_name) {
    unit += "#define OP_NAME upsweep::" + std::string(k.op_name) + "\n";
  } else {
    unit += std::string("#define OP_COMMUTES ") + (k.commutes ? "true" : "false") + "\n#define IDENTITY_BYTES ";
    for (std::size_t i = 0; i < k.size; ++i)
      (unit += i ? "," : "") += std::to_string(static_cast<unsigned char>(k.identity[i]));
    unit += "\n";
  }
  if (k.transform_name) unit += "#define TRANSFORM_NAME upsweep::" + std::string(k.transform_name) + "\n";
  return unit + "#include \"upsweep/cuda/jit/jit_fold.cuh\"\n";
}

carrier_layout carrier_of(const opencl::custom_kernel& k) {
  const auto is = [&](dtype type, op_kind op) {
    return k.type_name && k.op_name && k.type_name == name_of(type) && k.op_name == name_of(op);
  };
  if (is(dtype::f32, op_kind::plus)) return {sizeof(double), alignof(double), 2};
  if (is(dtype::f64, op_kind::plus)) return {sizeof(core::scaled_sum), alignof(core::scaled_sum), 3};
  if (is(dtype::f32, op_kind::multiplies) || is(dtype::f64, op_kind::multiplies))
    return {sizeof(core::scaled_product), alignof(core::scaled_product), 3};
  return {k.size, k.align, static_cast<int>((k.size + 3) / 4)};
}

tagged_state tagged_state_for(device& d, const char* scratch, std::uint64_t values, std::size_t element_bytes) {
  constexpr std::uint64_t head = 256;
  const std::uint64_t bytes = head + values * ((element_bytes + 3) / 4) * sizeof(std::uint64_t);
  const memory m = d.scratch(scratch, bytes);
  return {m.address(), {m.plus_bytes(head).as<std::uint64_t>(), (bytes - head) / sizeof(std::uint64_t)}};
}

}  // namespace upsweep::cuda
