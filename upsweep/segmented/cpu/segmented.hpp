// Folds and scans within runs on the CPU: runs of equal keys, or segments given by offsets; for types and operators of
// the user's own, and, with folds by vectors, for the built-in ones (cpu.cpp).
//
// Threads take blocks in order. Each marks where runs begin in its block (of segments, offsets tell), folds what is
// behind the last beginning, takes from the block before the fold of the run that is open there and how many runs there
// were, passes its own on, and then works through its block while it lies in the cache. Where blocks are cut depends on
// n alone, so results are the same with any number of threads. Operators need not commute. A long run is shared by all
// threads, and short ones cost what their elements cost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/segmented/cpu/tuning.hpp"

namespace upsweep::cpu {

// Bits of one block: which of its elements begin a run.
class head_bits {
 public:
  explicit head_bits(std::uint64_t count) : words_(count / 64 + 2) {}
  std::uint64_t* words() { return words_.data(); }
  const std::uint64_t* words() const { return words_.data(); }

  // Calls f(i) for each head i < count, in order.
  template <class F>
  void for_each(std::uint64_t count, F&& f) const {
    for (std::uint64_t w = 0; w * 64 < count; ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        f(w * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
  }
  std::uint64_t count(std::uint64_t of) const {
    std::uint64_t all = 0;
    for (std::uint64_t w = 0; w * 64 < of; ++w) all += static_cast<std::uint64_t>(std::popcount(words_[w]));
    return all;
  }
  // The last head; there is one.
  std::uint64_t last(std::uint64_t count) const {
    std::uint64_t w = (count - 1) / 64;
    while (words_[w] == 0) --w;
    return w * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(words_[w]));
  }

 private:
  std::vector<std::uint64_t> words_;
};

// A Work says what runs are and what is done with them:
//   carry                                what a fold is held in
//   block()                              elements of a block
//   write_heads(first, count, bits)      sets bits [0, count) and returns how many are one; element 0 of the whole is a
//                                        head
//   fold(first, last)                    the fold of at least one element
//   join(a, b)                           of two folds, in order
template <class Work>
struct open_run {
  std::uint64_t runs = 0;                    // begun before this block
  std::optional<typename Work::carry> fold;  // of the last of them, as far as it goes
};

// Calls body(first, count, heads, before) for each block in order of its turn, where `before` is an open_run. Returns
// what is open at the end.
template <class Work, class Body>
open_run<Work> for_each_block_of_runs(upsweep::device& d, std::uint64_t n, const Work& work, bool alone,
                                      const Body& body) {
  const std::uint64_t block = work.block(), blocks = block_count(n, block);
  open_run<Work> before_next;
  relay turns;
  const auto one_block = [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * block, count = b + 1 < blocks ? block : n - first;
    head_bits heads(count);
    const std::uint64_t begun = work.write_heads(first, count, heads.words());
    const auto tail = work.fold(begun ? first + heads.last(count) : first, first + count);
    turns.await(b, stop);
    const open_run<Work> before = before_next;
    before_next.runs += begun;
    before_next.fold = begun || !before.fold ? tail : work.join(*before.fold, tail);
    turns.pass(b);
    body(first, count, heads, before);
  };
  if (alone)
    for (std::uint64_t b = 0; b < blocks; ++b) one_block(b, stop_flag{});
  else
    for_each_block(d, blocks, one_block);
  return before_next;
}

// slots(first, count, heads, runs) gives for a block a cursor: open() is the place of the run open there, next() that
// of the next to begin.
// put(place, fold) gets every run's fold once. Returns how many runs there are.
template <class Work, class Slots, class Put>
std::uint64_t reduce_runs(upsweep::device& d, std::uint64_t n, const Work& work, bool alone, const Slots& slots,
                          const Put& put) {
  const auto body = [&](std::uint64_t first, std::uint64_t count, const head_bits& heads,
                        const open_run<Work>& before) {
    auto cursor = slots(first, count, heads, before.runs);
    std::uint64_t at = first, place = before.fold ? cursor.open() : 0;
    bool from_before = before.fold.has_value();
    const auto end_run = [&](std::uint64_t end) {
      if (!from_before)
        put(place, work.fold(at, end));
      else
        put(place, at == end ? *before.fold : work.join(*before.fold, work.fold(at, end)));
    };
    heads.for_each(count, [&](std::uint64_t i) {
      if (first + i != 0) end_run(first + i);
      place = cursor.next();
      at = first + i;
      from_before = false;
    });
    if (first + count == n) end_run(n);
  };
  return for_each_block_of_runs(d, n, work, alone, body).runs;
}

// scan(first, last, before): scans elements of one run, `before` being the fold of what precedes them in it, null at
// its beginning.
template <class Carry, class Scan>
void scan_runs_of_block(std::uint64_t first, std::uint64_t count, const head_bits& heads,
                        const std::optional<Carry>& before, const Scan& scan) {
  std::uint64_t at = first;
  const Carry* fold = before ? &*before : nullptr;
  heads.for_each(count, [&](std::uint64_t i) {
    if (first + i != at) scan(at, first + i, fold);
    at = first + i;
    fold = nullptr;
  });
  scan(at, first + count, fold);
}

template <class Work, class Scan>
void scan_runs(upsweep::device& d, std::uint64_t n, const Work& work, bool alone, const Scan& scan) {
  for_each_block_of_runs(
      d, n, work, alone,
      [&](std::uint64_t first, std::uint64_t count, const head_bits& heads, const open_run<Work>& before) {
        scan_runs_of_block(first, count, heads, before.fold, scan);
      });
}

// Places of runs of equal keys: one after the other.
struct consecutive_slots {
  std::uint64_t runs;
  std::uint64_t open() const { return runs - 1; }
  std::uint64_t next() { return runs++; }
};

// m segments by their offsets: an address, or anything else that has offsets[i].
template <class Offsets>
class segments_by {
 public:
  // Throws where offsets decrease or pass n.
  segments_by(Offsets offsets, std::uint64_t m, std::uint64_t n, const char* where)
      : offsets_(std::move(offsets)), m_(m) {
    if (ascend() && offsets_[m] <= n) [[likely]]
      return;
    for (std::uint64_t s = 0; s <= m; ++s)
      if (offsets_[s] > n || (s > 0 && offsets_[s] < offsets_[s - 1]))
        throw error(fault::bad_argument, where, "offset " + std::to_string(s) + " is " + std::to_string(offsets_[s]),
                    "give offsets that do not decrease and do not pass the end, " + std::to_string(n));
  }

  std::uint64_t begin() const { return offsets_[0]; }
  std::uint64_t elements() const { return offsets_[m_] - offsets_[0]; }

  std::uint64_t count() const { return m_; }
  // Elements count from the beginning of the first segment: where segment s begins, and s - 1 ends.
  std::uint64_t start(std::uint64_t s) const { return offsets_[s] - offsets_[0]; }
  // The first segment that begins at the element or after it, or count().
  std::uint64_t not_before(std::uint64_t element) const { return not_below(begin() + element); }

 private:
  // Whether offsets never decrease. Signs alone tell, so that compilers make vectors of it.
  bool ascend() const {
    constexpr std::uint64_t together = 32;
    const auto at = [this](std::uint64_t s) { return static_cast<std::uint64_t>(offsets_[s]); };
    std::uint64_t signs = at(0), s = 0;
    for (; m_ - s >= together; s += together)
      for (std::uint64_t k = 0; k < together; ++k) signs |= (at(s + k + 1) - at(s + k)) | at(s + k + 1);
    for (; s < m_; ++s) signs |= (at(s + 1) - at(s)) | at(s + 1);
    return signs >> 63 == 0;
  }

  // The first of the m segments whose offset is not below x, or m.
  std::uint64_t not_below(std::uint64_t x) const {
    std::uint64_t first = 0, count = m_;
    while (count > 0) {
      const std::uint64_t half = count / 2;
      if (offsets_[first + half] < x)
        first += half + 1, count -= half + 1;
      else
        count = half;
    }
    return first;
  }

  Offsets offsets_;
  std::uint64_t m_;
};
using segment_list = segments_by<const std::uint64_t*>;

// As for_each_block_of_runs, but offsets say where runs begin, and nothing is marked: calls
// body(first, last, s, end, before) for each block [first, last), where segments [s, end) begin, and `before` is the
// fold of the one that is open there, as far as it goes. A block and a segment meet as they do there.
template <class Work, class Offsets, class Body>
void for_each_block_of_segments(upsweep::device& d, const segments_by<Offsets>& segments, const Work& work, bool alone,
                                const Body& body) {
  using carry = std::optional<typename Work::carry>;
  const std::uint64_t n = segments.elements(), block = work.block(), blocks = block_count(n, block);
  carry before_next;
  relay turns;
  const auto one_block = [&](std::uint64_t b, const stop_flag& stop) {
    const bool is_last = b + 1 == blocks;  // nobody needs what it leaves open
    const std::uint64_t first = b * block, last = is_last ? n : first + block;
    const std::uint64_t s = segments.not_before(first), end = segments.not_before(last);
    carry tail;
    if (!is_last) tail = work.fold(s < end ? segments.start(end - 1) : first, last);
    turns.await(b, stop);
    const carry before = before_next;
    if (!is_last) before_next = s < end || !before ? tail : work.join(*before, *tail);
    turns.pass(b);
    body(first, last, s, end, before);
  };
  if (alone)
    for (std::uint64_t b = 0; b < blocks; ++b) one_block(b, stop_flag{});
  else
    for_each_block(d, blocks, one_block);
}

// put(s, fold) for each segment that has elements, none(s) for every other. look(first, last, s, end) gives for a block
// what folds elements of one of its segments.
template <class Work, class Offsets, class Look, class Put, class None>
void fold_segments(upsweep::device& d, const segments_by<Offsets>& segments, const Work& work, bool alone,
                   const Look& look, const Put& put, const None& none) {
  const std::uint64_t n = segments.elements();
  const auto body = [&](std::uint64_t first, std::uint64_t last, std::uint64_t s, std::uint64_t end,
                        const auto& before) {
    const auto fold = look(first, last, s, end);
    const bool ends = last == n;
    std::uint64_t from = s < end ? segments.start(s) : last;
    if (before && (s < end || ends)) put(s - 1, from == first ? *before : work.join(*before, fold(first, from)));
    // The last to begin here is open, unless everything ends.
    for (const std::uint64_t whole = ends || s == end ? end : end - 1; s < whole; ++s) {
      const std::uint64_t to = segments.start(s + 1);
      if (from == to)
        none(s);
      else
        put(s, fold(from, to));
      from = to;
    }
  };
  for_each_block_of_segments(d, segments, work, alone, body);
  for (std::uint64_t s = segments.not_before(n); s < segments.count(); ++s) none(s);
}

// scan as in scan_runs.
template <class Offsets, class Carry, class Scan>
void scan_segments_of_block(const segments_by<Offsets>& segments, std::uint64_t first, std::uint64_t last,
                            std::uint64_t s, std::uint64_t end, const std::optional<Carry>& before, const Scan& scan) {
  std::uint64_t from = s < end ? segments.start(s) : last;
  if (from != first) scan(first, from, before ? &*before : nullptr);
  for (; s < end; ++s) {
    const std::uint64_t to = s + 1 < end ? segments.start(s + 1) : last;
    if (from != to) scan(from, to, nullptr);
    from = to;
  }
}

// The Work of an operator and transform of the user's own; `heads` as write_heads above, or null where offsets tell.
template <class T, class Op, class F, class Heads, class In = const T*>
struct custom_runs {
  using carry = T;
  In in;  // an address, or anything else that has in[i]
  const Op& op;
  const F& f;
  const Heads& heads;

  static constexpr std::uint64_t block() {
    return block_elements(segmented_room::cpu_tuned.custom_block_bytes, sizeof(T));
  }
  std::uint64_t write_heads(std::uint64_t first, std::uint64_t count, std::uint64_t* bits) const {
    return heads(first, count, bits);
  }
  T join(const T& a, const T& b) const { return op(a, b); }
  T element(std::uint64_t i) const { return upsweep::lifted(op, T(f(in[i]))); }
  T fold(std::uint64_t first, std::uint64_t last) const {
    T all = element(first);
    for (std::uint64_t i = first + 1; i < last; ++i) all = op(all, element(i));
    return all;
  }

  // For `before` see scan_runs; each element is read before its place is written.
  template <class Out>
  void scan(std::uint64_t first, std::uint64_t last, const T* before, const T& init, bool inclusive, Out out) const {
    T running = before ? T(op(upsweep::lifted(op, init), *before)) : init;
    if (inclusive) {
      for (std::uint64_t i = first; i < last; ++i) {
        running = op(running, element(i));
        out[i] = running;
      }
      return;
    }
    for (std::uint64_t i = first; i < last; ++i) {
      T next = op(running, element(i));
      out[i] = running;
      running = std::move(next);
    }
  }
};

// Where keys differ from the one before them.
template <class Keys, class Equal>
auto heads_of_keys(Keys keys, const Equal& equal) {
  return [keys, &equal](std::uint64_t first, std::uint64_t count, std::uint64_t* bits) {
    bits[count / 64] = 0;
    return cpu::mark_bits(
        count, bits, [&](std::uint64_t i) { return first + i == 0 || !equal(keys[first + i - 1], keys[first + i]); });
  };
}

// keys_out and out get one element for each run of equal keys; returns how many there are. Outputs overlap no input.
// Folded in T; keys, in, keys_out and out are addresses, or anything else that is read, or written, by [i].
template <class T, class Keys, class In, class KOut, class Out, class Equal, class Op, class F>
std::uint64_t reduce_by_keys(upsweep::device& d, Keys keys, In in, std::uint64_t n, KOut keys_out, Out out, Equal equal,
                             Op op, F f) {
  const auto heads = heads_of_keys(keys, equal);
  const custom_runs<T, Op, F, decltype(heads), In> work{in, op, f, heads};
  const auto slots = [&](std::uint64_t first, std::uint64_t count, const head_bits& here, std::uint64_t runs) {
    here.for_each(count, [&, place = runs](std::uint64_t i) mutable { keys_out[place++] = keys[first + i]; });
    return consecutive_slots{runs};
  };
  return reduce_runs(d, n, work, false, slots, [&](std::uint64_t place, const T& fold) { out[place] = fold; });
}
template <class K, class T, class Equal, class Op, class F>
std::uint64_t reduce_by_key_custom(upsweep::device& d, const K* keys, const T* in, std::uint64_t n, K* keys_out, T* out,
                                   Equal equal, Op op, F f) {
  return cpu::reduce_by_keys<T>(d, keys, in, n, keys_out, out, equal, op, f);
}

template <class T, class Keys, class In, class Out, class Equal, class Op, class F>
void scan_by_keys(upsweep::device& d, Keys keys, In in, std::uint64_t n, Out out, T init, bool inclusive, Equal equal,
                  Op op, F f) {
  const auto heads = heads_of_keys(keys, equal);
  const custom_runs<T, Op, F, decltype(heads), In> work{in, op, f, heads};
  scan_runs(d, n, work, false, [&](std::uint64_t first, std::uint64_t last, const T* before) {
    work.scan(first, last, before, init, inclusive, out);
  });
}
template <class K, class T, class Equal, class Op, class F>
void scan_by_key_custom(upsweep::device& d, const K* keys, const T* in, std::uint64_t n, T* out, T init, bool inclusive,
                        Equal equal, Op op, F f) {
  cpu::scan_by_keys<T>(d, keys, in, n, out, init, inclusive, equal, op, f);
}

template <class T, class In, class Offsets, class Out, class Op, class F>
void reduce_segments(upsweep::device& d, In in, std::uint64_t n, Offsets offsets, std::uint64_t m, Out out, T init,
                     Op op, F f) {
  if (m == 0) return;
  const segments_by<Offsets> segments(offsets, m, n, "segmented_reduce");
  const custom_runs<T, Op, F, std::nullptr_t, In> work{in + segments.begin(), op, f, nullptr};
  const auto fold = [&](std::uint64_t from, std::uint64_t to) { return work.fold(from, to); };
  fold_segments(
      d, segments, work, false, [&](auto...) { return fold; },
      [&](std::uint64_t s, const T& fold_of_s) { out[s] = op(init, fold_of_s); },
      [&](std::uint64_t s) { out[s] = init; });
}
template <class T, class Op, class F>
void segmented_reduce_custom(upsweep::device& d, const T* in, std::uint64_t n, const std::uint64_t* offsets,
                             std::uint64_t m, T* out, T init, Op op, F f) {
  cpu::reduce_segments<T>(d, in, n, offsets, m, out, init, op, f);
}

template <class T, class In, class Offsets, class Out, class Op, class F>
void scan_segments(upsweep::device& d, In in, std::uint64_t n, Offsets offsets, std::uint64_t m, Out out, T init,
                   bool inclusive, Op op, F f) {
  if (m == 0) return;
  const segments_by<Offsets> segments(offsets, m, n, "segmented_scan");
  const custom_runs<T, Op, F, std::nullptr_t, In> work{in + segments.begin(), op, f, nullptr};
  const auto to = out + segments.begin();
  const auto scan = [&](std::uint64_t first, std::uint64_t last, const T* before) {
    work.scan(first, last, before, init, inclusive, to);
  };
  for_each_block_of_segments(
      d, segments, work, false,
      [&](std::uint64_t first, std::uint64_t last, std::uint64_t s, std::uint64_t end, const std::optional<T>& before) {
        cpu::scan_segments_of_block(segments, first, last, s, end, before, scan);
      });
}
template <class T, class Op, class F>
void segmented_scan_custom(upsweep::device& d, const T* in, std::uint64_t n, const std::uint64_t* offsets,
                           std::uint64_t m, T* out, T init, bool inclusive, Op op, F f) {
  cpu::scan_segments<T>(d, in, n, offsets, m, out, init, inclusive, op, f);
}

}  // namespace upsweep::cpu
