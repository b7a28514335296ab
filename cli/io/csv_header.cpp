// What the first rows of a CSV file say: which columns are meant, and what they are called.
#include <fmt/core.h>

#include <algorithm>

#include "cli/io/csv.hpp"
#include "cli/io/csv_text.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

// The place of a column given by its number, counted from 0; nothing where it is no number of a column.
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

}  // namespace

bool csv_records::begins_with_names(const std::vector<std::string>& names) const {
  if (options_.first != csv_options::first_row::automatic) return options_.first == csv_options::first_row::header;
  const auto asked_for = [&](const std::string& name) {
    return !name.empty() && !place_of_number(name, heads_.size()) &&
           (name.find_first_not_of("0123456789") != std::string::npos || std::ranges::count(heads_, name) > 0);
  };
  const auto is_text = [&](const std::string& head) { return kind_of(head) == value_kind::text; };
  const auto has_text = [&](const std::string& name) {
    const auto place = name.empty() && heads_.size() == 1 ? 0 : place_of_number(name, heads_.size());
    return place && is_text(heads_[*place]);
  };
  const auto first =
      std::ranges::find_if(heads_, [](const std::string& head) { return kind_of(head) != value_kind::missing; });
  return std::ranges::any_of(names, asked_for) || std::ranges::any_of(names, has_text) ||
         (first != heads_.end() && is_text(*first));
}

std::size_t csv_records::column_among(const std::string& name) const {
  std::string names;
  for (const std::string& head : heads_) names += (names.empty() ? "" : ", ") + shown(head);
  const std::string columns =
      fmt::format("the first row has {} ({})",
                  heads_.size() == 1 ? "1 column" : fmt::format("{} columns", heads_.size()), shown_list(names));
  if (name.empty()) {
    if (heads_.size() == 1) return 0;
    throw error(fault::bad_argument, in_.name(), columns,
                "choose one with --column NAME or --column NUMBER, counted from 1");
  }
  if (named_)
    for (std::size_t i = 0; i < heads_.size(); ++i)
      if (heads_[i] == trimmed(name)) return i;
  if (const auto place = place_of_number(name, heads_.size())) return *place;
  throw error(fault::bad_argument, in_.name(), fmt::format("there is no column '{}'", shown(name)), columns);
}

// R's rule: rows of one field more than there are names begin with a name of their own.
void csv_records::find_row_names() {
  const std::uint64_t row = row_;
  if (next()) row_names_ = count_ == heads_.size() + 1;
  at_ = record_at_;
  row_ = row;
}

void csv_records::choose_columns(const choice& columns) {
  collect_ = true;
  const bool any = next();
  collect_ = false;
  const std::vector<std::string> names = columns(heads_);
  titles_.resize(names.size());
  fields_.resize(names.size());
  unquoted_.resize(names.size());
  columns_.resize(names.size());
  types_.resize(names.size());
  if (!any) {
    row_ = 0;
    return;  // an empty file is a column of no numbers
  }
  if (at_ > record_end_) line_end_ = text_.substr(record_end_, at_ - record_end_);
  named_ = begins_with_names(names);
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
  width_ = heads_.size() + row_names_;
  if (!named_) heads_.clear();
}

std::string csv_records::type_words(std::size_t column) const {
  const column_type& t = types_[column];
  return fmt::format("{}: {}{}; {} holds {}{}", in_.name(), named_ ? "the first row holds names" : "no row of names",
                     row_names_ ? " and each row begins with its own" : "", column_text(column), t.words(),
                     t.missing == 0 ? "" : fmt::format(", {} of {} missing", t.missing, t.rows));
}
