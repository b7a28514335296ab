// A user-defined operator: the largest sum of any run of neighbours (Bentley's maximum subarray). A piece is described
// by its total, the best sum from its left end, the best sum up to its right end, and the best sum within. Joining two
// such descriptions is associative and does not commute. On the CPU any C++ works; the device source is for OpenCL
// devices.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

struct window {
  std::int64_t total, from_left, to_right, within;
};

struct join_windows {
  UPSWEEP_HD window operator()(const window& a, const window& b) const {
    const auto larger = [](std::int64_t x, std::int64_t y) { return x < y ? y : x; };
    return {a.total + b.total, larger(a.from_left, a.total + b.from_left), larger(b.to_right, b.total + a.to_right),
            larger(larger(a.within, b.within), a.to_right + b.from_left)};
  }
  UPSWEEP_HD static window identity() { return {0, 0, 0, 0}; }
  static constexpr const char* source = "join_windows(a, b)";
};

template <>
struct upsweep::opencl_type<window> {
  static constexpr const char* name = "window";
  static constexpr const char* definition =
      "typedef struct { long total, from_left, to_right, within; } window;\n"
      "window join_windows(window a, window b) {\n"
      "  window w;\n"
      "  w.total = a.total + b.total;\n"
      "  w.from_left = max(a.from_left, a.total + b.from_left);\n"
      "  w.to_right = max(b.to_right, b.total + a.to_right);\n"
      "  w.within = max(max(a.within, b.within), a.to_right + b.from_left);\n"
      "  return w;\n"
      "}\n";
};

int main() {
  std::vector<window> changes;
  std::int64_t ending_here = 0, best = 0;  // Kadane's loop, to compare with
  for (std::int64_t i = 0; i < 400'000; ++i) {
    const std::int64_t x = (i * i * 31 + i * 7) % 2003 - 1001;
    const std::int64_t positive = std::max<std::int64_t>(x, 0);
    changes.push_back({x, positive, positive, positive});
    ending_here = std::max<std::int64_t>(0, ending_here + x);
    best = std::max(best, ending_here);
  }
  bool right = true;
  for (const upsweep::device_listing& d : upsweep::list_devices()) {
    if (!d.usable || d.kind == upsweep::backend::cuda) continue;  // on CUDA such an operator requires a .cu file
    const window all =
        upsweep::reduce(upsweep::context::named(d.name), changes, join_windows::identity(), join_windows{});
    std::printf("best run on %s: %lld\n", d.name.c_str(), static_cast<long long>(all.within));
    right = right && all.within == best;
  }
  return right ? 0 : 1;
}
