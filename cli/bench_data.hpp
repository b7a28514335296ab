// The operands of one shape of problem: random input on the host and in several places on the device, and the answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upsweep/catalog.hpp"

// How far a result is from the reference.
struct verdict {
  std::string wrong;  // empty, or the first wrong element
  double error = 0;   // floats: the largest |result - reference| / |reference|
  bool right() const { return wrong.empty(); }
};

class bench_data {
 public:
  // `shape` says everything but the addresses. Makes as many copies (1 to 3) as memory allows, and throws fault::out_of_memory where
  // it does not allow one. Float sums get positive input, as counts, prices and weights are: with both signs a sum would stay
  // near zero, and hide that it loses what is small.
  bench_data(upsweep::device&, const upsweep::problem& shape, std::uint64_t seed);
  bench_data(const bench_data&) = delete;
  bench_data& operator=(const bench_data&) = delete;
  ~bench_data();

  // The problem on the next copy of the operands, in turn.
  upsweep::problem next();
  // The problem on the first copy's first `n` elements.
  upsweep::problem first(std::uint64_t n) const;
  // The problem in host memory; its output is the host's own.
  upsweep::problem on_host();

  // Poisons an output, calls `run` on it and compares. A float may be off by `tolerance`, relative to the reference.
  verdict check(const std::function<void(const upsweep::problem&)>& run, double tolerance);

  int copies() const { return static_cast<int>(copies_.size()); }

 private:
  struct copy {
    upsweep::memory in, in2, out;
  };
  void make_input(std::uint64_t seed);

  upsweep::device& device_;
  upsweep::problem shape_;
  std::vector<copy> copies_;
  std::size_t turn_ = 0;
  std::unique_ptr<std::byte[]> input_, input2_, reference_, output_, piece_;
};

// What rounding may do to a float result relative to the reference, if every chain of applications is at most `span` long.
double rounding_tolerance(const upsweep::problem&, double span);
