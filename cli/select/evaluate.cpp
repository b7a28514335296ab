#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/io/csv_value.hpp"
#include "cli/io/nearest_half.hpp"
#include "cli/select/arithmetic.hpp"
#include "cli/select/condition.hpp"
#include "cli/sort/row_keys.hpp"
#include "upsweep/cpu/block_partition.hpp"

using namespace upsweep;
using kind = condition::kind;
using node = condition::node;
using number = condition::number;
using outcome = condition::test::outcome;

namespace {

// x compared with a number that T need not hold, as a comparison within T.
template <class T>
condition::test fitted(comparison how, const number& value) {
  const auto decided = [](bool yes) { return condition::test{yes ? outcome::always : outcome::never}; };
  const auto test = [](comparison c, T threshold) {
    return condition::test{outcome::by_element, c, scalar::of(threshold)};
  };
  const bool below = how == comparison::less || how == comparison::less_equal,
             above = how == comparison::greater || how == comparison::greater_equal;
  if constexpr (std::is_integral_v<T>) {
    const double x = value.real;
    constexpr wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    wide w = 0;
    if (value.integer) {
      w = value.whole.small().value_or(value.whole.is_negative() ? low - 1 : high + 1);
    } else {
      if (x >= 0x1p100 || x <= -0x1p100)
        w = x > 0 ? high + 1 : low - 1;
      else
        w = static_cast<wide>(std::floor(x));
      if (std::isfinite(x) && std::floor(x) != x) {  // between two integers
        if (!below && !above) return decided(how == comparison::not_equal);
        // x < w + fraction is x <= w, x > w + fraction is x > w
        how = below ? comparison::less_equal : comparison::greater;
      }
    }
    if (w < low) return decided(above || how == comparison::not_equal);
    if (w > high) return decided(below || how == comparison::not_equal);
    return test(how, static_cast<T>(w));
  } else {
    const double x = value.as_double();
    T rounded;
    if constexpr (std::is_same_v<T, half>)
      rounded = nearest_half(x);
    else
      rounded = static_cast<T>(x);
    // A finite number beyond the type's: infinity alone is on its far side.
    if (std::isfinite(x) && std::isinf(static_cast<double>(rounded))) {
      if (!below && !above) return decided(how == comparison::not_equal);
      const bool positive = x > 0;
      if (below) return test(positive ? comparison::less : comparison::less_equal, rounded);
      return test(positive ? comparison::greater_equal : comparison::greater, rounded);
    }
    return test(how, rounded);
  }
}

// Rows are worked on in blocks that stay in the nearest cache.
constexpr std::uint64_t block = 1024;

// A number for each row. Integers have none where they are a remainder by zero.
template <class Integer>
struct numbers {
  bool integer = true;
  std::vector<Integer> whole;
  std::vector<double> real;
  std::vector<std::uint8_t> none;

  bool is_none(std::uint64_t k) const { return integer && !none.empty() && none[k]; }
  void make_real() {
    if (!integer) return;
    for (std::uint64_t k = 0; k < whole.size(); ++k)
      real.push_back(is_none(k) ? std::numeric_limits<double>::quiet_NaN() : as_double(whole[k]));
    integer = false;
  }
};

// Integers of 128 bits, which throw `overflow`, or of any length.
template <class Integer>
struct evaluator {
  const std::vector<node>& nodes;
  const std::vector<condition::column>& columns;
  const std::vector<const std::uint8_t*>& texts;
  std::uint64_t first = 0, n = 0;

  const node& at(int i) const { return nodes[static_cast<std::size_t>(i)]; }

  static Integer of_literal(const big_integer& x) {
    if constexpr (std::is_same_v<Integer, wide>) {
      const auto small = x.small();
      if (!small) throw overflow{};
      return *small;
    } else {
      return x;
    }
  }

  numbers<Integer> value(int i) const {
    const node& x = at(i);
    numbers<Integer> out;
    if (x.what == kind::literal) {
      out.integer = x.value.integer;
      if (out.integer)
        out.whole.assign(n, of_literal(x.value.whole));
      else
        out.real.assign(n, x.value.real);
      return out;
    }
    if (x.what == kind::element) {
      const condition::column& c = columns[x.index];
      with_any_type(c.type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* from = static_cast<const T*>(c.elements) + first;
        out.integer = std::is_integral_v<T>;
        for (std::uint64_t k = 0; k < n; ++k) {
          if constexpr (std::is_integral_v<T>)
            out.whole.push_back(Integer(static_cast<wide>(from[k])));
          else
            out.real.push_back(c.missing && c.missing[first + k] ? std::numeric_limits<double>::quiet_NaN()
                                                                 : static_cast<double>(from[k]));
        }
      });
      if (out.integer && c.missing) out.none.assign(c.missing + first, c.missing + first + n);
      return out;
    }
    out = value(x.a);
    numbers<Integer> other;
    if (x.b >= 0) other = value(x.b);
    if (out.integer && (x.b < 0 || other.integer)) {
      join_integers(x.what, out, other);
    } else {
      out.make_real();
      other.make_real();
      for (std::uint64_t k = 0; k < n; ++k) out.real[k] = on_reals(x.what, out.real[k], x.b >= 0 ? other.real[k] : 0);
    }
    return out;
  }

  void join_integers(kind what, numbers<Integer>& out, const numbers<Integer>& other) const {
    const bool alone = other.whole.empty();
    if (what == kind::divide) {
      for (std::uint64_t k = 0; k < n; ++k)
        out.real.push_back(out.is_none(k) || other.is_none(k) ? std::numeric_limits<double>::quiet_NaN()
                                                              : divided(out.whole[k], other.whole[k]));
      out.integer = false;
      return;
    }
    if (!alone && !other.none.empty()) {
      out.none.resize(n);
      for (std::uint64_t k = 0; k < n; ++k) out.none[k] |= other.none[k];
    }
    const Integer zero(wide{0});
    for (std::uint64_t k = 0; k < n; ++k) {
      if (what == kind::remainder && other.whole[k] == zero) {
        out.none.resize(n);
        out.none[k] = 1;
      } else {
        out.whole[k] = on_integers(what, out.whole[k], alone ? zero : other.whole[k]);
      }
    }
  }

  void flags(int i, std::uint8_t* out) const {
    const node& x = at(i);
    switch (x.what) {
      case kind::truth: std::fill_n(out, n, static_cast<std::uint8_t>(!x.value.whole.is_zero())); return;
      case kind::text: std::copy_n(texts[x.index] + first, n, out); return;
      case kind::opposite:
        flags(x.a, out);
        for (std::uint64_t k = 0; k < n; ++k) out[k] ^= 1;
        return;
      case kind::both:
      case kind::either: {
        std::uint8_t other[block];
        flags(x.a, out);
        flags(x.b, other);
        for (std::uint64_t k = 0; k < n; ++k) out[k] = x.what == kind::both ? out[k] & other[k] : out[k] | other[k];
        return;
      }
      case kind::compare: return compare(x, out);
      default: break;
    }
    const numbers<Integer> v = value(x.a);
    for (std::uint64_t k = 0; k < n; ++k) {
      const double d = v.is_none(k) ? std::numeric_limits<double>::quiet_NaN() : v.integer ? 0.0 : v.real[k];
      out[k] = x.what == kind::is_nan ? std::isnan(d) : x.what == kind::is_inf ? std::isinf(d) : std::isfinite(d);
    }
  }

  void compare(const node& x, std::uint8_t* out) const {
    if (at(x.a).what == kind::element && at(x.b).what == kind::literal)
      return against(columns[at(x.a).index], x.how, at(x.b).value, out);
    if (at(x.b).what == kind::element && at(x.a).what == kind::literal)
      return against(columns[at(x.b).index], turned(x.how), at(x.a).value, out);
    const numbers<Integer> a = value(x.a), b = value(x.b);
    for (std::uint64_t k = 0; k < n; ++k)
      out[k] = holds(x.how, a.is_none(k) || b.is_none(k) ? std::partial_ordering::unordered
                            : a.integer && b.integer     ? std::partial_ordering(a.whole[k] <=> b.whole[k])
                            : a.integer                  ? order_of(a.whole[k], b.real[k])
                            : b.integer                  ? turned(order_of(b.whole[k], a.real[k]))
                                                         : a.real[k] <=> b.real[k]);
  }

  void against(const condition::column& c, comparison how, const number& literal, std::uint8_t* out) const {
    with_any_type(c.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const condition::test t = fitted<T>(how, literal);
      if (t.when != outcome::by_element) {
        std::fill_n(out, n, static_cast<std::uint8_t>(t.when == outcome::always));
        return;
      }
      const T* from = static_cast<const T*>(c.elements) + first;
      const compared<T> passes{t.how, t.threshold.as<T>()};
      for (std::uint64_t k = 0; k < n; ++k) out[k] = passes(from[k]);
    });
    if (c.missing)
      for (std::uint64_t k = 0; k < n; ++k)
        if (c.missing[first + k]) out[k] = how == comparison::not_equal;
  }
};

// One row, where a column is compared by all digits of its numbers.
class exact_row {
 public:
  exact_row(const std::vector<node>& nodes, const std::vector<condition::column>& columns,
            const std::vector<const std::uint8_t*>& texts, std::uint64_t row)
      : nodes_(nodes), columns_(columns), texts_(texts), row_(row) {}

  bool passes(int i) const {
    const node& x = at(i);
    switch (x.what) {
      case kind::truth: return !x.value.whole.is_zero();
      case kind::text: return texts_[x.index][row_] != 0;
      case kind::opposite: return !passes(x.a);
      case kind::both: return passes(x.a) && passes(x.b);
      case kind::either: return passes(x.a) || passes(x.b);
      case kind::compare: return holds(x.how, order_of(value(x.a), value(x.b)));
      default: break;
    }
    const exact_number v = value(x.a);
    const double d = v.none ? std::numeric_limits<double>::quiet_NaN() : v.integer ? 0.0 : v.real;
    return x.what == kind::is_nan ? std::isnan(d) : x.what == kind::is_inf ? std::isinf(d) : std::isfinite(d);
  }

 private:
  struct exact_number {
    bool none = false, integer = false;
    big_integer whole{};
    double real = 0;
    std::string written{};  // for values that were not calculated; empty otherwise
    double as_double() const {
      return none ? std::numeric_limits<double>::quiet_NaN() : integer ? whole.rounded() : real;
    }
  };

  const node& at(int i) const { return nodes_[static_cast<std::size_t>(i)]; }

  static exact_number of_real(double x, std::string written) {
    return {std::isnan(x), false, {}, x, std::isfinite(x) ? std::move(written) : std::string()};
  }

  exact_number element(const condition::column& c) const {
    if (c.missing && c.missing[row_]) return {.none = true};
    if (c.exact) {
      std::string_view text = trimmed(c.exact[row_]);
      if (kind_of(text) != value_kind::integer) return of_real(nearest_finite(text), std::string(text));
      const bool minus = text[0] == '-';
      if (minus || text[0] == '+') text.remove_prefix(1);
      const big_integer whole = big_integer::of_digits(text);
      return {.integer = true, .whole = minus ? -whole : whole};
    }
    return with_any_type(c.type, [&](auto tag) -> exact_number {
      using T = typename decltype(tag)::type;
      const T x = static_cast<const T*>(c.elements)[row_];
      if constexpr (std::is_integral_v<T>)
        return {.integer = true, .whole = static_cast<wide>(x)};
      else
        return of_real(static_cast<double>(x), fmt::format("{}", static_cast<double>(x)));
    });
  }

  exact_number value(int i) const {
    const node& x = at(i);
    if (x.what == kind::element) return element(columns_[x.index]);
    if (x.what == kind::literal) {
      if (x.value.integer) return {.integer = true, .whole = x.value.whole};
      exact_number literal = of_real(x.value.exact.empty() ? x.value.real : nearest_finite(x.value.exact), "");
      literal.written = x.value.exact;
      return literal;
    }
    const exact_number a = value(x.a), b = x.b >= 0 ? value(x.b) : exact_number{.integer = true};
    if (a.none || b.none) return {.none = true};
    if (!a.integer || !b.integer) return of_real(on_reals(x.what, a.as_double(), b.as_double()), "");
    if (x.what == kind::divide) return of_real(divided(a.whole, b.whole), "");
    if (x.what == kind::remainder && b.whole.is_zero()) return {.none = true};
    return {.integer = true, .whole = on_integers(x.what, a.whole, b.whole)};
  }

  static std::partial_ordering order_of(const exact_number& a, const exact_number& b) {
    if (a.none || b.none) return std::partial_ordering::unordered;
    if (a.integer && b.integer) return a.whole <=> b.whole;
    const bool both_written = (a.integer || !a.written.empty()) && (b.integer || !b.written.empty());
    if (both_written) {
      std::string left, right;
      append_exact(a.integer ? a.whole.digits() : a.written, left);
      append_exact(b.integer ? b.whole.digits() : b.written, right);
      return left <=> right;
    }
    if (a.integer) return ::order_of(a.whole, b.real);
    if (b.integer) return turned(::order_of(b.whole, a.real));
    return a.real <=> b.real;
  }

  const std::vector<node>& nodes_;
  const std::vector<condition::column>& columns_;
  const std::vector<const std::uint8_t*>& texts_;
  std::uint64_t row_;
};

}  // namespace

std::optional<condition::test> condition::single(dtype type) const {
  const node& x = nodes_[static_cast<std::size_t>(root_)];
  if (x.what != kind::compare) return std::nullopt;
  const node &a = nodes_[static_cast<std::size_t>(x.a)], &b = nodes_[static_cast<std::size_t>(x.b)];
  const bool forward = a.what == kind::element && b.what == kind::literal;
  if (!forward && !(b.what == kind::element && a.what == kind::literal)) return std::nullopt;
  return with_any_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return forward ? fitted<T>(x.how, b.value) : fitted<T>(turned(x.how), a.value);
  });
}

void condition::evaluate(const std::vector<column>& columns, const std::vector<const std::uint8_t*>& texts,
                         std::uint64_t n, std::uint8_t* out) const {
  const bool exactly = std::ranges::any_of(columns, [](const column& c) { return c.exact != nullptr; });
  upsweep::cpu::for_each_piece(n, block, [&](std::uint64_t first, std::uint64_t last) {
    if (exactly) {
      for (std::uint64_t k = first; k < last; ++k) out[k] = exact_row(nodes_, columns, texts, k).passes(root_);
      return;
    }
    const std::uint64_t count = last - first;
    try {
      evaluator<wide>{nodes_, columns, texts, first, count}.flags(root_, out + first);
    } catch (const overflow&) {
      evaluator<big_integer>{nodes_, columns, texts, first, count}.flags(root_, out + first);
    }
  });
}
