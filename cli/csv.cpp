#include "cli/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

constexpr std::size_t block = 1 << 20;
constexpr std::size_t longest_record = 1 << 26;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// from_chars knows no plus sign.
std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

enum class parsed { number, text, too_large };

template <class T>
parsed parse(std::string_view text, T& value) {
  text = without_plus(trimmed(text));
  const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad == std::errc::invalid_argument || stop != text.data() + text.size()) return parsed::text;
  if (bad != std::errc::result_out_of_range) return parsed::number;
  if constexpr (std::is_floating_point_v<T>) {
    // Too small is rounded towards zero as everywhere; only too large is an error.
    const std::string copy(text);
    if constexpr (std::is_same_v<T, float>) value = std::strtof(copy.c_str(), nullptr);
    else value = std::strtod(copy.c_str(), nullptr);
    if (!std::isinf(value)) return parsed::number;
  }
  return parsed::too_large;
}

std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 40)) safe += static_cast<unsigned char>(c) >= ' ' && c != 127 ? c : '?';
  return safe + (text.size() > 40 ? "..." : "");
}

// At most a line of names.
std::string shown_list(const std::string& names) { return names.size() > 120 ? names.substr(0, 117) + "..." : names; }

}  // namespace

csv_reader::csv_reader(input& in, upsweep::dtype type, csv_options options) : in_(in), type_(type), options_(std::move(options)) {
  refill();
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // the mark that some spreadsheets put in front
  choose_column();
}

// Appends a block to what is left; false when there is no more.
bool csv_reader::refill() {
  if (exhausted_) return false;
  text_.erase(0, at_);
  at_ = 0;
  if (text_.size() > longest_record)
    throw error(fault::bad_argument, in_.name(), fmt::format("row {} is longer than {} bytes", row_, longest_record),
                "a quote may be left open there");
  // Doubling keeps a long record from being scanned again and again.
  const std::size_t had = text_.size(), more = std::max(block, had);
  text_.resize(had + more);
  text_.resize(had + in_.read(text_.data() + had, more));
  exhausted_ = text_.size() < had + more;
  return text_.size() > had;
}


void csv_reader::bad_row(const std::string& what, const std::string& remedy) const {
  throw error(fault::bad_argument, in_.name(), fmt::format("row {}{}", row_, what), remedy);
}

// Finds the chosen field of the record at at_, and how many fields the record has. Starved: the record goes on past the text.
csv_reader::step csv_reader::scan_record(std::string_view& field, std::size_t& fields) {
  const char* const end = text_.data() + text_.size();
  const char* p = text_.data() + at_;
  if (p == end) return exhausted_ ? step::end : step::starved;
  if (collect_) collect_->clear();
  for (fields = 0;; ++p) {
    const bool wanted = collect_ || fields == column_;
    std::string_view here;
    if (p < end && *p == '"') {
      const char* part = ++p;
      if (wanted) unquoted_.clear();
      for (bool open = true; open;) {
        const char* quote = std::find(p, end, '"');
        // The byte after a quote tells whether it is doubled.
        if (!exhausted_ && end - quote < 2) return step::starved;
        if (quote == end) bad_row(" has a quote that is never closed", "close it");
        open = quote + 1 < end && quote[1] == '"';
        if (wanted) unquoted_.append(part, open ? quote + 1 : quote);
        p = part = quote + (open ? 2 : 1);
      }
      here = unquoted_;
      const char* after = p;
      while (p < end && *p != options_.separator && *p != '\n' && *p != '\r') ++p;
      if (p == end && !exhausted_) return step::starved;
      if (!trimmed({after, static_cast<std::size_t>(p - after)}).empty())
        bad_row(" has text after a closing quote", "double the quotes inside a quoted field");
      if (p < end && *p == '\r' && ++p < end && *p != '\n') bad_row(" has a carriage return in its middle", "end rows with LF or CRLF");
    } else {
      const char* first = p;
      while (p < end && *p != options_.separator && *p != '\n') ++p;
      const char* last = p > first && p[-1] == '\r' && (p == end || *p == '\n') ? p - 1 : p;
      here = {first, static_cast<std::size_t>(last - first)};
    }
    if (p == end && !exhausted_) return step::starved;
    if (fields == column_) field = here;
    if (collect_) collect_->emplace_back(trimmed(here));
    ++fields;
    if (p == end || *p == '\n') break;
  }
  at_ = static_cast<std::size_t>(p - text_.data()) + (p < end);
  return step::record;
}

bool csv_reader::next_record(std::string_view& field, std::size_t& fields) {
  ++row_;
  while (true) {
    field = {};
    record_at_ = at_;
    switch (scan_record(field, fields)) {
      case step::end: return false;
      case step::starved: refill(); continue;  // which may find out only that the input has ended
      case step::record: break;
    }
    std::string_view line(text_.data() + record_at_, at_ - record_at_);
    line = line.substr(0, line.find_first_of("\r\n"));
    if (fields > 1 || !trimmed(line).empty()) return true;
    ++row_;  // a blank line counts as a row and holds nothing
  }
}

std::size_t csv_reader::column_among(const std::vector<std::string>& heads) const {
  const bool numbered = !options_.column.empty() && options_.column.find_first_not_of("0123456789") == std::string::npos;
  std::string names;
  for (const std::string& head : heads) names += (names.empty() ? "" : ", ") + shown(head);
  const std::string columns = fmt::format("the first row has {} ({})", heads.size() == 1 ? "1 column" : fmt::format("{} columns", heads.size()), shown_list(names));
  if (options_.column.empty()) {
    if (heads.size() == 1) return 0;
    throw error(fault::bad_argument, in_.name(), columns, "choose one with --column NAME or --column NUMBER, counted from 1");
  }
  if (!numbered || options_.first == csv_options::first_row::header)
    for (std::size_t i = 0; i < heads.size(); ++i)
      if (heads[i] == options_.column) return i;
  if (numbered) {
    std::uint64_t number = 0;
    std::from_chars(options_.column.data(), options_.column.data() + options_.column.size(), number);
    if (number >= 1 && number <= heads.size()) return number - 1;
  }
  throw error(fault::bad_argument, in_.name(), fmt::format("there is no column '{}'", shown(options_.column)), columns);
}

// The first row says which column is meant, and whether it is a header.
void csv_reader::choose_column() {
  std::vector<std::string> heads;
  std::string_view field;
  std::size_t fields = 0;
  collect_ = &heads;
  const bool any = next_record(field, fields);
  collect_ = nullptr;
  if (!any) {
    row_ = 0;
    return;  // an empty file is a column of no numbers
  }
  column_ = column_among(heads);
  const bool named = !options_.column.empty() && options_.column.find_first_not_of("0123456789") != std::string::npos;
  double number;
  const bool header = options_.first == csv_options::first_row::header ||
                      (options_.first == csv_options::first_row::automatic && (named || parse(heads[column_], number) == parsed::text));
  if (header) {
    title_ = heads[column_];
  } else {
    at_ = record_at_;
    --row_;
  }
}

template <class T>
std::uint64_t csv_reader::read_as(T* to, std::uint64_t n) {
  std::uint64_t done = 0;
  std::string_view field;
  std::size_t fields = 0;
  const auto column = [&] { return title_.empty() ? fmt::format("column {}", column_ + 1) : fmt::format("column '{}'", shown(title_)); };
  for (; done < n && next_record(field, fields); ++done) {
    if (fields <= column_)
      bad_row(fmt::format(" has {} {}, so {} is missing", fields, fields == 1 ? "field" : "fields", column()), "mend or remove the row");
    switch (parse(field, to[done])) {
      case parsed::number: break;
      case parsed::too_large:
        bad_row(fmt::format(", {}: '{}' does not fit in {}", column(), shown(field), name_of(type_)), "choose a wider --dtype");
      case parsed::text:
        if (trimmed(field).empty()) bad_row(fmt::format(", {}: the field is empty", column()), "mend or remove the row");
        bad_row(fmt::format(", {}: '{}' is no number of type {}", column(), shown(field), name_of(type_)), "mend the row or choose another --column or --dtype");
    }
  }
  return done;
}

std::uint64_t csv_reader::read(void* to, std::uint64_t n) {
  return upsweep::with_type(type_, [&](auto tag) { return read_as(static_cast<typename decltype(tag)::type*>(to), n); });
}
