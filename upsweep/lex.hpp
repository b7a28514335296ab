// lex: text cut into tokens, and tables cut into fields, by every thread at once. A finite automaton's step on one byte
// is a map from state to state; maps compose, so each piece of the text is composed by itself, and a scan of the pieces
// tells the state that each begins in (Hillis and Steele, "Data parallel algorithms", 1986).
//
//   const upsweep::lexer json(upsweep::json_grammar());
//   const auto found = upsweep::count_tokens(cpu, json, text);           // found.counts[kind]
//   std::vector<upsweep::token> tokens(found.tokens());
//   upsweep::tokenize(cpu, json, text, tokens);
//   const auto table = upsweep::count_fields(cpu, csv_text);             // table.fields, table.records
//   std::vector<std::uint64_t> ends(table.fields);
//   upsweep::find_fields(cpu, csv_text, ends);                           // field k is [ends[k-1] + 1, ends[k])
//   upsweep::tokenize(gpu, json, text_there.span(), tokens_there.span()); // buffers: nothing leaves the device
//
// Tokens       The longest match of any rule from where the last token ended; of rules that match as much the first.
//              Tokens of rules with `skip` are passed over. A token ends where its automaton cannot go on; text that
//              would need to be unread further than that byte ("1..2" where 1. may go on but need not end) is an error
//              there, as it is in a scanner without back-tracking.
// Patterns     Bytes. c \c \n \t \r \xHH \d \w \s . (all but \n) [a-z\d] [^...] (...) x|y x* x+ x? x{n} x{m,} x{m,n};
//              utf8_beyond_ascii is the pattern of a well-formed character beyond ASCII. Compiled when the lexer is
//              made, into at most 255 states.
// Fields       RFC 4180, and what files do besides: a field that begins with a quote ends at the quote that is not
//              doubled; blanks may follow that quote; quotes elsewhere are themselves; records end with LF or CRLF (the
//              CR is the last field's last byte); the last record need not end. ends[k] is the place of the byte that
//              ends field k, or the text's size.
// Errors       What is wrong with the text is returned, not thrown: `stopped` is the place of the first byte that no
//              token (no field) can have, and everything before it is as it would be. upsweep::error: patterns that
//              cannot be compiled or match nothing at all, an output that is too small (it may have been written to, as
//              far as it goes), an OpenCL context.
// Work         tokens: each byte is looked up once for each state that its piece may be in after its first few bytes,
//              mostly one or two. Fields: each 64 bytes become three bit masks, whose quotes are joined by an
//              exclusive-or scan of bits; text with quotes inside unquoted fields goes through the automaton instead,
//              several times slower. CUDA: both in one pass over the text, where at most four states are left
//              everywhere after a run-up; a text that leaves more (or rules with more than 2^14 sets of such states) is
//              cut on the CPU instead. Bytes moved: the text's, 16 a token, 8 a field's end.
// Scratch      CPU: a few tiles a thread, from the heap. CUDA: the automaton's tables, and a word or ten for every 55
//              KB;
//              for host memory, as much as text and output have.
// Determinism  the result is fixed by the text alone.
// Asynchrony   done on return, wherever the text is: how many there are is known only then.
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
std::vector<token_rule>
c_grammar();  // a small language in C's clothes: names, keywords, numbers, strings, operators, comments

struct token {
  std::uint64_t first;
  std::uint32_t size, kind;  // kind: the rule's place in the table; a token of 4 GiB and more is an error
  friend bool operator==(const token&, const token&) = default;
};

struct token_counts {
  std::vector<std::uint64_t> counts;  // by kind; skipped ones, too
  std::uint64_t kept = 0;             // those that are not skipped
  std::optional<std::uint64_t>
      stopped;  // the first byte that belongs to no token; the text's size where it ends within one
  std::uint64_t tokens() const { return kept; }
};

namespace lex_room {
struct automaton;
}

class lexer {
 public:
  explicit lexer(std::vector<token_rule>);
  const std::vector<token_rule>& rules() const { return rules_; }
  std::size_t states() const;
  const lex_room::automaton& automaton() const { return *automaton_; }

 private:
  std::vector<token_rule> rules_;
  std::shared_ptr<const lex_room::automaton> automaton_;
};

token_counts count_tokens(const context&, const lexer&, std::string_view text);
// `out` holds the kept tokens, as many as count_tokens says, or more.
token_counts tokenize(const context&, const lexer&, std::string_view text, std::span<token> out);
// Text and output in the context's own memory.
token_counts count_tokens(const context&, const lexer&, device_span<const char> text);
token_counts tokenize(const context&, const lexer&, device_span<const char> text, device_span<token> out);

struct field_counts {
  std::uint64_t fields = 0, records = 0;
  std::optional<std::uint64_t> stopped;  // text after a closing quote; the text's size where a quote is never closed
};
field_counts count_fields(const context&, std::string_view text, char separator = ',');
field_counts find_fields(const context&, std::string_view text, std::span<std::uint64_t> ends, char separator = ',');
field_counts count_fields(const context&, device_span<const char> text, char separator = ',');
field_counts find_fields(const context&, device_span<const char> text, device_span<std::uint64_t> ends,
                         char separator = ',');

}  // namespace upsweep
