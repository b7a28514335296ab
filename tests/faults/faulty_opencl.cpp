#include "tests/faults/faulty_opencl.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <atomic>

namespace {

std::atomic<bool> armed{false};
std::atomic<long> made{0}, references{0};
std::atomic<const char*> failed{nullptr};
long at = 0;
cl_int code = CL_SUCCESS;

// Whether this is the call that is to fail.
bool fails(const char* name) {
  if (!armed || ++made != at) return false;
  failed = name;
  return true;
}

template <class F>
F* real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void faulty_opencl_arm(long n, int its_code) {
  at = n, code = its_code, made = 0, failed = nullptr;
  armed = true;
}
opencl_calls faulty_opencl_disarm() {
  armed = false;
  return {made, failed};
}
long opencl_references() { return references; }

#define REAL(name) static const auto next = real(&name, #name)

// Functions that return a status. What they hand out, if they do, is one more reference.
#define STATUS(name, handed_out, parameters, ...)           \
  cl_int name parameters {                                  \
    REAL(name);                                             \
    if (fails(#name)) return code;                          \
    const cl_int status = next(__VA_ARGS__);                \
    if (status == CL_SUCCESS && (handed_out)) ++references; \
    return status;                                          \
  }
// Functions that return an object, and the status through a pointer.
#define OBJECT(type, name, parameters, ...) \
  type name parameters {                    \
    REAL(name);                             \
    if (fails(#name)) {                     \
      if (status) *status = code;           \
      return nullptr;                       \
    }                                       \
    const type object = next(__VA_ARGS__);  \
    if (object) ++references;               \
    return object;                          \
  }
#define GIVEN_BACK(name, type)              \
  cl_int name(type object) {                \
    REAL(name);                             \
    const cl_int result = next(object);     \
    if (result == CL_SUCCESS) --references; \
    return result;                          \
  }

extern "C" {

STATUS(clGetPlatformIDs, false, (cl_uint capacity, cl_platform_id* all, cl_uint* count), capacity, all, count)
STATUS(clGetPlatformInfo, false, (cl_platform_id p, cl_platform_info what, size_t capacity, void* to, size_t* size), p,
       what, capacity, to, size)
STATUS(clGetDeviceIDs, false, (cl_platform_id p, cl_device_type t, cl_uint capacity, cl_device_id* all, cl_uint* count),
       p, t, capacity, all, count)
STATUS(clGetDeviceInfo, false, (cl_device_id d, cl_device_info what, size_t capacity, void* to, size_t* size), d, what,
       capacity, to, size)
OBJECT(cl_context, clCreateContext,
       (const cl_context_properties* p, cl_uint n, const cl_device_id* d,
        void(CL_CALLBACK* f)(const char*, const void*, size_t, void*), void* data, cl_int* status),
       p, n, d, f, data, status)
OBJECT(cl_command_queue, clCreateCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int* status), c, d, p, status)
OBJECT(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t bytes, void* host, cl_int* status), c, f, bytes,
       host, status)
OBJECT(cl_mem, clCreateSubBuffer,
       (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void* region, cl_int* status), m, f, t, region, status)
OBJECT(cl_program, clCreateProgramWithSource,
       (cl_context c, cl_uint n, const char** texts, const size_t* lengths, cl_int* status), c, n, texts, lengths,
       status)
OBJECT(cl_kernel, clCreateKernel, (cl_program p, const char* name, cl_int* status), p, name, status)
STATUS(clBuildProgram, false,
       (cl_program p, cl_uint n, const cl_device_id* d, const char* options, void(CL_CALLBACK* f)(cl_program, void*),
        void* data),
       p, n, d, options, f, data)
STATUS(clGetProgramInfo, false, (cl_program p, cl_program_info what, size_t capacity, void* to, size_t* size), p, what,
       capacity, to, size)
STATUS(clGetProgramBuildInfo, false,
       (cl_program p, cl_device_id d, cl_program_build_info what, size_t capacity, void* to, size_t* size), p, d, what,
       capacity, to, size)
STATUS(clSetKernelArg, false, (cl_kernel k, cl_uint i, size_t bytes, const void* value), k, i, bytes, value)
STATUS(clEnqueueNDRangeKernel, event != nullptr,
       (cl_command_queue q, cl_kernel k, cl_uint axes, const size_t* offset, const size_t* global, const size_t* local,
        cl_uint n, const cl_event* after, cl_event* event),
       q, k, axes, offset, global, local, n, after, event)
STATUS(clEnqueueReadBuffer, event != nullptr,
       (cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t bytes, void* to, cl_uint n,
        const cl_event* after, cl_event* event),
       q, m, wait, offset, bytes, to, n, after, event)
STATUS(clEnqueueWriteBuffer, event != nullptr,
       (cl_command_queue q, cl_mem m, cl_bool wait, size_t offset, size_t bytes, const void* from, cl_uint n,
        const cl_event* after, cl_event* event),
       q, m, wait, offset, bytes, from, n, after, event)
STATUS(clEnqueueCopyBuffer, event != nullptr,
       (cl_command_queue q, cl_mem from, cl_mem to, size_t first, size_t second, size_t bytes, cl_uint n,
        const cl_event* after, cl_event* event),
       q, from, to, first, second, bytes, n, after, event)
STATUS(clEnqueueFillBuffer, event != nullptr,
       (cl_command_queue q, cl_mem m, const void* pattern, size_t its_bytes, size_t offset, size_t bytes, cl_uint n,
        const cl_event* after, cl_event* event),
       q, m, pattern, its_bytes, offset, bytes, n, after, event)
STATUS(clEnqueueMarkerWithWaitList, event != nullptr,
       (cl_command_queue q, cl_uint n, const cl_event* after, cl_event* event), q, n, after, event)
STATUS(clEnqueueBarrierWithWaitList, event != nullptr,
       (cl_command_queue q, cl_uint n, const cl_event* after, cl_event* event), q, n, after, event)
STATUS(clFlush, false, (cl_command_queue q), q)
STATUS(clFinish, false, (cl_command_queue q), q)
STATUS(clWaitForEvents, false, (cl_uint n, const cl_event* all), n, all)
STATUS(clGetEventInfo, false, (cl_event e, cl_event_info what, size_t capacity, void* to, size_t* size), e, what,
       capacity, to, size)
STATUS(clGetEventProfilingInfo, false, (cl_event e, cl_profiling_info what, size_t capacity, void* to, size_t* size), e,
       what, capacity, to, size)
STATUS(clGetCommandQueueInfo, false,
       (cl_command_queue q, cl_command_queue_info what, size_t capacity, void* to, size_t* size), q, what, capacity, to,
       size)
STATUS(clRetainContext, true, (cl_context c), c)
STATUS(clRetainCommandQueue, true, (cl_command_queue q), q)
STATUS(clRetainMemObject, true, (cl_mem m), m)
STATUS(clRetainEvent, true, (cl_event e), e)
GIVEN_BACK(clReleaseContext, cl_context)
GIVEN_BACK(clReleaseCommandQueue, cl_command_queue)
GIVEN_BACK(clReleaseMemObject, cl_mem)
GIVEN_BACK(clReleaseProgram, cl_program)
GIVEN_BACK(clReleaseKernel, cl_kernel)
GIVEN_BACK(clReleaseEvent, cl_event)

}  // extern "C"
