#include "upsweep/opencl/opencl_expression_literals.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace upsweep::opencl {

namespace {

struct token {
  std::size_t at;
  std::string_view text;
  bool is_name, of_directive;  // within #define and its kin
};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Names, numbers and single signs, without comments and strings.
std::vector<token> tokens_of(std::string_view s) {
  std::vector<token> all;
  bool directive = false, line_begins = true;
  for (std::size_t i = 0; i < s.size();) {
    if (s[i] == '\n') {
      if (i == 0 || s[i - 1] != '\\') directive = false, line_begins = true;
      ++i;
    } else if (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\\') {
      ++i;
    } else if (s.substr(i, 2) == "//") {
      i = std::min(s.find('\n', i), s.size());
    } else if (s.substr(i, 2) == "/*") {
      const std::size_t end = s.find("*/", i + 2);
      i = end == std::string_view::npos ? s.size() : end + 2;
    } else if (s[i] == '"' || s[i] == '\'') {
      const char quote = s[i++];
      while (i < s.size() && s[i] != quote) i += s[i] == '\\' ? 2 : 1;
      ++i;
    } else {
      if (line_begins && s[i] == '#') directive = true;
      line_begins = false;
      std::size_t end = i + 1;
      if (in_name(s[i]))
        while (end < s.size() && in_name(s[end])) ++end;
      all.push_back(
          {i, s.substr(i, end - i), in_name(s[i]) && !std::isdigit(static_cast<unsigned char>(s[i])), directive});
      i = end;
    }
  }
  return all;
}

// The parenthesis that closes the one at `open`, or the number of tokens.
std::size_t closing(const std::vector<token>& t, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < t.size(); ++i) {
    if (t[i].text == "(") ++depth;
    if (t[i].text == ")" && --depth == 0) return i;
  }
  return t.size();
}

// Words before ( ... ) { that cannot be a function's name.
bool is_statement(std::string_view word) {
  return word == "if" || word == "for" || word == "while" || word == "switch" || word == "return" || word == "else";
}

}  // namespace

std::string pass_literals(const std::string& source, const std::vector<core::literal>& literals) {
  if (literals.empty()) return source;
  const std::vector<token> t = tokens_of(source);
  const auto is = [&](std::size_t i, std::string_view text) { return i < t.size() && t[i].text == text; };

  // The names that each function and macro mentions. #if may choose among several definitions of one name.
  std::map<std::string_view, std::set<std::string_view>> of_functions, of_macros;
  std::set<std::string_view> kernels{"kernel", "__kernel"};
  std::set<std::size_t> definitions;  // tokens that are their names
  const auto kernel_ahead = [&](std::size_t name) {
    for (std::size_t i = name; i-- > 0 && !t[i].of_directive && t[i].text != "}" && t[i].text != ";";)
      if (kernels.contains(t[i].text)) return true;
    return false;
  };
  std::set<std::string_view> leads, macros;  // to a literal
  std::string_view function, macro;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (is(i, "#") && is(i + 1, "define")) {
      macro = i + 2 < t.size() ? t[i + 2].text : std::string_view();
      i += 2;
      continue;
    }
    if (!t[i].of_directive || is(i, "#")) macro = {};
    if (!t[i].is_name) continue;
    if (t[i].of_directive) {
      if (macro.empty()) continue;
      of_macros[macro].insert(t[i].text);
      if (kernels.contains(t[i].text)) kernels.insert(macro);
      continue;
    }
    if (is(i + 1, "(") && !is_statement(t[i].text) && i > 0 && (t[i - 1].is_name || is(i - 1, "*")) &&
        is(closing(t, i + 1) + 1, "{")) {
      function = t[i].text;
      definitions.insert(i);
      if (kernel_ahead(i)) leads.insert(function);
      continue;
    }
    if (!function.empty()) of_functions[function].insert(t[i].text);
  }
  for (bool more = true; more;) {
    more = false;
    const auto add = [&](const auto& all, std::set<std::string_view>& to) {
      for (const auto& [name, words] : all)
        if (!to.contains(name) && std::any_of(words.begin(), words.end(), [&](std::string_view w) {
              return w.starts_with("upsweep_literal_") || leads.contains(w) || macros.contains(w);
            }))
          to.insert(name), more = true;
    };
    add(of_macros, macros), add(of_functions, leads);
  }

  std::string parameters, arguments;
  for (std::size_t k = 0; k < literals.size(); ++k) {
    const std::string name = "upsweep_literal_" + std::to_string(k);
    parameters += std::string(k ? ", const " : "const ") + core::name_of(literals[k].type) + " " + name;
    arguments += (k ? ", " : "") + name;
  }
  struct edit {
    std::size_t erased;
    std::string inserted;
  };
  std::map<std::size_t, edit> edits;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (!leads.contains(t[i].text) || !is(i + 1, "(") || is(i - 1, "define")) continue;
    const std::size_t end = closing(t, i + 1);
    if (end == t.size()) continue;
    const std::string& more = definitions.contains(i) ? parameters : arguments;
    if (end == i + 3 && is(i + 2, "void"))
      edits[t[i + 2].at] = {4, more};
    else
      edits[t[end].at] = {0, (end == i + 2 ? "" : ", ") + more};
  }
  std::string to;
  std::size_t done = 0;
  for (const auto& [at, e] : edits) {
    to.append(source, done, at - done) += e.inserted;
    done = at + e.erased;
  }
  return to.append(source, done);
}

}  // namespace upsweep::opencl
