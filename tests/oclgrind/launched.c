/* Tells which OpenCL kernels a program launches. Preloaded before it, with UPSWEEP_LAUNCHED=FOLDER: of each kernel, at its first launch, the text
 * of its program is written there, into a file named by the kernel and by a number that the text gives. kernels.py reads them. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void tell(cl_kernel kernel, const char* folder) {
  char name[256], path[4096];
  cl_program program;
  size_t size = 0;
  if (clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) != CL_SUCCESS ||
      clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL) != CL_SUCCESS ||
      clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) != CL_SUCCESS)
    abort();
  char* const text = malloc(size + 1);
  if (!text || clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, text, NULL) != CL_SUCCESS) abort();
  text[size] = 0;
  uint64_t number = 14695981039346656037u; /* FNV-1a */
  for (const char* c = text; *c; ++c) number = (number ^ (unsigned char)*c) * 1099511628211u;
  snprintf(path, sizeof path, "%s/%s.%016llx", folder, name, (unsigned long long)number);
  FILE* const out = fopen(path, "wx"); /* there already: it has been told */
  if (out && (fputs(text, out) < 0 || fclose(out) != 0)) abort();
  free(text);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* first,
                              const size_t* items, const size_t* group, cl_uint count, const cl_event* after,
                              cl_event* done) {
  static __typeof__(&clEnqueueNDRangeKernel) real;
  const char* const folder = getenv("UPSWEEP_LAUNCHED");
  pthread_mutex_lock(&held);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
  if (folder) tell(kernel, folder);
  pthread_mutex_unlock(&held);
  return real(queue, kernel, dimensions, first, items, group, count, after, done);
}
