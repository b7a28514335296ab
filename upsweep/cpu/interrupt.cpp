#include "upsweep/interrupt.hpp"

#include <utility>

#include "upsweep/cpu/question.hpp"
#include "upsweep/error.hpp"

namespace upsweep {

namespace {
constexpr std::chrono::milliseconds between{50};
thread_local interruptible* innermost = nullptr;
}  // namespace

interruptible::interruptible(std::function<bool()> asked)
    : asked_(std::move(asked)), next_(std::chrono::steady_clock::now() + between), before_(innermost) {
  if (!asked_)
    throw error(fault::bad_argument, "interruptible", "the function is empty", "give one that answers yes or no");
  innermost = this;
}
interruptible::~interruptible() { innermost = before_; }

namespace cpu {

question::question() : callers_(innermost) {}

void question::ask_in_time() {
  if (!callers_ || std::this_thread::get_id() != caller_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < callers_->next_) return;
  callers_->next_ = now + between;
  if (callers_->asked_()) throw interrupted();
}

}  // namespace cpu

}  // namespace upsweep
