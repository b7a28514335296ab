// The CPU's entries.
#include "upsweep/lex/cpu/lex_cpu.hpp"

namespace upsweep::detail::lex_impl {

namespace {

variant entry(primitive what, std::string_view name, int year, std::string_view source, std::string_view teaches,
              void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.kind = variant_kind::tuned, v.year = year, v.source = source, v.teaches = teaches;
  v.work = {"1 to 4 look-ups a byte", [](double n) { return n; }};
  // A piece of 16 KB, and in order a group's first bytes, mostly no more than 48 of each piece.
  v.span = {"16384 + n/341", [](double n) { return 16384 + n / 341; }};
  v.launches = {"1", [](double) { return 1.0; }};
  v.cannot = without_rules;
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list = [] {
    variant tokens = entry(primitive::tokens, "tokens/convergent-states", 2014, "mytkowicz2014",
                           "The automaton runs through each piece of the text from all of its states at once, of which "
                           "most die or meet within a few bytes; the piece before tells which of the rest was right.",
                           [](device& d, const problem& p) { run_tokens(d, p, {cut}); });
    tokens.traffic = {"n, and 16 a token", [](double n) { return n; }};
    variant automaton = entry(primitive::fields, "fields/convergent-states", 2014, "mytkowicz2014",
                              "Fields as the tokens of an automaton of six states, which takes quotes anywhere.",
                              [](device& d, const problem& p) { run_fields(d, p, {cut}); });
    variant parity = entry(primitive::fields, "fields/quote-parity", 2019, "langdale2019",
                           "64 bytes become bit masks; a byte is within quotes when an odd number of them stands "
                           "before it, which an exclusive-or scan of bits finds. Quotes inside unquoted fields send "
                           "the text to the automaton.",
                           [](device& d, const problem& p) { run_fields(d, p, {cut, fields_by_parity}); });
    parity.work = {"n", [](double n) { return n; }};
    parity.span = {"2048 + n/65536", [](double n) { return 2048 + n / 65536; }};  // words of a block, and its turn
    automaton.traffic = parity.traffic = {"n, and 8 a field", [](double n) { return n; }};
    return std::array{tokens, automaton, parity};
  }();
  return list;
}

}  // namespace upsweep::detail::lex_impl
