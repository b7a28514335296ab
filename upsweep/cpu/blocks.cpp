#include "upsweep/cpu/blocks.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>

#include "upsweep/cpu/device.hpp"
#include "upsweep/cpu/question.hpp"
#include "upsweep/cpu/starting.hpp"

namespace upsweep::cpu {

namespace {

struct abandoned {};

void let_others_run(int waited) {
  // The predecessor is usually a few hundred cycles away; when it was preempted, spinning would only keep it from a
  // core.
  if (waited < 256) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  } else {
    std::this_thread::yield();
  }
}

// The threads that share out one run of blocks.
class crew {
 public:
  crew(std::uint64_t blocks, block_body body) : blocks_(blocks), body_(body) {
    begun_.store(true, std::memory_order_release);
  }

  // What each thread does until no block is left.
  void work() {
    (void)begun_.load(std::memory_order_acquire);
    try {
      // Relaxed: a ticket orders nothing but the blocks themselves.
      for (std::uint64_t b; !stop_.raised() && (b = next_.fetch_add(1, std::memory_order_relaxed)) < blocks_;) {
        // A body that itself waits for oneTBB must not be handed another of these tasks there: that one could wait for
        // this block.
        oneapi::tbb::this_task_arena::isolate([&] { body_(b, stop_); });
        question_.ask_in_time();
      }
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
      stop_.raise();
    }
    ended_.fetch_add(1, std::memory_order_release);
  }

  void throw_failure() {
    (void)ended_.load(std::memory_order_acquire);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::uint64_t blocks_;
  block_body body_;
  stop_flag stop_;
  question question_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  // oneTBB orders what the caller and the workers do; these two say it once more in C++, for race detectors that cannot
  // look into it:
  // what the caller wrote before is read after begun_, and what the workers wrote after ended_.
  std::atomic<bool> begun_;
  std::atomic<int> ended_{0};
  alignas(64) std::atomic<std::uint64_t> next_{0};
};

#if defined(__SANITIZE_THREAD__)
#define UPSWEEP_UNSEEN_BY_TSAN __attribute__((no_sanitize("thread")))
#else
#define UPSWEEP_UNSEEN_BY_TSAN
#endif

}  // namespace

int threads_of(const upsweep::device& d) { return static_cast<const device&>(d).threads(); }

namespace {

void run_alone(std::uint64_t blocks, block_body body) {
  const stop_flag never;
  question asked;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    body(b, never);
    asked.ask_in_time();
  }
}

// In the arena that this thread is in.
void run_together(crew& all, int threads) {
  const auto worker = [&all](int) UPSWEEP_UNSEEN_BY_TSAN { all.work(); };  // the capture came through oneTBB
  try {
    oneapi::tbb::parallel_for(0, threads, worker, oneapi::tbb::simple_partitioner{});
  } catch (const std::runtime_error&) {
    // oneTBB could not start a thread that could be started before; what a body throws, the crew keeps. Those that are
    // there do the work.
    all.work();
  }
}

}  // namespace

void for_each_block(upsweep::device& d, std::uint64_t blocks, block_body body) {
  const auto threads = static_cast<int>(std::min<std::uint64_t>(threads_of(d), blocks));
  // An arena wants all its threads, however few tasks there are.
  if (threads <= 1 || !threads_are_there(threads_of(d))) return run_alone(blocks, body);
  crew all(blocks, body);
  static_cast<device&>(d).arena().execute([&] { run_together(all, threads); });
  all.throw_failure();
}

void for_each_block(std::uint64_t blocks, block_body body) {
  const int most = oneapi::tbb::this_task_arena::max_concurrency();
  const auto threads = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(most), blocks));
  if (threads <= 1 || !threads_are_there(most)) return run_alone(blocks, body);
  crew all(blocks, body);
  run_together(all, threads);
  all.throw_failure();
}

void relay::await(std::uint64_t block, const stop_flag& stop) const {
  for (int waited = 0; turn_.load(std::memory_order_acquire) != block; ++waited) {
    if (stop.raised()) throw abandoned{};
    let_others_run(waited);
  }
}

}  // namespace upsweep::cpu
