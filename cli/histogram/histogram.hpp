// What `upsweep histogram` and `upsweep range-count` share: counting the elements of a file in bins between edges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/stream/chunks.hpp"
#include "upsweep/core/catalog.hpp"

// Bins of elements of one type: equal ones as the library has them, from `lower` to `upper`, or between edges.
struct bin_plan {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  upsweep::dtype type = upsweep::dtype::f64;
  std::uint64_t m = 0;               // of each channel
  upsweep::scalar lower{}, upper{};  // of upsweep::bin_bound of the type
  std::vector<std::byte> edges{};    // of the type, increasing
  std::uint32_t channels = 1;
  // Where edges of equal bins lie so close that no element is between them, fewer bins are counted: bin b as that one,
  // or nowhere. Empty: each as itself.
  std::vector<std::uint64_t> counted_as{};
  std::optional<std::uint64_t> bin_of_greatest{};  // of the type's greatest element, where no edge can be beyond it
  std::vector<double> shown{};                     // the m + 1 edges as they are told; empty: by what is above
  bool closed = false;                             // the last bin holds its upper edge

  std::uint64_t counted_bins() const { return edges.empty() ? m : edges.size() / upsweep::size_of(type) - 1; }
};

struct bin_counts {
  std::vector<std::uint64_t> counts;  // channel after channel
  std::vector<double> weights;        // the same, where there are weights
  std::uint64_t elements = 0;
};

// `weights` may be null; else it is as long as the source, and of type f32.
bin_counts count_in_bins(const upsweep::context&, element_source&, element_source* weights, const bin_plan&,
                         std::uint64_t chunk, const std::string& title);

// Numbers from "1,2.5,1e3", or from a file of them: each an integer, or a double. Of a decimal that is neither, whole
// is the integer above it.
struct listed_number {
  bool integer = true;
  __int128 whole = 0;
  double real = 0;
  bool operator<(const listed_number&) const;
  std::string text() const;
};
listed_number number_from(double);
using number_list = std::vector<listed_number>;
// Nothing where the text is no number, no list.
std::optional<listed_number> number_of_text(std::string_view text);
std::optional<number_list> parse_number_list(const std::string& text);
number_list read_numbers(element_source&);

// The least element of T that is not below the number: elements are at least that number exactly when they are
// at least this one. Nothing where all of T is below.
template <class T>
std::optional<T> first_not_below(const listed_number&);
