#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "cli/io/rows.hpp"
#include "cli/select/arithmetic.hpp"
#include "cli/select/select.hpp"
#include "cli/select/selection.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;

namespace {

// Where --column is not given, x is the column of a file that has no other.
bool has_one_column(input& in, char separator) {
  std::string_view line = in.peek(1 << 16);
  return line.substr(0, line.find('\n')).find(separator) == std::string_view::npos;
}

// The columns that the condition names, each once.
struct columns_of_condition {
  std::vector<std::string> names;
  std::vector<std::size_t> numbers, tests;  // the column of each of the condition's names and text tests

  // `x` is the column that this name means.
  columns_of_condition(const condition& c, const std::string& x) {
    for (const condition::name& n : c.names()) numbers.push_back(place(n.text == "x" ? x : n.text));
    for (const condition::text_test& t : c.text_tests())
      tests.push_back(place(t.column.text == "x" ? x : t.column.text));
    if (names.empty()) place("1");  // a condition that looks at nothing, such as true
  }

 private:
  std::size_t place(const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    names.push_back(name);
    return names.size() - 1;
  }
};

using column_kind = column_type::kind;

// A name of the condition: the numbers of its column, or its dates in microseconds.
struct number_column {
  std::size_t column = 0;
  dtype type = dtype::f64;
  bool dates = false, may_miss = true;
  std::vector<std::byte> values{};
  std::vector<std::uint8_t> missing{};
  bool any_missing = false;
  bool exactly = false;  // f64 does not hold each number: what is written goes to `exact`
  std::vector<std::string> exact{};

  // False where --na leaves the row out.
  bool read(csv_records& records, missing_rule::rule na, std::uint64_t row) {
    std::byte* const to = values.data() + row * size_of(type);
    missing[row] = may_miss && na == missing_rule::rule::unsaid && records.missing(column);
    any_missing = any_missing || missing[row];
    if (missing[row]) {
      std::memset(to, 0, size_of(type));
      return true;
    }
    if (exactly) {
      std::string_view number;
      const bool taken = records.written_number(column, number);
      exact[row] = number;
      return taken;
    }
    if (!dates) return records.number_or_rule(column, type, to);
    const auto date = date_of(records.field(column));
    if (!date) return records.number_or_rule(column, type, to);
    std::memcpy(to, &*date, sizeof *date);
    return true;
  }
};

number_column column_for(const condition& c, const condition::name& n, const csv_records& records, std::size_t column,
                         std::optional<dtype> asked, std::uint64_t rows) {
  number_column numbers{.column = column, .type = asked.value_or(dtype::f64)};
  const column_type& found = records.type(column);
  if (!asked) {
    numbers.dates = found.what == column_kind::dates;
    // For text, the first field that is not a number is reported.
    numbers.type = found.what == column_kind::text ? dtype::f64 : found.type;
    if (n.date && found.what != column_kind::nothing && !numbers.dates)
      c.refuse(n, fmt::format("column '{}' holds {}, which cannot be compared with dates", n.text, found.words()),
               "compare it with a number");
    if (found.asked == column_type::said::text)
      c.refuse(n, fmt::format("column '{}' is declared as text by --text", n.text), "compare it with 'text'");
    numbers.exactly = found.what == column_kind::decimals && !found.exact;
    if (numbers.exactly) numbers.exact.resize(rows);
    if (numbers.dates && !n.date)
      c.refuse(n, fmt::format("column '{}' holds dates, which are not numbers", n.text),
               "compare it with a date, such as 2021-03-01");
  } else if (n.date) {
    c.refuse(n,
             fmt::format("column '{}' is declared as numbers by --dtype, which cannot be compared with dates", n.text),
             "leave --dtype out");
  }
  numbers.may_miss = !asked || is_floating(*asked);
  numbers.values.resize(rows * size_of(numbers.type));
  numbers.missing.resize(rows);
  return numbers;
}

bool needs_type(const condition::text_test& test) {
  using what = condition::text_test::what;
  return test.asks == what::missing || (test.asks == what::compares && date_of(test.text));
}

// One text test on the field of a row. A column of dates is compared with text as with the date that it says.
bool passes(const condition::text_test& test, csv_records& records, std::size_t column) {
  using what = condition::text_test::what;
  if (test.asks == what::missing) return records.missing(column);
  if (test.asks == what::compares && records.type(column).what == column_kind::dates)
    if (const auto wanted = date_of(test.text))
      if (const auto date = date_of(records.field(column)))
        return holds(test.how, std::partial_ordering(*date <=> *wanted));
  return test(records.field(column));
}

// Rows that wait to be selected.
struct batch {
  std::uint64_t n = 0;
  std::string text;
  std::vector<std::uint64_t> starts{0};
  std::vector<number_column> numbers;
  std::vector<std::vector<std::uint8_t>> tests;

  void clear() {
    n = 0;
    text.clear();
    starts.resize(1);
    for (auto& column : numbers) column.any_missing = false;
    for (auto& t : tests) t.clear();
  }
};

}  // namespace

std::uint64_t select_rows(const select_options& o, std::unique_ptr<input> in) {
  constexpr std::uint64_t most_rows = 1 << 18, most_text = 1 << 26;
  const context where = open_context(o.where, {"select"}, o.source.path);
  const condition c(o.condition);
  const std::optional<dtype> asked = csv_type_asked_for(o.source, in->name());
  const csv_options options = csv_options_of(o.source);
  const columns_of_condition columns(c, !o.source.column.empty()                 ? o.source.column
                                        : has_one_column(*in, options.separator) ? ""
                                                                                 : "x");
  csv_records records(*in, options, columns.names);
  const bool typed = (!c.names().empty() && !asked) || std::ranges::any_of(c.text_tests(), needs_type);
  if (typed) records.find_types();
  batch rows;
  for (std::size_t k = 0; k < columns.numbers.size(); ++k)
    rows.numbers.push_back(column_for(c, c.names()[k], records, columns.numbers[k], asked, most_rows));
  for (std::size_t k = 0; typed && k < columns.names.size(); ++k) tell_type(o.source, records, k);
  rows.tests.resize(c.text_tests().size());
  std::unique_ptr<row_sink> sink;
  if (!o.count) sink = std::make_unique<row_sink>(o.output, *in, records);

  // One comparison of one column is the library's own.
  const dtype type = rows.numbers.empty() ? dtype::f64 : rows.numbers[0].type;
  const std::optional<condition::test> single = c.single(type);
  const bool by_element = single && single->when == condition::test::outcome::by_element && !rows.numbers[0].exactly;
  chunk_selection selection(where, type, most_rows, true);
  progress line("select", in->size().value_or(0), "bytes");
  std::vector<std::uint8_t> flags(most_rows);
  std::uint64_t kept = 0, bytes = 0;

  const auto select = [&] {
    if (rows.n == 0) return;
    piece result;
    if (by_element && !rows.numbers[0].any_missing) {
      result = selection.where(rows.numbers[0].values.data(), rows.n, single->how, single->threshold, 0);
    } else {
      std::vector<condition::column> numbers;
      for (const number_column& n : rows.numbers)
        numbers.push_back({n.type, n.values.data(), n.any_missing ? n.missing.data() : nullptr,
                           n.exactly ? n.exact.data() : nullptr});
      std::vector<const std::uint8_t*> tests;
      for (const auto& t : rows.tests) tests.push_back(t.data());
      c.evaluate(numbers, tests, rows.n, flags.data());
      result = selection.flagged(nullptr, rows.n, flags.data(), 0);
    }
    kept += result.n;
    const auto* places = static_cast<const std::int64_t*>(result.data);
    for (std::uint64_t i = 0; sink && i < result.n; ++i) {
      const auto r = static_cast<std::size_t>(places[i]);
      sink->write(std::string_view(rows.text).substr(rows.starts[r], rows.starts[r + 1] - rows.starts[r]));
    }
    rows.clear();
    line.at(bytes);
  };

  while (records.next()) {
    bytes += records.text().size() + 1;
    const bool taken = std::ranges::all_of(
        rows.numbers, [&](number_column& column) { return column.read(records, options.na.what, rows.n); });
    if (!taken) continue;
    for (std::size_t k = 0; k < rows.tests.size(); ++k)
      rows.tests[k].push_back(passes(c.text_tests()[k], records, columns.tests[k]));
    if (!o.count) rows.text += records.text();
    rows.starts.push_back(rows.text.size());
    if (++rows.n == most_rows || rows.text.size() > most_text) select();
  }
  select();
  if (sink) sink->commit();
  return kept;
}
