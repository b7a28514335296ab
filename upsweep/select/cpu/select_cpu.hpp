// Selection on the CPU for user-defined element types and predicates; select_bit_mask.hpp has the ones compiled into
// the library.
//
// Threads take blocks in order. Each calls the predicate once for every element of its block and stores the results
// as bits. It takes the count of elements kept so far from the block before, passes the sum on, and then moves its
// own. The order is kept. If the first calls of the predicate are slow, all threads evaluate the predicate for all
// elements before any is moved.
#pragma once

#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/select/cpu/select_cpu_tuning.hpp"

namespace upsweep::cpu {

// for_each_kept of a slow predicate. Its results for the first `asked` elements are the lowest bits of `early`.
template <class Keep, class Move>
[[gnu::noinline]] std::uint64_t for_each_kept_slowly(upsweep::device& d, std::uint64_t n, const Keep& keep,
                                                     const Move& move, std::uint64_t asked, std::uint64_t early) {
  const std::uint64_t words = block_count(n, 64);
  std::vector<std::uint64_t> bits(words), before(words);
  cpu::for_each_paced(d, n - asked, [&](std::uint64_t from, std::uint64_t end) {
    for (std::uint64_t i = asked + from; i < asked + end; ++i)
      // Relaxed: pieces may share a word, which is read when all have ended.
      if (keep(i)) std::atomic_ref(bits[i / 64]).fetch_or(std::uint64_t{1} << i % 64, std::memory_order_relaxed);
  });
  bits[0] |= early;
  std::uint64_t kept = 0;
  for (std::uint64_t w = 0; w < words; ++w) {
    before[w] = kept;
    kept += static_cast<std::uint64_t>(std::popcount(bits[w]));
  }
  cpu::for_each_paced(d, words, [&](std::uint64_t w, std::uint64_t end) {
    for (; w < end; ++w) {
      std::uint64_t place = before[w];
      cpu::for_each_set(bits[w], 64 * w, [&](std::uint64_t from) { move(from, place++); });
    }
  });
  return kept;
}

// Calls move(i, place) for each i < n with keep(i), place counting from 0 in order; returns how many there are. `keep`
// and `move` are called by several threads at once.
template <class Keep, class Move>
std::uint64_t for_each_kept(upsweep::device& d, std::uint64_t n, const Keep& keep, const Move& move) {
  constexpr std::uint64_t block = detail::select_impl::custom_block;
  const std::uint64_t blocks = block_count(n, block);
  static constinit pace known;
  const std::uint64_t few = n < 64 ? n : 64;
  std::uint64_t early = 0, asked = 0;
  if (!known.is_fast(few)) [[unlikely]] {
    asked = cpu::advance_while_fast(0, few, known, [&](std::uint64_t i, std::uint64_t end) {
      for (; i < end; ++i) early |= static_cast<std::uint64_t>(static_cast<bool>(keep(i))) << i;
    });
    if (asked < few) return cpu::for_each_kept_slowly(d, n, keep, move, asked, early);
  }
  std::uint64_t kept = 0;  // before the block whose turn it is
  relay turns;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * block, count = b + 1 < blocks ? block : n - first;
    std::uint64_t bits[block / 64];
    // The first word is known where the calls were measured.
    const std::uint64_t done = b == 0 ? asked : 0, left = count - done;
    if (done) bits[0] = early;
    std::uint64_t* const others = bits + block_count(done, 64);
    const auto keeps = [&](std::uint64_t i) { return keep(first + done + i); };
    std::uint64_t mine = done ? static_cast<std::uint64_t>(std::popcount(early)) : 0;
    // Blocks wait for one another below, so only a single block shares its work with other threads.
    if (blocks == 1) {
      mine += cpu::mark_bits_by_pace(d, left, others, keeps, &stop);
    } else {
      cancellation_point cancellation;
      for (std::uint64_t i = 0; i < left; i += 1024) {
        if (stop.raised()) abandon();
        mine += cpu::mark_bits(left - i < 1024 ? left - i : 1024, others + i / 64,
                               [&](std::uint64_t k) { return keeps(i + k); });
        cancellation.poll();
      }
    }
    turns.await(b, stop);
    std::uint64_t place = kept;
    kept += mine;
    turns.pass(b);
    for (std::uint64_t i = 0; i < count; i += 64)
      cpu::for_each_set(bits[i / 64], first + i, [&](std::uint64_t from) { move(from, place++); });
  });
  return kept;
}

// out gets the elements of `in` that pass, in order; returns how many. `out` and `in` have no memory in common.
template <class T, class Test>
std::uint64_t copy_if(upsweep::device& d, const T* in, std::uint64_t n, T* out, const Test& test) {
  return for_each_kept(
      d, n, [&](std::uint64_t i) { return test(in[i]); },
      [&](std::uint64_t from, std::uint64_t to) { out[to] = in[from]; });
}

template <class T, class V, class Test>
std::uint64_t copy_if(upsweep::device& d, const T* in, const V* values, std::uint64_t n, T* out, V* values_out,
                      const Test& test) {
  return for_each_kept(
      d, n, [&](std::uint64_t i) { return test(in[i]); },
      [&](std::uint64_t from, std::uint64_t to) {
        out[to] = in[from];
        values_out[to] = values[from];
      });
}

template <class T, class Flag>
std::uint64_t copy_flagged(upsweep::device& d, const T* in, const Flag* flags, std::uint64_t n, T* out) {
  return for_each_kept(
      d, n, [&](std::uint64_t i) { return static_cast<bool>(flags[i]); },
      [&](std::uint64_t from, std::uint64_t to) { out[to] = in[from]; });
}

// The first of each run of equal elements, where `equal` compares neighbours.
template <class T, class Equal>
std::uint64_t unique_copy(upsweep::device& d, const T* in, std::uint64_t n, T* out, const Equal& equal) {
  return for_each_kept(
      d, n, [&](std::uint64_t i) { return i == 0 || !equal(in[i - 1], in[i]); },
      [&](std::uint64_t from, std::uint64_t to) { out[to] = in[from]; });
}

template <class T, class V, class Equal>
std::uint64_t unique_by_key(upsweep::device& d, const T* keys, const V* values, std::uint64_t n, T* keys_out,
                            V* values_out, const Equal& equal) {
  return for_each_kept(
      d, n, [&](std::uint64_t i) { return i == 0 || !equal(keys[i - 1], keys[i]); },
      [&](std::uint64_t from, std::uint64_t to) {
        keys_out[to] = keys[from];
        values_out[to] = values[from];
      });
}

// The elements of the first class, then those of the second, and so on, each class in order; sizes[c] receives their
// number. which(x) < classes is called twice for each element and must return the same value.
template <class T, class Which>
void partition_classes(upsweep::device& d, const T* in, std::uint64_t n, T* out, unsigned classes, const Which& which,
                       std::uint64_t* sizes) {
  std::uint64_t place = 0;
  for (unsigned c = 0; c < classes; ++c) {
    T* const to = out + place;
    sizes[c] = for_each_kept(
        d, n, [&](std::uint64_t i) { return static_cast<unsigned>(which(in[i])) == c; },
        [&](std::uint64_t from, std::uint64_t at) { to[at] = in[from]; });
    place += sizes[c];
  }
}

// The first of each run of equal elements and the run's length; returns how many runs there are.
template <class T, class Equal>
std::uint64_t run_length_encode(upsweep::device& d, const T* in, std::uint64_t n, T* out, std::uint64_t* lengths,
                                const Equal& equal) {
  const std::uint64_t runs = for_each_kept(
      d, n, [&](std::uint64_t i) { return i == 0 || !equal(in[i - 1], in[i]); },
      [&](std::uint64_t from, std::uint64_t to) {
        out[to] = in[from];
        lengths[to] = from;  // where it begins, for now
      });
  // In reverse order, each block needs only the beginning of the run after its own, read before it is overwritten.
  const std::uint64_t block = detail::select_impl::custom_block, blocks = block_count(runs, block);
  block_values<std::uint64_t> after(d, "select/runs", blocks, 0);
  for (std::uint64_t b = 0; b < blocks; ++b) after[b] = b + 1 < blocks ? lengths[(b + 1) * block] : n;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    const std::uint64_t end = b + 1 < blocks ? (b + 1) * block : runs;
    for (std::uint64_t r = b * block; r < end; ++r) lengths[r] = (r + 1 < end ? lengths[r + 1] : after[b]) - lengths[r];
  });
  return runs;
}

}  // namespace upsweep::cpu
