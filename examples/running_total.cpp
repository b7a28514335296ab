// A running total over a column of a table: an inclusive scan.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "upsweep/scan.hpp"

const char* const table =
    "date,amount\n"
    "2026-01-31,1200.00\n2026-02-03,-45.50\n2026-02-14,-120.25\n2026-02-28,1200.00\n2026-03-02,-890.00\n"
    "2026-03-17,-312.50\n2026-03-31,0.00\n";

int main() {
  std::vector<std::string> dates;
  std::vector<double> amounts;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    const auto comma = line.find(',');
    dates.push_back(line.substr(0, comma));
    amounts.push_back(std::stod(line.substr(comma + 1)));
  }

  std::vector<double> balance(amounts.size());
  upsweep::inclusive_scan(upsweep::context::cpu(), amounts, balance);

  for (std::size_t i = 0; i < dates.size(); ++i) std::printf("%s %10.2f\n", dates[i].c_str(), balance[i]);
}
