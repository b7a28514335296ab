#include "upsweep/core/calls_in_progress.hpp"

#include <atomic>
#include <deque>
#include <mutex>

#include "upsweep/core/profiler_range.hpp"
#include "upsweep/core/thread_exit.hpp"

namespace upsweep::core {

namespace {

struct thread_state {
  bool taken = false;
  std::atomic<bool> calls{false};
};

struct thread_states {
  std::mutex lock;
  std::deque<thread_state> all;  // a deque: threads keep references into it
};
thread_states& states() {
  static thread_states* const them = new thread_states;  // threads may end after everything static is destroyed
  return *them;
}

// A later thread may reuse the number, and the scratch, of a thread that ended: the device's queue runs the work of the
// earlier thread first.
class this_thread {
 public:
  this_thread() {
    const std::scoped_lock held(states().lock);
    auto& all = states().all;
    while (number_ < all.size() && all[number_].taken) ++number_;
    if (number_ == all.size()) all.emplace_back();
    state_ = &all[number_];
    state_->taken = true;
  }
  ~this_thread() {
    const std::scoped_lock held(states().lock);
    state_->taken = false;
  }
  this_thread(const this_thread&) = delete;
  this_thread& operator=(const this_thread&) = delete;

  std::size_t number() const { return number_; }
  std::uint64_t call() const { return depth_ == 0 ? 0 : calls_; }
  void begin() {
    if (depth_++ == 0) ++calls_, state_->calls = true;
  }
  void end() {
    if (--depth_ == 0) state_->calls = false;
  }

 private:
  std::size_t number_ = 0;
  thread_state* state_ = nullptr;
  std::uint64_t calls_ = 0;
  int depth_ = 0;
};

this_thread& mine() {
  [[maybe_unused]] static thread_local const bool enough = reserve_thread_exit_hook();
  static thread_local this_thread it;
  return it;
}

}  // namespace

std::size_t thread_number() { return mine().number(); }
std::uint64_t current_call() { return mine().call(); }

running_call::running_call(std::string_view name) : shown_(!name.empty() && begin_range(name)) { mine().begin(); }
running_call::~running_call() {
  mine().end();
  if (shown_) end_range();
}

bool is_idle(std::size_t number, std::uint64_t call, bool between_calls) {
  const this_thread& me = mine();
  if (number == me.number()) return me.call() == 0 ? between_calls || call != 0 : call != 0 && call != me.call();
  const std::scoped_lock held(states().lock);
  const thread_state& other = states().all.at(number);
  return !other.taken || (call != 0 && !other.calls);
}

}  // namespace upsweep::core
