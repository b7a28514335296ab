#include "cli/io/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/error.hpp"
#include "upsweep/lex.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

constexpr std::size_t block = 4 << 20;
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
  if constexpr (std::is_same_v<T, upsweep::half>) {
    float wide = 0;
    const parsed how = parse(text, wide);
    value = upsweep::half(wide);
    return how == parsed::number && std::isinf(static_cast<float>(value)) && !std::isinf(wide) ? parsed::too_large
                                                                                               : how;
  } else {
    text = without_plus(trimmed(text));
    const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (bad == std::errc::invalid_argument || stop != text.data() + text.size()) return parsed::text;
    if (bad != std::errc::result_out_of_range) return parsed::number;
    if constexpr (std::is_floating_point_v<T>) {
      // Too small is rounded towards zero as everywhere; only too large is an error.
      const std::string copy(text);
      if constexpr (std::is_same_v<T, float>)
        value = std::strtof(copy.c_str(), nullptr);
      else
        value = std::strtod(copy.c_str(), nullptr);
      if (!std::isinf(value)) return parsed::number;
    }
    return parsed::too_large;
  }
}

bool is_number(const std::string& column) {
  return !column.empty() && column.find_first_not_of("0123456789") == std::string::npos;
}

std::string shown(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 40)) safe += static_cast<unsigned char>(c) >= ' ' && c != 127 ? c : '?';
  return safe + (text.size() > 40 ? "..." : "");
}

// At most a line of names.
std::string shown_list(const std::string& names) {
  return names.size() > 120 ? fmt::format("{:.117}...", names) : names;
}

}  // namespace

csv_records::csv_records(input& in, const csv_options& options, std::vector<std::string> columns,
                         std::vector<bool> texts)
    : in_(in), options_(options) {
  refill();
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // the mark that some spreadsheets put in front
  texts.resize(columns.size());
  choose_columns(columns, texts);
}

// Appends a block to what is left; false when there is no more.
bool csv_records::refill() {
  if (exhausted_) return false;
  text_.erase(0, at_);
  at_ = 0;
  indexed_ = false;
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

void csv_records::bad_row(const std::string& what, const std::string& remedy) const {
  throw error(fault::bad_argument, in_.name(), fmt::format("row {}{}", row_, what), remedy);
}

// Finds the chosen fields of the record at at_, and how many fields it has. Starved: the record goes on past the text.
csv_records::step csv_records::scan_record() {
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  const char* p = begin + at_;
  if (p == end) return exhausted_ ? step::end : step::starved;
  if (collect_) heads_.clear();
  std::string whole_field;  // of a quoted field whose column is not known yet
  for (count_ = 0;; ++p) {
    const int column = count_ < wanted_.size() ? wanted_[count_] : -1;
    const bool wanted = collect_ || column >= 0;
    std::string& unquoted = column >= 0 ? unquoted_[static_cast<std::size_t>(column)] : whole_field;
    const char *first, *last;
    const bool quoted = p < end && *p == '"';
    if (quoted) {
      const char* part = first = ++p;
      if (wanted) unquoted.clear();
      for (bool open = true; open;) {
        const char* quote = std::find(p, end, '"');
        // The byte after a quote tells whether it is doubled.
        if (!exhausted_ && end - quote < 2) return step::starved;
        if (quote == end) bad_row(" has a quote that is never closed", "close it");
        open = quote + 1 < end && quote[1] == '"';
        if (wanted) unquoted.append(part, open ? quote + 1 : quote);
        p = part = quote + (open ? 2 : 1);
      }
      last = p;
      while (p < end && *p != options_.separator && *p != '\n' && *p != '\r') ++p;
      if (p == end && !exhausted_) return step::starved;
      if (!trimmed({last, static_cast<std::size_t>(p - last)}).empty())
        bad_row(" has text after a closing quote", "double the quotes inside a quoted field");
      if (p < end && *p == '\r' && ++p < end && *p != '\n')
        bad_row(" has a carriage return in its middle", "end rows with LF or CRLF");
    } else {
      first = p;
      while (p < end && *p != options_.separator && *p != '\n') ++p;
      last = p > first && p[-1] == '\r' && (p == end || *p == '\n') ? p - 1 : p;
    }
    if (p == end && !exhausted_) return step::starved;
    if (column >= 0)
      fields_[static_cast<std::size_t>(column)] = {static_cast<std::size_t>(first - begin),
                                                   static_cast<std::size_t>(last - first), quoted};
    if (collect_)
      heads_.emplace_back(trimmed(quoted ? std::string_view(unquoted)
                                         : std::string_view(first, static_cast<std::size_t>(last - first))));
    ++count_;
    if (p == end || *p == '\n') break;
  }
  record_end_ = static_cast<std::size_t>(p - begin);
  at_ = record_end_ + (p < end);
  if (record_end_ > record_at_ && text_[record_end_ - 1] == '\r') --record_end_;
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

bool csv_records::empty(std::size_t column) { return trimmed(field(column)).empty(); }

std::size_t csv_records::column_among(const std::string& name) const {
  const bool numbered = is_number(name);
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
  if (!numbered || options_.first == csv_options::first_row::header)
    for (std::size_t i = 0; i < heads_.size(); ++i)
      if (heads_[i] == name) return i;
  if (numbered) {
    std::uint64_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number >= 1 && number <= heads_.size()) return number - 1;
  }
  throw error(fault::bad_argument, in_.name(), fmt::format("there is no column '{}'", shown(name)), columns);
}

// The first row says which columns are meant, and whether it is a header.
void csv_records::choose_columns(const std::vector<std::string>& names, const std::vector<bool>& texts) {
  titles_.resize(names.size());
  fields_.resize(names.size());
  unquoted_.resize(names.size());
  columns_.resize(names.size());
  collect_ = true;
  const bool any = next();
  collect_ = false;
  if (!any) {
    row_ = 0;
    return;  // an empty file is a column of no numbers
  }
  crlf_ = record_end_ < text_.size() && text_[record_end_] == '\r';
  bool header = options_.first == csv_options::first_row::header;
  for (std::size_t c = 0; c < names.size(); ++c) {
    columns_[c] = column_among(names[c]);
    if (wanted_.size() <= columns_[c]) wanted_.resize(columns_[c] + 1, -1);
    if (wanted_[columns_[c]] >= 0)
      throw error(fault::bad_argument, in_.name(),
                  fmt::format("'{}' and '{}' name the same column",
                              names[static_cast<std::size_t>(wanted_[columns_[c]])], names[c]),
                  "use one of them");
    wanted_[columns_[c]] = static_cast<int>(c);
    if (options_.first != csv_options::first_row::automatic) continue;
    double number;
    header |= (!names[c].empty() && !is_number(names[c])) ||
              (!texts[c] && parse(heads_[columns_[c]], number) == parsed::text);
  }
  if (header) {
    for (std::size_t c = 0; c < names.size(); ++c) titles_[c] = heads_[columns_[c]];
    header_ = text();
  } else {
    heads_.clear();
    at_ = record_at_;
    --row_;
  }
}

std::string csv_records::column_text(std::size_t column) const {
  return titles_[column].empty() ? fmt::format("column {}", columns_[column] + 1)
                                 : fmt::format("column '{}'", shown(titles_[column]));
}

void csv_records::demand(std::size_t column) const {
  if (count_ <= columns_[column])
    bad_row(fmt::format(" has {} {}, so {} is missing", count_, count_ == 1 ? "field" : "fields", column_text(column)),
            "mend or remove the row");
}

template <class T>
void csv_records::number(std::size_t column, T& value) {
  constexpr std::string_view type = upsweep::name_of(upsweep::dtype_of<T>);
  const std::string_view text = field(column);
  switch (parse(text, value)) {
    case parsed::number: return;
    case parsed::too_large:
      bad_row(fmt::format(", {}: '{}' does not fit in {}", column_text(column), shown(text), type),
              "choose a wider --dtype");
    case parsed::text: break;
  }
  if (trimmed(text).empty())
    bad_row(fmt::format(", {}: the field is empty", column_text(column)), "mend or remove the row");
  bad_row(fmt::format(", {}: '{}' is no number of type {}", column_text(column), shown(text), type),
          "mend the row or choose another --column or --dtype");
}

void csv_records::number(std::size_t column, upsweep::dtype type, void* to) {
  upsweep::with_any_type(type, [&](auto tag) { number(column, *static_cast<typename decltype(tag)::type*>(to)); });
}

// The whole records of the text that has been read.
void csv_records::index() {
  const std::string_view rest = std::string_view(text_).substr(at_);
  static const upsweep::context cpu = upsweep::context::cpu();
  ends_.resize(upsweep::count_fields(cpu, rest, options_.separator).fields);
  upsweep::find_fields(cpu, rest, ends_, options_.separator);
  firsts_.assign(1, 0);
  for (std::size_t k = 0; k < ends_.size(); ++k)
    if (ends_[k] < rest.size() && rest[ends_[k]] == '\n') firsts_.push_back(k + 1);
  indexed_at_ = at_;
  next_record_ = 0;
  indexed_ = true;
}

std::uint64_t csv_records::numbers(std::size_t column, upsweep::dtype type, void* to, std::uint64_t n) {
  if (rest_ > 0) return --rest_, 0;
  if (!indexed_) index();
  const auto begins = [&](std::size_t record) {
    const std::uint64_t first = firsts_[record];
    return indexed_at_ + (first == 0 ? 0 : ends_[first - 1] + 1);
  };
  while (next_record_ + 1 < firsts_.size() && begins(next_record_) < at_) ++next_record_;  // next() has gone on
  if (next_record_ + 1 >= firsts_.size() || begins(next_record_) != at_) return 0;
  const std::uint64_t count = std::min<std::uint64_t>(n, firsts_.size() - 1 - next_record_);
  std::atomic<std::uint64_t> taken{count};
  upsweep::with_any_type(type, [&](auto tag) {
    auto* const out = static_cast<typename decltype(tag)::type*>(to);
    upsweep::cpu::for_each_piece(count, 4096, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last && i < taken.load(std::memory_order_relaxed); ++i) {
        const std::uint64_t k = firsts_[next_record_ + i] + columns_[column], after = firsts_[next_record_ + i + 1];
        bool plain = k < after;
        if (plain) {
          const std::size_t from = indexed_at_ + (k == 0 ? 0 : ends_[k - 1] + 1), end = indexed_at_ + ends_[k];
          std::string_view text(text_.data() + from, end - from);
          if (k + 1 == after && text.ends_with('\r')) text.remove_suffix(1);
          plain = parse(text, out[i]) == parsed::number;  // which nothing in quotes is
        }
        if (plain) continue;
        for (std::uint64_t now = taken.load(std::memory_order_relaxed);
             i < now && !taken.compare_exchange_weak(now, i, std::memory_order_relaxed);) {
        }
        return;
      }
    });
  });
  const std::uint64_t done = taken.load(std::memory_order_relaxed);
  if (done > 0) {
    next_record_ += done;
    at_ = begins(next_record_);
    row_ += done;
  }
  // Records that must be taken one by one should not each cost a look at many.
  odd_ = done < 64 && done < count ? std::min(odd_ + 1, 1024u) : 0;
  rest_ = odd_;
  return done;
}

std::uint64_t csv_reader::read(void* to, std::uint64_t n) {
  return upsweep::with_any_type(type_, [&](auto tag) {
    auto* const x = static_cast<typename decltype(tag)::type*>(to);
    std::uint64_t done = 0;
    while (done < n) {
      const std::uint64_t some = records_.numbers(0, type_, x + done, n - done);
      done += some;
      if (some > 0) continue;
      if (!records_.next()) break;
      records_.number(0, x[done++]);
    }
    return done;
  });
}
