// says: upsweep: this comparison cannot be called with two elements; give it `bool operator()(T a, T b) const`
#include "upsweep/search.hpp"

struct colour {
  int red, green, blue;
};

int main() {
  const std::vector<colour> x{{1, 2, 3}, {3, 2, 1}};
  return static_cast<int>(upsweep::argmin(upsweep::context::cpu(), x));
}
