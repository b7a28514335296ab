// Random conditions, compared with a second parser; and random bytes, which must be accepted or rejected.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "cli/select/condition.hpp"

namespace {

// A condition as text, and its expected meaning.
struct sentence {
  std::string text;
  std::function<bool(double)> holds;
};
struct term {
  std::string text;
  std::function<double(double)> value;
};

std::string space() { return *rc::gen::element<std::string>("", " ", "  "); }

term random_term(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 3) == 0) {
    if (*rc::gen::arbitrary<bool>()) return {"x", [](double x) { return x; }};
    const int eighths = *rc::gen::inRange(1, 80);
    const double v = eighths / 8.0;
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", v);
    return {text, [v](double) { return v; }};
  }
  const term a = random_term(depth - 1), b = random_term(depth - 1);
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return {"(" + a.text + space() + "+" + space() + b.text + ")",
              [a, b](double x) { return a.value(x) + b.value(x); }};
    case 1: return {"(" + a.text + " - " + b.text + ")", [a, b](double x) { return a.value(x) - b.value(x); }};
    case 2: return {a.text + space() + "*" + space() + b.text, [a, b](double x) { return a.value(x) * b.value(x); }};
    case 3: return {"abs(" + a.text + ")", [a](double x) { return std::fabs(a.value(x)); }};
    case 4: return {"-" + a.text, [a](double x) { return -a.value(x); }};
    default:
      return {"(" + a.text + " % 3)", [a](double x) {
                const double r = std::fmod(a.value(x), 3.0);
                return r < 0 ? r + 3 : r;
              }};
  }
}

sentence random_sentence(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 3) == 0) {
    if (*rc::gen::inRange(0, 6) == 0) return {"isnan(x)", [](double x) { return std::isnan(x); }};
    const term a = random_term(2), b = random_term(2);
    switch (*rc::gen::inRange(0, 6)) {
      case 0: return {a.text + "<" + space() + b.text, [a, b](double x) { return a.value(x) < b.value(x); }};
      case 1: return {a.text + " <= " + b.text, [a, b](double x) { return a.value(x) <= b.value(x); }};
      case 2: return {a.text + " > " + b.text, [a, b](double x) { return a.value(x) > b.value(x); }};
      case 3: return {a.text + " >= " + b.text, [a, b](double x) { return a.value(x) >= b.value(x); }};
      case 4: return {a.text + " == " + b.text, [a, b](double x) { return a.value(x) == b.value(x); }};
      default:
        return {a.text + space() + "!=" + space() + b.text, [a, b](double x) { return a.value(x) != b.value(x); }};
    }
  }
  const sentence a = random_sentence(depth - 1), b = random_sentence(depth - 1);
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return {"(" + a.text + ") and (" + b.text + ")", [a, b](double x) { return a.holds(x) && b.holds(x); }};
    case 1: return {"(" + a.text + ")||(" + b.text + ")", [a, b](double x) { return a.holds(x) || b.holds(x); }};
    case 2: return {"not (" + a.text + ")", [a](double x) { return !a.holds(x); }};
    default: return {"(" + a.text + ")", a.holds};
  }
}

RC_GTEST_PROP(conditions, say_what_they_mean, ()) {
  const sentence s = random_sentence(4);
  RC_TAG(s.text.size() > 200 ? "long" : "short");
  std::vector<double> x{0,
                        -0.0,
                        1,
                        -1,
                        0.125,
                        2.5,
                        3,
                        1e9,
                        std::nan(""),
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 20; ++i) x.push_back(*rc::gen::inRange(-400, 400) / 8.0);
  try {
    const condition c(s.text);
    std::vector<std::uint8_t> flags(x.size());
    c.evaluate(std::vector<condition::column>(c.names().size(), {upsweep::dtype::f64, x.data()}), {}, x.size(),
               flags.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      if (flags[i] != (s.holds(x[i]) ? 1 : 0)) RC_FAIL(s.text + " at " + std::to_string(x[i]));
  } catch (const condition_error& e) {
    RC_FAIL(s.text + ": " + e.what());
  }
}

RC_GTEST_PROP(conditions, any_bytes_are_understood_or_refused, ()) {
  std::string text;
  const auto words = std::vector<std::string>{"x",     "and",  "or", "not", "(", ")",   "<",     "<=", "==",  "!=", "!",
                                              "0.5",   "1e",   "0x", "'a'", "'", "`",   "`b c`", "+",  "-",   "%",  "/",
                                              "isnan", "abs(", " ",  "&",   "|", "nan", "inf",   ".",  "\xc3"};
  const int n = *rc::gen::inRange(0, 25);
  for (int i = 0; i < n; ++i)
    text += *rc::gen::inRange(0, 12) == 0 ? std::string(1, *rc::gen::arbitrary<char>()) : *rc::gen::elementOf(words);
  try {
    const condition c(text);
    const std::vector<double> x{1, 2, std::nan("")};
    std::vector<std::uint8_t> flags(3, 9), texts(3, 1);
    c.evaluate(std::vector<condition::column>(c.names().size(), {upsweep::dtype::f64, x.data()}),
               std::vector<const std::uint8_t*>(c.text_tests().size(), texts.data()), 3, flags.data());
    for (std::uint8_t f : flags) RC_ASSERT(f <= 1);
  } catch (const condition_error& e) {
    RC_ASSERT(std::string(e.what()).find('\n') == std::string::npos);
    RC_ASSERT(std::count(e.picture().begin(), e.picture().end(), '\n') == 2);
  }
}

}  // namespace
