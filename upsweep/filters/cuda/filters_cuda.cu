// The filters on CUDA.
#include <algorithm>
#include <array>
#include <optional>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/cuda/warp.cuh"
#include "upsweep/filters/filters_recursion.hpp"
#include "upsweep/filters/filters_taps.hpp"

namespace upsweep::detail::filters_impl {

namespace {

constexpr unsigned threads = 256;

struct plane {
  std::int64_t width, height, in_pitch, out_pitch;
  int channels;
  border edge, edge_down;
};
plane plane_of(const problem& c) {
  const auto whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  return {whole(c.size.x), whole(c.size.y), whole(in_pitch(c)), whole(out_pitch(c)), static_cast<int>(c.channels),
          c.edge,          edge_down(c)};
}

// ---- median

// Maps floats to integers of the same order, NaN last, and back.
__device__ std::uint32_t ordered(float v) {
  if (v != v) return ~0u;
  const std::uint32_t bits = __float_as_uint(v);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ float value_of(std::uint32_t order) {
  return order == ~0u ? __uint_as_float(0x7fc00000u) : __uint_as_float(order >> 31 ? order & 0x7fffffffu : ~order);
}

// The element at (x, y) of channel c, inside the picture or beyond its edges, as the border says.
__device__ float element(const float* in, const plane& p, std::int64_t x, std::int64_t y, int c) {
  x = border_index(p.edge, x, p.width), y = border_index(p.edge_down, y, p.height);
  return x < 0 || y < 0 ? 0.0f : in[y * p.in_pitch + x * p.channels + c];
}

// The position of a block's tile, of one channel.
struct tile_place {
  std::int64_t left, top;
  int channel;
};
__device__ tile_place own_tile(std::int64_t across, std::int64_t down, int width, int height) {
  const std::int64_t block = blockIdx.x;
  return {block % across * width, block / across % down * height, static_cast<int>(block / across / down)};
}

// Small windows, by dropping extremes. Of half a window and two more elements neither the smallest nor the largest can
// be the median; both are dropped, another element is added, and so on, all in registers.
__device__ __forceinline__ void exchange(std::uint32_t& a, std::uint32_t& b) {
  const std::uint32_t smaller = min(a, b);
  b = max(a, b);
  a = smaller;
}
template <int n, int size>
__device__ __forceinline__ void put_extremes_outside(std::uint32_t (&v)[size]) {
#pragma unroll
  for (int i = 0; i < n / 2; ++i) exchange(v[i], v[n - 1 - i]);
#pragma unroll
  for (int i = 1; i < (n + 1) / 2; ++i) exchange(v[0], v[i]);
#pragma unroll
  for (int i = n / 2; i < n - 1; ++i) exchange(v[i], v[n - 1]);
}
template <int n, int size, class Next>
__device__ __forceinline__ std::uint32_t middle_of(std::uint32_t (&v)[size], int taken, Next next) {
  put_extremes_outside<n>(v);
  if constexpr (n > 3) {
    v[0] = next(taken);
    return middle_of<n - 1>(v, taken + 1, next);
  } else {
    return v[1];
  }
}

template <int radius>
__global__ void __launch_bounds__(threads)
    medians_by_forgetting(const float* in, float* out, plane p, std::int64_t across, std::int64_t down) {
  constexpr int width = 32, height = 8, wide = 2 * radius + 1, stride = width + 2 * radius, kept = wide * wide / 2 + 2;
  __shared__ std::uint32_t tile[(height + 2 * radius) * stride];
  const tile_place at = own_tile(across, down, width, height);
  for (int t = static_cast<int>(threadIdx.x); t < (height + 2 * radius) * stride; t += static_cast<int>(threads))
    tile[t] = ordered(element(in, p, at.left + t % stride - radius, at.top + t / stride - radius, at.channel));
  __syncthreads();  // orders the writes of the tile before reads by other threads
  const int x = static_cast<int>(threadIdx.x) % width, y = static_cast<int>(threadIdx.x) / width;
  if (at.left + x >= p.width || at.top + y >= p.height) return;
  const auto next = [&](int i) { return tile[(y + i / wide) * stride + x + i % wide]; };
  std::uint32_t some[kept];
#pragma unroll
  for (int i = 0; i < kept; ++i) some[i] = next(i);
  out[(at.top + y) * p.out_pitch + (at.left + x) * p.channels + at.channel] =
      value_of(middle_of<kept>(some, kept, next));
}

// Larger windows, as on the CPU: the elements of a tile are sorted once, and replaced by their ranks. A warp's window
// is a set of ranks, one bit each, and slides down a column of results: a row of bits is removed, one is added, and the
// median is near the last one.
struct rank_tile {
  int side, elements;  // elements: a power of two, side² at least
  std::uint64_t sorted_bytes() const { return elements * 4ull; }
  std::uint64_t rank_bytes() const { return elements * 2ull; }
  // Sets of 16 warps at least; equal elements are counted in the same memory beforehand.
  std::uint64_t bytes(unsigned warps) const { return sorted_bytes() + rank_bytes() + warps * (elements / 8ull); }
};
constexpr rank_tile rank_tiles[]{{128, 16384}, {90, 8192}, {64, 4096}};
constexpr unsigned most_rank_warps = 32, least_rank_warps = 16;

// Bitonic sort. A warp's pairs of the last six strides are within its own 64 elements.
__device__ void sort_tile(std::uint32_t* v, int n) {
  for (int run = 2; run <= n; run *= 2)
    for (int stride = run / 2; stride > 0; stride /= 2) {
      for (int t = static_cast<int>(threadIdx.x); t < n / 2; t += static_cast<int>(blockDim.x)) {
        const int i = 2 * t - (t & (stride - 1));
        const std::uint32_t a = v[i], b = v[i + stride];
        if ((a > b) == ((i & run) == 0)) v[i] = b, v[i + stride] = a;
      }
      if (stride > 32 || (stride == 1 && run > 32))
        __syncthreads();  // orders the exchanges before those of other warps' elements
      else
        __syncwarp();  // orders them before the warp's own next ones
    }
}

__device__ int first_not_less(const std::uint32_t* sorted, int n, std::uint32_t v) {
  int at = 0;
  for (int step = n / 2; step > 0; step /= 2)
    if (sorted[at + step - 1] < v) at += step;
  return at;
}

__device__ int warp_total(int x) { return static_cast<int>(cuda::warp_sum(static_cast<std::uint32_t>(x))); }

// A warp's set of ranks in shared memory, searched in parts of 1024 ranks, one word a lane.
class rank_window {
 public:
  __device__ rank_window(std::uint32_t* words, int elements) : words_(words) {
    for (int i = lane(); i < elements / 32; i += 32) words_[i] = 0;
    __syncwarp();  // orders the clearing of the set before another lane sets a bit
  }
  // Flips the bits of ranks that are added or removed; every lane calls it before the warp's next `settle`.
  __device__ void flip(int rank, bool comes) {
    atomicXor(words_ + rank / 32, 1u << rank % 32);
    if (rank < part_ * 1024) change_ += comes ? 1 : -1;
  }
  __device__ void settle() {
    __syncwarp();  // orders the flips before the bits are counted
    below_ += warp_total(change_);
    change_ = 0;
  }
  // The rank in the set that is larger than k others. All lanes get it.
  __device__ int at(int k) {
    std::uint32_t word;
    for (int there;;) {
      word = words_[part_ * 32 + lane()];
      there = warp_total(__popc(word));
      if (below_ + there <= k) {
        below_ += there, ++part_;
      } else if (below_ > k) {
        --part_;
        below_ -= warp_total(__popc(words_[part_ * 32 + lane()]));
      } else {
        break;
      }
    }
    int upto = __popc(word);
    for (int step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(~0u, upto, step);
      if (lane() >= step) upto += before;
    }
    const int owner = __popc(__ballot_sync(~0u, below_ + upto <= k));
    int skip = k - below_ - (upto - __popc(word)), bit = 0;  // of the owner
    for (int half = 16; half > 0; half /= 2) {
      const int low = __popc(word & ((1u << half) - 1));
      if (skip >= low) skip -= low, word >>= half, bit += half;
    }
    __syncwarp();  // orders the reads of the words before the next flips
    return __shfl_sync(~0u, (part_ * 32 + lane()) * 32 + bit, owner);
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  std::uint32_t* words_;
  int part_ = 0, below_ = 0,
      change_ = 0;  // `below_` of the set are before the part; change_: what this lane knows of it
};

__global__ void __launch_bounds__(most_rank_warps * 32)
    medians_by_rank(const float* in, float* out, plane p, rank_tile t, int radius, std::int64_t across,
                    std::int64_t down) {
  extern __shared__ std::uint32_t shared[];
  std::uint32_t *const sorted = shared, *const sets = sorted + t.elements + t.elements / 2;
  auto* const ranks = reinterpret_cast<std::uint16_t*>(sorted + t.elements);
  const int wide = 2 * radius + 1, size = t.side - 2 * radius, thread = static_cast<int>(threadIdx.x),
            all = static_cast<int>(blockDim.x);
  const tile_place at = own_tile(across, down, size, size);
  const auto order_at = [&](int i) {
    return ordered(element(in, p, at.left + i % t.side - radius, at.top + i / t.side - radius, at.channel));
  };
  for (int i = thread; i < t.elements; i += all) sorted[i] = i < t.side * t.side ? order_at(i) : ~0u;
  // Ranks of equal elements, 16 bits each, until the windows need the memory.
  std::uint32_t* const taken = sets;
  for (int i = thread; i < t.elements / 2; i += all) taken[i] = 0;
  __syncthreads();  // orders the writes of the tile before their reads
  sort_tile(sorted, t.elements);
  for (int i = thread; i < t.side * t.side; i += all) {
    const int first = first_not_less(sorted, t.elements, order_at(i));
    const int half = first % 2 * 16;
    const std::uint32_t before = atomicAdd(taken + first / 2, 1u << half);  // equal ones in any order
    ranks[i] = static_cast<std::uint16_t>(first + (before >> half & 0xffffu));
  }
  __syncthreads();  // orders writes of ranks before their reads, and the use of `taken` before that of its memory
  const int lane = thread % 32, warp = thread / 32;
  const int rows = static_cast<int>(min(static_cast<std::int64_t>(size), p.height - at.top));
  const int columns = static_cast<int>(min(static_cast<std::int64_t>(size), p.width - at.left));
  for (int x = warp; x < columns; x += all / 32) {
    rank_window window(sets + warp * (t.elements / 32), t.elements);
    for (int j = 0; j < wide; ++j)
      for (int i = lane; i < wide; i += 32) window.flip(ranks[j * t.side + x + i], true);
    for (int y = 0;; ++y) {
      window.settle();
      const int rank = window.at(wide * wide / 2);
      if (lane == 0) out[(at.top + y) * p.out_pitch + (at.left + x) * p.channels + at.channel] = value_of(sorted[rank]);
      if (y + 1 == rows) break;
      for (int i = lane; i < 2 * wide; i += 32) {
        const bool comes = i >= wide;
        window.flip(ranks[(comes ? y + wide : y) * t.side + x + (comes ? i - wide : i)], comes);
      }
    }
    __syncwarp();  // orders the last reads of bits before the next column clears the set
  }
}

// Where a block's shared memory is too small for a tile: one warp per result finds its bits from the highest down, by
// counting the elements of the window that agree with it so far.
__global__ void __launch_bounds__(threads)
    medians_by_bits(const float* in, float* out, plane p, int radius, std::int64_t results) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
  if (i >= results) return;
  const std::int64_t channels = p.channels, x = i / channels % p.width, y = i / channels / p.width;
  const int channel = static_cast<int>(i % channels), lane = static_cast<int>(threadIdx.x) % 32, wide = 2 * radius + 1;
  std::uint32_t found = 0;
  int smaller = wide * wide / 2;  // that the window has among those that agree
  for (int bit = 31; bit >= 0; --bit) {
    int clear = 0;
    for (int j = lane; j < wide * wide; j += 32)
      clear += (ordered(element(in, p, x + j % wide - radius, y + j / wide - radius, channel)) ^ found) >> bit == 0;
    clear = warp_total(clear);
    if (smaller >= clear) smaller -= clear, found |= 1u << bit;
  }
  if (lane == 0) out[y * p.out_pitch + x * channels + channel] = value_of(found);
}

template <int radius>
void launch_medians(cuda::device& d, const problem& c, const plane& p) {
  const std::uint64_t across = (c.size.x + 31) / 32, down = (c.size.y + 7) / 8;
  medians_by_forgetting<radius><<<static_cast<unsigned>(across * down * c.channels), threads, 0, d.stream()>>>(
      c.in.as<const float>(), c.out.as<float>(), p, static_cast<std::int64_t>(across), static_cast<std::int64_t>(down));
}

struct rank_shape {
  rank_tile tile;
  unsigned warps;
};
// The largest tile that fits on the device and that the window needs; a block of fewer warps where the sets of all do
// not fit (64 KB, from a radius of 32 on).
std::optional<rank_shape> rank_shape_for(const cuda::device& d, std::uint32_t radius) {
  for (unsigned warps = most_rank_warps; warps >= least_rank_warps; warps /= 2)
    for (const rank_tile& t : rank_tiles)
      if (t.bytes(warps) <= d.shared_limit() && (t.side < 128 || radius > 16) && t.side > 2 * static_cast<int>(radius))
        return rank_shape{t, warps};
  return {};
}

void small_median(device& where, const problem& c) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const plane p = plane_of(c);
  switch (c.radius) {
    case 1: launch_medians<1>(d, c, p); break;
    case 2: launch_medians<2>(d, c, p); break;
    default: launch_medians<3>(d, c, p); break;
  }
  cuda::check(cudaGetLastError(), "launching the median's kernel");
}

void large_median(device& where, const problem& c) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (c.radius == 0) {
    cuda::check(
        cudaMemcpy2DAsync(c.out.address(), out_pitch(c) * sizeof(float), c.in.address(), in_pitch(c) * sizeof(float),
                          c.size.x * c.channels * sizeof(float), c.size.y, cudaMemcpyDeviceToDevice, d.stream()),
        "copying a picture");
    return;
  }
  const std::optional<rank_shape> shape = rank_shape_for(d, c.radius);
  if (!shape) {
    const std::uint64_t results = c.size.count() * c.channels;
    medians_by_bits<<<static_cast<unsigned>((results + threads / 32 - 1) / (threads / 32)), threads, 0, d.stream()>>>(
        c.in.as<const float>(), c.out.as<float>(), plane_of(c), static_cast<int>(c.radius),
        static_cast<std::int64_t>(results));
    return cuda::check(cudaGetLastError(), "launching the median's kernel");
  }
  const auto& [t, warps] = *shape;
  const std::uint64_t size = static_cast<std::uint64_t>(t.side) - 2 * c.radius;
  const std::uint64_t across = (c.size.x + size - 1) / size, down = (c.size.y + size - 1) / size;
  const std::uint64_t bytes = t.bytes(warps);
  d.allow_shared(medians_by_rank, bytes, "median");
  medians_by_rank<<<static_cast<unsigned>(across * down * c.channels), warps * 32, bytes, d.stream()>>>(
      c.in.as<const float>(), c.out.as<float>(), plane_of(c), t, static_cast<int>(c.radius),
      static_cast<std::int64_t>(across), static_cast<std::int64_t>(down));
  cuda::check(cudaGetLastError(), "launching the median's kernel");
}

// ---- kernels with one thread per pixel or element

template <class Kernel, class... Args>
void launch(device& where, const char* what, Kernel kernel, std::uint64_t n, Args... args) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, d.stream()>>>(args...);
  cuda::check(cudaGetLastError(), what);
}
__device__ std::uint64_t own_place() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// ---- bilateral

// A thread computes four results of a column, 8 rows apart, so that the overhead of each element of the disc is shared
// by four. Exponents are of 2. A window that does not fit in shared memory is read from global memory.
constexpr int bilateral_side = 32, bilateral_rows = 4;

template <int channels, bool tiled>
__global__ void __launch_bounds__(threads)
    bilaterals(const float* in, float* out, plane p, int radius, int radius_down, float per_place, float per_colour) {
  extern __shared__ float planes[];
  const std::int64_t across = (p.width + bilateral_side - 1) / bilateral_side;
  const tile_place at = own_tile(across, std::int64_t{1} << 40, bilateral_side, bilateral_side);
  const int side = bilateral_side + 2 * radius, x = static_cast<int>(threadIdx.x) % bilateral_side,
            top = static_cast<int>(threadIdx.x) / bilateral_side;
  if constexpr (tiled) {
    for (int t = static_cast<int>(threadIdx.x); t < side * side; t += static_cast<int>(threads)) {
      const std::int64_t from_x = border_index(p.edge, at.left + t % side - radius, p.width),
                         from_y = border_index(p.edge_down, at.top + t / side - radius, p.height);
#pragma unroll
      for (int c = 0; c < channels; ++c)
        planes[c * side * side + t] = from_x < 0 || from_y < 0 ? 0.0f : in[from_y * p.in_pitch + from_x * channels + c];
    }
    __syncthreads();  // orders the writes of the tile before reads by other threads
  }
  const auto colour_at = [&](int dx, int y, int c) {
    if constexpr (tiled) return planes[(c * side + y + radius) * side + x + dx + radius];
    return element(in, p, at.left + x + dx, at.top + y, c);
  };
  float here[bilateral_rows][channels], sums[bilateral_rows][channels]{}, weights[bilateral_rows]{};
#pragma unroll
  for (int r = 0; r < bilateral_rows; ++r)
#pragma unroll
    for (int c = 0; c < channels; ++c) here[r][c] = colour_at(0, top + 8 * r, c);
  for (int dy = -radius_down; dy <= radius_down; ++dy) {
    const int reach = static_cast<int>(sqrtf(static_cast<float>(radius * radius - dy * dy)));
    for (int dx = -reach; dx <= reach; ++dx) {
      const float place = -per_place * static_cast<float>(dx * dx + dy * dy);
#pragma unroll
      for (int r = 0; r < bilateral_rows; ++r) {
        float there[channels], distance = 0;
#pragma unroll
        for (int c = 0; c < channels; ++c) {
          there[c] = colour_at(dx, top + 8 * r + dy, c);
          distance += (there[c] - here[r][c]) * (there[c] - here[r][c]);
        }
        const float far = distance * per_colour;
        const float weight = far < 17 * 1.44269504f ? exp2f(place - far) : 0.0f;
#pragma unroll
        for (int c = 0; c < channels; ++c) sums[r][c] += weight * there[c];
        weights[r] += weight;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < bilateral_rows; ++r) {
    const std::int64_t to_x = at.left + x, to_y = at.top + top + 8 * r;
    if (to_x < p.width && to_y < p.height)
#pragma unroll
      for (int c = 0; c < channels; ++c) out[to_y * p.out_pitch + to_x * channels + c] = sums[r][c] / weights[r];
  }
}

template <int channels, bool tiled>
void launch_bilateral(cuda::device& d, const problem& c, std::uint64_t bytes) {
  const std::uint64_t blocks =
      (c.size.x + bilateral_side - 1) / bilateral_side * ((c.size.y + bilateral_side - 1) / bilateral_side);
  if (tiled) d.allow_shared(bilaterals<channels, tiled>, bytes, "bilateral");
  const double bits = 1.44269504088896341;  // of e
  bilaterals<channels, tiled><<<static_cast<unsigned>(blocks), threads, tiled ? bytes : 0, d.stream()>>>(
      c.in.as<const float>(), c.out.as<float>(), plane_of(c), static_cast<int>(disc_of(c)),
      static_cast<int>(disc_down(c)), static_cast<float>(bits / (2.0 * c.space * c.space)),
      static_cast<float>(bits / (2.0 * c.range * c.range)));
  cuda::check(cudaGetLastError(), "launching the bilateral filter's kernel");
}

void bilateral(device& where, const problem& c) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const std::uint64_t side = bilateral_side + 2 * std::uint64_t{disc_of(c)},
                      bytes = side * side * c.channels * sizeof(float);
  const auto with = [&]<int channels>() {
    bytes <= d.shared_limit() ? launch_bilateral<channels, true>(d, c, bytes)
                              : launch_bilateral<channels, false>(d, c, 0);
  };
  switch (c.channels) {
    case 1: return with.template operator()<1>();
    case 2: return with.template operator()<2>();
    case 3: return with.template operator()<3>();
    default: return with.template operator()<4>();
  }
}

// ---- the Gaussian by recursion: one thread per piece of a line; neighbours in a warp take neighbouring lines

__global__ void __launch_bounds__(threads)
    recurse(const float* in, float* out, recursion r, recursion_lines l, border edge) {
  const auto i = static_cast<std::int64_t>(own_place());
  const std::int64_t line = i % l.lines, first = i / l.lines * l.piece;
  if (first >= l.places) return;
  const std::int64_t last = min(first + l.piece, l.places);
  const float* const from = in + line / l.inner * l.in_pitch + line % l.inner;
  float* const to = out + line / l.inner * l.out_pitch + line % l.inner;
  const auto element_at = [&](std::int64_t k) {
    if (k < 0 || k >= l.places) k = border_index(edge, k, l.places);
    return k < 0 ? 0.0f : from[k * l.in_step];
  };
  double x[4]{}, y[4]{};
  const auto next = [&](const double(&take)[4], double now) {
    x[0] = now;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += take[k] * x[k];
#pragma unroll
    for (int k = 3; k >= 0; --k) sum -= r.back[k] * y[k];  // the latest result last, because the next one depends on it
#pragma unroll
    for (int k = 3; k > 0; --k) x[k] = x[k - 1], y[k] = y[k - 1];
    return y[0] = sum;
  };
  elements_not_finite before(l.window);
  for (std::int64_t k = first - l.reach; k < first; ++k) next(r.ahead, before.read(element_at(k), k));
#pragma unroll 4
  for (std::int64_t k = first; k < last; ++k)
    to[k * l.out_step] = before.added(static_cast<float>(next(r.ahead, before.read(element_at(k), k))), k);
#pragma unroll
  for (int k = 0; k < 4; ++k) x[k] = y[k] = 0;
  elements_not_finite after(l.window);
  for (std::int64_t k = last + l.reach; k > last; --k) next(r.behind, after.read(element_at(k), -k));
#pragma unroll 4
  for (std::int64_t k = last; k > first; --k) {
    const double behind = next(r.behind, after.read(element_at(k), -k));
    to[(k - 1) * l.out_step] = after.added(static_cast<float>(to[(k - 1) * l.out_step] + behind), 1 - k);
  }
}

void recursive_gaussian(device& where, const problem& c) {
  const recursion r = recursion_of(c.space);
  const auto [rows, columns] =
      recursion_axes_of(c, static_cast<std::uint64_t>(cuda::of(where).multiprocessors()) * 1024);
  const memory between = where.scratch("filters/rows", c.size.count() * c.channels * sizeof(float));
  const auto along = [&](const recursion_lines& l, const memory& in, const memory& out) {
    launch(where, "launching the recursive Gaussian's kernel", recurse,
           static_cast<std::uint64_t>(l.lines * l.pieces()), in.as<const float>(), out.as<float>(), r, l, c.edge);
  };
  if (c.signal) return along(rows, c.in, c.out);
  along(rows, c.in, between);
  along(columns, between, c.out);
}

// ---- edges

// Rounded at each step, so that two gradients of equal length compare equal.
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

void non_maximum_suppression(device& d, const problem& c) {
  launch(d, "launching the kernel that thins edges", thin, c.size.count(), c.in.as<const float>(),
         c.in2.as<const float>(), c.out.as<float>(), static_cast<std::int64_t>(c.size.x),
         static_cast<std::int64_t>(c.size.y));
}

// Union-find: pixels that may be on an edge form a forest, in which each has a parent of smaller number, or is a root.
// The trees of neighbours are united. A tree that contains a pixel of at least the high threshold is an edge.
constexpr std::uint32_t no_edge = ~0u;

// A pixel's first parent is the first of its run along the row, as far as its warp sees.
__global__ void plant(const float* in, std::uint32_t* parent, std::uint32_t* strong, std::int64_t width,
                      std::int64_t height, float low) {
  const auto i = static_cast<std::int64_t>(own_place());
  const bool inside = i < width * height, on = inside && in[i] >= low;
  const unsigned lane = threadIdx.x % 32, first_of_row = inside && i % width == 0 ? 1u << lane : 0;
  // A run begins after a pixel that is on no edge, at a row's first pixel, and at the warp's.
  const std::uint32_t all = __ballot_sync(~0u, on), rows = __ballot_sync(~0u, first_of_row != 0);
  const std::uint32_t begins = (~(all << 1) | rows | 1u) & ((2u << lane) - 1);
  if (!inside) return;
  parent[i] = on ? static_cast<std::uint32_t>(i - lane + 31 - __clz(begins)) : no_edge;
  strong[i] = 0;
}

// Relaxed: other threads may be uniting trees, so this reads a present or former ancestor. Numbers only decrease, so
// walks to the root end.
__device__ std::uint32_t above(const std::uint32_t* parent, std::uint64_t i) {
  return *static_cast<const volatile std::uint32_t*>(parent + i);
}
__device__ std::uint32_t root_of(const std::uint32_t* parent, std::uint32_t i) {
  for (std::uint32_t next; (next = above(parent, i)) != i;) i = next;
  return i;
}
// As root_of, with path halving: every other pixel on the way gets its grandparent as parent, which halves later walks.
// Only pixels that are not roots are changed here, and only roots are united, so that no store undoes another thread's.
__device__ std::uint32_t shortened_root_of(std::uint32_t* parent, std::uint32_t i) {
  for (std::uint32_t next; (next = above(parent, i)) != i;) {
    const std::uint32_t after = above(parent, next);
    if (after != next) *static_cast<volatile std::uint32_t*>(parent + i) = after;
    i = after;
  }
  return i;
}

__device__ void unite(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = shortened_root_of(parent, a);
    b = shortened_root_of(parent, b);
    if (a == b) return;
    const std::uint32_t larger = max(a, b), smaller = min(a, b);
    const std::uint32_t before =
        atomicCAS(parent + larger, larger, smaller);  // relaxed: no other data is published with it
    if (before == larger) return;
    // Another thread united this root first: continue with its new parent.
    a = before;
    b = smaller;
  }
}

// Skips unions that follow from others: along a row only a warp's first pixel does not yet know the one before it; and
// of two neighbours under the same two pixels, only one has to unite.
__global__ void unite_neighbours(std::uint32_t* parent, std::int64_t width, std::int64_t height) {
  const auto i = static_cast<std::int64_t>(own_place());
  if (i >= width * height || above(parent, i) == no_edge) return;
  const std::int64_t x = i % width, y = i / width;
  const auto on = [&](std::int64_t dx, std::int64_t dy) {
    return x + dx >= 0 && x + dx < width && y + dy >= 0 && above(parent, i + dy * width + dx) != no_edge;
  };
  const auto join = [&](std::int64_t dx, std::int64_t dy) {
    unite(parent, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + dy * width + dx));
  };
  const bool left = on(-1, 0);
  if (left && i % 32 == 0) join(-1, 0);
  if (on(0, -1)) {
    if (!(left && on(-1, -1))) join(0, -1);
  } else {
    if (!left && on(-1, -1)) join(-1, -1);
    if (on(1, -1)) join(1, -1);
  }
}

__global__ void begin_edges(const float* in, const std::uint32_t* parent, std::uint32_t* strong, std::uint64_t n,
                            float high) {
  const std::uint64_t i = own_place();
  if (i >= n || !(in[i] >= high)) return;
  // Relaxed; many threads store the same value.
  volatile std::uint32_t* const flag = strong + root_of(parent, static_cast<std::uint32_t>(i));
  if (!*flag) *flag = 1;
}

__global__ void mark_edges(const std::uint32_t* parent, const std::uint32_t* strong, float* out, std::uint64_t n) {
  const std::uint64_t i = own_place();
  if (i >= n) return;
  out[i] = parent[i] != no_edge && strong[root_of(parent, static_cast<std::uint32_t>(i))] ? 1.0f : 0.0f;
}

void hysteresis_threshold(device& d, const problem& c) {
  const std::uint64_t n = c.size.count();
  auto* const parent = d.scratch("filters/parent", n * 4).as<std::uint32_t>();
  auto* const strong = d.scratch("filters/strong", n * 4).as<std::uint32_t>();
  const char* what = "launching the kernels that link edges";
  launch(d, what, plant, n, c.in.as<const float>(), parent, strong, static_cast<std::int64_t>(c.size.x),
         static_cast<std::int64_t>(c.size.y), c.low);
  launch(d, what, unite_neighbours, n, parent, static_cast<std::int64_t>(c.size.x),
         static_cast<std::int64_t>(c.size.y));
  launch(d, what, begin_edges, n, c.in.as<const float>(), parent, strong, n, c.high);
  launch(d, what, mark_edges, n, parent, strong, c.out.as<float>(), n);
}

// ---- resize: sums along one axis, whose elements are `stride` apart; lines of `in` begin in_line elements apart, and
// consecutive results of a line are out_step elements apart

__global__ void resize_along(const float* in, const std::uint32_t* firsts, const std::uint32_t* starts,
                             const float* weights, float* out, std::uint64_t stride, std::uint64_t in_line,
                             std::uint64_t out_step, std::uint64_t to_size, std::uint64_t n) {
  const std::uint64_t i = own_place();
  if (i >= n) return;
  const std::uint64_t e = i % stride, place = i / stride % to_size, line = i / stride / to_size;
  const float* from = in + line * in_line + firsts[place] * stride + e;
  float sum = 0;
  for (std::uint32_t t = starts[place]; t < starts[place + 1]; ++t, from += stride) sum += weights[t] * *from;
  out[(line * to_size + place) * out_step + e] = sum;
}

void resize(device& d, const problem& c) {
  const std::uint64_t row = c.to.x * c.channels;
  const memory narrow = d.scratch("filters/narrow", row * c.size.y * sizeof(float));
  const auto along = [&](const taps_there& taps, const memory& in, const memory& out, std::uint64_t stride,
                         std::uint64_t in_line, std::uint64_t out_step, std::uint64_t places, std::uint64_t lines) {
    launch(d, "launching the kernel that resizes", resize_along, places * stride * lines, in.as<const float>(),
           taps.firsts.as<const std::uint32_t>(), taps.starts.as<const std::uint32_t>(), taps.weights.as<const float>(),
           out.as<float>(), stride, in_line, out_step, places, places * stride * lines);
  };
  along(taps_on(d, 0, c.how, c.size.x, c.to.x), c.in, narrow, c.channels, in_pitch(c), c.channels, c.to.x, c.size.y);
  along(taps_on(d, 1, c.how, c.size.y, c.to.y), narrow, c.out, row, 0, out_pitch(c), c.to.y, 1);
}

}  // namespace

std::span<const variant> cuda() {
  static const std::array list = [] {
    constexpr backend here = backend::cuda;
    std::array all{
        entry_for(primitive::median, "median/rank-bitmap", here,
                  "A block sorts the elements of a tile once; a warp's window is a set of ranks, a bit "
                  "each, that slides down a column of results.",
                  large_median),
        forgetting(entry_for(primitive::median, "median/forgetful-selection", here,
                             "Of half a window and two elements more neither the smallest nor the largest can be the "
                             "middle one: they are forgotten, and the next element comes, all in registers.",
                             small_median)),
        entry_for(primitive::bilateral, "bilateral/shared-tile", here,
                  "Every pixel of the disc from a tile in shared memory, four results a thread, so that "
                  "what a place costs is paid once for four.",
                  bilateral),
        entry_for(primitive::recursive_gaussian, "recursive-gaussian/pieces", here,
                  "Lines are cut, and a thread begins its piece seven sigmas earlier instead of waiting for the piece "
                  "before it.",
                  recursive_gaussian),
        entry_for(primitive::non_maximum_suppression, "thin-edges/non-maximum-suppression", here,
                  "A gradient stays where neither neighbour along it is longer; a thread a pixel.",
                  non_maximum_suppression),
        by_union_find(entry_for(
            primitive::hysteresis_threshold, "linked-edges/union-find", here,
            "Runs along a row are one tree from the start, joins that follow from others are left out, walks "
            "shorten their way: an edge may wind through the picture, and there are four launches all the same.",
            hysteresis_threshold)),
        entry_for(primitive::resize, "resize/separable", here,
                  "Rows first, then columns, a thread an element; a line's weights come from the host.", resize),
    };
    return all;
  }();
  return list;
}

}  // namespace upsweep::detail::filters_impl
