// Every public header but Thrust's, and a few calls that nvcc compiles kernels for, with both dialects of calls.cpp.
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif

#include "standard_headers.hpp"

// CUDA's own headers are included before any line of this file.
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))

#include "public_headers.hpp"

#if defined(__cpp_exceptions)
#error "this is compiled with exceptions, so that it proves nothing"
#endif
#if !(defined(min) && defined(max))
#error "a header has undefined the macros, so that this proves nothing"
#endif

void calls_on(const upsweep::context& gpu, upsweep::buffer<float>& x, upsweep::buffer<float>& y) {
  const auto larger = [] UPSWEEP_HD(float a, float b) { return a > b; };
  const auto half = [] UPSWEEP_HD(float v) { return v / 2; };
  const auto small = [] UPSWEEP_HD(float v) { return v < 0.5f; };
  const auto sum = upsweep::monoid([] UPSWEEP_HD(float a, float b) { return a + b; }, 0.0f);
  (void)upsweep::reduce(gpu, x.span(), sum);
  upsweep::inclusive_scan(gpu, x.span(), y.span(), sum);
  upsweep::sort(gpu, x.span(), larger);
  upsweep::transform(gpu, x.span(), y.span(), half);
  (void)upsweep::copy_if(gpu, x.span(), y.span(), small);
}
