// Tables. The first two bytes choose the options; the rest is the file. Its records are the same after they were
// written; a column read on every thread is what it is read record by record; and fields found by
// upsweep::find_fields are those of an automaton that reads byte by byte.
#include "cli/io/csv.hpp"

#include <cstring>
#include <optional>

#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"
#include "upsweep/lex.hpp"

namespace {

csv_options options_of(unsigned char form, unsigned char missing) {
  csv_options o;
  o.separator = ",;\t "[form & 3];
  constexpr csv_options::first_row rows[]{csv_options::first_row::automatic, csv_options::first_row::header,
                                          csv_options::first_row::data, csv_options::first_row::automatic};
  o.first = rows[form >> 2 & 3];
  constexpr const char* rules[]{"", "skip", "error", "zero", "7.5"};
  o.na = missing_rule_of(rules[missing % 5]);
  return o;
}

struct table {
  std::string preamble;
  std::vector<std::string> rows, fields;
  std::optional<std::string> refused;
};

table table_in(const std::string& path, const csv_options& o, bool typed) {
  table t;
  input in(path);
  std::size_t columns = 0;
  csv_records records(in, o, [&](const std::vector<std::string>& first_row) {
    std::vector<std::string> names;  // up to eight, by number
    for (columns = 0; columns < std::min<std::size_t>(first_row.size(), 8); ++columns)
      names.push_back(std::to_string(columns + 1));
    return names;
  });
  t.preamble = records.preamble();
  try {
    if (typed) records.find_types();
    while (records.next()) {
      t.rows.emplace_back(records.text());
      for (std::size_t c = 0; c < columns; ++c) {
        const bool missing = records.missing(c);
        try {
          t.fields.emplace_back(records.field(c));
          records.field_or_rule(c);
        } catch (const upsweep::error&) {
          fuzz::require(missing, "a field that is not missing is not there");
          t.fields.emplace_back("no field");
        }
      }
    }
  } catch (const upsweep::error& e) {
    t.refused = e.what();
  }
  return t;
}

// A column's numbers and what ended them.
struct column {
  std::vector<std::uint64_t> numbers;
  std::string refused;
  friend bool operator==(const column&, const column&) = default;
};

std::uint64_t bits_of(double x) {
  std::uint64_t bits = 0;
  if (x == x) std::memcpy(&bits, &x, sizeof bits);
  return x == x ? bits : ~std::uint64_t{0};
}

column column_at_once(const std::string& path, const csv_options& o) {
  column c;
  try {
    input in(path);
    csv_reader reader(in, upsweep::dtype::f64, o);
    double block[61];
    for (std::uint64_t n; (n = reader.read(block, 61)) > 0;)
      for (std::uint64_t i = 0; i < n; ++i) c.numbers.push_back(bits_of(block[i]));
  } catch (const upsweep::error& e) {
    c.refused = e.what();
  }
  return c;
}

column column_by_records(const std::string& path, const csv_options& o) {
  column c;
  try {
    input in(path);
    csv_records records(in, o, std::vector<std::string>{o.column});
    double x = 0;
    while (records.next())
      if (records.number_or_rule(0, upsweep::dtype::f64, &x)) c.numbers.push_back(bits_of(x));
  } catch (const upsweep::error& e) {
    c.refused = e.what();
  }
  // Of the last block, which an error ended, the other reader gives none.
  if (!c.refused.empty()) c.numbers.resize(c.numbers.size() / 61 * 61);
  return c;
}

// What find_fields is to find.
struct fields_found {
  std::vector<std::uint64_t> ends;
  std::uint64_t records = 0;
  std::optional<std::uint64_t> stopped;
};

fields_found fields_in(std::string_view text, char separator) {
  enum { at_start, plain, quoted, after_quote } now = at_start;
  fields_found f;
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (now == quoted) {
      if (c == '"') now = after_quote;
      continue;
    }
    if (now == at_start && c == '"') {
      now = quoted;
    } else if (now == after_quote && c == '"' && text[i - 1] == '"') {
      now = quoted;
    } else if (c == separator || c == '\n') {
      f.ends.push_back(i);
      f.records += c == '\n';
      now = at_start;
    } else if (now == after_quote) {
      if (c != ' ' && c != '\t' && c != '\r') {
        f.stopped = i;
        return f;
      }
    } else {
      now = plain;
    }
  }
  if (now == quoted) {
    f.stopped = text.size();
  } else if (!text.empty() && text.back() != '\n') {
    f.ends.push_back(text.size());
    ++f.records;
  }
  return f;
}

}  // namespace

UPSWEEP_HARNESS(csv) {
  const unsigned char form = fuzz::take_byte(bytes), missing = fuzz::take_byte(bytes);
  csv_options o = options_of(form, missing);
  const std::string path = fuzz::file_of("t.csv", bytes);

  const table first = table_in(path, o, form & 16);
  std::string copy = first.preamble;
  for (const std::string& row : first.rows) copy += row + '\n';
  // (Behind blank lines, which are not written, three bytes may stand that are a mark at a file's beginning.)
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (!first.refused && (!copy.starts_with(mark) || bytes.starts_with(mark))) {
    const table second = table_in(fuzz::file_of("copy.csv", copy), o, form & 16);
    fuzz::require(!second.refused, "what was read is refused");
    fuzz::require(second.rows == first.rows && second.fields == first.fields, "the table is another one");
  }

  o.column = "1";
  fuzz::require(column_at_once(path, o) == column_by_records(path, o), "a column has other numbers");

  input in(path);
  csv_reader typed(in, std::nullopt, o);
  std::vector<std::uint64_t> block(64);
  while (typed.read(block.data(), 64) > 0) {
  }
}

UPSWEEP_HARNESS(fields) {
  const char separator = ",;\t|"[fuzz::take_byte(bytes) & 3];
  const upsweep::context cpu = upsweep::context::cpu();
  const fields_found wanted = fields_in(bytes, separator);
  const upsweep::field_counts counted = upsweep::count_fields(cpu, bytes, separator);
  fuzz::require(counted.stopped == wanted.stopped, "fields stop elsewhere");
  fuzz::require(counted.fields == wanted.ends.size() && counted.records == wanted.records, "other counts of fields");
  std::vector<std::uint64_t> ends(counted.fields);
  upsweep::find_fields(cpu, bytes, ends, separator);
  fuzz::require(ends == wanted.ends, "fields end elsewhere");
}
