// The machine does what CUDA says: warps, votes, shuffles, barriers, atomics, groups, and the counts of memory
// accesses.
#include <numeric>

#include "lens/test_kernels.hpp"

namespace upsweep::lens {
namespace {

using namespace textbook;

template <class T>
__global__ void shuffle_all(global<T> out) {
  const int t = static_cast<int>(threadIdx.x);
  const T v = static_cast<T>(t * 10);
  out[t] = __shfl_sync(whole_warp, v, 5);
  out[64 + t] = __shfl_up_sync(whole_warp, v, 3);
  out[128 + t] = __shfl_down_sync(whole_warp, v, 3);
  out[192 + t] = __shfl_xor_sync(whole_warp, v, 1);
  out[256 + t] = __shfl_sync(whole_warp, v, 5, 8);
  out[320 + t] = __shfl_down_sync(whole_warp, v, 3, 8);
}

template <class T>
void expect_shuffles() {
  machine m({});
  grid g(m);
  auto out = unwritten<T>(m, "out", 384);
  g.launch(shuffle_all<T>, 1, 64, out);
  EXPECT_EQ(said(m), "");
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32, first = t - lane, section = lane / 8 * 8;
    EXPECT_EQ(value(out, t), T((first + 5) * 10));
    EXPECT_EQ(value(out, 64 + t), T((lane < 3 ? t : t - 3) * 10));
    EXPECT_EQ(value(out, 128 + t), T((lane + 3 > 31 ? t : t + 3) * 10));
    EXPECT_EQ(value(out, 192 + t), T((first + (lane ^ 1)) * 10));
    EXPECT_EQ(value(out, 256 + t), T((first + section + 5) * 10));
    EXPECT_EQ(value(out, 320 + t), T((lane % 8 + 3 > 7 ? t : t + 3) * 10));
  }
}

TEST(lens_machine, shuffles_move_registers_of_every_size) {
  expect_shuffles<std::uint16_t>();
  expect_shuffles<std::uint32_t>();
  expect_shuffles<std::uint64_t>();
  expect_shuffles<double>();
}

__global__ void vote(global<std::uint32_t> out) {
  const unsigned t = threadIdx.x, lane = t % 32;
  out[t] = __ballot_sync(whole_warp, lane % 3 == 0);
  out[32 + t] = static_cast<std::uint32_t>(__any_sync(whole_warp, lane == 7) * 2 + __all_sync(whole_warp, lane < 32));
  out[64 + t] = __match_any_sync(whole_warp, lane / 8);
  int all = 0;
  out[96 + t] = __match_all_sync(whole_warp, lane < 40, &all) + static_cast<unsigned>(all);
  out[128 + t] = __reduce_add_sync(whole_warp, lane) * 1000 + __reduce_max_sync(whole_warp, lane) +
                 __reduce_min_sync(whole_warp, lane + 3);
  // The odd lanes vote among themselves.
  out[160 + t] = 0;
  if (lane % 2 == 1) out[160 + t] = __ballot_sync(0xaaaaaaaa, lane > 16) | __reduce_or_sync(0xaaaaaaaa, 1u);
}

TEST(lens_machine, votes_matches_and_reductions) {
  machine m({});
  grid g(m);
  auto out = unwritten<std::uint32_t>(m, "out", 192);
  g.launch(vote, 1, 32, out);
  EXPECT_EQ(said(m), "");
  for (unsigned t = 0; t < 32; ++t) {
    EXPECT_EQ(value(out, t), 0x49249249u);
    EXPECT_EQ(value(out, 32 + t), 3u);
    EXPECT_EQ(value(out, 64 + t), 0xffu << (t / 8 * 8));
    EXPECT_EQ(value(out, 96 + t), 0u);  // all lanes, and 1: wraps to 0
    EXPECT_EQ(value(out, 128 + t), 496u * 1000 + 31 + 3);
    EXPECT_EQ(value(out, 160 + t), t % 2 == 1 ? 0xaaaa0001u : 0u);
  }
}

__global__ void block_votes(global<int> out) {
  const int t = static_cast<int>(threadIdx.x);
  const int count = __syncthreads_count(t % 5 == 0);
  const int some = __syncthreads_or(t == 63), none = __syncthreads_or(t == 64);
  const int all = __syncthreads_and(t < 64), most = __syncthreads_and(t < 63);
  out[t] = count * 10000 + some * 1000 + none * 100 + all * 10 + most;
}

TEST(lens_machine, barriers_that_vote) {
  machine m({});
  grid g(m);
  auto out = unwritten<int>(m, "out", 64);
  g.launch(block_votes, 1, 64, out);
  EXPECT_EQ(said(m), "");
  for (std::size_t t = 0; t < 64; ++t) EXPECT_EQ(value(out, t), 13 * 10000 + 1000 + 10);
  EXPECT_EQ(m.total().block_barriers, 5u);
}

UPSWEEP_CONSTANT(int, weights, 4){1, 10, 100, 1000};

__global__ void atomics(global<std::uint32_t> out, global<int> least) {
  UPSWEEP_SHARED(std::uint32_t, bins, 4);
  const unsigned t = threadIdx.x;
  if (t < 4) bins[t] = 0;
  __syncthreads();  // the bins are empty
  atomicAdd(&bins[t % 4], 1u);
  __syncthreads();  // all have counted
  if (t < 4) atomicAdd(&out[t], static_cast<std::uint32_t>(bins[t] * weights[t]));
  atomicMin(least, static_cast<int>(1000 - t));
  if (t == 0) atomicCAS(out + 4, 0u, blockIdx.x + 1);
}

TEST(lens_machine, atomics_on_both_memories_and_their_contention) {
  machine m({});
  grid g(m);
  auto out = unwritten<std::uint32_t>(m, "out", 5);
  for (std::size_t i = 0; i < 5; ++i) out.memory().put<std::uint32_t>(i, 0);
  auto least = counting<int>(m, "least", 1);
  least.memory().put<int>(0, 5000);
  g.launch(atomics, 3, 64, out, least);
  EXPECT_EQ(said(m), "");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(value(out, i), 3 * 16u * static_cast<unsigned>(weights.values[i]));
  EXPECT_EQ(value(least, 0), 1000 - 63);
  EXPECT_GE(value(out, 4), 1u);
  const counts c = m.total();
  // 32 lanes on 4 bins: 8 turns each; on one address: 32.
  EXPECT_EQ(c.of(event::shared_atomic).instructions, 6u);
  EXPECT_EQ(c.of(event::shared_atomic).turns, 6u * 8);
  EXPECT_EQ(c.of(event::global_atomic).turns, 3u * (1 + 2 * 32 + 1));
}

__global__ void grouped(global<unsigned> out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const unsigned t = block.thread_rank();
  unsigned sum = t;
  for (unsigned s = 4; s > 0; s /= 2) sum += tile.shfl_xor(sum, s);
  tile.sync();
  out[t] = sum * 1000 + tile.meta_group_rank() * 10 + tile.thread_rank();
  if (tile.meta_group_rank() == 1) out[t] = tile.ballot(tile.thread_rank() > 3);
}

TEST(lens_machine, tiles_are_groups_of_their_own) {
  machine m({});
  grid g(m);
  auto out = unwritten<unsigned>(m, "out", 64);
  g.launch(grouped, 1, 64, out);
  EXPECT_EQ(said(m), "");
  for (unsigned t = 0; t < 64; ++t) {
    const unsigned first = t / 8 * 8;
    EXPECT_EQ(value(out, t), t / 8 == 1 ? 0xf0u : (8 * first + 28) * 1000 + t / 8 * 10 + t % 8);
  }
}

__global__ void own_cell(global<unsigned> out) {
  UPSWEEP_SHARED(unsigned, cells, 32);
  cells[threadIdx.x] = blockIdx.x;
  __syncthreads();  // so that blocks are in turn interrupted
  out[blockIdx.x * 32 + threadIdx.x] = cells[31 - threadIdx.x];
}

TEST(lens_machine, each_block_has_its_own_shared_memory_whoever_is_resident) {
  for (const unsigned resident : {1u, 2u, 7u, 100u})
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      options o;
      o.resident = resident, o.seed = seed;
      machine m(o);
      grid g(m);
      auto out = unwritten<unsigned>(m, "out", 50 * 32);
      g.launch(own_cell, 50, 32, out);
      EXPECT_EQ(said(m), "");
      for (unsigned i = 0; i < 50 * 32; ++i) ASSERT_EQ(value(out, i), i / 32);
    }
}

template <class T>
__global__ void reverse(global<T> data) {
  UPSWEEP_DYNAMIC_SHARED(T, cells);
  const unsigned t = threadIdx.x, last = blockDim.x - 1;
  cells[t] = data[t];
  __syncthreads();  // all cells are loaded
  data[t] = cells[last - t];
}

TEST(lens_machine, shared_memory_of_the_size_that_the_launch_asks_for) {
  machine m({});
  grid g(m);
  auto data = counting<std::uint64_t>(m, "data", 64);
  g.launch_with_shared(64 * 8, reverse<std::uint64_t>, 1, 64, data);
  EXPECT_EQ(said(m), "");
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(value(data, i), 63 - i);
  g.launch_with_shared(63 * 8, reverse<std::uint64_t>, 1, 64, data);  // a cell too few
  EXPECT_GE(found(m, fault_kind::out_of_bounds), 1u) << said(m);
}

// ---- what memory accesses cost

__global__ void constants(global<int> out) { out[threadIdx.x] = weights[2] + weights[threadIdx.x % 3]; }

__global__ void past_constants(global<int> out) { out[threadIdx.x] = weights[threadIdx.x + 3]; }

TEST(lens_machine, constant_memory_serves_one_address_at_a_time) {
  machine m({});
  grid g(m);
  auto out = unwritten<int>(m, "out", 32);
  g.launch(constants, 1, 32, out);
  EXPECT_EQ(said(m), "");
  for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(value(out, t), 100 + weights.values[t % 3]);
  const tally loads = m.total().of(event::constant_load);
  EXPECT_EQ(loads.instructions, 2u);
  EXPECT_EQ(loads.lanes, 64u);
  EXPECT_EQ(loads.turns, 1u + 3);  // all lanes want one address, then three
  g.launch(past_constants, 1, 2, out);
  EXPECT_EQ(found(m, fault_kind::out_of_bounds), 1u) << said(m);
}

// Lane t goes round t times before all store: long loops pause, and are one request a round all the same.
__global__ void rounds(global<const int> in, global<int> out) {
  int sum = 0;
  for (unsigned k = 0; k < 40 * threadIdx.x; ++k) sum += in[k];
  out[threadIdx.x] = sum;
}

TEST(lens_machine, lanes_that_pause_in_a_long_loop_stay_one_warp) {
  machine m({});
  grid g(m);
  auto in = counting<int>(m, "in", 2000);
  auto out = unwritten<int>(m, "out", 64);
  g.launch(rounds, 1, 32, in, out);
  EXPECT_EQ(m.total().of(event::global_load).instructions, 40u * 31);
  EXPECT_EQ(m.total().of(event::global_load).lanes, 40u * (31 * 32 / 2));
  EXPECT_EQ(m.total().of(event::global_store).instructions, 1u);
  EXPECT_EQ(m.total().of(event::global_store).sectors, 4u);
}

template <class T>
__global__ void global_stride(global<const T> in, global<T> out, unsigned stride, unsigned first) {
  out[threadIdx.x] = in[first + threadIdx.x * stride];
}

template <class T>
tally loads_at(unsigned stride, unsigned first = 0) {
  machine m({});
  grid g(m);
  auto in = unwritten<T>(m, "in", 4096), out = unwritten<T>(m, "out", 32);
  for (std::size_t i = 0; i < 4096; ++i) in.memory().template put<T>(i, T{});
  g.launch(global_stride<T>, 1, 32, in, out, stride, first);
  EXPECT_EQ(said(m), "");
  return m.total().of(event::global_load);
}

struct four_words {
  std::uint32_t x[4];
};

TEST(lens_machine, sectors_of_global_requests) {
  EXPECT_EQ(loads_at<std::uint32_t>(1).sectors, 4u);  // coalesced
  EXPECT_EQ(loads_at<std::uint32_t>(1).ideal_sectors, 4u);
  EXPECT_EQ(loads_at<std::uint32_t>(1, 1).sectors, 5u);  // off by one element
  EXPECT_EQ(loads_at<std::uint32_t>(0).sectors, 1u);     // all lanes on one element
  EXPECT_EQ(loads_at<std::uint32_t>(2).sectors, 8u);
  EXPECT_EQ(loads_at<std::uint32_t>(8).sectors, 32u);
  EXPECT_EQ(loads_at<std::uint32_t>(100).sectors, 32u);
  EXPECT_EQ(loads_at<std::uint64_t>(1).sectors, 8u);
  EXPECT_EQ(loads_at<std::uint64_t>(4).sectors, 32u);
  EXPECT_EQ(loads_at<four_words>(1).sectors, 16u);
  EXPECT_EQ(loads_at<std::uint16_t>(1).sectors, 2u);
  EXPECT_EQ(loads_at<std::uint32_t>(1).instructions, 1u);
}

template <class T>
__global__ void shared_stride(unsigned stride, unsigned modulo, unsigned lanes) {
  UPSWEEP_SHARED(T, cells, 2048);
  if (threadIdx.x < lanes) cells[threadIdx.x * stride % modulo] = T{};
}

template <class T>
tally shared_at(unsigned stride, unsigned modulo = 2048, unsigned lanes = 32) {
  options o;
  o.races = false;
  machine m(o);
  grid g(m);
  g.launch(shared_stride<T>, 1, 32, stride, modulo, lanes);
  EXPECT_EQ(said(m), "");
  return m.total().of(event::shared_store);
}

// What an H200 does with 8-byte elements: two halves of a warp are one wavefront where neighbours want the same, or
// neighbours but one, and no bank is in the way. (Seen with Nsight Compute; the numbers are the hardware's.)
__global__ void shared_pick(global<const int> at, global<std::uint64_t> out) {
  UPSWEEP_SHARED(std::uint64_t, cells, 256);
  for (unsigned j = threadIdx.x; j < 256; j += 32) cells[j] = j;
  __syncthreads();  // the cells are written
  const int i = at[threadIdx.x];
  if (i >= 0) out[threadIdx.x] = cells[i];
}

template <class F>
std::pair<count, count> picked(F f) {
  machine m({});
  grid g(m);
  auto at = counting<int>(m, "at", 32);
  auto out = unwritten<std::uint64_t>(m, "out", 32);
  for (std::size_t lane = 0; lane < 32; ++lane) at.memory().put<int>(lane, f(static_cast<int>(lane)));
  g.launch(shared_pick, 1, 32, at, out);
  EXPECT_EQ(said(m), "");
  const tally loads = m.total().of(event::shared_load);
  return {loads.wavefronts, loads.ideal_wavefronts};
}

TEST(lens_machine, halves_of_a_warp_share_a_wavefront_as_on_the_hardware) {
  using both = std::pair<count, count>;
  EXPECT_EQ(picked([](int) { return 5; }), (both{1, 1}));
  EXPECT_EQ(picked([](int lane) { return lane; }), (both{2, 2}));
  EXPECT_EQ(picked([](int lane) { return 2 * lane; }), (both{4, 2}));
  EXPECT_EQ(picked([](int lane) { return lane < 16 ? 3 : 8; }), (both{1, 1}));
  EXPECT_EQ(picked([](int lane) { return lane < 16 ? 3 : 19; }), (both{2, 2}));  // one bank
  EXPECT_EQ(picked([](int lane) { return lane % 16; }), (both{2, 2}));
  EXPECT_EQ(picked([](int lane) { return lane / 2; }), (both{1, 1}));
  EXPECT_EQ(picked([](int lane) { return lane % 2; }), (both{1, 1}));
  EXPECT_EQ(picked([](int lane) { return lane % 2 * 16; }), (both{4, 2}));
  EXPECT_EQ(picked([](int lane) { return lane % 4; }), (both{2, 2}));
  EXPECT_EQ(picked([](int lane) { return lane % 2 == 1 ? lane : -1; }), (both{2, 1}));
  EXPECT_EQ(picked([](int lane) { return lane % 2 == 1 ? lane / 2 : -1; }), (both{1, 1}));
  EXPECT_EQ(picked([](int lane) { return lane % 16 < 8 ? lane % 8 + lane / 16 * 8 : -1; }), (both{2, 1}));
}

TEST(lens_machine, wavefronts_of_shared_requests) {
  for (const unsigned stride : {1u, 3u, 5u, 33u}) EXPECT_EQ(shared_at<std::uint32_t>(stride).wavefronts, 1u) << stride;
  for (const unsigned degree : {2u, 4u, 8u, 16u, 32u}) {
    EXPECT_EQ(shared_at<std::uint32_t>(degree).wavefronts, degree);
    EXPECT_EQ(shared_at<std::uint32_t>(degree).worst_degree, degree);
    EXPECT_EQ(shared_at<std::uint32_t>(degree).ideal_wavefronts, 1u);
    EXPECT_EQ(shared_at<std::uint32_t>(degree).degrees[degree], 1u);
  }
  EXPECT_EQ(shared_at<std::uint32_t>(0).wavefronts, 1u);        // one word for all
  EXPECT_EQ(shared_at<std::uint32_t>(32, 128).wavefronts, 4u);  // four words of one bank, each for eight lanes
  EXPECT_EQ(shared_at<std::uint16_t>(1).wavefronts, 1u);        // two lanes a word
  // 8 bytes: half a warp at a time; 16 bytes: a quarter.
  EXPECT_EQ(shared_at<std::uint64_t>(1).wavefronts, 2u);
  EXPECT_EQ(shared_at<std::uint64_t>(1).worst_degree, 1u);
  EXPECT_EQ(shared_at<std::uint64_t>(2).wavefronts, 4u);
  EXPECT_EQ(shared_at<std::uint64_t>(2).worst_degree, 2u);
  EXPECT_EQ(shared_at<std::uint64_t>(1, 2048, 16).wavefronts, 1u);
  EXPECT_EQ(shared_at<four_words>(1).wavefronts, 4u);
  EXPECT_EQ(shared_at<four_words>(1).worst_degree, 1u);
  EXPECT_EQ(shared_at<four_words>(2).wavefronts, 8u);
}

__global__ void loop_of(global<const unsigned> in, global<unsigned> out, unsigned rounds) {
  unsigned sum = 0;
  for (unsigned i = 0; i < rounds; ++i) sum += in[i];
  out[threadIdx.x] = sum;
}

TEST(lens_machine, lanes_stay_together_through_long_loops) {
  machine m({});
  grid g(m);
  auto in = counting<unsigned>(m, "in", 5000), out = unwritten<unsigned>(m, "out", 32);
  g.launch(loop_of, 1, 32, in, out, 5000);
  EXPECT_EQ(m.total().of(event::global_load).instructions, 5000u);
  EXPECT_EQ(m.total().of(event::global_load).lanes, 32u * 5000);
  EXPECT_EQ(value(out, 9), 5000u * 4999 / 2);
}

__global__ void part_of_a_warp(global<unsigned> out) {
  const unsigned t = threadIdx.x;
  out[t] = t;
  if (t % 4 == 0) out[t] = t + 1;
  if (t >= 32) out[t] = t + 2;  // a whole warp: every lane writes
}

TEST(lens_machine, divergence_is_lanes_left_out) {
  machine m({});
  grid g(m);
  auto out = unwritten<unsigned>(m, "out", 64);
  g.launch(part_of_a_warp, 1, 64, out);
  const tally t = m.total().of(event::global_store);
  EXPECT_EQ(t.instructions, 2u + 2 + 1);
  EXPECT_EQ(t.lanes, 64u + 16 + 32);
  EXPECT_EQ(t.divergent, 2u);
  ASSERT_EQ(m.total().lines.size(), 3u);
  EXPECT_EQ(m.total().lines[1].cost.lanes, 16u);
  EXPECT_EQ(m.total().lines[1].where.line, m.total().lines[0].where.line + 1);
}

TEST(lens_machine, refuses_launches_that_a_device_refuses) {
  machine m({});
  grid g(m);
  auto out = unwritten<unsigned>(m, "out", 64);
  EXPECT_THROW(g.launch(part_of_a_warp, 1, 1025, out), stuck);
  EXPECT_THROW(g.launch(part_of_a_warp, 1, 0, out), stuck);
  EXPECT_THROW(g.launch(part_of_a_warp, 0, 32, out), stuck);
}

}  // namespace
}  // namespace upsweep::lens
