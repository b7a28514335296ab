#include "upsweep/cpu/cancellation_point.hpp"

#include <utility>

#include "upsweep/cancellation.hpp"
#include "upsweep/error.hpp"

namespace upsweep {

namespace {
constexpr std::chrono::milliseconds poll_interval{50};
thread_local constinit char thread_mark = 0;  // its address identifies the thread
// The scope that the work of this thread belongs to, and the mark of the thread that polls it.
thread_local constinit cancellation_scope* innermost = nullptr;
thread_local constinit const void* polling_thread = nullptr;
}  // namespace

cancellation_scope::cancellation_scope(std::function<bool()> is_cancelled)
    : is_cancelled_(std::move(is_cancelled)),
      next_poll_(std::chrono::steady_clock::now() + poll_interval),
      previous_(innermost),
      previous_thread_(polling_thread) {
  if (!is_cancelled_)
    throw error(fault::bad_argument, "cancellation_scope", "the function is empty", "give one that returns a bool");
  innermost = this, polling_thread = &thread_mark;
}
cancellation_scope::~cancellation_scope() { innermost = previous_, polling_thread = previous_thread_; }

namespace cpu {

cancellation_point::cancellation_point() : scope_(innermost), polling_thread_(polling_thread) {}

cancellation_point::scope::scope(const cancellation_point& of)
    : previous_(innermost), previous_thread_(polling_thread) {
  innermost = of.scope_, polling_thread = of.polling_thread_;
}
cancellation_point::scope::~scope() { innermost = previous_, polling_thread = previous_thread_; }

void cancellation_point::poll() {
  if (!scope_ || polling_thread_ != &thread_mark) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < scope_->next_poll_) return;
  scope_->next_poll_ = now + poll_interval;
  if (scope_->is_cancelled_()) throw operation_cancelled();
}

}  // namespace cpu

}  // namespace upsweep
