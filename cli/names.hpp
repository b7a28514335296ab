// Lists of names on the command line: types, operators, kinds of input.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "upsweep/error.hpp"

// What the texts name, each once; "all" is all of them. `named` gives an optional.
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

