// `upsweep range-count`: counts the elements in [A, B) for any number of pairs A, B.
//
// The sorted bounds of all queries are the edges of a histogram of the elements. Its prefix sums are the numbers of
// elements below each bound, and each query is the difference of two of them.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "cli/histogram/histogram.hpp"
#include "cli/io/same_file.hpp"
#include "upsweep/histogram.hpp"

using namespace upsweep;

namespace {

struct range_options {
  source_options source;
  device_options where;
  output_options output;
  std::vector<std::string> ranges, more_ranges;
  std::string queries;
  std::uint64_t chunk = std::uint64_t{1} << 22;
};

// Two columns of a CSV file, or pairs one after the other.
number_list read_queries(const std::string& path) {
  auto in = std::make_unique<input>(path);
  source_options o{.path = path, .narrow = true};
  if (find_format(o, *in) != file_format::csv) {
    const auto source = open_source(std::move(in), o);
    number_list all = read_numbers(*source);
    if (all.size() % 2 != 0 || (source->shape.size() > 1 && source->shape.back() != 2))
      throw error(fault::bad_argument, source->name,
                  fmt::format("it has {} numbers, which is not a whole number of pairs", all.size()),
                  "give A and B of each query, one query after the other");
    return all;
  }
  csv_options options = csv_options_of(o);
  csv_records records(*in, options, {"1", "2"});
  number_list all;
  while (records.next())
    for (const std::size_t column : {0u, 1u}) {
      auto bound = number_of_text(records.field(column));
      if (double ignored; !bound) records.number(column, ignored), bound.emplace();  // says what is wrong
      all.push_back(*bound);
    }
  return all;
}

number_list all_queries(const range_options& o) {
  number_list all;
  for (const std::string& text : o.ranges) {
    const auto pair = parse_number_list(text);
    if (!pair || pair->size() != 2)
      throw error(fault::bad_argument, "query '" + text + "'", "it is not a pair of numbers", "write A,B");
    all.insert(all.end(), pair->begin(), pair->end());
  }
  if (!o.queries.empty()) {
    const number_list more = read_queries(o.queries);
    all.insert(all.end(), more.begin(), more.end());
  }
  if (o.ranges.empty() && o.queries.empty())
    throw error(fault::bad_argument, "range-count", "no query is given", "write A,B or give --queries FILE");
  for (std::uint64_t i = 0; i < all.size(); i += 2) {
    const listed_number &a = all[i], &b = all[i + 1];
    const bool no_number = a.real != a.real || b.real != b.real;
    if (!no_number && !(b < a)) continue;
    throw error(fault::bad_argument, fmt::format("query {} (counted from 0)", i / 2),
                no_number ? std::string("one of its bounds is NaN")
                          : fmt::format("it begins at {}, past its end at {}", a.text(), b.text()),
                "give A <= B");
  }
  return all;
}

// Bounds as places among the edges.
template <class T>
struct placed_queries {
  std::vector<T> edges;  // increasing; no element is below the first
  std::vector<std::uint64_t>
      places;  // for each bound, the number of bins before it; one more for a bound beyond all elements

  explicit placed_queries(const number_list& bounds) {
    edges.push_back(bottom());
    std::vector<std::optional<T>> least;
    for (std::uint64_t i = 0; i < bounds.size(); ++i) {
      least.push_back(first_not_below<T>(bounds[i]));
      if (least.back()) edges.push_back(*least.back());
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    if (edges.size() == 1) edges.push_back(top());
    if (edges.size() - 1 > most_histogram_bins)
      throw error(fault::bad_argument, "range-count", fmt::format("the queries have {} different bounds", edges.size()),
                  fmt::format("split the queries into parts with at most {}", most_histogram_bins));
    for (const std::optional<T>& bound : least)
      places.push_back(
          bound ? static_cast<std::uint64_t>(std::lower_bound(edges.begin(), edges.end(), *bound) - edges.begin())
                : edges.size());
  }

 private:
  static T bottom() {
    if constexpr (std::is_integral_v<T>)
      return std::numeric_limits<T>::lowest();
    else
      return T(-std::numeric_limits<float>::infinity());
  }
  static T top() {
    if constexpr (std::is_integral_v<T>)
      return std::numeric_limits<T>::max();
    else
      return T(std::numeric_limits<float>::infinity());
  }
};

void range_count(const range_options& o) {
  require_no_overlap({{"-o", o.output.path}}, {{"FILE", o.source.path}, {"--queries", o.queries}});
  const number_list bounds = all_queries(o);
  const context where = open_context(o.where, {"range-counts", "histogram"}, o.source.path);
  source_options from = o.source;
  from.any_order = true;
  const auto source = open_source(from);
  bin_plan plan{.type = source->type};
  std::vector<std::uint64_t> places;
  with_any_type(source->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    placed_queries<T> q(bounds);
    plan.m = q.edges.size() - 1;
    plan.edges.resize(q.edges.size() * sizeof(T));
    std::memcpy(plan.edges.data(), q.edges.data(), plan.edges.size());
    places = std::move(q.places);
  });
  const std::uint64_t queries = places.size() / 2;
  std::unique_ptr<element_sink> sink =
      open_sink(o.output.path, !o.output.format.empty() || format_of_extension(o.output.path) ? o.output.format : "csv",
                *source, {dtype::u64, queries});
  bin_counts found = count_in_bins(where, *source, nullptr, plan, o.chunk, "range-count");

  // One more bin for elements outside all bins, so that the last edge is beyond all elements.
  found.counts.push_back(found.elements - std::accumulate(found.counts.begin(), found.counts.end(), std::uint64_t{0}));
  std::vector<bin_range> ranges;
  for (std::uint64_t i = 0; i < places.size(); i += 2) ranges.push_back({places[i], places[i + 1]});
  std::vector<std::uint64_t> answers(queries);
  range_counter::from_histogram(where, found.counts).count(ranges, answers);
  sink->write(answers.data(), queries);
  sink->commit();
}

}  // namespace

void add_range_count(CLI::App& app) {
  auto o = std::make_shared<range_options>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command = app.add_subcommand("range-count", "Count the elements in ranges [A, B)");
  add_source_options(*command, o->source);
  command->add_option("RANGES", o->ranges, "Ranges A,B: counts elements x with A <= x < B; B may be inf")
      ->type_name("");
  command->add_option("--range", o->more_ranges, "One more range; needed if it begins with a minus sign: --range=-1,1")
      ->type_name("A,B")
      ->allow_extra_args(false);
  command->add_option("--queries", o->queries, "File of ranges: two columns of CSV, or .npy of shape (n, 2)")
      ->type_name("FILE");
  command
      ->add_option("-o,--output", o->output.path, "Output file of the counts (u64), - for standard output, the default")
      ->type_name("OUT");
  command
      ->add_option("--output-format", o->output.format, "npy, csv or raw. Default: by the output's extension, else csv")
      ->type_name("F");
  add_device_options(*command, o->where);
  command->add_option("--chunk", o->chunk, "Number of elements processed at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
  command->footer(
      "The elements are read once. Each range is then answered by two binary searches, in parallel. NaN is in no "
      "range.\n"
      "Examples:\n"
      "  upsweep range-count ages.npy 0,18 18,65 65,inf\n"
      "  upsweep range-count table.csv --column price --queries ranges.csv -o counts.npy");
  command->callback([o] {
    o->ranges.insert(o->ranges.end(), o->more_ranges.begin(), o->more_ranges.end());
    range_count(*o);
  });
}
