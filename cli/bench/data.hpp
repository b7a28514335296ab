// The operands of one shape of problem: random input on the host and in several places on the device, and the answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upsweep/proof/exam.hpp"

// How far a result is from the reference.
struct verdict {
  std::string wrong;  // empty, or the first wrong element
  double error = 0;   // floats: the largest |result - reference| / |reference|
  bool right() const { return wrong.empty(); }
};

class bench_data {
 public:
  // `shape` says everything but the addresses. Makes as many copies (1 to 3) as memory allows, and throws
  // fault::out_of_memory where it does not allow one. Float sums get positive input, as counts, prices and weights are:
  // with both signs a sum would stay near zero, and hide that it loses what is small. `shifted`: each operand begins an
  // element past where the device aligns memory.
  bench_data(upsweep::device&, const upsweep::problem& shape, std::uint64_t seed,
             upsweep::input_kind = upsweep::input_kind::uniform, bool shifted = false);
  bench_data(const bench_data&) = delete;
  bench_data& operator=(const bench_data&) = delete;
  ~bench_data();

  // The problem on the next copy of the operands, in turn.
  upsweep::problem next();
  // The problem on the first copy, and on its first `n` elements (of primitives that take any part of their operands).
  upsweep::problem first() const;
  upsweep::problem first(std::uint64_t n) const;
  // The shape with all that follows from its size: m, thresholds, an initial value.
  const upsweep::problem& shape() const { return shape_; }
  const std::vector<upsweep::array>& arrays() const { return arrays_; }
  // The problem in host memory; its output is the host's own.
  upsweep::problem on_host();

  // Poisons an output, calls `run` on it and compares. A float may be off by `tolerance`, relative to the reference;
  // where an exam is the judge, by what it allows for chains of `span` applications (0: n).
  verdict check(const std::function<void(const upsweep::problem&)>& run, double tolerance, double span = 0);

  int copies() const { return static_cast<int>(copies_.size()); }

 private:
  // Where each operand lies.
  using places = std::vector<upsweep::memory>;
  upsweep::problem at(const places&) const;
  void refer();
  verdict compare_with_reference(const upsweep::problem&, double tolerance);
  verdict judge(const upsweep::problem&, double span);

  upsweep::device& device_;
  upsweep::problem shape_;
  const upsweep::exam& exam_;
  std::vector<upsweep::array> arrays_;
  std::vector<places> copies_;
  std::vector<upsweep::memory> held_;
  std::size_t turn_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> host_;  // inputs, and outputs once they are wanted
  std::unique_ptr<std::byte[]> reference_, piece_;  // of those that fold into `out`
};

// What rounding may do to a float result relative to the reference, if every chain of applications is at most `span`
// long.
double rounding_tolerance(const upsweep::problem&, double span);
