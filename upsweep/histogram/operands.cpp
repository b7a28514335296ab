#include "upsweep/histogram/operands.hpp"
#include "upsweep/histogram/problem.hpp"

#include "upsweep/histogram.hpp"

namespace upsweep {

namespace histogram_room {

void require_bins(const char* where, std::uint64_t bins) {
  if (bins == 0) throw error(fault::bad_argument, where, "there are no bins", "give room for one count at least");
  if (bins > most_bins)
    throw error(fault::bad_argument, where, std::to_string(bins) + " bins are more than " + std::to_string(most_bins),
                "count in fewer bins, or sort");
}

std::uint64_t bins_of(const char* where, std::uint64_t counts, std::uint32_t channels) {
  if (channels == 0) throw error(fault::bad_argument, where, "there are no channels", "give 1 for samples of one kind");
  if (counts % channels)
    throw error(fault::bad_argument, where,
                std::to_string(counts) + " counts cannot be shared by " + std::to_string(channels) + " channels",
                "give as many for each channel");
  require_bins(where, counts / channels);
  return counts / channels;
}

}  // namespace histogram_room

namespace {

std::uint64_t checked_bins(std::uint64_t bins) {
  histogram_room::require_bins("range_counter", bins);
  return bins;
}

void require_ranges(const bin_range* ranges, std::uint64_t count, std::uint64_t bins) {
  for (std::uint64_t i = 0; i < count; ++i)
    if (ranges[i].first > ranges[i].last || ranges[i].last > bins)
      throw error(fault::bad_argument, "range_counter",
                  "range " + std::to_string(i) + ", bins " + std::to_string(ranges[i].first) + " to " +
                      std::to_string(ranges[i].last) + " of " + std::to_string(bins) + ", is none",
                  "give a first bin, and the one behind the last");
}

}  // namespace

range_counter::range_counter(const context& where, std::uint64_t bins)
    : where_(where), prefix_(where, checked_bins(bins) + 1) {}

range_counter range_counter::of_counts(const context& where, std::span<const std::uint64_t> counts) {
  range_counter c(where, buffer<std::uint64_t>(where, counts.size() + 1));
  upload(where, counts, c.prefix_.span().subspan(1, counts.size()));
  c.add_up();
  return c;
}

void range_counter::add_up() {
  where_.dev().fill(prefix_.span().where(), 0, sizeof(std::uint64_t));
  const device_span<std::uint64_t> counts = prefix_.span().subspan(1, bins());
  inclusive_scan(where_, counts, counts);
}

void range_counter::count(device_span<const bin_range> ranges, device_span<std::uint64_t> counts) const {
  require_same_size("range_counter", "the ranges", ranges.size(), "the counts", counts.size());
  require_apart("range_counter", where_.kind(), {read_from("the ranges", ranges), written_to("the counts", counts)});
  if (where_.kind() == backend::cpu) {
    require_ranges(ranges.data(), ranges.size(), bins());
  } else if (checking) {
    std::vector<bin_range> copy(ranges.size());
    fetch(where_, copy.data(), ranges);
    require_ranges(copy.data(), copy.size(), bins());
  }
  histogram_room::problem p;
  p.what = histogram_room::primitive::range_counts, p.type = dtype::u64;
  p.in = prefix_.span().where(), p.in2 = ranges.where(), p.out = counts.where();
  p.n = ranges.size(), p.m = bins();
  histogram_room::run(where_, p);
}

void range_counter::count(std::span<const bin_range> ranges, std::span<std::uint64_t> counts) const {
  require_same_size("range_counter", "the ranges", ranges.size(), "the counts", counts.size());
  if (where_.kind() == backend::cpu) return count(in_place(ranges), in_place(counts));
  require_ranges(ranges.data(), ranges.size(), bins());
  for_each_chunk(where_, ranges.size(), sizeof(bin_range) + sizeof(std::uint64_t),
                 [&](std::uint64_t first, std::uint64_t n) {
                   const buffer<bin_range> some(where_, ranges.subspan(first, n));
                   buffer<std::uint64_t> answers(where_, n);
                   count(some.span(), answers.span());
                   answers.download(counts.subspan(first, n));
                 });
}

std::uint64_t range_counter::count(std::uint64_t first, std::uint64_t last) const {
  const bin_range range{first, last};
  std::uint64_t answer = 0;
  count(std::span(&range, 1), std::span(&answer, 1));
  return answer;
}

}  // namespace upsweep
