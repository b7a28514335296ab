#include "cli/tour_trades.hpp"

#include <fmt/core.h>

#include <cmath>

namespace tour {

namespace {

constexpr std::uint32_t opening = 9 * 3600, length = 8 * 3600 + 1800;

// SplitMix64: a few lines, and the same numbers everywhere, which <random>'s distributions do not promise.
class generator {
 public:
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 20260917;
};

}  // namespace

trades make_trades(std::size_t count) {
  trades t;
  t.shares.reserve(count);
  t.prices.reserve(count);
  t.amounts.reserve(count);
  t.seconds.reserve(count);
  generator random;
  const double n = static_cast<double>(count);
  double price = 120;
  for (std::size_t i = 0; i < count; ++i) {
    // Trading is densest at the opening and towards the close.
    const double share = static_cast<double>(i) / n, u = 2 * share - 1;
    t.seconds.push_back(static_cast<std::uint32_t>(length * (0.5 + 0.5 * u * (0.55 + 0.45 * (2 - u * u)))) % length);
    // A walk in steps of a cent or so that is drawn back to 120, as a share is to what people think it worth.
    price += (random.uniform() - 0.5) * 0.05 - (price - 120) * 2e-6;
    const double cents = std::round(price * 100) / 100;
    // Mostly small lots, now and then a large one.
    const double x = random.uniform();
    const auto lot = static_cast<std::uint32_t>(1 + 400 * x * x * x);
    t.prices.push_back(static_cast<float>(cents));
    t.shares.push_back(lot);
    t.amounts.push_back(cents * lot);
  }
  return t;
}

std::string clock_time(const trades& t, std::size_t which) {
  const std::uint32_t s = opening + t.seconds[which];
  return fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace tour
