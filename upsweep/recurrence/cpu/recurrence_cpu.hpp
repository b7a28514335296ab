// Recurrences on the CPU: one pass over memory. Threads take blocks in order; each composes its block's maps in eight
// chains, takes the state that the block before ends in, passes its own on at once, and then steps through its block,
// in eight chains again: a chain of dependent steps waits for its own latency, and eight wait together.
#pragma once

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/recurrence/recurrence_by_element.hpp"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace upsweep::cpu {

// Steps in a full block, and in a chain of it: no power of two, so that the chains' addresses do not all fall into one
// set of the cache.
inline constexpr std::uint64_t recurrence_block = 8 * 2065;

// Wide maps fill the registers by themselves.
template <class Steps>
inline constexpr std::uint64_t recurrence_chains = sizeof(typename Steps::map) <= 32 ? 8 : 1;

// While it lives, this thread takes subnormal numbers for zero. The product of many factors below 1 becomes one, and
// arithmetic on those is a hundred times slower; next to a state of ordinary size it adds nothing.
class flush_subnormals {
 public:
#if defined(__SSE2__)
  flush_subnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~flush_subnormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#elif defined(__aarch64__)
  flush_subnormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" ::"r"(before_ | std::uint64_t{1} << 24));
  }
  ~flush_subnormals() { asm volatile("msr fpcr, %0" ::"r"(before_)); }

 private:
  std::uint64_t before_;
#endif
};

// A separate function, so that the compiler moves no arithmetic out of the scope of the flushing.
template <class Steps>
[[gnu::noinline]] void fold_chains(const Steps& given, std::uint64_t first, std::uint64_t size,
                                   typename Steps::map* out) {
  using map = typename Steps::map;
  const Steps steps = given;  // a copy that no store can be taken to change
  constexpr std::uint64_t chains = recurrence_chains<Steps>;
  const std::uint64_t length = size / chains;
  map folded[chains];
  for (map& f : folded) f = steps.identity();
  for (std::uint64_t i = 0; i < length; ++i) {
#if !defined(__CUDACC__)
#pragma GCC unroll 8
#endif
    for (std::uint64_t k = 0; k < chains; ++k) folded[k] = steps.extend(folded[k], first + k * length + i);
  }
  for (std::uint64_t i = first + chains * length; i < first + size; ++i)
    folded[chains - 1] = steps.extend(folded[chains - 1], i);
  for (std::uint64_t k = 0; k < chains; ++k) out[k] = folded[k];
}

template <class Steps>
[[gnu::noinline]] void step_chains(const Steps& given, std::uint64_t first, std::uint64_t size,
                                   typename Steps::state* from) {
  using state = typename Steps::state;
  const Steps steps = given;
  constexpr std::uint64_t chains = recurrence_chains<Steps>;
  const std::uint64_t length = size / chains;
  state at[chains];
  for (std::uint64_t k = 0; k < chains; ++k) at[k] = from[k];
  for (std::uint64_t i = 0; i < length; ++i) {
#if !defined(__CUDACC__)
#pragma GCC unroll 8
#endif
    for (std::uint64_t k = 0; k < chains; ++k) at[k] = steps.step(first + k * length + i, at[k]);
  }
  for (std::uint64_t i = first + chains * length; i < first + size; ++i) at[chains - 1] = steps.step(i, at[chains - 1]);
}

template <class Steps>
[[gnu::noinline]] void step_in_order(const Steps& given, std::uint64_t first, std::uint64_t end,
                                     typename Steps::state* carry) {
  const Steps steps = given;
  typename Steps::state s = *carry;
  for (std::uint64_t i = first; i < end; ++i) s = steps.step(i, s);
  *carry = s;
}

template <class Steps>
void recur(upsweep::device& d, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  if constexpr (says_in_order<Steps>)
    if (steps.in_order(n)) {
      for_each_block(d, n ? 1 : 0, [&](std::uint64_t, const stop_flag&) { step_in_order(steps, 0, n, carry); });
      return;
    }
  constexpr std::uint64_t chains = recurrence_chains<Steps>;
  const std::uint64_t blocks = block_count(n, recurrence_block);
  relay turns;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    // The last chain also has the remaining elements.
    const std::uint64_t first = b * recurrence_block, size = b + 1 < blocks ? recurrence_block : n - first;
    typename Steps::map folded[chains];
    {
      const flush_subnormals while_composing;
      fold_chains(steps, first, size, folded);
    }
    turns.await(b, stop);
    typename Steps::state at[chains];
    at[0] = *carry;
    bool composed = true;
    const auto applied = [&](std::uint64_t k) {
      if constexpr (says_must_step<Steps>) composed = composed && !steps.must_step(folded[k], at[k]);
      return steps.apply(folded[k], at[k]);
    };
    for (std::uint64_t k = 1; k < chains; ++k) at[k] = applied(k - 1);
    const typename Steps::state last = applied(chains - 1);
    if (!composed) {
      step_in_order(steps, first, first + size, carry);
      turns.pass(b);
      return;
    }
    *carry = last;
    turns.pass(b);
    step_chains(steps, first, size, at);
  });
}

}  // namespace upsweep::cpu
