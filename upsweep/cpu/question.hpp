// Whether the thread that called wants the call to end; asked now and then, by that thread.
#pragma once

#include <thread>

#include "upsweep/interrupt.hpp"

namespace upsweep::cpu {

class question {
 public:
  question();          // on the calling thread, whose `interruptible` it is
  void ask_in_time();  // on any; throws `interrupted`

 private:
  interruptible* callers_;
  std::thread::id caller_ = std::this_thread::get_id();
};

}  // namespace upsweep::cpu
