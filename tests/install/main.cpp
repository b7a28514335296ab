#include <iostream>
#include <numeric>

#include <upsweep/upsweep.hpp>

// Own type and operator, so that the templates in the installed headers are instantiated as well as the library linked.
struct range {
  int low = 1 << 30, high = -(1 << 30);
};
struct hull {
  range operator()(range a, range b) const { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
  static range identity() { return {}; }
};

int main() {
  const auto cpu = upsweep::context::cpu();
  std::vector<std::uint64_t> x(100000);
  std::iota(x.begin(), x.end(), 1);
  const bool sum_right = upsweep::reduce(cpu, x) == x.size() * (x.size() + 1) / 2;

  std::vector<std::uint64_t> y(x.size());
  upsweep::exclusive_scan(cpu, x, y);
  bool scan_right = true;
  for (std::size_t i = 0; i < y.size(); ++i) scan_right = scan_right && y[i] == i * (i + 1) / 2;

  std::vector<range> ranges(1000);
  for (int i = 0; i < 1000; ++i) ranges[i] = {i * 7 % 1000, i * 7 % 1000};
  const range all = upsweep::reduce(cpu, ranges, range{}, hull{});
  const bool hull_right = all.low == 0 && all.high == 999;

  for (const auto& device : upsweep::list_devices()) std::cout << device.name << ": " << device.description << '\n';
  std::cout << "sum " << sum_right << " scan " << scan_right << " hull " << hull_right << '\n';
  return sum_right && scan_right && hull_right ? 0 : 1;
}
