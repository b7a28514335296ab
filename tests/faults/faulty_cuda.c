/* The runtime asks the driver for every function by name, through one of two functions that are here. What it gets is
 * a door of its own for each: a few instructions that count the call, and go on to the driver's function with all
 * arguments as they were, or return the error that was asked for. x86-64. */
#define _GNU_SOURCE
#include "faulty_cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { doors = 1024, success = 0, not_found = 500 };

static _Atomic int armed;
static _Atomic long made, held;
static _Atomic(const char*) failed_name;
static long at;
static int code;

__attribute__((visibility("default"))) void faulty_cuda_arm(long n, int its_code) {
  at = n, code = its_code;
  made = 0;
  failed_name = 0;
  armed = 1;
}
__attribute__((visibility("default"))) long faulty_cuda_disarm(const char** failed) {
  armed = 0;
  *failed = failed_name;
  return made;
}
__attribute__((visibility("default"))) long faulty_cuda_held(void) { return held; }

/* Of each door. */
__attribute__((visibility("hidden"))) void* faulty_cuda_real[doors];
static char name_of[doors][64];
static int handed_out_by[doors]; /* 1: success is one more held; -1: one less */
static int taken;
static pthread_mutex_t entering = PTHREAD_MUTEX_INITIALIZER;

/* What a door asks: the error to return, or 0 to go on. */
__attribute__((visibility("hidden"), used)) int faulty_cuda_error(int door) {
  if (!armed || ++made != at) return 0;
  failed_name = name_of[door];
  return code;
}

/* Doors of functions that hand out or take back wait for the answer; none of these has more than six arguments. */
typedef int six(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
__attribute__((visibility("hidden"), used)) int faulty_cuda_counted(intptr_t a, intptr_t b, intptr_t c, intptr_t d,
                                                                   intptr_t e, intptr_t f, int door) {
  if (handed_out_by[door] > 0) {
    const int error = faulty_cuda_error(door);
    if (error) return error;
  }
  const int status = ((six*)faulty_cuda_real[door])(a, b, c, d, e, f);
  const int of_nothing = handed_out_by[door] < 0 && a == 0; /* cudaFree(nullptr) */
  if (status == success && !of_nothing) held += handed_out_by[door];
  return status;
}

/* Sixteen bytes a door: its number, and on to what all share. r10 and r11 carry no argument. */
extern char faulty_cuda_doors[], faulty_cuda_counted_doors[];
__asm__(
    ".text\n"
    ".p2align 4\n"
    "faulty_cuda_doors:\n"
    ".set door, 0\n"
    ".rept 1024\n"
    "  .p2align 4\n"
    "  movl $door, %r11d\n"
    "  jmp 1f\n"
    "  .set door, door + 1\n"
    ".endr\n"
    ".p2align 4\n"
    "1:push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %r11\n"
    "  movl %r11d, %edi\n"
    "  call faulty_cuda_error\n"
    "  pop %r11; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n"
    "  testl %eax, %eax\n"
    "  jne 2f\n"
    "  leaq faulty_cuda_real(%rip), %r10\n"
    "  jmp *(%r10,%r11,8)\n"
    "2:ret\n"
    ".p2align 4\n"
    "faulty_cuda_counted_doors:\n"
    ".set door, 0\n"
    ".rept 1024\n"
    "  .p2align 4\n"
    "  movl $door, %r11d\n"
    "  jmp 3f\n"
    "  .set door, door + 1\n"
    ".endr\n"
    ".p2align 4\n"
    "3:push %r11\n" /* the seventh argument; 16 bytes with the return address */
    "  call faulty_cuda_counted\n"
    "  pop %r11\n"
    "  ret\n");

static int starts(const char* name, const char* with) { return strncmp(name, with, strlen(with)) == 0; }

/* The door of the driver's function `real`; the function itself where it is to have none. */
static void* door_of(const char* name, void* real) {
  const int hands_out = starts(name, "cuStreamCreate") || starts(name, "cuEventCreate") || starts(name, "cuMemAlloc") ||
                        starts(name, "cuMemHostAlloc");
  const int takes_back = starts(name, "cuStreamDestroy") || starts(name, "cuEventDestroy") || starts(name, "cuMemFree");
  if (!hands_out && !takes_back &&
      (strstr(name, "Unload") || strstr(name, "Release") || strstr(name, "Destroy") || starts(name, "cuGetError") ||
       strstr(name, "ExportTable") || starts(name, "cuCtxPop") || strstr(name, "Callback")))
    return real;
  pthread_mutex_lock(&entering);
  int i = 0;
  while (i < taken && faulty_cuda_real[i] != real) ++i;
  if (i == taken && taken < doors) {
    snprintf(name_of[i], sizeof name_of[i], "%s", name);
    handed_out_by[i] = hands_out - takes_back;
    faulty_cuda_real[i] = real;
    ++taken;
  }
  void* const door = i == doors ? real : (handed_out_by[i] ? faulty_cuda_counted_doors : faulty_cuda_doors) + 16 * i;
  pthread_mutex_unlock(&entering);
  return door;
}

static void* of_driver(const char* name) {
  static void* driver;
  if (!driver) {
    /* Where distributions, containers and WSL have it. */
    const char* const paths[] = {getenv("FAULTY_CUDA_DRIVER"), "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                                 "/usr/lib64/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                 "/usr/lib/wsl/lib/libcuda.so.1"};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths && !driver; ++i)
      if (paths[i]) driver = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
    if (!driver) return 0;
  }
  return dlsym(driver, name);
}

__attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* name, void** at_it, int version,
                                                               uint64_t flags, void* how);

__attribute__((visibility("default"))) int cuGetProcAddress(const char* name, void** at_it, int version,
                                                            uint64_t flags) {
  return cuGetProcAddress_v2(name, at_it, version, flags, 0);
}

int cuGetProcAddress_v2(const char* name, void** at_it, int version, uint64_t flags, void* how) {
  int (*const ask)(const char*, void**, int, uint64_t, void*) = of_driver("cuGetProcAddress_v2");
  if (!ask) return not_found;
  const int status = ask(name, at_it, version, flags, how);
  if (status != success || !*at_it) return status;
  if (strcmp(name, "cuGetProcAddress") == 0)
    *at_it = version >= 12000 ? (void*)cuGetProcAddress_v2 : (void*)cuGetProcAddress;
  else
    *at_it = door_of(name, *at_it);
  return status;
}

__attribute__((visibility("default"))) int cuGetExportTable(const void** table, const void* which) {
  int (*const ask)(const void**, const void*) = of_driver("cuGetExportTable");
  return ask ? ask(table, which) : not_found;
}
