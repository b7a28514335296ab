/* Upsweep in C: the library's primitives over pointers, with types and operators chosen at run time. Bindings of other
 * languages use this interface. C++ programs include upsweep/upsweep.hpp.
 *
 *   upsweep_context* cpu = NULL;
 *   if (upsweep_open("cpu", &cpu) != UPSWEEP_OK) return puts(upsweep_last_message());
 *   float x[] = {1, 2, 3}, sum;
 *   upsweep_reduce(cpu, UPSWEEP_F32, x, 3, UPSWEEP_PLUS, UPSWEEP_IDENTITY, NULL, &sum);   // 6
 *   upsweep_close(cpu);
 *
 * Results     The contract of a function is that of the C++ header that its section names. The comments here state the
 *             differences.
 * Memory      Pointers point to memory of the context: host memory for the CPU, device memory for CUDA. For OpenCL they
 *             are handles from upsweep_allocate, and pointer arithmetic on them is not allowed. Parameters whose name
 *             begins with host_ point to host memory in every context. An array without elements may be null.
 *             Elements are contiguous and aligned as their type requires. An output must not overlap another array of
 *             the call. Where a call may run in place, the output may also be exactly the input.
 * Counts      Sizes are numbers of elements, except where the name says bytes.
 * Asynchrony  On the CPU a call has finished when it returns. On a device calls are enqueued on the context's stream,
 *             in order. Calls with a host result wait for it. upsweep_synchronize waits for all calls.
 * Threads     Threads may share a context and call concurrently.
 * Errors      Every call that can fail returns an upsweep_status. After a failure upsweep_last_message returns one
 *             sentence that names the error and the remedy, and outputs are unspecified. The library prints nothing,
 *             does not abort, and throws no C++ exception out of a call.
 * Stability   Functions and constants keep their meaning as long as the library's soname is the same. */
#ifndef UPSWEEP_H
#define UPSWEEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(UPSWEEP_BUILDS_C) && defined(__GNUC__)
#define UPSWEEP_API __attribute__((visibility("default")))
#else
#define UPSWEEP_API
#endif

/* ---- Errors */

typedef int upsweep_status;
enum {
  UPSWEEP_OK = 0,
  UPSWEEP_BAD_ARGUMENT = 1, /* a wrong size, overlapping memory, a null pointer, an unknown name */
  UPSWEEP_UNSUPPORTED = 2,  /* the device, type, operator or variant does not support it */
  UPSWEEP_NO_DEVICE = 3,    /* the device was not found, or its backend is not in this build */
  UPSWEEP_OUT_OF_MEMORY = 4,
  UPSWEEP_DEVICE_FAILURE = 5, /* the driver or runtime reported an error */
  UPSWEEP_INTERNAL = 6,       /* any other error: a defect of the library */
  UPSWEEP_CANCELLED = 7       /* the callback of upsweep_set_cancel_callback cancelled the call */
};

/* The message of the last call that failed on this thread: "call: what is wrong; what to do". It is empty before a
 * failure, and valid until the next one. */
UPSWEEP_API const char* upsweep_last_message(void);
UPSWEEP_API const char* upsweep_version(void); /* "0.1.0" */

/* From now on this thread's calls on CPU contexts call is_cancelled(data), on this thread, about every 50 milliseconds.
 * When it returns a value other than 0, the call ends with UPSWEEP_CANCELLED (upsweep/cancellation.hpp). Null, the
 * default: no callback. */
UPSWEEP_API upsweep_status upsweep_set_cancel_callback(int (*is_cancelled)(void* data), void* data);

/* ---- Types, operators, transforms, comparisons and borders */

typedef int upsweep_type;
enum {
  UPSWEEP_I32 = 0,
  UPSWEEP_U32 = 1,
  UPSWEEP_I64 = 2,
  UPSWEEP_U64 = 3,
  UPSWEEP_F32 = 4,
  UPSWEEP_F64 = 5,
  UPSWEEP_I8 = 6,
  UPSWEEP_U8 = 7,
  UPSWEEP_I16 = 8,
  UPSWEEP_U16 = 9,
  UPSWEEP_F16 = 10 /* IEEE binary16 */
};
/* Folds take the first six types. The other types can be sorted, selected, searched, counted and filtered. */

typedef int upsweep_operator;
enum {
  UPSWEEP_PLUS = 0,
  UPSWEEP_MULTIPLIES = 1,
  UPSWEEP_MINIMUM = 2,
  UPSWEEP_MAXIMUM = 3,
  UPSWEEP_BIT_AND = 4,
  UPSWEEP_BIT_OR = 5,
  UPSWEEP_BIT_XOR = 6,
  UPSWEEP_LOGICAL_AND = 7,
  UPSWEEP_LOGICAL_OR = 8,
  UPSWEEP_COMPOSE_AFFINE = 9
};

typedef int upsweep_transform;
enum { UPSWEEP_IDENTITY = 0, UPSWEEP_NEGATE = 1, UPSWEEP_ABSOLUTE = 2, UPSWEEP_SQUARE = 3 };

typedef int upsweep_comparison;
enum {
  UPSWEEP_LESS = 0,
  UPSWEEP_LESS_EQUAL = 1,
  UPSWEEP_GREATER = 2,
  UPSWEEP_GREATER_EQUAL = 3,
  UPSWEEP_EQUAL = 4,
  UPSWEEP_NOT_EQUAL = 5
};

typedef int upsweep_border;
enum {
  UPSWEEP_BORDER_NONE = 0,
  UPSWEEP_BORDER_ZERO = 1,
  UPSWEEP_BORDER_CLAMP = 2,
  UPSWEEP_BORDER_REFLECT = 3,
  UPSWEEP_BORDER_MIRROR = 4,
  UPSWEEP_BORDER_WRAP = 5
};

UPSWEEP_API size_t upsweep_type_bytes(upsweep_type);     /* 0 for an unknown type */
UPSWEEP_API const char* upsweep_type_name(upsweep_type); /* "f32"; null for an unknown type */

/* ---- Devices and contexts (upsweep/context.hpp) */

typedef struct {
  char name[32];         /* the argument of upsweep_open: "cuda:0" */
  char description[256]; /* the name of the hardware, or why it cannot be used */
  int usable;
  uint64_t total_memory; /* bytes */
} upsweep_device;

/* Writes up to `capacity` elements, and the number that exist to `count`: one for each device of each backend, and one
 * for each backend that cannot be used. */
UPSWEEP_API upsweep_status upsweep_devices(upsweep_device* devices, size_t capacity, size_t* count);

typedef struct upsweep_context upsweep_context;

/* "cpu", "cpu:4" (threads), "cuda:0", "opencl:1", "best". */
UPSWEEP_API upsweep_status upsweep_open(const char* name, upsweep_context** context);
/* `context` may be null. Release memory that was allocated through the context before. */
UPSWEEP_API void upsweep_close(upsweep_context* context);

typedef struct {
  size_t bytes;        /* sizeof(upsweep_options): later versions may add members */
  const char* variant; /* "scan/blelloch": calls of that algorithm use the variant or fail; null: the fastest */
  int deterministic;   /* not 0: results have the same bits on every device, or calls fail */
  int checked;         /* 1: check all contents on every device, and wait for the check; -1: check no contents in
                        * device memory; 0: check offsets, indices and lengths, with which a device would access
                        * memory out of bounds */
  int has_stream;      /* not 0: calls use `stream`, which may be the null stream */
  void* stream;        /* a cudaStream_t or a cl_command_queue, owned by the caller */
} upsweep_options;

/* Creates another context of the same device, with these options. */
UPSWEEP_API upsweep_status upsweep_with(const upsweep_context* context, const upsweep_options* options,
                                        upsweep_context** other);

UPSWEEP_API const char* upsweep_backend(const upsweep_context* context); /* "cpu", "cuda", "opencl" */
/* "cpu", "cuda:0". The string is valid as long as the context. */
UPSWEEP_API const char* upsweep_name(const upsweep_context* context);
/* Writes the name of the variant that ran last on the device: null-terminated, and truncated to `bytes`. */
UPSWEEP_API upsweep_status upsweep_last_algorithm(const upsweep_context* context, char* name, size_t bytes);
UPSWEEP_API upsweep_status upsweep_synchronize(const upsweep_context* context);
UPSWEEP_API upsweep_status upsweep_free_memory(const upsweep_context* context, uint64_t* bytes);
/* Frees the temporary storage that contexts on this device cache and no call uses, and the memory of destroyed CUDA
 * graphs. Later calls allocate again. The environment variable UPSWEEP_SCRATCH_LIMIT bounds the cache, as in "8G". The
 * default is half of the device's memory. Before a call fails for lack of memory, the library frees unused cached
 * storage. */
UPSWEEP_API upsweep_status upsweep_trim(const upsweep_context* context);

/* ---- Memory. An allocation of 0 bytes is null. */

UPSWEEP_API upsweep_status upsweep_allocate(const upsweep_context* context, uint64_t bytes, void** memory);
UPSWEEP_API upsweep_status upsweep_deallocate(const upsweep_context* context, void* memory);
/* Copy host memory to the beginning of an allocation of the context, and back. When a call returns, host memory may
 * be reused or read.
 *
 * While the context's stream is captured into a CUDA graph, an upload becomes part of the graph, together with a copy
 * of the bytes. An allocation then lives until it is released and the graph is destroyed. A download fails, as does
 * every other call that waits. */
UPSWEEP_API upsweep_status upsweep_upload(const upsweep_context* context, void* to, const void* host, uint64_t bytes);
UPSWEEP_API upsweep_status upsweep_download(const upsweep_context* context, void* host, const void* from,
                                            uint64_t bytes);

/* ---- Folds (upsweep/reduce.hpp, scan.hpp, axis.hpp). host_init is one element; null is the operator's identity. */

/* out: one element. */
UPSWEEP_API upsweep_status upsweep_reduce(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          upsweep_operator op, upsweep_transform transform, const void* host_init,
                                          void* out);
/* out: n elements; it may be `in`. */
UPSWEEP_API upsweep_status upsweep_scan(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                        int inclusive, upsweep_operator op, upsweep_transform transform,
                                        const void* host_init, void* out);
/* The sum, and the running sums, of i8, i16 and i32 in i64, and of u8, u16 and u32 in u64. On the CPU only. */
UPSWEEP_API upsweep_status upsweep_wide_sum(const upsweep_context* context, upsweep_type type, const void* in,
                                            uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_wide_running_sums(const upsweep_context* context, upsweep_type type, const void* in,
                                                     uint64_t n, void* out);
/* host_shape: the lengths of `axes` axes (1 to 8), slowest first. axis: from 0, or from -1 for the last axis
 * backwards. */
UPSWEEP_API upsweep_status upsweep_reduce_along(const upsweep_context* context, upsweep_type type, const void* in,
                                                const uint64_t* host_shape, int axes, int axis, upsweep_operator op,
                                                upsweep_transform transform, const void* host_init, void* out);
UPSWEEP_API upsweep_status upsweep_scan_along(const upsweep_context* context, upsweep_type type, const void* in,
                                              const uint64_t* host_shape, int axes, int axis, int inclusive,
                                              upsweep_operator op, upsweep_transform transform, const void* host_init,
                                              void* out);

/* ---- Orders (upsweep/sort.hpp, axis.hpp). Sorts are stable. NaNs are last, and first in descending order. */

/* out may be `in`. */
UPSWEEP_API upsweep_status upsweep_sort(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                        int descending, void* out);
/* Values may have any size. keys_out may be `keys`, and values_out `values`. */
UPSWEEP_API upsweep_status upsweep_sort_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                               const void* values, uint32_t value_bytes, uint64_t n, int descending,
                                               void* keys_out, void* values_out);
/* index_bytes: 4 or 8. */
UPSWEEP_API upsweep_status upsweep_argsort(const upsweep_context* context, upsweep_type type, const void* keys,
                                           uint64_t n, int descending, uint32_t index_bytes, void* indices);
/* Segment s is [offsets[s], offsets[s + 1]). There are segments + 1 offsets. value_bytes 0: there are no values. */
UPSWEEP_API upsweep_status upsweep_segmented_sort(const upsweep_context* context, upsweep_type type, const void* keys,
                                                  const void* values, uint32_t value_bytes, uint64_t n,
                                                  const uint64_t* offsets, uint64_t segments, int descending,
                                                  void* keys_out, void* values_out);
/* The first k elements in sorted order, the largest with descending, and their indices in `in`. */
UPSWEEP_API upsweep_status upsweep_top_k(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                         uint64_t k, int descending, void* out, uint64_t* indices);
/* host_key: the key of rank k. The call waits for it. */
UPSWEEP_API upsweep_status upsweep_nth_element(const upsweep_context* context, upsweep_type type, const void* in,
                                               uint64_t n, uint64_t k, int descending, void* host_key);
UPSWEEP_API upsweep_status upsweep_merge(const upsweep_context* context, upsweep_type type, const void* a, uint64_t n,
                                         const void* b, uint64_t m, int descending, void* out);
/* until: the first i whose element is ordered before element i - 1, or n. */
UPSWEEP_API upsweep_status upsweep_is_sorted_until(const upsweep_context* context, upsweep_type type, const void* in,
                                                   uint64_t n, int descending, uint64_t* until);
UPSWEEP_API upsweep_status upsweep_sort_along(const upsweep_context* context, upsweep_type type, const void* in,
                                              const uint64_t* host_shape, int axes, int axis, int descending,
                                              void* out);
UPSWEEP_API upsweep_status upsweep_argsort_along(const upsweep_context* context, upsweep_type type, const void* keys,
                                                 const uint64_t* host_shape, int axes, int axis, int descending,
                                                 uint32_t index_bytes, void* indices);
/* out and indices have the shape of `in` with length k along the axis. indices may be null. */
UPSWEEP_API upsweep_status upsweep_top_k_along(const upsweep_context* context, upsweep_type type, const void* in,
                                               const uint64_t* host_shape, int axes, int axis, uint64_t k,
                                               int descending, void* out, uint64_t* indices);

/* ---- Selections (upsweep/select.hpp, compact.hpp). Outputs hold up to n elements; count is one element. */

/* host_threshold: one element. out may be `in`. */
UPSWEEP_API upsweep_status upsweep_copy_if(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, upsweep_comparison test, const void* host_threshold, void* out,
                                           uint64_t* count);
/* Copies element i of `in`, of 1, 2, 4 or 8 bytes, where element i of in2, of `type`, passes the test. */
UPSWEEP_API upsweep_status upsweep_copy_if_stencil(const upsweep_context* context, upsweep_type type, const void* in,
                                                   uint32_t element_bytes, const void* in2, uint64_t n,
                                                   upsweep_comparison test, const void* host_threshold, void* out,
                                                   uint64_t* count);
/* Elements have 1, 2, 4 or 8 bytes, flags 1 byte. */
UPSWEEP_API upsweep_status upsweep_select_flagged(const upsweep_context* context, const void* in,
                                                  uint32_t element_bytes, const uint8_t* flags, uint64_t n, void* out,
                                                  uint64_t* count);
UPSWEEP_API upsweep_status upsweep_unique(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          void* out, uint64_t* count);
/* Values have 1, 2, 4 or 8 bytes. */
UPSWEEP_API upsweep_status upsweep_unique_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                                 const void* values, uint32_t value_bytes, uint64_t n, void* keys_out,
                                                 void* values_out, uint64_t* count);
UPSWEEP_API upsweep_status upsweep_partition(const upsweep_context* context, upsweep_type type, const void* in,
                                             uint64_t n, upsweep_comparison test, const void* host_threshold, void* out,
                                             uint64_t* count);
UPSWEEP_API upsweep_status upsweep_run_length_encode(const upsweep_context* context, upsweep_type type, const void* in,
                                                     uint64_t n, void* out, uint64_t* lengths, uint64_t* count);
/* The sum of the lengths is m, the size of `out`. */
UPSWEEP_API upsweep_status upsweep_run_length_decode(const upsweep_context* context, const void* in,
                                                     uint32_t element_bytes, const uint64_t* lengths, uint64_t n,
                                                     void* out, uint64_t m);
/* offsets: the first index of each run of equal elements, followed by n; up to n + 1 elements. */
UPSWEEP_API upsweep_status upsweep_run_offsets(const upsweep_context* context, upsweep_type type, const void* in,
                                               uint64_t n, uint64_t* offsets, uint64_t* count);
/* out[i] = in[indices[i]] for i below n; `in` has m elements. Indices are unsigned, of 4 or 8 bytes. With flags, only
 * elements i with a flag other than 0 are written. */
UPSWEEP_API upsweep_status upsweep_gather(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                          uint64_t m, const void* indices, uint32_t index_bytes, const uint8_t* flags,
                                          uint64_t n, void* out);
/* out[indices[i]] = in[i] for i below n; `out` has m elements. */
UPSWEEP_API upsweep_status upsweep_scatter(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                           uint64_t n, const void* indices, uint32_t index_bytes, const uint8_t* flags,
                                           void* out, uint64_t m);

/* ---- By key and by segment (upsweep/segmented.hpp) */

UPSWEEP_API upsweep_status upsweep_reduce_by_key(const upsweep_context* context, upsweep_type key_type,
                                                 const void* keys, upsweep_type type, const void* in, uint64_t n,
                                                 upsweep_operator op, upsweep_transform transform, void* keys_out,
                                                 void* out, uint64_t* count);
UPSWEEP_API upsweep_status upsweep_scan_by_key(const upsweep_context* context, upsweep_type key_type, const void* keys,
                                               upsweep_type type, const void* in, uint64_t n, int inclusive,
                                               upsweep_operator op, upsweep_transform transform, const void* host_init,
                                               void* out);
/* out: one element for each segment. */
UPSWEEP_API upsweep_status upsweep_segmented_reduce(const upsweep_context* context, upsweep_type type, const void* in,
                                                    uint64_t n, const uint64_t* offsets, uint64_t segments,
                                                    upsweep_operator op, upsweep_transform transform,
                                                    const void* host_init, void* out);
/* out: n elements; it may be `in`. Elements outside all segments are not written. */
UPSWEEP_API upsweep_status upsweep_segmented_scan(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint64_t n, const uint64_t* offsets, uint64_t segments, int inclusive,
                                                  upsweep_operator op, upsweep_transform transform,
                                                  const void* host_init, void* out);

/* ---- Searches (upsweep/search.hpp). answer is one element. */

UPSWEEP_API upsweep_status upsweep_count_if(const upsweep_context* context, upsweep_type type, const void* in,
                                            uint64_t n, upsweep_comparison test, const void* host_threshold,
                                            uint64_t* answer);
/* answer: the first index; n if there is none. */
UPSWEEP_API upsweep_status upsweep_find_if(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, upsweep_comparison test, const void* host_threshold,
                                           uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_find_first_of(const upsweep_context* context, upsweep_type type, const void* in,
                                                 uint64_t n, const void* set, uint64_t m, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_search(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          const void* pattern, uint64_t m, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_adjacent_find(const upsweep_context* context, upsweep_type type, const void* in,
                                                 uint64_t n, uint64_t* answer);
/* answer: the first index at which two arrays of n elements differ; n if there is none. */
UPSWEEP_API upsweep_status upsweep_mismatch(const upsweep_context* context, upsweep_type type, const void* a,
                                            const void* b, uint64_t n, uint64_t* answer);
/* answer: the first index of the smallest, or greatest, element that is not NaN; 0 if all are NaN or n is 0. */
UPSWEEP_API upsweep_status upsweep_argmin(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_argmax(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          uint64_t* answer);
/* answers: for each of n values, the number of sorted elements that are less (lower_bound), or less or equal
 * (upper_bound). There are m sorted elements. */
UPSWEEP_API upsweep_status upsweep_lower_bound(const upsweep_context* context, upsweep_type type, const void* sorted,
                                               uint64_t m, const void* values, uint64_t n, uint64_t* answers);
UPSWEEP_API upsweep_status upsweep_upper_bound(const upsweep_context* context, upsweep_type type, const void* sorted,
                                               uint64_t m, const void* values, uint64_t n, uint64_t* answers);
/* answers: 1 for each value that is among the sorted elements, else 0. */
UPSWEEP_API upsweep_status upsweep_binary_search(const upsweep_context* context, upsweep_type type, const void* sorted,
                                                 uint64_t m, const void* values, uint64_t n, uint8_t* answers);

/* ---- Counts (upsweep/histogram.hpp) */

/* Counts in `bins` even bins of [lower, upper), for each of `channels` interleaved channels. A bound is one number:
 * int64_t for integers of up to 32 bits, float for f16, else of the elements' type. counts: channels · bins. */
UPSWEEP_API upsweep_status upsweep_histogram(const upsweep_context* context, upsweep_type type, const void* samples,
                                             uint64_t n, const void* host_lower, const void* host_upper, uint64_t bins,
                                             uint32_t channels, uint64_t* counts);
/* Bin b is [edges[b], edges[b + 1]). There are bins + 1 edges of the elements' type. */
UPSWEEP_API upsweep_status upsweep_histogram_of_edges(const upsweep_context* context, upsweep_type type,
                                                      const void* samples, uint64_t n, const void* edges, uint64_t bins,
                                                      uint32_t channels, uint64_t* counts);
/* As upsweep_histogram_of_edges, but the last bin includes its upper edge: [edges[bins - 1], edges[bins]]. These two
 * edges may be equal. */
UPSWEEP_API upsweep_status upsweep_histogram_of_closed_edges(const upsweep_context* context, upsweep_type type,
                                                             const void* samples, uint64_t n, const void* edges,
                                                             uint64_t bins, uint32_t channels, uint64_t* counts);
/* Sums of weights in place of counts. There is one weight for each sample. */
UPSWEEP_API upsweep_status upsweep_weighted_histogram(const upsweep_context* context, upsweep_type type,
                                                      const void* samples, const float* weights, uint64_t n,
                                                      const void* host_lower, const void* host_upper, uint64_t bins,
                                                      uint32_t channels, double* sums);
UPSWEEP_API upsweep_status upsweep_weighted_histogram_f64(const upsweep_context* context, upsweep_type type,
                                                          const void* samples, const double* weights, uint64_t n,
                                                          const void* host_lower, const void* host_upper, uint64_t bins,
                                                          uint32_t channels, double* sums);

/* ---- Images (upsweep/summed_area_table.hpp, convolve.hpp, filters.hpp) */

/* An image of interleaved channels. Rows are `pitch` elements apart, and rows of the result out_pitch; 0 means without
 * gaps. is_signal: not 0 for a signal of height 1, which a border extends at its two ends, not up and down. */
typedef struct {
  uint64_t width, height, depth;
  uint32_t channels;
  uint64_t pitch, out_pitch;
  int is_signal;
} upsweep_image_layout;

/* upsweep/summed_area_table.hpp lists the pairs of types. wrap: integer sums that may overflow wrap modulo 2^bits. */
UPSWEEP_API upsweep_status upsweep_summed_area_table(const upsweep_context* context, upsweep_type type, const void* in,
                                                     const upsweep_image_layout* picture, int wrap,
                                                     upsweep_type out_type, void* table);
typedef int upsweep_box;
enum { UPSWEEP_BOX_SUM = 0, UPSWEEP_BOX_MEAN = 1, UPSWEEP_BOX_VARIANCE = 2 };
UPSWEEP_API upsweep_status upsweep_box_filter(const upsweep_context* context, upsweep_type type, const void* in,
                                              const upsweep_image_layout* picture, upsweep_box what, uint64_t radius_x,
                                              uint64_t radius_y, int wrap, upsweep_type out_type, void* out);
typedef struct {
  upsweep_type type; /* i32, f32 or f64 */
  uint64_t width, height, depth;
  const void* host_values; /* x fastest */
  int has_anchor;          /* 0: the anchor is the middle */
  uint64_t anchor_x, anchor_y, anchor_z;
} upsweep_mask;
/* upsweep/convolve.hpp lists the types. flipped: not 0 for a convolution, 0 for a correlation. With UPSWEEP_BORDER_NONE
 * the result has size - mask + 1 elements along each axis. */
UPSWEEP_API upsweep_status upsweep_convolve(const upsweep_context* context, upsweep_type type, const void* in,
                                            const upsweep_image_layout* picture, const upsweep_mask* mask, int flipped,
                                            upsweep_border border, upsweep_type out_type, void* out);

/* The following filters are of f32. */
UPSWEEP_API upsweep_status upsweep_median(const upsweep_context* context, const float* in,
                                          const upsweep_image_layout* picture, uint32_t radius, upsweep_border border,
                                          float* out);
UPSWEEP_API upsweep_status upsweep_bilateral(const upsweep_context* context, const float* in,
                                             const upsweep_image_layout* picture, float sigma_space, float sigma_range,
                                             upsweep_border border, float* out);
UPSWEEP_API upsweep_status upsweep_gaussian(const upsweep_context* context, const float* in,
                                            const upsweep_image_layout* picture, float sigma, upsweep_border border,
                                            float* out);
typedef int upsweep_resampling;
enum { UPSWEEP_NEAREST = 0, UPSWEEP_AREA = 1, UPSWEEP_LINEAR = 2, UPSWEEP_CUBIC = 3, UPSWEEP_LANCZOS = 4 };
UPSWEEP_API upsweep_status upsweep_resize(const upsweep_context* context, const float* in,
                                          const upsweep_image_layout* picture, uint64_t width, uint64_t height,
                                          upsweep_resampling how, float* out);

/* ---- Recurrences (upsweep/recurrence.hpp). A call reads the first state from `carry`, and writes the last state to
 * it. */

/* x[i] = a[i]·x[i-1] + b[i], of f32, f64, u32 or u64. carry is one element, x[-1]. x may be a or b. */
UPSWEEP_API upsweep_status upsweep_recurrence(const upsweep_context* context, upsweep_type type, const void* a,
                                              const void* b, uint64_t n, void* x, void* carry);
/* x[i] = (1 - alpha)·x[i-1] + alpha·in[i], of f32 or f64. x may be `in`. */
UPSWEEP_API upsweep_status upsweep_moving_average(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint64_t n, double alpha, void* x, void* carry);
/* y = b0·x + b1·x₋₁ + b2·x₋₂ - a1·y₋₁ - a2·y₋₂, of f32 or f64. carry is two elements. y may be `in`. */
UPSWEEP_API upsweep_status upsweep_iir_filter(const upsweep_context* context, upsweep_type type, const double host_b[3],
                                              const double host_a[2], const void* in, uint64_t n, void* y, void* carry);

/* ---- Text (upsweep/lex.hpp). A call has finished when it returns, on every device. OpenCL is not supported. */

typedef struct upsweep_lexer upsweep_lexer;
typedef struct {
  const char *name, *pattern;
  int skip;
} upsweep_rule;
typedef struct {
  uint64_t first;
  uint32_t size, kind;
} upsweep_token;
typedef struct {
  uint64_t tokens;  /* tokens that are not skipped */
  int complete;     /* 0: the text is invalid at `stopped`; tokens before it are correct */
  uint64_t stopped; /* the first byte that belongs to no token */
} upsweep_token_counts;

UPSWEEP_API upsweep_status upsweep_lexer_make(const upsweep_rule* rules, size_t count, upsweep_lexer** lexer);
UPSWEEP_API upsweep_status upsweep_lexer_json(upsweep_lexer** lexer);
UPSWEEP_API upsweep_status upsweep_lexer_c(upsweep_lexer** lexer);
UPSWEEP_API void upsweep_lexer_free(upsweep_lexer* lexer);
UPSWEEP_API size_t upsweep_lexer_rules(const upsweep_lexer* lexer);
/* The string is valid as long as the lexer. It is null if `rule` is out of range. */
UPSWEEP_API const char* upsweep_lexer_rule_name(const upsweep_lexer* lexer, size_t rule);
/* Writes up to `capacity` tokens. If `tokens` is null, the call only counts them. host_counts: the number of tokens of
 * each kind, or null. */
UPSWEEP_API upsweep_status upsweep_tokenize(const upsweep_context* context, const upsweep_lexer* lexer,
                                            const char* text, uint64_t bytes, upsweep_token* tokens, uint64_t capacity,
                                            upsweep_token_counts* host_found, uint64_t* host_counts);
typedef struct {
  uint64_t fields, records;
  int complete;
  uint64_t stopped;
} upsweep_field_counts;
/* ends[k]: the offset of the end of field k. If `ends` is null, the call only counts the fields. */
UPSWEEP_API upsweep_status upsweep_fields(const upsweep_context* context, const char* text, uint64_t bytes,
                                          char separator, uint64_t* ends, uint64_t capacity,
                                          upsweep_field_counts* host_found);

/* ---- N-body (upsweep/nbody.hpp), of f32 or f64 */

typedef struct {
  double gravity, softening, theta, criterion;
  int quadrupoles, compensated;
  int method; /* 0: the faster one; 1: all pairs; 2: a tree of cells */
  int dimensions;
} upsweep_nbody_parameters;
UPSWEEP_API upsweep_nbody_parameters upsweep_nbody_default_parameters(void);

/* potential may be null. */
UPSWEEP_API upsweep_status upsweep_accelerations(const upsweep_context* context, upsweep_type type,
                                                 const upsweep_nbody_parameters* parameters, uint64_t n, const void* x,
                                                 const void* y, const void* z, const void* mass, void* ax, void* ay,
                                                 void* az, void* potential);

/* A simulation of moving bodies. One thread at a time may use it. */
typedef struct upsweep_simulation upsweep_simulation;
typedef int upsweep_integrator;
enum { UPSWEEP_EULER = 0, UPSWEEP_LEAPFROG = 1, UPSWEEP_HERMITE = 2 };

/* host_state: seven host arrays of n numbers of `type`: x, y, z, vx, vy, vz, mass. adaptive 0: every step has length
 * dt. */
UPSWEEP_API upsweep_status upsweep_simulation_make(const upsweep_context* context, upsweep_type type,
                                                   const upsweep_nbody_parameters* parameters,
                                                   upsweep_integrator integrator, double dt, double adaptive,
                                                   uint64_t n, const void* const host_state[7],
                                                   upsweep_simulation** simulation);
/* `simulation` may be null. */
UPSWEEP_API void upsweep_simulation_free(upsweep_simulation* simulation);
UPSWEEP_API upsweep_status upsweep_simulation_step(upsweep_simulation* simulation, uint64_t steps);
/* The current state. Each pointer may be null. dt: the length of the last step. */
UPSWEEP_API upsweep_status upsweep_simulation_at(const upsweep_simulation* simulation, uint64_t* bodies,
                                                 uint64_t* steps, double* time, double* dt);
/* Copies the state to host arrays, in the order of upsweep_simulation_make. Null arrays are skipped. */
UPSWEEP_API upsweep_status upsweep_simulation_state(upsweep_simulation* simulation, void* const host_state[7]);
/* host_forces: ax, ay, az and the potentials. */
UPSWEEP_API upsweep_status upsweep_simulation_forces(upsweep_simulation* simulation, void* const host_forces[4]);
/* Kinetic energy, potential energy, momentum (3), angular momentum (3). */
UPSWEEP_API upsweep_status upsweep_simulation_measure(upsweep_simulation* simulation, double host_sums[8]);

/* ---- Sorted sequences (upsweep/sets.hpp): n keys and m keys, with values of value_bytes each, or without values (0).
 * Outputs have the largest possible size of the result. UPSWEEP_INTERSECTION and UPSWEEP_DIFFERENCE copy no elements of
 * the second sequence, and its values are not used. */

typedef int upsweep_set;
enum {
  UPSWEEP_MERGE = 0,
  UPSWEEP_UNION = 1,
  UPSWEEP_INTERSECTION = 2,
  UPSWEEP_DIFFERENCE = 3,
  UPSWEEP_SYMMETRIC_DIFFERENCE = 4
};
UPSWEEP_API upsweep_status upsweep_set_operation(const upsweep_context* context, upsweep_set what, upsweep_type type,
                                                 const void* keys, const void* values, uint64_t n, const void* keys2,
                                                 const void* values2, uint64_t m, uint32_t value_bytes, int descending,
                                                 void* keys_out, void* values_out, uint64_t* count);

/* ---- Element by element (upsweep/transform.hpp, rearrange.hpp) */

/* out may be `in`. */
UPSWEEP_API upsweep_status upsweep_map(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                       upsweep_transform transform, void* out);
/* out[i] = a[i] ∘ b[i]; out may be a or b. */
UPSWEEP_API upsweep_status upsweep_combine(const upsweep_context* context, upsweep_type type, const void* a,
                                           const void* b, uint64_t n, upsweep_operator op, void* out);
UPSWEEP_API upsweep_status upsweep_subtract(const upsweep_context* context, upsweep_type type, const void* a,
                                            const void* b, uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_fill(const upsweep_context* context, upsweep_type type, const void* host_value,
                                        uint64_t n, void* out);
/* out[i] = value + i · step */
UPSWEEP_API upsweep_status upsweep_iota(const upsweep_context* context, upsweep_type type, const void* host_value,
                                        const void* host_step, uint64_t n, void* out);
/* out[i] = value where in2[i] passes the test, else in[i]. out may be `in` or in2. */
UPSWEEP_API upsweep_status upsweep_replace(const upsweep_context* context, upsweep_type type, const void* in,
                                           const void* in2, uint64_t n, upsweep_comparison test,
                                           const void* host_threshold, const void* host_value, void* out);
UPSWEEP_API upsweep_status upsweep_adjacent_difference(const upsweep_context* context, upsweep_type type,
                                                       const void* in, uint64_t n, void* out);

/* Elements consist of one to four words of 1, 2, 4 or 8 bytes. out may be `in`. */
UPSWEEP_API upsweep_status upsweep_reverse(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                           uint64_t n, void* out);
/* out[i] = in[(i + first) mod n], where first <= n */
UPSWEEP_API upsweep_status upsweep_rotate(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                          uint64_t n, uint64_t first, void* out);
UPSWEEP_API upsweep_status upsweep_shuffle(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                           uint64_t n, uint64_t seed, void* out);
/* Of u32 or u64. */
UPSWEEP_API upsweep_status upsweep_random_permutation(const upsweep_context* context, upsweep_type type, uint64_t n,
                                                      uint64_t seed, void* out);

/* ---- Counts in device memory (upsweep/device_counted.hpp). These calls process the first count[0] of n elements, or
 * all n if count[0] is greater. The count is in the context's memory, and the device reads it when the call runs. So
 * a program can continue with the result of a selection without a wait, also in a CUDA graph.
 *
 * Inputs have n elements. Outputs have the size that the calls above require. Elements past the written ones keep
 * their value. There are no transforms: call upsweep_map before. A call may run in place where the call above may.
 * The count that a call writes may be the count that it reads. */

/* out[i] = in[i] for i below the count, else the value. Elements have 1, 2, 4 or 8 bytes. */
UPSWEEP_API upsweep_status upsweep_device_counted_pad(const upsweep_context* context, const void* in,
                                                      uint32_t element_bytes, uint64_t n, const uint64_t* count,
                                                      const void* host_value, void* out);
UPSWEEP_API upsweep_status upsweep_device_counted_reduce(const upsweep_context* context, upsweep_type type,
                                                         const void* in, uint64_t n, const uint64_t* count,
                                                         upsweep_operator op, const void* host_init, void* out);
UPSWEEP_API upsweep_status upsweep_device_counted_scan(const upsweep_context* context, upsweep_type type,
                                                       const void* in, uint64_t n, const uint64_t* count, int inclusive,
                                                       upsweep_operator op, const void* host_init, void* out);
/* runs: one element. */
UPSWEEP_API upsweep_status upsweep_device_counted_reduce_by_key(const upsweep_context* context, upsweep_type key_type,
                                                                const void* keys, upsweep_type type, const void* in,
                                                                uint64_t n, const uint64_t* count, upsweep_operator op,
                                                                void* keys_out, void* out, uint64_t* runs);
UPSWEEP_API upsweep_status upsweep_device_counted_sort(const upsweep_context* context, upsweep_type type,
                                                       const void* in, uint64_t n, const uint64_t* count,
                                                       int descending, void* out);
/* Values have 1, 2, 4 or 8 bytes; on the CPU any size. */
UPSWEEP_API upsweep_status upsweep_device_counted_sort_by_key(const upsweep_context* context, upsweep_type type,
                                                              const void* keys, const void* values,
                                                              uint32_t value_bytes, uint64_t n, const uint64_t* count,
                                                              int descending, void* keys_out, void* values_out);
/* count_out: one element. */
UPSWEEP_API upsweep_status upsweep_device_counted_copy_if(const upsweep_context* context, upsweep_type type,
                                                          const void* in, uint64_t n, const uint64_t* count,
                                                          upsweep_comparison test, const void* host_threshold,
                                                          void* out, uint64_t* count_out);
UPSWEEP_API upsweep_status upsweep_device_counted_select_flagged(const upsweep_context* context, const void* in,
                                                                 uint32_t element_bytes, const uint8_t* flags,
                                                                 uint64_t n, const uint64_t* count, void* out,
                                                                 uint64_t* count_out);
UPSWEEP_API upsweep_status upsweep_device_counted_unique(const upsweep_context* context, upsweep_type type,
                                                         const void* in, uint64_t n, const uint64_t* count, void* out,
                                                         uint64_t* count_out);
/* Even bins of one channel. The bounds are those of upsweep_histogram. */
UPSWEEP_API upsweep_status upsweep_device_counted_histogram(const upsweep_context* context, upsweep_type type,
                                                            const void* samples, uint64_t n, const uint64_t* count,
                                                            const void* host_lower, const void* host_upper,
                                                            uint64_t bins, uint64_t* counts);

/* ---- Expressions (upsweep/expression.hpp): operators, transforms, predicates and comparators as C expressions, such
 * as "a > b ? a : b" or "x * x + 1". Any thread may use an expression in any context. On CUDA NVRTC compiles it.
 * Expressions that differ only in the values of literals share the compiled code. as_int(0xffffffffu), as_uint, as_long
 * (of ...ul), as_ulong, as_float and as_double write a value by its bits: such values share it next to / % << >> too.
 * Elements are i32, u32, i64, u64, f32 or f64. */

typedef struct upsweep_expression upsweep_expression;

UPSWEEP_API upsweep_status upsweep_expression_make(const char* source, upsweep_expression** expression);
UPSWEEP_API void upsweep_expression_free(upsweep_expression* expression);

/* host_identity: one element, which leaves every other element unchanged. It is the result for no elements. */
UPSWEEP_API upsweep_status upsweep_reduce_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, const void* host_identity,
                                             void* out);
UPSWEEP_API upsweep_status upsweep_scan_by(const upsweep_context* context, const upsweep_expression* expression,
                                           upsweep_type type, const void* in, uint64_t n, int inclusive,
                                           const void* host_identity, void* out);
/* Offsets and segments are those of upsweep_segmented_reduce. */
UPSWEEP_API upsweep_status upsweep_segmented_reduce_by(const upsweep_context* context,
                                                       const upsweep_expression* expression, upsweep_type type,
                                                       const void* in, uint64_t n, const uint64_t* offsets,
                                                       uint64_t segments, const void* host_identity, void* out);
UPSWEEP_API upsweep_status upsweep_segmented_scan_by(const upsweep_context* context,
                                                     const upsweep_expression* expression, upsweep_type type,
                                                     const void* in, uint64_t n, const uint64_t* offsets,
                                                     uint64_t segments, int inclusive, const void* host_identity,
                                                     void* out);
/* By key: `equality` is an expression of two adjacent keys a and b that says whether they are in one run; null means
 * ==. Keys have any type, but integers, f32 or f64 with an equality. To fold the runs of an equality with a built-in
 * operator, call upsweep_run_offsets_by and upsweep_segmented_reduce. */
UPSWEEP_API upsweep_status upsweep_reduce_by_key_by(const upsweep_context* context,
                                                    const upsweep_expression* expression,
                                                    const upsweep_expression* equality, upsweep_type key_type,
                                                    const void* keys, upsweep_type type, const void* in, uint64_t n,
                                                    const void* host_identity, void* keys_out, void* out,
                                                    uint64_t* count);
UPSWEEP_API upsweep_status upsweep_scan_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  const upsweep_expression* equality, upsweep_type key_type,
                                                  const void* keys, upsweep_type type, const void* in, uint64_t n,
                                                  int inclusive, const void* host_identity, void* out);
/* out[i] = f(in[i]), and out[i] = f(a[i], b[i]). out may be an input. */
UPSWEEP_API upsweep_status upsweep_map_by(const upsweep_context* context, const upsweep_expression* expression,
                                          upsweep_type type, const void* in, uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_combine_by(const upsweep_context* context, const upsweep_expression* expression,
                                              upsweep_type type, const void* a, const void* b, uint64_t n, void* out);
/* The expression is a predicate of x. A value other than zero is true. */
UPSWEEP_API upsweep_status upsweep_copy_if_by(const upsweep_context* context, const upsweep_expression* expression,
                                              upsweep_type type, const void* in, uint64_t n, void* out,
                                              uint64_t* count);
UPSWEEP_API upsweep_status upsweep_partition_by(const upsweep_context* context, const upsweep_expression* expression,
                                                upsweep_type type, const void* in, uint64_t n, void* out,
                                                uint64_t* count);
UPSWEEP_API upsweep_status upsweep_count_if_by(const upsweep_context* context, const upsweep_expression* expression,
                                               upsweep_type type, const void* in, uint64_t n, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_find_if_by(const upsweep_context* context, const upsweep_expression* expression,
                                              upsweep_type type, const void* in, uint64_t n, uint64_t* answer);
/* The expression is a comparator: whether a comes before b. Sorts are stable. */
UPSWEEP_API upsweep_status upsweep_sort_by(const upsweep_context* context, const upsweep_expression* expression,
                                           upsweep_type type, const void* in, uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_argsort_by(const upsweep_context* context, const upsweep_expression* expression,
                                              upsweep_type type, const void* keys, uint64_t n, uint64_t* order);
/* The first k elements in that order, and their indices in `in`. */
UPSWEEP_API upsweep_status upsweep_top_k_by(const upsweep_context* context, const upsweep_expression* expression,
                                            upsweep_type type, const void* in, uint64_t n, uint64_t k, void* out,
                                            uint64_t* indices);
/* host_key: the key of that rank. The call waits for it. */
UPSWEEP_API upsweep_status upsweep_nth_element_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* in, uint64_t n, uint64_t rank,
                                                  void* host_key);
/* Offsets and segments are those of upsweep_segmented_sort. */
UPSWEEP_API upsweep_status upsweep_segmented_sort_by(const upsweep_context* context,
                                                     const upsweep_expression* expression, upsweep_type type,
                                                     const void* keys, uint64_t n, const uint64_t* offsets,
                                                     uint64_t segments, void* keys_out);
/* The call waits for the result. */
UPSWEEP_API upsweep_status upsweep_is_sorted_until_by(const upsweep_context* context,
                                                      const upsweep_expression* expression, upsweep_type type,
                                                      const void* in, uint64_t n, uint64_t* until);
/* upsweep_set_operation of keys without values. Both inputs are sorted by the expression. */
UPSWEEP_API upsweep_status upsweep_set_operation_by(const upsweep_context* context,
                                                    const upsweep_expression* expression, upsweep_set what,
                                                    upsweep_type type, const void* keys, uint64_t n, const void* keys2,
                                                    uint64_t m, void* keys_out, uint64_t* count);
/* As upsweep_set_operation and upsweep_sort_by_key, with values of 1, 2, 4 or 8 bytes. */
UPSWEEP_API upsweep_status upsweep_set_operation_by_key_by(const upsweep_context* context,
                                                           const upsweep_expression* expression, upsweep_set what,
                                                           upsweep_type type, const void* keys, const void* values,
                                                           uint64_t n, const void* keys2, const void* values2,
                                                           uint64_t m, uint32_t value_bytes, void* keys_out,
                                                           void* values_out, uint64_t* count);
UPSWEEP_API upsweep_status upsweep_sort_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* keys, const void* values,
                                                  uint32_t value_bytes, uint64_t n, void* keys_out, void* values_out);
/* The expression is an equality: of two adjacent elements a and b, or of an element a and an element b of the set or
 * the pattern. */
UPSWEEP_API upsweep_status upsweep_unique_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, void* out, uint64_t* count);
UPSWEEP_API upsweep_status upsweep_run_offsets_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* in, uint64_t n, uint64_t* offsets,
                                                  uint64_t* count);
UPSWEEP_API upsweep_status upsweep_adjacent_find_by(const upsweep_context* context,
                                                    const upsweep_expression* expression, upsweep_type type,
                                                    const void* in, uint64_t n, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_find_first_of_by(const upsweep_context* context,
                                                    const upsweep_expression* expression, upsweep_type type,
                                                    const void* in, uint64_t n, const void* set, uint64_t m,
                                                    uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_search_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, const void* pattern,
                                             uint64_t m, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_mismatch_by(const upsweep_context* context, const upsweep_expression* expression,
                                               upsweep_type type, const void* a, const void* b, uint64_t n,
                                               uint64_t* answer);
/* The expression is a comparator. answer: the first index of an element that no other element comes before (argmin), or
 * that comes before no other element (argmax). */
UPSWEEP_API upsweep_status upsweep_argmin_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_argmax_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, uint64_t* answer);
/* The elements are sorted by the expression. */
UPSWEEP_API upsweep_status upsweep_lower_bound_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* sorted, uint64_t m, const void* values,
                                                  uint64_t n, uint64_t* answers);
UPSWEEP_API upsweep_status upsweep_upper_bound_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* sorted, uint64_t m, const void* values,
                                                  uint64_t n, uint64_t* answers);
UPSWEEP_API upsweep_status upsweep_binary_search_by(const upsweep_context* context,
                                                    const upsweep_expression* expression, upsweep_type type,
                                                    const void* sorted, uint64_t m, const void* values, uint64_t n,
                                                    uint8_t* answers);
/* Of each line along an axis, as upsweep_reduce_along and the other calls along an axis. */
UPSWEEP_API upsweep_status upsweep_reduce_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                                   upsweep_type type, const void* in, const uint64_t* host_shape,
                                                   int axes, int axis, const void* host_identity, void* out);
UPSWEEP_API upsweep_status upsweep_scan_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                                 upsweep_type type, const void* in, const uint64_t* host_shape,
                                                 int axes, int axis, int inclusive, const void* host_identity,
                                                 void* out);
UPSWEEP_API upsweep_status upsweep_sort_along_by(const upsweep_context* context, const upsweep_expression* expression,
                                                 upsweep_type type, const void* in, const uint64_t* host_shape,
                                                 int axes, int axis, void* out);
UPSWEEP_API upsweep_status upsweep_argsort_along_by(const upsweep_context* context,
                                                    const upsweep_expression* expression, upsweep_type type,
                                                    const void* keys, const uint64_t* host_shape, int axes, int axis,
                                                    uint64_t* indices);

#ifdef __cplusplus
}
#endif

#endif
