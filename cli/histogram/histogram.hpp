// Shared by `upsweep histogram` and `upsweep range-count`: counts the elements of a file in bins between edges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/stream/chunks.hpp"
#include "upsweep/core/catalog.hpp"

// Bins of elements of one type: equal bins of the library from `lower` to `upper`, or bins between edges.
struct bin_plan {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  upsweep::dtype type = upsweep::dtype::f64;
  std::uint64_t m = 0;               // of each channel
  upsweep::scalar lower{}, upper{};  // of upsweep::bin_bound of the type
  std::vector<std::byte> edges{};    // of the type, increasing
  std::uint32_t channels = 1;
  // If edges of equal bins are so close that no element is between them, fewer bins are counted: bin b is counted as
  // this bin, or not at all. Empty: every bin is itself.
  std::vector<std::uint64_t> counted_as{};
  std::optional<std::uint64_t> bin_of_greatest{};  // of the type's greatest element, where no edge can be beyond it
  std::vector<double> shown{};  // the m + 1 edges as they are shown; empty: computed from the members above
  bool closed = false;          // the last bin holds its upper edge

  std::uint64_t counted_bins() const { return edges.empty() ? m : edges.size() / upsweep::size_of(type) - 1; }
};

struct bin_counts {
  std::vector<std::uint64_t> counts;  // channel after channel
  std::vector<double> weights;        // the same, where there are weights
  std::uint64_t elements = 0;
};

// `weights` may be null; else it has the length of the source, and type f64.
bin_counts count_in_bins(const upsweep::context&, element_source&, element_source* weights, const bin_plan&,
                         std::uint64_t chunk, const std::string& title);

// Numbers from "1,2.5,1e3", or from a file: each is an integer or a double. For a decimal that is neither, whole is the
// next larger integer.
struct listed_number {
  bool integer = true;
  __int128 whole = 0;
  double real = 0;
  bool operator<(const listed_number&) const;
  std::string text() const;
};
listed_number number_from(double);
using number_list = std::vector<listed_number>;
// std::nullopt if the text is neither a number nor a list.
std::optional<listed_number> number_of_text(std::string_view text);
std::optional<number_list> parse_number_list(const std::string& text);
number_list read_numbers(element_source&);

// The smallest value of T that is not below the number: an element is at least that number if and only if it is at
// least this value. std::nullopt if all of T is below.
template <class T>
std::optional<T> first_not_below(const listed_number&);
