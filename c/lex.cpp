// Text cut into tokens, and tables into fields.
#include "upsweep/lex.hpp"
#include "c/call.hpp"

using namespace upsweep;
using c::call;
using c::guarded;

struct upsweep_lexer {
  lexer rules;
};

static_assert(sizeof(upsweep_token) == sizeof(token) && offsetof(upsweep_token, size) == offsetof(token, size) &&
              offsetof(upsweep_token, kind) == offsetof(token, kind));

namespace {

upsweep_status made(upsweep_lexer** to, const char* name, std::vector<token_rule> (*grammar)()) {
  return guarded([&] {
    c::require_given(name, "the place for the lexer", to);
    *to = nullptr;
    *to = new upsweep_lexer{lexer(grammar())};
  });
}

}  // namespace

upsweep_status upsweep_lexer_make(const upsweep_rule* rules, size_t count, upsweep_lexer** to) {
  return guarded([&] {
    const char* const name = "lexer";
    c::require_given(name, "the place for the lexer", to);
    *to = nullptr;
    if (count) c::require_given(name, "the table of rules", rules);
    std::vector<token_rule> table;
    for (size_t i = 0; i < count; ++i) {
      c::require_given(name, "a rule's name", rules[i].name);
      c::require_given(name, "a rule's pattern", rules[i].pattern);
      table.push_back({rules[i].name, rules[i].pattern, rules[i].skip != 0});
    }
    *to = new upsweep_lexer{lexer(std::move(table))};
  });
}
upsweep_status upsweep_lexer_json(upsweep_lexer** to) { return made(to, "lexer", json_grammar); }
upsweep_status upsweep_lexer_c(upsweep_lexer** to) { return made(to, "lexer", c_grammar); }
void upsweep_lexer_free(upsweep_lexer* l) { delete l; }
size_t upsweep_lexer_rules(const upsweep_lexer* l) { return l ? l->rules.rules().size() : 0; }
const char* upsweep_lexer_rule_name(const upsweep_lexer* l, size_t rule) {
  return l && rule < l->rules.rules().size() ? l->rules.rules()[rule].name.c_str() : nullptr;
}

upsweep_status upsweep_tokenize(const upsweep_context* context, const upsweep_lexer* l, const char* text,
                                uint64_t bytes, upsweep_token* tokens, uint64_t capacity,
                                upsweep_token_counts* host_found, uint64_t* host_counts) {
  return guarded([&] {
    const call k("tokenize", context);
    c::require_given(k.name, "the lexer", l);
    k.in("the text", text, bytes, 1);
    const device_span<const char> in(memory{const_cast<char*>(text), 0}, bytes);
    if (tokens) k.out("the tokens", tokens, capacity, sizeof(token));
    const device_span<token> out(memory{tokens, 0}, capacity);
    const token_counts found = tokens ? tokenize(k.where, l->rules, in, out) : count_tokens(k.where, l->rules, in);
    if (host_found) *host_found = {found.tokens, !found.stopped, found.stopped.value_or(bytes)};
    if (host_counts) std::copy(found.counts.begin(), found.counts.end(), host_counts);
  });
}

upsweep_status upsweep_fields(const upsweep_context* context, const char* text, uint64_t bytes, char separator,
                              uint64_t* ends, uint64_t capacity, upsweep_field_counts* host_found) {
  return guarded([&] {
    const call k("find_fields", context);
    k.in("the text", text, bytes, 1);
    const device_span<const char> in(memory{const_cast<char*>(text), 0}, bytes);
    if (ends) k.numbers("the ends", ends, capacity);
    const field_counts found =
        ends ? find_fields(k.where, in, device_span<std::uint64_t>(memory{ends, 0}, capacity), separator)
             : count_fields(k.where, in, separator);
    if (host_found) *host_found = {found.fields, found.records, !found.stopped, found.stopped.value_or(bytes)};
  });
}
