// How far accelerations are from all pairs' in f64, and how long they take: the curve of a tree's error against its
// time.
//
//   upsweep::nbody::force_reference<float> judge(gpu, start, rules, 1024);
//   for (double theta : {0.3, 0.5, 0.7}) {
//     rules.theta = theta;
//     auto r = judge.examine(rules, 5);                   // r.whole seconds, r.errors.p99
//   }
//
// Result     errors |δa| / |a| over `checked` bodies, at even distances in the order given; medians of seconds over
//            `repeats` calls.
// Requires   as accelerations; softening and G do not change.
// Work       once judged · n interactions in f64, on the GPU if that is the context's device, else on the CPU; then the
//            calls.
// Errors     as accelerations.
#pragma once

#include <memory>

#include "upsweep/nbody.hpp"

namespace upsweep::nbody {

// Seconds. The parts are timed in separate calls, and each part is waited for; for all pairs they are 0. `sort`
// includes the reordering of the bodies.
struct tree_times {
  double keys = 0, sort = 0, cells = 0, moments = 0, walk = 0;
};

struct force_errors {
  double median = 0, p90 = 0, p99 = 0, p999 = 0, largest = 0;
};

struct force_report {
  double whole = 0;  // of a call
  tree_times parts;
  force_errors errors;
};

template <class T>
class force_reference {
 public:
  force_reference(const context&, const bodies<double>&, const parameters&, std::uint64_t checked);
  force_reference(force_reference&&) noexcept;
  ~force_reference();

  force_report examine(const parameters&, int repeats);

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

extern template class force_reference<float>;
extern template class force_reference<double>;

}  // namespace upsweep::nbody
