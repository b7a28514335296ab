// says: upsweep: this test cannot be called with an element; give it `bool operator()(T x) const`
#include "upsweep/search.hpp"

int main() {
  const std::vector<int> x{1, 2, 3};
  int calls = 0;
  return static_cast<int>(
      upsweep::find_if(upsweep::context::cpu(), x, [calls](int v) mutable { return ++calls == v; }));
}
