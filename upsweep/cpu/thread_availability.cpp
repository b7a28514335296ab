#include "upsweep/cpu/thread_availability.hpp"

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace upsweep::cpu {

namespace {

bool can_start(int threads) {
  std::atomic<bool> over{false};
  std::vector<std::jthread> started;  // joined before `over` is destroyed
  started.reserve(static_cast<std::size_t>(threads));
  const auto end = [&] {
    over.store(true);
    over.notify_all();
  };
  try {
    for (int t = 0; t < threads; ++t) started.emplace_back([&over] { over.wait(false); });
  } catch (const std::system_error&) {
    end();
    return false;
  } catch (...) {
    end();
    throw;
  }
  end();
  return true;
}

// Enqueues an empty task in an arena of that many threads. Returns false if a thread could not be started after all.
bool start_workers_of_tbb(int threads) {
  try {
    oneapi::tbb::task_arena(threads).enqueue([] {});
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

bool threads_are_there(int threads) {
  static std::atomic<int> there{1};
  if (threads <= there.load(std::memory_order_relaxed)) return true;
  static std::mutex one_at_a_time;
  const std::scoped_lock held(one_at_a_time);
  if (threads <= there.load(std::memory_order_relaxed)) return true;
  static bool given_up = false;  // oneTBB expects the thread that did not start, and a later loop may wait for it
  // Under a limit, calls do not try to start threads each time.
  using clock = std::chrono::steady_clock;
  static clock::time_point ask_again;
  if (given_up || clock::now() < ask_again) return false;
  if (!can_start(threads - 1)) {
    ask_again = clock::now() + std::chrono::seconds(1);
    return false;
  }
  given_up = !start_workers_of_tbb(threads);
  if (given_up) return false;
  there.store(threads, std::memory_order_relaxed);
  return true;
}

}  // namespace upsweep::cpu
