// Sums over the items of a work-group of LANES, for kernels that count. `lanes` has LANES + LANES / 8 entries. Between
// two calls there must be a barrier.
#define GROUP kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
#define SUM_ENTRIES (LANES + LANES / 8)

// The sum of `mine` over the items before this one, and over all items.
#define DEFINE_SUM_BEFORE(COUNT_TYPE, NAME)                                        \
  static inline COUNT_TYPE NAME(COUNT_TYPE mine, local COUNT_TYPE* lanes, COUNT_TYPE* total) { \
    const uint l = (uint)get_local_id(0);                                          \
    local COUNT_TYPE* eights = lanes + LANES;                                      \
    lanes[l] = mine;                                                               \
    barrier(CLK_LOCAL_MEM_FENCE); /* every item's number, before one adds eight */ \
    if (l < LANES / 8) {                                                           \
      COUNT_TYPE sum = 0;                                                          \
      for (uint k = 0; k < 8; ++k) sum += lanes[8 * l + k];                        \
      eights[l] = sum;                                                             \
    }                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE); /* the eights' sums, before all read them */     \
    COUNT_TYPE before = 0, all = 0;                                                \
    for (uint k = 0; k < LANES / 8; ++k) {                                         \
      if (k == l / 8) before = all;                                                \
      all += eights[k];                                                            \
    }                                                                              \
    for (uint k = 0; k < 7; ++k)                                                   \
      if (k < l % 8) before += lanes[(l & ~7u) + k];                               \
    *total = all;                                                                  \
    return before;                                                                 \
  }
DEFINE_SUM_BEFORE(uint, sum_before)
DEFINE_SUM_BEFORE(ulong, long_sum_before)
