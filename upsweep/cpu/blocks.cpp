#include "upsweep/cpu/blocks.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "upsweep/cpu/device.hpp"

namespace upsweep::cpu {

namespace {

struct abandoned {};

void let_others_run(int waited) {
  // The predecessor is usually a few hundred cycles away; when it was preempted, spinning would only keep it from a core.
  if (waited < 256) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  } else {
    std::this_thread::yield();
  }
}

}  // namespace

int threads_of(const upsweep::device& d) { return static_cast<const device&>(d).threads(); }

void for_each_block(upsweep::device& d, std::uint64_t blocks, block_body body) {
  stop_flag stop;
  const auto threads = static_cast<int>(std::min<std::uint64_t>(threads_of(d), blocks));
  if (threads <= 1) {
    for (std::uint64_t b = 0; b < blocks; ++b) body(b, stop);
    return;
  }

  alignas(64) std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  const auto worker = [&](int) {
    try {
      // Relaxed: a ticket orders nothing but the blocks themselves.
      for (std::uint64_t b; !stop.raised() && (b = next.fetch_add(1, std::memory_order_relaxed)) < blocks;)
        // A body that itself waits for oneTBB must not be handed another worker there: that one could wait for this block.
        oneapi::tbb::this_task_arena::isolate([&] { body(b, stop); });
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
      stop.raise();
    }
  };
  static_cast<device&>(d).arena().execute(
      [&] { oneapi::tbb::parallel_for(0, threads, worker, oneapi::tbb::simple_partitioner{}); });
  if (failure) std::rethrow_exception(failure);
}

void relay::await(std::uint64_t block, const stop_flag& stop) const {
  for (int waited = 0; turn_.load(std::memory_order_acquire) != block; ++waited) {
    if (stop.raised()) throw abandoned{};
    let_others_run(waited);
  }
}

}  // namespace upsweep::cpu
