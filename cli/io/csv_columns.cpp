// Columns of a CSV file as a whole: their types, and their numbers. Fields are found and read on every thread where
// records are as plain as nearly all are.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "cli/io/csv.hpp"
#include "cli/io/csv_text.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/error.hpp"
#include "upsweep/lex.hpp"

using upsweep::dtype;
using upsweep::error;
using upsweep::fault;

namespace {

// A carriage return that ends a row by itself, which upsweep::find_fields takes for a part of a field.
bool has_lone_return(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('\r', at)) != std::string_view::npos; ++at)
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  return false;
}

}  // namespace

// Where a quote is a character like others.
void csv_records::find_plain_fields(std::string_view text) {
  const char separator = options_.separator;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == separator || text[i] == '\n') ends_.push_back(i);
  if (!text.empty() && text.back() != '\n') ends_.push_back(text.size());
}

// The whole records of the text that has been read.
void csv_records::index() {
  const std::string_view rest = std::string_view(text_).substr(at_);
  static const upsweep::context cpu = upsweep::context::cpu();
  ends_.clear();
  if (!options_.quotes && !has_lone_return(rest)) {
    find_plain_fields(rest);
  } else if (!has_lone_return(rest)) {
    ends_.resize(upsweep::count_fields(cpu, rest, options_.separator).fields);
    upsweep::find_fields(cpu, rest, ends_, options_.separator);
  }
  firsts_.assign(1, 0);
  for (std::size_t k = 0; k < ends_.size(); ++k)
    if (ends_[k] < rest.size() && rest[ends_[k]] == '\n') firsts_.push_back(k + 1);
  indexed_at_ = at_;
  next_record_ = 0;
  indexed_ = true;
}

std::size_t csv_records::begin_of(std::size_t record) const {
  const std::uint64_t first = firsts_[record];
  return indexed_at_ + (first == 0 ? 0 : ends_[first - 1] + 1);
}

std::string_view csv_records::plain_field(std::size_t record, std::size_t column) const {
  const std::uint64_t k = firsts_[record] + columns_[column];
  const std::size_t from = indexed_at_ + (k == 0 ? 0 : ends_[k - 1] + 1), to = indexed_at_ + ends_[k];
  std::string_view text(text_.data() + from, to - from);
  if (k + 1 == firsts_[record + 1] && text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// Whether the fields beyond the table's columns are empty.
bool csv_records::has_empty_end(std::size_t record) const {
  for (std::uint64_t k = firsts_[record] + width_; k < firsts_[record + 1]; ++k) {
    const std::size_t from = indexed_at_ + ends_[k - 1] + 1, to = indexed_at_ + ends_[k];
    if (to - from > 1 || (to > from && text_[from] != '\r')) return false;
  }
  return true;
}

template <class Take>
std::uint64_t csv_records::take_plain(std::uint64_t n, Take take) {
  if (rest_ > 0) return --rest_, 0;
  if (!indexed_) index();
  while (next_record_ + 1 < firsts_.size() && begin_of(next_record_) < at_) ++next_record_;  // next() has gone on
  if (next_record_ + 1 >= firsts_.size() || begin_of(next_record_) != at_) return 0;
  const std::uint64_t count = std::min<std::uint64_t>(n, firsts_.size() - 1 - next_record_);
  std::atomic<std::uint64_t> taken{count};
  upsweep::cpu::for_each_piece(count, 4096, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end && i < taken.load(std::memory_order_relaxed); ++i) {
      const std::size_t record = next_record_ + i;
      const std::uint64_t fields = firsts_[record + 1] - firsts_[record];
      if (fields >= wanted_.size() && (fields <= width_ || has_empty_end(record)) && take(i, record)) continue;
      for (std::uint64_t now = taken.load(std::memory_order_relaxed);
           i < now && !taken.compare_exchange_weak(now, i, std::memory_order_relaxed);) {
      }
      return;
    }
  });
  const std::uint64_t done = taken.load(std::memory_order_relaxed);
  if (done > 0) {
    next_record_ += done;
    at_ = begin_of(next_record_);
    row_ += done;
  }
  // Records that must be taken one by one should not each cost a look at many.
  odd_ = done < 64 && done < count ? std::min(odd_ + 1, 1024u) : 0;
  rest_ = odd_;
  return done;
}

std::uint64_t csv_records::numbers(std::size_t column, dtype type, void* to, std::uint64_t n) {
  const bool nan_is_missing = options_.na.what != missing_rule::rule::unsaid;
  return upsweep::with_any_type(type, [&](auto tag) {
    auto* const out = static_cast<typename decltype(tag)::type*>(to);
    return take_plain(n, [&](std::uint64_t i, std::size_t record) {
      // Nothing in quotes is a number.
      std::string changed;
      const std::string_view field = in_plain_form(plain_field(record, column), options_.form, changed);
      return parse_number(field, out[i]) == parsed::number && !(nan_is_missing && !(out[i] == out[i]));
    });
  });
}

// The types of the records that come next, up to one that must be taken by itself.
bool csv_records::gather_plain(std::vector<type_finder>& finders) {
  const auto plain = [&](std::uint64_t, std::size_t record) {
    if (firsts_[record + 1] - firsts_[record] == 1 && trimmed(plain_field(record, 0)).empty()) return false;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (options_.quotes && plain_field(record, c).starts_with('"')) return false;
    return true;
  };
  const std::uint64_t n = take_plain(~std::uint64_t{0}, plain);
  const std::size_t first = next_record_ - n;
  const std::uint64_t row = row_ - n + 1;
  std::mutex merging;
  upsweep::cpu::for_each_piece(n, 4096, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<type_finder> some(finders.size());
    std::string changed;
    for (std::uint64_t i = begin; i < end; ++i)
      for (std::size_t c = 0; c < some.size(); ++c) {
        const std::string_view field = plain_field(first + i, c);
        some[c].add(in_plain_form(field, options_.form, changed), field, row + i);
      }
    const std::lock_guard lock(merging);
    for (std::size_t c = 0; c < some.size(); ++c) finders[c].add(some[c]);
  });
  return n > 0;
}

// --number and --text override the type that was found.
column_type csv_records::as_asked(std::size_t column, column_type found) const {
  using said = column_type::said;
  const said asked = asked_[column];
  found.asked = asked;
  if (asked == said::number) {
    const column_type::example& wrong = found.odd;
    if (found.what == column_type::kind::text)
      throw error(fault::bad_argument, in_.name(),
                  fmt::format("row {}, {}: '{}' is not a number", wrong.row, column_text(column), shown(wrong.field)),
                  form_hint(wrong.field).empty() ? "correct the row, or leave --number out"
                                                 : "correct the row, or give " + form_hint(wrong.field));
    if (found.what == column_type::kind::dates)
      throw error(fault::bad_argument, in_.name(), column_text(column) + " holds dates, not numbers",
                  "leave --number out");
    found.codes = false;
  } else if (asked == said::text) {
    column_type text;
    text.what = column_type::kind::text;
    text.asked = asked;
    text.rows = found.rows, text.missing = found.empty;
    return text;
  }
  return found;
}

void csv_records::find_types() {
  if (columns_.empty()) return;
  const std::string text = exhausted_ ? std::string() : text_;
  const std::size_t at = at_;
  const std::uint64_t row = row_;
  const bool whole = exhausted_;
  if (!whole) in_.keep();
  std::vector<type_finder> finders(columns_.size());
  while (true) {
    if (gather_plain(finders)) continue;
    if (!next()) break;
    for (std::size_t c = 0; c < finders.size(); ++c)
      count_ > columns_[c] ? finders[c].add(number_field(c), field(c), row_) : finders[c].add_missing();
  }
  for (std::size_t c = 0; c < finders.size(); ++c) types_[c] = as_asked(c, finders[c].found(options_.na));
  if (!whole) {
    in_.rewind();
    text_ = text;
    exhausted_ = false;
  }
  at_ = at;
  row_ = row;
  indexed_ = false;
  rest_ = odd_ = 0;
}

csv_reader::csv_reader(input& in, std::optional<dtype> type, const csv_options& options)
    : records_(in, options, {options.column}), type_(type.value_or(dtype::f64)) {
  if (records_.asked_for(0) == column_type::said::text)
    throw error(fault::bad_argument, in.name(), "the column is declared as text by --text, and numbers are needed",
                "leave it out, or choose another --column");
  if (type) return;
  records_.find_types();
  const column_type& found = records_.type(0);
  type_ = found.is_number() ? found.type : dtype::f64;
  // A column that contains the text NaN is read as f64.
  if (found.nans > 0 && options.na.what == missing_rule::rule::unsaid) type_ = dtype::f64;
}

std::uint64_t csv_reader::read(void* to, std::uint64_t n) {
  auto* const x = static_cast<std::byte*>(to);
  const std::uint64_t size = upsweep::size_of(type_);
  std::uint64_t done = 0;
  while (done < n) {
    const std::uint64_t some = records_.numbers(0, type_, x + done * size, n - done);
    done += some;
    if (some > 0) continue;
    if (!records_.next()) break;
    done += records_.number_or_rule(0, type_, x + done * size);
  }
  return done;
}
