#include "upsweep/cuda/device.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "upsweep/cuda/about.hpp"
#include "upsweep/cuda/usable.hpp"
#include "upsweep/memory.hpp"

namespace upsweep::cuda {

namespace {

refusal refusal_of(cudaError_t status) {
  switch (status) {
    case cudaSuccess:  // of no GPU
    case cudaErrorNoDevice: return refusal::no_gpu;
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch: return refusal::old_driver;
    case cudaErrorDevicesUnavailable: return refusal::taken;
    case cudaErrorMemoryAllocation: return refusal::no_memory;
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsRpcFailure:
    case cudaErrorMpsServerNotReady:
    case cudaErrorMpsMaxClientsReached:
    case cudaErrorMpsMaxConnectionsReached: return refusal::mps;
    case cudaErrorSystemNotReady: return refusal::not_ready;
    case cudaErrorUnsupportedPtxVersion: return refusal::old_for_ptx;
    case cudaErrorJitCompilationDisabled:
    case cudaErrorJitCompilerNotFound: return refusal::no_translator;
    default: return refusal::other;
  }
}

reason no_gpu(cudaError_t status) {
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaGetLastError();
  return why_no_gpu(refusal_of(status), driver, runtime, std::getenv("CUDA_VISIBLE_DEVICES"),
                    cudaGetErrorString(status));
}

// Asks the driver alone, and so opens nothing.
gpu_facts facts_of(int index) {
  int major = 0, minor = 0, mode = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index), "cuda");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index), "cuda");
  check(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index), "cuda");
  return {index, 10 * major + minor,
          mode == cudaComputeModeProhibited                                             ? sharing::prohibited
          : mode == cudaComputeModeExclusive || mode == cudaComputeModeExclusiveProcess ? sharing::one_process
                                                                                        : sharing::any};
}

gpu_facts current_facts() {
  int index = 0;
  if (cudaGetDevice(&index) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  return facts_of(index);
}

}  // namespace

void check(cudaError_t status, const char* where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report this one again
  const std::string what = cudaGetErrorString(status);
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
    throw error(fault::unsupported, where, "this build has no code for this GPU's architecture",
                "build again with -DUPSWEEP_CUDA_ARCHITECTURES=native");
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    const reason r = no_gpu(status);
    throw error(r.why, where, r.what, r.remedy);
  }
  const refusal refused = refusal_of(status);
  if (refused == refusal::old_for_ptx || refused == refusal::no_translator) {
    const auto r = *why_refused(refused, current_facts());
    throw error(r.why, where, r.what, r.remedy);
  }
  throw error(fault::device_failure, where, what, "this CUDA context may be lost; start the process again");
}

namespace {

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, index), "cuda");
  return value;
}

// As a GPU with less would have it.
std::uint64_t lowered(std::uint64_t limit, const std::string& device) {
  const char* const asked = std::getenv("UPSWEEP_CUDA_SHARED_LIMIT");
  if (!asked) return limit;
  const std::string_view text(asked);
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, text.data() + text.size());
  if (wrong != std::errc{} || value > (1u << 30) || (unit != "" && unit != "K"))
    throw error(fault::bad_argument, device,
                "UPSWEEP_CUDA_SHARED_LIMIT=" + std::string(text) + " is not a number of bytes", "write 101376, or 99K");
  return std::min(limit, unit == "K" ? value * 1024 : value);
}

// Both or, where one cannot be made, none.
void make_events(cudaEvent_t& start, cudaEvent_t& stop) {
  check(cudaEventCreate(&start), "cuda");
  const cudaError_t second = cudaEventCreate(&stop);
  if (second != cudaSuccess) cudaEventDestroy(start);
  check(second, "cuda");
}

std::string hardware_name(int index) {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, index), "cuda");
  return p.name;
}

}  // namespace

device::device(int index, cudaStream_t stream, bool callers_stream)
    : upsweep::device(backend::cuda), index_(index), stream_(stream), callers_stream_(callers_stream) {
  make_current();
  multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount, index);
  shared_limit_ =
      lowered(static_cast<std::uint64_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, index)), name());
  shared_bytes_per_multiprocessor_ = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, index);
  has_pool_ = attribute(cudaDevAttrMemoryPoolsSupported, index) != 0;
  if (!callers_stream_) check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cuda");
  try {
    make_events(start_, stop_);
  } catch (...) {
    if (!callers_stream_) cudaStreamDestroy(stream_);
    throw;
  }
}

device::device(const device& opened, const placement& given)
    : upsweep::device(backend::cuda, given),
      index_(opened.index_),
      stream_(given.stream ? static_cast<cudaStream_t>(*given.stream) : opened.stream_),
      callers_stream_(true),
      multiprocessors_(opened.multiprocessors_),
      shared_bytes_per_multiprocessor_(opened.shared_bytes_per_multiprocessor_),
      shared_limit_(opened.shared_limit_),
      has_pool_(opened.has_pool_) {
  make_current();
  make_events(start_, stop_);
}

std::shared_ptr<upsweep::device> device::make_placed(const placement& given) {
  return std::make_shared<device>(*this, given);
}

device::~device() {
  cudaSetDevice(index_);
  if (given().stream && !given().resource) {
    // Kept until the device closes, when the caller's stream may be gone.
    cudaDeviceSynchronize();
    closing_ = true;
    release_scratch();
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    return;
  }
  if (given().resource) {
    // What enqueued work still uses does not go back before it is done; a stream that is being captured runs nothing.
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream_, &capturing) == cudaSuccess && capturing == cudaStreamCaptureStatusNone)
      cudaStreamSynchronize(stream_);
    release_scratch();
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    return;
  }
  release_scratch();
  cudaStreamSynchronize(stream_);
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  if (!callers_stream_) cudaStreamDestroy(stream_);
}

std::string device::description() const { return hardware_name(index_); }

std::uint64_t device::total_memory() const {
  make_current();
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cuda");
  return total;
}

std::uint64_t device::free_memory() const {
  make_current();
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cuda");
  return given().resource ? std::min<std::uint64_t>(free, given().resource->free_bytes()) : free;
}

memory device::allocate(std::uint64_t bytes) {
  if (bytes == 0) return {};
  make_current();
  if (given().resource) return from_resource(bytes);
  void* base = nullptr;
  // From the pool in stream order: unlike cudaMalloc it holds up no other stream.
  const cudaError_t status = has_pool_ ? cudaMallocAsync(&base, bytes, stream_) : cudaMalloc(&base, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw error(fault::out_of_memory, name(),
                std::to_string(bytes) + " bytes were asked for and " + std::to_string(free_memory()) + " are free",
                "pass host memory, which streams through in chunks, or work on fewer elements at a time");
  }
  check(status, "cuda: allocating memory");
  return {base, 0};
}

void device::release(memory m) noexcept {
  if (given().resource) return to_resource(m);
  cudaSetDevice(index_);
  if (has_pool_ && !closing_) {
    cudaFreeAsync(m.base, stream_);
  } else {
    cudaFree(m.base);
  }
}

void device::upload(memory to, const void* from, std::uint64_t bytes) {
  make_current();
  check(cudaMemcpyAsync(to.address(), from, bytes, cudaMemcpyHostToDevice, stream_), "cuda: copying to the device");
  synchronize();
}

void device::download(void* to, memory from, std::uint64_t bytes) {
  make_current();
  check(cudaMemcpyAsync(to, from.address(), bytes, cudaMemcpyDeviceToHost, stream_), "cuda: copying from the device");
  synchronize();
}

void device::copy(memory to, memory from, std::uint64_t bytes) {
  make_current();
  check(cudaMemcpyAsync(to.address(), from.address(), bytes, cudaMemcpyDeviceToDevice, stream_), "cuda: copying");
}

void device::fill(memory to, unsigned char byte, std::uint64_t bytes) {
  make_current();
  check(cudaMemsetAsync(to.address(), byte, bytes, stream_), "cuda: filling");
}

void device::synchronize() {
  make_current();
  check(cudaStreamSynchronize(stream_), "cuda: waiting for the device");
}

namespace {

class recorded final : public moment {
 public:
  explicit recorded(const device& on) : index_(on.index()) {
    on.make_current();
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
  }
  ~recorded() override { cudaEventDestroy(event_); }

  bool passed() override {
    check(cudaSetDevice(index_), "event");
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check(status, "event");
    return status == cudaSuccess;
  }
  void wait() override {
    check(cudaSetDevice(index_), "event");
    check(cudaEventSynchronize(event_), "event");
  }
  cudaEvent_t event() const { return event_; }

 private:
  int index_;
  cudaEvent_t event_{};
};

}  // namespace

std::shared_ptr<moment> device::record() {
  auto now = std::make_shared<recorded>(*this);
  check(cudaEventRecord(now->event(), stream_), "event");
  return now;
}

void device::wait_for(moment& m) {
  auto* const of_cuda = dynamic_cast<recorded*>(&m);
  if (!of_cuda) return m.wait();
  make_current();
  check(cudaStreamWaitEvent(stream_, of_cuda->event(), 0), "event");
}

double device::seconds(const std::function<void()>& enqueue) {
  make_current();
  check(cudaEventRecord(start_, stream_), "cuda");
  enqueue();
  check(cudaEventRecord(stop_, stream_), "cuda");
  check(cudaEventSynchronize(stop_), "cuda: waiting for the device");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cuda");
  return milliseconds * 1e-3;
}

int device::find_once(const void* kernel, int form, int (*call)(const void*), const void* find) const {
  const std::pair key(kernel, form);
  const std::scoped_lock held(found_lock_);
  const auto at = found_.find(key);
  return at != found_.end() ? at->second : found_.emplace(key, call(find)).first->second;
}

int device::compiled_for(const void* kernel) {
  cudaFuncAttributes code;
  check(cudaFuncGetAttributes(&code, kernel), "cuda");
  return code.ptxVersion;
}

void device::allow_shared_bytes(const void* kernel, std::uint64_t bytes, const char* where) const {
  if (bytes > shared_limit_)
    throw error(fault::unsupported, where,
                name() + " has " + std::to_string(shared_limit_) + " bytes of shared memory for a block, and " +
                    std::to_string(bytes) + " are needed",
                "use another variant or context::cpu()");
  // All contexts of a GPU have one such number for a kernel: lowered, it would refuse what another thread is about to
  // launch.
  static std::mutex changing;
  static std::map<std::pair<const void*, int>, std::uint64_t> allowed;
  const std::scoped_lock held(changing);
  std::uint64_t& most = allowed[{kernel, index_}];
  if (bytes <= most) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), where);
  most = bytes;
}

void device::make_current() const { check(cudaSetDevice(index_), "cuda"); }

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

namespace {

// Before anything is made on a GPU: what another process or the driver has against it is said in our words.
void open_gpu(int index) {
  const std::string where = "cuda:" + std::to_string(index);
  const gpu_facts gpu = facts_of(index);
  auto why = why_unusable(gpu, carried_by(UPSWEEP_CUDA_CARRIES));
  if (!why) {
    cudaError_t status = cudaSetDevice(index);
    if (status == cudaSuccess) status = cudaFree(nullptr);  // makes the context where cudaSetDevice did not
    if (status == cudaSuccess) return;
    cudaGetLastError();
    why = why_refused(refusal_of(status), gpu);
    if (!why) check(status, where.c_str());
  }
  throw error(why->why, where, why->what, why->remedy);
}

}  // namespace

std::shared_ptr<upsweep::device> open_device(int index, void* stream, bool callers_stream) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  const std::string where = "cuda:" + std::to_string(index);
  if (status != cudaSuccess || count == 0) {
    const reason r = no_gpu(status);
    throw error(r.why, where, r.what, r.remedy);
  }
  if (index < 0 || index >= count)
    throw error(fault::no_device, where,
                "this machine has " + std::to_string(count) + " CUDA GPU" + (count == 1 ? "" : "s"),
                "name cuda:0 to cuda:" + std::to_string(count - 1));
  open_gpu(index);
  return std::make_shared<device>(index, static_cast<cudaStream_t>(stream), callers_stream);
}

void list_devices(std::vector<device_listing>& all) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess || count == 0) {
    all.push_back({backend::cuda, "cuda", "off: " + no_gpu(status).what, false, 0});
    return;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, i), "cuda");
    const std::string name = "cuda:" + std::to_string(i);
    if (const auto why = why_unusable(facts_of(i), carried_by(UPSWEEP_CUDA_CARRIES)))
      all.push_back({backend::cuda, name, std::string(p.name) + ", off: " + why->what + "; " + why->remedy, false,
                     p.totalGlobalMem});
    else
      all.push_back({backend::cuda, name, p.name, true, p.totalGlobalMem});
  }
}

gpu_numbers numbers_of(const upsweep::device& opened) {
  const auto& d = static_cast<const device&>(opened);
  const int capability = facts_of(d.index()).capability;
  const auto build = carried_by(UPSWEEP_CUDA_CARRIES);
  return {.capability = capability,
          .multiprocessors = d.multiprocessors(),
          .shared_bytes = d.shared_limit(),
          .cache_bytes = static_cast<std::uint64_t>(attribute(cudaDevAttrL2CacheSize, d.index())),
          .ready = build.empty() || has_ready_code(build, capability),
          .translated_from = translated_from(build, capability)};
}

int fewest_multiprocessors() {
  static const int fewest = [] {
    int least = 0;
    for (int i = 0; i < device_count(); ++i) {
      const int here = attribute(cudaDevAttrMultiProcessorCount, i);
      least = least == 0 ? here : std::min(least, here);
    }
    return std::max(least, 1);
  }();
  return fewest;
}

}  // namespace upsweep::cuda
