#include "upsweep/views.hpp"

#include "tests/header_examples/example.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"

namespace UPSWEEP_EXAMPLES {
struct product {
  template <class Row>
  UPSWEEP_HD double operator()(const Row& r) const {
    return static_cast<double>(r.template get<0>()) * r.template get<1>();
  }
};
}  // namespace UPSWEEP_EXAMPLES

HEADER_EXAMPLE(views, where_compiled) {
  using UPSWEEP_EXAMPLES::product;
  const std::uint64_t n = 10;
  const upsweep::buffer<float> x(gpu, std::vector<float>{1, 2, 3});
  const std::vector<int> values{10, 20, 30}, order{2, 0, 1};
  std::vector<int> running(3);
  const std::vector<float> y{1, 2, 3};
  const std::vector<double> z{0.5, 1, 2};
#include "views.example"
  EXPECT_EQ(factorial, 3628800u);
  EXPECT_EQ(squares, 14);
  EXPECT_EQ(running, (std::vector<int>{30, 40, 60}));
  EXPECT_EQ(dot, 8.5);
}
