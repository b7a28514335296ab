// Names on the command line: of variants and primitives, and lists of types, operators, kinds of input.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "upsweep/core/catalog.hpp"
#include "upsweep/error.hpp"

// The values of these names, without duplicates; "all" means all of them. `named` returns an optional.
template <class Named, class All>
auto parse_named(const std::vector<std::string>& texts, const char* option, Named named, const All& all) {
  std::vector<typename All::value_type> found;
  for (const std::string& text : texts) {
    if (text == "all") return std::vector<typename All::value_type>(all.begin(), all.end());
    const auto one = named(text);
    if (!one) {
      std::string known;
      for (const auto& x : all) known += (known.empty() ? "" : ", ") + std::string(name_of(x));
      throw upsweep::error(upsweep::fault::bad_argument, std::string(option) + " '" + text + "'",
                           "there is no such name", "name one of " + known + ", all");
    }
    if (std::find(found.begin(), found.end(), *one) == found.end()) found.push_back(*one);
  }
  return found;
}

inline bool names_primitive(const std::string& name) {
  return std::ranges::any_of(upsweep::all_primitives(), [&](upsweep::primitive p) { return name_of(p) == name; });
}

// A whole name is that variant; a primitive's ("scan", which is not scan-by-key) all of its variants; else any piece of
// a name does.
inline bool means(const std::string& name, const upsweep::variant& v) {
  if (names_primitive(name)) return name_of(v.what) == name;
  const bool whole = std::ranges::any_of(upsweep::catalog(), [&](const upsweep::variant& w) { return w.name == name; });
  return whole ? v.name == name : v.name.find(name) != std::string_view::npos;
}
