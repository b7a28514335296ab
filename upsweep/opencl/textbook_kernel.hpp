// Host code shared by the OpenCL textbook variants: builds the kernels of a variant for a problem, and counts groups
// and levels.
#pragma once

#include <algorithm>
#include <cmath>

#include "upsweep/opencl/opencl_fold.hpp"

namespace upsweep::opencl {

// One call of a textbook variant. `file` has its kernels; `common` has those it shares with other variants, if any.
template <class P>
struct textbook_call {
  textbook_call(upsweep::device& any, const P& problem, std::string_view file, std::string_view common)
      : d(of(any)), p(problem), f(problem.type, problem), file(file), common(common) {
    group = 256;  // the largest power of two up to it that the device takes
    while (group > d.max_group_size()) group /= 2;
  }

  template <class... Args>
  void launch(const char* kernel, std::uint64_t groups, const Args&... args) {
    const std::string options =
        f.options + " -D GROUP=" + std::to_string(group) + " -D SECTION=" + std::to_string(2 * group);
    const loaded_kernel k = common.empty() ? d.kernel({"opencl/operators.cl", file}, options, kernel)
                                           : d.kernel({"opencl/operators.cl", common, file}, options, kernel);
    d.launch(k, groups, group, args...);
  }
  operand at(memory m) const { return {m, f.size}; }
  memory scratch(std::uint64_t elements) {
    return d.scratch("opencl/textbook", std::max<std::uint64_t>(elements, 1) * f.size);
  }

  device& d;
  const P& p;
  folding f;
  std::string_view file, common;
  std::uint64_t group;
};

inline std::uint64_t groups_for(std::uint64_t n, std::uint64_t each) { return (n + each - 1) / each; }

inline double log2_up(double n) { return n > 1 ? std::ceil(std::log2(n)) : 0; }

// Levels of kernel decomposition: how often n must be divided by 512 until it fits one group.
inline double levels(double n) {
  double count = 1;
  while ((n = std::ceil(n / 512)) > 1) ++count;
  return count;
}

}  // namespace upsweep::opencl
