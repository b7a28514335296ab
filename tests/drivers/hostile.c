/* A driver that misbehaves as the environment variable HOSTILE says: OpenCL's loader finds it through OCL_ICD_VENDORS,
 * and the CUDA runtime as libcuda.so.1 in LD_LIBRARY_PATH, where HOSTILE_CUDA says it. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define _GNU_SOURCE
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char* variable, const char* word) {
  const char* value = getenv(variable);
  return value && strcmp(value, word) == 0;
}

static void misbehave(const char* variable) {
  if (is(variable, "abort")) {
    fputs("hostile: not enough\033[31m memory\n", stderr);
    abort();
  }
  if (is(variable, "crash")) raise(SIGSEGV);
  if (is(variable, "exit")) exit(0);
  if (is(variable, "hang")) {
    for (int i = 1; i < 32; ++i) signal(i, SIG_IGN);
    fprintf(stderr, "hostile: process %d sleeps\n", (int)getpid());
    sleep(10);
  }
  if (is(variable, "print")) {
    printf("hostile: hello, ");
    fflush(stdout);
    printf("world\n");
  }
}

__attribute__((constructor)) static void loaded(void) { misbehave("HOSTILE_CUDA"); }

static cl_icd_dispatch calls;
struct object {
  cl_icd_dispatch* dispatch; /* first, for the loader */
};
static struct object platform = {&calls}, gpu = {&calls};

static cl_int answer(const void* from, size_t bytes, size_t size, void* value, size_t* size_ret) {
  if (size_ret) *size_ret = bytes;
  if (value && size < bytes) return CL_INVALID_VALUE;
  if (value) memcpy(value, from, bytes);
  return CL_SUCCESS;
}
static cl_int answer_text(const char* text, size_t size, void* value, size_t* size_ret) {
  return answer(text, strlen(text) + 1, size, value, size_ret);
}

static cl_int CL_API_CALL platform_info(cl_platform_id p, cl_platform_info what, size_t size, void* value,
                                        size_t* size_ret) {
  (void)p;
  switch (what) {
    case CL_PLATFORM_EXTENSIONS: return answer_text("cl_khr_icd", size, value, size_ret);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return answer_text("HOSTILE", size, value, size_ret);
    case CL_PLATFORM_VERSION: return answer_text("OpenCL 1.2 hostile", size, value, size_ret);
    default: return answer_text("hostile\033[31m\nplatform", size, value, size_ret);
  }
}

static cl_int CL_API_CALL device_ids(cl_platform_id p, cl_device_type type, cl_uint room, cl_device_id* to,
                                     cl_uint* count) {
  (void)p, (void)type;
  if (is("HOSTILE", "print")) misbehave("HOSTILE");
  if (count) *count = is("HOSTILE", "many") ? 0xffffffffu : is("HOSTILE", "null") ? 3 : 1;
  if (to && room && !is("HOSTILE", "null")) to[0] = (cl_device_id)&gpu;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id d, cl_device_info what, size_t size, void* value, size_t* size_ret) {
  (void)d;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_platform_id its_platform = (cl_platform_id)&platform;
  const cl_ulong zero = 0, huge = ~(cl_ulong)0, units = 8;
  const int nothing = is("HOSTILE", "nothing");
  if (is("HOSTILE", "long") && what == CL_DEVICE_NAME && !value) return *size_ret = (size_t)1 << 62, CL_SUCCESS;
  switch (what) {
    case CL_DEVICE_TYPE: return answer(&type, sizeof type, size, value, size_ret);
    case CL_DEVICE_PLATFORM: return answer(&its_platform, sizeof its_platform, size, value, size_ret);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return answer(nothing ? &zero : &units, sizeof(cl_uint), size, value, size_ret);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    case CL_DEVICE_LOCAL_MEM_SIZE:
    case CL_DEVICE_DOUBLE_FP_CONFIG: return answer(nothing ? &zero : &huge, 8, size, value, size_ret);
    default: return answer_text("hostile\033[2J\ngpu", size, value, size_ret);
  }
}

static cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint devices,
                                             const cl_device_id* all,
                                             void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                             void* data, cl_int* code) {
  (void)properties, (void)devices, (void)all, (void)notify, (void)data;
  if (code) *code = CL_OUT_OF_RESOURCES;
  return NULL;
}

static cl_int CL_API_CALL keep(cl_device_id d) { return (void)d, CL_SUCCESS; }

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id* to, cl_uint* count) {
  misbehave("HOSTILE");
  calls.clGetPlatformInfo = platform_info;
  calls.clGetDeviceIDs = device_ids;
  calls.clGetDeviceInfo = device_info;
  calls.clRetainDevice = calls.clReleaseDevice = keep;
  calls.clCreateContext = create_context;
  if (count) *count = 1;
  if (to && room) to[0] = (cl_platform_id)&platform;
  return CL_SUCCESS;
}

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void*)clIcdGetPlatformIDsKHR : NULL;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t size, void* value,
                                     size_t* size_ret) {
  return platform_info(p, what, size, value, size_ret);
}
