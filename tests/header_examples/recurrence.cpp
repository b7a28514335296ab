#include "upsweep/recurrence.hpp"

#include <numeric>

#include "tests/header_examples/example.hpp"

namespace UPSWEEP_EXAMPLES {

// A die's running total that starts anew whenever it passes 20: a step is any map of 21 states.
struct steps_of_a_die {
  using state = std::uint8_t;
  struct map {
    std::uint8_t to[21];
  };
  const std::uint8_t* throws;
  UPSWEEP_HD map identity() const {
    map f{};
    for (int s = 0; s <= 20; ++s) f.to[s] = static_cast<std::uint8_t>(s);
    return f;
  }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const {
    for (std::uint8_t& s : f.to) s = step(i, s);
    return f;
  }
  UPSWEEP_HD map operator()(map f, map g) const {
    for (std::uint8_t& s : f.to) s = g.to[s];
    return f;
  }
  UPSWEEP_HD state apply(map f, state s) const { return f.to[s]; }
  UPSWEEP_HD state step(std::uint64_t i, state s) const {
    return s + throws[i] > 20 ? std::uint8_t{0} : static_cast<std::uint8_t>(s + throws[i]);
  }
};

}  // namespace UPSWEEP_EXAMPLES

HEADER_EXAMPLE(recurrence, where_compiled) {
  using UPSWEEP_EXAMPLES::steps_of_a_die;
  const std::vector<float> a{2, 3}, b{1, -1}, prices{8, 10}, signal{1, 0, 0};
  std::vector<float> x(2), smooth(2), filtered(3);
  const std::uint64_t n = 1000;
  std::vector<std::uint8_t> faces(n);
  for (std::uint64_t i = 0; i < n; ++i) faces[i] = static_cast<std::uint8_t>(1 + i * i % 6);
  const upsweep::buffer<std::uint8_t> thrown(gpu, faces);
  const std::uint8_t start = 0;
#include "recurrence.example"
  EXPECT_EQ(x, (std::vector<float>{3, 8}));
  EXPECT_NEAR(smooth[1], 8.2f, 1e-5f);
  EXPECT_NEAR(filtered[1], 0.4f + 0.2f * 0.4f, 1e-6f);
  std::uint8_t want = start;
  for (std::uint64_t i = 0; i < n; ++i) want = steps_of_a_die{faces.data()}.step(i, want);
  EXPECT_EQ(last, want);
}
