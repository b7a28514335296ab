// A thread that writes the data of a run, so that the run does not wait for a disk. Frames wait in memory. If they
// exceed `limit`, the writer is too slow: from then on only every second frame is written, then every fourth, and so
// on; left_out() is the number of skipped frames.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/nbody/files/files.hpp"

class nbody_writer {
 public:
  nbody_writer(std::unique_ptr<nbody_taker>, std::uint64_t limit);
  nbody_writer(const nbody_writer&) = delete;
  nbody_writer& operator=(const nbody_writer&) = delete;
  ~nbody_writer();  // without finish: nothing is kept

  // Waits only for the lock of the queue.
  void offer(const std::shared_ptr<const nbody_shot>&);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::size_t waiting() const;
  // Writes the queued frames, and ends the file. Throws the writer's exception.
  void finish();
  std::uint64_t left_out() const { return left_out_; }
  std::string what() const { return taker_->what(); }

 private:
  void write();

  std::unique_ptr<nbody_taker> taker_;
  const std::uint64_t limit_;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const nbody_shot>> queue_;
  std::uint64_t queued_bytes_ = 0, offered_ = 0, stride_ = 1, left_out_ = 0;
  bool over_ = false, abandoned_ = false;
  std::atomic<bool> failed_{false};
  std::exception_ptr thrown_;
  std::thread thread_;
};
