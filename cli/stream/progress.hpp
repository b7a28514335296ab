// One line on a terminal's standard error that says how far long work has come; nothing on a pipe or in a file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

class progress {
 public:
  // `all` may be 0 where the end is not known. `unit` follows the counts: "elements".
  progress(std::string what, std::uint64_t all, std::string unit);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();  // takes the line away

  void at(std::uint64_t done, const std::string& detail = {});

 private:
  using clock = std::chrono::steady_clock;
  std::string what_, unit_;
  std::uint64_t all_;
  clock::time_point began_ = clock::now(), shown_ = began_;
  bool terminal_, drawn_ = false;
};

// The progress line of work without a known size, such as one call: its name and the elapsed time, updated by a
// separate thread. `step` of `steps` if there are several.
class at_work {
 public:
  explicit at_work(std::string what, std::uint64_t steps = 0);
  at_work(const at_work&) = delete;
  at_work& operator=(const at_work&) = delete;
  ~at_work();

  void step(std::uint64_t number, std::string name);

 private:
  void tell();

  std::string what_, name_;
  std::uint64_t steps_, step_ = 0;
  bool over_ = false;
  std::mutex lock_;
  std::condition_variable changed_;
  std::thread thread_;
};
