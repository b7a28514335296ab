// Patterns become a nondeterministic automaton (Thompson 1968), its reachable sets of places a deterministic one, and
// that the smallest (Moore 1956). Then every state that may end a token goes on as the start does, and says so.
#include "upsweep/lex/lex_automaton.hpp"

#include <algorithm>
#include <bitset>
#include <map>

namespace upsweep::detail::lex_impl {

namespace {

using byte_set = std::bitset<256>;

struct place {
  byte_set on;                       // bytes that lead to `to`
  int to = -1, empty[2] = {-1, -1};  // or, on nothing at all
  int accepts = -1;
};

struct piece {
  int first, last;  // last has no way out yet
};

class pattern {
 public:
  pattern(const token_rule& rule, std::vector<place>& places) : rule_(rule), text_(rule.pattern), places_(places) {}

  piece whole() {
    const piece all = alternatives();
    if (at_ < text_.size()) wrong("a ) has no (");
    return all;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw error(fault::bad_argument, "the pattern of " + rule_.name,
                what + " at byte " + std::to_string(at_) + " of '" + text_ + "'", "mend it");
  }
  bool more() const { return at_ < text_.size(); }
  char take() {
    if (!more()) wrong("it ends too soon");
    return text_[at_++];
  }
  int add() {
    if (places_.size() > 20000) wrong("it is too large");
    places_.emplace_back();
    return static_cast<int>(places_.size()) - 1;
  }
  void join(int from, int to) {
    int& slot = places_[from].empty[0] < 0 ? places_[from].empty[0] : places_[from].empty[1];
    slot = to;
  }

  piece nothing() {
    const int p = add();
    return {p, p};
  }
  piece one_of(const byte_set& bytes) {
    const int from = add(), to = add();
    places_[from].on = bytes, places_[from].to = to;
    return {from, to};
  }
  piece either(piece a, piece b) {
    const int from = add(), to = add();
    join(from, a.first), join(from, b.first), join(a.last, to), join(b.last, to);
    return {from, to};
  }
  piece sequence(piece a, piece b) {
    join(a.last, b.first);
    return {a.first, b.last};
  }
  piece zero_or_one(piece a) { return either(a, nothing()); }
  piece repeated(piece a) {  // once or more
    const int from = add(), turn = add(), to = add();
    join(from, a.first), join(a.last, turn), join(turn, a.first), join(turn, to);
    return {from, to};
  }

  piece alternatives() {
    if (++depth_ > 200) wrong("it is nested too deeply");
    piece all = terms();
    while (more() && text_[at_] == '|') {
      ++at_;
      all = either(all, terms());
    }
    --depth_;
    return all;
  }
  piece terms() {
    piece all = nothing();
    while (more() && text_[at_] != '|' && text_[at_] != ')') all = sequence(all, counted());
    return all;
  }
  piece counted() {
    const std::size_t begin = at_;
    piece p = atom();
    const std::size_t end = at_;
    if (!more()) return p;
    const auto again = [&] {  // the same atom once more
      const std::size_t after = at_;
      at_ = begin;
      const piece copy = atom();
      at_ = after;
      return copy;
    };
    switch (text_[at_]) {
      case '*': return ++at_, zero_or_one(repeated(p));
      case '+': return ++at_, repeated(p);
      case '?': return ++at_, zero_or_one(p);
      case '{': break;
      default: return p;
    }
    (void)end;
    ++at_;
    const int least = number();
    int most = least;
    if (more() && text_[at_] == ',') {
      ++at_;
      most = more() && text_[at_] == '}' ? -1 : number();
    }
    if (take() != '}' || (most >= 0 && most < least) || least > 1000 || most > 1000) wrong("a count cannot be read");
    if (most == 0) return nothing();
    piece all = least == 0 ? (most < 0 ? zero_or_one(repeated(p)) : zero_or_one(p)) : p;
    for (int k = 1; k < least; ++k) all = sequence(all, again());
    if (most < 0 && least > 0) all = sequence(all, zero_or_one(repeated(again())));
    for (int k = std::max(least, 1); k < most; ++k) all = sequence(all, zero_or_one(again()));
    return all;
  }
  int number() {
    int n = 0;
    if (!more() || text_[at_] < '0' || text_[at_] > '9') wrong("a number is expected");
    while (more() && text_[at_] >= '0' && text_[at_] <= '9' && n < 10000) n = 10 * n + (text_[at_++] - '0');
    return n;
  }
  piece atom() {
    const char c = take();
    byte_set bytes;
    switch (c) {
      case '(': {
        const piece inside = alternatives();
        if (!more() || take() != ')') wrong("a ( is not closed");
        return inside;
      }
      case '[': return one_of(bracket());
      case '.': return bytes.set('\n'), one_of(~bytes);
      case '\\': return one_of(escape());
      case '*':
      case '+':
      case '?':
      case '{': --at_; wrong("there is nothing to repeat");
      default: return bytes.set(static_cast<unsigned char>(c)), one_of(bytes);
    }
  }
  byte_set escape() {
    byte_set bytes;
    const auto range = [&](unsigned char a, unsigned char b) {
      for (unsigned x = a; x <= b; ++x) bytes.set(x);
    };
    const char c = take();
    switch (c) {
      case 'n': bytes.set('\n'); break;
      case 't': bytes.set('\t'); break;
      case 'r': bytes.set('\r'); break;
      case 'd': range('0', '9'); break;
      case 'w': range('0', '9'), range('a', 'z'), range('A', 'Z'), bytes.set('_'); break;
      case 's': bytes.set(' '), range('\t', '\r'); break;
      case 'x': {
        unsigned x = 0;
        for (int k = 0; k < 2; ++k) {
          const char h = take();
          const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(h);
          if (digit == std::string_view::npos) wrong("\\x needs two hexadecimal digits");
          x = 16 * x + static_cast<unsigned>(digit < 16 ? digit : digit - 6);
        }
        bytes.set(x);
        break;
      }
      default:
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
          wrong("an escape sequence is unknown");
        bytes.set(static_cast<unsigned char>(c));
    }
    return bytes;
  }
  byte_set bracket() {
    byte_set all;
    const bool others = more() && text_[at_] == '^';
    if (others) ++at_;
    for (bool first = true;; first = false) {
      char c = take();
      if (c == ']' && !first) break;
      byte_set bytes;
      if (c == '\\') {
        bytes = escape();
      } else {
        bytes.set(static_cast<unsigned char>(c));
      }
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']' && bytes.count() == 1) {
        ++at_;
        const char d = take();
        byte_set end;
        if (d == '\\') {
          end = escape();
        } else {
          end.set(static_cast<unsigned char>(d));
        }
        if (end.count() != 1 || end._Find_first() < bytes._Find_first()) wrong("a range ends before it begins");
        for (std::size_t x = bytes._Find_first(); x <= end._Find_first(); ++x) all.set(x);
      } else {
        all |= bytes;
      }
    }
    return others ? ~all : all;
  }

  const token_rule& rule_;
  const std::string& text_;
  std::vector<place>& places_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

using place_set = std::vector<int>;  // sorted

// And what can be reached from there on nothing.
place_set closure(const std::vector<place>& places, place_set from) {
  std::vector<bool> seen(places.size());
  place_set all;
  while (!from.empty()) {
    const int p = from.back();
    from.pop_back();
    if (p < 0 || seen[p]) continue;
    seen[p] = true;
    all.push_back(p);
    from.push_back(places[p].empty[0]), from.push_back(places[p].empty[1]);
  }
  std::ranges::sort(all);
  return all;
}

struct deterministic {
  std::vector<std::vector<int>> next;  // [state][byte]; state 0 is dead, 1 the start
  std::vector<int> accepts;
};

deterministic determine(const std::vector<place>& places, int first) {
  constexpr std::size_t most = 4000;
  deterministic d;
  std::map<place_set, int> numbers;
  std::vector<place_set> sets;
  const auto number = [&](place_set s) {
    const auto [at, fresh] = numbers.try_emplace(s, static_cast<int>(sets.size()));
    if (fresh) {
      if (sets.size() >= most)
        throw error(fault::unsupported, "lexer", "the rules need more than " + std::to_string(most) + " states",
                    "simplify them");
      int kind = -1;
      for (const int p : s)
        if (places[p].accepts >= 0 && (kind < 0 || places[p].accepts < kind)) kind = places[p].accepts;
      d.accepts.push_back(kind);
      sets.push_back(std::move(s));
    }
    return at->second;
  };
  number({});
  number(closure(places, {first}));
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<int> row(256);
    for (int byte = 0; byte < 256; ++byte) {
      place_set to;
      for (const int p : sets[s])
        if (places[p].to >= 0 && places[p].on[byte]) to.push_back(places[p].to);
      row[byte] = number(to.empty() ? to : closure(places, std::move(to)));
    }
    d.next.push_back(std::move(row));
  }
  return d;
}

// States that no text tells apart become one; those of state 0 and 1 keep their numbers.
deterministic smallest(const deterministic& d) {
  const std::size_t n = d.next.size();
  std::vector<int> group(n);
  for (std::size_t s = 0; s < n; ++s) group[s] = d.accepts[s];
  for (std::size_t groups = 0;;) {
    std::map<std::vector<int>, int> signatures;
    std::vector<int> finer(n);
    for (std::size_t s = 0; s < n; ++s) {
      std::vector<int> signature{group[s]};
      for (const int to : d.next[s]) signature.push_back(group[to]);
      finer[s] = signatures.try_emplace(std::move(signature), static_cast<int>(signatures.size())).first->second;
    }
    group = std::move(finer);
    if (signatures.size() == groups) break;
    groups = signatures.size();
  }
  if (group[0] == group[1])
    throw error(fault::bad_argument, "lexer", "no rule matches anything", "correct the patterns");
  deterministic small;
  std::vector<int> number(n, -1), from;
  for (std::size_t s = 0; s < n; ++s)
    if (number[group[s]] < 0) number[group[s]] = static_cast<int>(from.size()), from.push_back(static_cast<int>(s));
  for (const int s : from) {
    std::vector<int> row;
    for (const int to : d.next[s]) row.push_back(number[group[to]]);
    small.next.push_back(std::move(row));
    small.accepts.push_back(d.accepts[s]);
  }
  return small;
}

}  // namespace

automaton compile(std::span<const token_rule> rules) {
  if (rules.empty() || rules.size() > 128)
    throw error(fault::bad_argument, "lexer", std::to_string(rules.size()) + " rules", "give 1 to 128");
  std::vector<place> places(1);
  int at = 0;  // a chain of places from which every rule begins
  for (std::size_t kind = 0; kind < rules.size(); ++kind) {
    const piece p = pattern(rules[kind], places).whole();
    places[p.last].accepts = static_cast<int>(kind);
    const place_set at_once = closure(places, {p.first});
    if (std::ranges::binary_search(at_once, p.last))
      throw error(fault::bad_argument, "the pattern of " + rules[kind].name, "it matches the empty text", "mend it");
    places.emplace_back();
    const int fork = static_cast<int>(places.size()) - 1;
    places[at].empty[0] = p.first, places[at].empty[1] = fork;
    at = fork;
  }
  const deterministic d = smallest(determine(places, 0));
  const std::size_t n = d.next.size();
  if (n > 255)
    throw error(fault::unsupported, "lexer", "the rules need " + std::to_string(n) + " states, and 255 is the maximum",
                "simplify them");
  automaton a;
  a.accepts = d.accepts;
  a.next.resize(n * 256);
  for (std::size_t s = 0; s < n; ++s)
    for (int byte = 0; byte < 256; ++byte) {
      const int to = d.next[s][byte], kind = d.accepts[s];
      const int afresh = d.next[1][byte];
      std::uint32_t& entry = a.next[s * 256 + byte];
      if (to != 0)
        entry = static_cast<std::uint32_t>(to) * 256;
      else if (kind >= 0 && afresh != 0)
        entry = automaton::ended | static_cast<std::uint32_t>(kind) << automaton::kind_shift |
                static_cast<std::uint32_t>(afresh) * 256;
      // A token that ends before a byte that begins no token is still counted: the error is at the byte.
      else if (kind >= 0)
        entry = automaton::ended | static_cast<std::uint32_t>(kind) << automaton::kind_shift | automaton::dead;
    }
  return a;
}

}  // namespace upsweep::detail::lex_impl

namespace upsweep {

lexer::lexer(std::vector<token_rule> rules)
    : rules_(std::move(rules)),
      automaton_(std::make_shared<detail::lex_impl::automaton>(detail::lex_impl::compile(rules_))) {}

std::size_t lexer::states() const { return automaton_->states(); }

}  // namespace upsweep
