// Waits for a word that another thread changes. Sleeping and waking takes 50 µs, so a thread spins that long first.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace upsweep {

class look {
 public:
  // For this number of threads; they spin only where each can have a processor.
  explicit look(std::size_t threads)
      : lasts_(threads <= std::thread::hardware_concurrency() ? std::chrono::microseconds(50)
                                                              : std::chrono::microseconds(0)) {}

  // Returns once the word differs from `old`; everything that its writer did before (release) is visible then.
  template <class T>
  void until_not(T old, const std::atomic<T>& word) const {
    using clock = std::chrono::steady_clock;
    for (const auto ends = clock::now() + lasts_; clock::now() < ends;)
      for (int i = 0; i < 64; ++i) {
        if (word.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
      }
    word.wait(old, std::memory_order_acquire);
  }

 private:
  std::chrono::steady_clock::duration lasts_;
};

}  // namespace upsweep
