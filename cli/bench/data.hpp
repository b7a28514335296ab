// Operands of a problem: random input on the host and in several copies on the device, and the reference result.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upsweep/conformance/conformance.hpp"

// Difference between a result and the reference.
struct verdict {
  std::string wrong;  // empty, or the first wrong element
  double error = 0;   // floats: the largest |result - reference| / |reference|
  bool right() const { return wrong.empty(); }
};

class bench_data {
 public:
  // `shape` describes everything except addresses. Allocates as many copies (1 to 3) as memory allows, and throws
  // fault::out_of_memory if none fits. Float sums have positive inputs, as counts, prices and weights do: a sum of both
  // signs would stay near zero and hide the loss of small terms. `shifted`: each operand begins one element after the
  // device's alignment.
  bench_data(upsweep::device&, const upsweep::problem& shape, std::uint64_t seed,
             upsweep::input_kind = upsweep::input_kind::uniform, bool shifted = false);
  bench_data(const bench_data&) = delete;
  bench_data& operator=(const bench_data&) = delete;
  ~bench_data();

  // The problem on the next copy of the operands, cyclically.
  upsweep::problem next();
  // The problem on the first copy, and on its first `n` elements (of primitives that take any part of their operands).
  upsweep::problem first() const;
  upsweep::problem first(std::uint64_t n) const;
  // The shape with all members derived from its size: m, thresholds, an initial value.
  const upsweep::problem& shape() const { return shape_; }
  const std::vector<upsweep::array>& arrays() const { return arrays_; }
  // The problem in host memory; its output is the host's own.
  upsweep::problem on_host();

  // Poisons an output, calls `run` on it and compares. A float may differ by `tolerance`, relative to the reference. If
  // a conformance test checks the result, its tolerance for chains of `span` applications (0: n) applies.
  verdict check(const std::function<void(const upsweep::problem&)>& run, double tolerance, double span = 0);

  int copies() const { return static_cast<int>(copies_.size()); }

 private:
  // Memory of each operand.
  using places = std::vector<upsweep::memory>;
  upsweep::problem at(const places&) const;
  void refer();
  verdict compare_with_reference(const upsweep::problem&, double tolerance);
  verdict check_result(const upsweep::problem&, double span);

  upsweep::device& device_;
  upsweep::problem shape_;
  const upsweep::conformance_test& conformance_test_;
  std::vector<upsweep::array> arrays_;
  std::vector<places> copies_;
  std::vector<upsweep::memory> held_;
  std::size_t turn_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> host_;  // inputs, and outputs once they are wanted
  std::unique_ptr<std::byte[]> reference_, piece_;  // of those that fold into `out`
};

// Bound of the relative rounding error of a float result whose chains of applications have at most `span` steps.
double rounding_tolerance(const upsweep::problem&, double span);
