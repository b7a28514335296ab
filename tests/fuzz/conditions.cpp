// Conditions as --where takes them. The first byte chooses the columns' types. What a comparison of one name comes to
// is what it is element by element; the other forms are evaluated on columns of awkward values.
#include <array>
#include <cmath>
#include <limits>

#include "cli/select/condition.hpp"
#include "tests/fuzz/harness.hpp"

namespace {

using upsweep::comparison;
using upsweep::dtype;
constexpr std::size_t rows = 12;

template <class T>
constexpr std::array<T, rows> awkward() {
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    return {0, 1, 2, 3, limits::max(), limits::min(), limits::max() - 1, static_cast<T>(-1), 7, 100, 50, 12};
  } else {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    return {T(0.0f),     T(-0.0f),     T(1.0f),     T(-1.0f),     T(0.5f),         T(std::nanf("")),
            T(infinity), T(-infinity), T(65504.0f), T(-65504.0f), T(0.333251953f), T(3.0f)};
  }
}

template <class T>
bool compared(T a, comparison how, T b) {
  switch (how) {
    case comparison::less: return a < b;
    case comparison::less_equal: return a <= b;
    case comparison::greater: return a > b;
    case comparison::greater_equal: return a >= b;
    case comparison::equal: return a == b;
    case comparison::not_equal: break;
  }
  return !(a == b);
}

template <class T>
bool passes(const condition::test& test, T x) {
  using outcome = condition::test::outcome;
  if (test.when != outcome::by_element) return test.when == outcome::always;
  const T threshold = test.threshold.as<T>();
  if constexpr (std::is_same_v<T, upsweep::half>)
    return compared(static_cast<float>(x), test.how, static_cast<float>(threshold));
  else
    return compared(x, test.how, threshold);
}

}  // namespace

UPSWEEP_HARNESS(condition) {
  const std::size_t form = fuzz::take_byte(bytes);
  const condition c{std::string(bytes)};

  std::vector<condition::column> columns;
  static constexpr std::uint8_t missing[rows]{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  for (std::size_t k = 0; k < c.names().size(); ++k) {
    const dtype type = upsweep::all_dtypes[(form + k) % upsweep::all_dtypes.size()];
    upsweep::with_any_type(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      static const std::array<T, rows> values = awkward<T>();
      columns.push_back({type, values.data(), k > 0 && form & 64 ? missing : nullptr});
    });
  }
  std::vector<std::array<std::uint8_t, rows>> passed(c.text_tests().size());
  std::vector<const std::uint8_t*> texts;
  constexpr std::string_view fields[rows]{"",           "a",        "A",   "abc", "0",  "-1",
                                          "2021-03-01", "\xff\xfe", "a b", "\"",  "NA", "'"};
  for (std::size_t t = 0; t < passed.size(); ++t) {
    for (std::size_t i = 0; i < rows; ++i)
      passed[t][i] =
          c.text_tests()[t].asks == condition::text_test::what::missing ? missing[i] : c.text_tests()[t](fields[i]);
    texts.push_back(passed[t].data());
  }
  std::array<std::uint8_t, rows> flags{};
  c.evaluate(columns, texts, rows, flags.data());
  for (const std::uint8_t flag : flags) fuzz::require(flag <= 1, "a flag that is neither 0 nor 1");

  if (columns.size() != 1 || !texts.empty()) return;
  const auto test = c.single(columns[0].type);
  if (!test) return;
  upsweep::with_any_type(columns[0].type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const x = static_cast<const T*>(columns[0].elements);
    for (std::size_t i = 0; i < rows; ++i)
      fuzz::require(passes(*test, x[i]) == (flags[i] == 1), "one comparison is not what the condition is");
  });
}
