// How a row goes on beyond its ends, in OpenCL C.

// As upsweep/core/image_shape.hpp has them, in its order.
enum { NONE, ZERO, CLAMP, REFLECT, MIRROR, WRAP };

static inline long border_index(int edge, long i, long n) {
  if (i >= 0 && i < n) return i;
  if (edge == CLAMP) return i < 0 ? 0 : n - 1;
  const long period = edge == WRAP ? n : edge == REFLECT ? 2 * n : 2 * n - 2;
  if (edge <= ZERO) return -1;
  if (period == 0) return 0;
  long k = i % period;
  if (k < 0) k += period;
  return k < n ? k : edge == REFLECT ? 2 * n - 1 - k : period - k;
}
