// Every call of a communicator against one device, over parts of many shapes and keys that are hard to balance; what
// differs comes back as sentences. The same walk serves communicators of one process and of many.
#pragma once

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "upsweep/communicator/communicator_ranks.hpp"

namespace upsweep::communicator_conformance {

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

enum class keys : std::uint8_t { random, sorted, falling, constant, few, periodic };
inline constexpr keys every_kind[]{keys::random,   keys::sorted, keys::falling,
                                   keys::constant, keys::few,    keys::periodic};

template <class T>
std::vector<T> made(keys kind, std::uint64_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = mixed(seed + i);
    switch (kind) {
      case keys::random: x[i] = static_cast<T>(bits); break;
      case keys::sorted: x[i] = static_cast<T>(i / 3); break;
      case keys::falling: x[i] = static_cast<T>((n - i) / 2); break;
      case keys::constant: x[i] = static_cast<T>(7); break;
      case keys::few: x[i] = static_cast<T>(bits % 3); break;
      case keys::periodic: x[i] = static_cast<T>(i % 1000); break;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (kind == keys::random) x[i] = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5);
      if (kind == keys::few) {
        const T some[]{std::numeric_limits<T>::quiet_NaN(), T(-0.0), T(0), std::numeric_limits<T>::infinity()};
        x[i] = some[bits % 4];
      }
    }
  }
  return x;
}

class comparison {
 public:
  explicit comparison(std::string setting) : setting_(std::move(setting)) {}

  template <class A, class B>
  void same(const char* what, const A& got, const B& want) {
    using T = std::ranges::range_value_t<A>;
    ++asked_;
    if (std::ranges::size(got) != std::ranges::size(want))
      return wrong(
          what, std::to_string(std::ranges::size(got)) + " elements, not " + std::to_string(std::ranges::size(want)));
    for (std::size_t i = 0; i < std::ranges::size(got); ++i)
      if (std::memcmp(std::ranges::data(got) + i, std::ranges::data(want) + i, sizeof(T)) != 0)
        return wrong(what,
                     "element " + std::to_string(i) + " of " + std::to_string(std::ranges::size(got)) + " differs");
  }
  template <class T>
  void equal(const char* what, const T& got, const T& want) {
    same(what, std::span<const T>(&got, 1), std::span<const T>(&want, 1));
  }
  void wrong(const char* what, const std::string& how) { found_.push_back(setting_ + ": " + what + ": " + how); }

  const std::vector<std::string>& found() const { return found_; }
  std::uint64_t asked() const { return asked_; }
  void at(std::string setting) { setting_ = std::move(setting); }

 private:
  std::string setting_;
  std::vector<std::string> found_;
  std::uint64_t asked_ = 0;
};

// Built-in elements and operators, on whatever devices; `own` ones, too, where all are CPUs. Every step-th shape of
// parts, in turn.
comparison walk(const communicator& g, std::uint64_t most, bool own, std::size_t step = 1);

// Bodies by ranks that are all of one kind. bits: all pairs have those of one device.
comparison walk_bodies(const communicator& g, std::uint64_t most, bool doubles, bool bits);
// The tree by domains against one device, bit for bit.
comparison walk_domains(const communicator& g, std::uint64_t most, bool doubles);

}  // namespace upsweep::communicator_conformance
