// A day of trades of a made-up share, for the tour: generated, and the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tour {

struct trades {
  std::vector<std::uint32_t> shares;
  std::vector<float> prices;
  std::vector<double> amounts;         // shares · price
  std::vector<std::uint32_t> seconds;  // since the opening, ascending
};

trades make_trades(std::size_t count);

// The time of day of one trade, "13:05:27".
std::string clock_time(const trades&, std::size_t which);

}  // namespace tour
