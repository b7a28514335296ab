#include "upsweep/cpu/starting.hpp"

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
  std::vector<std::jthread> started;  // they end before `over` does
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

// By a task that nobody waits for, in an arena of as many. False where one could not be started after all.
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
  static bool given_up = false;  // oneTBB counts on the thread that is not there, and a later loop may wait for it
  // Where a limit stands, calls do not start threads in vain again and again.
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
