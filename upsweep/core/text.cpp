// What is asked of a text of the user's own before a device's compiler sees it.
#include <cctype>
#include <string>
#include <vector>

#include "upsweep/opencl/custom.hpp"

namespace upsweep::opencl {

void require_expression(const char* call, const char* called, const std::string& expression) {
  const auto refuse = [&](std::size_t at, const std::string& what) {
    const auto line_start = at ? expression.rfind('\n', at - 1) : std::string::npos;
    const std::size_t begin = line_start == std::string::npos ? 0 : line_start + 1;
    std::size_t line = 1;
    for (std::size_t i = 0; i < begin; ++i) line += expression[i] == '\n';
    throw error(fault::bad_argument,
                std::string(call) + ", " + called + ", line " + std::to_string(line) + ", character " +
                    std::to_string(at - begin + 1),
                what, "give one expression");
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
    } else if (c == ';' || c == '#') {
      refuse(i, std::string("'") + c + "' is in no expression");
    }
  }
  if (!places.empty()) refuse(places.back(), std::string("this '") + expression[places.back()] + "' is never closed");
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
