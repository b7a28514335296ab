// Conformance tests of tokens and fields. Texts are generated from the words of a grammar, valid and invalid ones, and
// results are compared with scanners that take one byte after the other. JSON's scanner is written by hand, the others
// follow the automaton of the rules. All results are compared exactly. No output place after the last token may have
// been written; after the last field one place may have been.
#include <algorithm>
#include <cstring>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/lex.hpp"
#include "upsweep/lex/lex_automaton.hpp"
#include "upsweep/lex/lex_problem.hpp"

namespace upsweep::detail::lex_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

// ---- grammars, and the parts that texts of them are made of

struct grammar {
  const char* name;
  lexer rules;
  std::vector<std::string> tidy, stray;  // every one of two bytes a token and more
  std::string alphabet;
  std::string opens, fills, closes;  // a token as long as one likes
};

const std::vector<grammar>& grammars() {
  static const std::vector<grammar> all{
      {"JSON",
       lexer(json_grammar()),
       {"\"name\": ", "-12.5e+3, ", "[true , ", "null ]\n", "{\"a\\n\\u00e9\" : ", "false }, \n", "0 , ", "17,\t17, ",
        "\"Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x8C\xB2\", "},
       {"\"", "\\\"", "\"\"", "\xC3", "tru", "01.", "-", "\xED\xA0\x80"},
       "\"\\,:[]{} \n0123456789.eE+-truefalsn\xC3\xA9u",
       "\"",
       "q",
       "\", "},
      {"C",
       lexer(c_grammar()),
       {"int f(double b) ", "{ return a >>= 'x' + ", "\"y\\n\" ; } ", "// so \"it\" is\n", "/* don't **/ ", "a_1 ->b ",
        "0x1.8p+3 + ", "while (x) ", "\\\n "},
       {"\"", "'", "/*", "*/", "//", "\\", "\n", "@"},
       "\"'/*\\ \n;(){}abcx019.+-<>=&|",
       "/*",
       "*",
       "*/ "},
      {"words",
       lexer(std::vector<token_rule>{{"word", "[a-c]+"},
                                     {"if", "ab"},
                                     {"number", "[0-9]+(x[0-9]*)?"},
                                     {"space", " +", true},
                                     {"op", "=|==|<=?"}}),
       {"ab ", "abc ", "10x01 ", "== ", "<= ", "c  "},
       {"x", "=", "<", "ab"},
       "aabbc01x =<",
       "a",
       "b",
       " "}};
  return all;
}

const grammar& table() {
  static const grammar all{"CSV",
                           lexer(json_grammar()),  // not used
                           {"price,", "17.25,", "x\r\n", "\"a, b\"\r\n", "\"said \"\"no\"\"\",", "\"\",", "\n1,2\n"},
                           {"\"", "y\"z,", "\"a\"b,", "\"c\" ,", "\"d\"\r,", ",", "\"\"\""},
                           "\",\n\r ;a",
                           "\"",
                           ",",
                           "\"\n"};
  return all;
}

const grammar& grammar_of(const problem& p) {
  if (p.what == primitive::fields) return table();
  for (const grammar& g : grammars())
    if (&g.rules == p.rules) return g;
  return grammars()[0];
}

// A stretch of 4096 bytes of a text. uniform: valid, whole tokens; sorted: valid, except for tokens that are longer
// than pieces and tiles; reversed: valid, except for one byte that no token may contain; few: invalid tokens among the
// rest, truncated anywhere; zipf: any letters of the alphabet; constant: one letter.
class text_source {
 public:
  static constexpr std::uint64_t size = 4096;
  text_source(const problem& p, std::uint64_t seed, input_kind kind)
      : g_(grammar_of(p)),
        separator_(p.what == primitive::fields ? p.separator : ','),
        n_(p.n),
        seed_(seed),
        kind_(kind) {}

  void fill(void* to, std::uint64_t first, std::uint64_t count) const {
    char* out = static_cast<char*>(to);
    for (std::uint64_t at = first; at < first + count;) {
      const std::uint64_t b = at / size, from = at % size, some = std::min(size - from, first + count - at);
      const std::string s = stretch(b);
      std::memcpy(out, s.data() + from, some);
      out += some, at += some;
    }
  }

 private:
  std::string stretch(std::uint64_t b) const {
    std::uint64_t bits = mixed(seed_ ^ mixed(b));
    const auto any = [&](const auto& of) -> const auto& { return of[(bits = mixed(bits)) % of.size()]; };
    std::string s;
    const auto tidy = [&](std::uint64_t upto) {
      for (;;) {
        const std::string& piece = any(g_.tidy);
        if (s.size() + piece.size() > upto) break;
        s += piece;
      }
      s.append(upto - s.size(), ' ');
    };
    switch (kind_) {
      case input_kind::sorted:
        if (b % 8 >= 1 && b % 8 <= 4) {
          s = std::string(size, g_.fills[0]);
          break;
        }
        if (b % 8 == 5) s = std::string(100, g_.fills[0]) + g_.closes;
        tidy(b % 8 == 0 ? size / 2 : size);
        if (b % 8 == 0) s += g_.opens;
        s.resize(size, g_.fills[0]);
        break;
      case input_kind::reversed:
        tidy(size);
        if (const std::uint64_t bad = mixed(seed_ + n_) % (n_ + n_ / 4 + 1); bad / size == b) s[bad % size] = '\x01';
        break;
      case input_kind::few:
        while (s.size() < size) s += any(g_.tidy).size() % 3 && (bits = mixed(bits)) % 5 ? any(g_.tidy) : any(g_.stray);
        s.resize(size);
        break;
      case input_kind::zipf:
        while (s.size() < size) s += any(g_.alphabet);
        break;
      case input_kind::constant: s.assign(size, g_.alphabet[mixed(seed_ ^ n_) % g_.alphabet.size()]); break;
      default: tidy(size); break;
    }
    for (char& c : s)
      if (separator_ != ',') c = c == ',' ? separator_ : c == separator_ ? ',' : c;
    return s;
  }

  const grammar& g_;
  char separator_;
  std::uint64_t n_, seed_;
  input_kind kind_;
};

// ---- forms

std::vector<problem> token_forms(bool) {
  std::vector<problem> all;
  for (const grammar& g : grammars())
    for (const bool counted : {false, true}) {
      problem p;
      p.what = primitive::tokens, p.rules = &g.rules, p.counted = counted;
      all.push_back(p);
    }
  return all;
}

std::vector<problem> field_forms(bool) {
  std::vector<problem> all;
  for (const char separator : {',', ';', '\0'})
    for (const bool counted : {false, true}) {
      problem p;
      p.what = primitive::fields, p.separator = separator, p.counted = counted;
      all.push_back(p);
    }
  return all;
}

// As many places as the text may need; texts of a benchmark are valid, and need at most half as many.
void complete(problem& p, std::uint64_t, std::uint64_t turn) {
  p.capacity = p.counted ? 0 : turn == 1 ? p.n / 2 + 64 : p.n + 1;
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  std::vector<array> all{{&problem::in, p.n, 1,
                          [text = text_source(p, seed, kind)](void* to, std::uint64_t first, std::uint64_t count) {
                            text.fill(to, first, count);
                          },
                          false}};
  if (!p.counted)
    all.push_back(
        {&problem::out, p.capacity, p.what == primitive::tokens ? sizeof(token) : sizeof(std::uint64_t), {}, true});
  all.push_back({&problem::count, counts_of(p), 8, {}, true});
  return all;
}

// ---- scanners of one byte after the other

struct scanned {
  std::vector<token> tokens;          // those that are kept
  std::vector<std::uint64_t> ends;    // of fields
  std::vector<std::uint64_t> counts;  // of kinds; of records
  std::uint64_t stopped = nowhere;
};

class by_rules {
 public:
  by_rules(const lexer& l, std::string_view text) : rules_(l.rules()) {
    all.counts.resize(rules_.size());
    const automaton& a = l.automaton();
    std::uint32_t state = automaton::start;
    std::uint64_t first = 0;
    for (std::uint64_t i = 0; i < text.size(); ++i) {
      const std::uint32_t entry = a.next[state + static_cast<unsigned char>(text[i])];
      if (entry & automaton::ended) take(first, i, (entry & automaton::kind_mask) >> automaton::kind_shift), first = i;
      state = entry & automaton::row_mask;
      if (state == automaton::dead) {
        all.stopped = i;
        return;
      }
    }
    if (text.empty()) return;
    const int kind = a.accepts[state / 256];
    if (kind < 0)
      all.stopped = text.size();
    else
      take(first, text.size(), static_cast<std::uint32_t>(kind));
  }
  scanned all;

 private:
  void take(std::uint64_t first, std::uint64_t end, std::uint32_t kind) {
    ++all.counts[kind];
    if (!rules_[kind].skip) all.tokens.push_back({first, static_cast<std::uint32_t>(end - first), kind});
  }
  const std::vector<token_rule>& rules_;
};

// RFC 8259, with json_grammar()'s kinds.
class json_by_hand {
 public:
  explicit json_by_hand(std::string_view text) : t_(text) {
    all.counts.resize(12);
    while (at_ < t_.size()) {
      const std::uint64_t first = at_;
      const std::uint32_t kind = one();
      if (kind == none) {
        all.stopped = at_;
        return;
      }
      ++all.counts[kind];
      if (kind != 0) all.tokens.push_back({first, static_cast<std::uint32_t>(at_ - first), kind});
    }
  }
  scanned all;

 private:
  static constexpr std::uint32_t none = ~0u;

  int here() const { return at_ < t_.size() ? static_cast<unsigned char>(t_[at_]) : -1; }
  bool is(int low, int high) const { return here() >= low && here() <= high; }
  bool among(std::string_view those) const { return at_ < t_.size() && those.find(t_[at_]) != those.npos; }
  bool digits() {
    if (!is('0', '9')) return false;
    while (is('0', '9')) ++at_;
    return true;
  }

  // The kind of the token that begins here, at_ after it; or none, at_ where it went wrong.
  std::uint32_t one() {
    constexpr std::string_view marks = "{}[]:,";
    if (among(" \t\r\n")) {
      while (among(" \t\r\n")) ++at_;
      return 0;
    }
    if (among(marks)) return static_cast<std::uint32_t>(1 + marks.find(t_[at_++]));
    if (here() == '"') return string() ? 7 : none;
    if (here() == '-' || is('0', '9')) return decimal() ? 8 : none;
    if (here() == 't') return word("true") ? 9 : none;
    if (here() == 'f') return word("false") ? 10 : none;
    if (here() == 'n') return word("null") ? 11 : none;
    return none;
  }
  bool word(std::string_view w) {
    for (const char c : w) {
      if (here() != c) return false;
      ++at_;
    }
    return true;
  }
  bool decimal() {
    if (here() == '-') ++at_;
    if (here() == '0')
      ++at_;
    else if (!digits())
      return false;
    if (here() == '.' && (++at_, !digits())) return false;
    if (among("eE")) {
      ++at_;
      if (among("+-")) ++at_;
      return digits();
    }
    return true;
  }
  bool string() {
    for (++at_; here() != '"';) {
      if (here() == '\\') {
        ++at_;
        if (here() == 'u') {
          ++at_;
          for (int k = 0; k < 4; ++k, ++at_)
            if (!among("0123456789abcdefABCDEF")) return false;
        } else if (among("\"\\/bfnrt")) {
          ++at_;
        } else {
          return false;
        }
      } else if (is(0x20, 0x7f)) {
        ++at_;
      } else if (!beyond_ascii()) {
        return false;
      }
    }
    ++at_;
    return true;
  }
  // The Unicode Standard, table 3-7: the second byte's range depends on the first.
  bool beyond_ascii() {
    const int lead = here();
    if (lead < 0xc2 || lead > 0xf4) return false;
    const int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    ++at_;
    const int low = lead == 0xe0   ? 0xa0
                    : lead == 0xf0 ? 0x90
                                   : 0x80,
              high = lead == 0xed   ? 0x9f
                     : lead == 0xf4 ? 0x8f
                                    : 0xbf;
    if (!is(low, high)) return false;
    ++at_;
    for (int k = 1; k < more; ++k, ++at_)
      if (!is(0x80, 0xbf)) return false;
    return true;
  }

  std::string_view t_;
  std::uint64_t at_ = 0;
};

scanned fields_by_hand(std::string_view t, char separator) {
  enum { begins, plain, quoted, closing, blank } s = begins;
  scanned all;
  all.counts = {0};
  for (std::uint64_t i = 0; i < t.size(); ++i) {
    const char c = t[i];
    if (s == quoted) {
      if (c == '"') s = closing;
    } else if (c == separator || c == '\n') {
      all.ends.push_back(i), all.counts[0] += c == '\n', s = begins;
    } else if (s == begins) {
      s = c == '"' ? quoted : plain;
    } else if (s == closing && c == '"') {
      s = quoted;
    } else if (s == closing || s == blank) {
      s = blank;
      if (c != ' ' && c != '\t' && c != '\r') {
        all.stopped = i;
        return all;
      }
    }
  }
  if (s == quoted) {
    all.stopped = t.size();
  } else if (!t.empty() && (s != begins || t.back() != '\n')) {
    all.ends.push_back(t.size()), ++all.counts[0];
  }
  return all;
}

// ---- reference results

std::string differs(const std::string& what, std::uint64_t got, std::uint64_t want) {
  const auto text = [](std::uint64_t x) { return x == nowhere ? std::string("nowhere") : std::to_string(x); };
  return got == want ? std::string() : what + ": " + text(got) + " is not " + text(want);
}

std::string beyond_written(const problem& p, std::uint64_t used, std::uint64_t size) {
  const auto* bytes = p.out.as<const unsigned char>();
  for (std::uint64_t b = used * size; b < p.capacity * size; ++b)
    if (bytes[b] != poison) return "place " + std::to_string(b / size) + " of the output was written";
  return {};
}

std::string wrong_counts(const problem& p, const scanned& want, std::uint64_t kept) {
  const auto* got = p.count.as<const std::uint64_t>();
  if (std::string s = differs("where it stopped", got[1], want.stopped); !s.empty()) return s;
  for (std::size_t k = 0; k < want.counts.size(); ++k)
    if (std::string s = differs(p.what == primitive::fields ? "records" : "tokens of kind " + std::to_string(k),
                                got[2 + k], want.counts[k]);
        !s.empty())
      return s;
  return differs(p.what == primitive::fields ? "fields" : "tokens kept", got[0], kept);
}

std::string wrong_tokens(const problem& p, double) {
  const std::string_view text(p.in.as<const char>(), p.n);
  const bool json = p.rules == &grammars()[0].rules;
  const scanned want = json ? json_by_hand(text).all : by_rules(*p.rules, text).all;
  if (std::string s = wrong_counts(p, want, want.tokens.size()); !s.empty() || p.counted) return s;
  const auto words = [](const token& t) {
    return "kind " + std::to_string(t.kind) + " at " + std::to_string(t.first) + ", " + std::to_string(t.size) +
           " bytes";
  };
  for (std::uint64_t k = 0; k < want.tokens.size(); ++k)
    if (const token got = p.out.as<const token>()[k]; !(got == want.tokens[k]))
      return "token " + std::to_string(k) + ": " + words(got) + " is not " + words(want.tokens[k]);
  return beyond_written(p, want.tokens.size(), sizeof(token));
}

std::string wrong_fields(const problem& p, double) {
  const scanned want = fields_by_hand({p.in.as<const char>(), p.n}, p.separator);
  if (std::string s = wrong_counts(p, want, want.ends.size()); !s.empty() || p.counted) return s;
  for (std::uint64_t k = 0; k < want.ends.size(); ++k)
    if (std::string s =
            differs("the end of field " + std::to_string(k), p.out.as<const std::uint64_t>()[k], want.ends[k]);
        !s.empty())
      return s;
  return {};
}

// ---- words, and the bench

std::string words(const problem& p) {
  std::string s = p.what == primitive::tokens ? std::string("tokens of ") + grammar_of(p).name
                  : p.separator               ? std::string("fields between '") + p.separator + "'"
                                              : std::string("fields between zeros");
  return s + (p.counted ? ", counted" : "");
}

std::vector<problem> timed_tokens(dtype type, op_kind, bool inclusive) {
  if (inclusive || type != dtype::u8) return {};
  std::vector<problem> all = token_forms(false);
  std::erase_if(all, [](const problem& p) { return p.rules == &grammars()[2].rules; });
  return all;
}

std::vector<problem> timed_fields(dtype type, op_kind, bool inclusive) {
  if (inclusive || type != dtype::u8) return {};
  std::vector<problem> all = field_forms(false);
  std::erase_if(all, [](const problem& p) { return p.separator != ','; });
  return all;
}

// Bytes written: estimated from the outputs of the first stretches of valid texts.
traffic moves(const problem& p, input_kind kind) {
  if (p.counted) return {static_cast<double>(p.n), 0};
  problem some = p;
  some.n = 16 * text_source::size;
  std::string text(some.n, ' ');
  text_source(some, 1, kind).fill(text.data(), 0, text.size());
  const double written = p.what == primitive::fields
                             ? 8.0 * static_cast<double>(fields_by_hand(text, p.separator).ends.size())
                             : 16.0 * static_cast<double>(by_rules(*p.rules, text).all.tokens.size());
  const auto n = static_cast<double>(p.n);
  return {n, written / static_cast<double>(text.size()) * n};
}

conformance_test conformance_test_with(primitive what) {
  conformance_test e;
  e.what = what;
  e.complete = complete, e.arrays = arrays, e.words = words, e.moves = moves;
  e.kinds = true;
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test tokens = conformance_test_with(primitive::tokens);
  tokens.forms = token_forms, tokens.wrong = wrong_tokens, tokens.timed = timed_tokens;
  conformance_test fields = conformance_test_with(primitive::fields);
  fields.forms = field_forms, fields.wrong = wrong_fields, fields.timed = timed_fields;
  tokens.huge = [] {
    problem p;
    p.what = primitive::tokens, p.rules = &grammars()[0].rules;
    return std::vector{p};
  };
  fields.huge = [] {
    problem p;
    p.what = primitive::fields, p.separator = ',';
    return std::vector{p};
  };
  return {tokens, fields};
}

}  // namespace upsweep::detail::lex_impl
