#include "upsweep/lex.hpp"

#include <string_view>

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(lex, not_on_opencl) {
  const std::string_view text = R"({"a": [1, true]})", csv_text = "name,year\n\"Ada, L.\",1843\n";
  const upsweep::buffer<char> text_there(gpu, text);
  upsweep::buffer<upsweep::token> tokens_there(gpu, 9);
#include "lex.example"
  EXPECT_EQ(tokens.size(), 9u);
  EXPECT_EQ(tokens.size(), found.tokens);
  EXPECT_EQ(tokens_there.download()[1].first, tokens[1].first);
  EXPECT_EQ(table.records, 2u);
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{4, 9, 19, 24}));
}
