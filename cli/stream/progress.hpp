// One line on a terminal's standard error that says how far long work has come; nothing on a pipe or in a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

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
