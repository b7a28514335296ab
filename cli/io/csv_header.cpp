// Reads the first rows of a CSV file: selects columns and finds their names.
#include <fmt/core.h>

#include <algorithm>

#include "cli/io/csv.hpp"
#include "cli/io/csv_text.hpp"
#include "cli/io/elements.hpp"
#include "cli/process/message.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

// The index of a column given by its number, counted from 0; std::nullopt if it is not the number of a column.
std::optional<std::size_t> place_of_number(const std::string& name, std::size_t columns) {
  if (name.empty() || name.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  std::size_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  if (number < 1 || number > columns) return std::nullopt;
  return number - 1;
}

// At most a line of names.
std::string shown_list(const std::string& names) {
  return names.size() > 120 ? fmt::format("{:.117}...", names) : names;
}

std::string shown_row(const std::vector<std::string>& fields) {
  std::string row;
  for (const std::string& field : fields) row += (row.empty() ? "" : ", ") + shown(field);
  return shown_list(row);
}

}  // namespace

// The rows below the first, as far as they have been read: of each column the first field that is not missing.
struct csv_records::rows_below {
  std::size_t rows = 0;
  struct column {
    value_kind kind = value_kind::missing;
    bool quoted = false;
  };
  std::vector<column> columns{};
  std::size_t shift = 0;  // 1 where each row begins with a name of its own, so that column 1 is the first row's first

  const column& under(std::size_t head) const {
    static const column none;
    return head + shift < columns.size() ? columns[head + shift] : none;
  }
};

csv_records::rows_below csv_records::look_below() {
  constexpr std::size_t most = 10;
  const std::size_t at = at_, record_at = record_at_, record_end = record_end_, count = count_, filled = filled_;
  const std::uint64_t row = row_;
  rows_below all;
  std::vector<written> fields;
  std::string changed;
  collect_ = &fields;
  while (all.rows < most) {
    ++row_;
    record_at_ = at_;
    if (scan_record() != step::record) break;
    if (count_ == 1 && trimmed(text()).empty()) continue;
    if (all.rows++ == 0) all.shift = filled_ == count_ && count_ == first_row_.size() + 1;
    if (all.columns.size() < fields.size()) all.columns.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      rows_below::column& c = all.columns[i];
      if (c.kind == value_kind::missing)
        c = {kind_of(in_plain_form(fields[i].text, options_.form, changed)), fields[i].quoted};
    }
  }
  collect_ = nullptr;
  at_ = at, record_at_ = record_at, record_end_ = record_end, count_ = count, filled_ = filled;
  row_ = row;
  return all;
}

namespace {

bool is_number(value_kind kind) { return kind == value_kind::integer || kind == value_kind::decimal; }

// Integers that may name columns: years, or several that rise or fall and reach to the row's end.
bool is_series(const std::vector<std::pair<std::size_t, double>>& numbers, std::size_t columns) {
  const auto year = [](const auto& n) { return n.second >= 1500 && n.second <= 2200; };
  if (std::ranges::all_of(numbers, year)) return true;
  if (numbers.size() < 2 || numbers.back().first + 1 != columns) return false;
  for (std::size_t k = 1; k < numbers.size(); ++k)
    if (numbers[k].first != numbers[k - 1].first + 1 ||
        (numbers[k].second > numbers[k - 1].second) != (numbers[1].second > numbers[0].second) ||
        numbers[k].second == numbers[k - 1].second)
      return false;
  return true;
}

}  // namespace

bool csv_records::begins_with_names(const std::vector<std::string>& names, const rows_below& below) const {
  if (options_.first != csv_options::first_row::automatic) return options_.first == csv_options::first_row::header;
  const std::size_t n = heads_.size();
  const auto asked_for = [&](const std::string& name) {
    return !name.empty() && !place_of_number(name, n) &&
           (name.find_first_not_of("0123456789") != std::string::npos || std::ranges::count(heads_, name) > 0);
  };
  if (std::ranges::any_of(names, asked_for)) return true;

  std::vector<value_kind> kinds;
  std::vector<std::pair<std::size_t, double>> numbers;  // by place
  std::string changed;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view head = in_plain_form(heads_[i], options_.form, changed);
    kinds.push_back(kind_of(head));
    if (double x = 0; is_number(kinds[i]) && parse_number(head, x) == parsed::number) numbers.emplace_back(i, x);
  }
  const auto rises = [&] {
    return std::ranges::adjacent_find(numbers, [](const auto& a, const auto& b) { return !(a.second < b.second); }) ==
           numbers.end();
  };
  // R quotes names and leaves numbers alone.
  bool all_quoted = true, bare_below = false;
  for (std::size_t i = 0; i < n; ++i) {
    all_quoted &= first_row_[i].quoted || heads_[i].empty();
    bare_below |= first_row_[i].quoted && is_number(below.under(i).kind) && !below.under(i).quoted;
  }
  if (all_quoted && bare_below) return true;
  // One field more below than above, the first of them text.
  if (below.shift == 1 && below.columns[0].kind == value_kind::text) return true;
  // pandas: an empty name above the index; columns without names of their own are counted from 0.
  if (n > 1 && heads_[0].empty() && numbers.size() == n - 1 && below.rows > 0) {
    if (below.under(0).kind == value_kind::text && rises()) return true;
    bool counted = below.under(0).kind == value_kind::integer;
    for (std::size_t i = 0; i < numbers.size(); ++i) counted &= numbers[i].second == static_cast<double>(i);
    if (counted) return true;
  }

  const auto is_text = [&](std::size_t i) { return kinds[i] == value_kind::text; };
  const auto has_text = [&](const std::string& name) {
    const auto place = name.empty() && n == 1 ? 0 : place_of_number(name, n);
    return place && is_text(*place);
  };
  const auto first = std::ranges::find_if(kinds, [](value_kind k) { return k != value_kind::missing; });
  if (!std::ranges::any_of(names, has_text) && (first == kinds.end() || *first != value_kind::text)) return false;

  // Text above values of another type is a name. Other fields next to text may show that it is not a name.
  bool other_below = false, negative = false, decimal = false, dates = false;
  std::vector<std::pair<std::size_t, double>> integers;
  for (std::size_t i = 0; i < n; ++i) {
    const value_kind under = below.under(i).kind;
    other_below |= is_text(i) && (is_number(under) || under == value_kind::date);
    dates |= kinds[i] == value_kind::date && (under == value_kind::date || below.rows == 0);
    decimal |= kinds[i] == value_kind::decimal && (is_number(under) || under == value_kind::missing);
  }
  for (const auto& number : numbers) {
    const value_kind under = below.under(number.first).kind;
    negative |= number.second < 0 && (is_number(under) || under == value_kind::missing);
    if (kinds[number.first] == value_kind::integer && is_number(under)) integers.push_back(number);
  }
  if (!negative && (other_below || (!decimal && !dates && integers.empty()))) return true;
  const bool names_here = !negative && !decimal && !dates && is_series(integers, n);
  print_message("{}: the first row ({}) is read as {}; {} reads it as {}\n", in_.name(), shown_row(heads_),
                names_here ? "names" : "data", names_here ? "--no-header" : "--header", names_here ? "data" : "names");
  return names_here;
}

// Two columns of one name: which of them is meant is a guess.
void csv_records::tell_repeated(std::size_t place) const {
  const auto more = std::ranges::count(heads_, heads_[place]);
  if (more == 1 || std::ranges::count(told_, place) > 0) return;
  told_.push_back(place);
  print_message("{}: {} columns are named '{}'; column {} is used. Use numbers for the others\n", in_.name(), more,
                shown(heads_[place]), place + 1);
}

std::size_t csv_records::column_among(const std::string& name) const {
  const std::string columns =
      fmt::format("the first row has {} ({})",
                  heads_.size() == 1 ? "1 column" : fmt::format("{} columns", heads_.size()), shown_row(heads_));
  if (name.empty()) {
    if (heads_.size() == 1) return 0;
    throw error(fault::bad_argument, in_.name(), columns,
                "choose one with --column NAME or --column NUMBER, counted from 1");
  }
  if (named_)
    for (std::size_t i = 0; i < heads_.size(); ++i)
      if (heads_[i] == trimmed(name)) {
        tell_repeated(i);
        return i;
      }
  if (const auto place = place_of_number(name, heads_.size())) return *place;
  throw error(fault::bad_argument, in_.name(), fmt::format("there is no column '{}'", shown(name)), columns);
}

// R's rule: rows with one field more than the header begin with a row name. An empty last field is not counted: the row
// ends with a separator.
void csv_records::find_row_names() {
  const std::uint64_t row = row_;
  if (next()) row_names_ = count_ == heads_.size() + 1 && filled_ == count_;
  at_ = record_at_;
  row_ = row;
}

std::vector<std::string> csv_records::names_in(const std::string& list) const {
  const auto bare = [](std::string_view item) {
    item = trimmed(item);
    if (item.size() > 1 && item.front() == '`' && item.back() == '`') item = item.substr(1, item.size() - 2);
    return std::string(item);
  };
  if (std::ranges::count(heads_, std::string(trimmed(list))) > 0) return {std::string(trimmed(list))};
  std::vector<std::string> names;
  std::string item;
  bool quoted = false;
  for (const char c : list + ",") {
    if (c == '`') quoted = !quoted;
    if (c != ',' || quoted) {
      item += c;
      continue;
    }
    if (!bare(item).empty()) names.push_back(bare(item));
    item.clear();
  }
  return names;
}

// Declarations of columns by --number and --text. Columns that the command does not read are looked up, too.
void csv_records::take_asked(const std::vector<std::string>& lists, column_type::said what) {
  for (const std::string& list : lists)
    for (const std::string& name : names_in(list)) {
      const std::size_t place = column_among(name) + row_names_;
      if (place >= wanted_.size() || wanted_[place] < 0) continue;
      column_type::said& asked = asked_[static_cast<std::size_t>(wanted_[place])];
      if (asked != column_type::said::nothing && asked != what)
        throw error(fault::bad_argument, "--number and --text", fmt::format("both name column '{}'", shown(name)),
                    "give one of them");
      asked = what;
    }
}

void csv_records::choose_columns(const choice& columns) {
  collect_ = &first_row_;
  const bool any = next();
  collect_ = nullptr;
  if (any)
    for (const written& head : first_row_) heads_.push_back(head.text);
  const std::vector<std::string> names = columns(heads_);
  titles_.resize(names.size());
  fields_.resize(names.size());
  unquoted_.resize(names.size());
  columns_.resize(names.size());
  changed_.resize(names.size());
  types_.resize(names.size());
  asked_.resize(names.size(), column_type::said::nothing);
  if (!any) {
    row_ = 0;
    return;  // an empty file is a column of no numbers
  }
  if (at_ > record_end_) line_end_ = text_.substr(record_end_, at_ - record_end_);
  std::vector<std::string> all_names = names;
  for (const auto* lists : {&options_.numbers, &options_.texts})
    for (const std::string& list : *lists)
      for (std::string& name : names_in(list)) all_names.push_back(std::move(name));
  named_ = begins_with_names(all_names, look_below());
  if (named_)
    preamble_ += std::string(text()) + line_end_;
  else
    at_ = record_at_, --row_;
  if (named_) find_row_names();
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::size_t place = column_among(names[c]);
    if (named_) titles_[c] = heads_[place];
    columns_[c] = place + row_names_;
    if (wanted_.size() <= columns_[c]) wanted_.resize(columns_[c] + 1, -1);
    if (wanted_[columns_[c]] >= 0)
      throw error(fault::bad_argument, in_.name(),
                  fmt::format("'{}' and '{}' name the same column",
                              names[static_cast<std::size_t>(wanted_[columns_[c]])], names[c]),
                  "use one of them");
    wanted_[columns_[c]] = static_cast<int>(c);
  }
  take_asked(options_.numbers, column_type::said::number);
  take_asked(options_.texts, column_type::said::text);
  width_ = heads_.size() + row_names_;
  if (!named_) heads_.clear();
}

std::string csv_records::type_words(std::size_t column) const {
  const column_type& t = types_[column];
  return fmt::format("{}: {}{}; {} holds {}{}", in_.name(), named_ ? "the first row holds names" : "no row of names",
                     row_names_ ? " and each row begins with its own name" : "", column_text(column), t.words(),
                     t.missing == 0 ? "" : fmt::format(", {} of {} missing", t.missing, t.rows));
}

std::string csv_records::name_field(const std::string& name) const {
  return options_.quotes ? csv_field(name, options_.separator) : name;
}

void csv_records::tell_text(std::size_t column) const {
  const column_type& t = types_[column];
  const std::string call =
      named_ && !titles_[column].empty() ? titles_[column] : std::to_string(columns_[column] + 1 - row_names_);
  const std::string name = call.find_first_of(", '") == std::string::npos ? call : "'`" + call + "`'";
  if (t.is_mixed()) {
    const std::string hint = options_.form.plain() ? form_hint(t.odd.field) : "";
    const bool dates = t.dates > t.numbers;
    print_message(
        "{}: {} is read as text: row {} holds '{}', which is not a {}; {} of {} fields are. {}{} reports such rows as "
        "errors, --text {} declares the column as text\n",
        in_.name(), column_text(column), t.odd.row, shown(t.odd.field), dates ? "date" : "number",
        dates ? t.dates : t.numbers, t.rows - t.missing, hint.empty() ? "" : hint + " reads it. ", "--number " + name,
        name);
  } else if (t.codes && t.widths_differ) {
    print_message(
        "{}: {} is read as text: row {} holds '{}', which begins with a zero; --number {} reads it as numbers\n",
        in_.name(), column_text(column), t.zero.row, shown(t.zero.field), name);
  }
}

void csv_records::tell_rounding(std::size_t column) const {
  const column_type& t = types_[column];
  if (t.rounds_integers)
    print_message(
        "{}: {} holds integers that f64 rounds, because it also holds decimals or integers of more than 64 "
        "bits\n",
        in_.name(), column_text(column));
}
