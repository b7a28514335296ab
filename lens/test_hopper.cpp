// The features of compute capability 9.0 in a user's files: clusters of blocks, bulk copies, programmatic launches.
// Each file is correct on several schedules. With one statement left out, the lens reports the fault and its line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lens/own/run.hpp"

namespace {

namespace fs = std::filesystem;
using namespace upsweep::lens;

class lens_hopper : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a process of its own, which no sanitizer of this build goes with";
#endif
    if (std::system("g++ --version > /dev/null 2>&1") != 0 || std::system("addr2line --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "g++ and addr2line compile such files";
    std::string pattern = (fs::temp_directory_path() / "upsweep-hopper-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // What was found, a line each; and "ended with 3" where its main did.
  std::string found(const std::string& text, const std::string& flag, unsigned seed) const {
    own::job j;
    j.what.file = (folder_ / "a.cu").string();
    j.what.seed = seed;
    if (!flag.empty()) j.what.flags = {"-D" + flag};
    std::ofstream(j.what.file) << text;
    const fs::path said = folder_ / "said";
    own::run(j, [&](const own::report& r) {
      std::ofstream out(said);
      for (const finding& f : r.findings) out << name_of(f.what) << ": " << f.text << "\n";
      if (r.status != 0) out << "ended with " << r.status << "\n";
      if (!r.cut_short.empty()) out << r.cut_short << "\n";
    });
    std::ostringstream all;
    all << std::ifstream(said).rdbuf();
    return all.str();
  }
  void expect_right(const std::string& text) const {
    for (unsigned seed = 1; seed <= 2; ++seed) EXPECT_EQ(found(text, "", seed), "") << "seed " << seed;
  }
  // The reported line contains `at`.
  void expect_told(const std::string& text, const std::string& without, const std::string& words,
                   const std::string& at) const {
    const auto before = text.begin() + static_cast<std::ptrdiff_t>(text.find(at));
    const std::string place = "a.cu:" + std::to_string(1 + std::count(text.begin(), before, '\n'));
    std::istringstream all(found(text, without, 1));
    std::string one, seen;
    bool told = false;
    while (std::getline(all, one)) {
      told = told || (one.find(words) != std::string::npos && one.find(place) != std::string::npos);
      seen += one + "\n";
    }
    EXPECT_TRUE(told) << without << ": " << words << " at " << place << "\n" << seen;
  }

 private:
  fs::path folder_;
};

const std::string in_clusters = R"(
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__global__ void totals(const int* in, int* out) {
  __shared__ int mine, all[8];
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, in[blockIdx.x * blockDim.x + threadIdx.x]);
#ifndef WITHOUT_FIRST
  cluster.sync();
#else
  __syncthreads();
#endif
  if (threadIdx.x < cluster.num_blocks()) {
    int* there = cluster.map_shared_rank(all, threadIdx.x);
    there[cluster.block_rank()] = mine;  // tell
  }
#ifndef WITHOUT_LAST
  cluster.sync();
#else
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < cluster.num_blocks(); ++b) sum += all[b];  // add
    out[blockIdx.x] = sum;
  }
}

__global__ void neighbour(int* out) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.x;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  if (threadIdx.x == 0) {
    unsigned there, rank = (__clusterRelativeBlockRank() + 1) % __clusterSizeInBlocks(), x;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(&mine)), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(there) : "memory");  // look
    out[blockIdx.x] = x;
  }
#ifndef WITHOUT_END
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

int main() {
  const int blocks = 8, threads = 64;
  std::vector<int> ones(blocks * threads, 1), sums(blocks);
  int *in, *out;
  cudaMalloc(&in, ones.size() * 4);
  cudaMalloc(&out, blocks * 4);
  cudaMemcpy(in, ones.data(), ones.size() * 4, cudaMemcpyHostToDevice);
  cudaLaunchAttribute size;
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = 4, size.val.clusterDim.y = size.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = blocks;
  launch.blockDim = threads;
  launch.attrs = &size;
  launch.numAttrs = 1;
  cudaLaunchKernelEx(&launch, totals, (const int*)in, out);
  cudaMemcpy(sums.data(), out, blocks * 4, cudaMemcpyDeviceToHost);
  for (int s : sums)
    if (s != 4 * threads) return 3;
  cudaLaunchKernelEx(&launch, neighbour, out);
  cudaMemcpy(sums.data(), out, blocks * 4, cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b)
    if (sums[b] != b / 4 * 4 + (b + 1) % 4) return 4;
  return 0;
}
)";

TEST_F(lens_hopper, blocks_of_a_cluster_reach_into_each_others_memory) {
  expect_right(in_clusters);
  expect_told(in_clusters, "WITHOUT_FIRST", "no barrier of the cluster says that this block has begun", "// tell");
  expect_told(in_clusters, "WITHOUT_LAST", "nothing orders that after", "// add");
  expect_told(in_clusters, "WITHOUT_LAST", "may end while", "// tell");
  expect_told(in_clusters, "WITHOUT_END", "nothing orders its end after that", "// look");
}

const std::string barriers = R"(
template <int n>
__global__ void __cluster_dims__(2, 1, 1) other(int* out) {
  __shared__ int mine;
  mine = blockIdx.x;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  out[blockIdx.x] = *(int*)__cluster_map_shared_rank(&mine, __clusterRelativeBlockRank() ^ 1) + n;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}
__global__ void __cluster_dims__(4) meets(int* out) {
  __cluster_barrier_arrive();
#ifdef TWICE
  __cluster_barrier_arrive();  // once more
#endif
  __cluster_barrier_wait();
#ifdef AGAIN
  __cluster_barrier_wait();  // for what
#endif
#ifdef STUCK
  if (blockIdx.x % 2 == 0) {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();  // for ever
  } else {
    while (atomicAdd(out, 0) == 0) {
    }
  }
#endif
}
int main() {
  int *out, h[4];
  cudaMalloc(&out, 16);
  other<10><<<4, 1>>>(out);
  cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost);
  if (h[0] != 11 || h[1] != 10 || h[2] != 13 || h[3] != 12) return 3;
  cudaMemset(out, 0, 16);
  meets<<<4, 33>>>(out);
#ifdef ODD
  other<10><<<3, 1>>>(out);  // of three
#endif
  return 0;
}
)";

TEST_F(lens_hopper, barriers_of_a_cluster_are_arrived_at_and_waited_for_in_turn) {
  expect_right(barriers);
  expect_told(barriers, "TWICE", "once more before it has waited", "// once more");
  expect_told(barriers, "AGAIN", "without having arrived", "// for what");
  expect_told(barriers, "STUCK", "waits for its cluster", "// for ever");
  expect_told(barriers, "ODD", "not a multiple of its clusters", "// of three");
}

const std::string in_bulk = R"(
#include <cstdio>
#include <vector>

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void doubled(const float* in, float* out, int tiles) {
  __shared__ alignas(16) float tile[2][256];
  __shared__ alignas(8) unsigned long long full[2];
  const int t = threadIdx.x;
  const auto load = [&](int i) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full[i % 2])), "r"(1024)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"  // load
                 ::"r"(shared_address(tile[i % 2])), "l"(in + i * 256), "r"(1024), "r"(shared_address(&full[i % 2]))
                 : "memory");
  };
  if (t == 0) {
    for (int k = 0; k < 2; ++k)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[k])) : "memory");
#ifndef WITHOUT_PUBLISHING
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    load(0);
  }
  __syncthreads();
  for (int i = 0; i < tiles; ++i) {
#ifndef WITHOUT_WAIT
    asm volatile(
        "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra over;\n"
        "bra again;\nover:\n}" ::"r"(shared_address(&full[i % 2])), "r"(i / 2 % 2) : "memory");
#endif
    tile[i % 2][t] *= 2;  // double
#ifndef WITHOUT_FENCE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"  // store
                   ::"l"(out + i * 256), "r"(shared_address(tile[i % 2])), "r"(1024)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#ifndef WITHOUT_READ
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
      if (i + 1 < tiles) load(i + 1);
    }
#ifdef OVERWRITTEN
    tile[i % 2][t] = 0;  // over it
#endif
  }
#ifdef WITHOUT_END
  if (t == 0) {
    load(tiles);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;"  // the last
                 ::"l"(out), "r"(shared_address(tile[(tiles - 1) % 2]))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
#endif
}

int main() {
  const int tiles = 9, n = tiles * 256;
  std::vector<float> all(n);
  for (int i = 0; i < n; ++i) all[i] = i;
  float *in, *out;
  cudaMalloc(&in, n * 4 + 1024);
  cudaMalloc(&out, n * 4);
  cudaMemcpy(in, all.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(in + n, 0, 1024);
  doubled<<<1, 256>>>(in, out, tiles);
  cudaMemcpy(all.data(), out, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (all[i] != 2 * i) return 3;
  return 0;
}
)";

TEST_F(lens_hopper, copies_in_bulk_are_done_when_they_are_waited_for) {
  expect_right(in_bulk);
  expect_told(in_bulk, "WITHOUT_PUBLISHING", "whose initialisation no fence has shown", "// load");
  expect_told(in_bulk, "WITHOUT_WAIT", "nothing orders that after the copy in bulk", "// double");
  expect_told(in_bulk, "WITHOUT_FENCE", "no fence.proxy.async between them", "// store");
  expect_told(in_bulk, "WITHOUT_READ", "and nothing orders that after the copy in bulk", "// load");
  expect_told(in_bulk, "OVERWRITTEN", "nothing orders that after the copy in bulk", "// over it");
  expect_told(in_bulk, "WITHOUT_END", "cp.async.bulk.wait_group.read", "// the last");
  EXPECT_NE(found(in_bulk, "WITHOUT_END", 1).find("ends while copies in bulk write its shared memory"),
            std::string::npos);
}

const std::string early = R"(
#include <vector>
__global__ void write(int* a) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void read(const int* a, int* b) {
#ifndef WITHOUT_WAIT
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i] + 1;  // read
}
int main() {
  int *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  write<<<4, 256>>>(a);
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = 4, launch.blockDim = 256;
  launch.attrs = &early, launch.numAttrs = 1;
  cudaLaunchKernelEx(&launch, read, (const int*)a, b);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

TEST_F(lens_hopper, a_launch_that_begins_early_waits_for_the_one_before) {
  expect_right(early);
  expect_told(early, "WITHOUT_WAIT", "of the launch before, for whose end it has not waited", "// read");
}

}  // namespace
