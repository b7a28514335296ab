// Ends long work of the CPU's before it is done: what asks for that is looked at as the work goes on.
//
//   std::atomic<bool> enough = false;                              // set by another thread, or a signal's handler
//   try {
//     const upsweep::interruptible calls([&] { return enough.load(); });
//     upsweep::sort(cpu, values);
//   } catch (const upsweep::interrupted&) {
//     // values has no order that means anything
//   }
//
// Result       While an `interruptible` lives, calls of the thread that made it, on a CPU context, ask it every 50
//              milliseconds or so, between blocks of elements. The first one that is answered yes throws `interrupted`
//              as soon as the blocks that are being worked on are done. One inside another takes its place meanwhile.
// Requires     The question is asked by the calling thread alone, outside of operators. What it throws ends the call,
//              and comes out of it.
// After it     what the call writes is unspecified, and so is what a simulation has become; the context is as good as
//              before.
// Not asked    work of one block (some 64 KiB); calls that another thread's call on the same context leaves no place in
//              its threads; GPUs, whose work is enqueued and cannot be taken back.
// Cost         a clock's reading a block.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>

namespace upsweep {

namespace cpu {
class question;
}

class interrupted : public std::runtime_error {
 public:
  interrupted() : std::runtime_error("upsweep: the call was interrupted, as was asked; its results are unspecified") {}
};

class interruptible {
 public:
  explicit interruptible(std::function<bool()> asked);
  ~interruptible();
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;

 private:
  friend class cpu::question;
  std::function<bool()> asked_;
  std::chrono::steady_clock::time_point next_;
  interruptible* before_;
};

}  // namespace upsweep
