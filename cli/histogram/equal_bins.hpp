// Equal bins by numpy.histogram's rule: the edges are those of numpy.linspace, rounded to the elements' type where that
// is a float and doubles where it is an integer; an element's bin is found by scaling, and then moved by one where the
// edges say so. What the rule makes of each bin is found once: the least element that it takes.
#pragma once

#include <optional>

#include "cli/histogram/histogram.hpp"

// Sets the plan's edges for plan.m bins from `first` to `last`, of elements from `least` on and below `end`, which is
// none where no element is beyond; no `least`: all are below. `width` is last - first as NumPy has it of such elements.
// The last bin holds its upper edge, too, where it is `closed`.
template <class T>
void set_equal_bins(bin_plan&, double first, double last, double width, std::optional<T> least, std::optional<T> end,
                    bool closed);

// The least one above x.
template <class T>
std::optional<T> next_element(T x);

// As numpy.linspace(first, last, m + 1).
std::vector<double> edges_between(double first, double last, std::uint64_t m);
