/* Upsweep in C: the library's primitives over pointers, with types and operators that are known at run time. It is what
 * other languages' bindings are made of; C++ programs include upsweep/upsweep.hpp.
 *
 *   upsweep_context* cpu = NULL;
 *   if (upsweep_open("cpu", &cpu) != UPSWEEP_OK) return puts(upsweep_last_message());
 *   float x[] = {1, 2, 3}, sum;
 *   upsweep_reduce(cpu, UPSWEEP_F32, x, 3, UPSWEEP_PLUS, UPSWEEP_IDENTITY, NULL, &sum);   // 6
 *   upsweep_close(cpu);
 *
 * Results     What the C++ header of each name says; its contract holds here, too, but for what is said here.
 * Memory      Pointers are to the context's memory: host memory for the CPU, CUDA device addresses for CUDA, what
 *             upsweep_allocate gave for OpenCL, where a pointer is a handle that is not to be calculated with. Pointers
 *             that are called host are to the host's, whatever the context. What has no elements may be null.
 *             Elements lie one after the other, aligned as their type asks. What is written overlaps nothing else that
 *             a call is given, unless in place is allowed, which is the same memory exactly.
 * Counts      are of elements; bytes are called so.
 * Asynchrony  The CPU is done on return. On a device calls are enqueued on the context's stream, in order, those with
 *             a host result excepted: they wait for it. upsweep_synchronize waits for all.
 * Threads     may share a context; each of their calls is right by itself.
 * Errors      Every call that can fail returns an upsweep_status; upsweep_last_message then says in one sentence what was
 *             wrong and what to do. Where a call fails, what it writes is unspecified. Nothing is printed, nothing
 *             aborts, no C++ exception passes.
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
  UPSWEEP_BAD_ARGUMENT = 1, /* sizes, overlap, null, an unknown name */
  UPSWEEP_UNSUPPORTED = 2,  /* this device, type, operator or variant cannot do it */
  UPSWEEP_NO_DEVICE = 3,    /* it is not there, or its backend is not in this build */
  UPSWEEP_OUT_OF_MEMORY = 4,
  UPSWEEP_DEVICE_FAILURE = 5, /* the driver or runtime reported an error */
  UPSWEEP_INTERNAL = 6,       /* anything else; a defect of the library */
  UPSWEEP_INTERRUPTED = 7     /* as upsweep_interrupt_when's function wanted */
};

/* Of this thread's last call that failed: "scan: what; remedy". Empty before one. Valid until the next that fails. */
UPSWEEP_API const char* upsweep_last_message(void);
UPSWEEP_API const char* upsweep_version(void); /* "0.1.0" */

/* From now on this thread's calls on CPU contexts ask asked(data), on this thread, every 50 milliseconds or so, and end
 * with UPSWEEP_INTERRUPTED when it answers not 0 (upsweep/interrupt.hpp). Null: they ask nobody, as at first. */
UPSWEEP_API upsweep_status upsweep_interrupt_when(int (*asked)(void* data), void* data);

/* ---- Types, operators and the like */

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
/* The first six fold; the others are sorted, selected, searched, counted and filtered. */

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

UPSWEEP_API size_t upsweep_type_bytes(upsweep_type);     /* 0 for what is none */
UPSWEEP_API const char* upsweep_type_name(upsweep_type); /* "f32"; null for what is none */

/* ---- Devices and contexts (upsweep/context.hpp) */

typedef struct {
  char name[32];         /* what upsweep_open takes: "cuda:0" */
  char description[256]; /* the hardware's own name, or why there is none */
  int usable;
  uint64_t total_memory; /* bytes */
} upsweep_device;

/* Writes up to `room` of them, and how many there are: every device of every backend, and a row for each backend that is
 * off. */
UPSWEEP_API upsweep_status upsweep_devices(upsweep_device* devices, size_t room, size_t* count);

typedef struct upsweep_context upsweep_context;

/* "cpu", "cpu:4" (threads), "cuda:0", "opencl:1", "best". */
UPSWEEP_API upsweep_status upsweep_open(const char* name, upsweep_context** context);
/* Null is allowed. Memory that was allocated through it stays the caller's to release before. */
UPSWEEP_API void upsweep_close(upsweep_context* context);

typedef struct {
  size_t bytes;        /* sizeof(upsweep_options), so that later versions may add to it */
  const char* variant; /* "scan/blelloch": calls of its primitive run as that variant or fail; null: the fastest */
  int deterministic;   /* not 0: results have the same bits on every device, or calls fail */
  int checked;         /* not 0: contents that only a device can read are looked at too, and waited for */
  int has_stream;      /* not 0: calls go to `stream`; null is a stream, too */
  void* stream;        /* a cudaStream_t or a cl_command_queue of the caller's */
} upsweep_options;

/* Another context of the same device, whose calls differ as the options say. */
UPSWEEP_API upsweep_status upsweep_with(const upsweep_context* context, const upsweep_options* options,
                                        upsweep_context** other);

UPSWEEP_API const char* upsweep_backend(const upsweep_context* context); /* "cpu", "cuda", "opencl" */
/* "cpu", "cuda:0"; valid as long as the context. */
UPSWEEP_API const char* upsweep_name(const upsweep_context* context);
/* The variant that ran last on the device, as text ended by a 0 and cut where it does not fit. */
UPSWEEP_API upsweep_status upsweep_last_variant(const upsweep_context* context, char* text, size_t bytes);
UPSWEEP_API upsweep_status upsweep_synchronize(const upsweep_context* context);
UPSWEEP_API upsweep_status upsweep_free_memory(const upsweep_context* context, uint64_t* bytes);

/* ---- Memory. No bytes: null. */

UPSWEEP_API upsweep_status upsweep_allocate(const upsweep_context* context, uint64_t bytes, void** memory);
UPSWEEP_API upsweep_status upsweep_release(const upsweep_context* context, void* memory);
/* Host memory to the beginning of a context's, and back: the host's may be reused, or read, on return. */
UPSWEEP_API upsweep_status upsweep_upload(const upsweep_context* context, void* to, const void* host, uint64_t bytes);
UPSWEEP_API upsweep_status upsweep_download(const upsweep_context* context, void* host, const void* from,
                                            uint64_t bytes);

/* ---- Folds (upsweep/reduce.hpp, scan.hpp, axis.hpp). host_init is one element, null for the operator's identity. */

/* out: one element. */
UPSWEEP_API upsweep_status upsweep_reduce(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          upsweep_operator op, upsweep_transform transform, const void* host_init,
                                          void* out);
/* out: n elements; it may be `in`. */
UPSWEEP_API upsweep_status upsweep_scan(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                        int inclusive, upsweep_operator op, upsweep_transform transform,
                                        const void* host_init, void* out);
/* Sums of i8, i16 and i32 in i64, of u8, u16 and u32 in u64: all of them, or up to each. On the CPU alone. */
UPSWEEP_API upsweep_status upsweep_wide_sum(const upsweep_context* context, upsweep_type type, const void* in,
                                            uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_wide_running_sums(const upsweep_context* context, upsweep_type type, const void* in,
                                                     uint64_t n, void* out);
/* host_shape: the lengths of `axes` axes (1 to 8), the slowest first; the axis is counted from 0, or from -1 backwards. */
UPSWEEP_API upsweep_status upsweep_reduce_along(const upsweep_context* context, upsweep_type type, const void* in,
                                                const uint64_t* host_shape, int axes, int axis, upsweep_operator op,
                                                upsweep_transform transform, const void* host_init, void* out);
UPSWEEP_API upsweep_status upsweep_scan_along(const upsweep_context* context, upsweep_type type, const void* in,
                                              const uint64_t* host_shape, int axes, int axis, int inclusive,
                                              upsweep_operator op, upsweep_transform transform, const void* host_init,
                                              void* out);

/* ---- Orders (upsweep/sort.hpp, axis.hpp). Stable; NaNs last, descending first. */

/* out may be `in`. */
UPSWEEP_API upsweep_status upsweep_sort(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                        int descending, void* out);
/* Values of any size move along. out may be the keys, values_out the values. */
UPSWEEP_API upsweep_status upsweep_sort_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                               const void* values, uint32_t value_bytes, uint64_t n, int descending,
                                               void* keys_out, void* values_out);
/* Indices are integers of 4 or 8 bytes. */
UPSWEEP_API upsweep_status upsweep_argsort(const upsweep_context* context, upsweep_type type, const void* keys,
                                           uint64_t n, int descending, uint32_t index_bytes, void* indices);
/* Segment s is [offsets[s], offsets[s + 1]); there is one offset more than there are segments. value_bytes 0: none. */
UPSWEEP_API upsweep_status upsweep_segmented_sort(const upsweep_context* context, upsweep_type type, const void* keys,
                                                  const void* values, uint32_t value_bytes, uint64_t n,
                                                  const uint64_t* offsets, uint64_t segments, int descending,
                                                  void* keys_out, void* values_out);
/* The k first in order, the largest where descending, and where they stood. */
UPSWEEP_API upsweep_status upsweep_top_k(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                         uint64_t k, int descending, void* out, uint64_t* indices);
/* host_key: the key of rank k, waited for. */
UPSWEEP_API upsweep_status upsweep_nth_element(const upsweep_context* context, upsweep_type type, const void* in,
                                               uint64_t n, uint64_t k, int descending, void* host_key);
UPSWEEP_API upsweep_status upsweep_merge(const upsweep_context* context, upsweep_type type, const void* a, uint64_t n,
                                         const void* b, uint64_t m, int descending, void* out);
/* until: the first i whose key comes before the one in front of it, or n. */
UPSWEEP_API upsweep_status upsweep_is_sorted_until(const upsweep_context* context, upsweep_type type, const void* in,
                                                   uint64_t n, int descending, uint64_t* until);
UPSWEEP_API upsweep_status upsweep_sort_along(const upsweep_context* context, upsweep_type type, const void* in,
                                              const uint64_t* host_shape, int axes, int axis, int descending,
                                              void* out);
UPSWEEP_API upsweep_status upsweep_argsort_along(const upsweep_context* context, upsweep_type type, const void* keys,
                                                 const uint64_t* host_shape, int axes, int axis, int descending,
                                                 uint32_t index_bytes, void* indices);
/* out and indices have the shape with k in the axis' place; indices, of 8 bytes, may be null. */
UPSWEEP_API upsweep_status upsweep_top_k_along(const upsweep_context* context, upsweep_type type, const void* in,
                                               const uint64_t* host_shape, int axes, int axis, uint64_t k,
                                               int descending, void* out, uint64_t* indices);

/* ---- Selections (upsweep/select.hpp, compact.hpp). Outputs have room for n; count: one. */

/* host_threshold: one element. out may be `in`. */
UPSWEEP_API upsweep_status upsweep_copy_if(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, upsweep_comparison test, const void* host_threshold, void* out,
                                           uint64_t* count);
/* in2's element i, of `type`, is asked, and element i of `in`, of 1, 2, 4 or 8 bytes, kept where it passes. */
UPSWEEP_API upsweep_status upsweep_copy_if_beside(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint32_t element_bytes, const void* in2, uint64_t n,
                                                  upsweep_comparison test, const void* host_threshold, void* out,
                                                  uint64_t* count);
/* Elements of 1, 2, 4 or 8 bytes, flags of 1. */
UPSWEEP_API upsweep_status upsweep_select_flagged(const upsweep_context* context, const void* in,
                                                  uint32_t element_bytes, const uint8_t* flags, uint64_t n, void* out,
                                                  uint64_t* count);
UPSWEEP_API upsweep_status upsweep_unique(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          void* out, uint64_t* count);
/* Values of 1, 2, 4 or 8 bytes. */
UPSWEEP_API upsweep_status upsweep_unique_by_key(const upsweep_context* context, upsweep_type type, const void* keys,
                                                 const void* values, uint32_t value_bytes, uint64_t n, void* keys_out,
                                                 void* values_out, uint64_t* count);
UPSWEEP_API upsweep_status upsweep_partition(const upsweep_context* context, upsweep_type type, const void* in,
                                             uint64_t n, upsweep_comparison test, const void* host_threshold, void* out,
                                             uint64_t* count);
UPSWEEP_API upsweep_status upsweep_run_length_encode(const upsweep_context* context, upsweep_type type, const void* in,
                                                     uint64_t n, void* out, uint64_t* lengths, uint64_t* count);
/* The lengths add up to m, the places in `out`. */
UPSWEEP_API upsweep_status upsweep_run_length_decode(const upsweep_context* context, const void* in,
                                                     uint32_t element_bytes, const uint64_t* lengths, uint64_t n,
                                                     void* out, uint64_t m);
/* Where the runs of equal elements begin, and behind them n: room for n + 1. */
UPSWEEP_API upsweep_status upsweep_run_offsets(const upsweep_context* context, upsweep_type type, const void* in,
                                               uint64_t n, uint64_t* offsets, uint64_t* count);
/* out[i] = in[indices[i]], n of them; of `in` there are m. Indices of 4 or 8 bytes, unsigned. Where flags are given, only
 * where they are not 0. */
UPSWEEP_API upsweep_status upsweep_gather(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                          uint64_t m, const void* indices, uint32_t index_bytes, const uint8_t* flags,
                                          uint64_t n, void* out);
/* out[indices[i]] = in[i], n of them; of `out` there are m. */
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
/* out: an element a segment. */
UPSWEEP_API upsweep_status upsweep_segmented_reduce(const upsweep_context* context, upsweep_type type, const void* in,
                                                    uint64_t n, const uint64_t* offsets, uint64_t segments,
                                                    upsweep_operator op, upsweep_transform transform,
                                                    const void* host_init, void* out);
UPSWEEP_API upsweep_status upsweep_segmented_scan(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint64_t n, const uint64_t* offsets, uint64_t segments, int inclusive,
                                                  upsweep_operator op, upsweep_transform transform,
                                                  const void* host_init, void* out);

/* ---- Searches (upsweep/search.hpp). answer: one. */

UPSWEEP_API upsweep_status upsweep_count_if(const upsweep_context* context, upsweep_type type, const void* in,
                                            uint64_t n, upsweep_comparison test, const void* host_threshold,
                                            uint64_t* answer);
/* The first place; n where there is none. */
UPSWEEP_API upsweep_status upsweep_find_if(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, upsweep_comparison test, const void* host_threshold,
                                           uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_find_first_of(const upsweep_context* context, upsweep_type type, const void* in,
                                                 uint64_t n, const void* set, uint64_t m, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_search(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          const void* pattern, uint64_t m, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_adjacent_find(const upsweep_context* context, upsweep_type type, const void* in,
                                                 uint64_t n, uint64_t* answer);
/* The first place where two of n elements differ. */
UPSWEEP_API upsweep_status upsweep_mismatch(const upsweep_context* context, upsweep_type type, const void* a,
                                            const void* b, uint64_t n, uint64_t* answer);
/* The first place of the least, or greatest, of what is no NaN; 0 where all are, or n is 0. */
UPSWEEP_API upsweep_status upsweep_argmin(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_argmax(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                          uint64_t* answer);
/* Of each of n values: how many of the m sorted elements stand before it, equal ones not counted, or counted. */
UPSWEEP_API upsweep_status upsweep_lower_bound(const upsweep_context* context, upsweep_type type, const void* sorted,
                                               uint64_t m, const void* values, uint64_t n, uint64_t* answers);
UPSWEEP_API upsweep_status upsweep_upper_bound(const upsweep_context* context, upsweep_type type, const void* sorted,
                                               uint64_t m, const void* values, uint64_t n, uint64_t* answers);
/* Whether each is among them, as 0 or 1. */
UPSWEEP_API upsweep_status upsweep_binary_search(const upsweep_context* context, upsweep_type type, const void* sorted,
                                                 uint64_t m, const void* values, uint64_t n, uint8_t* answers);

/* ---- Counts (upsweep/histogram.hpp) */

/* `bins` even bins of [lower, upper) for each of `channels` channels, which take turns. The bounds are one number each: of
 * the elements' type, but int64_t for integers of up to 32 bits and float for f16. counts: channels · bins. */
UPSWEEP_API upsweep_status upsweep_histogram(const upsweep_context* context, upsweep_type type, const void* samples,
                                             uint64_t n, const void* host_lower, const void* host_upper, uint64_t bins,
                                             uint32_t channels, uint64_t* counts);
/* Bin b is [edges[b], edges[b + 1]); there are bins + 1 edges, of the elements' type. */
UPSWEEP_API upsweep_status upsweep_histogram_of_edges(const upsweep_context* context, upsweep_type type,
                                                      const void* samples, uint64_t n, const void* edges, uint64_t bins,
                                                      uint32_t channels, uint64_t* counts);
/* The sums of weights, a float for each sample, in place of counts. */
UPSWEEP_API upsweep_status upsweep_weighted_histogram(const upsweep_context* context, upsweep_type type,
                                                      const void* samples, const float* weights, uint64_t n,
                                                      const void* host_lower, const void* host_upper, uint64_t bins,
                                                      uint32_t channels, double* sums);

/* ---- Pictures (upsweep/integral.hpp, convolve.hpp, filters.hpp) */

/* `size` pixels of interleaved channels; rows `pitch` elements apart, those of the result out_pitch, 0 without gaps. */
typedef struct {
  uint64_t width, height, depth;
  uint32_t channels;
  uint64_t pitch, out_pitch;
} upsweep_raster;

/* Pairs of types as upsweep/integral.hpp has them. wrap: integer sums that may overflow are made modulo 2^bits. */
UPSWEEP_API upsweep_status upsweep_integral(const upsweep_context* context, upsweep_type type, const void* in,
                                            const upsweep_raster* picture, int wrap, upsweep_type out_type,
                                            void* table);
typedef int upsweep_box;
enum { UPSWEEP_BOX_SUM = 0, UPSWEEP_BOX_MEAN = 1, UPSWEEP_BOX_VARIANCE = 2 };
UPSWEEP_API upsweep_status upsweep_box_filter(const upsweep_context* context, upsweep_type type, const void* in,
                                              const upsweep_raster* picture, upsweep_box what, uint64_t radius_x,
                                              uint64_t radius_y, int wrap, upsweep_type out_type, void* out);
typedef struct {
  upsweep_type type; /* i32, f32 or f64 */
  uint64_t width, height, depth;
  const void* host_values; /* x fastest */
  int has_anchor;          /* 0: the middle */
  uint64_t anchor_x, anchor_y, anchor_z;
} upsweep_mask;
/* Types as upsweep/convolve.hpp has them. flipped: a convolution; else a correlation. With UPSWEEP_BORDER_NONE the result
 * is size - mask + 1 along each axis. */
UPSWEEP_API upsweep_status upsweep_convolve(const upsweep_context* context, upsweep_type type, const void* in,
                                            const upsweep_raster* picture, const upsweep_mask* mask, int flipped,
                                            upsweep_border border, upsweep_type out_type, void* out);

/* Of f32, all of them. */
UPSWEEP_API upsweep_status upsweep_median(const upsweep_context* context, const float* in,
                                          const upsweep_raster* picture, uint32_t radius, upsweep_border border,
                                          float* out);
UPSWEEP_API upsweep_status upsweep_bilateral(const upsweep_context* context, const float* in,
                                             const upsweep_raster* picture, float sigma_space, float sigma_range,
                                             upsweep_border border, float* out);
UPSWEEP_API upsweep_status upsweep_gaussian(const upsweep_context* context, const float* in,
                                            const upsweep_raster* picture, float sigma, upsweep_border border,
                                            float* out);
typedef int upsweep_resampling;
enum { UPSWEEP_NEAREST = 0, UPSWEEP_AREA = 1, UPSWEEP_LINEAR = 2, UPSWEEP_CUBIC = 3, UPSWEEP_LANCZOS = 4 };
UPSWEEP_API upsweep_status upsweep_resize(const upsweep_context* context, const float* in,
                                          const upsweep_raster* picture, uint64_t width, uint64_t height,
                                          upsweep_resampling how, float* out);

/* ---- Recurrences (upsweep/recurrence.hpp): carry is the state to start from, and the last one afterwards. */

/* x[i] = a[i]·x[i-1] + b[i], x[-1] being the carry, an element; of f32, f64, u32, u64. x may be a or b. */
UPSWEEP_API upsweep_status upsweep_recurrence(const upsweep_context* context, upsweep_type type, const void* a,
                                              const void* b, uint64_t n, void* x, void* carry);
/* x[i] = (1 - alpha)·x[i-1] + alpha·in[i]; of f32 and f64. x may be in. */
UPSWEEP_API upsweep_status upsweep_moving_average(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint64_t n, double alpha, void* x, void* carry);
/* y = b0·x + b1·x₋₁ + b2·x₋₂ - a1·y₋₁ - a2·y₋₂; of f32 and f64. The carry is two elements; y may be in. */
UPSWEEP_API upsweep_status upsweep_filter(const upsweep_context* context, upsweep_type type, const double host_b[3],
                                          const double host_a[2], const void* in, uint64_t n, void* y, void* carry);

/* ---- Text (upsweep/lex.hpp). Done on return on every device; not on OpenCL. */

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
  uint64_t kept;    /* tokens that are not skipped */
  int complete;     /* 0: the text is wrong at `stopped`, and what is before it is as it would be */
  uint64_t stopped; /* the first byte that belongs to no token */
} upsweep_token_counts;

UPSWEEP_API upsweep_status upsweep_lexer_make(const upsweep_rule* rules, size_t count, upsweep_lexer** lexer);
UPSWEEP_API upsweep_status upsweep_lexer_json(upsweep_lexer** lexer);
UPSWEEP_API upsweep_status upsweep_lexer_c(upsweep_lexer** lexer);
UPSWEEP_API void upsweep_lexer_free(upsweep_lexer* lexer);
UPSWEEP_API size_t upsweep_lexer_rules(const upsweep_lexer* lexer);
/* Valid as long as the lexer; null where there is no such rule. */
UPSWEEP_API const char* upsweep_lexer_rule_name(const upsweep_lexer* lexer, size_t rule);
/* Up to `room` tokens; tokens null: they are only counted. host_counts: of each kind, or null. */
UPSWEEP_API upsweep_status upsweep_tokenize(const upsweep_context* context, const upsweep_lexer* lexer,
                                            const char* text, uint64_t bytes, upsweep_token* tokens, uint64_t room,
                                            upsweep_token_counts* host_found, uint64_t* host_counts);
typedef struct {
  uint64_t fields, records;
  int complete;
  uint64_t stopped;
} upsweep_field_counts;
/* ends[k]: where field k ends; ends null: they are only counted. */
UPSWEEP_API upsweep_status upsweep_fields(const upsweep_context* context, const char* text, uint64_t bytes,
                                          char separator, uint64_t* ends, uint64_t room,
                                          upsweep_field_counts* host_found);

/* ---- Bodies (upsweep/nbody.hpp); of f32 and f64 */

typedef struct {
  double gravity, softening, theta, criterion;
  int quadrupoles, compensated;
  int method; /* 0: what is faster; 1: all pairs; 2: a tree of cells */
  int dimensions;
} upsweep_physics;
UPSWEEP_API upsweep_physics upsweep_default_physics(void);

/* potential may be null. */
UPSWEEP_API upsweep_status upsweep_accelerations(const upsweep_context* context, upsweep_type type,
                                                 const upsweep_physics* rules, uint64_t n, const void* x, const void* y,
                                                 const void* z, const void* mass, void* ax, void* ay, void* az,
                                                 void* potential);

/* Bodies in motion, of one caller at a time. */
typedef struct upsweep_simulation upsweep_simulation;
typedef int upsweep_integrator;
enum { UPSWEEP_EULER = 0, UPSWEEP_LEAPFROG = 1, UPSWEEP_HERMITE = 2 };

/* host_state: seven host arrays of n numbers of `type`: x, y, z, vx, vy, vz, mass. adaptive 0: every step is dt long. */
UPSWEEP_API upsweep_status upsweep_simulation_make(const upsweep_context* context, upsweep_type type,
                                                   const upsweep_physics* rules, upsweep_integrator how, double dt,
                                                   double adaptive, uint64_t n, const void* const host_state[7],
                                                   upsweep_simulation** simulation);
/* Null is allowed. */
UPSWEEP_API void upsweep_simulation_free(upsweep_simulation* simulation);
UPSWEEP_API upsweep_status upsweep_simulation_step(upsweep_simulation* simulation, uint64_t steps);
/* Where it stands: any pointer may be null. dt: of the last step. */
UPSWEEP_API upsweep_status upsweep_simulation_at(const upsweep_simulation* simulation, uint64_t* bodies,
                                                 uint64_t* steps, double* time, double* dt);
/* To host arrays, as host_state above; of those that are null nothing is written. */
UPSWEEP_API upsweep_status upsweep_simulation_state(upsweep_simulation* simulation, void* const host_state[7]);
/* host_forces: ax, ay, az and the potentials. */
UPSWEEP_API upsweep_status upsweep_simulation_forces(upsweep_simulation* simulation, void* const host_forces[4]);
/* Kinetic energy, potential energy, momentum (3), angular momentum (3). */
UPSWEEP_API upsweep_status upsweep_simulation_measure(upsweep_simulation* simulation, double host_sums[8]);

/* ---- Sorted sequences (upsweep/sets.hpp): n keys and m, with values of value_bytes or none (0). Outputs have room for
 * all that may be kept. UPSWEEP_INTERSECTION and UPSWEEP_DIFFERENCE keep nothing of the second, and take no values of
 * it. */

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
/* value + i · step */
UPSWEEP_API upsweep_status upsweep_iota(const upsweep_context* context, upsweep_type type, const void* host_value,
                                        const void* host_step, uint64_t n, void* out);
/* out[i] = value where in2[i] passes, else in[i]; out may be either. */
UPSWEEP_API upsweep_status upsweep_replace(const upsweep_context* context, upsweep_type type, const void* in,
                                           const void* in2, uint64_t n, upsweep_comparison test,
                                           const void* host_threshold, const void* host_value, void* out);
UPSWEEP_API upsweep_status upsweep_adjacent_difference(const upsweep_context* context, upsweep_type type,
                                                       const void* in, uint64_t n, void* out);

/* Elements of one to four words of 1, 2, 4 or 8 bytes. out may be `in`. */
UPSWEEP_API upsweep_status upsweep_reverse(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                           uint64_t n, void* out);
/* out[i] = in[(i + first) mod n], first <= n */
UPSWEEP_API upsweep_status upsweep_rotate(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                          uint64_t n, uint64_t first, void* out);
UPSWEEP_API upsweep_status upsweep_shuffle(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                           uint64_t n, uint64_t seed, void* out);
/* of u32 or u64 */
UPSWEEP_API upsweep_status upsweep_random_permutation(const upsweep_context* context, upsweep_type type, uint64_t n,
                                                      uint64_t seed, void* out);

/* ---- Counts that the device knows (upsweep/counted.hpp): the same calls on the first count[0] of n elements, or on all of
 * them where it is more. The count lies in the context's memory and is read there when the call runs, so that what a
 * selection has kept is gone on with without a wait, in a CUDA graph, too, after a call outside. n is the room of what
 * is read, and of outputs as the calls above want it; what they hold behind what is written stays as it was. No
 * transforms: upsweep_map comes before. In place where the call above is; a count that is written may be the one that
 * is read. */

/* out[i] = in[i] before the count, and the value behind it: elements of 1, 2, 4 or 8 bytes, and so is the value. */
UPSWEEP_API upsweep_status upsweep_counted_pad(const upsweep_context* context, const void* in, uint32_t element_bytes,
                                               uint64_t n, const uint64_t* count, const void* host_value, void* out);
UPSWEEP_API upsweep_status upsweep_counted_reduce(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint64_t n, const uint64_t* count, upsweep_operator op,
                                                  const void* host_init, void* out);
UPSWEEP_API upsweep_status upsweep_counted_scan(const upsweep_context* context, upsweep_type type, const void* in,
                                                uint64_t n, const uint64_t* count, int inclusive, upsweep_operator op,
                                                const void* host_init, void* out);
/* runs: one. */
UPSWEEP_API upsweep_status upsweep_counted_reduce_by_key(const upsweep_context* context, upsweep_type key_type,
                                                         const void* keys, upsweep_type type, const void* in,
                                                         uint64_t n, const uint64_t* count, upsweep_operator op,
                                                         void* keys_out, void* out, uint64_t* runs);
UPSWEEP_API upsweep_status upsweep_counted_sort(const upsweep_context* context, upsweep_type type, const void* in,
                                                uint64_t n, const uint64_t* count, int descending, void* out);
/* Values of 1, 2, 4 or 8 bytes; on the CPU of any size. */
UPSWEEP_API upsweep_status upsweep_counted_sort_by_key(const upsweep_context* context, upsweep_type type,
                                                       const void* keys, const void* values, uint32_t value_bytes,
                                                       uint64_t n, const uint64_t* count, int descending,
                                                       void* keys_out, void* values_out);
/* kept: one. */
UPSWEEP_API upsweep_status upsweep_counted_copy_if(const upsweep_context* context, upsweep_type type, const void* in,
                                                   uint64_t n, const uint64_t* count, upsweep_comparison test,
                                                   const void* host_threshold, void* out, uint64_t* kept);
UPSWEEP_API upsweep_status upsweep_counted_select_flagged(const upsweep_context* context, const void* in,
                                                          uint32_t element_bytes, const uint8_t* flags, uint64_t n,
                                                          const uint64_t* count, void* out, uint64_t* kept);
UPSWEEP_API upsweep_status upsweep_counted_unique(const upsweep_context* context, upsweep_type type, const void* in,
                                                  uint64_t n, const uint64_t* count, void* out, uint64_t* kept);
/* Even bins of one channel; bounds as those of upsweep_histogram. */
UPSWEEP_API upsweep_status upsweep_counted_histogram(const upsweep_context* context, upsweep_type type,
                                                     const void* samples, uint64_t n, const uint64_t* count,
                                                     const void* host_lower, const void* host_upper, uint64_t bins,
                                                     uint64_t* counts);

/* ---- Expressions (upsweep/expression.hpp): operators, transforms, tests and comparators as texts, "a > b ? a : b" or
 * "x * x + 1". Made once, and used by any thread in any context; on CUDA NVRTC compiles it. Elements are i32, u32, i64,
 * u64, f32, f64. */

typedef struct upsweep_expression upsweep_expression;

UPSWEEP_API upsweep_status upsweep_expression_make(const char* text, upsweep_expression** expression);
UPSWEEP_API void upsweep_expression_free(upsweep_expression* expression);

/* The identity, one element, leaves every other as it is; nothing folds to it. */
UPSWEEP_API upsweep_status upsweep_reduce_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, const void* host_identity,
                                             void* out);
UPSWEEP_API upsweep_status upsweep_scan_by(const upsweep_context* context, const upsweep_expression* expression,
                                           upsweep_type type, const void* in, uint64_t n, int inclusive,
                                           const void* host_identity, void* out);
/* Offsets and segments as those of upsweep_segmented_reduce. */
UPSWEEP_API upsweep_status upsweep_segmented_reduce_by(const upsweep_context* context,
                                                       const upsweep_expression* expression, upsweep_type type,
                                                       const void* in, uint64_t n, const uint64_t* offsets,
                                                       uint64_t segments, const void* host_identity, void* out);
UPSWEEP_API upsweep_status upsweep_segmented_scan_by(const upsweep_context* context,
                                                     const upsweep_expression* expression, upsweep_type type,
                                                     const void* in, uint64_t n, const uint64_t* offsets,
                                                     uint64_t segments, int inclusive, const void* host_identity,
                                                     void* out);
/* By key: runs of keys that are equal as the equality, a text of a and b that neighbours are asked, says; null: as == does.
 * Keys are of any type, with an equality of integers, f32 or f64. upsweep_run_offsets_by and upsweep_segmented_reduce
 * fold runs of an equality by a built-in operator. */
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
/* out[i] = f(in[i]), and f(a[i], b[i]). In place, too. */
UPSWEEP_API upsweep_status upsweep_map_by(const upsweep_context* context, const upsweep_expression* expression,
                                          upsweep_type type, const void* in, uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_combine_by(const upsweep_context* context, const upsweep_expression* expression,
                                              upsweep_type type, const void* a, const void* b, uint64_t n, void* out);
/* Of x, a test: what is not zero is a yes. */
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
/* Of a and b, a comparator: whether a goes before b. Stable. */
UPSWEEP_API upsweep_status upsweep_sort_by(const upsweep_context* context, const upsweep_expression* expression,
                                           upsweep_type type, const void* in, uint64_t n, void* out);
UPSWEEP_API upsweep_status upsweep_argsort_by(const upsweep_context* context, const upsweep_expression* expression,
                                              upsweep_type type, const void* keys, uint64_t n, uint64_t* order);
/* The k first in that order, and where they stood. */
UPSWEEP_API upsweep_status upsweep_top_k_by(const upsweep_context* context, const upsweep_expression* expression,
                                            upsweep_type type, const void* in, uint64_t n, uint64_t k, void* out,
                                            uint64_t* indices);
/* host_key: the key of that rank, waited for. */
UPSWEEP_API upsweep_status upsweep_nth_element_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* in, uint64_t n, uint64_t rank,
                                                  void* host_key);
/* Offsets and segments as those of upsweep_segmented_sort. */
UPSWEEP_API upsweep_status upsweep_segmented_sort_by(const upsweep_context* context,
                                                     const upsweep_expression* expression, upsweep_type type,
                                                     const void* keys, uint64_t n, const uint64_t* offsets,
                                                     uint64_t segments, void* keys_out);
/* Waited for. */
UPSWEEP_API upsweep_status upsweep_is_sorted_until_by(const upsweep_context* context,
                                                      const upsweep_expression* expression, upsweep_type type,
                                                      const void* in, uint64_t n, uint64_t* until);
/* Of keys alone, as upsweep_set_operation: both are sorted by it. */
UPSWEEP_API upsweep_status upsweep_set_operation_by(const upsweep_context* context,
                                                    const upsweep_expression* expression, upsweep_set what,
                                                    upsweep_type type, const void* keys, uint64_t n, const void* keys2,
                                                    uint64_t m, void* keys_out, uint64_t* count);
/* Values of 1, 2, 4 or 8 bytes follow their keys, as in upsweep_set_operation and upsweep_sort_by_key. */
UPSWEEP_API upsweep_status upsweep_set_operation_by_key_by(const upsweep_context* context,
                                                           const upsweep_expression* expression, upsweep_set what,
                                                           upsweep_type type, const void* keys, const void* values,
                                                           uint64_t n, const void* keys2, const void* values2,
                                                           uint64_t m, uint32_t value_bytes, void* keys_out,
                                                           void* values_out, uint64_t* count);
UPSWEEP_API upsweep_status upsweep_sort_by_key_by(const upsweep_context* context, const upsweep_expression* expression,
                                                  upsweep_type type, const void* keys, const void* values,
                                                  uint32_t value_bytes, uint64_t n, void* keys_out, void* values_out);
/* Of a and b, an equality, which neighbours are asked, or an element and one of the set's or of the pattern's. */
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
/* Of a and b, a comparator: the first place that no other goes before, and the first that goes before no other. */
UPSWEEP_API upsweep_status upsweep_argmin_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, uint64_t* answer);
UPSWEEP_API upsweep_status upsweep_argmax_by(const upsweep_context* context, const upsweep_expression* expression,
                                             upsweep_type type, const void* in, uint64_t n, uint64_t* answer);
/* In elements that are sorted by it. */
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
/* Of each line along an axis, as upsweep_reduce_along and its kin. */
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
