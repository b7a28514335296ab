// Samples of how long a call takes, and what they come to. The sides of a comparison are timed in turn, sample by
// sample, so that whatever disturbs the machine disturbs them alike.
#pragma once

#include <functional>
#include <vector>

#include "upsweep/proof/exam.hpp"

struct statistics {
  double median = 0, p10 = 0, p90 = 0, fastest = 0;
  int samples = 0;
};

// Percentiles lie between the two nearest samples. No samples: all zero.
statistics summarize(std::vector<double> seconds);

struct effort {
  double seconds = 0.3;             // of wall time for each row, once it has enough samples
  int at_least = 7, at_most = 200;  // fewer of what takes twenty times as long
};

// One thing to be timed: `sample` takes one sample and returns it in seconds.
struct timed {
  std::function<double()> sample;
  std::vector<double> seconds;
};

// Takes samples of all in turn until each has had its share.
void sample_in_turn(std::vector<timed>& all, const effort&);

// Waits, awake, until the threads of what ran before have stopped spinning for more work: OpenMP's and oneTBB's both do
// that for a while, on the cores that the next side needs. Nothing to wait for on other devices than the CPU.
void settle(upsweep::backend);

// How many calls one sample of a back-to-back run needs, so that the clock's own resolution does not show.
int calls_for(double seconds_of_one, upsweep::backend);

// Makes the caches forget a problem's operands. CPU: their lines are flushed one by one (elsewhere than on x86, and on
// all other devices, 256 MiB are written instead). On a GPU that is enqueued, and covers the host's launch of what
// follows.
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
