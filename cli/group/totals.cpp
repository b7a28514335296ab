#include <fmt/core.h>

#include <cstring>
#include <limits>

#include "cli/group/group.hpp"
#include "cli/io/csv_value.hpp"
#include "cli/sort/row_keys.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/sort.hpp"

using namespace upsweep;

std::string real_text(double x) { return x != x ? "nan" : fmt::format("{}", x); }

void exact_extremes::add(std::uint32_t group, std::string_view number) {
  std::string key;
  if (!append_exact(number, key)) return;
  if (group >= groups_.size()) groups_.resize(group + 1);
  pair& p = groups_[group];
  if (p.least.key.empty() || key < p.least.key) p.least = {key, std::string(number)};
  if (key > p.greatest.key) p.greatest = {key, std::string(number)};
}

std::string exact_extremes::text(aggregate what, std::uint32_t group) const {
  if (group >= groups_.size()) return "";
  const std::string& text = what == aggregate::least ? groups_[group].least.text : groups_[group].greatest.text;
  return text.empty() ? "" : exact_text(text);
}

void column_totals::add(std::uint32_t group, const void* value) {
  std::uint64_t bits;
  std::memcpy(&bits, value, sizeof bits);
  groups_.push_back(group);
  values_.push_back(bits);
}

template <class T>
void column_totals::reduce_as(const context& where) {
  const std::uint64_t n = groups_.size();
  std::vector<T> values(n);
  std::memcpy(static_cast<void*>(values.data()), values_.data(), n * sizeof(T));
  sort_by_key(where, groups_, values);

  std::vector<std::uint32_t> runs(n);
  std::vector<std::uint64_t> counts(n), ones(n, 1);
  std::vector<T> least(n), greatest(n);
  const std::uint64_t m = reduce_by_key(where, groups_, ones, runs, counts);
  reduce_by_key(where, groups_, values, runs, least, minimum{});
  reduce_by_key(where, groups_, values, runs, greatest, maximum{});
  // Halves of integers add up to less than 64 bits.
  std::vector<T> sums(n);
  std::vector<std::uint64_t> low(n), low_sums(n);
  if constexpr (std::is_integral_v<T>)
    for (std::uint64_t i = 0; i < n; ++i) {
      low[i] = static_cast<std::uint64_t>(values[i]) & 0xffffffff;
      values[i] >>= 32;
    }
  reduce_by_key(where, groups_, values, runs, sums);
  if constexpr (std::is_integral_v<T>) reduce_by_key(where, groups_, low, runs, low_sums);

  for (std::uint64_t r = 0; r < m; ++r) {
    if (runs[r] >= totals_.size()) totals_.resize(runs[r] + 1);
    total& t = totals_[runs[r]];
    if constexpr (std::is_integral_v<T>)
      t.whole += static_cast<__int128>(sums[r]) * (std::int64_t{1} << 32) + low_sums[r];
    else
      t.real += static_cast<long double>(sums[r]);
    if (t.count == 0 || least[r] < t.least.as<T>()) t.least = scalar::of(least[r]);
    if (t.count == 0 || greatest[r] > t.greatest.as<T>()) t.greatest = scalar::of(greatest[r]);
    t.count += counts[r];
  }
}

void column_totals::reduce(const context& where) {
  if (groups_.empty()) return;
  if (type_ == dtype::i64)
    reduce_as<std::int64_t>(where);
  else if (type_ == dtype::u64)
    reduce_as<std::uint64_t>(where);
  else
    reduce_as<double>(where);
  groups_.clear();
  values_.clear();
}

bool column_totals::sums_fit() const {
  if (is_floating(type_)) return true;
  for (const total& t : totals_)
    if (t.whole < std::numeric_limits<std::int64_t>::min() || t.whole > std::numeric_limits<std::uint64_t>::max())
      return false;
  return true;
}

std::string column_totals::text(aggregate what, std::uint32_t group) const {
  const total t = group < totals_.size() ? totals_[group] : total{};
  const bool whole = !is_floating(type_);
  if (what == aggregate::sum && whole)
    return t.whole < 0 ? fmt::format("{}", static_cast<std::int64_t>(t.whole))
                       : fmt::format("{}", static_cast<std::uint64_t>(t.whole));
  if (what == aggregate::sum) return real_text(static_cast<double>(t.real));
  if (t.count == 0) return "";
  if (what == aggregate::mean) {
    const long double sum = whole ? static_cast<long double>(t.whole) : t.real;
    return real_text(static_cast<double>(sum / static_cast<long double>(t.count)));
  }
  const scalar& value = what == aggregate::least ? t.least : t.greatest;
  if (type_ == dtype::i64) return fmt::format("{}", value.as<std::int64_t>());
  if (type_ == dtype::u64) return fmt::format("{}", value.as<std::uint64_t>());
  return real_text(value.as<double>());
}
