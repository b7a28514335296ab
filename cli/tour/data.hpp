// Data of the tour's tasks, the same on every machine, and the comparison of results.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/tour/tour.hpp"
#include "upsweep/buffer.hpp"

namespace tour {

template <class T>
using shared = std::shared_ptr<std::vector<T>>;

template <class T>
shared<T> array(std::uint64_t n) {
  return std::make_shared<std::vector<T>>(n);
}

// SplitMix64: a few lines, and the same numbers everywhere, which <random>'s distributions do not promise.
class generator {
 public:
  explicit generator(std::uint64_t seed = 20260917) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  float uniform() { return static_cast<float>((*this)() >> 40) * 0x1p-24f; }

 private:
  std::uint64_t state_;
};

template <class T, class Next>
shared<T> made(std::uint64_t n, Next next) {
  auto all = array<T>(n);
  generator random;
  for (T& x : *all) x = static_cast<T>(next(random));
  return all;
}

inline shared<float> uniform_floats(std::uint64_t n) {
  return made<float>(n, [](generator& g) { return g.uniform(); });
}

// Exactly; `count` elements of both are looked at.
template <class T>
std::string differs(const std::vector<T>& got, const std::vector<T>& expected, std::uint64_t count) {
  const auto [a, b] = std::mismatch(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(count), expected.begin());
  if (a == got.begin() + static_cast<std::ptrdiff_t>(count)) return {};
  return fmt::format("element {} is {} instead of {}", a - got.begin(), *a, *b);
}
template <class T>
std::string differs(const std::vector<T>& got, const std::vector<T>& expected) {
  return differs(got, expected, expected.size());
}

// Within a bound; a NaN is not.
inline std::string is_off(double got, double expected, double bound, const std::string& what) {
  const double error = std::abs(got - expected);
  if (error <= bound) return {};
  return fmt::format("{} is {:.9g} instead of {:.9g}, within {:.2g}", what, got, expected, bound);
}
template <class T, class U>
std::string is_off(const std::vector<T>& got, const std::vector<U>& expected, double bound) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i])) <= bound))
      return is_off(static_cast<double>(got[i]), static_cast<double>(expected[i]), bound, fmt::format("element {}", i));
  return {};
}

// A call that reads one array and writes another, or the answer alone: from host memory, or there on the device.
template <class Out, class In, class Call, class Compare>
way mapped(const upsweep::context& c, bool there, shared<In> in, std::uint64_t out_size, Call call, Compare compare) {
  way w;
  if (there) {
    auto from = std::make_shared<upsweep::buffer<In>>(c, *in);
    auto to = std::make_shared<upsweep::buffer<Out>>(c, out_size);
    w.run = [=] {
      call(from->span(), to->span());
      c.synchronize();
    };
    w.wrong = [=] { return compare(to->download()); };
  } else {
    auto to = array<Out>(out_size);
    w.run = [=] { call(*in, *to); };
    w.wrong = [=] { return compare(*to); };
  }
  return w;
}

}  // namespace tour
