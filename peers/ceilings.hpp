// Measured limits of the device (ceilings), with which the bench compares every result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "upsweep/core/device.hpp"

namespace upsweep::peers {

enum class limit { read, write, copy, latency, arithmetic };

struct ceiling {
  std::string name;  // "read", "copy, non-temporal stores", "empty launch"
  limit kind;
  double seconds = 0;  // the fastest of its repeats: a limit is what the machine can do at its best
  double amount = 0;   // bytes read and written by it, or operations; none for a latency
  std::string how;     // what was timed
  double rate() const { return seconds > 0 ? amount / seconds : 0; }
};

// Repeats each measurement `repeats` times on operands of `bytes`, which should be many times the last cache.
std::vector<ceiling> measure_ceilings(device&, std::uint64_t bytes, int repeats);

// The fastest rate of that kind; 0 when none was measured.
double best_rate(const std::vector<ceiling>&, limit);

// The fastest of `repeats` calls after one to warm up, each timed by the device's own clock.
double fastest_seconds(device&, int repeats, const std::function<void()>& work);

// Device memory for the length of a measurement.
class lent_memory {
 public:
  lent_memory(device& d, std::uint64_t bytes) : device_(d), where_(d.allocate(bytes)) {}
  lent_memory(const lent_memory&) = delete;
  lent_memory& operator=(const lent_memory&) = delete;
  ~lent_memory() { device_.deallocate(where_); }
  memory where() const { return where_; }

 private:
  device& device_;
  memory where_;
};

std::vector<ceiling> cpu_ceilings(device&, std::uint64_t bytes, int repeats);
std::vector<ceiling> cuda_ceilings(device&, std::uint64_t bytes, int repeats);
std::vector<ceiling> opencl_ceilings(device&, std::uint64_t bytes, int repeats);

}  // namespace upsweep::peers
