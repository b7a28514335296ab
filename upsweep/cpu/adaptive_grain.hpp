// Loops over user-defined functions, whose cost is unknown. The calling thread begins alone and reads a clock from time
// to time. If the calls prove slow, all threads share the rest, in pieces of about 50 microseconds.
//
// Only the schedule depends on the clock. The grouping of a fold depends on the count alone: a fold divides its work
// into chains at fixed positions, and a chain is never split.
//
// Cost: a static variable of type `pace` stores the last measured cost of the calls of one instantiation. Calls known
// to be fast read no clock, except one in 64.
#pragma once

#include <atomic>
#include <cstdint>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/cancellation_point.hpp"

namespace upsweep::cpu {

// A clock of about three ticks per nanosecond. Ticks are only compared with the bounds below. They affect no result.
std::uint64_t ticks();

// The last measured cost of the calls of one instantiation. All threads share it; a lost update is harmless.
class pace {
 public:
  // Whether `calls` calls are known to be so few and so fast that no measurement is needed.
  bool is_fast(std::uint64_t calls) {
    const std::uint64_t now = known_.load(std::memory_order_relaxed);
    if (calls > now >> 32 || static_cast<std::uint32_t>(now) == 0) [[unlikely]]
      return false;
    known_.store(now - 1, std::memory_order_relaxed);
    return true;
  }
  void note(std::uint64_t elapsed, std::uint64_t calls) {
    const std::uint64_t cost = 16 * elapsed / (calls ? calls : 1) + 1, few = 16 * most_alone / cost;
    known_.store(few << 32 | (cost < 16 * slow_call ? 64 : 0), std::memory_order_relaxed);
  }
  // The number of calls that take `elapsed` ticks, as far as is known.
  std::uint64_t calls_in(std::uint64_t elapsed) const {
    return elapsed * (known_.load(std::memory_order_relaxed) >> 32) / most_alone;
  }

  static constexpr std::uint64_t most_alone = 90'000;  // ticks of work that are not worth waking a thread for
  static constexpr std::uint64_t slow_call = 3'000;    // ticks of one call, which is then measured every time
  static constexpr std::uint64_t piece = 150'000;      // ticks of work that a thread takes at once

 private:
  // Upper half: the number of calls that take `most_alone` ticks. Lower half: the number of uses left before the next
  // measurement.
  std::atomic<std::uint64_t> known_{0};
};

// A non-owning reference to a callable (first, last). It must not outlive the call it is passed to.
class range_body {
 public:
  template <class Body>
  range_body(const Body& body)
      : body_(&body), call_([](const void* b, std::uint64_t first, std::uint64_t last) {
          (*static_cast<const Body*>(b))(first, last);
        }) {}
  void operator()(std::uint64_t first, std::uint64_t last) const { call_(body_, first, last); }

 private:
  const void* body_;
  void (*call_)(const void*, std::uint64_t, std::uint64_t);
};

// Calls body(i, j) for pieces of [first, last), in order, until the calls prove slow and much is left. Returns the
// first index that no piece covered. `outer`: the stop flag of the enclosing blocks, or null.
std::uint64_t advance_while_fast(std::uint64_t first, std::uint64_t last, pace& known, range_body body,
                                 const stop_flag* outer = nullptr);

// Calls body(i, j) for pieces of [first, last): on this thread while the calls are fast, then on all threads of the
// device. `outer` as above. If `d` is null it uses the threads that oneTBB provides to the caller. Rethrows exceptions
// of body.
void loop_by_pace(device* d, std::uint64_t first, std::uint64_t last, pace& known, range_body body,
                  const stop_flag* outer = nullptr);

// Calls body(first, last) for pieces that cover [0, n). The boundaries of pieces depend on the clock.
template <class Body>
void for_each_paced(device& d, std::uint64_t n, const Body& body, const stop_flag* outer = nullptr) {
  static constinit pace known;
  if (known.is_fast(n)) [[likely]]
    return body(std::uint64_t{0}, n);
  cpu::loop_by_pace(&d, 0, n, known, body, outer);
}

// Version without a device. One thread makes at least `grain` fast calls.
template <class Body>
void for_each_paced_piece(std::uint64_t n, std::uint64_t grain, const Body& body) {
  static constinit pace known;
  cpu::for_each_block(block_count(n, grain), [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * grain, last = n - first < grain ? n : first + grain;
    if (known.is_fast(last - first)) return body(first, last);
    cpu::loop_by_pace(nullptr, first, last, known, body, n <= grain ? nullptr : &stop);
  });
}

// Version for [first, last) within a block.
template <class Body>
void for_each_paced(device& d, std::uint64_t first, std::uint64_t last, const Body& body, const stop_flag& outer) {
  cpu::for_each_paced(d, last - first, [&](std::uint64_t i, std::uint64_t j) { body(first + i, first + j); }, &outer);
}

// mark_bits for a user-defined test: sets bit i of `bits` if test(i), for i < count, clears the other bits of the words
// that it writes, and returns the number of bits set.
template <class Test>
std::uint64_t mark_bits_by_pace(device& d, std::uint64_t count, std::uint64_t* bits, const Test& test,
                                const stop_flag* outer) {
  static constinit pace known;
  if (known.is_fast(count)) [[likely]]
    return cpu::mark_bits(count, bits, test);
  const std::uint64_t words = block_count(count, 64);
  for (std::uint64_t w = 0; w < words; ++w) bits[w] = 0;
  cpu::loop_by_pace(
      &d, 0, count, known,
      [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last;) {
          const std::uint64_t begin = i, end = last - begin / 64 * 64 < 64 ? last : (begin / 64 + 1) * 64;
          std::uint64_t word = 0;
          for (; i < end; ++i) word |= static_cast<std::uint64_t>(static_cast<bool>(test(i))) << i % 64;
          // Relaxed: pieces may share a word, which is read only after all pieces have ended.
          if (word) std::atomic_ref(bits[begin / 64]).fetch_or(word, std::memory_order_relaxed);
        }
      },
      outer);
  std::uint64_t set = 0;
  for (std::uint64_t w = 0; w < words; ++w) set += static_cast<std::uint64_t>(std::popcount(bits[w]));
  return set;
}

// Every thread of a run polls it between slow calls. It throws on all of them once the call is cancelled.
class watch {
 public:
  void ask();

 private:
  cancellation_point cancellation_;
  std::atomic<bool> over_{false};
};

// Polls until `ended` is `all` or the run has failed. Throws if the call is cancelled.
void ask_until(const std::atomic<std::uint64_t>& ended, std::uint64_t all, const stop_flag& stop,
               const stop_flag* outer);

// Runs chain(k, ask) for k < chains on all threads. A chain calls ask() between its elements; ask() throws if the call
// is cancelled.
template <class Chain>
void run_chains(device& d, std::uint64_t chains, const stop_flag* outer, const Chain& chain) {
  cancellation_point cancellation;
  std::atomic<std::uint64_t> next{0}, ended{0};
  const auto threads = static_cast<std::uint64_t>(threads_of(d));
  cpu::for_each_block(d, chains < threads ? chains : threads, [&](std::uint64_t, const stop_flag& stop) {
    for (std::uint64_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < chains;) {
      chain(k, [&] {
        if (stop.raised() || (outer && outer->raised())) abandon();
        cancellation.poll();
      });
      ended.fetch_add(1, std::memory_order_relaxed);
    }
    // A chain may be long, and the thread that polls for cancellation may find no chain left. So every block of this
    // run stays active until the last chain has ended.
    if (cancellation.is_active()) cpu::ask_until(ended, chains, stop, outer);
  });
}

// Whether `n` calls are worth waking threads for. Measures with one to three extra calls. For algorithms whose calls
// depend on one another, so that none can be measured during the work.
template <class Call>
bool calls_are_slow(pace& known, std::uint64_t n, const Call& call) {
  if (known.is_fast(n)) return false;
  std::uint64_t least = ~std::uint64_t{0};
  for (int k = 0; k < 3 && least >= pace::slow_call; ++k) {  // the first call may wait for memory and for its own code
    const std::uint64_t begun = cpu::ticks();
    call();
    const std::uint64_t took = cpu::ticks() - begun;
    least = took < least ? took : least;
    if (least > pace::most_alone) break;
  }
  known.note(least, 1);
  return least >= pace::slow_call && least * n > pace::most_alone;
}

}  // namespace upsweep::cpu
