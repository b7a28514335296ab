// `upsweep lens my.cu`: compiles and runs a file, counts exactly, and reports errors with their lines.
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace {

using nlohmann::json;

class lens_own : public command_test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a process of its own, which no sanitizer of this build goes with";
#endif
    if (std::system("g++ --version > /dev/null 2>&1") != 0 || std::system("addr2line --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "g++ and addr2line compile such files";
  }
  static bool has(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }
  // The line of `text` that has `piece`, counted from 1.
  static std::string line_of(std::string_view text, std::string_view piece) {
    const std::size_t at = text.find(piece);
    EXPECT_NE(at, std::string_view::npos) << piece;
    return std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  json counts(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"lens"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--json"});
    const ran r = run(all);
    EXPECT_EQ(r.status, 0) << r.err;
    return r.status == 0 ? json::parse(r.out)["result"] : json();
  }
  static json line(const json& counts, const std::string& number, const std::string& what) {
    for (const json& l : counts["lines"])
      if (std::to_string(l["line"].get<int>()) == number && l["what"] == what) return l;
    ADD_FAILURE() << "no " << what << " in line " << number;
    return json::object();
  }
};

constexpr std::string_view sum = R"(#include <cstdio>
#include <vector>
#include "cuda_runtime.h"

__global__ void sum_of_block(const float* in, float* out, int n) {
  __shared__ float cells[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells[threadIdx.x] = i < n ? in[i] : 0;  // fill
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) cells[threadIdx.x] += cells[threadIdx.x + d];  // add
#ifndef WITHOUT_BARRIER
    __syncthreads();
#endif
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cells[0];
}

int main(int argc, char** argv) {
  const int n = 4096;
  std::vector<float> all(n, 1.0f), sums(n / 256);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc((void**)&out, sums.size() * sizeof(float));
  cudaMemcpy(in, all.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  sum_of_block<<<n / 256, 256>>>(in, out, n);
  cudaMemcpy(sums.data(), out, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
  float total = 0;
  for (float s : sums) total += s;
  printf("total %g of %d words\n", total, argc);
  return total == n ? 0 : 3;
}
)";

TEST_F(lens_own, counts_a_right_reduction_exactly) {
  write("sum.cu", sum);
  const json r = counts({"sum.cu", "one", "--pass", "-two"});
  ASSERT_EQ(r["launches"].size(), 1u);
  const json& c = r["launches"][0];
  EXPECT_EQ(c["kernel"], "sum_of_block");
  EXPECT_EQ(c["grid"], json({16, 1, 1}));
  EXPECT_EQ(c["block_barriers"], 16 * 9);
  EXPECT_EQ(line(c, line_of(sum, "// fill"), "global load")["sectors"], 4096 / 8);
  // In each block 4 warps add, then 2, then one warp six times; each also reads the values it adds to.
  EXPECT_EQ(line(c, line_of(sum, "// add"), "shared load")["instructions"], 16 * (4 + 2 + 6) * 2);
  EXPECT_EQ(line(c, line_of(sum, "// add"), "shared store")["lanes"], 16 * 255);
  EXPECT_EQ(line(c, line_of(sum, "// add"), "shared load")["worst_degree"], 1);
  EXPECT_TRUE(r["findings"].empty());

  const ran text = run({"lens", "sum.cu", "one", "--lines"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* piece : {"total 4096 of 2 words", "sum_of_block  16 × 256", "sum.cu:8", "no data race"})
    EXPECT_TRUE(has(text.out, piece)) << piece << "\n" << text.out;
  EXPECT_EQ(files(), std::vector<std::string>{"sum.cu"});
}

TEST_F(lens_own, finds_a_missing_barrier_with_its_lines) {
  write("sum.cu", sum);
  const ran r = run({"lens", "sum.cu", "--flag=-DWITHOUT_BARRIER"});
  EXPECT_NE(r.status, 0);
  const std::string line = line_of(sum, "// add");
  EXPECT_TRUE(has(r.out, "reads cells[") && has(r.out, "at sum.cu:" + line + ", and nothing orders that after"))
      << r.out;
  EXPECT_TRUE(has(r.err, "race: ")) << r.err;
}

constexpr std::string_view patterns = R"(
constexpr int width = 64;
__constant__ float weights[2];
template <int tile_width>
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][tile_width];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];  // rows
  __syncthreads();
  const int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y) out[(to_y + j) * width + to_x] = tile[threadIdx.x][threadIdx.y + j];  // columns
}
__global__ void strided(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[i * 8] * weights[1];  // every eighth
}
__global__ void histogram(const int* in, unsigned* bins) {
  extern __shared__ unsigned mine[];
  mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * blockDim.x + threadIdx.x] % blockDim.x], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void sum_of_warp(const int* in, int* out) {
  int x = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);  // shuffle
  if (threadIdx.x == 0) *out = x;
}
__global__ void cube(int* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = 100 * x + 10 * y + z;
}
__global__ void vectors(const float4* in, float4* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);  // whole
}

int wrong = 0;
void expect(bool right) { wrong += !right; }

int main() {
  float *a, *b, w[2] = {0, 2}, host[width * width];
  cudaMalloc(&a, sizeof host), cudaMalloc(&b, sizeof host);
  for (int i = 0; i < width * width; ++i) host[i] = i;
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, w, sizeof w);
  const dim3 grid(2, 2), block(32, 8);
  transpose<32><<<grid, block>>>(a, b);
  transpose<33><<<grid, block>>>(a, b);
  cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
  expect(host[width * 5 + 3] == width * 3 + 5);
  strided<<<1, 32>>>(a, b);
  cudaMemcpy(host, b, 128, cudaMemcpyDeviceToHost);
  expect(host[31] == 2 * 31 * 8);
  vectors<<<1, 32>>>((const float4*)a, (float4*)b);
  cudaMemcpy(host, b, 512, cudaMemcpyDeviceToHost);
  expect(host[0] == 3 && host[127] == 124);

  int *in, *out, of_in[256], result[256];
  unsigned *bins, counted[64];
  for (int i = 0; i < 256; ++i) of_in[i] = i / 2;
  cudaMallocManaged(&in, sizeof of_in), cudaMalloc(&out, sizeof result), cudaMalloc(&bins, sizeof counted);
  for (int i = 0; i < 256; ++i) in[i] = of_in[i];
  cudaMemset(bins, 0, sizeof counted);
  histogram<<<4, 64, 64 * sizeof(unsigned)>>>(in, bins);
  cudaMemcpy(counted, bins, sizeof counted, cudaMemcpyDeviceToHost);
  for (unsigned c : counted) expect(c == 4);
  sum_of_warp<<<1, 32>>>(in, out);
  cudaMemcpy(result, out, 4, cudaMemcpyDeviceToHost);
  expect(result[0] == 2 * 15 * 16 / 2);
  cube<<<dim3(2, 1, 2), dim3(2, 4, 2)>>>(out);
  cudaMemcpy(result, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  expect(result[(3 * 4 + 2) * 4 + 1] == 123);
  expect(cudaGetLastError() == cudaSuccess && cudaFree(out) == cudaSuccess);
  return wrong;
}
)";

TEST_F(lens_own, counts_the_textbooks_patterns) {
  write("patterns.cu", patterns);
  const json r = counts({"patterns.cu"});
  ASSERT_EQ(r["launches"].size(), 7u);
  const std::string columns = line_of(patterns, "// columns");
  EXPECT_EQ(line(r["launches"][0], columns, "shared load")["worst_degree"], 32);
  EXPECT_EQ(line(r["launches"][0], columns, "shared load")["wavefronts"], 128 * 32);
  EXPECT_EQ(line(r["launches"][0], columns, "global store")["sectors"], 4096 / 8);
  EXPECT_EQ(line(r["launches"][1], columns, "shared load")["worst_degree"], 1);
  const std::string eighth = line_of(patterns, "// every eighth");
  EXPECT_EQ(line(r["launches"][2], eighth, "global load")["sectors"], 32);
  EXPECT_EQ(line(r["launches"][2], eighth, "global load")["ideal_sectors"], 4);
  EXPECT_EQ(line(r["launches"][2], eighth, "constant load")["turns"], 1);
  const json whole = line(r["launches"][3], line_of(patterns, "// whole"), "global store");
  EXPECT_EQ(whole["instructions"], 1);
  EXPECT_EQ(whole["sectors"], 16);
  EXPECT_EQ(r["launches"][4]["events"]["shared atomic"]["lanes"], 256);
  EXPECT_EQ(r["launches"][4]["events"]["shared atomic"]["turns"], 8 * 2);
  EXPECT_EQ(r["launches"][4]["events"]["global atomic"]["lanes"], 256);
  EXPECT_EQ(line(r["launches"][5], line_of(patterns, "// shuffle"), "warp exchange")["instructions"], 5);
  EXPECT_EQ(r["launches"][6]["block"], json({2, 4, 2}));
  EXPECT_TRUE(r["findings"].empty());
}

constexpr std::string_view faults = R"(
#include <cstdlib>
__global__ void fill(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 1;  // one too many
}
__global__ void wait(volatile int* flag) {
  while (*flag == 0) {  // no thread sets it
  }
}
__global__ void endless(int* p) {
  for (int i = 0;; ++i) *p = i;  // for ever
}
__global__ void half(float* p) {
  if (threadIdx.x < 16) __syncthreads();  // not all
}
int main(int argc, char** argv) {
  float* p;
  int* flag;
  float on_host[8];
  cudaMalloc(&p, 8 * sizeof(float)), cudaMalloc(&flag, sizeof(int)), cudaMemset(flag, 0, sizeof(int));
  const char what = argv[1][0];
  if (what == 'o') fill<<<1, 32>>>(p, 8);
  if (what == 'h') fill<<<1, 4>>>(on_host, 8);
  if (what == 'n') fill<<<1, 4>>>(nullptr, 8);
  if (what == 'w') wait<<<1, 32>>>(flag);
  if (what == 'e') endless<<<1, 1>>>(flag);
  if (what == 'b') half<<<1, 64>>>(p);
  if (what == 'l') fill<<<1, 2048>>>(p, 8);
  if (what == 'c') cudaMemcpy(p, on_host, 9 * sizeof(float), cudaMemcpyHostToDevice);
  if (what == 'd') return (int)p[1];
  if (what == 'a') abort();
  return what == 's' ? 7 : 0;
}
)";

TEST_F(lens_own, finds_what_is_wrong_with_its_line) {
  write("faults.cu", faults);
  const auto expect = [&](const char* what, const std::string& words, const std::string& at) {
    const ran r = run({"lens", "faults.cu", what, "--seconds", "2"});
    EXPECT_NE(r.status, 0) << what;
    const std::string line = at.empty() ? "" : "at faults.cu:" + line_of(faults, at);
    EXPECT_TRUE(has(r.err, words) && has(r.err, line)) << what << "\n" << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(files(), std::vector<std::string>{"faults.cu"});
  };
  expect("out", "out of bounds: thread 8 of block 0 is outside p, which has 8 elements, with index 8",
         "// one too many");
  expect("host", "writes a local variable of the host", "// one too many");
  expect("null", "writes through a null pointer", "// one too many");
  expect("wait", "looks again and again", "");
  expect("endless", "did not end within 2 s of the processor's time; it was in endless", "// for ever");
  expect("barrier", "has left the kernel, and others meet at the barrier", "");
  expect("launch", "asks for blocks of 2048 threads; a block has 1 to 1024", "fill<<<1, 2048");
  expect("copy", "writes 36 bytes to p, which has 32", "if (what == 'c')");
  expect("device", "the host reads p, which is the device's memory", "if (what == 'd')");
  expect("abort", "it was aborted", "");
  const ran said = run({"lens", "faults.cu", "status"});
  EXPECT_EQ(said.status, 7);
  EXPECT_TRUE(has(said.err, "its main ended with status 7")) << said.err;
}

TEST_F(lens_own, makes_a_main_for_kernels_alone) {
  write("kernels.cu",
        "template <class T>\n__global__ void scaled(const T* in, T* out, int n, float by) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i] * by;\n}\n"
        "__global__ void other(int* p, int n) { p[0] = n; }\n");
  const ran r = run({"lens", "kernels.cu", "--kernel", "scaled<float>", "--n", "1000", "--block", "128"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(
      r.out, "Generated: scaled<float><<<8, 128>>>(in = 1000 random float, out = 1000 random float, n = 1000, by = 1)"))
      << r.out;
  expect_refusal({"lens", "kernels.cu"}, {"more than one kernel", "scaled, other"});
  expect_refusal({"lens", "kernels.cu", "--kernel", "scaled"}, {"is a template", "scaled<float>"});
  expect_refusal({"lens", "kernels.cu", "--kernel", "third"}, {"no kernel third"});
}

// Blocks that pass their sums by flags, half-blocks with a named barrier each, and copies that run asynchronously to
// the threads: all by inline assembly.
constexpr std::string_view assembly = R"(
#include <cstdio>
#include <vector>
__device__ unsigned flags[8], sums[8];
__device__ unsigned look(const unsigned* at) {
  unsigned x;
#ifdef RELAXED
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
#else
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
#endif
  return x;
}
__global__ void chain(unsigned* out) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      while (look(flags + blockIdx.x - 1) == 0) {
      }
      before = sums[blockIdx.x - 1];  // handed on
    }
    sums[blockIdx.x] = before + blockIdx.x;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags + blockIdx.x), "r"(1) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = before;
}
__global__ void halves(unsigned* out) {
  __shared__ unsigned cells[128];
  if (threadIdx.x < 64) {
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    cells[threadIdx.x] = __popc(below) + 1;
#ifndef APART
    asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
    out[threadIdx.x] = cells[63 - threadIdx.x];  // the other's
  }
}
__global__ void copies(const uint4* in, uint4* out) {
  __shared__ uint4 tile[64];
  const unsigned to = __cvta_generic_to_shared(tile + threadIdx.x);
  const int there = threadIdx.x < 48 ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(in + threadIdx.x), "r"(there) : "memory");
#ifndef UNAWAITED
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // as it came
}
int main() {
  unsigned *out, on_host[64 * 4];
  cudaMalloc(&out, 64 * sizeof(uint4));
  chain<<<8, 32>>>(out);
  cudaMemcpy(on_host, out, 8 * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < 8; ++i)
    if (on_host[i] != (i == 0 ? 0 : i * (i - 1) / 2)) return 3;
  halves<<<1, 128>>>(out);
  cudaMemcpy(on_host, out, 64 * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < 64; ++i)
    if (on_host[i] != (63 - i) % 32 + 1) return 4;
  std::vector<unsigned> all(256);
  for (unsigned i = 0; i < 256; ++i) all[i] = i + 1;
  unsigned* in;
  cudaMalloc(&in, 1024);
  cudaMemcpy(in, all.data(), 1024, cudaMemcpyHostToDevice);
  copies<<<1, 64>>>((uint4*)in, (uint4*)out);
  cudaMemcpy(on_host, out, 1024, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < 256; ++i)
    if (on_host[i] != (i / 4 < 16 ? 0 : all[(63 - i / 4) * 4 + i % 4])) return 5;
}
)";

TEST_F(lens_own, carries_out_assembly_and_finds_what_it_leaves_out) {
  write("assembly.cu", assembly);
  const ran r = run({"lens", "assembly.cu"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  const auto expect = [&](const char* flag, const std::string& words, const std::string& at) {
    const ran wrong = run({"lens", "assembly.cu", std::string("--flag=-D") + flag});
    EXPECT_NE(wrong.status, 0) << flag;
    EXPECT_TRUE(has(wrong.out, words) && has(wrong.out, "at assembly.cu:" + line_of(assembly, at)))
        << flag << "\n"
        << wrong.out << wrong.err;
  };
  expect("RELAXED", "nothing orders that after", "// handed on");
  expect("APART", "nothing orders that after", "// the other's");
  expect("UNAWAITED", "which nobody has written", "// as it came");
}

TEST_F(lens_own, refuses_in_one_sentence) {
  write("assembly.cu", "__global__ void k() {\n  asm(\"trap;\");\n}\n");
  write("empty.cu", "");
  expect_refusal({"lens", "none.cu"}, {"no such file"});
  expect_refusal({"lens", "assembly.cu"}, {"assembly.cu:2: the assembly instruction trap is not understood"});
  expect_refusal({"lens", "empty.cu"}, {"neither a main nor a __global__ function"});
  expect_refusal({"lens", "empty.cu", "--steps"}, {"--steps", "it shows steps"});
  expect_refusal({"lens", "empty.cu", "--block", "16y16"}, {"'16y16' is not a size"});
  expect_refusal({"lens", "scan/blelloch", "--kernel", "k"}, {"apply to a .cu file"});
  write("broken.cu", "__global__ void k(int* p) {\n  *p = nothing;\n}\n");
  const ran r = run({"lens", "broken.cu"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "broken.cu:2:") && has(r.err, "could not compile it")) << r.err;
}

}  // namespace
