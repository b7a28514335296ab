// Whether the thread that made a call asks to cancel it; polled from time to time by that thread.
//
// A call divides its work into blocks, and a block may divide its own work again. The calling thread may run part of
// another thread's block. All blocks of a call, and the parts of these blocks, therefore use the cancellation scope of
// the call.
#pragma once

#include "upsweep/cancellation.hpp"

namespace upsweep::cpu {

class cancellation_point {
 public:
  // For the scope of the block that this thread works on. Outside of blocks: for the scope of this thread.
  cancellation_point();
  // May be called on any thread, but only the calling thread of the scope polls. Throws `operation_cancelled`.
  void poll();
  bool is_active() const { return scope_ != nullptr; }

  // During its lifetime this thread works on a block of the call that `of` belongs to.
  class scope {
   public:
    explicit scope(const cancellation_point& of);
    ~scope();
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

   private:
    cancellation_scope* previous_;
    const void* previous_thread_;
  };

 private:
  cancellation_scope* scope_;
  const void* polling_thread_;  // the address of that thread's thread_mark
};

}  // namespace upsweep::cpu
