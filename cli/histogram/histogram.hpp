// What `upsweep histogram` and `upsweep range-count` share: counting the elements of a file in bins between edges.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/stream/chunks.hpp"
#include "upsweep/core/catalog.hpp"

// Bins of elements of one type.
struct bin_plan {
  upsweep::dtype type = upsweep::dtype::f64;
  std::uint64_t m = 0;               // of each channel
  upsweep::scalar lower{}, upper{};  // of upsweep::bin_bound of the type
  std::vector<std::byte> edges{};    // m + 1 of the type where the bins are not equal, else none
  std::uint32_t channels = 1;
};

struct bin_counts {
  std::vector<std::uint64_t> counts;  // channel after channel
  std::vector<double> weights;        // the same, where there are weights
  std::uint64_t elements = 0;
};

// `weights` may be null; else it is as long as the source, and of type f32.
bin_counts count_in_bins(const upsweep::context&, element_source&, element_source* weights, const bin_plan&,
                         std::uint64_t chunk, const std::string& title);

// Numbers from "1,2.5,1e3", or from a file of them; in doubles, or in integers where all are.
struct number_list {
  bool integers = true;
  std::vector<__int128> whole;
  std::vector<double> real;
  std::uint64_t size() const { return integers ? whole.size() : real.size(); }
  double real_at(std::uint64_t i) const { return integers ? static_cast<double>(whole[i]) : real[i]; }
  std::string text_at(std::uint64_t i) const;
  void append(const number_list&);
};
// Nothing where the text is no list.
std::optional<number_list> parse_number_list(const std::string& text);
number_list read_numbers(element_source&);

// The least element of T that is not below the i-th number: elements are at least that number exactly when they are
// at least this one. Nothing where all of T is below.
template <class T>
std::optional<T> first_not_below(const number_list&, std::uint64_t i);
