#include "upsweep/cpu/block_partition.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "upsweep/cpu/cancellation_point.hpp"
#include "upsweep/cpu/cpu_device.hpp"
#include "upsweep/cpu/thread_availability.hpp"

namespace upsweep::cpu {

namespace {

void let_others_run(int waited) {
  // The predecessor usually finishes within a few hundred cycles. If it was preempted, spinning would only keep it from
  // a core.
  if (waited < 256) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  } else {
    std::this_thread::yield();
  }
}

// Whether this thread runs a block.
thread_local constinit bool in_block = false;

// The threads that run the blocks of one call.
class crew {
 public:
  crew(std::uint64_t blocks, block_body body) : blocks_(blocks), body_(body) {
    begun_.store(true, std::memory_order_release);
  }

  // Each thread runs this until no block is left.
  void work() {
    (void)begun_.load(std::memory_order_acquire);
    const cancellation_point::scope of_the_call(cancellation_);
    try {
      // Relaxed: a ticket orders only the blocks themselves.
      for (std::uint64_t b; !stop_.raised() && (b = next_.fetch_add(1, std::memory_order_relaxed)) < blocks_;) {
        // While a body waits for oneTBB, oneTBB must not run another of these tasks on its thread: that task could wait
        // for this block.
        oneapi::tbb::this_task_arena::isolate([&] {
          const bool before = std::exchange(in_block, true);
          struct at_end {
            bool before;
            ~at_end() { in_block = before; }
          } const restored{before};
          body_(b, stop_);
        });
        cancellation_.poll();
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
  cancellation_point cancellation_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  // oneTBB orders the caller's and the workers' accesses. These two atomics repeat that order in C++ for race
  // detectors, which cannot see into oneTBB: writes of the caller come before loads of begun_, and writes of the
  // workers before loads of ended_.
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

void abandon() { throw abandoned{}; }

int threads_of(const upsweep::device& d) { return static_cast<const device&>(d).threads(); }

namespace {

void run_alone(std::uint64_t blocks, block_body body) {
  const stop_flag never;
  cancellation_point cancellation;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    body(b, never);
    cancellation.poll();
  }
}

// Runs in the arena of this thread.
void run_together(crew& all, int threads) {
  const auto worker = [&all](int) UPSWEEP_UNSEEN_BY_TSAN { all.work(); };  // the capture came through oneTBB
  try {
    oneapi::tbb::parallel_for(0, threads, worker, oneapi::tbb::simple_partitioner{});
  } catch (const std::runtime_error&) {
    // oneTBB could not start a thread although threads could be started before. Exceptions of bodies are stored in the
    // crew. The threads that exist do the work.
    all.work();
  }
}

}  // namespace

void for_each_block(upsweep::device& d, std::uint64_t blocks, block_body body) {
  const auto threads = static_cast<int>(std::min<std::uint64_t>(threads_of(d), blocks));
  // An arena requests all of its threads, however few tasks there are.
  if (threads <= 1 || !threads_are_there(threads_of(d))) return run_alone(blocks, body);
  crew all(blocks, body);
  static_cast<device&>(d).arena().execute([&] {
    // execute() ends the isolation of the block that makes this call, also if the thread is in this arena already.
    if (in_block)
      oneapi::tbb::this_task_arena::isolate([&] { run_together(all, threads); });
    else
      run_together(all, threads);
  });
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
    if (stop.raised()) abandon();
    if (waited >= 256) cancellation_point().poll();
    let_others_run(waited);
  }
}

}  // namespace upsweep::cpu
