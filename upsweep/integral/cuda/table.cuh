// A table in one pass: each element is read once and written once.
//
// A block walks down a strip of columns, a tile of warps · rows rows at a time. A warp takes some rows of the tile, a lane the same few neighbouring
// columns of each. Along a row the sums run in registers and by shuffles; down the columns they run within a lane, and over the warps' totals
// through shared memory, one barrier a tile. The row above the tile stays in registers. What is to the left of the strip comes from the strips
// there, one number a row and channel: a strip publishes each row's own sum at once, and looks back over those of its neighbours to the nearest
// that already knows the sum of all up to itself. From there it adds forward, from left to right, so that float sums are grouped alike whenever
// which number came. Strips are drawn as tickets: whoever is waited for has started. While a tile is summed the next one's elements are on their way.
#pragma once

#include "upsweep/cuda/tagged.cuh"
#include "upsweep/integral/box.hpp"
#include "upsweep/integral/cuda_tuning.hpp"

namespace upsweep::cuda {

template <class In, class Out, class Sum>
struct table_arguments {
  const In* in;
  Out* out;
  std::uint64_t row, height, in_pitch, out_pitch;  // in elements, all but the height
  std::uint32_t strips;
  bool vectors_in, vectors_out;  // rows are so aligned that a lane's elements are read, or written, as one vector
  launch_control* control;
  // Of strip s, row y and channel c: the strip's own sum at (s · height + y) · channels + c; behind those of all strips, in the same order,
  // the sum of the row up to and with the strip.
  tagged_words words;
};

template <class T, int count>
struct alignas(sizeof(T) * count) vector_of {
  T at[count];
};

// Elements of a vector of at most 16 bytes, of which `count` are some; 1 where they are not.
template <class T, int count>
inline constexpr int in_a_vector = (count & (count - 1)) != 0 ? 1 : sizeof(T) * count <= 16 ? count : static_cast<int>(16 / sizeof(T));

// The lane's elements x … x + count - 1 of a row of n; zero where they lie beyond it.
template <int count, class In>
__device__ void load_elements(const In* row, std::uint64_t x, std::uint64_t n, bool vectors, In (&to)[count]) {
  constexpr int each = in_a_vector<In, count>;
  if (vectors && x + count <= n) {
#pragma unroll
    for (int first = 0; first < count; first += each) {
      const auto v = *reinterpret_cast<const vector_of<In, each>*>(row + x + first);
#pragma unroll
      for (int e = 0; e < each; ++e) to[first + e] = v.at[e];
    }
  } else {
#pragma unroll
    for (int e = 0; e < count; ++e) to[e] = x + e < n ? row[x + e] : In(0);
  }
}

template <int count, class Out, class Sum>
__device__ void store_elements(Out* row, std::uint64_t x, std::uint64_t n, bool vectors, const Sum (&from)[count]) {
  constexpr int each = in_a_vector<Out, count>;
  if (vectors && x + count <= n) {
#pragma unroll
    for (int first = 0; first < count; first += each) {
      vector_of<Out, each> v;
#pragma unroll
      for (int e = 0; e < each; ++e) v.at[e] = static_cast<Out>(from[first + e]);
      *reinterpret_cast<vector_of<Out, each>*>(row + x + first) = v;
    }
  } else {
#pragma unroll
    for (int e = 0; e < count; ++e)
      if (x + e < n) row[x + e] = static_cast<Out>(from[e]);
  }
}

// The sum of what the strips to the left have in row y, for one channel: those of this launch's epoch.
template <class Sum>
__device__ Sum sum_to_the_left(tagged_words words, std::uint32_t epoch, std::uint32_t strip, std::uint64_t in_strip, std::uint64_t each_strip,
                               std::uint64_t all) {
  Sum sum{};
  // Back to the nearest strip that knows; strip 0 always does, once it has come to this row.
  std::int64_t known = static_cast<std::int64_t>(strip) - 1;
  for (;; --known) {
    const std::uint64_t at = static_cast<std::uint64_t>(known) * each_strip + in_strip;
    Sum own;
    bool knows = words.try_load(all + at, epoch, sum);
    while (!knows && !words.try_load(at, epoch, own)) knows = words.try_load(all + at, epoch, sum);
    if (knows) break;
  }
  for (std::uint64_t s = static_cast<std::uint64_t>(known) + 1; s < strip; ++s) sum += words.wait<Sum>(s * each_strip + in_strip, epoch);
  return sum;
}

template <int channels, int pixels, class In, class Out, class Sum>
__global__ void __launch_bounds__(integral_room::cuda_table_tuned.warps* warp_size)
    make_table(const __grid_constant__ table_arguments<In, Out, Sum> a) {
  constexpr int warps = integral_room::cuda_table_tuned.warps, rows = integral_room::cuda_table_tuned.rows, items = channels * pixels;
  static_assert(rows * channels <= warp_size);
  __shared__ Sum totals[2][warps][warp_size * items];
  __shared__ std::uint32_t ticket, launch_epoch;
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  if (threadIdx.x == 0) {
    launch_epoch = a.control->epoch + 1;
    ticket = static_cast<std::uint32_t>(atomicAdd(&a.control->ticket, 1ull));  // relaxed: nothing is read by means of it
  }
  __syncthreads();  // thread 0 has drawn the ticket
  const std::uint32_t strip = ticket, epoch = launch_epoch;
  const std::uint64_t x = (std::uint64_t{strip} * warp_size + lane) * items, each_strip = a.height * channels, all = a.strips * each_strip;

  Sum above[items] = {};
  In next[rows][items];
  const auto load = [&](std::uint64_t first) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const std::uint64_t y = first + warp * rows + r;
      load_elements<items>(a.in + y * a.in_pitch, x, y < a.height ? a.row : 0, a.vectors_in, next[r]);
    }
  };
  load(0);
  int turn = 0;
  for (std::uint64_t first = 0; first < a.height; first += warps * rows, turn ^= 1) {
    Sum v[rows][items];
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int e = 0; e < items; ++e) v[r][e] = integral_room::widened<Sum>(next[r][e]);
    if (first + warps * rows < a.height) load(first + warps * rows);

    // Along the rows: within the lane, then over the lanes.
    Sum mine{};  // of the row and channel that this lane hands on: lane r · channels + c has row r and channel c
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int e = channels; e < items; ++e) v[r][e] += v[r][e - channels];
#pragma unroll
      for (int c = 0; c < channels; ++c) {
        const Sum own = v[r][items - channels + c];
        const Sum up_to_here = warp_inclusive_scan(own, lane, plus{});
        Sum before = shuffle_up(up_to_here, 1);
        if (lane == 0) before = Sum{};
#pragma unroll
        for (int e = c; e < items; e += channels) v[r][e] += before;
        const Sum total = shuffle_from(up_to_here, warp_size - 1);
        if (lane == r * channels + c) mine = total;
      }
    }

    // What lies to the left of the strip.
    Sum left{};
    const std::uint64_t y = first + warp * rows + lane / channels;
    if (lane < rows * channels && y < a.height) {
      const std::uint64_t in_strip = y * channels + lane % channels, at = strip * each_strip + in_strip;
      if (strip > 0) {
        a.words.store(at, epoch, mine);
        left = sum_to_the_left<Sum>(a.words, epoch, strip, in_strip, each_strip, all);
      }
      a.words.store(all + at, epoch, left + mine);
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < channels; ++c) {
        const Sum of_row = shuffle_from(left, r * channels + c);
#pragma unroll
        for (int e = c; e < items; e += channels) v[r][e] += of_row;
      }

    // Down the columns: within the warp's rows, then over the warps.
#pragma unroll
    for (int r = 1; r < rows; ++r)
#pragma unroll
      for (int e = 0; e < items; ++e) v[r][e] += v[r - 1][e];
#pragma unroll
    for (int e = 0; e < items; ++e) totals[turn][warp][e * warp_size + lane] = v[rows - 1][e];
    __syncthreads();  // all warps' totals are there; those of the tile before, in the other half, are read
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w == warp) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const std::uint64_t row = first + warp * rows + r;
          Sum sums[items];
#pragma unroll
          for (int e = 0; e < items; ++e) sums[e] = above[e] + v[r][e];
          if (row < a.height) store_elements<items>(a.out + row * a.out_pitch, x, a.row, a.vectors_out, sums);
        }
      }
#pragma unroll
      for (int e = 0; e < items; ++e) above[e] += totals[turn][w][e * warp_size + lane];
    }
  }
  __syncthreads();  // no warp of the block reads tagged words any more
  if (threadIdx.x == 0) a.control->leave(gridDim.x, epoch, a.words);
}

template <int channels, int pixels, class In, class Out>
void make_table_of(device& d, const problem& p) {
  using Sum = integral_room::sum_type<In, Out>;
  constexpr std::uint64_t items = channels * pixels, width = warp_size * items;
  const std::uint64_t row = integral_room::row_of(p), strips = (row + width - 1) / width;
  table_arguments<In, Out, Sum> a{p.in.as<const In>(), p.out.as<Out>(), row, p.size.y, p.pitch, p.out_pitch, static_cast<std::uint32_t>(strips)};
  const auto whole_vectors = []<class T>(const T* base, std::uint64_t pitch) {
    constexpr std::uint64_t each = in_a_vector<T, static_cast<int>(items)>;
    return reinterpret_cast<std::uintptr_t>(base) % (sizeof(T) * each) == 0 && pitch % each == 0;
  };
  a.vectors_in = whole_vectors(a.in, p.pitch), a.vectors_out = whole_vectors(a.out, p.out_pitch);
  std::tie(a.control, a.words) = launch_state<Sum>(d, "integral/cuda", 2 * strips * p.size.y * channels);
  make_table<channels, pixels, In, Out, Sum>
      <<<static_cast<unsigned>(strips), integral_room::cuda_table_tuned.warps * warp_size, 0, d.stream()>>>(a);
}

// Wide strips where there are enough of them; narrow ones where the picture is narrow.
template <class In, class Out>
void make_table(device& d, const problem& p) {
  const auto enough = static_cast<std::uint64_t>(d.multiprocessors() * integral_room::cuda_table_tuned.wide_strips_from);
  const bool wide = integral_room::row_of(p) / (4 * warp_size) >= enough;
  switch (p.channels) {
    case 1: return wide ? make_table_of<1, 4, In, Out>(d, p) : make_table_of<1, 1, In, Out>(d, p);
    case 2: return wide ? make_table_of<2, 2, In, Out>(d, p) : make_table_of<2, 1, In, Out>(d, p);
    case 3: return make_table_of<3, 1, In, Out>(d, p);
    default: return make_table_of<4, 1, In, Out>(d, p);
  }
}

}  // namespace upsweep::cuda
