// Reproducible sums on CUDA GPUs. Every thread adds into digits of its own in shared memory. Each block adds the digits
// of its threads, and one last block adds the digits of the blocks. All additions are integer additions, so the result
// does not depend on the split. See reduce_exact.hpp.
#include <algorithm>
#include <array>
#include <vector>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/cuda/shared_limits.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/reduce/reduce_reproducible_entry.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

// The digits of a thread are a column: digit d of thread t is at [d * threads + t]. Whatever digits the lanes of a warp
// add to, they access different banks. 68 digits per thread for double let a multiprocessor of 227 KB hold three blocks
// of 128 threads. Blocks have half as many threads if a block cannot have 70 KB.
constexpr int most_threads = 128;
constexpr int most_blocks = 1024;
// A column of 63 bits might overflow after that many additions of a 32-bit digit; this is half of that number.
constexpr std::uint64_t safe_additions = std::uint64_t(1) << 30;

template <class T>
constexpr int shared_bytes(int threads) {
  return exact_format<T>::digits * threads * 8;
}
template <class T>
constexpr int few_threads =
    shared_bytes<T>(most_threads) < static_cast<int>(least_shared_limit) ? most_threads : most_threads / 2;
static_assert(shared_bytes<double>(few_threads<double>) < static_cast<int>(least_shared_limit));

// The sums of one launch, in scratch memory: a row of digits per block, then the total. The flags likewise.
template <class T>
struct rows {
  std::int64_t* digits;
  std::uint32_t* flags;
  static std::uint64_t bytes() { return std::uint64_t(most_blocks + 1) * (exact_format<T>::digits * 8 + 8); }
  static rows at(void* base) {
    auto* digits = static_cast<std::int64_t*>(base);
    return {digits,
            reinterpret_cast<std::uint32_t*>(digits + std::uint64_t(most_blocks + 1) * exact_format<T>::digits)};
  }
};

template <class T, int threads>
__global__ void __launch_bounds__(threads) add_columns(const T* in, std::uint64_t n, any_transform f, rows<T> sums) {
  constexpr int count = exact_format<T>::digits;
  extern __shared__ std::int64_t column[];
  __shared__ std::uint32_t all_flags;
  std::int64_t* mine = column + threadIdx.x;
  for (int d = 0; d < count; ++d) mine[d * threads] = 0;
  if (threadIdx.x == 0) all_flags = 0;
  __syncthreads();  // all_flags is zero before any thread adds to it

  std::uint32_t flags = 0;
  const std::uint64_t stride = std::uint64_t(gridDim.x) * threads;
  std::uint64_t i = std::uint64_t(blockIdx.x) * threads + threadIdx.x;
  for (std::uint64_t added = 0; i < n;) {
    // Four loads are in flight before the first is needed.
    T x[4];
    int loaded = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (i + k * stride < n) x[k] = in[i + k * stride], ++loaded;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (k < loaded) flags |= exact_add<T>(mine, threads, exact_bits(f(x[k])));
    i += 4 * stride;
    if ((added += 4) >= safe_additions) exact_normalise<T>(mine, threads), added = 0;
  }
  exact_normalise<T>(mine, threads);
  if (flags)
    atomicOr(&all_flags, flags);  // relaxed: only the union counts, and the barrier orders it before it is read
  __syncthreads();                // every column and the flags are complete

  for (int d = threadIdx.x; d < count; d += threads) {
    std::int64_t sum = 0;
    for (int t = 0; t < threads; ++t)
      sum += column[d * threads + (t + d) % threads];  // begins at d, so no two lanes access the same bank
    sums.digits[std::uint64_t(blockIdx.x) * count + d] = sum;
  }
  if (threadIdx.x == 0) sums.flags[blockIdx.x] = all_flags;
}

// One block. Adds the rows of `blocks` blocks, and init if there is one. Stores the total after the rows, and its value
// in out.
template <class T>
__global__ void __launch_bounds__(1024) add_rows(rows<T> sums, int blocks, bool has_out, T init, T* out) {
  constexpr int count = exact_format<T>::digits, lanes = 8;
  __shared__ std::int64_t part[lanes][count];
  __shared__ std::uint32_t flags;
  if (threadIdx.x == 0 && threadIdx.y == 0) flags = 0;
  __syncthreads();  // flags is zero before anyone adds to it
  const int d = threadIdx.x, first = threadIdx.y;
  if (d < count) {
    std::int64_t sum = 0;
    for (int b = first; b < blocks; b += lanes) sum += sums.digits[std::uint64_t(b) * count + d];
    part[first][d] = sum;
  }
  for (int b = first * blockDim.x + d; b < blocks; b += lanes * blockDim.x)
    if (sums.flags[b]) atomicOr(&flags, sums.flags[b]);
  __syncthreads();  // all parts are written
  if (first == 0 && d < count)
    for (int k = 1; k < lanes; ++k) part[0][d] += part[k][d];
  __syncthreads();  // part[0] is the total
  if (first == 0 && d == 0) {
    exact_normalise<T>(part[0], 1);
    for (int k = 0; k < count; ++k) sums.digits[std::uint64_t(most_blocks) * count + k] = part[0][k];
    sums.flags[most_blocks] = flags;
    if (has_out) {
      const std::uint32_t all = flags | exact_add<T>(part[0], 1, exact_bits(init));
      const auto bits = exact_round<T>(part[0], all);
      memcpy(out, &bits, sizeof bits);
    }
  }
}

template <class T>
rows<T> enqueue(cuda::device& d, memory in, std::uint64_t n, any_transform f, T init, T* out) {
  d.make_current();
  const rows<T> sums = rows<T>::at(d.scratch("reduce/reproducible", rows<T>::bytes()).address());
  // A block stores its flags in addition to the columns.
  const bool has_space = static_cast<std::uint64_t>(shared_bytes<T>(most_threads)) < d.shared_limit();
  const auto kernel = has_space ? add_columns<T, most_threads> : add_columns<T, few_threads<T>>;
  const int threads = has_space ? most_threads : few_threads<T>, bytes = shared_bytes<T>(threads);
  d.allow_shared(kernel, static_cast<std::uint64_t>(bytes), "reduce/reproducible");
  const int resident = std::max(1, d.shared_bytes_per_multiprocessor() / (bytes + 2048));
  const std::uint64_t useful = (n + 16 * threads - 1) / (16 * threads);
  const int blocks = static_cast<int>(std::clamp<std::uint64_t>(
      useful, 1, std::min(most_blocks, d.multiprocessors() * std::min(resident, 2048 / threads))));
  kernel<<<blocks, threads, bytes, d.stream()>>>(in.as<const T>(), n, f, sums);
  cuda::check(cudaGetLastError(), "reduce/reproducible");
  add_rows<T>
      <<<1, dim3(exact_format<T>::digits <= 32 ? 32 : 96, 8), 0, d.stream()>>>(sums, blocks, out != nullptr, init, out);
  cuda::check(cudaGetLastError(), "reduce/reproducible");
  return sums;
}

template <class F>
void with_float(dtype t, F&& f) {
  t == dtype::f32 ? f(type_tag<float>{}) : f(type_tag<double>{});
}

void add_exactly(upsweep::device& d, const problem& p) {
  with_float(p.type, [&]<class T>(type_tag<T>) {
    enqueue<T>(cuda::of(d), p.in, p.n, any_transform{p.transform}, p.init.as<T>(), p.out.as<T>());
  });
}

}  // namespace

void add_exactly_cuda(upsweep::device& d, dtype type, memory in, std::uint64_t n, std::int64_t* digits,
                      std::uint32_t& flags) {
  with_float(type, [&]<class T>(type_tag<T>) {
    constexpr int count = exact_format<T>::digits;
    const rows<T> sums = enqueue<T>(cuda::of(d), in, n, any_transform{}, T(0), nullptr);
    std::int64_t total[count];
    std::uint32_t seen = 0;
    d.download(total, {sums.digits + std::uint64_t(most_blocks) * count, 0}, sizeof total);
    d.download(&seen, {sums.flags + most_blocks, 0}, sizeof seen);
    for (int i = 0; i < count; ++i) digits[i] += total[i];
    exact_normalise<T>(digits, 1);
    flags |= seen;
  });
}

std::span<const variant> reproducible_cuda() {
  static const std::array list{reproducible_entry(backend::cuda, add_exactly)};
  return list;
}

}  // namespace upsweep::detail::reduce_impl
