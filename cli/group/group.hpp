// `upsweep group`: rows of a CSV file that agree in some columns become one, with sums, means, extremes and counts of
// others.
//
// Groups are numbered as they are met. Of a chunk of rows the numbers are sorted, with the values behind them, and
// reduced by key; what comes of each chunk is added up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"

enum class aggregate : std::uint8_t { sum, mean, least, greatest, count };

struct group_request {
  source_options source;
  device_options where;
  output_options output;
  std::string by;
  bool natural = false;
  // In the order of the output's columns: what is computed, and of which columns, as --by names them; none for a count.
  struct wanted {
    aggregate what;
    std::string columns;
  };
  std::vector<wanted> asked;
};

void group_rows(const group_request&);

// What is known of one column's values, group by group.
class column_totals {
 public:
  explicit column_totals(upsweep::dtype type) : type_(type) {}  // i64, u64 or f64

  void add(std::uint32_t group, const void* value);
  std::uint64_t waiting() const { return groups_.size(); }
  void reduce(const upsweep::context&);  // what waits
  // A field for the output; empty where the group has no value.
  std::string text(aggregate, std::uint32_t group) const;
  // Whether each group's sum fits in 64 bits, signed or not.
  bool sums_fit() const;

 private:
  struct total {
    std::uint64_t count = 0;
    __int128 whole = 0;
    long double real = 0;
    upsweep::scalar least{}, greatest{};
  };
  template <class T>
  void reduce_as(const upsweep::context&);

  upsweep::dtype type_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint64_t> values_;  // of the type, as bits
  std::vector<total> totals_;
};
