// Equal bins as in numpy.histogram. The edges are those of numpy.linspace, rounded to the elements' type if it is a
// float, and doubles for integers. A bin is computed by scaling, and corrected by one where the edges require it. The
// result of this rule, the smallest element of each bin, is computed once.
#pragma once

#include <optional>

#include "cli/histogram/histogram.hpp"

// Sets the plan's edges for plan.m bins from `first` to `last`, for elements from `least` (inclusive) to `end`
// (exclusive; none if no element is larger); without `least` all elements are below. `width` is last - first as
// computed by NumPy for this type. With `closed` the last bin contains its upper edge.
template <class T>
void set_equal_bins(bin_plan&, double first, double last, double width, std::optional<T> least, std::optional<T> end,
                    bool closed);

// The smallest value above x.
template <class T>
std::optional<T> next_element(T x);

// As numpy.linspace(first, last, m + 1).
std::vector<double> edges_between(double first, double last, std::uint64_t m);
