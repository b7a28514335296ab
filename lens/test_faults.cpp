// Kernels that are wrong on purpose: each fault is found and told by line; and kernels that look alike and are right.
#include "lens/run.hpp"
#include "lens/test_kernels.hpp"

namespace upsweep::lens {
namespace {

using namespace textbook;

std::string at_line(unsigned line) { return "test_faults.cpp:" + std::to_string(line); }

// ---- races in shared memory

constexpr unsigned neighbours_line = __LINE__;
template <bool barrier>
__global__ void neighbours(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 64);
  const unsigned t = threadIdx.x;
  cells[t] = t;
  if (barrier) __syncthreads();  // all cells are written
  out[t] = cells[63 - t];
}

template <class... P, class... A>
machine& launched(machine& m, void (*kernel)(P...), std::uint64_t blocks, unsigned threads, A... arguments) {
  grid g(m);
  g.launch(kernel, blocks, threads, arguments...);
  return m;
}

TEST(lens_faults, missing_syncthreads) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    options o;
    o.seed = seed;
    machine wrong(o);
    launched(wrong, neighbours<false>, 1, 64, unwritten<unsigned>(wrong, "out", 64));
    ASSERT_GE(found(wrong, fault_kind::race), 1u);
    // Both accesses by line: the store and the load.
    const std::string all = said(wrong);
    EXPECT_NE(all.find(at_line(neighbours_line + 5)), std::string::npos) << all;
    EXPECT_NE(all.find(at_line(neighbours_line + 7)), std::string::npos) << all;
    machine right(o);
    EXPECT_EQ(said(launched(right, neighbours<true>, 1, 64, unwritten<unsigned>(right, "out", 64))), "");
  }
}

template <bool barrier>
__global__ void warp_neighbours(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  const unsigned t = threadIdx.x;
  cells[t] = t;
  if (barrier) __syncwarp();  // all lanes have written
  out[t] = cells[31 - t];
}

TEST(lens_faults, missing_syncwarp) {
  machine wrong({}), right({});
  EXPECT_GE(
      found(launched(wrong, warp_neighbours<false>, 1, 32, unwritten<unsigned>(wrong, "out", 32)), fault_kind::race),
      1u);
  EXPECT_EQ(said(launched(right, warp_neighbours<true>, 1, 32, unwritten<unsigned>(right, "out", 32))), "");
}

// A shuffle makes lanes meet, but orders no memory.
__global__ void shuffle_for_a_barrier(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  const unsigned t = threadIdx.x;
  cells[t] = t;
  const unsigned other = __shfl_xor_sync(whole_warp, t, 1);
  out[t] = cells[other];
}

TEST(lens_faults, a_shuffle_is_no_barrier) {
  machine m({});
  EXPECT_GE(found(launched(m, shuffle_for_a_barrier, 1, 32, unwritten<unsigned>(m, "out", 32)), fault_kind::race), 1u);
}

// Halves of a warp, each synchronized in itself.
template <unsigned reach>
__global__ void half_warps(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  const unsigned t = threadIdx.x;
  cells[t] = t;
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);  // this half has written
  out[t] = cells[(t + reach) % 32];
}
__global__ void chain_of_masks(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  const unsigned t = threadIdx.x;
  cells[t] = t;
  if (t < 16) __syncwarp(0x0000ffff);
  if (t >= 8 && t < 24) __syncwarp(0x00ffff00);  // lanes 8 … 15 have waited for 0 … 7 before
  if (t >= 16 && t < 24) out[t] = cells[t - 16];
}

TEST(lens_faults, masks_order_their_lanes_and_no_others) {
  machine m({});
  EXPECT_GE(found(launched(m, half_warps<8>, 1, 32, unwritten<unsigned>(m, "out", 32)), fault_kind::race), 1u);
  machine within({});
  EXPECT_EQ(said(launched(within, half_warps<0>, 1, 32, unwritten<unsigned>(within, "out", 32))), "");
  machine chain({});
  EXPECT_EQ(said(launched(chain, chain_of_masks, 1, 32, unwritten<unsigned>(chain, "out", 32))), "");
}

// The classic: one buffer where two are needed.
__global__ void window_in_place(global<unsigned> data) {
  UPSWEEP_SHARED(unsigned, cells, 64);
  const unsigned t = threadIdx.x;
  cells[t] = data[t];
  __syncthreads();  // all cells are loaded
  for (unsigned w = 1; w < 64; w *= 2) {
    if (t >= w) cells[t] = cells[t - w] + cells[t];
    __syncthreads();  // this step is done
  }
  data[t] = cells[t];
}

TEST(lens_faults, a_scan_that_reads_what_others_overwrite) {
  machine m({});
  EXPECT_GE(found(launched(m, window_in_place, 1, 64, counting<unsigned>(m, "data", 64)), fault_kind::race), 1u);
}

// ---- races in global memory

__global__ void all_write_one(global<unsigned> out) { out[0] = blockIdx.x; }
__global__ void read_what_others_write(global<unsigned> data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned left = i > 0 ? data[i - 1] : 0;
  data[i] = left + 1;
}
__global__ void count_up(global<unsigned> total) { atomicAdd(total, 1u); }
__global__ void count_up_badly(global<unsigned> total) {
  atomicAdd(total, 1u);
  if (threadIdx.x == 0) total[0] = 0;
}

TEST(lens_faults, races_in_global_memory) {
  machine a({});
  EXPECT_GE(found(launched(a, all_write_one, 2, 1, unwritten<unsigned>(a, "out", 1)), fault_kind::race), 1u);
  EXPECT_NE(said(a).find("of block"), std::string::npos) << said(a);
  machine b({});
  EXPECT_GE(found(launched(b, read_what_others_write, 4, 32, counting<unsigned>(b, "data", 128)), fault_kind::race),
            1u);
  machine c({});
  auto total = counting<unsigned>(c, "total", 1);
  EXPECT_EQ(said(launched(c, count_up, 4, 64, total)), "");
  EXPECT_EQ(value(total, 0), 256u);
  machine d({});
  EXPECT_GE(found(launched(d, count_up_badly, 4, 64, counting<unsigned>(d, "total", 1)), fault_kind::race), 1u);
}

// A message from block 0 to block 1: right with release and acquire, a race without.
template <bool flagged>
__global__ void message(global<unsigned> data, global<std::uint32_t> flag, global<unsigned> out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;
    __syncthreads();  // all threads' words are written
    if (threadIdx.x == 0) store_release(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (flagged && load_acquire(flag) == 0) {
      }
    __syncthreads();  // thread 0 has seen the flag
    out[threadIdx.x] = data[threadIdx.x];
  }
}

TEST(lens_faults, messages_between_blocks) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    options o;
    o.seed = seed;
    machine right(o);
    auto out = unwritten<unsigned>(right, "out", 64);
    EXPECT_EQ(said(launched(right, message<true>, 2, 64, unwritten<unsigned>(right, "data", 64),
                            counting<std::uint32_t>(right, "flag", 1), out)),
              "");
    EXPECT_EQ(value(out, 63), 7u);
    machine wrong(o);
    EXPECT_GE(found(launched(wrong, message<false>, 2, 64, counting<unsigned>(wrong, "data", 64),
                             counting<std::uint32_t>(wrong, "flag", 1), unwritten<unsigned>(wrong, "out", 64)),
                    fault_kind::race),
              1u);
  }
}

// The last block to finish adds up what all have left, as threadFenceReduction does.
template <bool fenced>
__global__ void last_block_sums(global<unsigned> parts, global<unsigned> arrived, global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, last, 1);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;
    if (fenced) __threadfence();  // the part is seen before the count
    last[0] = atomicAdd(arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();  // all know whether this is the last block
  if (last[0] != 0) {
    if (fenced) __threadfence();  // the count was seen before the parts are read
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += parts[i];
    if (threadIdx.x == 0) out[0] = sum;
  }
}

TEST(lens_faults, fences_order_what_atomics_count) {
  machine right({});
  auto out = unwritten<unsigned>(right, "out", 1);
  launched(right, last_block_sums<true>, 6, 1, unwritten<unsigned>(right, "parts", 6),
           counting<unsigned>(right, "arrived", 1), out);
  EXPECT_EQ(said(right), "");
  EXPECT_EQ(value(out, 0), 21u);
  machine wrong({});
  launched(wrong, last_block_sums<false>, 6, 1, unwritten<unsigned>(wrong, "parts", 6),
           counting<unsigned>(wrong, "arrived", 1), unwritten<unsigned>(wrong, "out", 1));
  EXPECT_GE(found(wrong, fault_kind::race), 1u);
}

// ---- barriers

__global__ void two_barriers(global<unsigned> out) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
__global__ void some_leave(global<unsigned> out) {
  if (threadIdx.x >= 20) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void some_wait_for_their_warp(global<unsigned> out) {
  if (threadIdx.x == 0) {
    __syncwarp();  // the others are elsewhere
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}
__global__ void odd_mask(global<unsigned> out) {
  out[threadIdx.x] = threadIdx.x % 2 == 0 ? __shfl_sync(0x55555555, threadIdx.x, 1) : 0;
}

TEST(lens_faults, divergent_barriers) {
  machine a({});
  EXPECT_EQ(found(launched(a, two_barriers, 1, 32, unwritten<unsigned>(a, "out", 32)), fault_kind::divergent_barrier),
            1u);
  machine b({});
  EXPECT_EQ(found(launched(b, some_leave, 1, 32, unwritten<unsigned>(b, "out", 32)), fault_kind::divergent_barrier),
            1u);
  machine c({});
  EXPECT_THROW(launched(c, some_wait_for_their_warp, 1, 32, unwritten<unsigned>(c, "out", 32)), stuck);
  EXPECT_EQ(found(c, fault_kind::deadlock), 1u);
  EXPECT_NE(said(c).find("waits for its warp"), std::string::npos) << said(c);
  machine d({});
  EXPECT_GE(found(launched(d, odd_mask, 1, 32, unwritten<unsigned>(d, "out", 32)), fault_kind::bad_exchange), 1u);
}

// ---- memory

__global__ void outside_shared(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  cells[threadIdx.x + 1] = 1;
  out[threadIdx.x] = cells[threadIdx.x + 1];
}
__global__ void outside_global(global<const unsigned> in, global<unsigned> out) {
  out[threadIdx.x] = in[static_cast<int>(threadIdx.x) - 1];
}
__global__ void never_written(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  if (threadIdx.x > 0) cells[threadIdx.x] = 1;
  out[threadIdx.x] = cells[threadIdx.x];
}
__global__ void copy(global<const unsigned> in, global<unsigned> out) { out[threadIdx.x] = in[threadIdx.x]; }

TEST(lens_faults, accesses_outside_and_unwritten) {
  machine a({});
  EXPECT_EQ(found(launched(a, outside_shared, 1, 32, unwritten<unsigned>(a, "out", 32)), fault_kind::out_of_bounds),
            2u);
  machine b({});
  launched(b, outside_global, 1, 32, counting<unsigned>(b, "in", 32), unwritten<unsigned>(b, "out", 32));
  EXPECT_EQ(found(b, fault_kind::out_of_bounds), 1u);
  machine c({});
  EXPECT_EQ(found(launched(c, never_written, 1, 32, unwritten<unsigned>(c, "out", 32)), fault_kind::uninitialised), 1u);
  machine d({});
  launched(d, copy, 1, 32, unwritten<unsigned>(d, "in", 32), unwritten<unsigned>(d, "out", 32));
  EXPECT_EQ(found(d, fault_kind::uninitialised), 1u);
  EXPECT_EQ(d.findings()[0].times, 32u);
}

// ---- progress

// Two blocks that wait for each other: right when both run at once.
__global__ void meet(global<std::uint32_t> flags) {
  store_release(flags + blockIdx.x, 1);
  while (load_acquire(flags + (1 - blockIdx.x)) == 0) {
  }
}
// A plain load in a loop is no way to wait, and must not hang the lens.
__global__ void wait_plainly(global<const unsigned> flag, global<unsigned> out) {
  while (flag[0] == 0) {
  }
  out[0] = 1;
}

TEST(lens_faults, deadlocks_end_with_a_diagnosis) {
  options two, one;
  two.resident = 2, one.resident = 1;
  const auto flags = [](machine& m) {
    auto f = counting<std::uint32_t>(m, "flags", 2);
    f.memory().put<std::uint32_t>(1, 0);
    return f;
  };
  machine right(two);
  EXPECT_EQ(said(launched(right, meet, 2, 1, flags(right))), "");
  machine wrong(one);
  EXPECT_THROW(launched(wrong, meet, 2, 1, flags(wrong)), stuck);
  EXPECT_NE(said(wrong).find("have not started"), std::string::npos) << said(wrong);
  machine plain({});
  EXPECT_THROW(
      launched(plain, wait_plainly, 1, 1, counting<unsigned>(plain, "flag", 1), unwritten<unsigned>(plain, "out", 1)),
      stuck);
  EXPECT_EQ(found(plain, fault_kind::deadlock), 1u);
}

// Look-back requires that blocks that have started continue. If one block is withheld, all later tiles wait for it;
// only the block of the last tile can be withheld without effect on others.
TEST(lens_faults, look_back_needs_forward_progress_and_decomposition_does_not) {
  job j;
  j.n = 5 * 9 * 64;
  j.block = 64;
  int deadlocks = 0;
  for (std::uint64_t withheld = 0; withheld < 5; ++withheld) {
    j.withheld = withheld;
    j.variant = "scan/decoupled-lookback";
    const report r = run(j);
    deadlocks += !r.findings.empty() && r.findings[0].what == fault_kind::deadlock;
    EXPECT_EQ(r.ok(), r.findings.empty()) << r.wrong;
    if (!r.findings.empty()) {
      EXPECT_NE(r.findings[0].text.find("is withheld"), std::string::npos) << r.findings[0].text;
    }
    j.variant = "scan/scan-then-propagate";
    EXPECT_TRUE(run(j).ok());
  }
  EXPECT_EQ(deadlocks, 4);
}

}  // namespace
}  // namespace upsweep::lens
