#include "upsweep/cpu/adaptive_grain.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace upsweep::cpu {

std::uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#else
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return 3 * static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
#endif
}

namespace {

void go_on(const stop_flag* outer) {
  if (outer && outer->raised()) throw abandoned{};
}

// Keeps whole the groups of calls that compilers vectorize.
std::uint64_t rounded(std::uint64_t calls) { return calls < 64 ? calls : calls / 32 * 32; }

std::uint64_t fitting(std::uint64_t elapsed, std::uint64_t calls, std::uint64_t wanted) {
  return std::max<std::uint64_t>(wanted * calls / std::max<std::uint64_t>(elapsed, 1), 1);
}

// Threads take pieces by ticket. The length of a piece follows from the time that the thread's last piece took.
void share_out(device* d, std::uint64_t first, std::uint64_t last, std::uint64_t begin_with, range_body body,
               const stop_flag* outer) {
  const auto there = static_cast<std::uint64_t>(d ? threads_of(*d) : oneapi::tbb::this_task_arena::max_concurrency());
  const std::uint64_t threads = std::min(there, last - first);
  const std::uint64_t most = (last - first) / (4 * threads) + 1;
  std::atomic<std::uint64_t> next{first};
  cancellation_point cancellation;
  const auto work = [&](std::uint64_t, const stop_flag& stop) {
    std::uint64_t length = std::min(begin_with, most);
    while (!stop.raised()) {
      go_on(outer);
      const std::uint64_t begin = next.fetch_add(length, std::memory_order_relaxed);
      if (begin >= last) return;
      const std::uint64_t end = std::min(last, begin + length), begun = ticks();
      body(begin, end);
      const std::uint64_t fits = fitting(ticks() - begun, end - begin, pace::piece);
      cancellation.poll();
      length = rounded(std::min({fits, 2 * length, most}));
    }
  };
  d ? for_each_block(*d, threads, work) : for_each_block(threads, work);
  go_on(outer);
}

}  // namespace

std::uint64_t advance_while_fast(std::uint64_t first, std::uint64_t last, pace& known, range_body body,
                                 const stop_flag* outer) {
  // Short pieces, so that slow calls are detected before much of the loop is done.
  const std::uint64_t calls = last - first, most = std::max<std::uint64_t>(calls / 16, 16);
  std::uint64_t at = first, spent = 0, length = 1;
  // Within a block the other threads have blocks of their own, until the end of the run.
  const std::uint64_t worth_sharing = outer ? 32 * pace::most_alone : pace::most_alone;
  while (at < last) {
    const std::uint64_t end = last - at < length + length / 2 ? last : at + length, begun = ticks();
    body(at, end);
    const std::uint64_t took = ticks() - begun, made = end - at;
    at = end, spent += took;
    if (took > pace::most_alone) go_on(outer), cancellation_point().poll();
    const std::uint64_t each = took / made, left = last - at;
    if (spent > pace::most_alone / 2 && each * left > worth_sharing) {
      known.note(took, made);
      return at;
    }
    length = rounded(std::clamp<std::uint64_t>(fitting(took, made, pace::most_alone / 2), 1, most));
    length = std::min(length, 4 * made);
  }
  if (calls) known.note(spent, calls);
  return last;
}

void loop_by_pace(device* d, std::uint64_t first, std::uint64_t last, pace& known, range_body body,
                  const stop_flag* outer) {
  const std::uint64_t at = cpu::advance_while_fast(first, last, known, body, outer);
  if (at < last) share_out(d, at, last, std::max<std::uint64_t>(known.calls_in(pace::piece / 4), 1), body, outer);
}

void ask_until(const std::atomic<std::uint64_t>& ended, std::uint64_t all, const stop_flag& stop,
               const stop_flag* outer) {
  cancellation_point cancellation;
  while (ended.load(std::memory_order_relaxed) < all && !stop.raised()) {
    go_on(outer);
    cancellation.poll();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void watch::ask() {
  if (over_.load(std::memory_order_relaxed)) abandon();
  try {
    cancellation_.poll();
  } catch (...) {
    over_.store(true, std::memory_order_relaxed);
    throw;
  }
}

}  // namespace upsweep::cpu
