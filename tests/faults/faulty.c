/* Lets one call of one kind fail, and counts them. Preloaded before a program: the Nth after main() began, and a file says at the end how many
 * there were:
 *   UPSWEEP_FAULT=KIND:N:ERRNO    KIND of memory, open, read, write, sync, link, close, size, map, thread; ERRNO a number, with a + where
 *                                 all fail from the Nth on, or short (one byte is taken), interrupted (EINTR, which is to be tried
 *                                 again), or what comes just before the call: term, int (a signal), kill
 *   UPSWEEP_FAULT_COUNTS=FILE     "KIND N" a line
 * Linked into a test, with FAULTY_INSIDE: faulty.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "faulty.h"

enum kind { MEMORY, OPEN, READ, WRITE, SYNC, LINK, CLOSE, SIZE, MAP, THREAD, KINDS };
enum { SHORT = -1, INTERRUPTED = -2, KILL = -3, TERM = -4, INT = -5 };

static atomic_long made[KINDS];
static atomic_int begun;
static int failing = -1, how, onward;
static long at;

#ifdef FAULTY_INSIDE
static pthread_t armed_by;
#endif

/* What glibc does not do without memory, it ends the process for. */
static __thread int glibcs_own;

/* The call that is meant, if this is it. */
static int fails(enum kind k) {
  if (!atomic_load_explicit(&begun, memory_order_relaxed) || glibcs_own) return 0;
#ifdef FAULTY_INSIDE
  if (k == THREAD && !pthread_equal(pthread_self(), armed_by)) return 0;
#endif
  const long n = atomic_fetch_add(&made[k], 1) + 1;
  if ((int)k != failing || (onward ? n < at : n != at)) return 0;
  if (how == KILL) raise(SIGKILL);
  if (how == TERM || how == INT) {
    raise(how == TERM ? SIGTERM : SIGINT);
    return 0;
  }
  if (how > 0) errno = how;
  if (how == INTERRUPTED) errno = EINTR;
  return 1;
}

/* The function that this one stands before. */
#define REAL(result, name, ...)                                     \
  static result (*real)(__VA_ARGS__);                               \
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, name)

/* glibc's own, by the names that need no look-up: dlsym itself allocates. */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

/* Not FFTW's, which ends the process: the library asks for as much just before (upsweep/convolve/convolve_fft.cpp). */
static int may_fail(const void* caller) {
  Dl_info whose;
  return !dladdr(caller, &whose) || !whose.dli_fname || !strstr(whose.dli_fname, "libfftw3");
}

/* Whose allocation may fail: anybody's, or those of some libraries. */
#ifdef FAULTY_INSIDE
static const void* meant[4];
static int meant_count;
static int is_meant(const void* caller) {
  Dl_info whose;
  if (!meant_count) return 1;
  if (!dladdr(caller, &whose)) return 0;
  for (int i = 0; i < meant_count; ++i)
    if (whose.dli_fbase == meant[i]) return 1;
  return 0;
}
int faulty_fails_for(const void* caller) { return is_meant(caller) && fails(MEMORY) && may_fail(caller); }
#define NO_MEMORY faulty_fails_for(__builtin_return_address(0))
#else
#define NO_MEMORY (fails(MEMORY) && may_fail(__builtin_return_address(0)))
#endif

static atomic_long living;
static void* given(void* p) {
  if (p) atomic_fetch_add_explicit(&living, 1, memory_order_relaxed);
  return p;
}

void* malloc(size_t n) { return NO_MEMORY ? NULL : given(__libc_malloc(n)); }
void* calloc(size_t n, size_t size) { return NO_MEMORY ? NULL : given(__libc_calloc(n, size)); }
void* memalign(size_t boundary, size_t n) { return NO_MEMORY ? NULL : given(__libc_memalign(boundary, n)); }
void* aligned_alloc(size_t boundary, size_t n) { return NO_MEMORY ? NULL : given(__libc_memalign(boundary, n)); }
int posix_memalign(void** p, size_t boundary, size_t n) {
  *p = NO_MEMORY ? NULL : given(__libc_memalign(boundary, n));
  return *p ? 0 : ENOMEM;
}
void* realloc(void* p, size_t n) {
  if (NO_MEMORY) return NULL;
  return p ? __libc_realloc(p, n) : given(__libc_malloc(n));
}
void free(void* p) {
  if (p) atomic_fetch_sub_explicit(&living, 1, memory_order_relaxed);
  __libc_free(p);
}

/* A thread's destructor is noted in 40 bytes: the library asks for more just before (upsweep/core/thread_exit.hpp). */
int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* library) {
  REAL(int, "__cxa_thread_atexit_impl", void (*)(void*), void*, void*);
  ++glibcs_own;
  const int answer = real(function, object, library);
  --glibcs_own;
  return answer;
}

#define OPENS(name)                                                                    \
  int name(const char* path, int flags, ...) {                                         \
    REAL(int, #name, const char*, int, ...);                                           \
    va_list more;                                                                      \
    va_start(more, flags);                                                             \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;    \
    va_end(more);                                                                      \
    return fails(OPEN) ? -1 : real(path, flags, mode);                                 \
  }
OPENS(open)
OPENS(open64)
FILE* fopen(const char* path, const char* mode) {
  REAL(FILE*, "fopen", const char*, const char*);
  return fails(OPEN) ? NULL : real(path, mode);
}

static size_t part(size_t n) { return n > 1 && how == SHORT ? 1 : n; }

#define READS(name, ...)                                        \
  if (fails(READ)) {                                            \
    if (how != SHORT) return -1;                                \
    n = part(n);                                                \
  }
ssize_t read(int fd, void* p, size_t n) {
  REAL(ssize_t, "read", int, void*, size_t);
  READS(read)
  return real(fd, p, n);
}
ssize_t pread(int fd, void* p, size_t n, off_t offset) {
  REAL(ssize_t, "pread", int, void*, size_t, off_t);
  READS(pread)
  return real(fd, p, n, offset);
}
ssize_t pread64(int fd, void* p, size_t n, off64_t offset) {
  REAL(ssize_t, "pread64", int, void*, size_t, off64_t);
  READS(pread64)
  return real(fd, p, n, offset);
}

#define WRITES                                                  \
  if (fails(WRITE)) {                                           \
    if (how != SHORT) return -1;                                \
    n = part(n);                                                \
  }
ssize_t write(int fd, const void* p, size_t n) {
  REAL(ssize_t, "write", int, const void*, size_t);
  WRITES
  return real(fd, p, n);
}
ssize_t pwrite(int fd, const void* p, size_t n, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void*, size_t, off_t);
  WRITES
  return real(fd, p, n, offset);
}
ssize_t pwrite64(int fd, const void* p, size_t n, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void*, size_t, off64_t);
  WRITES
  return real(fd, p, n, offset);
}
ssize_t writev(int fd, const struct iovec* parts, int n) {
  REAL(ssize_t, "writev", int, const struct iovec*, int);
  if (fails(WRITE)) {
    if (how != SHORT) return -1;
    for (int i = 0; i < n; ++i)  /* a part of the first that has any */
      if (parts[i].iov_len) return write(fd, parts[i].iov_base, 1);
  }
  return real(fd, parts, n);
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return fails(SYNC) ? -1 : real(fd);
}
int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  return fails(LINK) ? -1 : real(from, to);
}
int link(const char* from, const char* to) {
  REAL(int, "link", const char*, const char*);
  return fails(LINK) ? -1 : real(from, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  REAL(int, "linkat", int, const char*, int, const char*, int);
  return fails(LINK) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  REAL(int, "renameat2", int, const char*, int, const char*, unsigned);
  return fails(LINK) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int close(int fd) { /* it is closed all the same, as Linux does */
  REAL(int, "close", int);
  const int told = fails(CLOSE), number = errno, result = real(fd);
  if (!told) return result;
  errno = number;
  return -1;
}
int ftruncate(int fd, off_t n) {
  REAL(int, "ftruncate", int, off_t);
  return fails(SIZE) ? -1 : real(fd, n);
}
int ftruncate64(int fd, off64_t n) {
  REAL(int, "ftruncate64", int, off64_t);
  return fails(SIZE) ? -1 : real(fd, n);
}
int fallocate(int fd, int mode, off_t offset, off_t n) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  return fails(SIZE) ? -1 : real(fd, mode, offset, n);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t n) {
  REAL(int, "fallocate64", int, int, off64_t, off64_t);
  return fails(SIZE) ? -1 : real(fd, mode, offset, n);
}
int posix_fallocate(int fd, off_t offset, off_t n) {
  REAL(int, "posix_fallocate", int, off_t, off_t);
  return fails(SIZE) ? errno : real(fd, offset, n);
}
void* mmap(void* p, size_t n, int protection, int flags, int fd, off_t offset) {
  REAL(void*, "mmap", void*, size_t, int, int, int, off_t);
  return fails(MAP) ? MAP_FAILED : real(p, n, protection, flags, fd, offset);
}
void* mmap64(void* p, size_t n, int protection, int flags, int fd, off64_t offset) {
  REAL(void*, "mmap64", void*, size_t, int, int, int, off64_t);
  return fails(MAP) ? MAP_FAILED : real(p, n, protection, flags, fd, offset);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* about, void* (*f)(void*), void* with) {
  REAL(int, "pthread_create", pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return fails(THREAD) ? errno : real(thread, about, f, with);
}

#ifdef FAULTY_INSIDE

void faulty_arm(int memory_or_thread, long n, int and_all_after) {
  for (int k = 0; k < KINDS; ++k) atomic_store(&made[k], 0);
  armed_by = pthread_self();
  failing = memory_or_thread ? THREAD : MEMORY, how = memory_or_thread ? EAGAIN : ENOMEM, at = n, onward = n && and_all_after;
  atomic_store(&begun, 1);
}
long faulty_disarm(void) {
  atomic_store(&begun, 0);
  return atomic_load(&made[failing]);
}
long faulty_living(void) { return atomic_load(&living); }

void faulty_only_of(const void* function) {
  Dl_info whose;
  if (meant_count < 4 && dladdr(function, &whose)) meant[meant_count++] = whose.dli_fbase;
}

#else

static const char* const names[KINDS] = {"memory", "open", "read", "write", "sync", "link", "close", "size", "map", "thread"};

static char file[4096];

static void tell(void) {
  atomic_store(&begun, 0);
  FILE* const out = file[0] ? fopen(file, "w") : NULL;
  if (!out) return;
  for (int k = 0; k < KINDS; ++k) fprintf(out, "%s %ld\n", names[k], atomic_load(&made[k]));
  fclose(out);
}

static int (*program)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  const char* const asked = getenv("UPSWEEP_FAULT");
  const char* const counts = getenv("UPSWEEP_FAULT_COUNTS");
  char kind[16], what[16];
  if (asked && sscanf(asked, "%15[a-z]:%ld:%15[a-z0-9+]", kind, &at, what) == 3) {
    for (int k = 0; k < KINDS; ++k)
      if (!strcmp(kind, names[k])) failing = k;
    how = !strcmp(what, "short") ? SHORT : !strcmp(what, "interrupted") ? INTERRUPTED : !strcmp(what, "kill") ? KILL
        : !strcmp(what, "term") ? TERM : !strcmp(what, "int") ? INT : atoi(what);
    onward = strchr(what, '+') != NULL;
  }
  if (counts) snprintf(file, sizeof file, "%s", counts);
  /* What this program starts makes calls of its own. */
  unsetenv("UPSWEEP_FAULT"), unsetenv("UPSWEEP_FAULT_COUNTS");
  atexit(tell);
  atomic_store(&begun, 1);
  return program(argc, argv, environment);
}

/* What a program's start calls with its main. */
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void* stack_end) {
  REAL(int, "__libc_start_main", int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
       void (*)(void), void*);
  program = main;
  return real(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

#endif
