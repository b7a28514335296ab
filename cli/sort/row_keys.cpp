#include "cli/sort/row_keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace upsweep;

namespace {

void append_bytes(std::uint64_t image, std::string& key) {
  const std::uint64_t big = __builtin_bswap64(image);
  key.append(reinterpret_cast<const char*>(&big), 8);
}

}  // namespace

double nearest_finite(std::string_view text) {
  double value = 0;
  return parse_number(text, value) == parsed::too_large
             ? std::copysign(std::numeric_limits<double>::max(), trimmed(text).starts_with('-') ? -1.0 : 1.0)
             : value;
}

namespace {

// All digits of a decimal number, in the order of numbers: sign, place of the first digit, digits, end. Of exponents
// that pass 64 bits all digits go in, too.
void append_digits(std::string_view text, std::string& key) {
  text = trimmed(text);
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  constexpr std::int64_t farthest = std::int64_t{1} << 62;
  std::int64_t place = 0;
  std::string far;  // digits of an exponent beyond that
  bool small = false;
  if (e < text.size()) {
    std::string_view exponent = text.substr(e + 1 + (text.substr(e + 1).starts_with('+')));
    small = exponent.starts_with('-');
    const auto [stop, bad] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), place);
    if (bad == std::errc::result_out_of_range || place > farthest || place < -farthest) {
      exponent.remove_prefix(small);
      exponent.remove_prefix(std::min(exponent.find_first_not_of('0'), exponent.size()));
      far = exponent;
      place = small ? -farthest : farthest;
    }
  }
  std::string digits;
  bool point = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (!digits.empty() || c != '0') digits += c;
      // The number is 0.digits · 10^place.
      place += !point && !digits.empty() ? 1 : point && digits.empty() ? -1 : 0;
    }
  }
  if (!far.empty()) place = small ? -2 * farthest + 1 : 2 * (farthest - 1) + 1;
  while (digits.ends_with('0')) digits.pop_back();
  const std::size_t first = key.size();
  key += digits.empty() ? '\1' : '\2';
  if (!digits.empty()) {
    append_bytes(static_cast<std::uint64_t>(place) ^ std::uint64_t{1} << 63, key);
    if (!far.empty()) {
      const std::size_t from = key.size();
      append_bytes(far.size(), key);
      key += far;
      for (std::size_t i = from; small && i < key.size(); ++i) key[i] = static_cast<char>(~key[i]);
    }
    key += digits;
  }
  key += '\0';
  if (minus && !digits.empty())
    for (std::size_t i = first; i < key.size(); ++i) key[i] = static_cast<char>(i == first ? 0 : ~key[i]);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t big = 0;
  std::memcpy(&big, key.data(), std::min<std::size_t>(key.size(), 8));
  return __builtin_bswap64(big);
}

std::vector<row_key> row_keys_of(const std::string& by, const std::vector<std::string>& first_row) {
  const auto is_name = [&](std::string_view text) {
    return std::ranges::find(first_row, trimmed(text)) != first_row.end();
  };
  const auto key_of = [&](std::string_view item) -> row_key {
    item = trimmed(item);
    const bool descending = !is_name(item) && item.starts_with('-');
    if (descending) item.remove_prefix(1);
    if (item.size() > 1 && item.front() == '`' && item.back() == '`') item = item.substr(1, item.size() - 2);
    if (item.empty())
      throw error(fault::bad_argument, "--by '" + by + "'", "it names no column",
                  "write A or A,-B; a minus sign is descending");
    return {std::string(item), descending};
  };
  if (is_name(by) || (by.starts_with('-') && is_name(by.substr(1)))) return {key_of(by)};
  std::vector<row_key> keys;
  std::string item;
  bool quoted = false;
  for (const char c : by + ",") {
    if (c == '`') quoted = !quoted;
    if (c != ',' || quoted) {
      item += c;
      continue;
    }
    keys.push_back(key_of(item));
    item.clear();
  }
  if (quoted) throw error(fault::bad_argument, "--by '" + by + "'", "a backquote is not closed", "close it");
  return keys;
}

std::vector<std::string> columns_of(const std::vector<row_key>& keys) {
  std::vector<std::string> columns;
  for (const row_key& k : keys) columns.push_back(k.column);
  return columns;
}

key_writer::key_writer(const csv_records& records, std::vector<row_key> keys, std::optional<dtype> type, bool natural,
                       const missing_rule& na, bool strict)
    : type_(type), natural_(natural), na_(na) {
  using kind = column_type::kind;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const column_type& found = records.type(c);
    part p{keys[c].descending, type || found.missing > 0, type || found.exact, found.what, found.type};
    if (type) p.what = is_floating(*type) ? kind::decimals : kind::integers, p.type = *type;
    if (p.what == kind::nothing) p.what = kind::text;
    if (!type && found.codes) p.what = kind::text;
    if (strict && !type && !natural && found.is_mostly_numbers()) p.what = kind::decimals, p.type = dtype::f64;
    if (!type && p.what == kind::text) records.tell_text(c);
    const bool number = p.what == kind::integers || p.what == kind::decimals;
    if (!number && na.what == missing_rule::rule::value && p.flagged)
      throw error(fault::bad_argument, records.name(),
                  fmt::format("a number cannot replace missing values among {}", found.words()),
                  "give --na skip, or leave it out: missing values are last");
    parts_.push_back(p);
  }
  short_ = parts_.size() == 1 && parts_[0].what != kind::text && !parts_[0].flagged && parts_[0].exact;
}

void key_writer::restrict_bits(unsigned first, unsigned last) {
  first_bit_ = first;
  last_bit_ = last;
}

// Image and flag; what is missing has the last image, and the flag tells it from a number that has it, too.
bool key_writer::append_number(csv_records& records, std::size_t column, const part& p, std::string& key) const {
  std::uint64_t image = ~std::uint64_t{0};
  bool missing = records.missing(column);
  std::string_view digits = missing ? std::string_view() : records.number_field(column);
  if (missing && na_.what == missing_rule::rule::skip) return false;
  if (missing && na_.what == missing_rule::rule::error) records.refuse_missing(column);
  if (missing && na_.what == missing_rule::rule::value) {
    missing = false;
    digits = na_.value;
  }
  if (p.what == column_type::kind::dates) {
    if (!missing) image = order_bits(date_of(digits).value_or(0));
  } else if (!missing && !p.exact && p.type == dtype::f64 && !type_) {
    double value = 0;
    if (parse_number(digits, value) == parsed::text) records.number(column, value);  // says what is wrong
    image = order_window<order_image<double>>(first_bit_, last_bit_, false)(order_bits(nearest_finite(digits)));
  } else if (!missing) {
    with_any_type(p.type, [&]<class T>(type_tag<T>) {
      T value{};
      records.number_or_rule(column, p.type, &value);
      image = order_window<order_image<T>>(first_bit_, last_bit_, false)(order_bits(value));
      if constexpr (sizeof(T) < 8) image <<= 64 - 8 * sizeof(T);
    });
  }
  append_bytes(p.descending && !missing ? ~image : image, key);
  if (p.flagged) key += static_cast<char>(missing);
  if (p.exact || missing) return true;
  const std::size_t first = key.size();
  append_digits(digits, key);
  for (std::size_t i = first; p.descending && i < key.size(); ++i) key[i] = static_cast<char>(~key[i]);
  return true;
}

bool append_exact(std::string_view number, std::string& key) {
  double value = 0;
  if (parse_number(number, value) == parsed::text || std::isnan(value)) return false;
  append_bytes(order_window<order_image<double>>(0, 0, false)(order_bits(nearest_finite(number))), key);
  append_digits(number, key);
  return true;
}

std::string exact_text(std::string_view number) {
  number = trimmed(number);
  if (number.starts_with('+')) number.remove_prefix(1);
  if (kind_of(number) == value_kind::integer) return std::string(number);
  double value = 0;
  parse_number(number, value);
  const std::string shortest = std::isnan(value) ? "nan" : fmt::format("{}", value);
  std::string exact, rounded;
  append_exact(number, exact);
  append_exact(shortest, rounded);
  return exact == rounded ? shortest : std::string(number);
}

// A zero byte terminates it; a zero byte inside is escaped by the byte after it.
void key_writer::append_text(std::string_view text, std::string& key) const {
  for (std::size_t i = 0; i < text.size();) {
    if (natural_ && is_digit(text[i])) {
      while (i + 1 < text.size() && text[i] == '0' && is_digit(text[i + 1])) ++i;
      std::size_t past = i;
      while (past < text.size() && is_digit(text[past])) ++past;
      // The more digits, the greater the number.
      key += '0';
      append_bytes(past - i, key);
      key.append(text, i, past - i);
      i = past;
      continue;
    }
    key += text[i];
    if (text[i++] == '\0') key += '\xff';
  }
  key.append(2, '\0');
}

bool key_writer::append(csv_records& records, std::string& key) const {
  using rule = missing_rule::rule;
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const part& p = parts_[c];
    if (p.what != column_type::kind::text) {
      if (!append_number(records, c, p, key)) return false;
      continue;
    }
    const bool missing = records.missing(c);
    if (missing && na_.what == rule::skip) return false;
    if (missing && na_.what == rule::error) records.refuse_missing(c);
    if (p.flagged) key += static_cast<char>(missing);
    if (missing) continue;
    const std::size_t first = key.size();
    append_text(records.field(c), key);
    for (std::size_t i = first; p.descending && i < key.size(); ++i) key[i] = static_cast<char>(~key[i]);
  }
  return true;
}
