#include "cli/io/csv_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "cli/io/nearest_half.hpp"
#include "upsweep/error.hpp"

using upsweep::dtype;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars knows no plus sign.
std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

bool is_nan_word(std::string_view text) {
  if (text.size() == 4 && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text.size() == 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a' && (text[2] | 0x20) == 'n';
}

bool is_missing_word(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() > 4 || is_digit(text[0])) return false;
  std::array<char, 4> lower{};
  for (std::size_t i = 0; i < text.size(); ++i)
    lower[i] = static_cast<char>(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
  const std::string_view word(lower.data(), text.size());
  for (const std::string_view known :
       {"na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "nil", "-", "--", ".", "?"})
    if (word == known) return true;
  return false;
}

// A sign and digits, and nothing else.
bool is_integer(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// Days from 1970-01-01 in the Gregorian calendar, of years from 0 on (H. Hinnant, chrono-compatible algorithms).
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto of_era = static_cast<unsigned>(year - era * 400);
  const unsigned of_year = (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day - 1;
  return era * 146097 + static_cast<std::int64_t>(of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
}

unsigned days_in(unsigned year, unsigned month) {
  constexpr unsigned days[]{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

// Reads a text from its front.
class reader {
 public:
  explicit reader(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<unsigned> digits(std::size_t n) {
    if (rest_.size() < n || !std::ranges::all_of(rest_.substr(0, n), is_digit)) return std::nullopt;
    unsigned number = 0;
    std::from_chars(rest_.data(), rest_.data() + n, number);
    rest_.remove_prefix(n);
    return number;
  }
  std::size_t leading_digits() const {
    return static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_digit) - rest_.begin());
  }

 private:
  std::string_view rest_;
};

constexpr std::int64_t second = 1'000'000;

// Text after a date: a time of day and a zone.
std::optional<std::int64_t> time_of_day(reader& in) {
  const auto hour = in.digits(2);
  if (!hour || *hour > 23 || !in.take(':')) return std::nullopt;
  const auto minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t time = (*hour * 60 + *minute) * 60 * second;
  if (in.take(':')) {
    const auto s = in.digits(2);
    if (!s || *s > 59) return std::nullopt;
    time += *s * second;
    if (in.take('.')) {
      const std::size_t n = in.leading_digits();
      if (n < 1 || n > 6) return std::nullopt;
      std::int64_t fraction = *in.digits(n);
      for (std::size_t k = n; k < 6; ++k) fraction *= 10;
      time += fraction;
    }
  }
  if (in.done() || in.take('Z')) return time;
  const bool west = in.take('-');
  if (!west && !in.take('+')) return std::nullopt;
  const auto hours = in.digits(2);
  if (!hours || *hours > 23) return std::nullopt;
  in.take(':');
  const auto minutes = in.done() ? std::optional(0u) : in.digits(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const std::int64_t zone = (*hours * 60 + *minutes) * 60 * second;
  return west ? time + zone : time - zone;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

namespace {

// Takes `mark` from the front of the text.
bool take(std::string_view& text, std::string_view mark) {
  if (mark.empty() || !text.starts_with(mark)) return false;
  text.remove_prefix(mark.size());
  return true;
}

void move_digits(std::string_view& text, std::string& to) {
  while (!text.empty() && is_digit(text[0])) to += text[0], text.remove_prefix(1);
}

// Groups of three digits, or of two as in India, of which the last has three; the first may be shorter.
bool read_form(std::string_view text, const number_form& form, std::string& to) {
  to.clear();
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') to += '-';
    text.remove_prefix(1);
  }
  const std::size_t first = to.size();
  move_digits(text, to);
  std::size_t group = to.size() - first, groups = 1;
  while (group > 0 && take(text, form.thousands)) {
    if (groups > 1 ? group != 3 && group != 2 : group > 3) return false;
    const std::size_t before = to.size();
    move_digits(text, to);
    group = to.size() - before;
    ++groups;
  }
  if (groups > 1 && group != 3) return false;
  const std::size_t whole = to.size() - first;
  if (take(text, form.decimal)) {
    to += '.';
    move_digits(text, to);
    if (to.size() - first == 1) return false;
  } else if (whole == 0) {
    return false;
  }
  if (!text.empty() && (text[0] | 0x20) == 'e') {
    to += 'e';
    text.remove_prefix(1);
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) to += text[0], text.remove_prefix(1);
    const std::size_t power = to.size();
    move_digits(text, to);
    if (to.size() == power) return false;
  }
  return text.empty();
}

}  // namespace

std::string_view in_plain_form(std::string_view field, const number_form& form, std::string& changed) {
  if (form.plain()) return field;
  const std::string_view text = trimmed(field);
  if (read_form(text, form, changed)) return changed;
  // inf and nan are numbers in every form.
  double number;
  if (text.find_first_of("0123456789") == std::string_view::npos || parse_number(text, number) == parsed::text)
    return field;
  changed = "'";
  return changed += text;
}

std::string form_hint(std::string_view field) {
  const std::string_view text = trimmed(field);
  std::string changed;
  const auto fits = [&](const char* thousands, const char* decimal) {
    return read_form(text, {thousands, decimal}, changed);
  };
  if (fits("", ".")) return "";
  const bool decimal = fits("", ","), thousands = fits(",", ".");
  if (decimal && thousands) return "--thousands , or --decimal ,";
  if (thousands) return "--thousands ,";
  if (decimal) return "--decimal ,";
  if (fits(".", ",")) return "--thousands . --decimal ,";
  if (fits(" ", ".")) return "--thousands ' '";
  if (fits(" ", ",")) return "--thousands ' ' --decimal ,";
  if (fits("'", ".")) return "--thousands \"'\"";
  if (fits("_", ".")) return "--thousands _";
  return "";
}

bool is_missing(std::string_view field) { return is_missing_word(trimmed(field)); }

std::optional<std::int64_t> date_of(std::string_view field) {
  field = trimmed(field);
  if (field.size() < 7 || (field[4] != '-' && field[4] != '/')) return std::nullopt;
  reader in(field);
  const char between = field[4];
  const auto year = in.digits(4);
  if (!year || !in.take(between)) return std::nullopt;
  const auto month = in.digits(2);
  if (!month || *month < 1 || *month > 12) return std::nullopt;
  const auto at = [&](unsigned day) { return days_from_civil(*year, *month, day) * 86400 * second; };
  if (in.done()) return at(1);
  if (!in.take(between)) return std::nullopt;
  const auto day = in.digits(2);
  if (!day || *day < 1 || *day > days_in(*year, *month)) return std::nullopt;
  if (in.done()) return at(*day);
  if (!in.take('T') && !in.take(' ')) return std::nullopt;
  const auto time = time_of_day(in);
  if (!time || !in.done()) return std::nullopt;
  return at(*day) + *time;
}

template <class T>
parsed parse_number(std::string_view field, T& value) {
  if constexpr (std::is_same_v<T, upsweep::half>) {
    double wide = 0;
    const parsed how = parse_number(field, wide);
    value = nearest_half(wide);
    return how == parsed::number && std::isinf(static_cast<float>(value)) && !std::isinf(wide) ? parsed::too_large
                                                                                               : how;
  } else {
    const std::string_view text = without_plus(trimmed(field));
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
template parsed parse_number(std::string_view, std::int8_t&);
template parsed parse_number(std::string_view, std::uint8_t&);
template parsed parse_number(std::string_view, std::int16_t&);
template parsed parse_number(std::string_view, std::uint16_t&);
template parsed parse_number(std::string_view, std::int32_t&);
template parsed parse_number(std::string_view, std::uint32_t&);
template parsed parse_number(std::string_view, std::int64_t&);
template parsed parse_number(std::string_view, std::uint64_t&);
template parsed parse_number(std::string_view, upsweep::half&);
template parsed parse_number(std::string_view, float&);
template parsed parse_number(std::string_view, double&);

value_kind kind_of(std::string_view field) {
  const std::string_view text = trimmed(field);
  if (is_missing_word(text)) return value_kind::missing;
  if (is_integer(text)) return value_kind::integer;
  double number;
  if (parse_number(text, number) != parsed::text) return value_kind::decimal;
  return date_of(text) ? value_kind::date : value_kind::text;
}

bool column_type::is_mixed() const {
  if (what != kind::text || asked != said::nothing || odd.row == 0) return false;
  return 2 * std::max(numbers, dates) >= rows - missing || !form_hint(odd.field).empty();
}

std::string column_type::words() const {
  switch (what) {
    case kind::nothing: return "no values";
    case kind::integers:
      return fmt::format("integers ({}{})", upsweep::name_of(type), codes ? ", some with leading zeros" : "");
    case kind::decimals: return fmt::format("decimals ({})", upsweep::name_of(type));
    case kind::dates: return "dates";
    case kind::text: break;
  }
  return "text";
}

void type_finder::keep_first(example& kept, std::uint64_t row, std::string_view field) {
  if (kept.row == 0 || row < kept.row) kept.row = row, kept.field = field;
}

void type_finder::add_integer(std::string_view text) {
  ++integers_;
  shortest_ = std::min(shortest_, text.size());
  longest_ = std::max(longest_, text.size());
  const bool minus = text[0] == '-';
  if (minus || text[0] == '+') text.remove_prefix(1);
  std::uint64_t magnitude = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), magnitude).ec == std::errc{};
  negative_ |= minus && (magnitude > 0 || !fits);
  if (!fits || (minus && magnitude > std::uint64_t{1} << 63)) {
    ++past_;
    past_f64_ = true;
    return;
  }
  past_i64_ |= !minus && magnitude >> 63 != 0;
  past_f64_ |= magnitude > std::uint64_t{1} << 53;
  sum_ += minus ? -static_cast<__int128>(magnitude) : static_cast<__int128>(magnitude);
  magnitude_ += magnitude;
}

void type_finder::add(std::string_view field, std::string_view raw, std::uint64_t row) {
  const std::string_view text = trimmed(field);
  const value_kind kind = kind_of(text);
  if (kind == value_kind::integer || kind == value_kind::decimal) {
    if (first_number_.row == 0) keep_first(first_number_, row, raw);
    // 0e1234 has one, too: it is a code in hexadecimal, as no number has that form. R writes 0e+00.
    const bool power = text.size() > 2 && (text[1] | 0x20) == 'e';
    const bool zero = text.size() > 1 && text[0] == '0' && (is_digit(text[1]) || power);
    points_ +=
        !is_digit(text[0]) || (kind == value_kind::decimal && text.find_first_of(".+-") != std::string_view::npos);
    zeros_ += zero;
    if (zero && first_zero_.row == 0) keep_first(first_zero_, row, raw);
  }
  switch (kind) {
    case value_kind::missing:
      ++missing_;
      nans_ += is_nan_word(text);
      empty_ += text.empty();
      return;
    case value_kind::integer: return add_integer(text);
    case value_kind::decimal: {
      ++decimals_;
      // Fifteen digits survive a double that is neither infinite nor subnormal.
      const std::string_view digits = text.substr(0, text.find_first_of("eE"));
      long_decimal_ |= std::ranges::count_if(digits, is_digit) > 15;
      if (digits.size() < text.size() && !long_decimal_ &&
          digits.find_first_of("123456789") != std::string_view::npos) {
        double number = 0;
        long_decimal_ = parse_number(text, number) == parsed::too_large || std::fabs(number) < 1e-290;
      }
      return;
    }
    case value_kind::date:
      ++dates_;
      if (first_date_.row == 0) keep_first(first_date_, row, raw);
      return;
    case value_kind::text:
      ++texts_;
      if (first_text_.row == 0) keep_first(first_text_, row, raw);
      return;
  }
}

void type_finder::add(const type_finder& more) {
  missing_ += more.missing_, empty_ += more.empty_, nans_ += more.nans_, integers_ += more.integers_,
      decimals_ += more.decimals_;
  dates_ += more.dates_, texts_ += more.texts_, past_ += more.past_;
  negative_ |= more.negative_, past_i64_ |= more.past_i64_, past_f64_ |= more.past_f64_;
  long_decimal_ |= more.long_decimal_;
  zeros_ += more.zeros_, points_ += more.points_;
  shortest_ = std::min(shortest_, more.shortest_), longest_ = std::max(longest_, more.longest_);
  for (const auto first :
       {&type_finder::first_text_, &type_finder::first_date_, &type_finder::first_number_, &type_finder::first_zero_})
    if ((more.*first).row > 0) keep_first(this->*first, (more.*first).row, (more.*first).field);
  sum_ += more.sum_, magnitude_ += more.magnitude_;
}

column_type type_finder::found(const missing_rule& na) const {
  if (na.what == missing_rule::rule::value && missing_ > 0) {
    type_finder one, all = *this;
    is_nan_word(na.value) ? void(++one.decimals_) : one.add(na.value, na.value, ~std::uint64_t{0});
    all.add(one);
    all.sum_ += one.sum_ * (static_cast<__int128>(missing_) - 1);
    all.magnitude_ += one.magnitude_ * (missing_ - 1);
    column_type t = all.found();
    --t.rows;
    return t;
  }
  using kind = column_type::kind;
  column_type t;
  t.rows = missing_ + integers_ + decimals_ + dates_ + texts_;
  t.missing = missing_;
  t.nans = nans_;
  t.empty = empty_;
  t.sum = sum_;
  t.magnitude = magnitude_;
  const std::uint64_t numbers = t.numbers = integers_ + decimals_;
  t.dates = dates_;
  if (texts_ > 0 || (dates_ > 0 && numbers > 0)) {
    t.what = kind::text;
    t.missing = empty_;
    t.odd = first_text_;
    if (const example& other = numbers >= dates_ ? first_date_ : first_number_; other.row > 0)
      keep_first(t.odd, other.row, other.field);
  } else if (dates_ > 0) {
    t.what = kind::dates;
    t.type = dtype::i64;
  } else if (decimals_ > 0 || past_ > 0 || (negative_ && past_i64_)) {
    t.what = kind::decimals;
    t.rounds_integers = past_f64_;
    t.exact = !long_decimal_ && !past_f64_;
  } else if (integers_ > 0) {
    t.what = kind::integers;
    t.type = past_i64_ ? dtype::u64 : dtype::i64;
  }
  t.codes = zeros_ > 0 && points_ == 0 && t.is_number();
  t.zero = first_zero_;
  t.widths_differ = decimals_ > 0 || shortest_ != longest_;
  return t;
}

missing_rule missing_rule_of(const std::string& option) {
  using rule = missing_rule::rule;
  if (option.empty()) return {};
  if (option == "skip") return {rule::skip};
  if (option == "error") return {rule::error};
  if (option == "zero") return {rule::value, "0"};
  double number;
  if (parse_number(option, number) != parsed::number)
    throw upsweep::error(upsweep::fault::bad_argument, "--na '" + option + "'", "it is not a rule for missing values",
                         "give skip, zero, error or a number");
  return {rule::value, option};
}
