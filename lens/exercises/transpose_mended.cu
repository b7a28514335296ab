// A matrix of 64 rows and 64 columns, transposed: a thread an element.
// By way of a tile: rows are read, and rows are written. Rows of 33 cells put a column into 32 banks.
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][33];
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
  __syncthreads();
  const unsigned to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  out[to_y * 64 + to_x] = tile[threadIdx.x][threadIdx.y];
}
