// Tracks which threads are in a call of the library, so that scratch that no call uses can be released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::core {

// The calling thread's number: the smallest that no living thread has. A thread that ends releases its number.
std::size_t thread_number();

// The number of the outermost marked call of the calling thread; 0 outside.
std::uint64_t current_call();

// Marks a call of the calling thread: a variant's run, or a call that makes several runs. Scratch that is given out
// inside a marked call is not used after the call ends. Scratch that is given out outside of all marked calls counts as
// idle only between calls. A profiler shows a call with a name (core/profiler_range.hpp).
class running_call {
 public:
  explicit running_call(std::string_view name = {});
  ~running_call();
  running_call(const running_call&) = delete;
  running_call& operator=(const running_call&) = delete;

 private:
  bool shown_;
};

// Whether no call can still use scratch that thread `number` was given in call `call`. The caller holds the lock that
// guards scratch allocation, so calls that begin later do not count. `between_calls` states that the calling thread is
// in no call, so all of its own scratch is idle.
bool is_idle(std::size_t number, std::uint64_t call, bool between_calls);

}  // namespace upsweep::core
