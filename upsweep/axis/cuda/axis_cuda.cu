// Offsets and transpositions on CUDA, and CUDA's entries in the catalog.
#include <algorithm>
#include <array>

#include "upsweep/axis/axis_by_segments.hpp"
#include "upsweep/axis/axis_entries.hpp"
#include "upsweep/axis/cuda/axis_cuda_builtin.hpp"
#include "upsweep/axis/cuda/axis_offsets.cuh"

namespace upsweep::detail::axis_impl {

namespace {

void write_offsets(device& d, memory to, std::uint64_t lines, std::uint64_t length) {
  cuda::write_offsets(d, to.as<std::uint64_t>(), lines, length);
}

template <class From, class To>
struct turned_element {
  const From* in;
  To* out;
  std::uint64_t rows, columns, pitch, modulo;
  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t row = i % rows, column = i / rows % columns, b = i / rows / columns;
    const From x = in[(b * rows + row) * pitch + column];
    out[i] = static_cast<To>(modulo ? x % modulo : x);
  }
};

constexpr int edge = 32, high = 8;

// Each block takes a tile of 32 by 32: it reads along rows and writes along columns. Padding in each row keeps
// neighbours of a column in different banks.
template <class From, class To>
__global__ void __launch_bounds__(edge* high)
    transpose_tiles(const From* in, To* out, std::uint64_t batches, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t pitch, std::uint64_t modulo) {
  __shared__ From tile[edge][edge + 1];
  const std::uint64_t across = (columns + edge - 1) / edge, down = (rows + edge - 1) / edge;
  const int x = threadIdx.x % edge, y = threadIdx.x / edge;
  for (std::uint64_t t = blockIdx.x; t < batches * across * down; t += gridDim.x) {
    const std::uint64_t column = t % across * edge, row = t / across % down * edge, b = t / across / down;
    for (int k = y; k < edge; k += high)
      if (row + k < rows && column + x < columns) tile[k][x] = in[(b * rows + row + k) * pitch + column + x];
    __syncthreads();  // orders writes of the tile before reads of its columns
    for (int k = y; k < edge; k += high)
      if (column + k < columns && row + x < rows) {
        const From value = tile[x][k];
        out[(b * columns + column + k) * rows + row + x] = static_cast<To>(modulo ? value % modulo : value);
      }
    __syncthreads();  // orders all reads before the next tile is written
  }
}

template <class From, class To>
void turn(device& where, const transposition& t) {
  const From* const in = t.in.as<const From>();
  To* const out = t.out.as<To>();
  if (t.narrow())
    return cuda::for_each_index(where, t.elements(),
                                turned_element<From, To>{in, out, t.rows, t.columns, t.pitch, t.modulo});
  cuda::device& d = cuda::of(where);
  d.make_current();
  const std::uint64_t tiles = t.batches * ((t.rows + edge - 1) / edge) * ((t.columns + edge - 1) / edge);
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(tiles, 1u << 30));
  transpose_tiles<<<blocks, edge * high, 0, d.stream()>>>(in, out, t.batches, t.rows, t.columns, t.pitch, t.modulo);
  cuda::check(cudaGetLastError(), "transpose on cuda");
}

void transpose(device& d, const transposition& t) {
  if (t.elements() == 0) return;
  with_widths(t, [&]<class From, class To>(widths<From, To>) { turn<From, To>(d, t); });
}

}  // namespace

const moves& cuda_moves() {
  static constexpr moves all{write_offsets, transpose};
  return all;
}

std::span<const variant> cuda() {
  constexpr backend here = backend::cuda;
  // Of segments: threads' folds, trees over lanes and warps, and one chain of batches; of pieces: 256 at most.
  constexpr formula span{"min(n, n/30720 + 1024)",
                         [](double n) { return n < n / 30720 + 1024 ? n : n / 30720 + 1024; }};
  static const std::array list{
      entry(here, primitive::axis_reduce, "axis-reduce/thread-per-line",
            "A thread a line, long lines in pieces; rows, and few lines, as segments.", span, reduce_on_cuda),
      entry(here, primitive::axis_scan, "axis-scan/thread-per-line",
            "A thread a line, long lines in pieces; rows, and few lines, as segments.", span, scan_on_cuda),
  };
  return list;
}

}  // namespace upsweep::detail::axis_impl
