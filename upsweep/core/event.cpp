#include "upsweep/event.hpp"

#include <exception>
#include <mutex>

#include "upsweep/context.hpp"

namespace upsweep {

namespace core {

class event_state {
 public:
  void record(device& on) {
    const std::shared_ptr<moment> now = on.record();
    const std::scoped_lock held(lock_);
    last_ = now, failed_ = nullptr, promised_ = nullptr;
  }

  // The state to wait for; null if the work is done. For a promised event it covers the work enqueued so far, or,
  // without `anew`, the work enqueued at the last query: a state that is recorded at each query might never be reached.
  std::shared_ptr<moment> latest(bool anew = true) {
    const std::scoped_lock held(lock_);
    if (promised_ && (anew || !asked_)) last_ = promised_->record(), failed_ = nullptr, asked_ = true;
    if (failed_) std::rethrow_exception(failed_);
    return last_;
  }

  void promise(std::shared_ptr<device> by) {
    const std::scoped_lock held(lock_);
    promised_ = std::move(by), failed_ = nullptr, asked_ = false;
  }
  void keep_promise(const std::shared_ptr<device>& by) noexcept {
    const std::scoped_lock held(lock_);
    if (promised_ != by) return;  // another record or promise came after it
    promised_ = nullptr;
    try {
      last_ = by->record();
    } catch (...) {
      failed_ = std::current_exception();  // the next query rethrows it
    }
  }

 private:
  std::mutex lock_;
  std::shared_ptr<moment> last_;
  std::shared_ptr<device> promised_;
  std::exception_ptr failed_;
  bool asked_ = false;  // queried since the promise
};

namespace {

struct promise {
  promise(std::shared_ptr<event_state> its_state, std::shared_ptr<device> by)
      : state(std::move(its_state)), device_(std::move(by)) {
    state->promise(device_);
  }
  promise(const promise&) = delete;
  promise& operator=(const promise&) = delete;
  ~promise() { state->keep_promise(device_); }

  std::shared_ptr<event_state> state;
  std::shared_ptr<device> device_;
};

}  // namespace

}  // namespace core

event::event() : state_(std::make_shared<core::event_state>()) {}

void event::record(const context& where) const { state_->record(where.device()); }

void event::wait(const context& where) const {
  if (const std::shared_ptr<moment> m = state_->latest()) where.device().wait_for(*m);
}

bool event::done() const {
  const std::shared_ptr<moment> m = state_->latest(false);
  return !m || m->passed();
}

void event::synchronize() const {
  if (const std::shared_ptr<moment> m = state_->latest()) m->wait();
}

std::shared_ptr<const void> event::recorded_after(std::shared_ptr<device> by) const {
  return std::make_shared<const core::promise>(state_, std::move(by));
}

}  // namespace upsweep
