// The threads of a group's members, which wait between its calls: scratch is a thread's own, and so it is kept.
#include "upsweep/group/members.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "upsweep/group/look.hpp"
#include "upsweep/group/threads.hpp"

namespace upsweep {

namespace {

struct no_exception final : std::exception {
  const char* what() const noexcept override { return "it threw what is no std::exception"; }
};

}  // namespace

class group::crew {
 public:
  crew(std::vector<std::unique_ptr<exchange>> ways, std::vector<context> contexts)
      : ways(std::move(ways)),
        contexts(std::move(contexts)),
        look_(this->contexts.size()),
        thrown_(this->contexts.size()) {
    try {
      for (std::size_t i = 1; i < this->contexts.size(); ++i) threads_.emplace_back([this, i] { serve(i); });
    } catch (const std::system_error&) {
      end();
      throw error(fault::device_failure, "group::of",
                  "no more threads can be started, and each of its " + std::to_string(this->contexts.size()) +
                      " members wants one",
                  "raise `ulimit -u`, or give it fewer members");
    } catch (...) {
      end();
      throw;
    }
  }
  ~crew() { end(); }

  struct step {
    std::string_view call;
    void (*run)(const void*, member&);
    const void* body;
  };

  // The first member's work is the caller's thread's. What the first one that throws has thrown.
  std::exception_ptr run(const step& work) {
    if (at_work == this)
      throw error(fault::bad_argument, "group::each", "a member calls its own group",
                  "make the calls of a step by the member's context, or end the step first");
    const std::lock_guard one_call(calls_);
    work_ = &work;
    left_.store(static_cast<unsigned>(threads_.size()), std::memory_order_relaxed);
    next_turn();
    do_work(work, 0);
    while (const unsigned left = left_.load(std::memory_order_acquire)) look_.until_not(left, left_);
    std::exception_ptr first;
    for (std::exception_ptr& e : thrown_) {
      if (e && !first) first = e;
      e = nullptr;
    }
    return first;
  }

  const std::vector<std::unique_ptr<exchange>> ways;
  const std::vector<context> contexts;

 private:
  // For those threads that were started, which wait for a turn.
  void end() {
    work_ = nullptr;
    next_turn();
  }

  // What is set before it is seen by all members after it.
  void next_turn() {
    turn_.fetch_add(1, std::memory_order_release);
    turn_.notify_all();
  }

  void serve(std::size_t i) {
    for (unsigned turn = 0;; ++turn) {
      look_.until_not(turn, turn_);
      if (!work_) return;
      do_work(*work_, i);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_all();
    }
  }

  void do_work(const step& work, std::size_t i) {
    const crew* const before = std::exchange(at_work, this);
    try {
      make(work, i);
    } catch (...) {
      thrown_[i] = std::current_exception();
    }
    at_work = before;
  }

  void make(const step& work, std::size_t i) {
    exchange& way = *ways[i];
    way.begin(work.call);
    try {
      member m(way, contexts[i], static_cast<int>(i));
      work.run(work.body, m);
      m.where().synchronize();
      way.end();
    } catch (const exchange::ended&) {
      throw;
    } catch (const std::exception& e) {
      way.failed(e);
    } catch (...) {
      way.failed(no_exception());
    }
  }

  static thread_local const crew* at_work;  // whose member the thread is just now

  const look look_;
  std::mutex calls_;
  const step* work_ = nullptr;  // null: it is over
  std::vector<std::exception_ptr> thrown_;
  std::atomic<unsigned> left_{0}, turn_{0};
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

thread_local const group::crew* group::crew::at_work = nullptr;

group group::of(std::vector<context> members) {
  if (members.empty())
    throw error(fault::bad_argument, "group::of", "it has no members", "give it one context at least");
  auto ways = between_threads(static_cast<int>(members.size()));
  return group(std::make_shared<crew>(std::move(ways), std::move(members)));
}

group group::gpus(const std::vector<int>& devices) {
  std::vector<context> members;
  for (const int device : devices) members.push_back(context::cuda(device));
  return of(std::move(members));
}

group group::named(std::string_view devices) {
  std::vector<context> members;
  for (std::string_view rest = devices;;) {
    const auto comma = rest.find(',');
    const std::string name(rest.substr(0, comma));
    if (name == "cuda:all") {
      for (const device_listing& d : list_devices())
        if (d.kind == backend::cuda && d.usable) members.push_back(context::named(d.name));
      if (members.empty()) members.push_back(context::cuda());  // which says why there is none
    } else {
      members.push_back(context::named(name));
    }
    if (comma == std::string_view::npos) return of(std::move(members));
    rest.remove_prefix(comma + 1);
  }
}

group group::through(std::unique_ptr<exchange> way, context where) {
  std::vector<std::unique_ptr<exchange>> ways;
  ways.push_back(std::move(way));
  return group(std::make_shared<crew>(std::move(ways), std::vector{std::move(where)}));
}

int group::size() const { return crew_->ways[0]->size(); }
int group::here() const { return static_cast<int>(crew_->ways.size()); }
int group::first() const { return crew_->ways[0]->rank(); }
const context& group::where(int here) const { return crew_->contexts.at(static_cast<std::size_t>(here)); }

void group::run_each(std::string_view call, void (*run)(const void*, member&), const void* body) const {
  if (const auto thrown = crew_->run({call, run, body})) std::rethrow_exception(thrown);
}

}  // namespace upsweep
