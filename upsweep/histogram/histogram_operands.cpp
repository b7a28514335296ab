#include "upsweep/histogram/histogram_operands.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

#include "upsweep/histogram.hpp"

namespace upsweep {

namespace detail::histogram_impl {

void require_bins(const char* where, std::uint64_t bins) {
  if (bins == 0) throw error(fault::bad_argument, where, "there are no bins", "give at least one count");
  if (bins > most_bins)
    throw error(fault::bad_argument, where, std::to_string(bins) + " bins are more than " + std::to_string(most_bins),
                "count in fewer bins, or sort");
}

std::uint64_t bins_of(const char* where, std::uint64_t counts, std::uint32_t channels) {
  if (channels == 0) throw error(fault::bad_argument, where, "there are no channels", "give 1 for samples of one kind");
  if (counts % channels)
    throw error(fault::bad_argument, where,
                std::to_string(counts) + " counts cannot be shared by " + std::to_string(channels) + " channels",
                "give the same number for each channel");
  require_bins(where, counts / channels);
  return counts / channels;
}

}  // namespace detail::histogram_impl

namespace {

using namespace core;

std::uint64_t checked_bins(std::uint64_t bins) {
  detail::histogram_impl::require_bins("range_counter", bins);
  return bins;
}

void require_ranges(const bin_range* ranges, std::uint64_t count, std::uint64_t bins) {
  for (std::uint64_t i = 0; i < count; ++i)
    if (ranges[i].first > ranges[i].last || ranges[i].last > bins)
      throw error(fault::bad_argument, "range_counter",
                  "range " + std::to_string(i) + ", bins " + std::to_string(ranges[i].first) + " to " +
                      std::to_string(ranges[i].last) + " of " + std::to_string(bins) + ", is none",
                  "give the first bin, and the one after the last");
}

void answer(const context& where, operand<const std::uint64_t> prefix, operand<const bin_range> ranges,
            operand<std::uint64_t> counts) {
  const std::uint64_t bins = prefix.size() - 1;
  require_same_size("range_counter", "the ranges have # elements and the counts #", ranges.size(), counts.size());
  require_no_overlap("range_counter", where, {{"the ranges", ranges}, {"the counts", counts}});
  if (ranges.on_host() || where.kind() == backend::cpu || core::checks_places(where))
    require_ranges(readable<bin_range>(where, ranges).data(), ranges.size(), bins);
  if (!ranges.accessible_from(where))
    return for_each_chunk(where.device(), ranges.size(), sizeof(bin_range) + sizeof(std::uint64_t),
                          [&](std::uint64_t first, std::uint64_t n) {
                            const buffer<bin_range> some(where, ranges.part(first, n).host());
                            buffer<std::uint64_t> answers(where, n);
                            answer(where, prefix, some.span(), answers.span());
                            answers.download(counts.part(first, n).host());
                          });
  detail::histogram_impl::problem p;
  p.what = detail::histogram_impl::primitive::range_count, p.type = dtype::u64;
  p.in = prefix.where(), p.in2 = ranges.where(), p.out = counts.where();
  p.n = ranges.size(), p.m = bins;
  detail::histogram_impl::run(where, p);
}

}  // namespace

range_counter::range_counter(const context& where, std::uint64_t bins)
    : where_(where), prefix_(where, checked_bins(bins) + 1) {}

range_counter range_counter::from_histogram(const context& where, std::span<const std::uint64_t> counts) {
  range_counter c(where, buffer<std::uint64_t>(where, counts.size() + 1));
  upload(where, counts, c.prefix_.span().subspan(1, counts.size()));
  c.add_up();
  return c;
}

range_counter::range_counter(const context& where, device_span<const std::uint64_t> counts)
    : range_counter(where, buffer<std::uint64_t>(where, counts.size() + 1)) {
  if (counts.size())
    where.device().copy(prefix_.span().subspan(1, counts.size()).where(), counts.where(),
                        counts.size() * sizeof(std::uint64_t));
  add_up();
}

void range_counter::add_up() {
  where_.device().fill(prefix_.span().where(), 0, sizeof(std::uint64_t));
  const device_span<std::uint64_t> counts = prefix_.span().subspan(1, bins());
  inclusive_scan(where_, counts, counts);
}

void range_counter::count(device_span<const bin_range> ranges, device_span<std::uint64_t> counts) const {
  answer(where_, prefix_.span(), ranges, counts);
}
void range_counter::count(std::span<const bin_range> ranges, std::span<std::uint64_t> counts) const {
  answer(where_, prefix_.span(), ranges, counts);
}

std::uint64_t range_counter::count(std::uint64_t first, std::uint64_t last) const {
  const bin_range range{first, last};
  std::uint64_t answer = 0;
  count(std::span(&range, 1), std::span(&answer, 1));
  return answer;
}

}  // namespace upsweep
