// The filters on CUDA, as opencl.cl has them.
#include <algorithm>

#include "upsweep/cuda/device.hpp"
#include "upsweep/filters/backends.hpp"

namespace upsweep::filters_room {

namespace {

constexpr unsigned threads = 256;

struct plane {
  std::int64_t width, height;
  int channels;
  border edge;
};

// ---- median

// Floats in the order of their values, NaN last; and back.
__device__ std::uint32_t ordered(float v) {
  if (v != v) return ~0u;
  const std::uint32_t bits = __float_as_uint(v);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ float value_of(std::uint32_t order) {
  return order == ~0u ? __uint_as_float(0x7fc00000u)
                      : __uint_as_float(order >> 31 ? order & 0x7fffffffu : ~order);
}

// A block makes 16 by 16 results of one channel; what lies under their windows is in shared memory. The middle one is found bit by bit:
// the largest number that at most half of the window is smaller than.
__global__ void __launch_bounds__(threads)
    medians(const float* in, float* out, plane p, int radius, std::uint64_t across, std::uint64_t down) {
  extern __shared__ std::uint32_t tile[];
  const std::uint64_t block = blockIdx.x;
  const auto left = static_cast<std::int64_t>(block % across * 16), top = static_cast<std::int64_t>(block / across % down * 16);
  const int c = static_cast<int>(block / across / down), side = 16 + 2 * radius, thread = static_cast<int>(threadIdx.x);
  for (int t = thread; t < side * side; t += static_cast<int>(threads)) {
    const std::int64_t x = place_of(p.edge, left + t % side - radius, p.width),
                       y = place_of(p.edge, top + t / side - radius, p.height);
    tile[t] = ordered(x < 0 || y < 0 ? 0.0f : in[(y * p.width + x) * p.channels + c]);
  }
  __syncthreads();  // the tile is full, before anybody reads what another thread has loaded
  const int x = thread % 16, y = thread / 16, wide = 2 * radius + 1;
  if (left + x >= p.width || top + y >= p.height) return;
  std::uint32_t middle = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint32_t candidate = middle | 1u << bit;
    int smaller = 0;
    for (int j = 0; j < wide; ++j)
      for (int i = 0; i < wide; ++i) smaller += tile[(y + j) * side + x + i] < candidate;
    if (smaller <= wide * wide / 2) middle = candidate;
  }
  out[((top + y) * p.width + left + x) * p.channels + c] = value_of(middle);
}

void median(device& where, const filter_call& c) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const std::uint64_t across = (c.size.x + 15) / 16, down = (c.size.y + 15) / 16, side = 16 + 2 * std::uint64_t{c.radius};
  const plane p{static_cast<std::int64_t>(c.size.x), static_cast<std::int64_t>(c.size.y), static_cast<int>(c.channels), c.edge};
  medians<<<static_cast<unsigned>(across * down * c.channels), threads, side * side * 4, d.stream()>>>(
      c.in.as<const float>(), c.out.as<float>(), p, static_cast<int>(c.radius), across, down);
  cuda::check(cudaGetLastError(), "launching the median's kernel");
}

// ---- what has a thread a pixel, or an element

template <class Kernel, class... Args>
void launch(device& where, const char* what, Kernel kernel, std::uint64_t n, Args... args) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, d.stream()>>>(args...);
  cuda::check(cudaGetLastError(), what);
}
__device__ std::uint64_t own_place() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

__global__ void bilaterals(const float* in, float* out, plane p, int radius, float per_place, float per_colour) {
  const auto i = static_cast<std::int64_t>(own_place());
  if (i >= p.width * p.height) return;
  const std::int64_t px = i % p.width, py = i / p.width;
  float here[4]{}, sums[4]{}, weights = 0;
  for (int c = 0; c < p.channels; ++c) here[c] = in[i * p.channels + c];
  for (int y = -radius; y <= radius; ++y) {
    const std::int64_t from_y = place_of(p.edge, py + y, p.height);
    for (int x = -radius; x <= radius; ++x) {
      if (x * x + y * y > radius * radius) continue;
      const std::int64_t from_x = place_of(p.edge, px + x, p.width);
      float there[4]{}, distance = 0;
      for (int c = 0; c < p.channels; ++c) {
        there[c] = from_x < 0 || from_y < 0 ? 0.0f : in[(from_y * p.width + from_x) * p.channels + c];
        distance += (there[c] - here[c]) * (there[c] - here[c]);
      }
      const float far = distance * per_colour;
      const float weight = far < 17 ? expf(-far) * expf(-static_cast<float>(x * x + y * y) * per_place) : 0.0f;
      for (int c = 0; c < p.channels; ++c) sums[c] += weight * there[c];
      weights += weight;
    }
  }
  for (int c = 0; c < p.channels; ++c) out[i * p.channels + c] = sums[c] / weights;
}

void bilateral(device& d, const filter_call& c) {
  const plane p{static_cast<std::int64_t>(c.size.x), static_cast<std::int64_t>(c.size.y), static_cast<int>(c.channels), c.edge};
  launch(d, "launching the bilateral filter's kernel", bilaterals, c.size.count(), c.in.as<const float>(), c.out.as<float>(), p,
         static_cast<int>(c.radius), 1 / (2 * c.space * c.space), 1 / (2 * c.range * c.range));
}

// ---- edges

// Rounded at each step, so that two of equal length are equal.
__device__ float length_at(const float* across, const float* down, std::int64_t x, std::int64_t y, std::int64_t width,
                           std::int64_t height) {
  if (x < 0 || y < 0 || x >= width || y >= height) return 0;
  const std::int64_t i = y * width + x;
  return __fsqrt_rn(__fadd_rn(__fmul_rn(across[i], across[i]), __fmul_rn(down[i], down[i])));
}

__global__ void thin(const float* across, const float* down, float* out, std::int64_t width, std::int64_t height) {
  const auto i = static_cast<std::int64_t>(own_place());
  if (i >= width * height) return;
  const std::int64_t x = i % width, y = i / width;
  const float here = length_at(across, down, x, y, width, height), gx = fabsf(across[i]), gy = fabsf(down[i]),
              tangent = 0.41421356f;  // of 22.5 degrees
  std::int64_t dx = 1, dy = 0;
  if (gx <= tangent * gy)
    dx = 0, dy = 1;
  else if (gy > tangent * gx)
    dx = 1, dy = (across[i] < 0) == (down[i] < 0) ? 1 : -1;
  out[i] = here > length_at(across, down, x - dx, y - dy, width, height) &&
                   here >= length_at(across, down, x + dx, y + dy, width, height)
               ? here
               : 0.0f;
}

void thin_edges(device& d, const filter_call& c) {
  launch(d, "launching the kernel that thins edges", thin, c.size.count(), c.in.as<const float>(), c.in2.as<const float>(),
         c.out.as<float>(), static_cast<std::int64_t>(c.size.x), static_cast<std::int64_t>(c.size.y));
}

// Places that may be on an edge form a forest: each knows one of smaller number that it is joined to, or itself. Two that lie beside
// each other have their trees united; what tree holds a place that begins an edge is one.
constexpr std::uint32_t no_edge = ~0u;

__global__ void plant(const float* in, std::uint32_t* parent, std::uint32_t* strong, std::uint64_t n, float low) {
  const std::uint64_t i = own_place();
  if (i >= n) return;
  parent[i] = in[i] >= low ? static_cast<std::uint32_t>(i) : no_edge;
  strong[i] = 0;
}

// Relaxed: others may be uniting trees, and what is read is some ancestor, then or now. Numbers only fall, so that walks end.
__device__ std::uint32_t above(const std::uint32_t* parent, std::uint64_t i) {
  return *static_cast<const volatile std::uint32_t*>(parent + i);
}
__device__ std::uint32_t root_of(const std::uint32_t* parent, std::uint32_t i) {
  for (std::uint32_t next; (next = above(parent, i)) != i;) i = next;
  return i;
}

__device__ void unite(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    const std::uint32_t larger = max(a, b), smaller = min(a, b);
    const std::uint32_t before = atomicMin(parent + larger, smaller);  // relaxed: nothing else is published with it
    if (before == larger) return;
    // Somebody was faster: what it was joined to meanwhile is to be joined, too.
    a = before;
    b = smaller;
  }
}

__global__ void unite_neighbours(std::uint32_t* parent, std::int64_t width, std::int64_t height) {
  const auto i = static_cast<std::int64_t>(own_place());
  if (i >= width * height || above(parent, i) == no_edge) return;
  const std::int64_t x = i % width, y = i / width;
  if (x > 0 && above(parent, i - 1) != no_edge) unite(parent, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i - 1));
  if (y == 0) return;
  for (std::int64_t nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < width; ++nx) {
    const std::int64_t n = i - width - x + nx;
    if (above(parent, n) != no_edge) unite(parent, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(n));
  }
}

__global__ void begin_edges(const float* in, const std::uint32_t* parent, std::uint32_t* strong, std::uint64_t n, float high) {
  const std::uint64_t i = own_place();
  if (i < n && in[i] >= high) atomicOr(strong + root_of(parent, static_cast<std::uint32_t>(i)), 1u);
}

__global__ void mark_edges(const std::uint32_t* parent, const std::uint32_t* strong, float* out, std::uint64_t n) {
  const std::uint64_t i = own_place();
  if (i >= n) return;
  out[i] = parent[i] != no_edge && strong[root_of(parent, static_cast<std::uint32_t>(i))] ? 1.0f : 0.0f;
}

void linked_edges(device& d, const filter_call& c) {
  const std::uint64_t n = c.size.count();
  auto* const parent = d.scratch("filters/parent", n * 4).as<std::uint32_t>();
  auto* const strong = d.scratch("filters/strong", n * 4).as<std::uint32_t>();
  const char* what = "launching the kernels that link edges";
  launch(d, what, plant, n, c.in.as<const float>(), parent, strong, n, c.low);
  launch(d, what, unite_neighbours, n, parent, static_cast<std::int64_t>(c.size.x), static_cast<std::int64_t>(c.size.y));
  launch(d, what, begin_edges, n, c.in.as<const float>(), parent, strong, n, c.high);
  launch(d, what, mark_edges, n, parent, strong, c.out.as<float>(), n);
}

// ---- resize: sums along one axis, whose places are `stride` elements apart; `size` places become to_size

__global__ void resize_along(const float* in, const std::uint32_t* firsts, const std::uint32_t* starts, const float* weights,
                             float* out, std::uint64_t stride, std::uint64_t size, std::uint64_t to_size, std::uint64_t n) {
  const std::uint64_t i = own_place();
  if (i >= n) return;
  const std::uint64_t e = i % stride, place = i / stride % to_size, line = i / stride / to_size;
  const float* from = in + (line * size + firsts[place]) * stride + e;
  float sum = 0;
  for (std::uint32_t t = starts[place]; t < starts[place + 1]; ++t, from += stride) sum += weights[t] * *from;
  out[i] = sum;
}

void resize_line(device& d, const line_taps& taps, const char* name, const memory& in, const memory& out, std::uint64_t stride,
                 std::uint64_t size, std::uint64_t lines) {
  const std::uint64_t places = taps.firsts.size(), words = 2 * places + 1, n = places * stride * lines;
  const memory there = d.scratch(name, (words + taps.weights.size()) * 4);
  const memory starts = there.plus_bytes(places * 4), weights = there.plus_bytes(words * 4);
  d.upload(there, taps.firsts.data(), places * 4);
  d.upload(starts, taps.starts.data(), (places + 1) * 4);
  d.upload(weights, taps.weights.data(), taps.weights.size() * 4);
  launch(d, "launching the kernel that resizes", resize_along, n, in.as<const float>(), there.as<const std::uint32_t>(),
         starts.as<const std::uint32_t>(), weights.as<const float>(), out.as<float>(), stride, size, places, n);
}

void resize(device& d, const filter_call& c) {
  const memory narrow = d.scratch("filters/narrow", c.to.x * c.channels * c.size.y * sizeof(float));
  resize_line(d, *c.columns, "filters/columns", c.in, narrow, c.channels, c.size.x, c.size.y);
  resize_line(d, *c.rows, "filters/rows", narrow, c.out, c.to.x * c.channels, c.size.y, 1);
}

}  // namespace

const backend_filters& cuda_filters() {
  static constexpr backend_filters all{median, bilateral, thin_edges, linked_edges, resize};
  return all;
}

}  // namespace upsweep::filters_room
