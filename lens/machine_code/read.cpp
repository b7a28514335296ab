// The disassembler's text into instructions.
#include <cmath>

#include "lens/machine_code/lane.hpp"

namespace upsweep::lens::machine_code {

namespace {

std::string trimmed(std::string s) {
  const std::size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

std::int64_t number_of(std::string_view s) {
  const bool minus = s.starts_with('-');
  const auto v = static_cast<std::int64_t>(std::stoull(std::string(minus ? s.substr(1) : s), nullptr, 0));
  return minus ? -v : v;
}

bool numbered(std::string_view s, std::string_view letters, unsigned& index) {
  if (!s.starts_with(letters) || s.size() == letters.size()) return false;
  const std::string_view digits = s.substr(letters.size());
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return false;
  index = static_cast<unsigned>(std::stoul(std::string(digits)));
  return true;
}

// "R4", "UR4", "RZ", with optional suffixes
bool is_register(std::string_view s, operand& o) {
  s = s.substr(0, s.find('.'));
  if (s == "RZ")
    o.is = kind::reg, o.index = no_register;
  else if (s == "URZ")
    o.is = kind::uniform, o.index = no_uniform;
  else if (numbered(s, "UR", o.index))
    o.is = kind::uniform;
  else if (numbered(s, "R", o.index))
    o.is = kind::reg;
  else
    return false;
  return true;
}

operand operand_of(std::string s) {
  operand o;
  if (s.starts_with("desc[")) s = s.substr(s.find("][") + 1);
  if (s.starts_with("[") || s.starts_with("c[")) {
    o.is = s[0] == '[' ? kind::address : kind::constant;
    std::string inside = s.substr(1, s.size() - 2);
    if (o.is == kind::constant) {
      const std::size_t close = s.find(']');
      o.bank = static_cast<unsigned>(number_of(s.substr(2, close - 2)));
      inside = s.substr(close + 2, s.size() - close - 3);
    }
    for (std::size_t from = 0; from <= inside.size();) {
      const std::size_t plus = std::min(inside.find('+', from), inside.size());
      const std::string part = inside.substr(from, plus - from);
      operand base;
      if (is_register(part, base)) {
        (base.is == kind::reg ? o.index : o.added_uniform) = base.index;
        if (part.find(".64") != std::string::npos) o.wide = true;
        if (part.find(".X") != std::string::npos) throw std::runtime_error("scaled address " + s);
      } else {
        o.value += number_of(part);
      }
      from = plus + 1;
    }
    return o;
  }
  if (s == "PR" || s.starts_with("SR")) {
    o.is = kind::special, o.name = s;
    return o;
  }
  if (s.starts_with("!") || s.starts_with("~")) o.inverted = true, s.erase(0, 1);
  if (s.size() > 1 && s[0] == '-' && (s[1] == 'R' || s[1] == 'U' || s[1] == '|' || s[1] == 'c'))
    o.minus = true, s.erase(0, 1);
  if (s.starts_with("|")) {
    o.absolute = true;
    std::erase(s, '|');
  }
  if (s.starts_with("c[")) {
    operand c = operand_of(s);
    c.minus = o.minus, c.inverted = o.inverted, c.absolute = o.absolute;
    return c;
  }
  if (is_register(s, o)) return o;
  if (s == "PT" || s == "UPT") {
    o.is = s == "PT" ? kind::predicate : kind::uniform_predicate, o.index = always;
    return o;
  }
  if (numbered(s, "UP", o.index)) {
    o.is = kind::uniform_predicate;
    return o;
  }
  if (numbered(s, "P", o.index)) {
    o.is = kind::predicate;
    return o;
  }
  if (numbered(s, "B", o.index)) {
    o.is = kind::barrier;
    return o;
  }
  o.is = kind::number;
  if (s == "+INF" || s == "-INF") {
    o.real = s[0] == '-' ? -INFINITY : INFINITY;
  } else if (s.starts_with("0x") || s.starts_with("-0x")) {
    o.value = number_of(s);
    o.real = std::bit_cast<float>(static_cast<std::uint32_t>(o.value));
    return o;
  } else {
    o.real = std::stod(s);
    o.value = std::bit_cast<std::uint32_t>(static_cast<float>(o.real));
    if (s.find_first_of(".e") == std::string::npos) o.value = static_cast<std::int64_t>(o.real);
  }
  return o;
}

instruction instruction_of(const std::string& text) {
  instruction i;
  i.text = text;
  i.guard.is = kind::predicate, i.guard.index = always;
  std::string s = text;
  if (s.starts_with('@')) {
    const std::size_t blank = s.find(' ');
    i.guard = operand_of(s.substr(1, blank - 1));
    s = trimmed(s.substr(blank));
  }
  const std::size_t blank = std::min(s.find(' '), s.size());
  std::string name = s.substr(0, blank), rest = trimmed(s.substr(blank));
  for (std::size_t dot; (dot = name.rfind('.')) != std::string::npos; name.resize(dot))
    i.forms.insert(i.forms.begin(), name.substr(dot + 1));
  i.name = name;
  if (name == "RET") rest = rest.substr(0, rest.find(' '));
  for (std::size_t from = 0; !rest.empty() && from <= rest.size();) {
    const std::size_t comma = std::min(rest.find(',', from), rest.size());
    i.with.push_back(operand_of(trimmed(rest.substr(from, comma - from))));
    from = comma + 1;
  }
  i.each_lane = meaning_of(name);
  return i;
}

}  // namespace

std::map<std::string, kernel> read(std::istream& in) {
  std::map<std::string, kernel> all;
  kernel* now = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Function : ")) {
      const std::string name = line.substr(11);
      now = &all[name];
      now->name = name;
      continue;
    }
    const std::size_t open = line.find("/*"), close = line.find("*/");
    if (now == nullptr || open == std::string::npos || close == std::string::npos) continue;
    const auto at = std::stoul(line.substr(open + 2, close - open - 2), nullptr, 16);
    std::string text = line.substr(close + 2);
    text = trimmed(text.substr(0, text.find(';')));
    if (text.empty()) continue;
    if (now->code.size() <= at / 16) now->code.resize(at / 16 + 1);
    now->code[at / 16] = instruction_of(text);
  }
  return all;
}

}  // namespace upsweep::lens::machine_code
