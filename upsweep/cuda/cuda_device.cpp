#include "upsweep/cuda/cuda_device.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>

#include "upsweep/core/driver_query.hpp"
#include "upsweep/cuda/device_info.hpp"
#include "upsweep/cuda/graph_memory.hpp"
#include "upsweep/cuda/usable_devices.hpp"
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

// Queries only the driver, and so initialises no GPU.
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
  throw_failure(status, where, what);
}

void throw_failure(int status, const char* where, const std::string& what) {
  switch (status) {
    case cudaErrorStreamCaptureImplicit:
      throw error(fault::unsupported, where, what + ": the default stream waits for a stream that is being captured",
                  "capture on a stream made with cudaStreamNonBlocking, or give the call a stream of its own");
    case cudaErrorCapturedEvent:
      throw error(fault::unsupported, where, what + ": the event was recorded in a capture",
                  "only streams of that capture can wait for it");
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureWrongThread:
      throw error(
          fault::unsupported, where, what,
          "end the capture (cudaStreamEndCapture) and make this call before it; no memory and no context is lost");
    // Sticky errors: every later call to CUDA fails with them.
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorUnknown:
      throw error(fault::device_failure, where, what, "this CUDA context is lost; start the process again");
    case cudaErrorMemoryAllocation:
      throw error(fault::out_of_memory, where, what, "release memory of the GPU, or work on fewer elements at a time");
    default:
      throw error(fault::device_failure, where, what, "only this call failed; the CUDA context can still be used");
  }
}

namespace {

// Memory that the process allocated through allocate(), for each GPU: by address, and the total.
struct allocations {
  std::mutex lock;
  std::map<void*, std::uint64_t> bytes;
  std::uint64_t all = 0;
  std::atomic<void*> reserve{nullptr};  // wait_for_gpu's
  std::atomic<int> devices{0};          // that are open

  void add(void* base, std::uint64_t n) {
    const std::scoped_lock held(lock);
    bytes[base] = n, all += n;
  }
  void remove(void* base) noexcept {
    const std::scoped_lock held(lock);
    const auto at = bytes.find(base);
    if (at == bytes.end()) return;
    all -= at->second;
    bytes.erase(at);
  }
  std::uint64_t sum() {
    const std::scoped_lock held(lock);
    return all;
  }
};
allocations& allocated_on(int gpu) noexcept {
  static std::mutex& lock = *new std::mutex;
  static auto& all = *new std::map<int, allocations>;
  const std::scoped_lock held(lock);
  return all[gpu];
}

// Requires that the GPU is the current one.
void reserve_for_waiting(int gpu) noexcept {
  std::atomic<void*>& reserve = allocated_on(gpu).reserve;
  if (reserve) return;
  const outside_of_captures guard;
  void* one = nullptr;
  if (cudaMalloc(&one, 1) != cudaSuccess) cudaGetLastError();
  if (void* none = nullptr; one && !reserve.compare_exchange_strong(none, one)) cudaFree(one);
}

}  // namespace

// cudaDeviceSynchronize is an error, and ends captures, while any stream of the GPU is being captured. cudaFree also
// waits, and does neither. One byte is reserved for it, since memory may be exhausted.
bool wait_for_gpu(int gpu) noexcept {
  const outside_of_captures guard;
  void* one = allocated_on(gpu).reserve.exchange(nullptr);
  const auto done = [](cudaError_t status) {
    if (status != cudaSuccess) cudaGetLastError();
    return status == cudaSuccess;
  };
  if (!one && !done(cudaMalloc(&one, 1))) return false;
  const bool waited = done(cudaFree(one));
  reserve_for_waiting(gpu);
  return waited;
}

namespace {

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, index), "cuda");
  return value;
}

// Behaves like a GPU with a smaller limit.
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

// Both, or none if one cannot be created.
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
  owner_ = core::owned_by_cuda(index);
  make_current();
  const outside_of_captures guard;
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
  ++allocated_on(index).devices;
  reserve_for_waiting(index);
}

device::device(const device& opened, const stream_and_memory& given)
    : upsweep::device(backend::cuda, given),
      index_(opened.index_),
      stream_(given.stream ? static_cast<cudaStream_t>(*given.stream) : opened.stream_),
      callers_stream_(true),
      multiprocessors_(opened.multiprocessors_),
      shared_bytes_per_multiprocessor_(opened.shared_bytes_per_multiprocessor_),
      shared_limit_(opened.shared_limit_),
      has_pool_(opened.has_pool_) {
  owner_ = opened.owner_;
  make_current();
  const outside_of_captures guard;
  make_events(start_, stop_);
  ++allocated_on(index_).devices;
}

std::shared_ptr<upsweep::device> device::make_with(const stream_and_memory& given) {
  return std::make_shared<device>(*this, given);
}

device::~device() {
  cudaSetDevice(index_);
  const outside_of_captures guard;
  // Scratch of a caller's stream is kept until the device closes; the stream may be destroyed by then.
  const bool may_be_gone = given().stream && !given().resource, captured = !may_be_gone && capturing();
  for (const auto& [base, c] : claims_) cudaUserObjectRelease(c.claim, 1);
  if (may_be_gone) {
    if (!wait_for_gpu(index_)) cudaDeviceSynchronize();
    closing_ = true;
  } else if (given().resource && !captured) {
    // Memory returns to the resource only after enqueued work is done with it; a captured stream runs nothing.
    cudaStreamSynchronize(stream_);
  }
  release_scratch();
  if (!given().stream && !given().resource && !captured) cudaStreamSynchronize(stream_);
  if (!set_aside_.empty()) wait_for_gpu(index_);
  for (void* base : set_aside_) cudaFree(base);
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  if (!callers_stream_) cudaStreamDestroy(stream_);
  if (--allocated_on(index_).devices == 0) {
    cudaFree(allocated_on(index_).reserve.exchange(nullptr));
    graph_memory::of(index_).free_idle(true);
  }
  cudaGetLastError();  // so that no later call reports what failed here
}

std::string device::description() const { return hardware_name(index_); }

std::uint64_t device::total_memory() const {
  make_current();
  const outside_of_captures guard;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cuda");
  return total;
}

std::uint64_t device::free_memory() const {
  make_current();
  const outside_of_captures guard;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cuda");
  return given().resource ? std::min<std::uint64_t>(free, given().resource->free_bytes()) : free;
}

std::uint64_t device::capture() const {
  make_current();
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream_, &status), name().c_str());
  if (status == cudaStreamCaptureStatusNone) return 0;
  if (status == cudaStreamCaptureStatusInvalidated)
    throw error(fault::unsupported, name(), "the capture of this stream failed before this call",
                "end it (cudaStreamEndCapture); then the stream and the context can be used again");
  unsigned long long id = 0;
  check(cudaStreamGetCaptureInfo(stream_, &status, &id), name().c_str());
  return id;
}

bool device::capturing() noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream_, &status) == cudaSuccess) return status != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return true;
}

void device::out_of_memory(std::uint64_t bytes) const {
  const std::uint64_t graphs = graph_memory::of(index_).held(), own = allocated_on(index_).sum();
  throw error(fault::out_of_memory, name(),
              std::to_string(bytes) + " bytes were requested and " + std::to_string(free_memory()) +
                  " are free; this process has " + std::to_string(own) +
                  " in buffers and in scratch that calls are using, and " + std::to_string(graphs) +
                  " in CUDA graphs; other libraries and processes have the rest",
              "pass host memory, which streams through in chunks, or work on fewer elements at a time");
}

memory device::allocated(std::uint64_t bytes, const std::function<void*()>& attempt) {
  const outside_of_captures guard;
  void* base = attempt();
  if (!base) {
    release_idle_scratch(false);
    trim_pool();
    base = attempt();
  }
  if (!base) out_of_memory(bytes);
  return {base, 0, owner()};
}

void device::trim_pool() noexcept {
  const outside_of_captures guard;
  graph_memory::of(index_).free_idle(true);
  cudaMemPool_t pool{};
  if (has_pool_ && cudaDeviceGetDefaultMemPool(&pool, index_) == cudaSuccess) cudaMemPoolTrimTo(pool, 0);
  cudaGetLastError();
}

void device::trim() {
  make_current();
  upsweep::device::trim();
  trim_pool();
}

memory device::allocate(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (given().resource) {
    make_current();
    return from_resource(bytes);
  }
  if (const std::uint64_t now = capture(); now != 0) return allocate_captured(now, bytes);
  release_set_aside();
  graph_memory::of(index_).free_idle(false);
  const memory made = allocated(bytes, [&]() -> void* {
    void* base = nullptr;
    // From the pool in stream order: unlike cudaMalloc it does not block other streams.
    const cudaError_t status = has_pool_ ? cudaMallocAsync(&base, bytes, stream_) : cudaMalloc(&base, bytes);
    if (status == cudaErrorMemoryAllocation) return cudaGetLastError(), nullptr;
    check(status, "cuda: allocating memory");
    return base;
  });
  allocated_on(index_).add(made.base, bytes);
  return made;
}

// In stream order, which the capture preserves, like the pool: memory released in this capture is used again.
memory device::allocate_captured(std::uint64_t now, std::uint64_t bytes) {
  {
    const std::scoped_lock held(captured_lock_);
    std::erase_if(reusable_, [&](const auto& one) { return one.second.capture != now; });
    auto best = reusable_.end();
    for (auto at = reusable_.begin(); at != reusable_.end(); ++at)
      if (at->second.bytes >= bytes && (best == reusable_.end() || at->second.bytes < best->second.bytes)) best = at;
    if (best != reusable_.end()) {
      check(cudaUserObjectRetain(best->second.claim, 1), "cuda: giving memory to a graph");
      void* const base = best->first;
      claims_.insert(reusable_.extract(best));
      return {base, 0, owner()};
    }
  }
  graph_memory::block made;
  allocated(bytes, [&] { return (made = graph_memory::of(index_).take(stream_, bytes, false, true)).base; });
  const std::scoped_lock held(captured_lock_);
  claims_[made.base] = {made.claim, now, bytes};
  return {made.base, 0, owner()};
}

memory device::zeroed_for_capture(std::uint64_t bytes) {
  if (given().resource) {
    // Other work may use the memory between two runs of the graph, so the graph itself clears it.
    const memory m = from_resource(bytes);
    check(cudaMemsetAsync(m.address(), 0, bytes, stream_), "cuda: filling");
    return m;
  }
  return allocated(bytes, [&] { return graph_memory::of(index_).take(stream_, bytes, true, false).base; });
}

memory device::constant_for_capture(std::span<const std::byte> bytes) {
  return allocated(bytes.size(), [&] { return graph_memory::of(index_).take(stream_, bytes).base; });
}

void device::wait_for_scratch() {
  make_current();
  if (!given().stream && !capturing()) return synchronize();
  // The caller's stream may have been destroyed.
  if (!wait_for_gpu(index_))
    throw error(fault::out_of_memory, name(), "there is no memory to wait for the GPU", "release memory of the GPU");
}

void device::deallocate_unused(memory m) noexcept {
  if (given().resource) return to_resource(m);
  cudaSetDevice(index_);
  const outside_of_captures guard;
  allocated_on(index_).remove(m.base);
  if (cudaFree(m.base) != cudaSuccess) cudaGetLastError();
}

void device::deallocate(memory m) noexcept {
  if (given().resource) return to_resource(m);
  if (closing_) return deallocate_unused(m);
  cudaSetDevice(index_);
  const outside_of_captures guard;
  const bool captured = capturing();
  {
    const std::scoped_lock held(captured_lock_);
    if (const auto at = claims_.find(m.base); at != claims_.end()) {
      const claimed c = at->second;
      claims_.erase(at);
      unsigned long long now = 0;
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      if (captured && cudaStreamGetCaptureInfo(stream_, &status, &now) == cudaSuccess && now == c.capture) try {
          reusable_.emplace(m.base, c);
        } catch (const std::bad_alloc&) {
        }
      cudaUserObjectRelease(c.claim, 1);  // the graph keeps it
      return;
    }
    if (captured) {
      // Memory from before the capture: work enqueued before it may still use it.
      allocated_on(index_).remove(m.base);
      try {
        set_aside_.push_back(m.base);
      } catch (const std::bad_alloc&) {
        if (wait_for_gpu(index_)) cudaFree(m.base);
      }
      return;
    }
  }
  release_set_aside();
  allocated_on(index_).remove(m.base);
  if ((has_pool_ ? cudaFreeAsync(m.base, stream_) : cudaFree(m.base)) != cudaSuccess) cudaGetLastError();
}

void device::release_set_aside() noexcept {
  const std::scoped_lock held(captured_lock_);
  for (void* base : set_aside_)
    if ((has_pool_ ? cudaFreeAsync(base, stream_) : cudaFree(base)) != cudaSuccess) cudaGetLastError();
  set_aside_.clear();
}

void device::upload(memory to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  require_no_capture("copying to the device");
  const outside_of_captures guard;
  check(cudaMemcpyAsync(to.address(), from, bytes, cudaMemcpyHostToDevice, stream_), "cuda: copying to the device");
  check(cudaStreamSynchronize(stream_), "cuda: waiting for the device");
}

void device::download(void* to, memory from, std::uint64_t bytes) {
  require_no_capture("copying from the device");
  const outside_of_captures guard;
  check(cudaMemcpyAsync(to, from.address(), bytes, cudaMemcpyDeviceToHost, stream_), "cuda: copying from the device");
  check(cudaStreamSynchronize(stream_), "cuda: waiting for the device");
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
  require_no_capture("waiting for the device");
  const outside_of_captures guard;
  check(cudaStreamSynchronize(stream_), "cuda: waiting for the device");
}

namespace {

class recorded final : public moment {
 public:
  explicit recorded(device& on) : index_(on.index()), captured_(on.capture() != 0) {
    const outside_of_captures guard;
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
  }
  ~recorded() override { cudaEventDestroy(event_); }

  bool passed() override {
    require_outside();
    check(cudaSetDevice(index_), "event");
    const outside_of_captures guard;
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check(status, "event");
    return status == cudaSuccess;
  }
  void wait() override {
    require_outside();
    check(cudaSetDevice(index_), "event");
    const outside_of_captures guard;
    check(cudaEventSynchronize(event_), "event");
  }
  cudaEvent_t event() const { return event_; }
  bool captured() const { return captured_; }

 private:
  void require_outside() const {
    if (captured_)
      throw error(
          fault::unsupported, "event", "it was recorded in a capture of a CUDA graph, where nothing runs",
          "let a context of that capture wait for it; for the host record another event after the graph's launch");
  }

  int index_;
  bool captured_;
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
  // A captured stream cannot depend on work outside the capture. The graph runs later, so the host waits now.
  if (!of_cuda->captured() && capture() != 0) return m.wait();
  make_current();
  check(cudaStreamWaitEvent(stream_, of_cuda->event(), 0), "event");
}

double device::seconds(const std::function<void()>& enqueue) {
  require_no_capture("measuring a call");
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
  const outside_of_captures guard;
  const auto at = found_.find(key);
  return at != found_.end() ? at->second : found_.emplace(key, call(find)).first->second;
}

int device::compiled_for(const void* kernel) {
  const outside_of_captures guard;
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
  // All contexts of a GPU share this attribute of a kernel: lowering it would make a launch by another thread fail.
  static std::mutex changing;
  static std::map<std::pair<const void*, int>, std::uint64_t> allowed;
  const std::scoped_lock held(changing);
  std::uint64_t& most = allowed[{kernel, index_}];
  if (bytes <= most) return;
  const outside_of_captures guard;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), where);
  most = bytes;
}

void device::make_current() const { check(cudaSetDevice(index_), "cuda"); }

int device_count() {
  if (!core::state_of(core::driver::cuda).off.empty()) return 0;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

namespace {

// Opens a GPU. Errors caused by other processes or the driver get the library's own messages.
void open_gpu(int index) {
  const std::string where = "cuda:" + std::to_string(index);
  const gpu_facts gpu = facts_of(index);
  auto why = why_unusable(gpu, carried_by(UPSWEEP_CUDA_CARRIES));
  if (!why) {
    const outside_of_captures guard;
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
  const std::string where = "cuda:" + std::to_string(index);
  if (!callers_stream)  // a program that has a stream uses the driver already
    if (const auto& driver = core::state_of(core::driver::cuda); !driver.off.empty())
      throw error(fault::no_device, where, driver.off, driver.remedy);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess || count == 0) {
    const reason r = no_gpu(status);
    throw error(r.why, where, r.what, r.remedy);
  }
  if (index < 0 || index >= count)
    throw error(fault::no_device, where,
                "this machine has " + std::to_string(count) + " CUDA GPU" + (count == 1 ? "" : "s"),
                "give cuda:0 to cuda:" + std::to_string(count - 1));
  open_gpu(index);
  return std::make_shared<device>(index, static_cast<cudaStream_t>(stream), callers_stream);
}

void list_devices(std::vector<device_listing>& all) {
  if (const auto& driver = core::state_of(core::driver::cuda); !driver.off.empty()) {
    all.push_back({backend::cuda, "cuda", "off: " + driver.off + "; " + driver.remedy, false, 0});
    return;
  }
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
