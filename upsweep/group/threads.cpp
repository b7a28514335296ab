#include "upsweep/group/threads.hpp"

#include <barrier>
#include <cstring>

namespace upsweep {

namespace {

// What each member shows the others between two meetings.
struct shown {
  const void* from = nullptr;
  std::span<const std::uint64_t> sent;
};

struct table {
  explicit table(int size) : meeting(size), of(static_cast<std::size_t>(size)) {}
  std::barrier<> meeting;
  std::vector<shown> of;
};

class thread_exchange final : public exchange {
 public:
  thread_exchange(int rank, int size, std::shared_ptr<table> t) : exchange(rank, size), table_(std::move(t)) {}

 private:
  // The first meeting orders what members show before what others read of it, the second all reading before any member
  // changes what it showed.
  void carry_to_all(const void* mine, void* all, std::uint64_t bytes) override {
    show(mine, {});
    for (int r = 0; r < size(); ++r)
      if (bytes) std::memcpy(static_cast<char*>(all) + static_cast<std::uint64_t>(r) * bytes, of(r).from, bytes);
    table_->meeting.arrive_and_wait();
  }

  void carry(const void* from, std::span<const std::uint64_t> sent, void* to,
             std::span<const std::uint64_t> received) override {
    show(from, sent);
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

  void show(const void* from, std::span<const std::uint64_t> sent) {
    table_->of[static_cast<std::size_t>(rank())] = {from, sent};
    table_->meeting.arrive_and_wait();
  }
  const shown& of(int r) const { return table_->of[static_cast<std::size_t>(r)]; }

  const std::shared_ptr<table> table_;
};

}  // namespace

std::vector<std::unique_ptr<exchange>> between_threads(int size) {
  const auto shared = std::make_shared<table>(size);
  std::vector<std::unique_ptr<exchange>> all;
  for (int r = 0; r < size; ++r) all.push_back(std::make_unique<thread_exchange>(r, size, shared));
  return all;
}

}  // namespace upsweep
