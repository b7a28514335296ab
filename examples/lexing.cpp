// Parallel lexing: the fields of CSV, the tokens of JSON and of a small language like C. Each result is compared with
// that of a scanner written by hand. Text and tokens are in device memory, --device cpu or cuda:0. The limit next to
// each rate is that of reading the text. The input is FILE (.json, .csv, any other file as C) or generated text.
#include <cctype>
#include <random>

#include "show.hpp"

using namespace upsweep;

std::string some_json(std::uint64_t bytes) {
  std::mt19937 bits(5);
  std::string t = "[";
  for (std::uint64_t i = 0; t.size() < bytes; ++i) {
    if (i) t += ",\n ";
    t += "{\"id\": " + std::to_string(bits() % 100000) + ", \"name\": \"Zo\xC3\xAB \\\"" +
         std::string(bits() % 30, 'x') + "\\u00e9\\\\\", ";
    t += "\"scores\": [" + std::to_string(bits() % 1000) + "." + std::to_string(bits() % 100) + ", -1e-5, 0], ";
    t += bits() % 2 ? "\"on\": true}" : "\"on\": null, \"text\": \"[{:,}]\"}";
  }
  return t + "]\n";
}

std::string some_c(std::uint64_t bytes) {
  std::mt19937 bits(6);
  std::string t;
  for (std::uint64_t i = 0; t.size() < bytes; ++i) {
    const std::string name = "value_" + std::to_string(bits() % 1000);
    t += "/* " + name + ", don't \"worry\" **/\nstatic int " + name + "(int a, double b) {\n  // say \"no\n";
    t += "  if (a >>= 3, b <= 1.5e-3 || a != 'x') return a->b * 0x1Fu + \"te\\\"xt\\n\"[a++];\n  while (--a) { b += "
         ".5; }\n}\n";
  }
  return t;
}

std::string some_csv(std::uint64_t bytes) {
  std::mt19937 bits(7);
  std::string t = "date,amount,note\r\n";
  while (t.size() < bytes) {
    t += "2026-0" + std::to_string(1 + bits() % 9) + "-11," + std::to_string(bits() % 100000) + "." +
         std::to_string(bits() % 100) + ",";
    t += bits() % 4 ? "plain text\r\n" : "\"quoted, with \"\"doubles\"\" and a\nline\"\r\n";
  }
  return t;
}

// --- by hand ---

// Kinds have the numbers of json_grammar(). Stops at the first error.
std::vector<token> json_by_hand(const std::string& t, std::uint64_t& at) {
  std::vector<token> out;
  const auto digit = [&](std::uint64_t i) { return i < t.size() && std::isdigit(static_cast<unsigned char>(t[i])); };
  for (at = 0; at < t.size();) {
    std::uint64_t i = at;
    std::uint32_t kind;
    const char c = t[at];
    if (const char* one = std::strchr("{}[]:,", c); one && c) {
      static const char order[] = "{}[]:,";
      kind = 1 + static_cast<std::uint32_t>(std::strchr(order, c) - order), ++i;
    } else if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      ++at;
      continue;
    } else if (c == '"') {
      for (++i; i < t.size() && t[i] != '"'; ++i)
        if (t[i] == '\\') ++i;
      if (i >= t.size()) return out;
      kind = 7, ++i;
    } else if (c == '-' || digit(i)) {
      i += c == '-';
      if (t[i] == '0')
        ++i;
      else
        while (digit(i)) ++i;
      if (i < t.size() && t[i] == '.')
        for (++i; digit(i);) ++i;
      if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
        ++i;
        if (i < t.size() && (t[i] == '+' || t[i] == '-')) ++i;
        while (digit(i)) ++i;
      }
      kind = 8;
    } else {
      kind = 0;
      for (const auto& [word, number] : {std::pair{"true", 9u}, {"false", 10u}, {"null", 11u}})
        if (t.compare(at, std::strlen(word), word) == 0) kind = number, i += std::strlen(word);
      if (kind == 0) return out;
    }
    out.push_back({at, static_cast<std::uint32_t>(i - at), kind});
    at = i;
  }
  return out;
}

// Kinds have the numbers of c_grammar().
std::vector<token> c_by_hand(const std::string& t, std::uint64_t& at) {
  std::vector<token> out;
  const auto peek = [&](std::uint64_t i) { return i < t.size() ? t[i] : '\0'; };
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); };
  for (at = 0; at < t.size();) {
    std::uint64_t i = at;
    const char c = t[at];
    std::uint32_t kind;
    if (std::isspace(static_cast<unsigned char>(c)) || (c == '\\' && peek(at + 1) == '\n')) {
      at += 1 + (c == '\\');
      continue;
    }
    if (c == '/' && peek(i + 1) == '/') {
      while (i < t.size() && t[i] != '\n') ++i;
      at = i;
      continue;
    }
    if (c == '/' && peek(i + 1) == '*') {
      i = t.find("*/", i + 2);
      if (i == std::string::npos) return out;
      at = i + 2;
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(i + 1))))) {
      while (i < t.size() && (std::isalnum(static_cast<unsigned char>(t[i])) || t[i] == '_' || t[i] == '.' ||
                              (t[i] == '\'' && std::isalnum(static_cast<unsigned char>(peek(i + 1)))) ||
                              ((t[i] == '+' || t[i] == '-') && std::strchr("eEpP", t[i - 1]))))
        ++i;
      kind = 4;
    } else if (word(c)) {
      while (i < t.size() && word(t[i])) ++i;
      static const std::vector<std::string> keywords{
          "auto", "break", "case", "const",  "continue", "do",     "double", "else", "float", "for",
          "if",   "int",   "long", "return", "static",   "struct", "switch", "void", "while"};
      kind = std::ranges::binary_search(keywords, t.substr(at, i - at)) ? 2 : 3;
    } else if (c == '"' || c == '\'') {
      for (++i; i < t.size() && t[i] != c && t[i] != '\n'; ++i)
        if (t[i] == '\\') ++i;
      if (peek(i) != c) return out;
      kind = c == '"' ? 5 : 6, ++i;
    } else if (std::strchr("[](){}", c)) {
      kind = 8, ++i;
    } else if (c == ',' || c == ';') {
      kind = 9, ++i;
    } else {
      kind = 7;
      std::size_t longest = 0;
      for (const char* op : {"+",  "++", "+=", "-", "--", "-=", "->",  "*", "*=", "/",  "/=",  "%", "%=", "=",
                             "==", "!",  "!=", "<", "<<", "<=", "<<=", ">", ">>", ">=", ">>=", "&", "&&", "&=",
                             "|",  "||", "|=", "^", "^=", "~",  "?",   ":", "::", ".",  "#",   "\\"})
        if (t.compare(at, std::strlen(op), op) == 0) longest = std::max(longest, std::strlen(op));
      if (longest == 0) return out;
      i += longest;
    }
    out.push_back({at, static_cast<std::uint32_t>(i - at), kind});
    at = i;
  }
  return out;
}

std::vector<std::uint64_t> csv_by_hand(const std::string& t) {
  std::vector<std::uint64_t> ends;
  for (std::uint64_t i = 0; i < t.size();) {
    if (t[i] == '"')
      for (++i; i < t.size() && (t[i] != '"' || (i + 1 < t.size() && t[i + 1] == '"')); ++i) i += t[i] == '"';
    while (i < t.size() && t[i] != ',' && t[i] != '\n') ++i;
    ends.push_back(i);
    if (i == t.size()) return ends;
    if (++i == t.size() && t[i - 1] == ',') ends.push_back(i);
  }
  return ends;
}

// --- side by side ---

double read_rate(const context& where, const std::string& text) {
  const std::span<const std::uint64_t> words(reinterpret_cast<const std::uint64_t*>(text.data()), text.size() / 8);
  buffer<std::uint64_t> there(where, words), sum(where, 1);
  return double(text.size()) / show::seconds(where, [&] { reduce(where, there.span(), sum.span()); });
}

void cut(const context& where, const char* name, const std::vector<token_rule>& grammar, const std::string& text,
         std::vector<token> (*by_hand)(const std::string&, std::uint64_t&), double roof) {
  const lexer l(grammar);
  const buffer<char> there(where, text);
  token_counts found;
  const double counting = show::seconds(where, [&] { found = count_tokens(where, l, there.span()); });
  buffer<token> tokens(where, found.tokens);
  const double cutting = show::seconds(where, [&] { tokenize(where, l, there.span(), tokens.span()); });
  std::uint64_t at = 0;
  std::vector<token> want;
  const double loop = show::seconds(where, [&] { want = by_hand(text, at); });
  const std::string what = std::string(name) + ", " + std::to_string(l.states()) + " states: ";
  show::row((what + "counted").c_str(), counting, loop, double(text.size()), roof);
  show::row((what + "cut").c_str(), cutting, loop, double(text.size()), roof);
  std::printf("    %llu tokens in %llu bytes", static_cast<unsigned long long>(tokens.size()),
              static_cast<unsigned long long>(text.size()));
  if (found.stopped) std::printf("; byte %llu belongs to none", static_cast<unsigned long long>(*found.stopped));
  std::printf("\n");
  show::verdict(name, tokens.download() == want && found.stopped.has_value() == (at < text.size()));
}

void fields(const context& where, const std::string& text, double roof) {
  const buffer<char> there(where, text);
  field_counts found;
  const double counting = show::seconds(where, [&] { found = count_fields(where, there.span()); });
  buffer<std::uint64_t> ends(where, found.fields);
  std::vector<std::uint64_t> want;
  const double finding = show::seconds(where, [&] { find_fields(where, there.span(), ends.span()); });
  const double loop = show::seconds(where, [&] { want = csv_by_hand(text); });
  show::row("CSV fields counted", counting, loop, double(text.size()), roof);
  show::row("CSV fields found", finding, loop, double(text.size()), roof);
  std::printf("    %llu fields in %llu records, %llu bytes\n", static_cast<unsigned long long>(found.fields),
              static_cast<unsigned long long>(found.records), static_cast<unsigned long long>(text.size()));
  show::verdict("CSV", !found.stopped && ends.download() == want);
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 20);
    const context where = context::named(o.device);
    if (!o.file.empty()) {
      const std::string text = show::whole_file(o.file);
      const double roof = read_rate(where, text);
      if (o.file.ends_with(".json")) return cut(where, "JSON", json_grammar(), text, json_by_hand, roof);
      if (o.file.ends_with(".csv")) return fields(where, text, roof);
      return cut(where, "C", c_grammar(), text, c_by_hand, roof);
    }
    const std::string csv = some_csv(o.n), json = some_json(o.n), c = some_c(o.n);
    const double roof = read_rate(where, csv);
    std::printf("reading alone: %.1f GB/s\n", roof * 1e-9);
    fields(where, csv, roof);
    // A quote inside an unquoted field, which RFC 4180 does not allow but files contain.
    fields(where, "a 5\" pipe,1\n" + csv, roof);
    cut(where, "JSON", json_grammar(), json, json_by_hand, roof);
    cut(where, "C", c_grammar(), c, c_by_hand, roof);
  });
}
