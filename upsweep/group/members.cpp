// The threads of a group's members, which wait between its calls: scratch is a thread's own, and so it is kept.
#include "upsweep/group/members.hpp"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "upsweep/group/threads.hpp"

namespace upsweep {

class group::crew {
 public:
  crew(std::vector<std::unique_ptr<exchange>> ways, std::vector<context> contexts)
      : ways(std::move(ways)), contexts(std::move(contexts)) {
    for (std::size_t i = 1; i < this->contexts.size(); ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~crew() {
    {
      const std::lock_guard lock(lock_);
      over_ = true;
    }
    changed_.notify_all();
  }

  // The first member's work is the caller's thread's.
  void run(const std::function<void(std::size_t)>& work) {
    if (at_work == this)
      throw error(fault::bad_argument, "group::each", "a member calls its own group",
                  "make the calls of a step by the member's context, or end the step first");
    const std::lock_guard one_call(calls_);
    {
      const std::lock_guard lock(lock_);
      work_ = &work, left_ = threads_.size(), ++turn_;
    }
    changed_.notify_all();
    do_work(work, 0);
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return left_ == 0; });
  }

  const std::vector<std::unique_ptr<exchange>> ways;
  const std::vector<context> contexts;

 private:
  void serve(std::size_t i) {
    for (std::uint64_t done = 0;;) {
      const std::function<void(std::size_t)>* work = nullptr;
      {
        std::unique_lock lock(lock_);
        changed_.wait(lock, [&] { return over_ || turn_ != done; });
        if (turn_ == done) return;
        done = turn_, work = work_;
      }
      do_work(*work, i);
      {
        const std::lock_guard lock(lock_);
        --left_;
      }
      changed_.notify_all();
    }
  }

  void do_work(const std::function<void(std::size_t)>& work, std::size_t i) {
    const crew* const before = std::exchange(at_work, this);
    work(i);
    at_work = before;
  }

  static thread_local const crew* at_work;  // whose member the thread is just now

  std::mutex calls_, lock_;
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t left_ = 0;
  std::uint64_t turn_ = 0;
  bool over_ = false;
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

void group::each(std::string_view call, const std::function<void(member&)>& body) const {
  std::vector<std::exception_ptr> thrown(crew_->ways.size());
  crew_->run([&](std::size_t i) {
    exchange& way = *crew_->ways[i];
    try {
      way.begin(call);
      try {
        member m(way, crew_->contexts[i], static_cast<int>(i));
        body(m);
        m.where().synchronize();
        way.end();
      } catch (const exchange::ended&) {
        throw;
      } catch (const std::exception& e) {
        way.failed(e);
      } catch (...) {
        way.failed(std::runtime_error("it threw what is no std::exception"));
      }
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  });
  for (const auto& e : thrown)
    if (e) std::rethrow_exception(e);
}

}  // namespace upsweep
