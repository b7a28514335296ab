#include "upsweep/communicator/communicator_threads.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <utility>

#include "upsweep/communicator/communicator_peer_copy.hpp"
#include "upsweep/communicator/communicator_spin_wait.hpp"

namespace upsweep {

namespace {

// A barrier for all ranks.
class meeting_of_all {
 public:
  explicit meeting_of_all(int ranks) : members_(ranks), look_(static_cast<std::size_t>(ranks)) {}

  void arrive_and_wait() {
    const unsigned now = turn_.load(std::memory_order_relaxed);  // it cannot change before this rank has arrived
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      come_.store(0, std::memory_order_relaxed);
      turn_.store(now + 1, std::memory_order_release);  // orders everything that ranks did before they arrived
      return turn_.notify_all();
    }
    look_.until_not(now, turn_);
  }

 private:
  const int members_;
  const look look_;
  std::atomic<int> come_{0};
  std::atomic<unsigned> turn_{0};
};

// The data that each rank publishes to the others between two barriers.
struct shown {
  const void* from = nullptr;
  std::span<const std::uint64_t> sent = {};
  // For a device's memory.
  device* on = nullptr;
  std::span<const moved_memory> what = {};
  std::span<const share> shares = {};
  std::shared_ptr<moment> ready = {};
};

struct table {
  explicit table(int size)
      : meeting(size), of(static_cast<std::size_t>(size)), pulled(static_cast<std::size_t>(size)) {}
  meeting_of_all meeting;
  std::vector<shown> of;
  std::vector<std::shared_ptr<moment>> pulled;  // recorded when the rank has received all its data
};

class thread_exchange final : public message_route {
 public:
  thread_exchange(int rank, int size, std::shared_ptr<table> t) : message_route(rank, size), table_(std::move(t)) {
    waits_for_.reserve(static_cast<std::size_t>(size));
  }

 private:
  // The first barrier orders what ranks publish before the reads of others, the second all reads before any rank
  // changes its own.
  void carry_to_all(const void* mine, void* all, std::uint64_t bytes) override {
    show({.from = mine});
    for (int r = 0; r < size(); ++r)
      if (bytes) std::memcpy(static_cast<char*>(all) + static_cast<std::uint64_t>(r) * bytes, of(r).from, bytes);
    table_->meeting.arrive_and_wait();
  }

  void carry(const void* from, std::span<const std::uint64_t> sent, void* to,
             std::span<const std::uint64_t> received) override {
    show({.from = from, .sent = sent});
    char* at = static_cast<char*>(to);
    for (int r = 0; r < size(); ++r) {
      const auto theirs = of(r).sent;
      std::uint64_t first = 0;
      for (int before = 0; before < rank(); ++before) first += theirs[static_cast<std::size_t>(before)];
      const std::uint64_t bytes = received[static_cast<std::size_t>(r)];
      if (bytes) std::memcpy(at, static_cast<const char*>(of(r).from) + first, bytes);
      at += bytes;
    }
    table_->meeting.arrive_and_wait();
  }

  // Each rank copies its data out of the others' memory. Between GPUs the copies are enqueued, and only the devices
  // wait: for work that the others enqueued before, and later (settle) for the copies of the others.
  std::vector<std::shared_ptr<moment>> carry_between_devices(device& on, std::span<const moved_memory> what,
                                                             std::span<const share> sent,
                                                             std::span<const share> received) override {
    std::exception_ptr failure;  // rethrown at the end: every rank has to reach each barrier
    const auto try_to = [&](const auto& step) {
      try {
        if (!failure) step();
      } catch (...) {
        failure = std::current_exception();
      }
    };
    shown mine{.on = &on, .what = what, .shares = sent};
    try_to([&] { mine.ready = on.record(); });
    show(std::move(mine));

    const auto p = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank());
    const std::size_t stages = sent.size() / p;
    std::vector<std::shared_ptr<moment>> came;
    try_to([&] {
      came.resize(stages);
      if (&on != pulls_for_) pull_ = peer_copy_to(on), pulls_for_ = &on;
      for (const shown& one : table_->of)
        if (one.ready) pull_->after(*one.ready);
      for (std::size_t s = 0; s < stages; ++s) {
        for (std::size_t shift = 0; shift < p; ++shift) {
          const std::size_t r = (me + shift) % p;
          const shown& their = table_->of[r];
          const share &from = their.shares[s * p + me], &to = received[s * p + r];
          for (std::size_t w = 0; to.count && w < what.size(); ++w)
            pull_->bring(what[w].to.plus_bytes(to.first * what[w].bytes), *their.on,
                         their.what[w].from.plus_bytes(from.first * what[w].bytes), to.count * what[w].bytes);
        }
        came[s] = pull_->brought();
      }
    });
    // After a failed copy no event covers the copies enqueued before it, so wait for them here.
    if (failure && pull_) pull_->give_up();
    table_->pulled[me] = stages && !failure ? came.back() : nullptr;
    table_->meeting.arrive_and_wait();
    // Ranks publish this anew only after the next barrier, and so after all have read it.
    waits_for_ = table_->pulled, waiting_ = &on;
    if (failure) std::rethrow_exception(failure);
    return came;
  }

  void settle() override {
    // Cleared even on failure; the capacity is kept.
    const auto forgotten = [](auto* all) { all->clear(); };
    const std::unique_ptr<decltype(waits_for_), decltype(forgotten)> in_the_end(&waits_for_, forgotten);
    for (const auto& one : waits_for_)
      if (one) waiting_->wait_for(*one);
  }

  void show(shown mine) {
    table_->of[static_cast<std::size_t>(rank())] = std::move(mine);
    table_->meeting.arrive_and_wait();
  }
  const shown& of(int r) const { return table_->of[static_cast<std::size_t>(r)]; }

  const std::shared_ptr<table> table_;
  std::unique_ptr<peer_copy> pull_;
  device *pulls_for_ = nullptr, *waiting_ = nullptr;
  std::vector<std::shared_ptr<moment>> waits_for_;
};

}  // namespace

std::vector<std::unique_ptr<message_route>> between_threads(int size) {
  const auto shared = std::make_shared<table>(size);
  std::vector<std::unique_ptr<message_route>> all;
  for (int r = 0; r < size; ++r) all.push_back(std::make_unique<thread_exchange>(r, size, shared));
  return all;
}

}  // namespace upsweep
