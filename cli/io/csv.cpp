#include "cli/io/csv.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/io/csv_text.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

// How Windows and spreadsheets save "Unicode text"; by the mark in front, or by the zeros of ASCII's upper halves.
const char* wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  const std::size_t n = std::min<std::size_t>(text.size(), 64) & ~std::size_t{1};
  std::size_t zeros[2]{};
  for (std::size_t i = 0; i < n; ++i) zeros[i & 1] += text[i] == '\0';
  if (n >= 4 && zeros[1] == n / 2 && zeros[0] == 0) return "UTF-16LE";
  if (n >= 4 && zeros[0] == n / 2 && zeros[1] == 0) return "UTF-16BE";
  return nullptr;
}

constexpr std::uint64_t block = 4 << 20;
constexpr std::size_t longest_record = 1 << 26;

}  // namespace

void refuse_wide_text(const std::string& name, const std::string& path, std::string_view text) {
  const char* const encoding = wide_encoding(text);
  if (!encoding) return;
  throw error(fault::unsupported, name, fmt::format("it is {} text", encoding),
              path == "-" ? fmt::format("pipe it through iconv -f {} -t UTF-8", encoding)
                          : fmt::format("convert it: iconv -f {} -t UTF-8 {} > utf8.csv", encoding, path));
}

csv_records::csv_records(input& in, const csv_options& options, std::vector<std::string> columns)
    : csv_records(in, options, [&](const std::vector<std::string>&) { return columns; }) {}

csv_records::csv_records(input& in, const csv_options& options, const choice& columns) : in_(in), options_(options) {
  refill();
  refuse_wide_text(in_.name(), in_.path(), text_);
  if (text_.starts_with("\xEF\xBB\xBF")) {  // the mark that some spreadsheets put in front
    at_ = 3;
    preamble_ = text_.substr(0, at_);
  }
  choose_columns(columns);
}

// Appends a block to what is left; false when there is no more.
bool csv_records::refill() {
  if (exhausted_) return false;
  text_.erase(0, at_);
  at_ = 0;
  indexed_ = false;
  if (text_.size() > longest_record)
    throw error(fault::bad_argument, in_.name(), fmt::format("row {} is longer than {} bytes", row_, longest_record),
                "a quote may be missing there");
  // Doubling keeps a long record from being scanned again and again. Of a short file no more is taken than it has, and
  // a byte by which to see its end.
  const std::uint64_t all = in_.size().value_or(block);
  const std::size_t had = text_.size(), more = std::max<std::size_t>(all > 0 ? std::min(all + 1, block) : block, had);
  text_.resize(had + more);
  text_.resize(had + in_.read(text_.data() + had, more));
  exhausted_ = text_.size() < had + more;
  return text_.size() > had;
}

void csv_records::bad_row(const std::string& what, const std::string& remedy) const {
  throw error(fault::bad_argument, in_.name(), fmt::format("row {}{}", row_, what), remedy);
}

// Finds the chosen fields of the record at at_, and how many fields it has. Starved: the record goes on past the text.
csv_records::step csv_records::scan_record() {
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  const char* p = begin + at_;
  if (p == end) return exhausted_ ? step::end : step::starved;
  if (collect_) collect_->clear();
  std::string whole_field;  // of a quoted field whose column is not known yet
  const char separator = options_.separator;
  const auto to_end_of_field = [&] {
    while (p < end && *p != separator && *p != '\n' && *p != '\r') ++p;
  };
  filled_ = 0;
  for (count_ = 0;; ++p) {
    const int column = count_ < wanted_.size() ? wanted_[count_] : -1;
    const bool wanted = collect_ || column >= 0;
    std::string& unquoted = column >= 0 ? unquoted_[static_cast<std::size_t>(column)] : whole_field;
    const char *first, *last;
    const bool quoted = p < end && *p == '"' && options_.quotes;
    if (quoted) {
      const char* part = first = ++p;
      if (wanted) unquoted.clear();
      for (bool open = true; open;) {
        const char* quote = std::find(p, end, '"');
        // The byte after a quote tells whether it is doubled.
        if (!exhausted_ && end - quote < 2) return step::starved;
        if (quote == end)
          bad_row(" has a quote that is never closed",
                  "close it, or give --no-quotes if quotes are ordinary characters");
        open = quote + 1 < end && quote[1] == '"';
        if (wanted) unquoted.append(part, open ? quote + 1 : quote);
        p = part = quote + (open ? 2 : 1);
      }
      last = p;
      to_end_of_field();
      if (!trimmed({last, static_cast<std::size_t>(p - last)}).empty())
        bad_row(" has text after a closing quote",
                "double the quotes inside a quoted field, or give --no-quotes if quotes are ordinary characters");
    } else {
      first = p;
      to_end_of_field();
      last = p;
    }
    // The byte after a carriage return tells whether it belongs to the same line end.
    if (!exhausted_ && (p == end || (*p == '\r' && p + 1 == end))) return step::starved;
    if (column >= 0)
      fields_[static_cast<std::size_t>(column)] = {static_cast<std::size_t>(first - begin),
                                                   static_cast<std::size_t>(last - first), quoted};
    if (collect_)
      collect_->push_back(
          {std::string(trimmed(quoted ? std::string_view(unquoted)
                                      : std::string_view(first, static_cast<std::size_t>(last - first)))),
           quoted});
    ++count_;
    const bool filled = quoted ? last > first + 1  // behind a quoted field is its closing quote
                               : last > first && (static_cast<unsigned char>(*first) > ' ' ||
                                                  !trimmed({first, static_cast<std::size_t>(last - first)}).empty());
    if (filled) filled_ = count_;
    if (p == end || *p != separator) break;
  }
  record_end_ = static_cast<std::size_t>(p - begin);
  at_ = record_end_;
  if (p < end) at_ += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
  return step::record;
}

bool csv_records::next() {
  ++row_;
  while (true) {
    record_at_ = at_;
    switch (scan_record()) {
      case step::end: return false;
      case step::starved: refill(); continue;  // which may find out only that the input has ended
      case step::record: break;
    }
    if (filled_ > width_)
      bad_row(fmt::format(" has {} fields and the table has {}", count_,
                          width_ == 1 ? "1 column" : fmt::format("{} columns", width_)),
              "quote fields that contain the separator, or correct the row");
    if (count_ > 1 || !trimmed(text()).empty()) return true;
    ++row_;  // a blank line counts as a row and holds nothing
  }
}

std::string_view csv_records::text() const {
  return std::string_view(text_).substr(record_at_, record_end_ - record_at_);
}

std::string_view csv_records::field(std::size_t column) {
  demand(column);
  const place& f = fields_[column];
  return f.quoted ? std::string_view(unquoted_[column]) : std::string_view(text_).substr(f.first, f.size);
}

std::string_view csv_records::number_field(std::size_t column) {
  return in_plain_form(field(column), options_.form, changed_[column]);
}

std::string_view csv_records::raw_field(std::size_t column) {
  demand(column);
  const place& f = fields_[column];
  return std::string_view(text_).substr(f.first - f.quoted, f.size + f.quoted);
}

std::string_view csv_records::field_or_rule(std::size_t column) {
  if (missing(column)) {
    if (options_.na.what == missing_rule::rule::value) return options_.na.value;
    if (count_ <= columns_[column] || empty(column)) return "\"\"";
  }
  return raw_field(column);
}

bool csv_records::empty(std::size_t column) { return trimmed(field(column)).empty(); }

bool csv_records::missing(std::size_t column) {
  if (count_ <= columns_[column]) return true;
  return types_[column].what == column_type::kind::text ? empty(column) : is_missing(field(column));
}

std::string csv_records::column_text(std::size_t column) const {
  return titles_[column].empty() ? fmt::format("column {}", columns_[column] + 1 - row_names_)
                                 : fmt::format("column '{}'", shown(titles_[column]));
}

void csv_records::demand(std::size_t column) const {
  if (count_ <= columns_[column])
    bad_row(fmt::format(" has {} {}, so {} is missing", count_, count_ == 1 ? "field" : "fields", column_text(column)),
            "correct the row, or give --na with skip, zero or a number for missing values");
}

void csv_records::refuse_missing(std::size_t column) {
  const std::string_view text = trimmed(field(column));
  bad_row(fmt::format(", {}: {}", column_text(column),
                      text.empty() ? "the field is empty" : fmt::format("'{}' is a missing value", shown(text))),
          "correct the row, or give --na with skip, zero or a number for missing values");
}

template <class T>
void csv_records::number(std::size_t column, T& value) {
  constexpr std::string_view type = upsweep::name_of(upsweep::dtype_of<T>);
  const std::string_view text = field(column);
  switch (parse_number(number_field(column), value)) {
    case parsed::number: return;
    case parsed::too_large:
      bad_row(fmt::format(", {}: '{}' does not fit in {}", column_text(column), shown(text), type),
              "choose a wider --dtype");
    case parsed::text: break;
  }
  if (is_missing(text)) refuse_missing(column);
  const std::string hint = form_hint(text);
  bad_row(fmt::format(", {}: '{}' is not a number of type {}", column_text(column), shown(text), type),
          !hint.empty() && options_.form.plain()
              ? "correct the row, or give " + hint
              : "correct the row, or choose another --column or --dtype; --text reads a column as text");
}
template void csv_records::number(std::size_t, double&);

void csv_records::number(std::size_t column, upsweep::dtype type, void* to) {
  upsweep::with_any_type(type, [&](auto tag) { number(column, *static_cast<typename decltype(tag)::type*>(to)); });
}

bool csv_records::number_or_rule(std::size_t column, upsweep::dtype type, void* to) {
  using rule = missing_rule::rule;
  const rule how = options_.na.what;
  if ((how != rule::skip && how != rule::value && how != rule::error) || !missing(column)) {
    number(column, type, to);
    return true;
  }
  if (how == rule::skip) return false;
  if (how == rule::error) refuse_missing(column);
  upsweep::with_any_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (parse_number(options_.na.value, *static_cast<T*>(to)) != parsed::number)
      throw error(fault::bad_argument, "--na " + options_.na.value,
                  fmt::format("it is not a number of type {}", upsweep::name_of(upsweep::dtype_of<T>)),
                  "give one that is, or another --dtype");
  });
  return true;
}

bool csv_records::written_number(std::size_t column, std::string_view& text) {
  using rule = missing_rule::rule;
  const rule how = options_.na.what;
  if (how != rule::unsaid && missing(column)) {
    if (how == rule::error) refuse_missing(column);
    text = options_.na.value;
    return how != rule::skip;
  }
  text = trimmed(number_field(column));
  double value = 0;
  if (parse_number(text, value) == parsed::text) number(column, value);  // says what is wrong
  return true;
}
