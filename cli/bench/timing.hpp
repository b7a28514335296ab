// Samples of the time of calls, and their statistics. The sides of a comparison are measured alternately, sample by
// sample, so that disturbances affect all of them.
#pragma once

#include <functional>
#include <vector>

#include "upsweep/conformance/conformance.hpp"

struct statistics {
  double median = 0, p10 = 0, p90 = 0, fastest = 0;
  int samples = 0;
};

// Percentiles are interpolated between the two nearest samples. Without samples all are zero.
statistics summarize(std::vector<double> seconds);

struct effort {
  double seconds = 0.3;             // wall time for each row, once it has enough samples
  int at_least = 7, at_most = 200;  // fewer for calls that take twenty times as long
};

// A measurement: `sample` takes one sample and returns it in seconds.
struct timed {
  std::function<double()> sample;
  std::vector<double> seconds;
};

// Takes samples of all alternately until each has enough.
void sample_in_turn(std::vector<timed>& all, const effort&);

// Waits actively until the worker threads of the previous side stop spinning: those of OpenMP and oneTBB spin for a
// while, on cores that the next side needs. Only on the CPU.
void settle(upsweep::backend);

// The number of calls in a sample of a back-to-back run, so that the clock's resolution does not matter.
int calls_for(double seconds_of_one, upsweep::backend);

// Evicts a problem's operands from the caches. On an x86 CPU their lines are flushed one by one; on other CPUs and on
// other devices 256 MiB are written instead. On a GPU the eviction is enqueued, and hides the host's launch time of the
// following kernels.
class evictor {
 public:
  explicit evictor(upsweep::device&);
  evictor(const evictor&) = delete;
  evictor& operator=(const evictor&) = delete;
  ~evictor();
  void operator()(const upsweep::problem&, const std::vector<upsweep::array>& operands);
  struct operand {
    upsweep::memory where;
    std::uint64_t bytes;
  };
  void operator()(const std::vector<operand>&);

  static constexpr std::uint64_t written_bytes = std::uint64_t{256} << 20;

 private:
  upsweep::device& device_;
  upsweep::memory other_;
  unsigned char byte_ = 0;
};
