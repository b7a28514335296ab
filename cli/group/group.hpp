// `upsweep group`: combines rows of a CSV file with equal keys into one row, with sums, means, extremes and counts of
// columns.
//
// Groups are numbered in order of appearance. The group numbers of a chunk of rows are sorted with their values and
// reduced by key; the results of all chunks are added.
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
  // Aggregates in the order of the output's columns, with their columns as named by --by; no column for a count.
  struct wanted {
    aggregate what;
    std::string columns;
  };
  std::vector<wanted> asked;
};

void group_rows(const group_request&);

// A number as text; NaN without a sign.
std::string real_text(double);

// The smallest and the largest number of a column in each group, compared by all digits and stored as text, because f64
// would round them.
class exact_extremes {
 public:
  // A number in plain form; NaN is ignored.
  void add(std::uint32_t group, std::string_view number);
  std::string text(aggregate, std::uint32_t group) const;  // of least and greatest

 private:
  struct extreme {
    std::string key{}, text{};
  };
  struct pair {
    extreme least{}, greatest{};
  };
  std::vector<pair> groups_;
};

// Aggregates of one column's values for each group.
class column_totals {
 public:
  explicit column_totals(upsweep::dtype type) : type_(type) {}  // i64, u64 or f64

  void add(std::uint32_t group, const void* value);
  std::uint64_t waiting() const { return groups_.size(); }
  void reduce(const upsweep::context&);  // what waits
  // A field of the output; empty if the group has no value.
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
