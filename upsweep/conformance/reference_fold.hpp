// Reference results for every variant: fresh random input that keeps each operator's result informative, and a
// sequential fold that is exact for integers and more precise than the type for floats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "upsweep/core/catalog.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep {

// Random elements for one descriptor, the same for the same seed; any part of them can be generated separately.
//   plus        floats of both signs over eight binary magnitudes; integers of all bits
//   multiplies  floats of both signs of which no prefix leaves the range; odd integers, which lose no bits
//   min, max    no NaN; the extreme moves on through the whole input
//   bit and/or  one bit cleared (set) now and then, so that the result still changes near the end
//   logical     the first deciding element is anywhere, or nowhere; elements are other values than 0 and 1, too
//   compose_affine  maps that do not commute; mostly odd factors, so that early elements reach the end
class random_input {
 public:
  random_input(dtype type, op_kind op, std::uint64_t n, std::uint64_t seed);
  // Elements [first, first + count) into host memory at `to`.
  void fill(void* to, std::uint64_t first, std::uint64_t count) const;
  // Another value of the same kind, for init: 0 or 1 for the logical operators.
  scalar start_value() const;

 private:
  template <class T>
  T element(std::uint64_t i) const;

  dtype type_;
  op_kind op_;
  std::uint64_t n_, seed_, turn_;  // turn_: where the logical operators' result is decided
};

// A fold without its operands.
struct fold_question : problem_head, folding {
  bool inclusive = false;

  template <std::derived_from<folding> P>
  fold_question(const P& p) : problem_head(p), folding(p) {
    if constexpr (requires { p.inclusive; }) inclusive = p.inclusive;
  }
};

// Compares a result piece by piece, in order. `span` is the variant's longest chain of applications at this n, which
// bounds the rounding error of a float sum: (span + few)·eps·Σ|x|.
class fold_reference {
 public:
  fold_reference(const fold_question&, double span);
  ~fold_reference();

  // A reduction: every input element, then the one result.
  void reduce_input(const void* in, std::uint64_t count);
  void reduce_result(const void* out);
  // A scan: the next `count` elements of input and output. `in` is the input as it was before an in-place scan.
  void scan(const void* in, const void* out, std::uint64_t count);
  // A vector sum.
  void vector_add(const void* a, const void* b, const void* out, std::uint64_t count);

  // Empty while all is right; else the first wrong element: "element 17 of 100: 3.5 is not 4 (off by 0.5, tolerance
  // 1e-6)".
  const std::string& wrong() const { return wrong_; }

  struct implementation;

 private:
  std::unique_ptr<implementation> implementation_;
  std::string wrong_;
};

// All at once: p.in (and p.in2) and `out` are host addresses of whole arrays; p.out is not read.
std::string what_is_wrong(const detail::reduce_impl::problem& p, const void* out, double span);
std::string what_is_wrong(const detail::scan_impl::problem& p, const void* out, double span);
std::string what_is_wrong(const detail::vector_add_impl::problem& p, const void* out, double span);
std::string what_is_wrong(const problem& p, const void* out, double span);  // one of these

// Whether it is one of these, whose answer is known element by element.
bool has_reference(const problem& p);

// The reference itself, rounded to p.type, written to p.out; all addresses are host memory, p.out may be p.in.
void reference(const detail::reduce_impl::problem& p);
void reference(const detail::scan_impl::problem& p);
void reference(const detail::vector_add_impl::problem& p);
void reference(const problem& p);  // one of these

}  // namespace upsweep
