#include "upsweep/core/expression_literals.hpp"

namespace upsweep::core {

const char* name_of(literal_type t) {
  constexpr const char* names[]{"int", "uint", "long", "ulong", "float", "double"};
  return names[static_cast<int>(t)];
}

hoisted_source hoist_literals(std::string_view unit) {
  // As opencl::preamble writes an expression's function, and a type's definition.
  constexpr std::string_view begins = "return (\n#line 1 \"the ", name_ends = "\"\n", ends = "\n#line 1 \"upsweep\"\n",
                             definition = "#line 1 \"the type's definition\"\n";
  hoisted_source h;
  if (unit.find(definition) != std::string_view::npos) return h.source = unit, h;
  std::size_t done = 0;
  for (std::size_t at = unit.find(begins); at != std::string_view::npos; at = unit.find(begins, at)) {
    at = unit.find(name_ends, at + begins.size());
    const std::size_t end = unit.find(ends, at);
    if (at == std::string_view::npos || end == std::string_view::npos) break;
    at += name_ends.size();
    const std::string expression(unit.substr(at, end > at ? end - at : 0));
    for (const placed_literal& l : literals_of(expression)) {
      if (h.literals.size() == most_literals) break;
      h.source += unit.substr(done, at + l.at - done);
      h.source += "upsweep_literal_" + std::to_string(h.literals.size());
      h.literals.push_back(l.value);
      done = at + l.end;
    }
    at = end;
  }
  h.source += unit.substr(done);
  return h;
}

}  // namespace upsweep::core
