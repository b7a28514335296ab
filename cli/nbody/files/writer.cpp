#include "cli/nbody/files/writer.hpp"

nbody_writer::nbody_writer(std::unique_ptr<nbody_taker> taker, std::uint64_t limit)
    : taker_(std::move(taker)), limit_(limit), thread_([this] { write(); }) {}

nbody_writer::~nbody_writer() {
  {
    const std::lock_guard hold(lock_);
    over_ = abandoned_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void nbody_writer::offer(const std::shared_ptr<const nbody_shot>& shot) {
  {
    const std::lock_guard hold(lock_);
    const std::uint64_t number = offered_++;
    // One shot may always wait, or none would ever be written.
    if (number % stride_ == 0 && !queue_.empty() && queued_bytes_ + shot->bytes() > limit_) stride_ *= 2;
    if (number % stride_ != 0) {
      ++left_out_;
      return;
    }
    queue_.push_back(shot);
    queued_bytes_ += shot->bytes();
  }
  changed_.notify_one();
}

std::size_t nbody_writer::waiting() const {
  const std::lock_guard hold(lock_);
  return queue_.size();
}

void nbody_writer::finish() {
  {
    const std::lock_guard hold(lock_);
    over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (thrown_) std::rethrow_exception(thrown_);
}

void nbody_writer::write() try {
  for (;;) {
    std::shared_ptr<const nbody_shot> next;
    {
      std::unique_lock hold(lock_);
      changed_.wait(hold, [&] { return over_ || !queue_.empty(); });
      if (abandoned_) return;
      if (queue_.empty()) break;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    taker_->take(*next);
    const std::lock_guard hold(lock_);
    queued_bytes_ -= next->bytes();
  }
  taker_->finish();
} catch (...) {
  thrown_ = std::current_exception();
  failed_.store(true, std::memory_order_release);  // thrown_ is read after finish() has joined the thread
}
