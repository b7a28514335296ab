#include <fmt/core.h>

#include "cli/io/rows.hpp"
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

// The columns that the condition names, each once. Those of `texts` are compared with text alone.
struct columns_of_condition {
  std::vector<std::string> names;
  std::vector<bool> texts;
  std::vector<std::size_t> numbers, tests;  // by the condition's names and by its text tests: which column

  // `x` is what that name stands for.
  columns_of_condition(const condition& c, const std::string& x) {
    for (const condition::name& n : c.names()) numbers.push_back(place(n.text == "x" ? x : n.text, false));
    for (const condition::text_test& t : c.text_tests())
      tests.push_back(place(t.column.text == "x" ? x : t.column.text, true));
    if (names.empty()) place("1", true);  // a condition that looks at nothing, such as true
  }

 private:
  std::size_t place(const std::string& name, bool text) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return i;
    names.push_back(name);
    texts.push_back(text);
    return names.size() - 1;
  }
};

// Rows that wait to be selected.
struct batch {
  std::uint64_t n = 0;
  std::string text;
  std::vector<std::uint64_t> starts{0};
  std::vector<std::vector<std::byte>> numbers;
  std::vector<std::vector<std::uint8_t>> tests;

  void clear() {
    n = 0;
    text.clear();
    starts.resize(1);
    for (auto& t : tests) t.clear();
  }
};

}  // namespace

std::uint64_t select_rows(const select_options& o, std::unique_ptr<input> in) {
  constexpr std::uint64_t most_rows = 1 << 18, most_text = 1 << 26;
  const context where = open_context(o.where, {"select"});
  const condition c(o.condition);
  const dtype type = csv_type_of(o.source, in->name());
  const std::uint64_t size = size_of(type);
  const csv_options options = csv_options_of(o.source);
  const columns_of_condition columns(c, !o.source.column.empty()                 ? o.source.column
                                        : has_one_column(*in, options.separator) ? ""
                                                                                 : "x");
  csv_records records(*in, options, columns.names);
  std::unique_ptr<row_sink> sink;
  if (!o.count) sink = std::make_unique<row_sink>(o.output, *in, records);

  const std::optional<condition::test> single = c.single(type);
  const bool by_element = single && single->when == condition::test::outcome::by_element;
  chunk_selection selection(where, type, most_rows, true);
  progress line("select", in->size().value_or(0), "bytes");
  batch rows;
  rows.numbers.resize(c.names().size());
  rows.tests.resize(c.text_tests().size());
  for (auto& column : rows.numbers) column.resize(most_rows * size);
  std::vector<std::uint8_t> flags(most_rows);
  std::uint64_t kept = 0, bytes = 0;

  const auto select = [&] {
    if (rows.n == 0) return;
    piece result;
    if (by_element) {
      result = selection.where(rows.numbers[0].data(), rows.n, single->how, single->threshold, 0);
    } else {
      std::vector<condition::column> numbers;
      for (const auto& column : rows.numbers) numbers.push_back({type, column.data()});
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
    for (std::size_t k = 0; k < rows.numbers.size(); ++k)
      number_or_nan(records, columns.numbers[k], type, rows.numbers[k].data() + rows.n * size);
    for (std::size_t k = 0; k < rows.tests.size(); ++k)
      rows.tests[k].push_back(c.text_tests()[k](records.field(columns.tests[k])));
    if (!o.count) rows.text += records.text();
    rows.starts.push_back(rows.text.size());
    bytes += records.text().size() + 1;
    if (++rows.n == most_rows || rows.text.size() > most_text) select();
  }
  select();
  if (sink) sink->commit();
  return kept;
}
