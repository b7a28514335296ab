#include "cli/histogram/histogram.hpp"
#include "cli/processes/processes.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstring>
#include <numeric>

#include "cli/fold/calls.hpp"
#include "cli/histogram/equal_bins.hpp"
#include "cli/io/same_file.hpp"
#include "cli/process/answer.hpp"
#include "cli/select/selection.hpp"
#include "cli/stream/spool.hpp"
#include "upsweep/histogram.hpp"

using namespace upsweep;

namespace {

struct histogram_options {
  source_options source;
  device_options where;
  output_options output{.path = "", .format = ""};
  std::string edges, range, weights, weights_column;
  std::uint64_t bins = 10, chunk = std::uint64_t{1} << 22;
  std::uint32_t channels = 1;
};

// Elements that were read once and stored in a temporary file.
class spooled_source final : public element_source {
 public:
  spooled_source(const element_source& like, std::unique_ptr<spool> elements)
      : element_source(like), elements_(std::move(elements)) {
    count = elements_->size() / size_of(type);
  }
  std::uint64_t read(void* to, std::uint64_t n) override {
    n = std::min(n, *count - done_);
    elements_->read(to, n * size_of(type), done_ * size_of(type));
    done_ += n;
    return n;
  }

 private:
  std::unique_ptr<spool> elements_;
  std::uint64_t done_ = 0;
};

// Weights of any type, as f64.
class weight_source final : public element_source {
 public:
  explicit weight_source(std::unique_ptr<element_source> from) : element_source(*from), from_(std::move(from)) {
    type = dtype::f64;
  }
  std::uint64_t read(void* to, std::uint64_t n) override {
    return with_any_type(from_->type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, double>) return from_->read(to, n);
      std::vector<T> block(n);
      const std::uint64_t got = from_->read(block.data(), n);
      for (std::uint64_t i = 0; i < got; ++i) static_cast<double*>(to)[i] = static_cast<double>(block[i]);
      return got;
    });
  }
  void expect_end() override { from_->expect_end(); }

 private:
  std::unique_ptr<element_source> from_;
};

template <class T>
struct extremes {
  bool any = false;
  T low{}, high{};
};

// Narrow types are folded in these.
template <class T>
using folded_as =
    std::conditional_t<std::is_same_v<T, half>, float, std::conditional_t<(sizeof(T) < 4), std::int32_t, T>>;

// The least and the greatest element, NaN left out.
template <class T>
extremes<folded_as<T>> find_extremes(const context& where, element_source& source, std::uint64_t chunk, spool* keep) {
  using F = folded_as<T>;
  chunk = std::min(chunk, std::max<std::uint64_t>(source.count.value_or(chunk), 1));
  device_workspace in(where, chunk * sizeof(F));
  std::unique_ptr<chunk_selection> numbers;
  std::vector<F> wide;
  extremes<F> found;
  const auto fold = [&](op_kind op, std::uint64_t n, memory at, F init) {
    return reduce_elements(where, {.op = op, .type = dtype_of<F>}, at, n, scalar::of(init)).template as<F>();
  };
  stream_chunks(source, chunk, "range", [&](const void* data, std::uint64_t n, std::uint64_t) {
    if (keep) keep->write(data, n * sizeof(T));
    const F* x = static_cast<const F*>(data);
    if constexpr (!std::is_same_v<T, F>) {
      const T* narrow = static_cast<const T*>(data);
      wide.resize(n);
      for (std::uint64_t i = 0; i < n; ++i) wide[i] = static_cast<F>(narrow[i]);
      x = wide.data();
    }
    if constexpr (std::is_floating_point_v<F>) {
      bool any_nan = false;
      for (std::uint64_t i = 0; i < n; ++i) any_nan |= x[i] != x[i];
      if (any_nan) {
        if (!numbers) numbers = std::make_unique<chunk_selection>(where, dtype_of<F>, chunk, false);
        const piece kept =
            numbers->where(x, n, comparison::greater_equal, scalar::of(-std::numeric_limits<F>::infinity()), 0);
        x = static_cast<const F*>(kept.data);
        n = kept.n;
      }
    }
    if (n == 0) return piece{};
    const memory at = in.bring(x, n * sizeof(F));
    found.low = fold(op_kind::minimum, n, at, found.any ? found.low : max_value<F>);
    found.high = fold(op_kind::maximum, n, at, found.any ? found.high : lowest_value<F>);
    found.any = true;
    return piece{};
  });
  return found;
}

// The library's own equal bins, where all of their edges are elements that it finds exactly.
template <class T>
bool has_whole_bins(const listed_number& low, const listed_number& high, std::uint64_t m) {
  if constexpr (std::is_integral_v<T>) {
    const __int128 width = high.whole - low.whole;
    return low.integer && high.integer && low.whole >= lowest_bin_bound<T> && high.whole <= highest_bin_bound<T> &&
           width <= __int128{1} << (sizeof(T) == 8 ? 39 : 32) && width % static_cast<__int128>(m) == 0;
  }
  return false;
}

template <class T>
void set_range(bin_plan& plan, const std::string& text) {
  const auto numbers = parse_number_list(text);
  const std::string option = "--range '" + text + "'";
  if (!numbers || numbers->size() != 2)
    throw error(fault::bad_argument, option, "it is not a pair of numbers", "write LO,HI");
  const listed_number &low = (*numbers)[0], &high = (*numbers)[1];
  if (!(low < high)) throw error(fault::bad_argument, option, "the range is empty", "write LO,HI with LO < HI");
  if (has_whole_bins<T>(low, high, plan.m)) {
    plan.lower = scalar::of(static_cast<bin_bound<T>>(low.whole));
    plan.upper = scalar::of(static_cast<bin_bound<T>>(high.whole));
    return;
  }
  // Of floats the bounds are rounded to their type, as NumPy rounds them.
  const auto bound = [&](const listed_number& number) {
    const double b = std::is_integral_v<T>
                         ? number.real
                         : static_cast<double>(static_cast<T>(static_cast<bin_bound<T>>(number.real)));
    if (!(std::fabs(b) < 0x1p100) && (std::is_integral_v<T> || !std::isfinite(b)))
      throw error(fault::bad_argument, "--range",
                  fmt::format("{} is out of range for elements of type {}", number.text(), name_of(dtype_of<T>)),
                  "give a smaller bound");
    return b;
  };
  const double first = bound(low), last = bound(high);
  if (!(first < last) || !std::isfinite(last - first))
    throw error(fault::bad_argument, option,
                fmt::format("its bounds are too close together, or too far apart, for {}", name_of(dtype_of<T>)),
                "give others");
  set_equal_bins<T>(plan, first, last, last - first, first_not_below<T>(low), first_not_below<T>(high), false);
}

// From the least to the greatest element, which the last bin holds.
template <class T>
void set_automatic_range(bin_plan& plan, const extremes<folded_as<T>>& found, const element_source& source) {
  if (!found.any) return set_equal_bins<T>(plan, 0, 1, 1, T(0), T(1), true);
  double first = static_cast<double>(found.low), last = static_cast<double>(found.high), width = last - first;
  if constexpr (std::is_integral_v<T>) {
    using distance = std::make_unsigned_t<folded_as<T>>;
    width = static_cast<double>(
        static_cast<distance>(static_cast<distance>(found.high) - static_cast<distance>(found.low)));
  } else if constexpr (std::is_same_v<T, float>) {
    width = static_cast<double>(found.high - found.low);
  }
  if (!std::isfinite(width))
    throw error(fault::bad_argument, source.name,
                "its smallest or largest element is not finite, or they are too far apart", "give --range LO,HI");
  if (found.low == found.high) {
    const double half_of_it = std::max(0.5, std::fabs(first) / 1024);
    const double margin = first - 0.5 < first && last + 0.5 > last ? 0.5 : half_of_it;
    first -= margin, last += margin, width = last - first;
  }
  set_equal_bins<T>(plan, first, last, width, static_cast<T>(found.low), next_element(static_cast<T>(found.high)),
                    true);
}

template <class T>
void add_edges(bin_plan& plan, const number_list& numbers) {
  std::vector<T> edges;
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i].real != numbers[i].real)
      throw error(fault::bad_argument, "--edges", fmt::format("edge {} (counted from 0) is NaN", i),
                  "give numbers that increase");
    const std::optional<T> edge = first_not_below<T>(numbers[i]);
    if (!edge)
      throw error(fault::bad_argument, "--edges",
                  fmt::format("edge {} (counted from 0) is {}, beyond every element of type {}", i, numbers[i].text(),
                              name_of(dtype_of<T>)),
                  "read the elements as a wider type, such as --as i32");
    if (i > 0 && !(edges.back() < *edge))
      throw error(fault::bad_argument, "--edges",
                  fmt::format("edge {} (counted from 0) is {} and the one before it is {}{}", i, numbers[i].text(),
                              numbers[i - 1].text(),
                              numbers[i - 1] < numbers[i]
                                  ? fmt::format(", and no element of type {} is between them", name_of(dtype_of<T>))
                                  : ""),
                  "give edges that increase");
    edges.push_back(*edge);
  }
  plan.m = edges.size() - 1;
  plan.edges.resize(edges.size() * sizeof(T));
  std::memcpy(plan.edges.data(), edges.data(), plan.edges.size());
}

number_list edges_of(const std::string& option, const std::string& text) {
  if (auto list = parse_number_list(text)) return *list;
  if (access(text.c_str(), R_OK) != 0 && text.find(',') != std::string::npos)
    throw error(fault::bad_argument, option + " '" + text + "'", "it is neither a list of numbers nor a file",
                "write numbers with commas between them");
  return read_numbers(*open_source({.path = text, .narrow = true}));
}

// Lower and upper edge of each bin, for people and for CSV: integers where all are.
struct shown_edges {
  bool integers = false;
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  int digits = 6;
  std::string text(std::uint64_t i) const {
    return integers ? std::to_string(whole[i]) : fmt::format("{:.{}g}", real[i], digits);
  }
};

template <class T>
shown_edges edges_of(const bin_plan& plan) {
  shown_edges s;
  s.integers = std::is_integral_v<T> && !(std::is_same_v<T, std::uint64_t> && plan.shown.empty());
  const auto width = plan.upper.as<bin_bound<T>>() - plan.lower.as<bin_bound<T>>();
  for (std::uint64_t b = 0; b <= plan.m; ++b) {
    if (!plan.shown.empty()) {
      const double edge = plan.shown[b];
      s.real.push_back(edge);
      s.integers = s.integers && edge == std::rint(edge) && std::fabs(edge) < 0x1p53;
      s.whole.push_back(s.integers ? static_cast<std::int64_t>(edge) : 0);
      continue;
    }
    if (plan.edges.empty()) {  // whole bins
      const auto edge = static_cast<bin_bound<T>>(
          plan.lower.as<bin_bound<T>>() + width / static_cast<bin_bound<T>>(plan.m) * static_cast<bin_bound<T>>(b));
      s.whole.push_back(static_cast<std::int64_t>(edge));
      s.real.push_back(static_cast<double>(edge));
      continue;
    }
    T edge;
    std::memcpy(static_cast<void*>(&edge), plan.edges.data() + b * sizeof(T), sizeof edge);
    if constexpr (std::is_integral_v<T>) s.whole.push_back(static_cast<std::int64_t>(edge));
    s.real.push_back(static_cast<double>(edge));
  }
  // Different edges have different texts.
  const auto alike = [&] {
    for (std::uint64_t b = 0; b < plan.m; ++b)
      if (s.real[b] != s.real[b + 1] && s.text(b) == s.text(b + 1)) return true;
    return false;
  };
  while (!s.integers && s.digits < 17 && alike()) ++s.digits;
  return s;
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40 ? size.ws_col : 80;
}

void print_bars(const bin_plan& plan, const shown_edges& edges, const bin_counts& found) {
  const bool weighted = !found.weights.empty();
  const std::uint64_t m = plan.m;
  double in_bins = 0;
  for (std::uint32_t c = 0; c < plan.channels; ++c) {
    const auto value = [&](std::uint64_t b) {
      return weighted ? found.weights[c * m + b] : static_cast<double>(found.counts[c * m + b]);
    };
    const auto text = [&](std::uint64_t b) {
      if (weighted && std::isnan(value(b))) return std::string("nan");  // without its sign
      return weighted ? fmt::format("{:.6g}", value(b)) : std::to_string(found.counts[c * m + b]);
    };
    std::size_t left = 0, right = 0, number = 0;
    double most = 0;
    for (std::uint64_t b = 0; b < m; ++b) {
      left = std::max(left, edges.text(b).size());
      right = std::max(right, edges.text(b + 1).size());
      number = std::max(number, text(b).size());
      most = std::max(most, value(b));
      in_bins += value(b);
    }
    const std::size_t taken = left + right + number + 7,
                      width = terminal_width() > taken + 10 ? terminal_width() - taken : 10;
    if (plan.channels > 1) fmt::print("{}channel {}\n", c ? "\n" : "", c);
    for (std::uint64_t b = 0; b < m; ++b) {
      const double share = most > 0 && value(b) > 0 ? value(b) / most : 0;
      const std::string bar(
          share > 0 ? std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(width))) : 0, '#');
      fmt::print("[{:>{}}, {:>{}}{}  {:>{}}{}{}\n", edges.text(b), left, edges.text(b + 1), right,
                 plan.closed && b + 1 == m ? ']' : ')', text(b), number, bar.empty() ? "" : "  ", bar);
    }
  }
  if (!weighted && in_bins < static_cast<double>(found.elements))
    fmt::print("{} of {} elements are in no bin\n",
               found.elements - std::accumulate(found.counts.begin(), found.counts.end(), std::uint64_t{0}),
               found.elements);
}

void tell_json(const bin_plan& plan, const shown_edges& edges, const bin_counts& found) {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (std::uint64_t i = 0; i < plan.m * plan.channels; ++i) {
    const std::uint64_t b = i % plan.m;
    nlohmann::ordered_json bin;
    if (plan.channels > 1) bin["channel"] = i / plan.m;
    for (const auto& [name, edge] : {std::pair{"lower", b}, std::pair{"upper", b + 1}})
      bin[name] = edges.integers ? nlohmann::ordered_json(edges.whole[edge]) : answer::number(edges.real[edge]);
    if (found.weights.empty())
      bin["count"] = found.counts[i];
    else
      bin["weight"] = answer::number(found.weights[i]);
    bins.push_back(std::move(bin));
  }
  answer::fields()["elements"] = found.elements;
  answer::fields()["bins"] = std::move(bins);
}

void write_counts(const histogram_options& o, const element_source& source, const bin_plan& plan,
                  const shown_edges& edges, const bin_counts& found) {
  const dtype type = found.weights.empty() ? dtype::u64 : dtype::f64;
  const void* const values =
      found.weights.empty() ? static_cast<const void*>(found.counts.data()) : found.weights.data();
  const std::uint64_t m = plan.m, cells = m * plan.channels;
  if (format_of_output(o.output.path, o.output.format, source.format) != file_format::csv) {
    const auto sink = open_sink(o.output.path, o.output.format, source, {type, cells});
    sink->write(values, cells);
    return sink->commit();
  }
  std::vector<std::uint32_t> channels;
  std::vector<std::uint64_t> lower, upper;  // of either type, as bits
  for (std::uint64_t i = 0; i < cells; ++i) {
    const std::uint64_t b = i % m;
    channels.push_back(static_cast<std::uint32_t>(i / m));
    lower.push_back(edges.integers ? static_cast<std::uint64_t>(edges.whole[b])
                                   : std::bit_cast<std::uint64_t>(edges.real[b]));
    upper.push_back(edges.integers ? static_cast<std::uint64_t>(edges.whole[b + 1])
                                   : std::bit_cast<std::uint64_t>(edges.real[b + 1]));
  }
  const dtype edge_type = edges.integers ? dtype::i64 : dtype::f64;
  std::vector<csv_column> columns{
      {"lower", edge_type}, {"upper", edge_type}, {found.weights.empty() ? "count" : "weight", type}};
  std::vector<const void*> from{lower.data(), upper.data(), values};
  if (plan.channels > 1) {
    columns.insert(columns.begin(), {"channel", dtype::u32});
    from.insert(from.begin(), channels.data());
  }
  refuse_own_input(o.output.path, source.name, source.device_number, source.inode);
  csv_table_sink sink(o.output.path, std::move(columns));
  sink.write(from, cells);
  sink.commit();
}

// The least and the greatest of what all ranks found.
template <class T>
extremes<T> of_all(const extremes<T>& mine, const communicator_rank& m) {
  extremes<T> all;
  for (const extremes<T>& one : m.all(mine)) {
    if (!one.any) continue;
    all.low = all.any ? std::min(all.low, one.low) : one.low;
    all.high = all.any ? std::max(all.high, one.high) : one.high;
    all.any = true;
  }
  return all;
}

// The counts of all ranks' slices.
bin_counts of_all(bin_counts mine, const communicator_rank& m) {
  std::vector<std::uint64_t> all(mine.counts.size() * static_cast<std::size_t>(m.size()));
  m.route().all_gather(mine.counts.data(), all.data(), mine.counts.size() * sizeof all[0]);
  std::ranges::fill(mine.counts, 0);
  for (std::size_t i = 0; i < all.size(); ++i) mine.counts[i % mine.counts.size()] += all[i];
  std::uint64_t elements = 0;
  for (const std::uint64_t n : m.all(mine.elements)) elements += n;
  mine.elements = elements;
  return mine;
}

// By one, or as a rank of a communicator: then it counts its slice, and the first says what all counted.
void histogram(const histogram_options& o, const communicator_rank* m = nullptr) {
  require_no_overlap({{"-o", o.output.path}},
                     {{"FILE", o.source.path}, {"--weights", o.weights}, {"--edges", o.edges}});
  const context where = open_context(o.where, {"histogram"}, o.source.path);
  auto source = open_source(o.source);
  if (m) {
    if (!o.weights.empty() || o.channels > 1)
      throw error(fault::unsupported, o.weights.empty() ? "--channels" : "--weights",
                  "several processes or devices count elements of one kind", "give it to one of them");
    take_slice(*source, *m);
  }
  bin_plan plan{.type = source->type, .m = o.bins, .channels = o.channels};
  const auto require_bins = [&] {
    if (plan.m * plan.channels > most_histogram_bins)
      throw error(fault::bad_argument, o.edges.empty() ? "--bins" : "--edges",
                  fmt::format("{} bins are more than {}", plan.m * plan.channels, most_histogram_bins), "give fewer");
  };
  with_any_type(source->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (!o.edges.empty()) {
      const number_list numbers = edges_of("--edges", o.edges);
      if (numbers.size() < 2)
        throw error(fault::bad_argument, "--edges", fmt::format("{} edges do not make a bin", numbers.size()),
                    "give two or more");
      add_edges<T>(plan, numbers);
      require_bins();
    } else {
      require_bins();
      if (!o.range.empty()) {
        set_range<T>(plan, o.range);
      } else {
        std::unique_ptr<spool> kept;
        const bool again = source->inode != 0 && o.source.path != "-";  // a regular file can be read twice
        if (!again) kept = std::make_unique<spool>(spool::usual_directory());
        auto found = find_extremes<T>(where, *source, o.chunk, kept.get());
        if (m) found = of_all(found, *m);
        set_automatic_range<T>(plan, found, *source);
        if (kept)
          source = std::make_unique<spooled_source>(*source, std::move(kept));
        else
          source = open_source(o.source);
        if (m) take_slice(*source, *m);
      }
    }
  });
  std::unique_ptr<weight_source> weights;
  if (!o.weights.empty()) {
    weights =
        std::make_unique<weight_source>(open_source({.path = o.weights, .column = o.weights_column, .narrow = true}));
    if (weights->count && source->count && *weights->count != *source->count)
      throw error(
          fault::bad_argument, weights->name,
          fmt::format("it has {} weights and {} has {} elements", *weights->count, source->name, *source->count),
          "give as many weights as elements");
  }
  bin_counts found = count_in_bins(where, *source, weights.get(), plan, o.chunk, "histogram");
  if (m) found = of_all(std::move(found), *m);
  if (m && m->rank() != 0) return;
  const shown_edges edges =
      with_any_type(source->type, [&](auto tag) { return edges_of<typename decltype(tag)::type>(plan); });
  if (answer::wanted()) tell_json(plan, edges, found);
  if (o.output.path.empty() && (answer::wanted() || o.output.format.empty()))
    return answer::wanted() ? void() : print_bars(plan, edges, found);
  histogram_options to = o;
  if (to.output.path.empty()) to.output.path = "-";
  write_counts(to, *source, plan, edges, found);
}

}  // namespace

void add_histogram(CLI::App& app) {
  auto o = std::make_shared<histogram_options>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command = app.add_subcommand("histogram", "Count elements in bins; draw or write the counts");
  add_source_options(*command, o->source);
  auto* bins = command->add_option("--bins", o->bins, "Number of equal bins. Default: 10")
                   ->type_name("N")
                   ->check(CLI::Range(std::uint64_t{1}, most_histogram_bins));
  auto* range = command
                    ->add_option("--range", o->range,
                                 "Range of the equal bins. Default: from the smallest to the largest element")
                    ->type_name("LO,HI");
  command
      ->add_option("--edges", o->edges, "Edges of the bins, in increasing order: a list such as 0,1,10,100 or a file")
      ->type_name("LIST|FILE")
      ->excludes(bins)
      ->excludes(range);
  command
      ->add_option("--weights", o->weights,
                   "Weights, one for each element: sum them instead of counting; they are read as f64")
      ->type_name("FILE");
  command->add_option("--weights-column", o->weights_column, "CSV: column of the file of weights")
      ->type_name("C")
      ->needs("--weights");
  command
      ->add_option("--channels", o->channels,
                   "Number of interleaved channels, as in the pixels of a picture; each channel is counted separately")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16));
  command
      ->add_option("-o,--output", o->output.path,
                   "Output file of the counts (u64; with weights f64; channel after channel), as CSV with the bins' "
                   "edges. Default: bars on standard output")
      ->type_name("OUT");
  command
      ->add_option("--output-format", o->output.format,
                   "npy, csv or raw. Default: by the output's extension, else the format of FILE")
      ->type_name("F");
  add_device_options(*command, o->where);
  command->add_option("--chunk", o->chunk, "Number of elements processed at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
  command->footer(
      "A bin contains its lower edge and not its upper edge; without --range the last bin also contains the largest "
      "element. Edges and counts are those of numpy.histogram. Elements outside every bin, including NaN, are not "
      "counted. Without --range, a pipe is stored in a temporary file until the range is known.\n"
      "Examples:\n"
      "  upsweep histogram x.npy --bins 20\n"
      "  upsweep histogram table.csv --column price --edges 0,10,100,1000 -o bins.csv\n"
      "  upsweep histogram rgb.raw --dtype u8 --channels 3 --bins 256 --range 0,256 -o counts.npy");
  command->callback([o] {
    const auto g = group_asked_for(o->where);
    if (!g) return histogram(*o);
    g->all.for_each_rank("histogram", [&](communicator_rank& m) {
      histogram_options mine = *o;
      mine.where = g->of(o->where, m);
      histogram(mine, &m);
    });
  });
}
