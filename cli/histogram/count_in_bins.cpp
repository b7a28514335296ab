#include <fmt/core.h>

#include <limits>

#include "cli/histogram/histogram.hpp"
#include "upsweep/histogram.hpp"

using namespace upsweep;
using detail::histogram_impl::sum_of_parts;

namespace {

// The one place in the command where the templates of upsweep/histogram.hpp are made. All memory is the device's. Where
// not `weighted` each element counts as one, and `out` holds counts, else sums.
void count_elements(const context& where, const bin_plan& plan, memory elements, bool weighted, memory weights,
                    std::uint64_t n, memory edges, memory out) {
  const std::uint64_t m = plan.counted_bins(), cells = m * plan.channels;
  with_any_type(plan.type, [&]<class T>(type_tag<T>) {
    const device_span<const T> samples(elements, n), bounds(edges, m + 1);
    const auto lower = plan.lower.as<bin_bound<T>>(), upper = plan.upper.as<bin_bound<T>>();
    if (weighted) {
      const device_span<const double> w(weights, n);
      const device_span<double> sums(out, cells);
      plan.edges.empty() ? weighted_histogram(where, samples, w, sums, lower, upper, plan.channels)
                         : weighted_histogram(where, samples, w, bounds, sums, plan.channels);
    } else {
      const device_span<std::uint64_t> counts(out, cells);
      plan.edges.empty() ? histogram(where, samples, counts, lower, upper, plan.channels)
                         : histogram(where, samples, bounds, counts, plan.channels);
    }
  });
}

// The type's greatest elements, where no edge can be beyond them.
void count_greatest(const bin_plan& plan, const void* data, const double* weights, std::uint64_t n, bin_counts& all,
                    std::vector<sum_of_parts>& sums) {
  with_any_type(plan.type, [&]<class T>(type_tag<T>) {
    if constexpr (std::is_integral_v<T>)
      for (std::uint64_t i = 0; i < n; ++i)
        if (static_cast<const T*>(data)[i] == std::numeric_limits<T>::max()) {
          const std::uint64_t cell = i % plan.channels * plan.m + *plan.bin_of_greatest;
          if (weights)
            sums[cell].add(weights[i]);
          else
            ++all.counts[cell];
        }
  });
}

}  // namespace

bin_counts count_in_bins(const context& where, element_source& source, element_source* weights, const bin_plan& plan,
                         std::uint64_t chunk, const std::string& title) {
  const std::uint64_t size = size_of(source.type), m = plan.counted_bins(), cells = m * plan.channels,
                      all_cells = plan.m * plan.channels;
  // Chunks begin with channel 0.
  chunk = std::max<std::uint64_t>(chunk / plan.channels, 1) * plan.channels;
  const std::uint64_t most = std::min(chunk, std::max<std::uint64_t>(source.count.value_or(chunk), 1));
  device_workspace in(where, most * size), beside(where, weights ? most * 8 : 0), bounds(where, plan.edges.size()),
      out(where, cells * 8);
  const memory edges = bounds.bring(plan.edges.data(), plan.edges.size());

  bin_counts all;
  std::vector<sum_of_parts> all_sums(weights ? all_cells : 0);
  if (!weights) all.counts.resize(all_cells);
  std::vector<std::uint64_t> counts(weights ? 0 : cells);
  std::vector<double> sums(weights ? cells : 0);
  void* const some = weights ? static_cast<void*>(sums.data()) : counts.data();
  std::vector<double> of_elements(weights ? most : 0);
  count_elements(where, plan, {}, weights, {}, 0, edges, out.at(some));  // what can be known is said before reading
  const auto uneven = [&](const std::string& n_weights, const std::string& n_elements) {
    throw error(fault::bad_argument, weights->name,
                fmt::format("it has {} weights and {} has {} elements", n_weights, source.name, n_elements),
                "give as many weights as elements");
  };
  all.elements = stream_chunks(source, chunk, title, [&](const void* data, std::uint64_t n, std::uint64_t first) {
    memory w;
    if (weights) {
      if (const std::uint64_t got = weights->read(of_elements.data(), n); got < n)
        uneven(std::to_string(first + got), "more");
      w = beside.bring(of_elements.data(), n * 8);
    }
    count_elements(where, plan, in.bring(data, n * size), weights, w, n, edges, out.at(some));
    out.take_back(some, cells * 8);
    for (std::uint64_t cell = 0; cell < all_cells; ++cell) {
      const std::uint64_t b = cell % plan.m, counted = plan.counted_as.empty() ? b : plan.counted_as[b];
      if (counted == bin_plan::nowhere) continue;
      if (weights)
        all_sums[cell].add(sums[cell / plan.m * m + counted]);
      else
        all.counts[cell] += counts[cell / plan.m * m + counted];
    }
    if (plan.bin_of_greatest) count_greatest(plan, data, weights ? of_elements.data() : nullptr, n, all, all_sums);
    return piece{};
  });
  if (double more; weights && weights->read(&more, 1) > 0) uneven("more", std::to_string(all.elements));
  if (weights) weights->expect_end();
  for (const sum_of_parts& sum : all_sums) all.weights.push_back(sum.value());
  return all;
}
