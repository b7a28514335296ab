// What stands on a command line or in a small file: grammars, masks, pipelines of filters, numbers.
#include <cmath>
#include <filesystem>

#include <fmt/core.h>

#include "cli/histogram/histogram.hpp"
#include "cli/image/filters.hpp"
#include "cli/io/csv_value.hpp"
#include "cli/io/npy.hpp"
#include "cli/options.hpp"
#include "cli/text/grammar.hpp"
#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"

// Rules up to a line of %%, then the text. A token by itself is that token again.
UPSWEEP_HARNESS(grammar) {
  const std::string_view rules = fuzz::take_until(bytes, "%%\n");
  const upsweep::lexer all(rules_in("rules", std::string(rules)));
  const upsweep::context cpu = upsweep::context::cpu();
  const upsweep::token_counts counted = upsweep::count_tokens(cpu, all, bytes);
  fuzz::require(counted.counts.size() == all.rules().size(), "counts of other rules");
  std::vector<upsweep::token> tokens(counted.tokens);
  const upsweep::token_counts found = upsweep::tokenize(cpu, all, bytes, tokens);
  fuzz::require(found.counts == counted.counts && found.stopped == counted.stopped, "tokens are not those counted");
  std::vector<std::uint64_t> kept(all.rules().size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const upsweep::token& t = tokens[i];
    fuzz::require(t.size > 0 && t.first >= end && t.first + t.size <= bytes.size(), "a token that is not in the text");
    end = t.first + t.size;
    ++kept[t.kind];
    if (i >= 64) continue;
    std::vector<upsweep::token> alone(1);
    const std::string_view text = bytes.substr(t.first, t.size);
    if (upsweep::count_tokens(cpu, all, text).tokens == 1) upsweep::tokenize(cpu, all, text, alone);
    fuzz::require(alone[0] == upsweep::token{0, t.size, t.kind}, "a token by itself is another");
  }
  for (std::size_t k = 0; k < kept.size(); ++k)
    fuzz::require(kept[k] == (all.rules()[k].skip ? 0 : counted.counts[k]), "another number of tokens than counted");
}

UPSWEEP_HARNESS(mask) {
  const std::string text(bytes);
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return;  // a file's name
  const mask_values m = mask_of_text("--mask", text);
  fuzz::require(m.values.size() == m.size.x * m.size.y * m.size.z, "other values than the size says");
  fuzz::require(m.singles.size() == m.values.size() && m.whole.size() == m.values.size(), "values of other numbers");
  for (std::size_t i = 0; m.integers && i < m.values.size(); ++i)
    fuzz::require(static_cast<double>(m.whole[i]) == m.values[i] || m.values[i] >= 0x1p63, "another whole number");
}

// Each step, on a small picture of the channels and depth that the first byte chooses.
UPSWEEP_HARNESS(pipeline) {
  const unsigned char form = fuzz::take_byte(bytes);
  if (bytes.find("/d") != std::string_view::npos || bytes.find("/p") != std::string_view::npos)
    return;  // not /dev/zero
  const std::vector<image_step> steps = steps_of_pipeline(std::string(bytes));
  image_place place{.where = upsweep::context::cpu(), .memory = 1 << 20};
  constexpr upsweep::border borders[]{upsweep::border::mirror, upsweep::border::clamp, upsweep::border::wrap,
                                      upsweep::border::zero};
  place.edge = borders[form >> 3 & 3];
  picture p = test_picture(13, 7, form % 4 + 1, form & 4 ? 16 : 8);
  for (std::size_t k = 0; k < std::min<std::size_t>(steps.size(), 4); ++k) {
    p = after_step(place, steps[k], p);
    fuzz::require(p.width > 0 && p.height > 0 && p.channels >= 1 && p.channels <= 4, "a picture of no size");
    fuzz::require(p.samples.size() == p.pixels() * p.channels, "other samples than the size says");
  }
}

namespace {

template <class T>
void parse_and_print_again(std::string_view text) {
  T value{};
  if (parse_number(text, value) != parsed::number) return;
  T again{};
  fuzz::require(parse_number(fmt::format("{}", value), again) == parsed::number, "a number is printed as none");
  fuzz::require(again == value || value != value, "another number is printed");
}

template <class Call>
void unless_refused(const Call& call) {
  try {
    call();
  } catch (const upsweep::error&) {
  }
}

}  // namespace

UPSWEEP_HARNESS(numbers) {
  const std::string text(bytes.substr(0, 200));
  parse_and_print_again<std::int8_t>(text);
  parse_and_print_again<std::uint8_t>(text);
  parse_and_print_again<std::int16_t>(text);
  parse_and_print_again<std::uint16_t>(text);
  parse_and_print_again<std::int32_t>(text);
  parse_and_print_again<std::uint32_t>(text);
  parse_and_print_again<std::int64_t>(text);
  parse_and_print_again<std::uint64_t>(text);
  parse_and_print_again<float>(text);
  parse_and_print_again<double>(text);
  const value_kind kind = kind_of(text);
  fuzz::require((kind == value_kind::missing) == is_missing(text), "missing and not");
  fuzz::require(kind != value_kind::date || date_of(text), "a date that is none");
  type_finder finder;
  finder.add(text, text, 1);
  finder.add(bytes.substr(text.size()), bytes.substr(text.size()), 2);
  finder.found();

  if (const auto list = parse_number_list(text))
    for (const listed_number& one : *list) {
      if (one.integer) {
        const auto again = number_of_text(one.text());
        fuzz::require(again && !(*again < one) && !(one < *again), "another number of a list is printed");
      }
      first_not_below<std::int64_t>(one);
      first_not_below<std::uint8_t>(one);
      first_not_below<float>(one);
      first_not_below<double>(one);
    }
  if (const auto type = stored_type_named(text); type && !type->swapped)
    fuzz::require(stored_type_named(name_of(*type)) == type, "a type of another name");
  for (const upsweep::dtype type : upsweep::all_dtypes) unless_refused([&] { scalar_of_text("--init", text, type); });
  unless_refused([&] {
    const std::uint64_t size = bytes_of_text("--memory", text);
    fuzz::require(size == bytes_of_text("--memory", std::to_string(size)) || size > std::uint64_t{1} << 53,
                  "another size is printed");
  });
  unless_refused([&] { missing_rule_of(text); });
  if (text.find("cpu:") == std::string::npos)  // each thread of those is one
    unless_refused([&] { upsweep::context::named(text); });
}
