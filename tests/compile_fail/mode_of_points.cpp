// says: upsweep: this call sorts its keys as numbers; give it keys of a built-in type
#include "upsweep/grouped.hpp"

int main() {
  struct point {
    int x, y;
  };
  const std::vector<point> points(3);
  (void)upsweep::mode(upsweep::context::cpu(), points);
}
