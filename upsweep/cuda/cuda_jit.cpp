#include "upsweep/cuda/cuda_jit.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "upsweep/core/compiled_code_cache.hpp"
#include "upsweep/core/profiler_range.hpp"
#include "upsweep/core/recently_used.hpp"
#include "upsweep/cuda/device_info.hpp"
#include "upsweep/cuda/graph_memory.hpp"
#include "upsweep/operators/wide_accumulators.hpp"

namespace upsweep::cuda {

namespace {

// The driver's functions, found through the runtime: the driver library itself is not linked.
struct driver_calls {
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
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
    look_up(calls.load, "cuModuleLoadData"), look_up(calls.unload, "cuModuleUnload");
    look_up(calls.find, "cuModuleGetFunction");
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

void unload(const char* call, CUmodule module) {
  if (driver(call).unload(module) == CUDA_SUCCESS) code_cache::note_programs(-1);
}

// A module that is not unloaded here belongs to the program.
CUresult load(const char* call, const compiled_kernels& c, const std::vector<core::literal>& literals, jit_program& p) {
  const driver_calls& cu = driver(call);
  CUmodule module{};
  const CUresult loaded = cu.load(&module, c.image.c_str());
  if (loaded != CUDA_SUCCESS) return loaded;
  code_cache::note_programs(1);
  if (const CUmodule failed = std::exchange(p.module, module)) unload(call, failed);
  if (const CUresult status = set_literals(call, module, literals); status != CUDA_SUCCESS) return status;
  p.compiled_for = c.compiled_for;
  p.kernels = std::vector<jit_kernel>(c.kernels.size());
  p.numbers.clear();
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

// compile() for code whose literals are variables, which is loaded once for each set of their values. It is kept in
// memory, since there may be no cache on disk.
std::shared_ptr<const compiled_kernels> code_with_literals(const kernel_source& k, int capability) {
  constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20;
  static auto& lock = *new std::mutex;
  static auto& kept = *new core::recently_used<std::shared_ptr<const compiled_kernels>>;
  const std::string key = key_of(k, capability);
  {
    const std::scoped_lock held(lock);
    if (const auto* const found = kept.find(key)) return *found;
  }
  auto made = std::make_shared<const compiled_kernels>(compile(k, capability));
  const std::scoped_lock held(lock);
  if (kept.find(key)) return made;
  kept.add(key, made, key.size() + made->image.size());
  kept.shrink(code_cache::most_programs(), most_bytes);
  return made;
}

void load(const device& d, const kernel_source& k, const std::vector<core::literal>& literals, jit_program& p) {
  const int capability = numbers_of(d).capability;
  CUresult status = literals.empty() ? load(k.call, compile(k, capability), literals, p)
                                     : load(k.call, *code_with_literals(k, capability), literals, p);
  if (is_about_code(status)) status = load(k.call, compile(k, capability, true), literals, p);
  if (is_about_code(status))
    throw error(fault::unsupported, k.call,
                "the NVIDIA driver does not accept code of NVRTC " + nvrtc_version() + " compiles",
                "update the driver, or name an older NVRTC in UPSWEEP_NVRTC");
  check_driver(status, k.call);
}

}  // namespace

namespace {

// Modules whose programs were dropped. They are unloaded when the next program is loaded onto their GPU.
struct dropped_modules {
  std::mutex lock;
  std::map<int, std::vector<CUmodule>> of_gpu;
};
dropped_modules& dropped() {
  static auto& all = *new dropped_modules;
  return all;
}

// The programs of one GPU. Kept as long as the process: contexts come and go, but a GPU's primary context stays.
struct loaded_programs {
  std::mutex lock;  // of `found`
  core::recently_used<std::shared_ptr<jit_program>> found;
  // Sources whose literals have to stay in them. The lock of all compilations guards it.
  core::recently_used<char> refused;
};
loaded_programs& programs_on(int gpu) {
  static auto& lock = *new std::mutex;
  static auto& all = *new std::map<int, loaded_programs>;
  const std::scoped_lock held(lock);
  return all[gpu];
}

// Unloads what no call, no graph and no kernel that is enqueued uses.
void unload_dropped(device& d, const char* call) {
  std::vector<CUmodule> modules;
  {
    const std::scoped_lock held(dropped().lock);
    modules = std::exchange(dropped().of_gpu[d.index()], {});
  }
  if (modules.empty()) return;
  if (wait_for_gpu(d.index())) {
    for (const CUmodule m : modules) unload(call, m);
    return;
  }
  const std::scoped_lock held(dropped().lock);  // there is no memory to wait: the next call tries again
  auto& left = dropped().of_gpu[d.index()];
  left.insert(left.end(), modules.begin(), modules.end());
}

}  // namespace

jit_program::~jit_program() {
  if (!module) return;
  try {
    const std::scoped_lock held(dropped().lock);
    dropped().of_gpu[gpu].push_back(module);
  } catch (const std::bad_alloc&) {
    // The module stays loaded.
  }
}

void keep_with_captured_graph(device& d, const std::shared_ptr<const void>& program) {
  const std::uint64_t now = d.capture();
  auto& p = *static_cast<jit_program*>(const_cast<void*>(program.get()));
  if (now == 0 || p.capture == now) return;
  keep_with_graph(d.stream(), program);
  p.capture = now;
}

namespace {

// The literals stay in sources that NVRTC rejects without them: positions in its messages then do too.
std::shared_ptr<jit_program> loaded(device& d, const kernel_source& k, core::recently_used<char>& refused) {
  auto made = std::make_shared<jit_program>(d.index());
  const hoisted_kernels h = hoisted(k);
  std::string key = in_full(h.kernels);
  if (h.literals.empty() || refused.find(key)) {
    load(d, k, {}, *made);
    return made;
  }
  try {
    load(d, h.kernels, h.literals, *made);
  } catch (const error& e) {
    if (e.why() != fault::bad_argument && e.why() != fault::unsupported) throw;
    refused.add(std::move(key), 0, 0);
    refused.shrink(code_cache::most_programs(), ~std::uint64_t{0});
    made = std::make_shared<jit_program>(d.index());
    load(d, k, {}, *made);
  }
  return made;
}

}  // namespace

std::shared_ptr<jit_program> program_of(device& d, const kernel_source& k) {
  static std::mutex compiling;
  loaded_programs& all = programs_on(d.index());
  std::string key = in_full(k);
  const auto look = [&]() -> std::shared_ptr<jit_program> {
    const std::scoped_lock held(all.lock);
    const auto* const p = all.found.find(key);
    return p ? *p : nullptr;
  };
  std::shared_ptr<jit_program> found = look();
  if (!found) {
    const std::scoped_lock alone(compiling);
    found = look();  // another thread may have compiled it in the meantime
    if (!found) {
      d.make_current();
      const outside_of_captures guard;  // nothing of this is captured
      const std::size_t most = code_cache::most_programs();
      found = loaded(d, k, all.refused);
      std::vector<std::shared_ptr<jit_program>> removed;
      {
        const std::scoped_lock held(all.lock);
        all.found.add(std::move(key), found, 0);
        // A quarter at once, because the GPU is waited for before they are unloaded.
        if (all.found.size() > most)
          removed =
              all.found.shrink(most - most / 4, ~std::uint64_t{0}, [](const auto& p) { return p.use_count() == 1; });
      }
      removed.clear();
      unload_dropped(d, k.call);
    }
  }
  keep_with_captured_graph(d, found);
  return found;
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
  return k.resident.get([&] {
    const outside_of_captures guard;
    const driver_calls& cu = driver(call);
    check_driver(cu.set(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared_bytes)),
                 call);
    int a_multiprocessor = 0;
    check_driver(cu.resident(&a_multiprocessor, k.function, threads, shared_bytes), call);
    return a_multiprocessor * d.multiprocessors();
  });
}

void allow_shared(device&, const char* call, const jit_kernel& k, std::uint64_t bytes) {
  k.shared.get([&] {
    const outside_of_captures guard;
    const driver_calls& cu = driver(call);
    check_driver(cu.set(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)), call);
    return 1;
  });
}

bool cluster_fits(device& d, const jit_kernel& k, const jit_launch& l) {
  return k.cluster_fits.get([&]() -> int {
    const outside_of_captures guard;
    const driver_launch how(d, l);
    int clusters = 0;
    return driver("cuda").clusters(&clusters, k.function, &how.config) == CUDA_SUCCESS && clusters > 0;
  }) != 0;
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
