// The host's calls. One device, on which everything happens at once and in the order of the calls; times are 0.
#pragma once

#include "upsweep_lens/types.h"

extern "C" {
int upsweep_launch(const upsweep_lens::launch_shape*, const upsweep_lens::launch_body*);
int upsweep_allocate(void** to, size_t bytes, size_t element, const char* text, int kind);
int upsweep_release(void* p, const char* call);
int upsweep_copy(void* to, const void* source, size_t bytes, int direction, const char* call);
int upsweep_fill(void* to, int value, size_t bytes, const char* call);
void upsweep_say(const char* text);
}

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorECCUncorrectable = 214,
  cudaErrorPeerAccessUnsupported = 217,
  cudaErrorNvlinkUncorrectable = 220,
  cudaErrorJitCompilerNotFound = 221,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorJitCompilationDisabled = 223,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorAssert = 710,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchFailure = 719,
  cudaErrorContextIsDestroyed = 709,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorInvalidPc = 718,
  cudaErrorNotSupported = 801,
  cudaErrorSystemNotReady = 802,
  cudaErrorSystemDriverMismatch = 803,
  cudaErrorMpsConnectionFailed = 805,
  cudaErrorMpsRpcFailure = 806,
  cudaErrorMpsServerNotReady = 807,
  cudaErrorMpsMaxClientsReached = 808,
  cudaErrorMpsMaxConnectionsReached = 809,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureMerge = 902,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorCapturedEvent = 907,
  cudaErrorStreamCaptureWrongThread = 908,
  cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;

static inline const char* cudaGetErrorName(cudaError_t e) {
  switch (e) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevicePointer: return "cudaErrorInvalidDevicePointer";
    case cudaErrorInvalidMemcpyDirection: return "cudaErrorInvalidMemcpyDirection";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    default: return "cudaErrorUnknown";
  }
}
static inline const char* cudaGetErrorString(cudaError_t e) {
  switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevicePointer: return "invalid device pointer";
    case cudaErrorInvalidMemcpyDirection: return "invalid copy direction for memcpy";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorNotSupported: return "operation not supported";
    default: return "unknown error";
  }
}

namespace upsweep_lens {
inline int last_error = 0;
inline cudaError_t noted(int e) {
  if (e != 0) last_error = e;
  return (cudaError_t)e;
}
}  // namespace upsweep_lens

static inline cudaError_t cudaPeekAtLastError() { return (cudaError_t)upsweep_lens::last_error; }
static inline cudaError_t cudaGetLastError() {
  const cudaError_t e = cudaPeekAtLastError();
  upsweep_lens::last_error = 0;
  return e;
}

// ---- launches

typedef struct upsweep_stream* cudaStream_t;
typedef struct upsweep_event* cudaEvent_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

#if !defined(UPSWEEP_LENS_CAPABILITY)
#define UPSWEEP_LENS_CAPABILITY 90
#endif

namespace upsweep_lens {

struct configuration {
  launch_shape shape;
  configuration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = nullptr, bool together = false)
      : shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, together} {}
  configuration in_clusters(unsigned x, unsigned y = 1, unsigned z = 1) const {
    configuration c = *this;
    c.shape.cluster = {x, y, z};
    return c;
  }
};

template <class Call, class... A, size_t... i>
UPSWEEP_WORD cudaError_t launch_all(const configuration& c, const char* name, const void* function,
                                    std::tuple<Call, A...> all, std::index_sequence<i...>) {
  using All = std::tuple<Call, A...>;
  const launch_body body{name, function,
                         [](void* p) {
                           All& a = *static_cast<All*>(p);
                           std::get<0>(a)(std::get<i + 1>(a)...);
                         },
                         &all, sizeof all};
  return noted(upsweep_launch(&c.shape, &body));
}

// `kernel<<<grid, block, shared, stream>>>(arguments)`, as the lens reads it: a launch of a function, whose parameter
// types convert the arguments, or of a template, whose arguments determine the function.
template <class... P>
struct function_launch {
  const char* name;
  void (*kernel)(P...);
  configuration c;
  UPSWEEP_WORD void operator()(std::decay_t<P>... arguments) const {
    launch_all(c, name, (const void*)kernel, std::tuple<void (*)(P...), std::decay_t<P>...>(kernel, arguments...),
               std::index_sequence_for<P...>{});
  }
};
template <class Call>
struct template_launch {
  const char* name;
  Call call;
  configuration c;
  template <class... A>
  UPSWEEP_WORD void operator()(A... arguments) const {
    launch_all(c, name, nullptr, std::tuple<Call, A...>(call, arguments...), std::index_sequence_for<A...>{});
  }
};
template <class... P>
UPSWEEP_WORD function_launch<P...> launch(const char* name, void (*kernel)(P...), configuration c) {
  return {name, kernel, c};
}
template <class Call>
UPSWEEP_WORD template_launch<Call> launch(const char* name, Call call, configuration c) {
  return {name, call, c};
}

}  // namespace upsweep_lens

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t = nullptr) {
  int i = 0;
  return upsweep_lens::launch_all(
      upsweep_lens::configuration(grid, block, shared), "cudaLaunchKernel", (const void*)kernel,
      std::tuple<void (*)(P...), std::decay_t<P>...>{kernel, *(std::decay_t<P>*)arguments[i++]...},
      std::index_sequence_for<P...>{});
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, programmaticStreamSerializationAllowed;
  struct {
    unsigned x, y, z;
  } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 upsweep_gridDim, upsweep_blockDim;  // gridDim and blockDim in the source
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
// A kernel that may begin before the one before it has ended finds it ended here; whether it would have waited for that
// is looked at all the same.
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* c, void (*kernel)(P...), A&&... arguments) {
  upsweep_lens::configuration how(c->upsweep_gridDim, c->upsweep_blockDim, c->dynamicSmemBytes, c->stream);
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    const cudaLaunchAttribute& a = c->attrs[i];
    if (a.id == cudaLaunchAttributeClusterDimension)
      how.shape.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
    if (a.id == cudaLaunchAttributeCooperative) how.shape.together = a.val.cooperative != 0;
    if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization && UPSWEEP_LENS_CAPABILITY >= 90)
      how.shape.early = a.val.programmaticStreamSerializationAllowed != 0;
  }
  const bool clusters = how.shape.cluster.x * how.shape.cluster.y * how.shape.cluster.z > 1;
  if (UPSWEEP_LENS_CAPABILITY < 90 && clusters) return upsweep_lens::noted(cudaErrorNotSupported);
  return upsweep_lens::launch_all(
      how, "cudaLaunchKernelEx", (const void*)kernel,
      std::tuple<void (*)(P...), std::decay_t<P>...>(kernel, std::forward<A>(arguments)...),
      std::index_sequence_for<P...>{});
}

// ---- memory

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
#define cudaHostAllocDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocMapped 2
#define cudaHostAllocWriteCombined 4
#define cudaHostRegisterDefault 0
#define cudaMemAttachGlobal 1
#define cudaMemAttachHost 2
#define cudaCpuDeviceId (-1)

namespace upsweep_lens {
template <class T>
constexpr size_t element_of = sizeof(T);
template <>
inline constexpr size_t element_of<void> = 0;

template <class T>
UPSWEEP_WORD cudaError_t allocated(const char* text, int kind, T** to, size_t bytes) {
  return noted(upsweep_allocate((void**)to, bytes, element_of<T>, text, kind));
}
}  // namespace upsweep_lens

// The report names an array by the argument of the call.
#define UPSWEEP_ALLOCATION(name, kind)                                                       \
  template <class T, class... Rest>                                                          \
  UPSWEEP_WORD cudaError_t name(T** to, size_t bytes, Rest...) {                             \
    return upsweep_lens::allocated(#name, upsweep_lens::kind, to, bytes);                    \
  }                                                                                          \
  template <class T, class... Rest>                                                          \
  UPSWEEP_WORD cudaError_t upsweep_##name(const char* text, T** to, size_t bytes, Rest...) { \
    return upsweep_lens::allocated(text, upsweep_lens::kind, to, bytes);                     \
  }
UPSWEEP_ALLOCATION(cudaMalloc, device)
UPSWEEP_ALLOCATION(cudaMallocAsync, device)
UPSWEEP_ALLOCATION(cudaMallocManaged, managed)
UPSWEEP_ALLOCATION(cudaMallocHost, pinned)
UPSWEEP_ALLOCATION(cudaHostAlloc, pinned)
#undef UPSWEEP_ALLOCATION
#define cudaMalloc(...) upsweep_cudaMalloc(#__VA_ARGS__, __VA_ARGS__)
#define cudaMallocAsync(...) upsweep_cudaMallocAsync(#__VA_ARGS__, __VA_ARGS__)
#define cudaMallocManaged(...) upsweep_cudaMallocManaged(#__VA_ARGS__, __VA_ARGS__)
#define cudaMallocHost(...) upsweep_cudaMallocHost(#__VA_ARGS__, __VA_ARGS__)
#define cudaHostAlloc(...) upsweep_cudaHostAlloc(#__VA_ARGS__, __VA_ARGS__)

template <class T>
UPSWEEP_WORD cudaError_t cudaMallocPitch(T** to, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return upsweep_lens::allocated("cudaMallocPitch", upsweep_lens::device, to, *pitch * height);
}
template <class T>
UPSWEEP_WORD cudaError_t cudaHostGetDevicePointer(T** to, void* host, unsigned) {
  *to = (T*)host;
  return cudaSuccess;
}
UPSWEEP_WORD cudaError_t cudaFree(void* p) { return upsweep_lens::noted(upsweep_release(p, "cudaFree")); }
UPSWEEP_WORD cudaError_t cudaFreeAsync(void* p, cudaStream_t) {
  return upsweep_lens::noted(upsweep_release(p, "cudaFreeAsync"));
}
UPSWEEP_WORD cudaError_t cudaFreeHost(void* p) { return upsweep_lens::noted(upsweep_release(p, "cudaFreeHost")); }

UPSWEEP_WORD cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return upsweep_lens::noted(upsweep_copy(to, from, bytes, kind, "cudaMemcpy"));
}
UPSWEEP_WORD cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                         cudaStream_t = nullptr) {
  return upsweep_lens::noted(upsweep_copy(to, from, bytes, kind, "cudaMemcpyAsync"));
}
UPSWEEP_WORD cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                      size_t height, cudaMemcpyKind kind) {
  int worst = 0;
  for (size_t row = 0; row < height && worst == 0; ++row)
    worst = upsweep_copy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind, "cudaMemcpy2D");
  return upsweep_lens::noted(worst);
}
UPSWEEP_WORD cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                           size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
UPSWEEP_WORD cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return upsweep_lens::noted(upsweep_fill(to, value, bytes, "cudaMemset"));
}
UPSWEEP_WORD cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr) {
  return upsweep_lens::noted(upsweep_fill(to, value, bytes, "cudaMemsetAsync"));
}
UPSWEEP_WORD cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  int worst = 0;
  for (size_t row = 0; row < height && worst == 0; ++row)
    worst = upsweep_fill((char*)to + row * pitch, value, width, "cudaMemset2D");
  return upsweep_lens::noted(worst);
}
template <class T>
UPSWEEP_WORD cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return upsweep_lens::noted(upsweep_copy((char*)&symbol + offset, from, bytes, kind, "cudaMemcpyToSymbol"));
}
template <class T>
UPSWEEP_WORD cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return upsweep_lens::noted(upsweep_copy((char*)&symbol + offset, from, bytes, kind, "cudaMemcpyToSymbolAsync"));
}
template <class T>
UPSWEEP_WORD cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return upsweep_lens::noted(upsweep_copy(to, (const char*)&symbol + offset, bytes, kind, "cudaMemcpyFromSymbol"));
}
template <class T>
UPSWEEP_WORD cudaError_t cudaGetSymbolAddress(void** to, const T& symbol) {
  *to = (void*)&symbol;
  return cudaSuccess;
}
static inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = *total = (size_t)8 << 30;
  return cudaSuccess;
}
static inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) { return cudaSuccess; }

// ---- the device

namespace upsweep_lens {
constexpr size_t shared_bytes = shared_bytes_of(UPSWEEP_LENS_CAPABILITY);
}

struct cudaUUID_t {
  char bytes[16];
};
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem;
  size_t memPitch, textureAlignment;
  int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int clockRate, memoryClockRate, memoryBusWidth, l2CacheSize, major, minor;
  int multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
  int deviceOverlap, asyncEngineCount, concurrentKernels, integrated, canMapHostMemory, unifiedAddressing;
  int managedMemory, concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch, computeMode, ECCEnabled;
  int kernelExecTimeoutEnabled, tccDriver, isMultiGpuBoard, streamPrioritiesSupported;
  int pciBusID, pciDeviceID, pciDomainID;
};
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return upsweep_lens::noted(cudaErrorInvalidDevice);
  *p = cudaDeviceProp{};
  strcpy(p->name, "upsweep lens, an emulated GPU");
  p->totalGlobalMem = (size_t)8 << 30;
  p->sharedMemPerBlock = 48 << 10, p->sharedMemPerBlockOptin = upsweep_lens::shared_bytes;
  p->sharedMemPerMultiprocessor = upsweep_lens::shared_bytes + (1 << 10);
  p->totalConstMem = 64 << 10, p->memPitch = 0x7fffffff, p->textureAlignment = 512;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536, p->warpSize = 32, p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000, p->memoryBusWidth = 256, p->l2CacheSize = 4 << 20;
  p->major = UPSWEEP_LENS_CAPABILITY / 10, p->minor = UPSWEEP_LENS_CAPABILITY % 10, p->multiProcessorCount = 4, p->maxThreadsPerMultiProcessor = 2048, p->maxBlocksPerMultiProcessor = 32;
  p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = 1;
  return cudaSuccess;
}
enum cudaComputeMode {
  cudaComputeModeDefault,
  cudaComputeModeExclusive,
  cudaComputeModeProhibited,
  cudaComputeModeExclusiveProcess
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMemoryPoolsSupported = 115
};
static inline cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr what, int device) {
  cudaDeviceProp p;
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device)) return e;
  switch (what) {
    case cudaDevAttrMaxThreadsPerBlock: *to = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *to = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrWarpSize: *to = p.warpSize; break;
    case cudaDevAttrClockRate: *to = p.clockRate; break;
    case cudaDevAttrMultiProcessorCount: *to = p.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *to = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *to = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *to = p.minor; break;
    case cudaDevAttrManagedMemory: *to = p.managedMemory; break;
    case cudaDevAttrL2CacheSize: *to = p.l2CacheSize; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *to = (int)p.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *to = (int)p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrCooperativeLaunch: *to = 1; break;
    default: *to = 0;
  }
  return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
static inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
static inline cudaError_t cudaSetDevice(int device) {
  return upsweep_lens::noted(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
static inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaPeekAtLastError(); }
static inline cudaError_t cudaThreadSynchronize() { return cudaPeekAtLastError(); }
static inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
static inline cudaError_t cudaDriverGetVersion(int* v) { return *v = CUDART_VERSION, cudaSuccess; }
static inline cudaError_t cudaRuntimeGetVersion(int* v) { return *v = CUDART_VERSION, cudaSuccess; }
static inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
static inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceBlockingSync 4
#define cudaDeviceMapHost 8

enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
static inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
static inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
template <class F>
cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) {
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int) {
  return cudaSuccess;
}
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, F) {
  *a = {0, 0, 0, 1024, 32, UPSWEEP_LENS_CAPABILITY, UPSWEEP_LENS_CAPABILITY, (int)upsweep_lens::shared_bytes};
  return cudaSuccess;
}

// Blocks of a multiprocessor, by its threads and its shared memory alone.
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F, int threads, size_t shared) {
  const size_t by_threads = threads > 0 ? 2048 / (size_t)threads : 0;
  *blocks = (int)std::min<size_t>({32, by_threads, shared > 0 ? (upsweep_lens::shared_bytes + 1024) / (shared + 1024) : 32});
  return cudaSuccess;
}
// One cluster of up to 16 blocks is to be had.
template <class F>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, F, const cudaLaunchConfig_t* c) {
  *clusters = 0;
  if (UPSWEEP_LENS_CAPABILITY < 90) return upsweep_lens::noted(cudaErrorNotSupported);
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    const auto& size = c->attrs[i].val.clusterDim;
    if (c->attrs[i].id == cudaLaunchAttributeClusterDimension && size.x * size.y * size.z > 16)
      return upsweep_lens::noted(cudaErrorInvalidConfiguration);
  }
  *clusters = c->dynamicSmemBytes <= upsweep_lens::shared_bytes ? 1 : 0;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, F, const cudaLaunchConfig_t*) {
  *blocks = UPSWEEP_LENS_CAPABILITY < 90 ? 1 : 8;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F, size_t = 0, int limit = 0) {
  *block = limit > 0 && limit < 256 ? limit : 256;
  *grid = 4 * 2048 / *block;
  return cudaSuccess;
}

// ---- streams and events, which are in order here

#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
static inline cudaError_t cudaStreamCreate(cudaStream_t* s) { return *s = nullptr, cudaSuccess; }
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return *s = nullptr, cudaSuccess; }
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned, int) {
  return *s = nullptr, cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaPeekAtLastError(); }
static inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }
static inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned = 0) { return *e = nullptr, cudaSuccess; }
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) { return *e = nullptr, cudaSuccess; }
static inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaPeekAtLastError(); }
static inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0, cudaSuccess;
}

// ---- captures, pools and neighbours, of which there are none

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
static inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* s) {
  return *s = cudaStreamCaptureStatusNone, cudaSuccess;
}
static inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
typedef struct upsweep_graph* cudaGraph_t;
typedef struct upsweep_user_object* cudaUserObject_t;
typedef void (*cudaHostFn_t)(void*);
#define cudaUserObjectNoDestructorSync 1
#define cudaGraphUserObjectMove 1
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* s,
                                                   unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr) {
  if (id != nullptr) *id = 0;
  if (graph != nullptr) *graph = nullptr;
  return *s = cudaStreamCaptureStatusNone, cudaSuccess;
}
static inline cudaError_t cudaUserObjectCreate(cudaUserObject_t*, void*, cudaHostFn_t, unsigned, unsigned) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}
static inline cudaError_t cudaUserObjectRetain(cudaUserObject_t, unsigned = 1) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}
static inline cudaError_t cudaUserObjectRelease(cudaUserObject_t, unsigned = 1) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}
static inline cudaError_t cudaGraphRetainUserObject(cudaGraph_t, cudaUserObject_t, unsigned = 1, unsigned = 0) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}

typedef struct upsweep_pool* cudaMemPool_t;
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
static inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}
static inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}
static inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return upsweep_lens::noted(cudaErrorNotSupported);
}
static inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { return *can = 0, cudaSuccess; }
static inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return upsweep_lens::noted(cudaErrorPeerAccessUnsupported);
}
UPSWEEP_WORD cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                             cudaStream_t = nullptr) {
  return upsweep_lens::noted(upsweep_copy(to, from, bytes, cudaMemcpyDeviceToDevice, "cudaMemcpyPeerAsync"));
}

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
#define cudaEnableDefault 0
static inline cudaError_t cudaGetDriverEntryPoint(const char*, void** at, unsigned long long,
                                                  cudaDriverEntryPointQueryResult* how = nullptr) {
  *at = nullptr;
  if (how != nullptr) *how = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
