#include "upsweep/operators.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"

namespace UPSWEEP_EXAMPLES {

struct entry {
  int number = 0;
  bool empty = true;
};

#include "operators.example"

}  // namespace UPSWEEP_EXAMPLES

HEADER_EXAMPLE(operators, where_compiled) {
  using UPSWEEP_EXAMPLES::entry;
  const upsweep::buffer<entry> entries(gpu, std::vector<entry>{{}, {}, {5, false}, {6, false}, {}});
  const auto first = upsweep::reduce(gpu, entries.span(), UPSWEEP_EXAMPLES::first_non_empty{});
  EXPECT_EQ(first.number, 5);
}
