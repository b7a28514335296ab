// What is asked of a text of the user's own before a device's compiler sees it.
#include <cctype>
#include <string>
#include <vector>

#include "upsweep/opencl/operands.hpp"

namespace upsweep::opencl {

namespace {

// Throws where brackets do not pair, and at any of the letters `refused`.
void require_text(const std::string& call, const std::string& called, const std::string& expression,
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
  std::string closes;  // what closes each that is open
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '(' || c == '[' || c == '{') {
      closes += c == '(' ? ')' : c == '[' ? ']' : '}';
      places.push_back(i);
    } else if (c == ')' || c == ']' || c == '}') {
      if (closes.empty() || closes.back() != c) refuse(i, std::string("nothing is open that '") + c + "' closes");
      closes.pop_back(), places.pop_back();
    } else if (refused.find(c) != std::string_view::npos) {
      refuse(i, std::string("'") + c + (refused.size() > 1 ? "' is in no expression" : "' is in no such text"));
    }
  }
  if (!places.empty()) refuse(places.back(), std::string("this '") + expression[places.back()] + "' is never closed");
}

// The compiler is told that a text begins a file of its own.
std::string in_its_file(const preamble& p, const std::string& called, const std::string& text) {
  return "#line 1 \"" + called + "\"\n" + (p.of == compiler::cuda ? as_cpp(text) : text) + "\n#line 1 \"upsweep\"\n";
}

}  // namespace

void require_expression(const char* call, const char* called, const std::string& expression) {
  require_text(call, called, expression, ";#", "give one expression");
}

void add_expression(preamble& p, const std::string& head, const std::string& called, const std::string& expression) {
  require_text(p.call, called, expression, ";#", "give one expression");
  p.text += "static inline " + head + " {\n  return (\n" + in_its_file(p, called, expression) + "  );\n}\n";
}

void add_statements(preamble& p, const std::string& head, const std::string& called, const std::string& statements) {
  require_text(p.call, called, statements, "#", "give statements");
  p.text += "static inline " + head + " {\n" + in_its_file(p, called, statements) + "}\n";
}

operand_texts texts_of(preamble& p, const operand_list& all) {
  operand_texts t;
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

std::string as_cpp(std::string text) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
    std::size_t close = open + 1;
    while (close < text.size() && is_letter(text[close])) ++close;
    if (close == open + 1 || close >= text.size() || text[close] != ')') continue;
    // Behind a word it is a condition or a parameter, but for `return (entry){1, 2}`.
    const std::size_t before = open == 0 ? std::string::npos : text.find_last_not_of(" \t\r\n", open - 1);
    if (before != std::string::npos && is_letter(text[before])) {
      std::size_t word = before;
      while (word > 0 && is_letter(text[word - 1])) --word;
      if (text.compare(word, before + 1 - word, "return") != 0) continue;
    }
    const std::size_t brace = text.find_first_not_of(" \t\r\n", close + 1);
    if (brace != std::string::npos && text[brace] == '{') text[open] = text[close] = ' ';
  }
  return text;
}

}  // namespace upsweep::opencl
