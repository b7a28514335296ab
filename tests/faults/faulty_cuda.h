/* faulty_cuda.c is a libcuda.so.1 that stands before the driver's: it lets one call fail, and counts what is held.
 * The runtime loads it where LD_LIBRARY_PATH names its folder; FAULTY_CUDA_DRIVER is the path of the real one. A test
 * finds these functions in it by dlsym. */
#ifndef UPSWEEP_TESTS_FAULTS_FAULTY_CUDA_H
#define UPSWEEP_TESTS_FAULTS_FAULTY_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the Nth call fails with `code`, one of CUresult's; 0: none does, all are counted. Releases never fail. */
void faulty_cuda_arm(long n, int code);
/* No more. Returns how many calls were made; *failed is the name of the one that failed, or null. */
long faulty_cuda_disarm(const char** failed);
/* Streams, events and pieces of memory that were handed out and not given back. */
long faulty_cuda_held(void);

#ifdef __cplusplus
}
#endif

#endif
