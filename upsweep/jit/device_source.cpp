// Checks of user-defined device source before a device's compiler receives it.
#include <cctype>
#include <string>
#include <vector>

#include "upsweep/jit/jit_operands.hpp"

namespace upsweep::opencl {

namespace {

// Throws if brackets do not pair, or if the source contains one of the characters in `refused`.
void require_source(const std::string& call, const std::string& called, const std::string& expression,
                    std::string_view refused, const char* remedy) {
  const auto refuse = [&](std::size_t at, const std::string& what) {
    const auto line_start = at ? expression.rfind('\n', at - 1) : std::string::npos;
    const std::size_t begin = line_start == std::string::npos ? 0 : line_start + 1;
    std::size_t line = 1;
    for (std::size_t i = 0; i < begin; ++i) line += expression[i] == '\n';
    throw error(
        fault::bad_argument,
        call + ", " + called + ", line " + std::to_string(line) + ", character " + std::to_string(at - begin + 1), what,
        remedy);
  };
  if (expression.find_first_not_of(" \t\r\n") == std::string::npos) refuse(0, "it is empty");
  std::string closes;  // the closing bracket of each open one
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '(' || c == '[' || c == '{') {
      closes += c == '(' ? ')' : c == '[' ? ']' : '}';
      places.push_back(i);
    } else if (c == ')' || c == ']' || c == '}') {
      if (closes.empty() || closes.back() != c)
        refuse(i, std::string("there is no opening bracket for '") + c + "' closes");
      closes.pop_back(), places.pop_back();
    } else if (refused.find(c) != std::string_view::npos) {
      refuse(i, std::string("'") + c + (refused.size() > 1 ? "' is in no expression" : "' is in no such source"));
    }
  }
  if (!places.empty()) refuse(places.back(), std::string("this '") + expression[places.back()] + "' is never closed");
}

// A #line directive, so that the compiler reports positions relative to the user's source.
std::string in_its_file(const preamble& p, const std::string& called, const std::string& source) {
  return "#line 1 \"" + called + "\"\n" + (p.of == compiler::cuda ? as_cpp(source) : source) +
         "\n#line 1 \"upsweep\"\n";
}

}  // namespace

void require_expression(const char* call, const char* called, const std::string& expression) {
  require_source(call, called, expression, ";#", "give one expression");
}

void add_expression(preamble& p, const std::string& head, const std::string& called, const std::string& expression) {
  require_source(p.call, called, expression, ";#", "give one expression");
  p.source += "static inline " + head + " {\n  return (\n" + in_its_file(p, called, expression) + "  );\n}\n";
}

void add_statements(preamble& p, const std::string& head, const std::string& called, const std::string& statements) {
  require_source(p.call, called, statements, "#", "give statements");
  p.source += "static inline " + head + " {\n" + in_its_file(p, called, statements) + "}\n";
}

operand_sources sources_of(preamble& p, const operand_list& all) {
  operand_sources t;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const named_operand& o = all[k];
    const std::string type = o.type(p), &name = o.name;
    std::string number = "p", pointer = o.is_read_only ? "const " : "";
    (number += std::to_string(k)), (pointer += type) += "*";
    t.names += ", " + name;
    if (o.is_memory) {
      t.parameters += ", global " + pointer + " " + name;
      t.kernel_parameters += "global " + pointer + " " + number + ", ulong " + number + "_at, ";
      t.arguments += ", " + number + " + " + number + "_at";
      t.members += pointer + " " + name + "; ";
    } else {
      t.parameters += ", " + type + " " + name;
      t.kernel_parameters += type + " " + number + ", ";
      t.arguments += ", " + number;
      t.members += type + " " + name + "; ";
    }
  }
  return t;
}

std::string as_cpp(std::string source) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t open = source.find('('); open != std::string::npos; open = source.find('(', open + 1)) {
    std::size_t close = open + 1;
    while (close < source.size() && is_letter(source[close])) ++close;
    if (close == open + 1 || close >= source.size() || source[close] != ')') continue;
    // After a word the parenthesis is a condition or a parameter list, except in `return (entry){1, 2}`.
    const std::size_t before = open == 0 ? std::string::npos : source.find_last_not_of(" \t\r\n", open - 1);
    if (before != std::string::npos && is_letter(source[before])) {
      std::size_t word = before;
      while (word > 0 && is_letter(source[word - 1])) --word;
      if (source.compare(word, before + 1 - word, "return") != 0) continue;
    }
    const std::size_t brace = source.find_first_not_of(" \t\r\n", close + 1);
    if (brace != std::string::npos && source[brace] == '{') source[open] = source[close] = ' ';
  }
  return source;
}

}  // namespace upsweep::opencl
