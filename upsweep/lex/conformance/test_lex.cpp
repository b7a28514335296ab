// Tokens and fields against scanners of one thread: every small text of a few bytes, long tokens across pieces, and
// what is refused.
#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "tests/devices.hpp"
#include "upsweep/lex.hpp"
#include "upsweep/lex/lex_start_states.hpp"

using namespace upsweep;

namespace {

// What fields() promises, a byte at a time.
struct table {
  std::vector<std::uint64_t> ends;
  std::uint64_t records = 0;
  std::optional<std::uint64_t> stopped;
};
table by_hand(std::string_view t, char separator) {
  enum { begins, plain, quoted, closing, blank } s = begins;
  table all;
  for (std::uint64_t i = 0; i < t.size(); ++i) {
    const char c = t[i];
    if (s == quoted) {
      if (c == '"') s = closing;
    } else if (c == separator || c == '\n') {
      all.ends.push_back(i), all.records += c == '\n', s = begins;
    } else if (s == begins) {
      s = c == '"' ? quoted : plain;
    } else if (s == closing && c == '"') {
      s = quoted;
    } else if (s == closing || s == blank) {
      s = blank;
      if (c != ' ' && c != '\t' && c != '\r') return all.stopped = i, all;
    }
  }
  if (s == quoted)
    all.stopped = t.size();
  else if (!t.empty() && (s != begins || t.back() != '\n'))
    all.ends.push_back(t.size()), ++all.records;
  return all;
}

// The CPU, and a CUDA device where there is one.
const std::vector<context>& places() {
  static const std::vector<context> all = [] {
    std::vector<context> p{context::cpu(3)};
    for (const std::string& name : tests::device_names())
      if (name.starts_with("cuda")) p.push_back(context::named(name));
    return p;
  }();
  return all;
}

void expect_fields(const std::string& t, char separator = ',') {
  const table want = by_hand(t, separator);
  for (const context& where : places()) {
    const field_counts counted = count_fields(where, t, separator);
    ASSERT_EQ(counted.fields, want.ends.size()) << t.substr(0, 100);
    ASSERT_EQ(counted.records, want.records) << t.substr(0, 100);
    ASSERT_EQ(counted.stopped, want.stopped) << t.substr(0, 100);
    std::vector<std::uint64_t> ends(counted.fields, 77);
    find_fields(where, t, ends, separator);
    ASSERT_EQ(ends, want.ends) << t.substr(0, 100);
  }
}

TEST(Fields, OfEverySmallText) {
  const std::string alphabet = "\",\n\r a";
  for (int length = 0; length <= 5; ++length) {
    int texts = 1;
    for (int k = 0; k < length; ++k) texts *= 6;
    for (int x = 0; x < texts; ++x) {
      std::string t;
      for (int k = 0, rest = x; k < length; ++k, rest /= 6) t += alphabet[rest % 6];
      expect_fields(t);
    }
  }
}

TEST(Fields, OfLargeTextsWithQuotesAnywhere) {
  std::mt19937 bits(1);
  for (const int quotes : {0, 1, 2})  // none; only where RFC 4180 has them; anywhere
    for (const std::size_t size : {63, 64, 65, 4095, 65535, 65536, 65537, 300'000}) {
      std::string t;
      while (t.size() < size) {
        const auto r = bits() % 10;
        if (r < 5)
          t += std::string(bits() % 9, 'x') + ",";
        else if (r < 7)
          t += "7\r\n";
        else if (quotes > 0 && r < 9)
          t += "\"" + std::string(bits() % 40, bits() % 2 ? ',' : '\n') + "\"\"b\",";
        else if (quotes > 1)
          t += "y\"z,";
        else
          t += "\n";
      }
      t.resize(size);
      expect_fields(t);
      expect_fields(std::string(200'000, 'a') + t, ';');
    }
  expect_fields("\"" + std::string(300'000, ',') + "\",b\n");
  expect_fields("\"" + std::string(300'000, ',') + ",b\n");
  expect_fields(std::string(1000, '\0') + "," + std::string(1, '\0'), '\0');
}

// The longest match at each place, one rule after the other.
std::vector<token> one_by_one(const std::vector<token_rule>& rules, const std::string& t, std::uint64_t& at) {
  std::vector<token> out;
  std::vector<std::regex> each;
  for (const token_rule& r : rules) each.emplace_back(r.pattern, std::regex::extended);
  for (at = 0; at < t.size();) {
    std::uint32_t kind = 0;
    long longest = 0;
    for (std::uint32_t k = 0; k < rules.size(); ++k) {
      std::smatch m;
      if (std::regex_search(t.begin() + static_cast<long>(at), t.end(), m, each[k],
                            std::regex_constants::match_continuous) &&
          m.length() > longest)
        longest = m.length(), kind = k;
    }
    if (longest == 0) return out;
    if (!rules[kind].skip) out.push_back({at, static_cast<std::uint32_t>(longest), kind});
    at += static_cast<std::uint64_t>(longest);
  }
  return out;
}

std::vector<token> tokens_of(const lexer& l, std::string_view t, token_counts& found) {
  std::vector<token> tokens;
  for (const context& where : places()) {
    const token_counts here = count_tokens(where, l, t);
    std::vector<token> out(here.tokens);
    const token_counts again = tokenize(where, l, t, out);
    EXPECT_EQ(again.counts, here.counts);
    EXPECT_EQ(again.stopped, here.stopped);
    if (where.kind() == backend::cpu) {
      tokens = std::move(out), found = here;
      continue;
    }
    EXPECT_EQ(out, tokens);
    EXPECT_EQ(here.counts, found.counts);
    EXPECT_EQ(here.stopped, found.stopped);
  }
  return tokens;
}

// A buffer's text and output, on every place.
TEST(Tokens, OfDeviceMemory) {
  const lexer l(json_grammar());
  const std::string t = "[true, \"x\", 12, 12]";
  for (const context& where : places()) {
    const buffer<char> text(where, t);
    ASSERT_EQ(count_tokens(where, l, text.span()).tokens, 9u);
    buffer<token> out(where, 9);
    tokenize(where, l, text.span(), out.span());
    EXPECT_EQ(out.download()[3], (token{7, 3, 7}));
    buffer<std::uint64_t> ends(where, 4);
    EXPECT_EQ(find_fields(where, text.span(), ends.span()).fields, 4u);
    EXPECT_EQ(ends.download(), (std::vector<std::uint64_t>{5, 10, 14, 19}));
    buffer<token> few(where, 8);
    EXPECT_THROW(tokenize(where, l, text.span(), few.span()), error);
    buffer<std::uint64_t> three(where, 3);
    EXPECT_THROW(find_fields(where, text.span(), three.span()), error);
  }
}

// What CUDA's threads know in the middle of a text: the state that is, among those that a run-up leaves.
TEST(RunUp, LeavesTheStateThatIs) {
  const std::string json = "[{\"a\\n\": -1.5e3, \"Zo\xC3\xAB\": [true, null, \"12, [3]\"]}, 7]\n",
                    c = "/* don't \"stop\" **/ int f(double b) { return a >>= 'x' + \"y\\n\"; } // so\n";
  for (const auto& [grammar, line] : {std::pair(json_grammar(), json), std::pair(c_grammar(), c)}) {
    const lexer l(grammar);
    const detail::lex_impl::automaton& a = l.automaton();
    const auto& tables = detail::lex_impl::run_ups_of(a);
    ASSERT_TRUE(tables);
    std::string text;
    while (text.size() < 500) text += line;
    const auto class_at = [&](std::size_t i) { return tables->class_of[static_cast<unsigned char>(text[i])]; };
    std::uint32_t row = detail::lex_impl::automaton::start;
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (std::size_t before = 1; before <= at && before < 200; before += 1 + before / 4) {
        std::uint32_t set = 0;
        for (std::size_t i = at - before; i < at; ++i) set = tables->sets[set * tables->classes + class_at(i)];
        const std::uint32_t left = tables->left[set];
        bool among = left == detail::lex_impl::more_states;
        for (int k = 0; k < 32; k += 8) among = among || (left >> k & 0xff) == row / 256;
        ASSERT_TRUE(among) << at << " after " << before;
        ASSERT_TRUE(before < 150 || left != detail::lex_impl::more_states) << at;
      }
      row = a.next[row + static_cast<unsigned char>(text[at])] & detail::lex_impl::automaton::row_mask;
    }
  }
  const lexer wide(std::vector<token_rule>{{"wide", "(a|b)*a(a|b){6}"}});
  EXPECT_TRUE(detail::lex_impl::run_ups_of(wide.automaton()));
}

TEST(Tokens, AreTheLongestMatches) {
  const std::vector<token_rule> rules{
      {"word", "[a-c]+"}, {"if", "ab"}, {"number", "[0-9]+(x[0-9]*)?"}, {"space", " +", true}, {"op", "=|==|<=?"}};
  const lexer l(rules);
  std::mt19937 bits(2);
  const std::string alphabet = "aabbc01x =<";
  for (int round = 0; round < 200; ++round) {
    std::string t(bits() % 60, ' ');
    for (char& c : t) c = alphabet[bits() % alphabet.size()];
    token_counts found;
    std::uint64_t at = 0;
    const std::vector<token> want = one_by_one(rules, t, at), got = tokens_of(l, t, found);
    EXPECT_EQ(got, want) << t;
    EXPECT_EQ(found.stopped, at < t.size() ? std::optional(at) : std::nullopt) << t;
  }
}

TEST(Tokens, OfJsonAcrossPieces) {
  const lexer l(json_grammar());
  std::string t = "[";
  std::vector<token> want{{0, 1, 3}};
  const auto add = [&](const std::string& s, std::uint32_t kind) {
    want.push_back({t.size(), static_cast<std::uint32_t>(s.size()), kind});
    t += s;
  };
  std::mt19937 bits(3);
  for (int k = 0; k < 3000; ++k) {
    add("\"" + std::string(bits() % 100, 'z') + "\\\"\xC3\xA9\"", 7);
    t += k % 3 ? " " : "\n\t";
    add(",", 6), add("-12.5e+3", 8), add(",", 6), add("true", 9), add(",", 6);
  }
  add("\"" + std::string(200'000, 'q') + "\"", 7), add(",", 6);
  t += std::string(100'000, ' ');
  add("null", 11), add("]", 4);
  token_counts found;
  EXPECT_EQ(tokens_of(l, t, found), want);
  EXPECT_FALSE(found.stopped);
  const auto kept = tokens_of(l, t.substr(0, 70'000) + "\x01" + t.substr(70'000), found);
  EXPECT_EQ(found.stopped, 70'000u);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), want.begin()));
}

TEST(Tokens, StopWhereTheyMust) {
  const lexer json(json_grammar()), c(c_grammar());
  const auto stops = [](const lexer& l, std::string_view t) {
    token_counts found;
    tokens_of(l, t, found);
    return found.stopped;
  };
  EXPECT_EQ(stops(json, ""), std::nullopt);
  EXPECT_EQ(stops(json, "\"abc"), 4u);             // never closed
  EXPECT_EQ(stops(json, "[\"a\xC3(\"]"), 4u);      // no UTF-8
  EXPECT_EQ(stops(json, "\"\xED\xA0\x80\""), 2u);  // a surrogate
  EXPECT_EQ(stops(json, "\"\xF0\x9F\x8C\xB2\""), std::nullopt);
  EXPECT_EQ(stops(json, "[01.]"), 4u);
  EXPECT_EQ(stops(json, "\"a\nb\""), 2u);
  EXPECT_EQ(stops(c, "int a; /* " + std::string(100'000, '*')), 100'010u);
  EXPECT_EQ(stops(c, "int a; /* " + std::string(100'000, '*') + "/ b"), std::nullopt);
  EXPECT_EQ(stops(c, "a @ b"), 2u);
}

TEST(Fields, AreFoundByTheVariantAskedFor) {
  const std::string tidy = "a,\"b, c\"\n1,2\n", stray = "y\"z,2\n";
  for (const char* name : {"fields/convergent-states", "fields/quote-parity"}) {
    const context cpu = context::cpu(2).with({.variant = name});
    for (const std::string& t : {tidy, stray}) {
      std::vector<std::uint64_t> ends(4);
      const field_counts found = find_fields(cpu, t, ends);
      EXPECT_EQ(cpu.last_algorithm(), name);
      ends.resize(found.fields);
      EXPECT_EQ(ends, by_hand(t, ',').ends) << t;
    }
  }
}

using rules = std::vector<token_rule>;

TEST(Lexer, RefusesPatternsThatCannotBe) {
  for (const char* pattern :
       {"", "a*", "(a", "a)", "[a", "*a", "a{2", "a{3,2}", "\\q", "\\x1", "[b-a]", "a|", "a{9999}"})
    EXPECT_THROW(lexer(rules{{"rule", pattern}}), error) << pattern;
  EXPECT_THROW(lexer(rules{}), error);
  EXPECT_THROW(lexer(rules{{"wide", "(a|b)*a(a|b){12}"}}), error);  // needs 2^13 states
  EXPECT_NO_THROW(lexer(rules{{"rule", "a{2,}b{0,2}[]a-]?x"}}));
  std::vector<token> one(1);
  EXPECT_THROW(tokenize(context::cpu(), lexer(rules{{"a", "a"}}), "aa", one), error) << "the output is too small";
}

}  // namespace
