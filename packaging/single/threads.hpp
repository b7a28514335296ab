// The few classes of oneTBB that the library uses, on std::thread. A loop starts threads and joins them, which takes
// some ten microseconds for each thread; oneTBB keeps its threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace oneapi::tbb {

namespace single {
inline int processors() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }
inline thread_local int arena_threads = 0;  // of the arena in which this thread works; 0: none
}  // namespace single

namespace this_task_arena {
inline int max_concurrency() { return single::arena_threads ? single::arena_threads : single::processors(); }
template <class F>
void isolate(F&& f) {
  f();
}
}  // namespace this_task_arena

class task_arena {
 public:
  explicit task_arena(int threads) : threads_(threads > 0 ? threads : single::processors()) {}
  template <class F>
  void execute(F&& f) {
    const int before = single::arena_threads;
    struct restore {
      int before;
      ~restore() { single::arena_threads = before; }
    } const at_end{before};
    single::arena_threads = threads_;
    f();
  }
  template <class F>
  void enqueue(F&& f) {
    f();
  }

 private:
  int threads_;
};

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter, std::size_t) {}
};

struct simple_partitioner {};

// Calls body(first), ..., body(last - 1), each on a thread of its own; the last on the caller's. Bodies do not throw.
// If a thread cannot be started, std::runtime_error is thrown after the started ones have ended, as oneTBB does.
template <class F>
void parallel_for(int first, int last, const F& body, simple_partitioner) {
  const int threads = single::arena_threads;
  std::vector<std::jthread> started;
  started.reserve(static_cast<std::size_t>(std::max(0, last - first - 1)));
  bool all_started = true;
  for (int i = first; i + 1 < last && all_started; ++i) {
    try {
      started.emplace_back([&body, i, threads] {
        single::arena_threads = threads;
        body(i);
      });
    } catch (const std::system_error&) {
      all_started = false;
    }
  }
  if (all_started && first < last) body(last - 1);
  started.clear();  // joins
  if (!all_started) throw std::runtime_error("a thread could not be started");
}

}  // namespace oneapi::tbb
