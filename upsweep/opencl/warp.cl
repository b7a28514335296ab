// Operations of the 32 items of an NVIDIA warp that OpenCL C does not have, in PTX, for devices of compute capability
// 7.0 and above (device::speaks_ptx). Groups have one dimension, so a warp is 32 neighbours, and LANES is a multiple
// of 32. All items of a warp must call each of these.

#define WARP 32

// Local memory written by the warp's items before the barrier is visible to all of them after it.
static inline void warp_barrier(void) { __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

// Orders this item's global writes before it ahead of its writes after it, for every group of the device; reads after
// it return nothing older than reads before it. mem_fence would order them for the item's own group only.
static inline void device_fence(void) { __asm__ volatile("fence.acq_rel.gpu;" ::: "memory"); }

// Words that groups exchange, each valid by itself. Where two are accessed at once, they are neighbours.
static inline uint2 load_two_words(global const uint* from) {
  uint x, y;
  __asm__ volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"((ulong)from) : "memory");
  return (uint2)(x, y);
}
static inline ulong load_long_word(global const ulong* from) {
  ulong word;
  __asm__ volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"((ulong)from) : "memory");
  return word;
}
static inline void store_word(global uint* to, uint word) {
  __asm__ volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"((ulong)to), "r"(word) : "memory");
}
static inline void store_long_word(global ulong* to, ulong word) {
  __asm__ volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"((ulong)to), "l"(word) : "memory");
}
static inline void store_two_words(global ulong* to, ulong x, ulong y) {
  __asm__ volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"((ulong)to), "l"(x), "l"(y) : "memory");
}

static inline uint lanes_below(void) {
  uint mask;
  __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

static inline uint warp_votes(uint truth) {
  uint votes;
  __asm__ volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nvote.sync.ballot.b32 %0, p, 0xffffffff;\n}"
               : "=r"(votes)
               : "r"(truth));
  return votes;
}
static inline bool all_of_warp(bool truth) { return warp_votes(truth) == 0xffffffffu; }

// x of the item `by` before this one; this item's own if there is none.
static inline uint shuffled_up(uint x, uint by) {
  uint there;
  __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(there) : "r"(x), "r"(by));
  return there;
}
// x of the warp's item `lane`.
static inline uint shuffled(uint x, uint lane) {
  uint there;
  __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(there) : "r"(x), "r"(lane));
  return there;
}
// x of the item `lane ^ by`.
static inline uint shuffled_across(uint x, uint by) {
  uint there;
  __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(there) : "r"(x), "r"(by));
  return there;
}

// The items whose value has the same lower 8 bits: one vote a bit, in the three instructions that each takes.
#define VOTE_ON_BIT(mask)                                         \
  {                                                               \
    uint votes;                                                   \
    __asm__ volatile(                                                 \
        "{\n"                                                     \
        ".reg .pred clear;\n"                                     \
        ".reg .b32 bit;\n"                                        \
        "and.b32 bit, %1, " #mask ";\n"                           \
        "setp.eq.u32 clear, bit, 0;\n"                            \
        "vote.sync.ballot.b32 %0, clear, 0xffffffff;\n"           \
        "@!clear not.b32 %0, %0;\n"                               \
        "}"                                                       \
        : "=r"(votes)                                             \
        : "r"(value));                                            \
    same &= votes;                                                \
  }
static inline uint lanes_with_digit(uint value) {
  uint same = 0xffffffffu;
  VOTE_ON_BIT(1)
  VOTE_ON_BIT(2)
  VOTE_ON_BIT(4)
  VOTE_ON_BIT(8)
  VOTE_ON_BIT(16)
  VOTE_ON_BIT(32)
  VOTE_ON_BIT(64)
  VOTE_ON_BIT(128)
  return same;
}

// The sum of x over this item and those before it.
static inline uint warp_sum_to(uint x) {
  const uint lane = (uint)get_local_id(0) % WARP;
#pragma unroll
  for (uint d = 1; d < WARP; d *= 2) {
    const uint left = shuffled_up(x, d);
    if (lane >= d) x += left;
  }
  return x;
}
static inline ulong long_warp_sum_to(ulong x) {
  const uint lane = (uint)get_local_id(0) % WARP;
#pragma unroll
  for (uint d = 1; d < WARP; d *= 2) {
    const ulong left = (ulong)shuffled_up((uint)(x >> 32), d) << 32 | shuffled_up((uint)x, d);
    if (lane >= d) x += left;
  }
  return x;
}
// The sum of x over the whole warp.
static inline uint warp_sum(uint x) {
#pragma unroll
  for (uint d = 1; d < WARP; d *= 2) x += shuffled_across(x, d);
  return x;
}
