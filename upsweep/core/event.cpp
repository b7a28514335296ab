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

  // What to wait for; null where it is done. One that is promised stands for what was enqueued so far or, not `anew`,
  // when somebody asked last: what is recorded at each question may never have passed.
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
      failed_ = std::current_exception();  // whoever asks is told
    }
  }

 private:
  std::mutex lock_;
  std::shared_ptr<moment> last_;
  std::shared_ptr<device> promised_;
  std::exception_ptr failed_;
  bool asked_ = false;  // since it was promised
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

void event::record(const context& where) const { state_->record(where.dev()); }

void event::wait(const context& where) const {
  if (const std::shared_ptr<moment> m = state_->latest()) where.dev().wait_for(*m);
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
