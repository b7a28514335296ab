// The conformance tests of lex accept plain scanners, and detect wrongly split tokens.
#include "tests/conformance_tests.hpp"
#include "upsweep/lex.hpp"
#include "upsweep/lex/lex_automaton.hpp"
#include "upsweep/lex/lex_problem.hpp"

namespace upsweep::detail::lex_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

// One byte after the other. forgets: pieces of so many bytes begin in the start's state, not in that of what is before.
void scan_tokens(const problem& p, std::uint64_t forgets = nowhere) {
  const automaton& a = p.rules->automaton();
  const auto& rules = p.rules->rules();
  const auto* text = p.in.as<const unsigned char>();
  auto* const count = p.count.as<std::uint64_t>();
  std::fill_n(count, counts_of(p), 0);
  count[1] = nowhere;
  std::uint64_t first = 0;
  const auto take = [&](std::uint64_t end, std::uint32_t kind) {
    ++count[2 + kind];
    if (!rules[kind].skip) {
      if (!p.counted) p.out.as<token>()[count[0]] = {first, static_cast<std::uint32_t>(end - first), kind};
      ++count[0];
    }
    first = end;
  };
  std::uint32_t state = automaton::start;
  for (std::uint64_t i = 0; i < p.n; ++i) {
    if (i > 0 && i % forgets == 0) state = automaton::start;
    const std::uint32_t entry = a.next[state + text[i]];
    if (entry & automaton::ended) take(i, (entry & automaton::kind_mask) >> automaton::kind_shift);
    state = entry & automaton::row_mask;
    if (state == automaton::dead) {
      count[1] = i;
      return;
    }
  }
  if (p.n == 0) return;
  if (const int kind = a.accepts[state / 256]; kind >= 0)
    take(p.n, static_cast<std::uint32_t>(kind));
  else
    count[1] = p.n;
}

struct table_rules {
  bool quotes = true, doubled = true;
  std::uint64_t forgets = nowhere;
};
void scan_fields(const problem& p, const table_rules& r = {}) {
  enum { begins, plain, quoted, closing, blank } s = begins;
  const char* text = p.in.as<const char>();
  auto* const count = p.count.as<std::uint64_t>();
  count[0] = count[2] = 0, count[1] = nowhere;
  const auto end = [&](std::uint64_t at, bool record) {
    if (!p.counted) p.out.as<std::uint64_t>()[count[0]] = at;
    ++count[0], count[2] += record;
  };
  for (std::uint64_t i = 0; i < p.n; ++i) {
    const char c = text[i];
    if (i > 0 && i % r.forgets == 0 && s == quoted) s = plain;
    if (s == quoted) {
      if (c == '"') s = closing;
    } else if (c == p.separator || c == '\n') {
      end(i, c == '\n'), s = begins;
    } else if (s == begins) {
      s = c == '"' && r.quotes ? quoted : plain;
    } else if (s == closing && c == '"' && r.doubled) {
      s = quoted;
    } else if (s == closing || s == blank) {
      s = blank;
      if (c != ' ' && c != '\t' && c != '\r') {
        count[1] = i;
        return;
      }
    }
  }
  if (s == quoted)
    count[1] = p.n;
  else if (p.n > 0 && (s != begins || text[p.n - 1] != '\n'))
    end(p.n, true);
}

TEST(LexConformance, PassesWhatIsRight) {
  expect_passes<problem>(primitive::tokens, [](device&, const problem& p) { scan_tokens(p); });
  expect_passes<problem>(primitive::fields, [](device&, const problem& p) { scan_fields(p); });
}

TEST(LexConformance, CatchesPiecesThatForgetTheirState) {
  expect_caught<problem>(primitive::tokens, [](device&, const problem& p) { scan_tokens(p, 1000); }, " is not ");
  expect_caught<problem>(
      primitive::fields, [](device&, const problem& p) { scan_fields(p, {.forgets = 1000}); }, " is not ");
}

TEST(LexConformance, CatchesAPlaceOneOff) {
  expect_caught<problem>(
      primitive::tokens,
      [](device&, const problem& p) {
        scan_tokens(p);
        auto& stopped = p.count.as<std::uint64_t>()[1];
        if (stopped != nowhere && stopped > 0) --stopped;
      },
      "where it stopped");
}

TEST(LexConformance, CatchesATokenOfAnotherKind) {
  expect_caught<problem>(
      primitive::tokens,
      [](device&, const problem& p) {
        scan_tokens(p);
        const std::uint64_t kept = *p.count.as<std::uint64_t>();
        if (!p.counted && kept > 100) p.out.as<token>()[kept - 1].kind ^= 1;
      },
      ", 1 bytes");
}

TEST(LexConformance, CatchesSkippedTokensLeftUncounted) {
  expect_caught<problem>(
      primitive::tokens,
      [](device&, const problem& p) {
        scan_tokens(p);
        for (std::size_t k = 0; k < p.rules->rules().size(); ++k)
          if (p.rules->rules()[k].skip) p.count.as<std::uint64_t>()[2 + k] = 0;
      },
      "tokens of kind");
}

TEST(LexConformance, CatchesATokenTooMany) {
  expect_caught<problem>(
      primitive::tokens,
      [](device&, const problem& p) {
        scan_tokens(p);
        const std::uint64_t kept = *p.count.as<std::uint64_t>();
        if (!p.counted && kept < p.capacity) p.out.as<token>()[kept] = {p.n, 0, 0};
      },
      "of the output was written");
}

TEST(LexConformance, CatchesQuotesThatMeanNothing) {
  expect_caught<problem>(
      primitive::fields, [](device&, const problem& p) { scan_fields(p, {.quotes = false}); }, " is not ");
  expect_caught<problem>(
      primitive::fields, [](device&, const problem& p) { scan_fields(p, {.doubled = false}); }, "where it stopped");
}

TEST(LexConformance, CatchesALastRecordThatDoesNotCount) {
  expect_caught<problem>(
      primitive::fields,
      [](device&, const problem& p) {
        scan_fields(p);
        auto* const count = p.count.as<std::uint64_t>();
        if (count[2] > 0) --count[2];
      },
      "records");
}

}  // namespace
}  // namespace upsweep::detail::lex_impl
