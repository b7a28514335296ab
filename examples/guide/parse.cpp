// The fields of CSV and the tokens of JSON, found by all threads in parallel.
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto where = upsweep::context::cpu();
  const std::string_view csv = "city,price\n\"Aix, en Provence\",3.5\n";
  std::vector<std::uint64_t> ends(upsweep::count_fields(where, csv).fields);
  upsweep::find_fields(where, csv, ends);  // field k is [ends[k-1] + 1, ends[k])
  const std::string_view city = csv.substr(ends[1] + 1, ends[2] - ends[1] - 1);

  const upsweep::lexer json(upsweep::json_grammar());
  const std::string_view text = R"({"price": 3.5, "sold": true})";
  const auto found = upsweep::count_tokens(where, json, text);
  std::vector<upsweep::token> tokens(found.tokens);
  upsweep::tokenize(where, json, text, tokens);

  std::printf("%zu fields, one of them %.*s; %zu tokens\n", ends.size(), static_cast<int>(city.size()), city.data(),
              tokens.size());
  return ends.size() == 4 && city == "\"Aix, en Provence\"" && tokens.size() == 9 && !found.stopped ? 0 : 1;
}
