// The threads of a communicator's ranks. They wait between calls instead of ending, since scratch belongs to a thread
// and is to be kept.
#include "upsweep/communicator/communicator_ranks.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "upsweep/communicator/communicator_spin_wait.hpp"
#include "upsweep/communicator/communicator_threads.hpp"

namespace upsweep {

namespace {

struct no_exception final : std::exception {
  const char* what() const noexcept override {
    return "an exception that is not derived from std::exception was thrown";
  }
};

}  // namespace

class communicator::crew {
 public:
  crew(std::vector<std::unique_ptr<message_route>> routes, std::vector<context> contexts)
      : routes(std::move(routes)),
        contexts(std::move(contexts)),
        look_(this->contexts.size()),
        thrown_(this->contexts.size()) {
    try {
      for (std::size_t i = 1; i < this->contexts.size(); ++i) threads_.emplace_back([this, i] { serve(i); });
    } catch (const std::system_error&) {
      end();
      throw error(
          fault::device_failure, "communicator::of",
          "no more threads can be started, and each of " + std::to_string(this->contexts.size()) + " ranks needs one",
          "raise `ulimit -u`, or give it fewer ranks");
    } catch (...) {
      end();
      throw;
    }
  }
  ~crew() { end(); }

  struct step {
    std::string_view call;
    void (*run)(const void*, communicator_rank&);
    const void* body;
  };

  // Runs the first rank on the caller's thread. Returns the exception of the first rank that throws.
  std::exception_ptr run(const step& work) {
    if (at_work == this)
      throw error(fault::bad_argument, "communicator::for_each_rank", "a rank calls its own communicator",
                  "make the calls of a step by the rank's context, or end the step first");
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

  const std::vector<std::unique_ptr<message_route>> routes;
  const std::vector<context> contexts;

 private:
  // For threads already started, which wait for a turn.
  void end() {
    work_ = nullptr;
    next_turn();
  }

  // The release store makes everything written before it visible to all ranks after it.
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
    message_route& route = *routes[i];
    route.begin(work.call);
    try {
      communicator_rank m(route, contexts[i], static_cast<int>(i));
      work.run(work.body, m);
      m.where().synchronize();
      route.end();
    } catch (const message_route::ended&) {
      throw;
    } catch (const std::exception& e) {
      route.failed(e);
    } catch (...) {
      route.failed(no_exception());
    }
  }

  static thread_local const crew* at_work;  // the communicator that this thread works for at present

  const look look_;
  std::mutex calls_;
  const step* work_ = nullptr;  // null: the threads end
  std::vector<std::exception_ptr> thrown_;
  std::atomic<unsigned> left_{0}, turn_{0};
  std::vector<std::jthread> threads_;  // last, so that they end before the members that they use
};

thread_local const communicator::crew* communicator::crew::at_work = nullptr;

communicator communicator::of(std::vector<context> ranks) {
  if (ranks.empty())
    throw error(fault::bad_argument, "communicator::of", "it has no ranks", "give at least one context");
  auto routes = between_threads(static_cast<int>(ranks.size()));
  return communicator(std::make_shared<crew>(std::move(routes), std::move(ranks)));
}

communicator communicator::gpus(const std::vector<int>& devices) {
  std::vector<context> ranks;
  for (const int device : devices) ranks.push_back(context::cuda(device));
  return of(std::move(ranks));
}

communicator communicator::named(std::string_view devices) {
  std::vector<context> ranks;
  for (std::string_view rest = devices;;) {
    const auto comma = rest.find(',');
    const std::string name(rest.substr(0, comma));
    if (name == "cuda:all") {
      for (const device_listing& d : list_devices())
        if (d.kind == backend::cuda && d.usable) ranks.push_back(context::named(d.name));
      if (ranks.empty()) ranks.push_back(context::cuda());  // throws the reason why there is none
    } else {
      ranks.push_back(context::named(name));
    }
    if (comma == std::string_view::npos) return of(std::move(ranks));
    rest.remove_prefix(comma + 1);
  }
}

communicator communicator::through(std::unique_ptr<message_route> route, context where) {
  std::vector<std::unique_ptr<message_route>> routes;
  routes.push_back(std::move(route));
  return communicator(std::make_shared<crew>(std::move(routes), std::vector{std::move(where)}));
}

int communicator::size() const { return crew_->routes[0]->size(); }
int communicator::local_size() const { return static_cast<int>(crew_->routes.size()); }
int communicator::first() const { return crew_->routes[0]->rank(); }
const context& communicator::where(int local_rank) const {
  return crew_->contexts.at(static_cast<std::size_t>(local_rank));
}

void communicator::run_each(std::string_view call, void (*run)(const void*, communicator_rank&),
                            const void* body) const {
  if (const auto thrown = crew_->run({call, run, body})) std::rethrow_exception(thrown);
}

}  // namespace upsweep
