// cancellation_scope: cancels a long-running call on the CPU. The call polls a std::stop_token, or a function of the
// caller, while it works.
//
//   std::atomic<bool> enough = false;                              // set by another thread, or a signal's handler
//   try {
//     const upsweep::cancellation_scope calls([&] { return enough.load(); });
//     upsweep::sort(cpu, values);
//   } catch (const upsweep::operation_cancelled&) {
//     // the order of values is unspecified
//   }
//
// Result       While a `cancellation_scope` exists, calls that its thread makes on a CPU context poll its function
//              about every 50 milliseconds: between blocks of elements, and within a block where the caller's functions
//              are slow. When the function returns true, the call throws `operation_cancelled` as soon as the blocks,
//              or the calls of slow functions, that are in progress are done. An inner `cancellation_scope` replaces
//              the outer one during its lifetime. A stop token counts as a function that returns stop_requested().
// Requires     The calling thread alone polls the function, outside of operators. An exception that the function throws
//              ends the call and propagates to the caller.
// Cancelled    After cancellation, outputs and simulation state are unspecified; the context remains usable.
// Not polled   Work of one block (about 64 KiB) with fast functions; the sort or merge of about a thirtieth of all
//              elements with a slow comparison; a block of a scan or a selection whose first function calls were fast;
//              calls that get no threads because another thread's call on the same context uses them; GPU work, which
//              is enqueued and cannot be cancelled.
// Cost         One clock reading for each block.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <utility>

namespace upsweep {

namespace cpu {
class cancellation_point;
}

class operation_cancelled : public std::runtime_error {
 public:
  operation_cancelled()
      : std::runtime_error("upsweep: the call was cancelled, as requested; its results are unspecified") {}
};

class cancellation_scope {
 public:
  explicit cancellation_scope(std::function<bool()> is_cancelled);
  explicit cancellation_scope(std::stop_token token)
      : cancellation_scope([token = std::move(token)] { return token.stop_requested(); }) {}
  ~cancellation_scope();
  cancellation_scope(const cancellation_scope&) = delete;
  cancellation_scope& operator=(const cancellation_scope&) = delete;

 private:
  friend class cpu::cancellation_point;
  std::function<bool()> is_cancelled_;
  std::chrono::steady_clock::time_point next_poll_;
  // The state of this thread that the destructor restores: the enclosing scope, and the mark of the polling thread.
  cancellation_scope* previous_;
  const void* previous_thread_;
};

}  // namespace upsweep
