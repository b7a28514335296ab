// Selection on the CPU for element types and tests of the user's own; what the library itself was compiled for is in
// cpu/bits.hpp.
//
// Threads take blocks in order. Each asks the test once about every element of its block and keeps the answers as bits,
// takes from the block before how many elements were kept so far, passes the sum on, and then moves its own. The order
// is kept.
#pragma once

#include <memory>
#include <utility>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/select/cpu/tuning.hpp"

namespace upsweep::cpu {

// Calls move(i, place) for each i < n with keep(i), place counting from 0 in order; returns how many there are. `keep`
// and `move` are called by several threads at once.
template <class Keep, class Move>
std::uint64_t for_each_kept(upsweep::device& d, std::uint64_t n, const Keep& keep, const Move& move) {
  constexpr std::uint64_t block = select_room::custom_block;
  const std::uint64_t blocks = block_count(n, block);
  std::uint64_t kept = 0;  // before the block whose turn it is
  relay turns;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * block, count = b + 1 < blocks ? block : n - first;
    std::uint64_t bits[block / 64];
    const std::uint64_t mine = cpu::mark_bits(count, bits, [&](std::uint64_t i) { return keep(first + i); });
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

// The first of each run of equal elements, as `equal` tells of neighbours.
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

// The elements of the first class, then those of the second, and so on, each class in order; sizes[c] gets how many
// there are. which(x) < classes is asked twice about each element and has to answer the same.
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
  // Back to front each block needs only the beginning of the run after its own, read before anyone writes there.
  const std::uint64_t block = select_room::custom_block, blocks = block_count(runs, block);
  block_values<std::uint64_t> after(d, "select/runs", blocks, 0);
  for (std::uint64_t b = 0; b < blocks; ++b) after[b] = b + 1 < blocks ? lengths[(b + 1) * block] : n;
  for_each_block(d, blocks, [&](std::uint64_t b, const stop_flag&) {
    const std::uint64_t end = b + 1 < blocks ? (b + 1) * block : runs;
    for (std::uint64_t r = b * block; r < end; ++r) lengths[r] = (r + 1 < end ? lengths[r + 1] : after[b]) - lengths[r];
  });
  return runs;
}

}  // namespace upsweep::cpu
