// Functions of a caller's that make no vectors, in the calls whose loops would have them: no compiler warns of that.
#include <string>
#include <vector>

#include "upsweep/axis.hpp"
#include "upsweep/rearrange.hpp"
#include "upsweep/transform.hpp"

int defined_elsewhere(int);

void call(const upsweep::context& where) {
  std::vector<int> x(1000), y(1000), sums(10);
  std::vector<std::string> words(1000);
  upsweep::transform(where, x, y, [](int a) { return defined_elsewhere(a); });
  upsweep::transform(where, x, words, [](int a) { return std::to_string(a); });
  upsweep::tabulate(where, y, [&](std::uint64_t i) { return static_cast<int>(words[i].size()); });
  upsweep::reduce_along(where, x, {100, 10}, 0, sums,
                        upsweep::monoid([](int a, int b) { return defined_elsewhere(a) + b; }, 0));
  upsweep::reverse(where, words);
  upsweep::rotate(where, words, 3);
}
