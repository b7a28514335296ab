#include "upsweep/expression.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/search.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

#if !defined(__CUDACC__)  // device source is compiled where the program runs, not by nvcc
HEADER_EXAMPLE(expression, where_compiled) {
  const upsweep::context& where = gpu;
  const std::vector<float> x{0.25f, 1, 3};
  std::vector<float> y(3);
  const float limit = 0.5f;
  std::vector<unsigned> keys{12, 31, 20};
#include "expression.example"
  EXPECT_EQ(most, 3);
  EXPECT_EQ(y, (std::vector<float>{-0.375f, 1.5f, 6.5f}));
  EXPECT_EQ(above, 2u);
  EXPECT_EQ(kept, 1u);
  EXPECT_EQ(few[0], 1);
  EXPECT_EQ(keys, (std::vector<unsigned>{20, 31, 12}));
}
#endif
