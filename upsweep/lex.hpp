// lex: splits text into tokens, and CSV tables into fields, in parallel.
//
// A step of a finite automaton on one byte is a map from state to state. Such maps compose. Each piece of the text is
// composed on its own, and a scan over the pieces gives the state in which each piece begins (Hillis and Steele, "Data
// parallel algorithms", 1986).
//
//   const upsweep::lexer json(upsweep::json_grammar());
//   const auto found = upsweep::count_tokens(cpu, json, text);           // found.counts[kind]
//   std::vector<upsweep::token> tokens(found.tokens);
//   upsweep::tokenize(cpu, json, text, tokens);
//   const auto table = upsweep::count_fields(cpu, csv_text);             // table.fields, table.records
//   std::vector<std::uint64_t> ends(table.fields);
//   upsweep::find_fields(cpu, csv_text, ends);                           // field k is [ends[k-1] + 1, ends[k])
//   upsweep::tokenize(gpu, json, text_there.span(), tokens_there.span()); // buffers: nothing leaves the device
//
// Tokens       A token is the longest match of any rule that starts where the last token ended. Of rules with equally
//              long matches the first one wins. Tokens of rules with `skip` are not written. A token ends where its
//              automaton cannot continue. The lexer does not backtrack: text that would require backtracking beyond
//              that byte is an error there. Example: "1..2", with a rule for which "1." can continue but is not
//              yet a token.
// Patterns     Patterns match bytes. Syntax: c \c \n \t \r \xHH \d \w \s . (all but \n) [a-z\d] [^...] (...) x|y x* x+
//              x? x{n} x{m,} x{m,n}. utf8_beyond_ascii is the pattern of one well-formed character beyond ASCII. The
//              constructor of lexer compiles the patterns, into at most 255 states.
// Fields       RFC 4180, with common extensions. A field that begins with a quote ends at the quote that is not
//              doubled. Blanks may follow that quote. Quotes in other places are ordinary characters. Records end with
//              LF or CRLF (the CR is the last byte of the last field). The last record need not end. ends[k] is the
//              index of the byte that ends field k, or the size of the text.
// Errors       Errors in the text are returned, not thrown: `stopped` is the index of the first byte that cannot belong
//              to any token (or field). The results before it are valid. The calls throw upsweep::error for patterns
//              that cannot be compiled, that match the empty text or that match nothing, for an output that is too
//              small (as much of it as fits may have been written), and for an OpenCL context.
// Work         Tokens: each byte is looked up once for each state that is still possible in its piece after the first
//              few bytes, mostly one or two. Fields: each 64 bytes become three bit masks, and an exclusive-or scan of
//              bits joins their quotes. Text with quotes inside unquoted fields goes through the automaton instead,
//              several times slower. CUDA reads the text once for either, if at most four states are left everywhere
//              after a run-up. Text that leaves more states, and rules with more than 2^14 sets of such states, are
//              processed on the CPU instead.
// Bytes        The size of the text, 16 per token, 8 per field.
// Scratch      CPU: a few tiles per thread, from the heap. CUDA: the tables of the automaton, and one to ten words per
//              55 KB of text. For host memory, as much as the text and the output in addition.
// Determinism  The text and the rules alone determine the result.
// Asynchrony   Every call returns after the work is done, wherever the text is, because the counts are known only then.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/buffer.hpp"

namespace upsweep {

struct token_rule {
  std::string name, pattern;
  bool skip = false;
};

extern const char* const utf8_beyond_ascii;
std::vector<token_rule> json_grammar();  // RFC 8259
std::vector<token_rule> c_grammar();  // a small language like C: names, keywords, numbers, strings, operators, comments

struct token {
  std::uint64_t first;
  std::uint32_t size, kind;  // kind: index of the rule; a token of 4 GiB or more is an error
  friend bool operator==(const token&, const token&) = default;
};

struct token_counts {
  std::vector<std::uint64_t> counts;  // by kind, including skipped tokens
  std::uint64_t tokens = 0;           // tokens that are not skipped
  std::optional<std::uint64_t>
      stopped;  // index of the first byte that belongs to no token; the size of the text if it ends within one
};

namespace detail::lex_impl {
struct automaton;
}

class lexer {
 public:
  explicit lexer(std::vector<token_rule>);
  const std::vector<token_rule>& rules() const { return rules_; }
  std::size_t states() const;
  const detail::lex_impl::automaton& automaton() const { return *automaton_; }

 private:
  std::vector<token_rule> rules_;
  std::shared_ptr<const detail::lex_impl::automaton> automaton_;
};

token_counts count_tokens(const context&, const lexer&, std::string_view text);
// `out` receives the tokens that are not skipped. It has at least as many elements as count_tokens reports.
token_counts tokenize(const context&, const lexer&, std::string_view text, std::span<token> out);
// Overloads for text and output in the memory of the context's device.
token_counts count_tokens(const context&, const lexer&, device_span<const char> text);
token_counts tokenize(const context&, const lexer&, device_span<const char> text, device_span<token> out);

struct field_counts {
  std::uint64_t fields = 0, records = 0;
  std::optional<std::uint64_t>
      stopped;  // index of text after a closing quote; the size of the text if a quote is not closed
};
field_counts count_fields(const context&, std::string_view text, char separator = ',');
field_counts find_fields(const context&, std::string_view text, std::span<std::uint64_t> ends, char separator = ',');
field_counts count_fields(const context&, device_span<const char> text, char separator = ',');
field_counts find_fields(const context&, device_span<const char> text, device_span<std::uint64_t> ends,
                         char separator = ',');

}  // namespace upsweep
