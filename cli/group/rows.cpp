#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "cli/group/group.hpp"
#include "cli/io/rows.hpp"
#include "cli/sort/row_keys.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;

namespace {

constexpr std::uint64_t chunk = 1 << 18;

class row_groups {
 public:
  explicit row_groups(const group_request& o)
      : o_(o),
        where_(open_context(o.where, {"reduce-by-key", "sort"})),
        in_(std::make_unique<input>(o.source.path)),
        rule_(missing_rule_of(o.source.na)),
        records_(*in_, options(), [&](const std::vector<std::string>& first_row) { return choose(first_row); }),
        writer_(found_types()) {}

  void run() {
    read();
    write();
  }

 private:
  using rule = missing_rule::rule;
  // A column of the output: a count, or what is computed of one of values_.
  struct output {
    aggregate what;
    std::size_t value;
  };

  csv_options options() {
    require_rows(o_.source, *in_, "group");
    if (format_of_output(o_.output.path, o_.output.format, file_format::csv) != file_format::csv)
      throw error(fault::bad_argument, "group", "the output is a table and can only be written as CSV",
                  "give --output-format csv, or an OUT that ends in .csv");
    if (o_.asked.empty())
      throw error(fault::bad_argument, "group", "no column to compute is given",
                  "give --sum C, --mean C, --min C, --max C or --count");
    return csv_options_of(o_.source);
  }

  std::vector<std::string> choose(const std::vector<std::string>& first_row) {
    keys_ = row_keys_of(o_.by, first_row);
    columns_ = columns_of(keys_);
    for (const group_request::wanted& w : o_.asked) {
      if (w.what == aggregate::count) {
        outputs_.push_back({w.what, 0});
        continue;
      }
      for (const row_key& k : row_keys_of(w.columns, first_row)) {
        if (k.descending)
          throw error(fault::bad_argument, "group", fmt::format("there is no column '-{}'", k.column),
                      "name columns of numbers");
        const auto known = std::ranges::find(columns_, k.column);
        outputs_.push_back({w.what, static_cast<std::size_t>(known - columns_.begin())});
        if (known == columns_.end()) columns_.push_back(k.column);
      }
    }
    return columns_;
  }

  key_writer found_types() {
    records_.find_types();
    const auto type = csv_type_asked_for(o_.source, in_->name());
    if (type && *type != dtype::i64 && *type != dtype::u64 && *type != dtype::f64)
      throw error(fault::unsupported, "--dtype", fmt::format("sums are not computed in {}", name_of(*type)),
                  "use i64, u64 or f64, or leave it out");
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      tell_type(o_.source, records_, c);
      const column_type& found = records_.type(c);
      types_.push_back(type.value_or(found.is_number() ? found.type : dtype::f64));
      totals_.emplace_back(types_.back());
      const auto wanted = [&](auto one_of) {
        return std::ranges::any_of(outputs_, [&](const output& w) { return w.value == c && one_of(w.what); });
      };
      const auto is_extreme = [](aggregate a) { return a == aggregate::least || a == aggregate::greatest; };
      const auto is_total = [](aggregate a) { return a == aggregate::sum || a == aggregate::mean; };
      if (wanted([](aggregate a) { return a != aggregate::count; }) && records_.asked_for(c) == column_type::said::text)
        throw error(fault::bad_argument, in_->name(), fmt::format("'{}' is declared as text by --text", title(c)),
                    "choose a column of numbers, or leave --text out");
      // Where f64 does not hold each number, extremes are compared as they are written.
      const bool exactly = !type && found.what == column_type::kind::decimals && !found.exact;
      exactly_.push_back(exactly && wanted(is_extreme));
      extremes_.emplace_back();
      summed_.push_back(wanted(is_total) || (!exactly && wanted(is_extreme)));
      if (!type && wanted(is_total)) records_.tell_rounding(c);
    }
    const bool of_keys = rule_.what == rule::skip || rule_.what == rule::error;
    return {records_, keys_, {}, o_.natural, of_keys ? rule_ : missing_rule{}};
  }

  void read() {
    progress line("group", in_->size().value_or(0), "bytes");
    std::string key;
    std::uint64_t rows = 0, bytes = 0;
    while (records_.next()) {
      bytes += records_.text().size() + 1;
      if (++rows % 1024 == 0) line.at(bytes);
      key.clear();
      if (!writer_.append(records_, key)) continue;
      const std::uint32_t group = group_of(key);
      ++counts_[group];
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (summed_[c] || exactly_[c]) take_value(c, group);
    }
    for (column_totals& t : totals_) t.reduce(where_);
  }

  std::uint32_t group_of(const std::string& key) {
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(texts_.size()));
    if (!is_new) return at->second;
    if (texts_.size() == 0xffffffff)
      throw error(fault::unsupported, in_->name(), "it has more than 2^32 groups", "group by fewer columns");
    std::string text;
    for (std::size_t c = 0; c < keys_.size(); ++c) {
      if (c > 0) text += records_.separator();
      if (!records_.missing(c)) text += records_.raw_field(c);
    }
    texts_.push_back(std::move(text));
    ordered_.push_back(&at->first);
    counts_.push_back(0);
    return at->second;
  }

  void take_value(std::size_t c, std::uint32_t group) {
    if (records_.missing(c)) {
      if (rule_.what == rule::error) records_.refuse_missing(c);
      if (rule_.what != rule::value) return;
    }
    if (exactly_[c]) {
      std::string_view number;
      if (records_.written_number(c, number)) extremes_[c].add(group, number);
    }
    if (!summed_[c]) return;
    std::uint64_t bits;
    records_.number_or_rule(c, types_[c], &bits);
    totals_[c].add(group, &bits);
    if (totals_[c].waiting() == chunk) totals_[c].reduce(where_);
  }

  std::string title(std::size_t c) const {
    return records_.title(c).empty() ? "column " + columns_[c] : records_.title(c);
  }

  void write() {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (std::ranges::any_of(outputs_, [&](const output& w) { return w.what == aggregate::sum && w.value == c; }) &&
          !totals_[c].sums_fit())
        throw error(fault::unsupported, in_->name(),
                    fmt::format("the sum of '{}' exceeds 64 bits in a group", title(c)),
                    "give --dtype f64 to round the sums");
    const char separator = records_.separator();
    std::string text;
    for (std::size_t c = 0; c < keys_.size(); ++c)
      text += (c ? std::string(1, separator) : "") + records_.name_field(title(c));
    for (const output& w : outputs_) {
      constexpr const char* suffixes[]{"_sum", "_mean", "_min", "_max"};
      text += separator;
      text += w.what == aggregate::count ? "count"
                                         : records_.name_field(title(w.value) + suffixes[static_cast<int>(w.what)]);
    }
    text += '\n';

    std::vector<std::uint32_t> order(texts_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return *ordered_[a] < *ordered_[b]; });
    whole_file file(o_.output.path);
    for (const std::uint32_t group : order) {
      text += texts_[group];
      for (const output& w : outputs_) {
        text += separator;
        const bool extreme = w.what == aggregate::least || w.what == aggregate::greatest;
        text += w.what == aggregate::count     ? std::to_string(counts_[group])
                : extreme && exactly_[w.value] ? extremes_[w.value].text(w.what, group)
                                               : totals_[w.value].text(w.what, group);
      }
      text += '\n';
      if (text.size() > (1 << 20)) {
        file.write(text);
        text.clear();
      }
    }
    file.write(text);
    file.commit();
  }

  const group_request& o_;
  context where_;
  std::unique_ptr<input> in_;
  missing_rule rule_;
  std::vector<row_key> keys_;
  std::vector<std::string> columns_;  // those of the keys, then of the values
  std::vector<output> outputs_;
  std::vector<dtype> types_;
  std::vector<bool> summed_, exactly_;  // exactly_: extremes_ holds the column's result
  std::vector<exact_extremes> extremes_;
  std::vector<column_totals> totals_;
  csv_records records_;
  key_writer writer_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> ordered_;  // keys by the groups' numbers
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace

void group_rows(const group_request& o) { row_groups(o).run(); }
