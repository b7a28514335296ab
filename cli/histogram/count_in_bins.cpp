#include <fmt/core.h>

#include "cli/histogram/histogram.hpp"

using namespace upsweep;

bin_counts count_in_bins(const context& where, element_source& source, element_source* weights, const bin_plan& plan,
                         std::uint64_t chunk, const std::string& title) {
  problem p = plan.form;
  p.what = primitive::histogram;
  p.n = source.count.value_or(0);
  choose(where.dev(), p);
  const std::uint64_t size = size_of(source.type), cells = p.m * p.channels;
  // Chunks begin with channel 0.
  chunk = std::max<std::uint64_t>(chunk / p.channels, 1) * p.channels;
  const std::uint64_t most = std::min(chunk, std::max<std::uint64_t>(source.count.value_or(chunk), 1));
  workplace in(where, most * size), in2(where, weights ? most * 4 : 0), in3(where, plan.edges.size()),
      out(where, cells * 8);
  if (p.edges) p.in3 = in3.bring(plan.edges.data(), plan.edges.size());

  bin_counts all;
  if (weights)
    all.weights.resize(cells);
  else
    all.counts.resize(cells);
  std::vector<std::uint64_t> counts(cells);
  std::vector<float> of_elements(weights ? most : 0);
  const auto uneven = [&](const std::string& n_weights, const std::string& n_elements) {
    throw error(fault::bad_argument, weights->name,
                fmt::format("it has {} weights and {} has {} elements", n_weights, source.name, n_elements),
                "give as many weights as elements");
  };
  all.elements = stream_chunks(source, chunk, title, [&](const void* data, std::uint64_t n, std::uint64_t first) {
    p.n = n;
    p.in = in.bring(data, n * size);
    if (weights) {
      if (const std::uint64_t got = weights->read(of_elements.data(), n); got < n)
        uneven(std::to_string(first + got), "more");
      p.in2 = in2.bring(of_elements.data(), n * 4);
    }
    p.out = out.at(counts.data());
    run(where.dev(), p);
    out.take_back(counts.data(), cells * 8);
    for (std::uint64_t b = 0; b < cells; ++b) {
      if (weights)
        all.weights[b] += std::bit_cast<double>(counts[b]);
      else
        all.counts[b] += counts[b];
    }
    return piece{};
  });
  if (float more; weights && weights->read(&more, 1) > 0) uneven("more", std::to_string(all.elements));
  if (weights) weights->expect_end();
  return all;
}
