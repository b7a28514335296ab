// Folds and scans within runs on the CPU: runs of equal keys, or segments given by offsets; for user-defined types
// and operators, and, with folds by vectors, for the built-in ones (segmented_cpu.cpp).
//
// Threads take blocks in order. Each marks the beginnings of runs in its block (for segments, the offsets give them)
// and folds the elements after the last beginning. It takes from the block before the fold of the run that is open
// there and the number of runs so far, passes its own on, and then processes its block while the block is in the
// cache. Block boundaries depend only on n, so results do not depend on the number of threads. Operators need not
// commute. All threads share a long run, and short runs cost what their elements cost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/cpu/adaptive_grain.hpp"
#include "upsweep/error.hpp"
#include "upsweep/operators/wide_accumulators.hpp"
#include "upsweep/segmented/cpu/segmented_cpu_tuning.hpp"

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
  // The last head; requires that there is one.
  std::uint64_t last(std::uint64_t count) const {
    std::uint64_t w = (count - 1) / 64;
    while (words_[w] == 0) --w;
    return w * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(words_[w]));
  }

 private:
  std::vector<std::uint64_t> words_;
};

// A Work defines the runs and the operation on them:
//   carry                                the type that holds a fold
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
// the run that is open at the end.
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

// slots(first, count, heads, runs) returns a cursor for a block: open() is the position of the run open there, next()
// that of the next to begin. put(place, fold) is called once for every run. Returns the number of runs.
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

// scan(first, last, before) scans elements of one run; `before` is the fold of the elements that precede them in it,
// null at its beginning.
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

// Positions of runs of equal keys: one after the other.
struct consecutive_slots {
  std::uint64_t runs;
  std::uint64_t open() const { return runs - 1; }
  std::uint64_t next() { return runs++; }
};

// m segments by their offsets: an address, or any other object that has offsets[i].
template <class Offsets>
class segments_by {
 public:
  // Throws if offsets decrease or exceed n.
  segments_by(Offsets offsets, std::uint64_t m, std::uint64_t n, const char* where)
      : offsets_(std::move(offsets)), m_(m) {
    if (ascend() && offsets_[m] <= n) [[likely]]
      return;
    for (std::uint64_t s = 0; s <= m; ++s)
      if (offsets_[s] > n || (s > 0 && offsets_[s] < offsets_[s - 1]))
        core::throw_error(error(fault::bad_argument, where,
                                "offset " + std::to_string(s) + " is " + std::to_string(offsets_[s]),
                                "give offsets that do not decrease and do not pass the end, " + std::to_string(n)));
  }

  std::uint64_t begin() const { return offsets_[0]; }
  std::uint64_t elements() const { return offsets_[m_] - offsets_[0]; }

  std::uint64_t count() const { return m_; }
  // Elements count from the beginning of the first segment. Returns where segment s begins, and s - 1 ends.
  std::uint64_t start(std::uint64_t s) const { return offsets_[s] - offsets_[0]; }
  // The first segment that begins at or after the element, or count().
  std::uint64_t not_before(std::uint64_t element) const { return not_below(begin() + element); }

 private:
  // Whether offsets never decrease. Only signs are tested, so that compilers vectorise the loop.
  bool ascend() const {
    constexpr std::uint64_t together = 32;
    const auto at = [this](std::uint64_t s) { return static_cast<std::uint64_t>(offsets_[s]); };
    std::uint64_t signs = at(0), s = 0;
    for (; m_ - s >= together; s += together)
      for (std::uint64_t k = 0; k < together; ++k) signs |= (at(s + k + 1) - at(s + k)) | at(s + k + 1);
    for (; s < m_; ++s) signs |= (at(s + 1) - at(s)) | at(s + 1);
    return signs >> 63 == 0;
  }

  // The first of the m segments whose offset is not less than x, or m.
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

// Like for_each_block_of_runs, but offsets give the beginnings of runs, and no bits are written. Calls body(first,
// last, s, end, before) for each block [first, last), in which segments [s, end) begin; `before` is the fold so far
// of the segment that is open there.
template <class Work, class Offsets, class Body>
void for_each_block_of_segments(upsweep::device& d, const segments_by<Offsets>& segments, const Work& work, bool alone,
                                const Body& body) {
  using carry = std::optional<typename Work::carry>;
  const std::uint64_t n = segments.elements(), block = work.block(), blocks = block_count(n, block);
  carry before_next;
  relay turns;
  const auto one_block = [&](std::uint64_t b, const stop_flag& stop) {
    const bool is_last = b + 1 == blocks;  // the fold it leaves open is not used
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

// Calls put(s, fold) for each segment that has elements, none(s) for every other. look(first, last, s, end) returns,
// for a block, the function that folds elements of one of its segments.
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
    // The last segment that begins here stays open, unless it also ends.
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

// The Work of a user-defined operator and transform; `heads` as write_heads above, or null for offsets.
template <class T, class Op, class F, class Heads, class In = const T*>
struct custom_runs {
  using carry = core::carrier<T, Op>;
  In in;  // an address, or anything else that has in[i]
  const Op& op;
  const F& f;
  const Heads& heads;
  std::uint64_t n;
  watch* between;
  bool slow = false;  // then `between` is called between elements

  // Fewer of a short sequence, so that slow calls have more than one thread.
  std::uint64_t block() const {
    constexpr std::uint64_t most = block_elements(detail::segmented_impl::cpu_tuned.custom_block_bytes, sizeof(T));
    return std::clamp<std::uint64_t>(block_count(n, 8 * 64) * 64, std::min<std::uint64_t>(most, 256), most);
  }
  // `more` calls the other user-defined functions, for example the equality.
  template <class More>
  void look_at_pace(const More& more) {
    static constinit pace known;
    slow = n > 1 && cpu::calls_are_slow(known, n, [&] { (void)op(element(0), element(1)), more(); });
  }
  // Whether the calling thread processes the input alone: short sequences by fast calls.
  bool alone() const {
    return !slow && n <= block_elements(detail::segmented_impl::cpu_tuned.custom_block_bytes, sizeof(T));
  }
  std::uint64_t write_heads(std::uint64_t first, std::uint64_t count, std::uint64_t* bits) const {
    return heads(first, count, bits);
  }
  carry join(const carry& a, const carry& b) const { return op(a, b); }
  carry element(std::uint64_t i) const { return upsweep::to_accumulator(op, T(f(in[i]))); }
  carry fold(std::uint64_t first, std::uint64_t last) const {
    carry all = element(first);
    if (slow) {
      for (std::uint64_t i = first + 1; i < last; ++i, between->ask()) all = op(all, element(i));
      return all;
    }
    for (std::uint64_t i = first + 1; i < last; ++i) all = op(all, element(i));
    return all;
  }

  // For `before` see scan_runs; each element is read before its place is written.
  template <class Out>
  void scan(std::uint64_t first, std::uint64_t last, const carry* before, const T& init, bool inclusive,
            Out out) const {
    carry running = before ? carry(op(carry(upsweep::to_accumulator(op, init)), *before)) : carry(init);
    if (slow) {
      for (std::uint64_t i = first; i < last; ++i, between->ask()) {
        carry next = op(running, element(i));
        out[i] = static_cast<T>(inclusive ? next : running);
        running = std::move(next);
      }
      return;
    }
    if (inclusive) {
      for (std::uint64_t i = first; i < last; ++i) {
        running = op(running, element(i));
        out[i] = static_cast<T>(running);
      }
      return;
    }
    for (std::uint64_t i = first; i < last; ++i) {
      carry next = op(running, element(i));
      out[i] = static_cast<T>(running);
      running = std::move(next);
    }
  }
};

// Writes where keys differ from the one before them.
template <class Keys, class Equal>
auto heads_of_keys(Keys keys, const Equal& equal) {
  return [keys, &equal](std::uint64_t first, std::uint64_t count, std::uint64_t* bits) {
    bits[count / 64] = 0;
    return cpu::mark_bits(
        count, bits, [&](std::uint64_t i) { return first + i == 0 || !equal(keys[first + i - 1], keys[first + i]); });
  };
}

// keys_out and out receive one element for each run of equal keys; returns the number of runs. Outputs must not
// overlap inputs. Folded in T; keys, in, keys_out and out are addresses, or any other objects that [i] reads or
// writes.
template <class T, class Keys, class In, class KOut, class Out, class Equal, class Op, class F>
std::uint64_t reduce_by_keys(upsweep::device& d, Keys keys, In in, std::uint64_t n, KOut keys_out, Out out, Equal equal,
                             Op op, F f) {
  const auto heads = heads_of_keys(keys, equal);
  watch between;
  custom_runs<T, Op, F, decltype(heads), In> work{in, op, f, heads, n, &between};
  work.look_at_pace([&] { (void)static_cast<bool>(equal(keys[0], keys[1])); });
  const auto slots = [&](std::uint64_t first, std::uint64_t count, const head_bits& here, std::uint64_t runs) {
    here.for_each(count, [&, place = runs](std::uint64_t i) mutable { keys_out[place++] = keys[first + i]; });
    return consecutive_slots{runs};
  };
  return reduce_runs(d, n, work, work.alone(), slots,
                     [&](std::uint64_t place, const auto& fold) { out[place] = static_cast<T>(fold); });
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
  watch between;
  custom_runs<T, Op, F, decltype(heads), In> work{in, op, f, heads, n, &between};
  work.look_at_pace([&] { (void)static_cast<bool>(equal(keys[0], keys[1])); });
  scan_runs(d, n, work, work.alone(), [&](std::uint64_t first, std::uint64_t last, const core::carrier<T, Op>* before) {
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
  watch between;
  custom_runs<T, Op, F, std::nullptr_t, In> work{in + segments.begin(), op, f, nullptr, segments.elements(), &between};
  work.look_at_pace([] {});
  const auto fold = [&](std::uint64_t from, std::uint64_t to) { return work.fold(from, to); };
  fold_segments(
      d, segments, work, work.alone(), [&](auto...) { return fold; },
      [&](std::uint64_t s, const auto& fold_of_s) {
        out[s] = static_cast<T>(op(core::carrier<T, Op>(init), fold_of_s));
      },
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
  watch between;
  custom_runs<T, Op, F, std::nullptr_t, In> work{in + segments.begin(), op, f, nullptr, segments.elements(), &between};
  work.look_at_pace([] {});
  const auto to = out + segments.begin();
  const auto scan = [&](std::uint64_t first, std::uint64_t last, const core::carrier<T, Op>* before) {
    work.scan(first, last, before, init, inclusive, to);
  };
  for_each_block_of_segments(
      d, segments, work, work.alone(),
      [&](std::uint64_t first, std::uint64_t last, std::uint64_t s, std::uint64_t end, const auto& before) {
        cpu::scan_segments_of_block(segments, first, last, s, end, before, scan);
      });
}
template <class T, class Op, class F>
void segmented_scan_custom(upsweep::device& d, const T* in, std::uint64_t n, const std::uint64_t* offsets,
                           std::uint64_t m, T* out, T init, bool inclusive, Op op, F f) {
  cpu::scan_segments<T>(d, in, n, offsets, m, out, init, inclusive, op, f);
}

}  // namespace upsweep::cpu
